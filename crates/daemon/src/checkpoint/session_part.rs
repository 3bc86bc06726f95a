//! `session/` of a checkpoint: what was asked, what was said, and the conversation as far as it was read.
//!
//! Each checkpoint of a session is laid over the one before, so that chunks of the transcript are stored once.

use super::cutter::{CutBase, CutError, Cutter};
use super::metadata::{Metadata, TokenUsage, TranscriptPart};
use super::order::Order;
use super::path_text::PathText;
use super::people::ActorNames;
use crate::transcript::{Chunks, TranscriptPath, is_closed};
use engine::hex::hex;
use engine::id::ActorId;
use engine::usage::Tokens;
use git::object::{EntryMode, Id, TreeLeaf};
use git::path::RepoPath;
use git::shadow::{Shadow, ShadowError};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use store::table::checkpoints::{self, CheckpointKind};
use store::table::transcripts::{self, Transcript};
use store::table::usage;

/// Digits of the offset in a chunk's name.
const DIGITS: usize = 12;
/// More than any chunk is long.
const LARGEST_CHUNK: u64 = 128 * 1024 * 1024;

/// The part as it was written.
pub struct SessionPart {
    /// Its tree.
    pub tree: Id,
    /// How far the transcript is in it.
    pub transcript_end: Option<u64>,
}

/// The files of a part that is being put together.
struct PartFiles<'a> {
    shadow: &'a Shadow,
    before: Option<Id>,
    changes: BTreeMap<RepoPath, Option<TreeLeaf>>,
}

impl SessionPart {
    /// Puts the part together and writes it. The conversation ends at `until`, else where it was read to.
    pub(super) fn of(
        cutter: &Cutter<'_>,
        ground: &CutBase<'_>,
        (order, people): (&Order, &ActorNames),
        story: &Metadata,
        until: Option<u64>,
    ) -> Result<Self, CutError> {
        let mut pages = PartFiles {
            shadow: ground.shadow,
            before: before(cutter, ground, order.session)?,
            changes: BTreeMap::new(),
        };
        let mut story = story.clone();
        let file = transcript(cutter, order)?;
        let ends_something = matches!(
            CheckpointKind::from_word(&order.kind),
            Some(CheckpointKind::Turn | CheckpointKind::Interrupted | CheckpointKind::AgentStop)
        );
        let end = file.as_ref().map(|file| {
            let until = until.filter(|_| people.agent().is_none());
            until.map_or(file.end(), |until| until.min(file.end()))
        });
        if let Some((file, end)) = file.as_ref().zip(end) {
            story.transcript = Some(part_of(file, people, end));
            if ends_something && cutter.settings.transcript {
                pages.add_chunks(file, &folder_of(people), end)?;
            }
        }
        story.token_usage = spent(cutter, order, people)?;
        pages.set("metadata.json", Some(&story.to_json()))?;
        pages.set("prompt.txt", joined(&story.prompts).as_deref())?;
        pages.set("summary.txt", order.summary.as_ref().map(String::as_bytes))?;
        pages.set("context.md", Some(story.context(&[]).as_bytes()))?;
        Ok(Self {
            tree: pages.write()?,
            transcript_end: end,
        })
    }
}

impl PartFiles<'_> {
    fn set(&mut self, name: &str, content: Option<&[u8]>) -> Result<(), CutError> {
        let entry = match content.filter(|content| !content.is_empty()) {
            Some(content) => Some(TreeLeaf {
                mode: EntryMode::File,
                id: self.shadow.write_blob(content)?,
            }),
            None => None,
        };
        // The names are ours, and fit.
        if let Ok(path) = RepoPath::new(name) {
            self.changes.insert(path, entry);
        }
        Ok(())
    }

    /// Adds what was read of a transcript since the last chunk of it was kept.
    fn add_chunks(&mut self, file: &Transcript, folder: &str, end: u64) -> Result<(), CutError> {
        let kept = self.kept_until(folder)?;
        let source = TranscriptPath {
            path: &file.path,
            folder: None,
        };
        // A transcript that cannot be read now is read later, or was counted where it was refused.
        let Ok(mut chunks) = Chunks::open(&source, kept, end) else {
            return Ok(());
        };
        while let Some(chunk) = chunks.chunk()? {
            let name = format!("{folder}/{:0DIGITS$}.jsonl", chunk.start);
            self.set(&name, Some(&chunk.bytes))?;
        }
        Ok(())
    }

    /// The byte after the last one that is kept.
    fn kept_until(&self, folder: &str) -> Result<u64, CutError> {
        let Some(before) = self.before else { return Ok(0) };
        let chunks = chunks_in(self.shadow, before, folder)?;
        let Some((start, id)) = chunks.last() else {
            return Ok(0);
        };
        let length = self.shadow.blob(*id, LARGEST_CHUNK)?.len();
        Ok(start + u64::try_from(length).unwrap_or(0))
    }

    fn write(&self) -> Result<Id, ShadowError> {
        self.shadow.edit(self.before, None, &self.changes)
    }
}

