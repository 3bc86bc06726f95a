//! A repository as large as is asked for, made once by git and kept between runs.

use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Raised whenever a repository would be made in another way: then the old ones are made anew.
const EDITION: u32 = 1;
/// Files of an area, and of a folder in it: as many as there usually are, and as few as leave a small repository with as
/// many areas as a large one.
const DENSE: (u32, u32) = (1000, 25);
const SPARSE: (u32, u32) = (10, 1);
/// Where the one commit is found again, whatever a run did to the branch.
const BASE: &str = "refs/heads/base";
const WORDS: [&str; 16] = [
    "checkpoint",
    "return",
    "let",
    "branch",
    "worktree",
    "match",
    "value",
    "session",
    "Result",
    "index",
    "fn",
    "state",
    "object",
    "reader",
    "pub",
    "commit",
];

/// A repository with one commit, packed as a clone is.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its working tree.
    pub root: PathBuf,
    /// How many files it has.
    pub files: u32,
    shape: (u32, u32),
    home: PathBuf,
}

impl Repository {
    /// The repository with so many files, as it was committed; made if this is the first run.
    pub fn of(cache: &Path, files: u32) -> anyhow::Result<Self> {
        Self::shaped(cache, &format!("files-{files}"), files, DENSE)
    }

    /// The same with few files in many folders.
    pub fn sparse(cache: &Path, files: u32) -> anyhow::Result<Self> {
        Self::shaped(cache, &format!("sparse-{files}"), files, SPARSE)
    }

    fn shaped(cache: &Path, name: &str, files: u32, shape: (u32, u32)) -> anyhow::Result<Self> {
        let repository = Self {
            root: cache.join(name),
            files,
            shape,
            home: cache.join("person"),
        };
        fs_err::create_dir_all(&repository.home)?;
        let mark = cache.join(format!("{name}.edition"));
        let is_made = fs_err::read_to_string(&mark).is_ok_and(|text| text == EDITION.to_string());
        if !is_made {
            if repository.root.exists() {
                fs_err::remove_dir_all(&repository.root)?;
            }
            repository.make()?;
            fs_err::write(&mark, EDITION.to_string())?;
        }
        repository.clean()?;
        Ok(repository)
    }

    /// A clone of its own, which goes with the folder it is in.
    pub fn cloned(&self, folder: &Path) -> anyhow::Result<Self> {
        let clone = Self {
            root: folder.to_owned(),
            ..self.clone()
        };
        let to = folder.display().to_string();
        self.git(&["clone", "--quiet", "--shared", "--branch", "main", ".", &to])?;
        clone.introduce_person()?;
        Ok(clone)
    }

    /// Puts everything back to how it was committed, and removes what checkpoints left.
    pub fn clean(&self) -> anyhow::Result<()> {
        let lock = self.root.join(".git/index.lock");
        if lock.exists() {
            fs_err::remove_file(lock)?;
        }
        let shadow = self.root.join(".git/toprope");
        if shadow.exists() {
            fs_err::remove_dir_all(shadow)?;
        }
        let kept = self.git(&["for-each-ref", "--format=delete %(refname)", "refs/toprope"])?;
        if !kept.is_empty() {
            self.feed(&["update-ref", "--stdin"], format!("{kept}\n").as_bytes())?;
        }
        self.git(&["reset", "--quiet", "--hard", BASE])?;
        self.git(&["clean", "--quiet", "-fdx"])?;
        self.git(&["update-index", "-q", "--refresh"])?;
        Ok(())
    }

    /// The path of a file, by its number.
    pub fn path(&self, number: u32) -> String {
        let number = number % self.files.max(1);
        let (in_area, in_part) = self.shape;
        let (area, part, file) = (number / in_area, number % in_area / in_part, number % in_part);
        format!("area{area:03}/part{part:02}/file{file:02}.rs")
    }

    /// So many paths, spread evenly over the whole repository.
    pub fn spread(&self, count: u32) -> Vec<String> {
        let step = (self.files / count.max(1)).max(1);
        (0..count).map(|index| self.path(index * step)).collect()
    }

