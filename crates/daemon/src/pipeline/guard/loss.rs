//! What a git command would lose, counted by git itself: changed files, files no commit has, commits without another name.

use super::uncovered::Targets;
use super::{WorldWitness, text};
use engine::policy::guard::facts::{LossFact, LossOf};
use engine::policy::guard::is_env_file;
use engine::policy::guard::zone::is_made_again;
use git::run::{Git, Limits};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Names that are told one by one.
const MOST_NAMES: usize = 3;
/// Files below folders that git removes as a whole are counted up to here.
const MOST_FILES: u64 = 10_000;
/// For one question to git.
const TIME: Duration = Duration::from_secs(1);
/// About ten thousand paths.
const LISTING: usize = 1024 * 1024;

impl WorldWitness<'_> {
    /// What would be lost; nothing where git does not say it in time.
    pub(super) fn loss(&self, cwd: &str, of: &LossOf) -> Option<LossFact> {
        let cwd = Path::new(cwd);
        if !cwd.is_absolute() || self.left().is_zero() {
            return None;
        }
        match of {
            LossOf::Changes { paths } => self.changed(cwd, paths, Goes::All),
            LossOf::Unstaged { paths } => self.changed(cwd, paths, Goes::Unstaged),
            LossOf::Staged => self.changed(cwd, &[], Goes::Staged),
            LossOf::Replaced {
                paths,
                revision,
                overlay,
            } => {
                let differing = self.differing(cwd, paths, revision, *overlay)?;
                self.changed(cwd, paths, Goes::Differing(&differing))
            }
            LossOf::Clean { words } => self.cleaned(cwd, words),
            LossOf::Commits { revision } => self.unnamed(cwd, revision),
            LossOf::Branches { names, to } => self.without_names(cwd, names, to.as_deref()),
            LossOf::Tags { names } => self.without_tags(cwd, names),
            LossOf::Stash => self.stashed(cwd),
            LossOf::Uncovered { .. } => self.uncovered(&Targets::of(of)?),
        }
    }

    /// The files that a commit has in another form than the tree, and where it is no overlay, those it does not have.
    fn differing(
        &self,
        cwd: &Path,
        paths: &[String],
        revision: &str,
        overlay: bool,
    ) -> Option<BTreeSet<Vec<u8>>> {
        let place = self.world.place_of(cwd);
        let root = place.worktree.as_deref()?;
        let filter = if overlay {
            "--diff-filter=MTD"
        } else {
            "--diff-filter=MTDA"
        };
        let mut arguments = vec![
            "--literal-pathspecs",
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--ignore-submodules=all",
            filter,
            "--end-of-options",
            revision,
            "--",
        ];
        arguments.extend(paths.iter().map(String::as_str));
        let told = self.ask(root, &arguments)?;
        Some(told.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
    }

    /// Files git knows whose content goes and no commit has.
    fn changed(&self, cwd: &Path, paths: &[String], goes: Goes<'_>) -> Option<LossFact> {
        let place = self.world.place_of(cwd);
        let root = place.worktree.as_deref()?;
        let replaces = match goes {
            Goes::All => !paths.is_empty(),
            Goes::Differing(_) => true,
            Goes::Unstaged | Goes::Staged => false,
        };
        let untracked = if replaces {
            "--untracked-files=all"
        } else {
            "--untracked-files=no"
        };
        let mut arguments = vec![
            "--literal-pathspecs",
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--ignore-submodules=all",
            untracked,
            "--",
        ];
        arguments.extend(paths.iter().map(String::as_str));
        let told = self.ask(root, &arguments)?;
        let mut found = LossFact::default();
        for entry in told.split(|byte| *byte == 0).filter(|entry| entry.len() > 3) {
            let (Some([index, tree, _]), Some(name)) = (entry.get(..3), entry.get(3..)) else {
                continue;
            };
            if matches!(goes, Goes::Differing(differing) if !differing.contains(name)) {
                continue;
            }
            let name = String::from_utf8_lossy(name).into_owned();
            let is_lost = match (index, tree) {
                (b'?', _) if matches!(goes, Goes::Differing(_)) => true,
                // A file that git does not know is replaced if it is named itself.
                (b'?', _) => paths.iter().any(|path| Path::new(path) == root.join(&name)),
                // What is gone from the tree comes back.
                (b' ' | b'D', b'D') | (b'D', b' ') => false,
                (_, b' ') => !matches!(goes, Goes::Unstaged),
                (_, _) => !matches!(goes, Goes::Staged),
            };
            if is_lost {
                note(&mut found, &name);
            }
        }
        Some(found)
    }

    /// What `git clean` says that it would remove, but for what builds make again.
    fn cleaned(&self, cwd: &Path, words: &[String]) -> Option<LossFact> {
        let removed = self.dry_clean(cwd, words)?;
        let takes_ignored = words.iter().any(|word| word == "-x" || word == "-X");
        let ignored: BTreeSet<PathBuf> = if takes_ignored {
            let only: Vec<String> = words
                .iter()
                .map(|word| {
                    if word == "-x" {
                        "-X".to_owned()
                    } else {
                        word.clone()
                    }
                })
                .collect();
            self.dry_clean(cwd, &only)?.into_iter().collect()
        } else {
            BTreeSet::new()
        };
        let (mut found, mut made) = (LossFact::default(), Vec::new());
        for path in removed {
            let name = path.to_string_lossy().into_owned();
            if ignored.contains(&path) && is_made_again(&name, &self.settings.regenerable) {
                made.push(path);
                continue;
            }
            self.gone(cwd, &path, &mut found);
        }
        // Where only such files go, nothing is lost, and nobody is told how many.
        if found.count > 0 && !made.is_empty() {
            let mut counted = LossFact::default();
            for path in made {
                self.gone(cwd, &path, &mut counted);
            }
            found.made_again = true;
            found.made = if counted.capped { 0 } else { counted.count };
        }
        Some(found)
    }

    /// The paths a clean would remove, as seen from the folder.
    fn dry_clean(&self, cwd: &Path, words: &[String]) -> Option<Vec<PathBuf>> {
        let mut arguments = vec!["clean", "-n"];
        arguments.extend(words.iter().map(String::as_str));
        let told = self.ask(cwd, &arguments)?;
        let told = String::from_utf8_lossy(&told);
        let path = |line: &str| {
            let name = line.strip_prefix("Would remove ")?;
            let name = name
                .strip_prefix('"')
                .and_then(|name| name.strip_suffix('"'))
                .unwrap_or(name);
            Some(PathBuf::from(name))
        };
        Some(told.lines().filter_map(path).collect())
    }

    /// Counts the files at and below a path that would be gone, and notes those worth a name.
    fn gone(&self, cwd: &Path, path: &Path, found: &mut LossFact) {
        let mut waiting = vec![path.to_path_buf()];
        while let Some(next) = waiting.pop() {
            if found.count >= MOST_FILES || self.left().is_zero() {
                found.capped = true;
                return;
            }
            let whole = cwd.join(&next);
            let Ok(kind) = fs_err::symlink_metadata(&whole) else {
                continue;
            };
            let name = next.to_string_lossy().trim_end_matches('/').to_owned();
            if !kind.is_dir() {
                note(found, &name);
                if is_settings(&whole) {
                    found.hooks.push(name);
                } else if is_env_file(&name) || text::is_private_key(&whole) {
                    found.precious.push(name);
                }
                continue;
            }
            let Ok(entries) = fs_err::read_dir(&whole) else {
                found.capped = true;
                continue;
            };
            for entry in entries.flatten() {
                if entry.file_name() == ".git" {
                    found.repositories.push(name.clone());
                }
                waiting.push(next.join(entry.file_name()));
            }
        }
    }

    /// Commits of the branch that nothing else leads to once it stands elsewhere.
    fn unnamed(&self, cwd: &Path, revision: &str) -> Option<LossFact> {
        if revision.starts_with('-') || revision.is_empty() {
            return None;
        }
        let place = self.world.place_of(cwd);
        let head = git::head::read(&place, &self.world.git, self.left().min(TIME));
        let except = format!("--exclude={}", head.branch().unwrap_or("HEAD"));
        let to = format!("{revision}^{{commit}}");
        let told = self.ask(
            cwd,
            &[
                "rev-list",
                "--count",
                "HEAD",
                "--not",
                &to,
                &except,
                "--branches",
                "--tags",
                "--remotes",
            ],
        )?;
        let count = std::str::from_utf8(told.trim_ascii()).ok()?.parse().ok()?;
        Some(LossFact {
            count,
            ..LossFact::default()
        })
    }

    /// Commits of these branches that nothing else leads to. A branch that is not there has none.
    fn without_names(&self, cwd: &Path, names: &[String], to: Option<&str>) -> Option<LossFact> {
        if names.iter().map(String::as_str).chain(to).any(is_odd) {
            return None;
        }
        let heads = names.iter().map(|name| format!("refs/heads/{name}"));
        let except = names.iter().map(|name| format!("--exclude={name}"));
        let fixed = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let words: Vec<String> = fixed(&["rev-list", "--count", "--ignore-missing"])
            .into_iter()
            .chain(heads)
            .chain(fixed(&["--not"]))
            // Where a branch is deleted one stands on another, whatever the text did to get there.
            .chain(to.map(|_| "HEAD".to_owned()))
            .chain(to.map(|to| format!("{to}^{{commit}}")))
            .chain(except)
            .chain(fixed(&["--branches", "--tags", "--remotes"]))
            .collect();
        self.counted(cwd, &words)
    }

    /// The same for tags. One with a text of its own is more than a name, and that is told by nothing here.
    fn without_tags(&self, cwd: &Path, names: &[String]) -> Option<LossFact> {
        if names.iter().any(|name| is_odd(name)) {
            return None;
        }
        let refs: Vec<String> = names.iter().map(|name| format!("refs/tags/{name}")).collect();
        let kinds: Vec<&str> = ["for-each-ref", "--format=%(objecttype)"]
            .into_iter()
            .chain(refs.iter().map(String::as_str))
            .collect();
        let kinds = self.ask(cwd, &kinds)?;
        if kinds.is_empty() {
            return Some(LossFact::default());
        }
        let mut lines = kinds.trim_ascii().split(|byte| *byte == b'\n');
        if !lines.all(|line| line == b"commit") {
            return None;
        }
        let words: Vec<String> = ["rev-list", "--count", "--ignore-missing"]
            .map(str::to_owned)
            .into_iter()
            .chain(refs)
            .chain(["--not", "--branches", "--remotes"].map(str::to_owned))
            .chain(names.iter().map(|name| format!("--exclude={name}")))
            .chain(["--tags".to_owned()])
            .collect();
        self.counted(cwd, &words)
    }

    /// Whether the stash has an entry.
    fn stashed(&self, cwd: &Path) -> Option<LossFact> {
        let found = self.ask(cwd, &["for-each-ref", "--format=%(refname)", "refs/stash"])?;
        Some(LossFact {
            count: u64::from(!found.is_empty()),
            ..LossFact::default()
        })
    }

    fn counted(&self, cwd: &Path, words: &[String]) -> Option<LossFact> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let told = self.ask(cwd, &words)?;
        let count = std::str::from_utf8(told.trim_ascii()).ok()?.parse().ok()?;
        Some(LossFact {
            count,
            ..LossFact::default()
        })
    }

    fn ask(&self, folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
        let limits = Limits {
            time: self.left().min(TIME),
            bytes: LISTING,
        };
        Git::new(folder, &self.world.git).run(arguments, limits).ok()
    }
}

/// Which changes go.
#[derive(Clone, Copy)]
enum Goes<'a> {
    All,
    /// What is staged stays.
    Unstaged,
    /// What is staged goes, if the tree has the same.
    Staged,
    /// Those in files that something else replaces.
    Differing(&'a BTreeSet<Vec<u8>>),
}

/// A name that git would take for an option or a pattern.
fn is_odd(name: &str) -> bool {
    name.starts_with('-') || name.is_empty() || name.contains(['*', '?', '['])
}

fn note(found: &mut LossFact, name: &str) {
    found.count += 1;
    if found.first.len() < MOST_NAMES {
        found.first.push(name.to_owned());
    }
}

/// Whether a file holds an agent's settings with our hooks in them.
fn is_settings(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    matches!(name, Some("settings.json" | "settings.local.json"))
        && folder == Some(".claude")
        && text::read(path, text::LONGEST_SETTINGS).is_some_and(|text| text.contains("toprope"))
}