/// The chunks of a transcript in a session's part, in order, by where they begin.
pub fn chunks_in(shadow: &Shadow, session: Id, folder: &str) -> Result<Vec<(u64, Id)>, ShadowError> {
    let within = format!("{folder}/");
    let mut chunks: Vec<(u64, Id)> = shadow
        .leaves(session)?
        .into_iter()
        .filter_map(|(path, entry)| {
            let name = std::str::from_utf8(path.as_bytes()).ok()?;
            let start = name.strip_prefix(&within)?.strip_suffix(".jsonl")?;
            Some((start.parse().ok()?, entry.id))
        })
        .collect();
    chunks.sort_unstable();
    Ok(chunks)
}

/// Where the chunks of an actor's transcript are; a subagent's id is used only where it is a plain name.
pub fn folder_of(people: &ActorNames) -> String {
    match people.agent() {
        None => "transcript".to_owned(),
        Some(agent) => {
            let is_plain = agent.as_str().len() <= 64
                && agent
                    .as_str()
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
            let name = if is_plain {
                agent.as_str().to_owned()
            } else {
                hashed(agent.as_str())
            };
            format!("agents/{name}/transcript")
        }
    }
}

fn hashed(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let digest = Sha256::digest(text.as_bytes());
    hex(digest.get(..16).unwrap_or(&digest))
}

/// The part of the session's newest checkpoint.
fn before(
    cutter: &Cutter<'_>,
    ground: &CutBase<'_>,
    session: Option<ActorId>,
) -> Result<Option<Id>, CutError> {
    let Some(session) = session else { return Ok(None) };
    let newest = cutter.read(|db| checkpoints::newest_of_session(db, session, cutter.worktree))?;
    let Some(newest) = newest else { return Ok(None) };
    let commit = newest.sealed_commit.as_ref().unwrap_or(&newest.commit);
    // A commit that is gone only costs that its chunks are stored once more.
    let part = commit.parse().ok().and_then(|commit: Id| {
        let tree = ground.shadow.tree_of(commit).ok()?;
        ground.shadow.read_layout(tree).ok()?.session
    });
    Ok(part)
}

/// The transcript of the actor, as far as it was read.
fn transcript(cutter: &Cutter<'_>, order: &Order) -> Result<Option<Transcript>, CutError> {
    let Some(actor) = order.actor else { return Ok(None) };
    let files = cutter.read(|db| transcripts::of_actor(db, actor))?;
    Ok(files.into_iter().next())
}

/// Which part of the transcript is meant: of a main thread the turn's, of a subagent all of its own file.
fn part_of(file: &Transcript, people: &ActorNames, end: u64) -> TranscriptPart {
    let path = PathText::of(file.path.as_os_str().as_bytes());
    let turn = people.turn.as_ref().filter(|_| people.agent().is_none());
    match turn {
        Some(turn) => TranscriptPart {
            path,
            start: turn.transcript_start.unwrap_or(0).min(end),
            end,
            leaf: turn.leaf_uuid.clone(),
            sealed: turn.sealed,
        },
        None => TranscriptPart {
            path,
            start: 0,
            end,
            leaf: None,
            sealed: people.agent().is_some() && is_closed(file),
        },
    }
}

fn spent(cutter: &Cutter<'_>, order: &Order, people: &ActorNames) -> Result<Option<TokenUsage>, CutError> {
    let (Some(session), Some(turn)) = (order.session, order.turn) else {
        return Ok(None);
    };
    let sums = cutter.read(|db| usage::of_turn(db, session, turn))?;
    let mut told = tokens(&sums.main);
    told.complete = people.turn.as_ref().is_some_and(|turn| turn.sealed);
    told.subagents = (!sums.subagents.is_empty()).then(|| {
        let mut all = TokenUsage {
            complete: true,
            ..TokenUsage::default()
        };
        for (_, part) in &sums.subagents {
            all.add(&tokens(part));
        }
        Box::new(all)
    });
    Ok(Some(told))
}

fn tokens(tokens: &Tokens) -> TokenUsage {
    TokenUsage {
        input: tokens.input,
        cache_write: tokens.cache_write(),
        cache_read: tokens.cache_read,
        output: tokens.output,
        subagents: None,
        complete: true,
    }
}

fn joined(prompts: &[String]) -> Option<Vec<u8>> {
    (!prompts.is_empty()).then(|| prompts.join("\n---\n").into_bytes())
}
