//! Commands of Toprope's that only a person may run.

use super::Look;
use crate::policy::guard::hit::Hit;
use crate::policy::guard::own::{Errand, errand, is_installed};

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let command = look.seen.command;
    (is_installed(command, look.world) && errand(command) == Errand::Person).then(Hit::yes)
}
