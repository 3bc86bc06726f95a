//! The machine a command runs on.

/// Where a command runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CommandHost {
    /// On this machine.
    #[default]
    Local,
    /// On another one.
    Remote {
        /// Its name as written, with a user if one is given; empty if it is not known.
        host: String,
    },
    /// In a container.
    Container,
}
