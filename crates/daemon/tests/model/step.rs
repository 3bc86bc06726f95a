//! Everything that can happen, and how often it is tried.

use super::tree::NAMES;
use proptest::prelude::*;

/// A change of files, by whoever makes it.
#[derive(Debug, Clone)]
pub enum Edit {
    Write(usize, u8),
    Delete(usize),
    Rename(usize, usize),
    Exec(usize),
    Link(usize, bool),
    /// `git add` of one path, or of all, and `git commit`.
    Commit(Option<usize>),
    /// `git add` of one path.
    Stage(usize),
    /// The other branch is checked out.
    Checkout,
}

/// Who can act beside the person: the main thread of one session, a subagent of it, the main thread of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    Main,
    Sub,
    Other,
}

pub const ACTORS: [Actor; 3] = [Actor::Main, Actor::Sub, Actor::Other];

impl Actor {
    /// The main thread of its session.
    pub fn session(self) -> Self {
        match self {
            Self::Main | Self::Sub => Self::Main,
            Self::Other => Self::Other,
        }
    }
}

/// How far a call gets before something else happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Begun,
    Written,
    Ended,
    Batched,
}

/// What a shell says about the files it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Nothing,
    First,
    All,
}

/// Where a process is killed: at the so many-th of its crash points.
pub type Moment = u8;

/// More than most steps have: they are over before they die.
const MOMENTS: Moment = 60;

#[derive(Debug, Clone)]
pub enum Step {
    /// A person changes files.
    Person(Vec<Edit>),
    /// A person speaks to a session; whatever is open there is interrupted.
    Prompt(Actor),
    /// An edit tool writes one file.
    Tool(Actor, usize, u8, Stage),
    /// A shell changes files.
    Shell(Actor, Vec<Edit>, Listing, Stage),
    /// What an actor has open ends, and so does the batch.
    Finish(Actor),
    /// The actor is done: the end of a turn, or of a subagent's run.
    Stop(Actor),
    /// A subagent begins.
    Begin,
    /// Nobody does the jobs for so many steps.
    Lag(u8),
    /// A new daemon.
    Restart,
    /// The process is killed while it does the jobs of the next step.
    Crash(Moment),
    /// `toprope checkpoint create`.
    Create,
    /// `toprope rewind`.
    Rewind(Rewind),
    /// `toprope undo`, and where it is killed.
    Undo(Conflicts, Option<Moment>),
    /// `toprope redo`, and where it is killed.
    Redo(Conflicts, Option<Moment>),
}

#[derive(Debug, Clone)]
pub struct Rewind {
    /// How many checkpoints back, of those that are known.
    pub back: u8,
    pub scope: Scope,
    pub only: Option<usize>,
    pub conflicts: Conflicts,
    /// Where it is killed.
    pub dies: Option<Moment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Session(Actor),
    Agent(Actor),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    Refuse,
    Skip,
    Force,
}

fn name() -> impl Strategy<Value = usize> {
    0..NAMES.len()
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        8 => (name(), 0..3u8).prop_map(|(name, content)| Edit::Write(name, content)),
        4 => name().prop_map(Edit::Delete),
        2 => (name(), name()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => name().prop_map(Edit::Exec),
        1 => (1..3usize, any::<bool>()).prop_map(|(name, dangles)| Edit::Link(name, dangles)),
        1 => proptest::option::of(name()).prop_map(Edit::Commit),
        1 => name().prop_map(Edit::Stage),
        1 => Just(Edit::Checkout),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(edit(), 1..4)
}

fn actor() -> impl Strategy<Value = Actor> {
    prop_oneof![2 => Just(Actor::Main), 1 => Just(Actor::Sub), 1 => Just(Actor::Other)]
}

fn stage() -> impl Strategy<Value = Stage> {
    prop_oneof![
        6 => Just(Stage::Batched),
        1 => Just(Stage::Ended),
        1 => Just(Stage::Written),
        1 => Just(Stage::Begun),
    ]
}

fn listing() -> impl Strategy<Value = Listing> {
    prop_oneof![Just(Listing::All), Just(Listing::Nothing), Just(Listing::First)]
}

fn conflicts() -> impl Strategy<Value = Conflicts> {
    prop_oneof![
        Just(Conflicts::Refuse),
        Just(Conflicts::Skip),
        Just(Conflicts::Force)
    ]
}

fn dies() -> impl Strategy<Value = Option<Moment>> {
    proptest::option::weighted(0.4, 1..MOMENTS)
}

fn rewind() -> impl Strategy<Value = Rewind> {
    let scope = prop_oneof![
        2 => actor().prop_map(|actor| Scope::Session(actor.session())),
        1 => actor().prop_map(Scope::Agent),
    ];
    let only = proptest::option::weighted(0.2, name());
    (0..12u8, scope, only, conflicts(), dies()).prop_map(|(back, scope, only, conflicts, dies)| Rewind {
        back,
        scope,
        only,
        conflicts,
        dies,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => edits().prop_map(Step::Person),
        3 => actor().prop_map(|actor| Step::Prompt(actor.session())),
        8 => (actor(), name(), 0..3u8, stage())
            .prop_map(|(actor, name, content, stage)| Step::Tool(actor, name, content, stage)),
        7 => (actor(), edits(), listing(), stage())
            .prop_map(|(actor, edits, listing, stage)| Step::Shell(actor, edits, listing, stage)),
        3 => actor().prop_map(Step::Finish),
        4 => actor().prop_map(Step::Stop),
        1 => Just(Step::Begin),
        1 => (1..4u8).prop_map(Step::Lag),
        1 => Just(Step::Restart),
        2 => (1..MOMENTS).prop_map(Step::Crash),
        1 => Just(Step::Create),
        7 => rewind().prop_map(Step::Rewind),
        3 => (conflicts(), dies()).prop_map(|(conflicts, dies)| Step::Undo(conflicts, dies)),
        2 => (conflicts(), dies()).prop_map(|(conflicts, dies)| Step::Redo(conflicts, dies)),
    ]
}

/// A day in a worktree.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 1..most)
}
