//! Puts a checkpoint on the line: trees, commit, ref, row, in this order.

use super::chain::{ChainLink, PathPassage, Shelf};
use super::cutter::{Cut, CutBase, CutError, Cutter, SkippedPath};
use super::following::{Attribution, CheckpointChanges};
use super::metadata::{self, Metadata};
use super::order::Order;
use super::people::ActorNames;
use super::session_part::SessionPart;
use super::states::{to_place, to_row};
use super::tip::Tip;
use crate::random;
use engine::effect::{Audience, KeptCommit, Owed};
use engine::id::{CheckpointId, TouchId};
use git::capture::Skip;
use git::object::{EntryMode, Id, PathState, TreeLeaf};
use git::path::RepoPath;
use git::run::{Git, Limits};
use git::shadow::{CommitAuthor, NewCommit, Shadow, ShadowError, ShadowLayout};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use store::table::checkpoint_files::{CheckpointFileChange, NewFile};
use store::table::checkpoints::{
    self, Checkpoint, CheckpointKind, CheckpointSource, Inserted, NewCheckpoint, Trigger,
};
use store::table::touches::Touch;
use store::table::worktrees;
use store::table::{checkpoint_files, commit_links, notices, touches, turns};
use store::{Db, StoreError, fault};

/// Holding a commit is one small file.
const KEEP_TIME: Duration = Duration::from_secs(5);
/// More than any file that is kept.
const LARGEST_OBJECT: u64 = 10 * 1024 * 1024 * 1024;
/// The base of a checkpoint in a repository without commits.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// One checkpoint on its way.
pub(super) struct Draft<'a> {
    pub order: &'a Order,
    pub trigger: &'a Trigger,
    pub link: &'a ChainLink,
    /// Touches that need no other checkpoint after it.
    pub settled: &'a [Touch],
    /// Touches of which it holds what was there before the call, where more is to come.
    pub begun: &'a [Touch],
    skipped: &'a [SkippedPath],
    /// Set where the worktree was looked over: the tree it is now.
    files: Option<Id>,
    staged: Option<Id>,
    pub degraded: Vec<String>,
}

