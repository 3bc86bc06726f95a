//! Payloads that cannot be read at all. They are counted and let through; a person reads the sentence in `status`.

/// Why a payload could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Nothing, or nothing but white space.
    #[error("the payload is empty")]
    Empty,
    /// The JSON begins well and does not end.
    #[error("the payload ends in the middle of its JSON")]
    Truncated,
    /// Nested so deeply that reading it could exhaust the stack.
    #[error("the payload is nested too deeply to be read safely")]
    TooDeep,
    /// Something else than JSON.
    #[error("the payload is not JSON: {cause}")]
    NotJson {
        /// What the parser met, and where.
        cause: String,
    },
    /// JSON, but not an object.
    #[error("the payload is {found}, not a JSON object")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
}
