//! What `echo` and `printf` print.

/// Options of `echo` are only those made of `n`, `e` and `E`.
pub(super) fn echo(words: &[&str]) -> Vec<u8> {
    let is_option = |word: &&&str| {
        word.len() > 1 && word.starts_with('-') && word.chars().skip(1).all(|c| "neE".contains(c))
    };
    let options: Vec<&&str> = words.iter().take_while(is_option).collect();
    let has = |letter: char| options.iter().any(|option| option.contains(letter));
    let text = words.get(options.len()..).unwrap_or_default().join(" ");
    let mut bytes = if has('e') {
        escaped(&text, true).0
    } else {
        text.into_bytes()
    };
    if !has('n') {
        bytes.push(b'\n');
    }
    bytes
}

/// The format is used again until all words are.
pub(super) fn printf(words: &[&str]) -> Option<Vec<u8>> {
    let words = words.strip_prefix(&["--"]).unwrap_or(words);
    let (format, mut rest) = words.split_first().filter(|(format, _)| **format != "-v")?;
    let mut bytes = Vec::new();
    loop {
        let used = once(format, rest, &mut bytes)?;
        rest = rest.get(used..).unwrap_or_default();
        if rest.is_empty() || used == 0 || bytes.len() > super::MOST_BYTES {
            return Some(bytes);
        }
    }
}

/// Prints the format once; says how many words it took.
fn once(format: &str, words: &[&str], bytes: &mut Vec<u8>) -> Option<usize> {
    let mut used = 0;
    let mut pieces = format.split('%');
    bytes.extend(escaped(pieces.next().unwrap_or_default(), false).0);
    let mut is_percent = false;
    for piece in pieces {
        if is_percent {
            is_percent = false;
            bytes.extend(escaped(piece, false).0);
            continue;
        }
        if piece.is_empty() {
            bytes.push(b'%');
            is_percent = true;
            continue;
        }
        let at = piece.find(|c: char| !(c.is_ascii_digit() || "-+ #.".contains(c)))?;
        let kind = piece.get(at..)?.chars().next()?;
        let word = words.get(used).copied().unwrap_or_default();
        used += 1;
        match kind {
            's' if at == 0 => bytes.extend(word.as_bytes()),
            'b' if at == 0 => bytes.extend(escaped(word, true).0),
            'd' | 'i' | 'u' if at == 0 => bytes.extend(if word.is_empty() { b"0" } else { word.as_bytes() }),
            'c' => bytes.extend(word.bytes().take(1)),
            'x' => bytes.extend(format!("{:x}", word.parse::<u64>().ok()?).into_bytes()),
            'o' => bytes.extend(format!("{:o}", word.parse::<u64>().ok()?).into_bytes()),
            _ => return None,
        }
        bytes.extend(escaped(piece.get(at + kind.len_utf8()..)?, false).0);
    }
    Some(used)
}

/// Backslash sequences; `\c` ends the text. `\0nnn` is the form of `echo -e` and `%b`.
fn escaped(text: &str, zero_octal: bool) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let mut at = 0;
    let source = text.as_bytes();
    while let Some(byte) = source.get(at) {
        at += 1;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let Some(kind) = source.get(at) else {
            bytes.push(b'\\');
            break;
        };
        at += 1;
        match kind {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'e' => bytes.push(27),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'\\' | b'"' | b'\'' => bytes.push(*kind),
            b'c' => return (bytes, true),
            b'x' => number(source, &mut at, 16, 2, &mut bytes),
            b'u' => unicode(source, &mut at, 4, &mut bytes),
            b'U' => unicode(source, &mut at, 8, &mut bytes),
            b'0' if zero_octal => number(source, &mut at, 8, 3, &mut bytes),
            b'0'..=b'7' => {
                at -= 1;
                number(source, &mut at, 8, 3, &mut bytes);
            }
            other => bytes.extend([b'\\', *other]),
        }
    }
    (bytes, false)
}

fn digits<'a>(source: &'a [u8], at: &mut usize, radix: u32, most: usize) -> &'a str {
    let behind = source.get(*at..).unwrap_or_default();
    let count = behind
        .iter()
        .take(most)
        .take_while(|byte| char::from(**byte).is_digit(radix))
        .count();
    *at += count;
    behind
        .get(..count)
        .and_then(|digits| str::from_utf8(digits).ok())
        .unwrap_or_default()
}

fn number(source: &[u8], at: &mut usize, radix: u32, most: usize, bytes: &mut Vec<u8>) {
    let value = u32::from_str_radix(digits(source, at, radix, most), radix).unwrap_or(0);
    bytes.extend(u8::try_from(value & 0xff));
}

fn unicode(source: &[u8], at: &mut usize, most: usize, bytes: &mut Vec<u8>) {
    let value = u32::from_str_radix(digits(source, at, 16, most), 16)
        .ok()
        .and_then(char::from_u32);
    bytes.extend(value.unwrap_or('\u{fffd}').to_string().into_bytes());
}
