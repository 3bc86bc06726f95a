//! Who may write which file: the words that the policies, the store and the daemon share. Values only.

pub mod cover;
pub mod effect;
pub mod facts;
pub mod held;
pub mod key;
pub mod left;
pub mod notice;
pub mod offer;
pub mod pattern;
pub mod scope;
pub mod seen;
pub mod target;
pub mod wanted;

pub use effect::{EndReason, LeaseEffect};
pub use facts::{Ancestor, LastChange, LeaseFacts, Me, Offered, TargetFacts, Wait};
pub use held::{Held, Kind, Permission, Reserved, Who};
pub use key::FileKey;
pub use left::Left;
pub use pattern::{Pattern, PatternFault};
pub use scope::BulkScope;
pub use seen::{Known, Seen};
pub use target::{CommitAnswers, How, LeaseAnswers, Means, Stamp, Target, Wanted};
pub use wanted::{Reached, WantedOfCall, WantedPattern};
