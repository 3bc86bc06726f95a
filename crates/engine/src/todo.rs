//! The agent's own list of things to do, as its tools report it.

/// What one call did to the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoUpdate {
    /// The whole list was written anew.
    List {
        /// The list before; `None` where the client does not say.
        before: Option<Vec<TodoItem>>,
        /// The list now.
        after: Vec<TodoItem>,
    },
    /// One task was noted.
    Created {
        /// The client's id of it, where the answer names one.
        task: Option<String>,
        /// Its title.
        subject: String,
    },
    /// One task changed.
    Changed {
        /// The client's id of it.
        task: String,
        /// Its title, where the call itself sets it; else the task's own events (`TaskCreated`, `TaskCompleted`) named it.
        subject: Option<String>,
        /// The change was to completed.
        completed: bool,
    },
}

/// One entry of a list that is written as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// It is done.
    pub completed: bool,
}
