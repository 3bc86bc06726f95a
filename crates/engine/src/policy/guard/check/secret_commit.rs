//! Adding a file of credentials to the repository.

use super::CheckContext;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::path::absolute;
use crate::policy::guard::secret::of_word;
use crate::policy::guard::zone::Zone;
use crate::text::path_word;

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !(seen.sub(&["add"]) || seen.sub(&["commit"]) || seen.sub(&["stage"]))
        || seen.has(&["-n", "--dry-run"])
    {
        return None;
    }
    let path = seen.operands().iter().find_map(|operand| {
        let (_, path) = of_word(operand.word, seen, look.world)?;
        let at = absolute(&path, seen.command.cwd.as_deref())?;
        let tracked = look.world.path(&at).is_some_and(|fact| fact.tracked);
        (!tracked).then_some(path)
    })?;
    Some(Hit {
        zone: Some(Zone::Secret),
        // Its last line may lack an end: what is added begins a new one.
        instead: Some(format!("printf '\\n%s\\n' {} >> .gitignore", path_word(&path))),
        ..Hit::yes().about(path)
    })
}
