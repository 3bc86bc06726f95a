//! A payload as it is kept: whole while it is small, packed when it is not, its two ends when it is huge.
//!
//! Prepared before the transaction opens: packing takes longer than all of an event's writes together.

use crate::StoreError;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read, Write};

/// Up to here packing saves less than it costs.
const SMALL: usize = 4 * 1024;

/// What came with an event, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    pub(crate) form: PayloadForm,
    /// Bytes that came.
    pub(crate) length: u64,
    /// Of a clipped payload: bytes of its head.
    pub(crate) head: u64,
    /// Of a clipped payload: the hash of all that came.
    pub(crate) sha256: Option<Vec<u8>>,
    pub(crate) body: Vec<u8>,
}

/// How a payload is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PayloadForm {
    Raw,
    Packed,
    Clipped,
}

impl PayloadForm {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Packed => "packed",
            Self::Clipped => "clipped",
        }
    }

    pub(crate) fn parse(word: &str) -> Self {
        match word {
            "packed" => Self::Packed,
            "clipped" => Self::Clipped,
            _ => Self::Raw,
        }
    }
}

impl Payload {
    /// Makes what came fit to be stored; above `limit` bytes only head, tail, length and hash stay.
    pub fn prepare(bytes: &[u8], limit: usize) -> Self {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if bytes.len() > limit {
            return Self::clipped(bytes, limit, length);
        }
        let packed = if bytes.len() > SMALL { packed(bytes) } else { None };
        let (form, body) = match packed {
            Some(body) if body.len() < bytes.len() => (PayloadForm::Packed, body),
            Some(_) | None => (PayloadForm::Raw, bytes.to_vec()),
        };
        Self {
            form,
            length,
            head: 0,
            sha256: None,
            body,
        }
    }

    fn clipped(bytes: &[u8], limit: usize, length: u64) -> Self {
        let half = limit / 2;
        let head = bytes.get(..half).unwrap_or(bytes);
        let tail = bytes.get(bytes.len() - half..).unwrap_or_default();
        let ends = [head, tail].concat();
        Self {
            form: PayloadForm::Clipped,
            length,
            head: u64::try_from(half).unwrap_or(u64::MAX),
            sha256: Some(Sha256::digest(bytes).to_vec()),
            // Writing to memory does not fail; if it did, the two ends would be lost and length and hash stay.
            body: packed(&ends).unwrap_or_default(),
        }
    }

    /// How many bytes came.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether the middle was left out.
    pub fn is_clipped(&self) -> bool {
        self.form == PayloadForm::Clipped
    }

    /// What came; of a clipped payload its head, a line that says what is missing, and its tail.
    pub fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        match self.form {
            PayloadForm::Raw => Ok(self.body.clone()),
            PayloadForm::Packed => self.unpacked(),
            PayloadForm::Clipped => {
                let ends = self.unpacked()?;
                let at = usize::try_from(self.head).unwrap_or(usize::MAX).min(ends.len());
                let (head, tail) = ends.split_at(at);
                Ok([head, self.gap(ends.len()).as_bytes(), tail].concat())
            }
        }
    }

    fn gap(&self, kept: usize) -> String {
        let missing = self
            .length
            .saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX));
        let mut gap = format!("\n… {missing} of {} bytes left out, sha256 ", self.length);
        for byte in self.sha256.iter().flatten() {
            // Writing to a string does not fail.
            let _ = write!(gap, "{byte:02x}");
        }
        gap.push_str(" …\n");
        gap
    }

    /// Never more than came: a damaged row cannot fill the memory.
    fn unpacked(&self) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        let mut reader = DeflateDecoder::new(self.body.as_slice()).take(self.length);
        match reader.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(_) => Err(StoreError::Corrupt),
        }
    }
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn whatever_fits_comes_back_byte_for_byte() {
        for bytes in [
            Vec::new(),
            vec![0xff; SMALL],
            vec![b'x'; SMALL + 1],
            noise(50_000),
        ] {
            let payload = Payload::prepare(&bytes, 64 * 1024);
            assert_eq!(payload.bytes().unwrap(), bytes);
            assert!(payload.body.len() <= bytes.len());
            assert!(!payload.is_clipped());
        }
        assert_eq!(
            Payload::prepare(&[b'x'; SMALL + 1], 64 * 1024).form,
            PayloadForm::Packed
        );
    }

    #[test]
    fn a_huge_payload_keeps_its_ends_its_length_and_its_hash() {
        let payload = Payload::prepare(&[b"head", [b'-'; 1000].as_slice(), b"tail"].concat(), 8);
        assert!(payload.is_clipped());
        assert_eq!(payload.length(), 1008);
        assert_eq!(
            String::from_utf8(payload.bytes().unwrap()).unwrap(),
            "head\n… 1000 of 1008 bytes left out, sha256 \
             885cbedd1ba62d822aee76b6bd333f928914f324752b5e13d45977330e9e49d3 …\ntail"
        );
    }

    #[test]
    fn a_damaged_row_is_an_error_and_never_a_flood() {
        let mut payload = Payload::prepare(&vec![b'x'; 100_000], 200_000);
        payload.length = 10;
        assert_eq!(payload.bytes().unwrap().len(), 10);
        payload.body = vec![0xff; 40];
        assert!(matches!(payload.bytes(), Err(StoreError::Corrupt)));
    }
}
