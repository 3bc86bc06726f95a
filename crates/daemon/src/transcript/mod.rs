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

pub use account::{Accounted, TranscriptSlice, account, cursor, is_closed};
pub use chunk::{Chunk, Chunks};
pub use fork::{ForkError, fork};
pub use reader::{Piece, ReadPosition, TranscriptReader};
pub use slice::{Cursor, MessageOffset, Progress, SkippedLines, Slice, TurnSpan};
pub use source::{Refused, TranscriptPath};