impl Cutter<'_> {
    /// Nothing changed: the turn points at the newest checkpoint there is.
    pub(super) fn nothing(
        &self,
        ground: &CutBase<'_>,
        order: &Order,
        settled: &[Touch],
        outdated: &[RepoPath],
    ) -> Result<Cut, CutError> {
        let newest = ground.tip.row.as_ref().map(|row| row.id.clone());
        self.write(|db| {
            if let Some(newest) = &newest {
                touches::consume(db, &ids(settled), newest)?;
                self.close_turn(db, order, newest)?;
            }
            self.outdate(db, ground, outdated)?;
            self.note_look(db, ground)
        })?;
        Ok(Cut::Nothing(newest))
    }

    /// A checkpoint between the tip and the one that was ordered: a path changed hands there, or somebody else's work
    /// ended.
    pub(super) fn put_between(
        &self,
        ground: &CutBase<'_>,
        stretch: &CheckpointChanges,
        order: &Order,
    ) -> Result<Tip, CutError> {
        let ground = &ground.at_tip()?;
        let link = &stretch.link;
        let worker = link
            .values()
            .map(|passage| &passage.owner)
            .find(|owner| owner.session.is_some());
        let (kind, session, turn) = match worker {
            Some(owner) => (CheckpointKind::Step, owner.session, owner.turn),
            None => (CheckpointKind::Outside, order.session, order.turn),
        };
        let id = random::checkpoint_id()?;
        let is_own = (session, turn) == (order.session, order.turn);
        let between = Order {
            session,
            turn,
            actor: worker.and_then(|owner| owner.actor),
            command: order.command.clone().filter(|_| is_own),
            event: order.event,
            ..Order::new(kind, format!("between-{id}"))
        };
        let trigger = self.trigger(&between, kind);
        let draft = Draft {
            order: &between,
            trigger: &trigger,
            link,
            settled: &stretch.settled,
            begun: &stretch.begun,
            skipped: &[],
            files: None,
            staged: None,
            degraded: Vec::new(),
        };
        let (commit, new, files) = self.commit(ground, &draft, id)?;
        let row = self.write(|db| {
            let row = record(db, &new, &files)?;
            touches::consume(db, &ids(&stretch.settled), &row.id)?;
            // Whoever is killed now leaves a line that has it, and the next one must not tell it again.
            touches::forget(db, &ids(&stretch.begun))?;
            Ok(row)
        })?;
        fault::point("between-recorded");
        Ok(Tip::at(ground.shadow, commit, Some(row))?)
    }

    /// The checkpoint that was ordered.
    pub(super) fn put(
        &self,
        ground: &CutBase<'_>,
        order: &Order,
        trigger: &Trigger,
        followed: &Attribution,
    ) -> Result<Cut, CutError> {
        let draft = Draft {
            order,
            trigger,
            link: &followed.rest.link,
            settled: &followed.rest.settled,
            begun: &[],
            skipped: &followed.skipped,
            files: followed.files,
            staged: self.staged(ground, trigger.kind)?,
            degraded: ground.degraded.clone(),
        };
        let (_, new, files) = self.commit(ground, &draft, random::checkpoint_id()?)?;
        let row = self.write(|db| {
            let row = record(db, &new, &files)?;
            touches::consume(db, &ids(&followed.rest.settled), &row.id)?;
            if matches!(row.kind, CheckpointKind::Turn | CheckpointKind::Interrupted) {
                commit_links::gather(db, &row)?;
            }
            self.close_turn(db, order, &row.id)?;
            self.outdate(db, ground, &followed.outdated)?;
            self.note_look(db, ground)?;
            self.tell_skipped(db, order, &followed.skipped)?;
            Ok(row)
        })?;
        fault::point("checkpoint-recorded");
        Ok(Cut::New(Box::new(row)))
    }

    /// Calls that have these paths open no longer tell what was there before them.
    fn outdate(&self, db: &Db, ground: &CutBase<'_>, paths: &[RepoPath]) -> Result<(), StoreError> {
        for path in paths {
            touches::outdate(db, self.worktree, path.as_bytes(), ground.event)?;
        }
        Ok(())
    }

    /// Writes trees and commit and moves the line; the row is still to come.
    fn commit(
        &self,
        ground: &CutBase<'_>,
        draft: &Draft<'_>,
        id: CheckpointId,
    ) -> Result<(Id, NewCheckpoint, Vec<NewFile>), CutError> {
        let layout = self.layout(ground, draft)?;
        let people = self.read(|db| ActorNames::of(db, draft.order))?;
        let files = rows(draft);
        let account = self.account(draft, &people, &files)?;
        let told = |ids: Vec<Id>| ids.iter().map(ToString::to_string).collect();
        let held = self.hold_named(&draft.order.also.commits)?;
        let names = held.iter().filter(|(name, _)| name.starts_with("refs/"));
        let names = names.map(|(name, id)| format!("{name} {id}")).collect();
        let lost: BTreeSet<Id> = held.into_iter().map(|(_, id)| id).collect();
        let story = Metadata {
            stash: told(self.hold(ground, draft.trigger.kind)?),
            lost: told(lost.into_iter().collect()),
            names,
            ..self.story(ground, draft, &people, &id, (&files, account.as_deref()))?
        };
        let is_end = matches!(
            draft.trigger.kind,
            CheckpointKind::Turn | CheckpointKind::Interrupted
        );
        let is_late = match (draft.order.session, draft.order.turn) {
            (Some(session), Some(turn)) if is_end => {
                self.read(|db| turns::is_behind_a_later_one(db, session, turn, draft.order.event))?
            }
            _ => false,
        };
        let until = people.conversation_end().filter(|_| !is_late);
        let session = SessionPart::of(self, ground, (draft.order, &people), &story, until)?;
        let tree = ground.shadow.write_layout(&ShadowLayout {
            session: Some(session.tree),
            ..layout
        })?;
        fault::point("checkpoint-written");
        let author = self.author(ground);
        let commit = ground.shadow.commit(&NewCommit {
            tree,
            parent: ground.tip.commit,
            message: metadata::message(&story).as_bytes(),
            author: &author,
            at_ms: story.created_at,
        })?;
        fault::point("checkpoint-committed");
        ground
            .shadow
            .advance(&self.site.line, ground.tip.commit, commit)?;
        fault::point("checkpoint-on-line");
        let new = NewCheckpoint {
            id,
            is_late,
            trigger: draft.trigger.clone(),
            run: Some(story.run),
            turn: draft.order.turn,
            label: story.label.clone(),
            summary: draft.order.summary.clone(),
            tool_use_id: draft.order.call.clone(),
            commit: commit.to_string(),
            files_tree: layout.files.to_string(),
            base_commit: base(ground),
            head: ground.head.map(|head| head.to_string()),
            branch: ground.branch.clone(),
            transcript_end: session.transcript_end,
            degraded: draft.degraded.clone(),
            source: CheckpointSource::Local,
            foreign_id: None,
            partner: draft.order.partner.clone(),
            undoes: draft.order.undoes.clone(),
            created_at: engine::time::Timestamp(story.created_at),
            counts: account.map(|files| checkpoints::counts(files.iter().map(|file| file.change))),
        };
        Ok((commit, new, files))
    }

    /// What it stands for where that is more than it changes itself: a whole turn, a whole run of an agent.
    fn account(
        &self,
        draft: &Draft<'_>,
        people: &ActorNames,
        files: &[NewFile],
    ) -> Result<Option<Vec<NewFile>>, StoreError> {
        let order = draft.order;
        let run = people.actor.as_ref().map(|actor| actor.run);
        let earlier = self.read(|db| match (draft.trigger.kind, order.session, order.actor) {
            (CheckpointKind::Turn | CheckpointKind::Interrupted, Some(session), _) => {
                checkpoint_files::of_turn(db, self.worktree, session, order.turn).map(Some)
            }
            (CheckpointKind::AgentStop, _, Some(actor)) => {
                checkpoint_files::of_run(db, self.worktree, actor, run).map(Some)
            }
            _ => Ok(None),
        })?;
        let Some(earlier) = earlier else { return Ok(None) };
        let is_own = |file: &&NewFile| match draft.trigger.kind {
            CheckpointKind::AgentStop => file.actor == order.actor,
            _ => file.session == order.session,
        };
        let own = files.iter().filter(is_own).cloned();
        Ok(Some(checkpoint_files::net(
            earlier.into_iter().map(|row| row.file).chain(own),
        )))
    }

    /// The tip's parts with this link laid over them.
    fn layout(&self, ground: &CutBase<'_>, draft: &Draft<'_>) -> Result<ShadowLayout, CutError> {
        let shadow = ground.shadow;
        let before = ground.tip.layout;
        let files = if let Some(files) = draft.files {
            files
        } else {
            let changes = changes(draft.link, Shelf::Files, PathState::entry);
            own(shadow, ground.base, &changes)?;
            let before = before.map(|layout| layout.files).or(ground.base);
            shadow.edit(before, ground.base, &changes)?
        };
        let stood_on = ground.tip.row.as_ref().map(|row| row.base_commit.clone());
        if draft.files.is_none() && stood_on.is_some_and(|commit| commit != base(ground)) {
            // It goes on from a tree that another commit's hold kept whole.
            shadow.adopt(files, ground.base, LARGEST_OBJECT)?;
        }
        let edited = |tree: Option<Id>, changes: BTreeMap<RepoPath, Option<TreeLeaf>>| {
            if changes.is_empty() {
                Ok(tree)
            } else {
                own(shadow, None, &changes)?;
                shadow.edit(tree, None, &changes).map(Some)
            }
        };
        let raw = changes(draft.link, Shelf::Files, |state| match state {
            PathState::Present { raw: Some(id), .. } => Some(TreeLeaf {
                mode: EntryMode::File,
                id: *id,
            }),
            PathState::Present { .. } | PathState::Absent => None,
        });
        let ignored = changes(draft.link, Shelf::Ignored, PathState::entry);
        Ok(ShadowLayout {
            files,
            ignored: edited(before.and_then(|layout| layout.ignored), ignored)?,
            raw: edited(before.and_then(|layout| layout.raw), raw)?,
            modes: self.modes(ground, draft)?,
            staged: draft.staged,
            session: None,
        })
    }

    /// What is staged and neither committed nor in the worktree, kept before a command that may lose it.
    #[expect(clippy::unused_self, reason = "a step of cutting, like those beside it")]
    fn staged(&self, ground: &CutBase<'_>, kind: CheckpointKind) -> Result<Option<Id>, CutError> {
        let Some(seen) = ground.seen.as_ref().filter(|_| kind == CheckpointKind::Before) else {
            return Ok(None);
        };
        let staged: BTreeMap<RepoPath, Option<TreeLeaf>> = seen
            .snapshot
            .staged
            .iter()
            .map(|(path, entry)| (path.clone(), Some(*entry)))
            .collect();
        if staged.is_empty() {
            return Ok(None);
        }
        Ok(Some(ground.shadow.edit(None, None, &staged)?))
    }

    /// Holds the commit the files are laid over, so that what it has need not be copied. Gives back what else is held: the
    /// stash, before a command that may lose it.
    fn hold(&self, ground: &CutBase<'_>, kind: CheckpointKind) -> Result<Vec<Id>, CutError> {
        let Some(head) = ground.head else {
            return Ok(Vec::new());
        };
        if kind == CheckpointKind::Before && self.site.worktree.is_in_git() {
            // A command that drops or resets must not lose what was put aside either.
            let stashed = git::keep_refs::stashed(&self.site.git(), Limits::within(KEEP_TIME))?;
            let commits = [stashed.as_slice(), &[head]].concat();
            git::keep_refs::hold(&self.site.git(), &commits, Limits::within(KEEP_TIME))?;
            return Ok(stashed);
        }
        let is_held = ground
            .tip
            .row
            .as_ref()
            .is_some_and(|row| row.base_commit == head.to_string());
        if !is_held {
            git::keep_refs::hold(&self.site.git(), &[head], Limits::within(KEEP_TIME))?;
        }
        Ok(Vec::new())
    }

    /// Holds what a command is about to leave without a name, wherever it would run.
    fn hold_named(&self, commits: &[KeptCommit]) -> Result<Vec<(String, Id)>, CutError> {
        let mut held = Vec::new();
        let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for commit in commits {
            by_folder.entry(&commit.cwd).or_default().push(&commit.revision);
        }
        for (folder, revisions) in by_folder {
            let folder = Path::new(folder);
            if folder.is_absolute() && folder.is_dir() {
                let git = Git::new(folder, self.site.environment());
                held.extend(git::keep_refs::hold_named(
                    &git,
                    &revisions,
                    Limits::within(KEEP_TIME),
                )?);
            }
        }
        Ok(held)
    }

    fn author(&self, ground: &CutBase<'_>) -> CommitAuthor {
        let person = ground
            .settings(self.site)
            .ok()
            .and_then(|settings| settings.person());
        person.unwrap_or_else(CommitAuthor::toprope)
    }

    #[expect(clippy::unused_self, reason = "a step of cutting, like those beside it")]
    fn close_turn(&self, db: &Db, order: &Order, checkpoint: &CheckpointId) -> Result<(), StoreError> {
        let is_end = matches!(
            CheckpointKind::from_word(&order.kind),
            Some(CheckpointKind::Turn | CheckpointKind::Interrupted)
        );
        let (Some(session), Some(number), true) = (order.session, order.turn, is_end) else {
            return Ok(());
        };
        // A turn that went on behind a later one keeps the end it had before that began.
        if turns::is_behind_a_later_one(db, session, number, order.event)? {
            return Ok(());
        }
        if let Some(turn) = turns::numbered(db, session, number)? {
            turns::set_checkpoint(db, turn.id, checkpoint)?;
            if let Some(summary) = &order.summary {
                turns::set_summary(db, turn.id, summary)?;
            }
        }
        Ok(())
    }

    /// A look is over: what calls wrote until it began is in this checkpoint.
    fn note_look(&self, db: &Db, ground: &CutBase<'_>) -> Result<(), StoreError> {
        match ground.scan() {
            Some(scan) => worktrees::scanned(db, self.worktree, &scan),
            None => Ok(()),
        }
    }

    /// Says once per path and session that a file is not kept.
    pub(super) fn tell_skipped(
        &self,
        db: &Db,
        order: &Order,
        skipped: &[SkippedPath],
    ) -> Result<(), StoreError> {
        for missed in skipped {
            let path = engine::text::one_line(&missed.path.to_string(), 200);
            let owed = Owed {
                audience: Audience::Person,
                kind: "checkpoints.skipped".to_owned(),
                key: format!("{}:{path}", order.session.map_or(0, |session| session.0)),
                text: format!(
                    "Not captured: {path} ({}). A rewind will leave it as it is.{}",
                    missed.reason,
                    remedy(&missed.reason)
                ),
            };
            if !notices::was_owed(db, &owed)? {
                notices::owe(db, &owed, order.actor, self.now())?;
            }
        }
        Ok(())
    }
}

