//! What a person or an agent was told without the database: once a session and trouble, remembered by the names of empty files.

use crate::home::{Home, fingerprint, make_private};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Whether this trouble of this session is news; `None` where nothing can be remembered.
pub fn is_news(home: &Home, session: &str, trouble: &str) -> Option<bool> {
    let name = format!("{:016x}", fingerprint(format!("{session}\n{trouble}").as_bytes()));
    let folders = [home.told(), Home::without_a_home().join("told")];
    folders.iter().find_map(|folder| remember(folder, &name))
}

/// Leaves a mark; false where it was there before, `None` where it cannot be left.
fn remember(folder: &Path, name: &str) -> Option<bool> {
    make_private(folder).ok()?;
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join(name));
    match made {
        Ok(_) => Some(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Some(false),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn the_same_trouble_of_the_same_session_is_news_once() {
        let world = tempfile::tempdir().unwrap();
        let home = Home::of(&Environment::of(&[(
            "TOPROPE_HOME",
            world.path().to_str().unwrap(),
        )]));
        assert_eq!(is_news(&home, "s1", "the disk is full"), Some(true));
        assert_eq!(is_news(&home, "s1", "the disk is full"), Some(false));
        assert_eq!(is_news(&home, "s2", "the disk is full"), Some(true));
        assert_eq!(is_news(&home, "s1", "the database is damaged"), Some(true));
    }
}
