//! Stretches of letters and digits between plain signs, found eight bytes at a time.

/// Every stretch of a text that has no space, sign or control character of ASCII in it.
pub(super) struct Stretches<'t> {
    text: &'t str,
    at: usize,
}

/// Where a stretch is.
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) end: usize,
    /// It is of ASCII only, and so one word; any other may have signs of its own in it.
    pub(super) is_plain: bool,
}

const EIGHT: usize = 8;
/// The highest bit of each byte.
const HIGHEST: u64 = each(0x80);

impl<'t> Stretches<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Stretches<'_> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let start = self.at + rest.iter().position(|byte| !is_plain_sign(*byte))?;
        let (mut end, mut is_plain) = (start, true);
        loop {
            let bytes = eight(self.text.as_bytes().get(end..).unwrap_or_default());
            let signs = plain_signs(bytes);
            let before_them = signs.wrapping_sub(1) & !signs;
            is_plain &= bytes & before_them & HIGHEST == 0;
            end += usize::try_from(signs.trailing_zeros()).unwrap_or(EIGHT) / 8;
            if signs != 0 {
                self.at = end;
                return Some(Stretch { start, end, is_plain });
            }
        }
    }
}

fn is_plain_sign(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

/// The next bytes, the first one lowest. Behind the end there are signs.
fn eight(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    let mut eight = [b' '; EIGHT];
    for (to, from) in eight.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(eight)
}

/// The highest bit of each byte that is a plain sign.
fn plain_signs(bytes: u64) -> u64 {
    // Seven bits of each, so that no sum reaches the next one. A sum has the highest bit from a certain letter on.
    let low = bytes & each(0x7f);
    let from = |bytes: u64, first: u8| bytes + each(0x80 - first);
    let digits = from(low, b'0') & !from(low, b'9' + 1);
    // Capitals are 0x20 below their small letters.
    let small = low | each(0x20);
    let letters = from(small, b'a') & !from(small, b'z' + 1);
    !(digits | letters | bytes) & HIGHEST
}

const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; EIGHT])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The stretches of a text, found byte by byte.
    fn plainly(text: &str) -> Vec<(&str, bool)> {
        let parts = text.split(|letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric());
        parts
            .filter(|part| !part.is_empty())
            .map(|part| (part, part.is_ascii()))
            .collect()
    }

    fn found(text: &str) -> Vec<(&str, bool)> {
        Stretches::of(text)
            .map(|stretch| (&text[stretch.start..stretch.end], stretch.is_plain))
            .collect()
    }

    #[test]
    fn every_sign_ends_a_stretch_and_every_letter_does_not() {
        for byte in 0..0x80_u8 {
            let text = format!("12345{}6", char::from(byte));
            assert_eq!(found(&text), plainly(&text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn stretches_are_those_found_byte_by_byte(text in "(?s)([a-zA-Z0-9]{0,20}|.|[@\\[`{/:é\u{300}依]|[ -~]){0,12}") {
            prop_assert_eq!(found(&text), plainly(&text));
        }
    }
}