    /// Writes files anew. Every edition differs from all others, by a line, as edits do.
    pub fn write(&self, paths: &[String], edition: u64) -> anyhow::Result<()> {
        for path in paths {
            fs_err::write(self.root.join(path), self.text(path, edition))?;
        }
        Ok(())
    }

    /// What a file holds in an edition.
    pub fn text(&self, path: &str, edition: u64) -> String {
        let mut seed = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let mut text = format!("// {path}, edition {edition} of {}\n", self.files);
        let lines = 8 + seed % 60;
        for _ in 0..lines {
            for _ in 0..6 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let word = usize::try_from((seed >> 40) % 16).unwrap_or(0);
                text.push_str(WORDS.get(word).copied().unwrap_or_default());
                text.push(' ');
            }
            text.push('\n');
        }
        text
    }

    /// Runs git here. Returns what it wrote, without the line end.
    pub fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.feed(arguments, b"")
    }

    /// Runs git here with this on its standard input.
    pub fn feed(&self, arguments: &[&str], input: &[u8]) -> anyhow::Result<String> {
        finish(self.command(arguments), input)
    }

    /// Git here, not yet started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root);
        command
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C");
        command
    }

    /// The home of the person who works here.
    pub fn home(&self) -> &Path {
        &self.home
    }

    fn make(&self) -> anyhow::Result<()> {
        fs_err::create_dir_all(&self.root)?;
        self.git(&["init", "--quiet", "-b", "main"])?;
        self.introduce_person()?;
        self.feed(&["fast-import", "--quiet"], &self.history())?;
        self.git(&["branch", "--force", "base", "main"])?;
        self.git(&["reset", "--quiet", "--hard"])?;
        Ok(())
    }

    fn introduce_person(&self) -> anyhow::Result<()> {
        for (key, value) in [
            ("user.name", "A Person"),
            ("user.email", "person@example.org"),
            ("gc.auto", "0"),
        ] {
            self.git(&["config", key, value])?;
        }
        Ok(())
    }

    /// The one commit, as `git fast-import` reads it.
    fn history(&self) -> Vec<u8> {
        let mut stream = "commit refs/heads/main\ncommitter A Person <person@example.org> 1700000000 +0000\n\
                          data 5\nfirst\n"
            .to_owned();
        for number in 0..self.files {
            let path = self.path(number);
            let text = self.text(&path, 0);
            // Writing to a string cannot fail.
            let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len());
        }
        stream.into_bytes()
    }
}

/// Runs a command to its end, which must be a good one. Returns what it wrote, without the line end.
pub fn finish(mut command: Command, input: &[u8]) -> anyhow::Result<String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().context("could not run git")?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input)?;
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} ended with {}: {said}",
        output.status
    );
    Ok(String::from_utf8(output.stdout)?
        .trim_end_matches('\n')
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_made_once_and_found_again_as_it_was() {
        let cache = tempfile::tempdir().unwrap();
        let first = Repository::of(cache.path(), 60).unwrap();
        let commit = first.git(&["rev-parse", "HEAD"]).unwrap();
        assert_eq!(first.git(&["ls-files"]).unwrap().lines().count(), 60);
        first.write(&first.spread(3), 1).unwrap();
        fs_err::write(first.root.join("new"), "").unwrap();
        assert_eq!(first.git(&["status", "--porcelain"]).unwrap().lines().count(), 4);
        let second = Repository::of(cache.path(), 60).unwrap();
        assert_eq!(second.git(&["status", "--porcelain"]).unwrap(), "");
        assert_eq!(second.git(&["rev-parse", "HEAD"]).unwrap(), commit);
    }

    #[test]
    fn spread_paths_are_different_files_of_the_commit() {
        let repository = Repository {
            root: PathBuf::new(),
            files: 1000,
            shape: DENSE,
            home: PathBuf::new(),
        };
        let mut paths = repository.spread(70);
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), 70);
        assert_ne!(repository.text("a", 1), repository.text("a", 2));
    }
}
