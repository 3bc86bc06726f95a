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
pub use facts::{Ancestor, LastChange, LeaseFacts, Me, Offered, TargetFacts, WaitEdge};
pub use held::{ActorLabel, HeldLease, LeaseKind, PermissionQuestion, Reserved};
pub use key::FileKey;
pub use left::WrittenFiles;
pub use pattern::{Pattern, PatternFault};
pub use scope::BulkScope;
pub use seen::{ContentIdentity, FileObservation};
pub use target::{CommitAnswers, ContentStamp, FileChangeKind, FileTarget, LeaseAnswers, Means, WantedFile};
pub use wanted::{ReachedPatterns, WantedOfCall, WantedPattern};
