//! The paths of an index that have several versions, and nothing else of it: this is asked before every rewind, and an
//! index has an entry for every file there is.

/// Of an entry's fixed part, what is before the id: times, device, inode, mode, owner and size.
const BEFORE_ID: usize = 40;
const FLAGS: usize = 2;
/// Two bits of the flags: nought where a path has one version.
const STAGE: u16 = 0x3000;
/// Two more bytes of flags follow.
const EXTENDED: u16 = 0x4000;
/// Entries of the older forms begin at multiples of this.
const STEP: usize = 8;
const HEADER: usize = 12;
/// No system has longer paths. Each name of the newest form may go on from the one before: without an end to that, a small
/// file would fill the memory.
const LONGEST_NAME: usize = 4096;

/// The names, in the order of the index, one for each version; none where this is no index that is read here.
pub fn unmerged(bytes: &[u8], id_length: usize) -> Option<Vec<Vec<u8>>> {
    let version = number(bytes.strip_prefix(b"DIRC")?)?;
    let count = number(bytes.get(8..)?)?;
    let entries = bytes.get(HEADER..)?;
    let (found, rest) = match version {
        2 | 3 => padded(entries, count, id_length)?,
        4 => shortened(entries, count, id_length)?,
        _ => return None,
    };
    is_whole(rest, id_length).then_some(found)
}

/// Entries with whole names, filled up to a multiple of the step.
fn padded(mut rest: &[u8], count: usize, id_length: usize) -> Option<(Vec<Vec<u8>>, &[u8])> {
    let mut found = Vec::new();
    for _ in 0..count {
        let (fixed, is_unmerged) = fixed(rest, id_length)?;
        let name = until_nul(rest.get(fixed..)?)?;
        if is_unmerged {
            found.push(name.to_vec());
        }
        // At least one byte ends the name.
        let length = (fixed + name.len()) / STEP * STEP + STEP;
        rest = rest.get(length..)?;
    }
    Some((found, rest))
}

/// Entries whose names begin as the one before.
fn shortened(mut rest: &[u8], count: usize, id_length: usize) -> Option<(Vec<Vec<u8>>, &[u8])> {
    let mut found = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let (fixed, is_unmerged) = fixed(rest, id_length)?;
        let (cut, after) = varied(rest.get(fixed..)?)?;
        name.truncate(name.len().checked_sub(cut)?);
        let end = until_nul(after)?;
        name.extend_from_slice(end);
        if name.len() > LONGEST_NAME {
            return None;
        }
        if is_unmerged {
            found.push(name.clone());
        }
        rest = after.get(end.len() + 1..)?;
    }
    Some((found, rest))
}

/// How long the fixed part of an entry is, and whether the path has several versions.
fn fixed(entry: &[u8], id_length: usize) -> Option<(usize, bool)> {
    let at = BEFORE_ID + id_length;
    let flags = u16::from_be_bytes(entry.get(at..at + FLAGS)?.try_into().ok()?);
    let more = if flags & EXTENDED == 0 { 0 } else { FLAGS };
    Some((at + FLAGS + more, flags & STAGE != 0))
}

fn until_nul(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes.get(..end)
}

/// A number in as many bytes as it needs, seven bits in each, and what follows it.
fn varied(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value: usize = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let digit = usize::from(byte & 0x7f);
        value = value.checked_mul(128)?.checked_add(digit)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
        value = value.checked_add(1)?;
    }
    None
}

fn number(bytes: &[u8]) -> Option<usize> {
    let number = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    usize::try_from(number).ok()
}

/// Whether what follows the entries can be read to its end, and none of it says that there are more in another file.
fn is_whole(mut rest: &[u8], id_length: usize) -> bool {
    while rest.len() > id_length {
        let (Some(name), Some(length)) = (rest.get(..4), rest.get(4..).and_then(number)) else {
            return false;
        };
        let Some(next) = rest.get(8..).and_then(|rest| rest.get(length..)) else {
            return false;
        };
        if name == b"link" {
            return false;
        }
        rest = next;
    }
    rest.len() == id_length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_git_writes_them() {
        assert_eq!(varied(&[0x05, 9]), Some((5, &[9][..])));
        assert_eq!(varied(&[0x80, 0x00]), Some((128, &[][..])));
        assert_eq!(varied(&[0x81, 0x01]), Some((257, &[][..])));
        assert_eq!(varied(&[0x80]), None);
        assert_eq!(varied(&[0xff; 20]), None);
    }

    #[test]
    fn whatever_is_no_whole_index_is_not_read() {
        let empty = [b"DIRC\0\0\0\x02\0\0\0\0".as_slice(), &[0; 20]].concat();
        assert_eq!(unmerged(&empty, 20), Some(Vec::new()));
        for length in 0..empty.len() {
            assert_eq!(unmerged(empty.get(..length).unwrap(), 20), None, "{length}");
        }
        let lying = [b"DIRC\0\0\0\x02\xff\xff\xff\xff".as_slice(), &[0; 200]].concat();
        assert_eq!(unmerged(&lying, 20), None);
        // A thousand entries, each of which goes on from the one before by a hundred bytes.
        let entry = [&[0_u8; 62], &[0_u8][..], &[b'x'; 100], &[0]].concat();
        let growing = [
            b"DIRC\0\0\0\x04\0\0\x03\xe8".as_slice(),
            &entry.repeat(1000),
            &[0; 20],
        ]
        .concat();
        assert_eq!(unmerged(&growing, 20), None);
        let later = [b"DIRC\0\0\0\x05\0\0\0\0".as_slice(), &[0; 20]].concat();
        assert_eq!(unmerged(&later, 20), None);
    }
}
