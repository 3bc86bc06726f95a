//! Commands of Toprope's that only a person may run.

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::own::is_persons;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    is_persons(look.seen.command, look.world).then(Hit::yes)
}
