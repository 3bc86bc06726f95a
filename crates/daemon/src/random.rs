//! Ids nobody can guess and nobody has had before.

use engine::hex::hex;
use engine::id::CheckpointId;
use std::io::{self, Read};

/// A new checkpoint id.
pub fn checkpoint_id() -> io::Result<CheckpointId> {
    let mut bytes = [0; 6];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(CheckpointId::from_random(bytes))
}

/// 128 random bits as small hexadecimal digits.
pub fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}
