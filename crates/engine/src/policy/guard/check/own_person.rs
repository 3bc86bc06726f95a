//! Commands of Toprope's that only a person may run.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::own::is_persons;

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    is_persons(look.seen.command, look.world).then(Hit::yes)
}
