//! Agents' transcripts: read as they grow, from where the last look ended, at the cost of what is new.
//!
//! The file belongs to the agent and lags behind its hooks. It is never written to, never followed out of its place, and
//! nothing in it is trusted: a line that cannot be read is passed over and counted.

pub mod account;
pub mod chunk;
pub mod fork;
pub mod reader;
pub mod slice;
pub mod source;

pub use account::{Accounted, Reading, account, cursor, is_closed};
pub use chunk::{Chunk, Chunks};
pub use fork::{ForkError, fork};
pub use reader::{Piece, Place, Reader};
pub use slice::{Cursor, Found, Progress, Skipped, Slice, Span};
pub use source::{Refused, Source};
