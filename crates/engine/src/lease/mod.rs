//! Who may write which file: the words that the policies, the store and the daemon share. Values only.

pub mod background;
pub mod cover;
pub mod effect;
pub mod facts;
pub mod held;
pub mod key;
pub mod left;
pub mod notice;
pub mod offer;
pub mod pattern;
pub mod seen;
pub mod target;
pub mod wanted;

pub use effect::{EndReason, LeaseEffect};
pub use facts::{Ancestor, LastChange, LeaseFacts, Me, Offered, TargetFacts, Wait};
pub use held::{Held, Kind, Reserved, Who};
pub use key::FileKey;
pub use left::Left;
pub use pattern::{Pattern, PatternFault};
pub use seen::{Known, Seen};
pub use target::{How, LeaseAnswers, Means, Stamp, Target, Wanted};
pub use wanted::{Reached, WantedOfCall, WantedPattern};
