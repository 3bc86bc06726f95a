//! What is known of one file: how it stands, who wrote it last, which versions are kept, and the last decisions about it.

use super::commit;
use super::standing::FileStanding;
use super::version::Versions;
use crate::command::log;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{here, moment, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use engine::id::{CheckpointSeq, WorktreeId};
use engine::text::{one_line, path_word};
use git::place;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use store::Db;
use store::table::checkpoint_files::{self, ChangeOrigin, CheckpointFileChange, FileRow};
use store::table::checkpoints;
use store::table::events::{LogFilter, PathFilter};
use store::table::projects::Project;
use store::table::{actors, events, touches, worktrees};

/// Decisions that are shown.
const DECISIONS: u64 = 5;

/// Tells it; false if nothing is known of the file.
pub fn tell(
    db: &Db,
    word: &str,
    standing: &FileStanding,
    environment: &Environment,
) -> Result<bool, Failure> {
    let terminal = Terminal::of_stdout(environment);
    let folder = here::folder()?;
    let whole = here::file(Path::new(word), &folder).unwrap_or(folder);
    let Some(project) = here::project(db, whole.parent().unwrap_or(&whole))? else {
        return Ok(false);
    };
    let file = WorktreeFile::of(db, &project, whole)?;
    let history = file.history(db)?;
    let newest = history.last();
    let commit = file
        .worktree
        .and_then(|_| commit::last(environment, &file.root, file.inside(), newest));
    let is_deleted = match &commit {
        Some(commit) => commit.is_deletion,
        None => newest.is_some_and(|row| row.file.change == CheckpointFileChange::Deleted),
    };
    let written = match commit {
        Some(commit) => Some(commit.told),
        None => file.written(db, newest)?,
    };
    let versions = match file.worktree {
        Some(worktree) => Versions::of(db, worktree, &history)?,
        None => Versions::none(),
    };
    let filter = LogFilter {
        project: Some(project.id),
        paths: vec![PathFilter::At {
            whole: file.whole.to_string_lossy().into_owned(),
            inside: None,
        }],
        limit: DECISIONS,
        ..LogFilter::default()
    };
    let decisions = log::newest_lines(db, &filter, &standing.named_in, terminal)?;
    let is_nothing = written.is_none() && history.is_empty() && decisions.is_empty();
    if is_nothing && standing.is_nothing() {
        return Ok(false);
    }
    let shown = one_line(&file.shown(), 200);
    show::line(&format!("path     {shown}"));
    show::line(&format!(
        "where    {}",
        one_line(&file.root.to_string_lossy(), 200)
    ));
    if standing.holders.is_empty() {
        show::line("holder   nobody");
    }
    for holder in &standing.holders {
        show::line(&format!("holder   {holder}"));
    }
    show::line(&format!(
        "{}  {}",
        if is_deleted { "deleted" } else { "written" },
        written.as_deref().unwrap_or("by no agent, as far as is known")
    ));
    for waiter in &standing.waiting {
        show::line(&format!("waiting  {waiter}"));
    }
    section("last decisions", &decisions);
    if let Some(overlap) = &standing.overlap {
        show::line(&format!("\noverlap\n{}", overlap.trim_end()));
    }
    section(&versions.title(), &versions.lines());
    if standing.overlap.is_none() && !versions.is_empty() {
        show::line(
            &match versions.other_than_now(environment, &file.root, file.inside()) {
                Some(version) => format!(
                    "  put one back: toprope rewind {} --scope all --path {}",
                    version.checkpoint,
                    path_word(word)
                ),
                None => "  none of them is known to differ from what is there".to_owned(),
            },
        );
    }
    Ok(true)
}

fn section(title: &str, lines: &[String]) {
    if !lines.is_empty() {
        show::line(&format!("\n{title}"));
    }
    for line in lines {
        show::line(&format!("  {line}"));
    }
}

/// A file, and the worktree it is in.
struct WorktreeFile {
    whole: PathBuf,
    root: PathBuf,
    worktree: Option<WorktreeId>,
}

impl WorktreeFile {
    fn of(db: &Db, project: &Project, whole: PathBuf) -> Result<Self, Failure> {
        let place = place::find(whole.parent().unwrap_or(&whole));
        let root = place.worktree.unwrap_or_else(|| project.place.root.clone());
        let known = worktrees::of(db, project.id)?;
        let worktree = known
            .iter()
            .find(|known| known.root == root)
            .map(|known| known.id);
        Ok(Self {
            whole,
            root,
            worktree,
        })
    }

    /// From the root of its worktree.
    fn inside(&self) -> &Path {
        self.whole.strip_prefix(&self.root).unwrap_or(&self.whole)
    }

    fn shown(&self) -> String {
        self.inside().to_string_lossy().into_owned()
    }

    /// Who wrote it last: a call no checkpoint holds yet, else whoever made the newest version that one holds.
    fn written(&self, db: &Db, newest: Option<&FileRow>) -> Result<Option<String>, Failure> {
        let Some(worktree) = self.worktree else {
            return Ok(None);
        };
        let path = self.inside().as_os_str().as_bytes();
        if let Some((actor, event)) = touches::last_writer(db, worktree, path)? {
            let label =
                actors::by_id(db, actor)?.map_or_else(|| "an agent".to_owned(), |actor| named(&actor));
            let at = events::by_seq(db, event)?.map(|row| row.at);
            let ago = at
                .map(|at| format!(", {}", moment::ago(at, clock::now())))
                .unwrap_or_default();
            return Ok(Some(format!("by {label}{ago} (event {event})")));
        }
        newest.map(|row| told(db, row)).transpose()
    }

    /// Its changes in checkpoints, oldest first.
    fn history(&self, db: &Db) -> Result<Vec<FileRow>, Failure> {
        let Some(worktree) = self.worktree else {
            return Ok(Vec::new());
        };
        let path = self.inside().as_os_str().as_bytes();
        Ok(checkpoint_files::history_of(
            db,
            worktree,
            CheckpointSeq(0),
            path,
        )?)
    }
}

fn named(actor: &actors::Actor) -> String {
    let task = actor.description.as_ref().map(|task| format!(" \"{task}\""));
    one_line(&format!("{}{}", actor.label, task.unwrap_or_default()), 100)
}

/// Whose doing a change was, and when it was kept.
pub(super) fn told(db: &Db, row: &FileRow) -> Result<String, Failure> {
    let who = row
        .label
        .as_deref()
        .map_or_else(|| "an agent".to_owned(), |label| one_line(label, 60));
    let who = match row.file.origin {
        ChangeOrigin::Tool => format!("by {who}"),
        ChangeOrigin::Shell => format!("by a command of {who}"),
        ChangeOrigin::Shared => format!("by {who} or another command that ran beside it"),
        ChangeOrigin::Outside => "outside the agents".to_owned(),
        ChangeOrigin::Rewind => "by you, with a rewind or an undo".to_owned(),
    };
    let who = match row.file.doubt {
        Some(doubt) => format!("{who} or by you ({doubt})"),
        None => who,
    };
    let at = checkpoints::by_id(db, &row.checkpoint)?.map(|found| found.created_at);
    let ago = at
        .map(|at| format!(", {}", moment::ago(at, clock::now())))
        .unwrap_or_default();
    Ok(format!("{who}{ago}"))
}
