//! The kinds of notices about files that are held: the part they come from, and what they are about.

/// What the person is told.
pub const PERSON: &str = "lease";
/// Somebody took the actor's lease away.
pub const BROKEN: &str = "lease.broken";
/// The actor waits in a circle.
pub const CYCLE: &str = "lease.cycle";
/// The actor's lease ended because it was in a circle, and nothing was lost by it.
pub const DEADLOCK: &str = "lease.deadlock";
/// Who edits the same file in another worktree; said once.
pub const FORECAST: &str = "lease.forecast";
/// The client does not tell the session's agents apart; said once.
pub const IDENTITY: &str = "lease.identity";
/// A file the actor waited for is free.
pub const OFFER: &str = "lease.offer";
/// A command changed a file that another holds; said once for each lease.
pub const OVERLAP: &str = "lease.overlap";

/// What concerns nothing but an actor's own next call, and is of no use to whoever it worked for.
pub const OF_THE_NEXT_CALL: [&str; 4] = [BROKEN, CYCLE, DEADLOCK, OFFER];
