//! Markers of projects that are switched off: a hook learns it from one small file, without settings or socket.
//!
//! The daemon writes a marker under the folder the client named, with the stamps of the settings files that decided
//! it. A hook believes the marker only while those files are unchanged.

use crate::config::FileStamp;
use crate::environment::Environment;
use crate::home::{Home, fingerprint, make_private};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Whether a marker says that the project of this hook is switched off, and still holds.
pub fn is_disabled(home: &Home, environment: &Environment, folder: Option<&Path>) -> bool {
    let Some(project) = environment.text("CLAUDE_PROJECT_DIR") else {
        return false;
    };
    // Where others could have made our folder, nothing in it is believed before it was looked at.
    if home.folder().starts_with(Home::without_a_home()) {
        return false;
    }
    let Ok(text) = fs_err::read_to_string(path(home, project)) else {
        return false;
    };
    let mut lines = text.lines();
    lines.next() == Some(project)
        && lines
            .next()
            .zip(folder)
            .is_some_and(|(root, folder)| is_of(Path::new(root), folder))
        && lines.all(holds)
}

/// Whether a folder belongs to the project at this root: below it, with no other repository on the way.
fn is_of(root: &Path, folder: &Path) -> bool {
    folder.starts_with(root)
        && folder
            .ancestors()
            .take_while(|ancestor| *ancestor != root)
            .all(|ancestor| fs_err::symlink_metadata(ancestor.join(".git")).is_err())
}

fn holds(line: &str) -> bool {
    line.split_once('\t')
        .is_some_and(|(then, path)| text(&FileStamp::of(Path::new(path))) == then)
}

fn text(stamp: &FileStamp) -> String {
    format!(
        "{} {} {} {}",
        stamp.inode, stamp.size, stamp.mtime_ns, stamp.ctime_ns
    )
}

/// Leaves a marker for the folder the client named, with the settings files as they were when they were read.
pub fn write(home: &Home, project: &str, root: &Path, stamps: &[FileStamp]) -> anyhow::Result<()> {
    let is_plain = |path: &Path| path.to_str().is_some_and(|path| !path.contains('\n'));
    if project.contains('\n') || !is_plain(root) || !stamps.iter().all(|stamp| is_plain(&stamp.path)) {
        return Ok(());
    }
    make_private(&home.disabled())?;
    let mut lines = format!("{project}\n{}\n", root.display());
    for stamp in stamps {
        writeln!(lines, "{}\t{}", text(stamp), stamp.path.display())?;
    }
    let target = path(home, project);
    let half = target.with_extension(format!("{}", std::process::id()));
    fs_err::write(&half, lines)?;
    fs_err::rename(&half, &target)?;
    Ok(())
}

fn path(home: &Home, project: &str) -> PathBuf {
    home.disabled()
        .join(format!("{:016x}", fingerprint(project.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_holds_until_one_of_its_files_changes() {
        let world = tempfile::tempdir().unwrap();
        let settings = world.path().join("config.toml");
        let later = world.path().join("toprope.toml");
        fs_err::write(&settings, "enabled = false\n").unwrap();
        let at_home = world.path().join("home");
        let environment = Environment::of(&[
            ("TOPROPE_HOME", at_home.to_str().unwrap()),
            ("CLAUDE_PROJECT_DIR", "/some/project"),
        ]);
        let home = Home::of(&environment);
        let here = Path::new("/some/project");
        let mark = || {
            write(
                &home,
                "/some/project",
                here,
                &[FileStamp::of(&settings), FileStamp::of(&later)],
            )
            .unwrap();
        };

        assert!(!is_disabled(&home, &environment, Some(here)));
        mark();
        assert!(is_disabled(&home, &environment, Some(here)));
        fs_err::write(&settings, "enabled = true\n").unwrap();
        assert!(
            !is_disabled(&home, &environment, Some(here)),
            "a changed file voids the marker"
        );
        mark();
        fs_err::write(&later, "").unwrap();
        assert!(
            !is_disabled(&home, &environment, Some(here)),
            "so does one that was not there"
        );
    }

    #[test]
    fn a_marker_of_another_project_means_nothing_here() {
        let world = tempfile::tempdir().unwrap();
        let at_home = world.path().to_str().unwrap();
        let home = Home::of(&Environment::of(&[("TOPROPE_HOME", at_home)]));
        write(&home, "/a", Path::new("/a"), &[]).unwrap();
        let elsewhere = Environment::of(&[("TOPROPE_HOME", at_home), ("CLAUDE_PROJECT_DIR", "/b")]);
        assert!(!is_disabled(&home, &elsewhere, Some(Path::new("/b"))));
    }
}
