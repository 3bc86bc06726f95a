//! Ids nobody can guess and nobody has had before.

use engine::id::CheckpointId;
use std::io::{self, Read};

/// A new checkpoint id.
pub fn checkpoint_id() -> io::Result<CheckpointId> {
    let mut bytes = [0; 6];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(CheckpointId::from_random(bytes))
}
