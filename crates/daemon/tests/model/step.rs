//! Everything that can happen.

/// A change of files, by whoever makes it.
#[derive(Debug, Clone)]
pub enum Edit {
    Write(usize, u8),
    Delete(usize),
    Rename(usize, usize),
    Link(usize, bool),
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
    Written,
    Ended,
    Batched,
}

/// What a shell says about the files it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Nothing,
    All,
}

/// Where a process is killed: at the so many-th of its crash points.
pub type Moment = u8;

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
    /// Nobody does the jobs for so many steps.
    Lag(u8),
    /// `toprope rewind`.
    Rewind(Rewind),
    /// `toprope undo`, and where it is killed.
    Undo(Conflicts, Option<Moment>),
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
