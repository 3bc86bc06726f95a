//! Encodings that hide text: base64, base32, hexadecimal, gzip.

use std::io::Read;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 of either alphabet, with or without padding; none if it is something else.
pub(crate) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    bits(text, 6, |byte| match byte {
        b'-' => Some(62),
        b'_' => Some(63),
        other => LETTERS.iter().position(|letter| *letter == other),
    })
}

/// Base32 as RFC 4648 has it.
pub(super) fn base32(text: &[u8]) -> Option<Vec<u8>> {
    bits(text, 5, |byte| match byte {
        b'A'..=b'Z' => Some(usize::from(byte - b'A')),
        b'2'..=b'7' => Some(usize::from(byte - b'2') + 26),
        _ => None,
    })
}

/// Two digits a byte; blanks do not count.
pub(crate) fn hex(text: &[u8]) -> Option<Vec<u8>> {
    bits(text, 4, |byte| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| usize::try_from(digit).ok())
    })
}

fn bits(text: &[u8], width: u32, value: impl Fn(u8) -> Option<usize>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut held = 0_usize;
    let mut count = 0;
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        if *byte == b'=' {
            break;
        }
        held = (held << width) | value(*byte)?;
        count += width;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from((held >> count) & 0xff));
            held &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

/// Base64 in lines of 76 letters, as the program prints it.
pub(super) fn to_base64(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for chunk in bytes.chunks(3) {
        let at = |index: usize| usize::from(chunk.get(index).copied().unwrap_or(0));
        let held = (at(0) << 16) | (at(1) << 8) | at(2);
        for index in 0..4 {
            let letter = LETTERS
                .get((held >> (18 - 6 * index)) & 63)
                .copied()
                .unwrap_or(b'=');
            text.push(if index <= chunk.len() { letter } else { b'=' });
        }
    }
    let mut lines: Vec<u8> = text
        .chunks(76)
        .flat_map(|line| line.iter().copied().chain([b'\n']))
        .collect();
    if lines.is_empty() {
        lines.clear();
    }
    lines
}

/// A dump as `xxd` prints it: address, digits, and what they show behind two blanks.
pub(super) fn dump(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in str::from_utf8(text).ok()?.lines() {
        let (_, digits) = line.split_once(':')?;
        let digits = digits.trim_start().split("  ").next().unwrap_or_default();
        bytes.extend(hex(digits.as_bytes())?);
    }
    Some(bytes)
}

/// What a gzip stream holds, if it is not too long.
pub(super) fn gunzip(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let limit = u64::try_from(most).ok()?.checked_add(1)?;
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut text)
        .ok()?;
    (text.len() <= most).then_some(text)
}
