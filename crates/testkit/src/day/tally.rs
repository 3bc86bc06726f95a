//! What days came to, so that a run that proves nothing is seen.

/// What came of a day.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Rewinds that were tried.
    pub rewinds: u64,
    /// Files that a rewind changed.
    pub put_back: u64,
    /// Changes of the person's.
    pub edits: u64,
    /// Those of them that count as a command's.
    pub excepted: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Deaths that were asked for.
    pub crashes: u64,
}

impl Tally {
    /// Adds another day's.
    pub fn add(&mut self, other: Self) {
        self.rewinds += other.rewinds;
        self.put_back += other.put_back;
        self.edits += other.edits;
        self.excepted += other.excepted;
        self.denied += other.denied;
        self.crashes += other.crashes;
    }
}
