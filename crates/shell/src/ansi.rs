//! The escapes of `$'…'`.

/// The text that `$'…'` stands for. Bytes that are no text become the replacement character.
pub(super) fn decoded(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut letters = raw.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            push(&mut bytes, letter);
            continue;
        }
        match letters.next() {
            None => bytes.push(b'\\'),
            Some('x') => number(&mut letters, 16, 2, &mut bytes, 'x'),
            Some('u') => code_point(&mut letters, 4, &mut bytes, 'u'),
            Some('U') => code_point(&mut letters, 8, &mut bytes, 'U'),
            Some('c') => bytes.extend(letters.next().map(control)),
            Some(digit @ '0'..='7') => {
                let value = octal(digit, &mut letters);
                bytes.push(value);
            }
            Some(letter) => {
                if let Some(byte) = simple(letter) {
                    bytes.push(byte);
                } else {
                    kept(&mut bytes, letter);
                }
            }
        }
    }
    // A shell ends the string at a NUL.
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

type AnsiChars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn push(bytes: &mut Vec<u8>, letter: char) {
    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A backslash that means nothing stays.
fn kept(bytes: &mut Vec<u8>, letter: char) {
    bytes.push(b'\\');
    push(bytes, letter);
}

fn simple(letter: char) -> Option<u8> {
    Some(match letter {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '?' => b'?',
        _ => return None,
    })
}

fn control(letter: char) -> u8 {
    u8::try_from(letter).map_or(b'?', |byte| byte.to_ascii_uppercase() & 0x1f)
}

fn digits(letters: &mut AnsiChars<'_>, radix: u32, most: usize) -> Option<u32> {
    let mut value = None;
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(radix)) else {
            break;
        };
        letters.next();
        value = Some(value.unwrap_or(0_u32).wrapping_mul(radix).wrapping_add(digit));
    }
    value
}

fn number(letters: &mut AnsiChars<'_>, radix: u32, most: usize, bytes: &mut Vec<u8>, mark: char) {
    if let Some(value) = digits(letters, radix, most) {
        bytes.extend(u8::try_from(value & 0xff));
    } else {
        kept(bytes, mark);
    }
}

fn octal(first: char, letters: &mut AnsiChars<'_>) -> u8 {
    let rest: u32 = {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(8)) else {
                break;
            };
            letters.next();
            value = value * 8 + digit;
        }
        value
    };
    u8::try_from(rest & 0xff).unwrap_or(b'?')
}

fn code_point(letters: &mut AnsiChars<'_>, most: usize, bytes: &mut Vec<u8>, mark: char) {
    if let Some(value) = digits(letters, 16, most) {
        push(
            bytes,
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
        );
    } else {
        kept(bytes, mark);
    }
}

#[cfg(test)]
mod tests;