/// What a person can do about it.
fn remedy(reason: &str) -> String {
    match Skip::setting_behind(reason) {
        Some(setting) => format!(" Raise checkpoints.{setting} to include it."),
        None => String::new(),
    }
}

fn ids(settled: &[Touch]) -> Vec<TouchId> {
    settled.iter().map(|touch| touch.id).collect()
}

/// The checkpoint's row as it is in the store now.
fn record(db: &Db, new: &NewCheckpoint, files: &[NewFile]) -> Result<Checkpoint, StoreError> {
    match checkpoints::insert(db, new, files)? {
        Inserted::Known(known) => Ok(*known),
        Inserted::New(_) => checkpoints::by_id(db, &new.id)?.ok_or(StoreError::Corrupt),
    }
}

pub(super) fn base(ground: &CutBase<'_>) -> String {
    ground
        .head
        .map_or_else(|| NO_COMMIT.to_owned(), |head| head.to_string())
}

/// Copies what the person's repository alone has, unless the tree that is held has it at the same place: what was found
/// before a call is not copied then.
pub(super) fn own(
    shadow: &Shadow,
    held: Option<Id>,
    changes: &BTreeMap<RepoPath, Option<TreeLeaf>>,
) -> Result<(), ShadowError> {
    for (path, entry) in changes {
        let Some(entry) = entry.filter(|entry| entry.mode != EntryMode::Commit && !shadow.renew(entry.id))
        else {
            continue;
        };
        let base = match held {
            Some(base) => shadow.entry(base, path)?,
            None => None,
        };
        if base.is_some_and(|base| base.id == entry.id) {
            continue;
        }
        match shadow.blob(entry.id, LARGEST_OBJECT) {
            Ok(bytes) => shadow.write_blob(&bytes).map(drop)?,
            // It was pruned meanwhile: a rewind will say so of this path alone.
            Err(ShadowError::Missing(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What a link does to one part of the tree.
fn changes(
    link: &ChainLink,
    shelf: Shelf,
    part: impl Fn(&PathState) -> Option<TreeLeaf>,
) -> BTreeMap<RepoPath, Option<TreeLeaf>> {
    link.iter()
        .filter(|(_, passage)| passage.shelf == shelf && part(&passage.before) != part(&passage.after))
        .map(|(path, passage)| (path.clone(), part(&passage.after)))
        .collect()
}

fn rows(draft: &Draft<'_>) -> Vec<NewFile> {
    let changed = draft.link.iter().filter_map(|(path, passage)| row(path, passage));
    let skipped = draft.skipped.iter().map(|missed| NewFile {
        path: missed.path.as_bytes().to_vec(),
        place: store::TreePart::Files,
        change: CheckpointFileChange::Skipped,
        before: None,
        after: None,
        session: missed.owner.session,
        actor: missed.owner.actor,
        origin: missed.owner.origin,
        tool_use_id: missed.owner.call.clone(),
        skip_reason: Some(missed.reason.clone()),
        doubt: missed.owner.doubt,
    });
    let mut rows: Vec<NewFile> = changed.collect();
    for skip in skipped {
        if rows.iter().all(|row| row.path != skip.path) {
            rows.push(skip);
        }
    }
    rows
}

fn row(path: &RepoPath, passage: &PathPassage) -> Option<NewFile> {
    let (before, after) = (to_row(&passage.before), to_row(&passage.after));
    Some(NewFile {
        path: path.as_bytes().to_vec(),
        place: to_place(passage.shelf),
        change: CheckpointFileChange::between(before.as_ref(), after.as_ref())?,
        before,
        after,
        session: passage.owner.session,
        actor: passage.owner.actor,
        origin: passage.owner.origin,
        tool_use_id: passage.owner.call.clone(),
        skip_reason: None,
        doubt: passage.owner.doubt,
    })
}
