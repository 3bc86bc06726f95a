//! What is said of the client's settings where they no longer call us as they should.

use super::LONGEST_COMMAND;
use crate::text::one_line;

/// What is wrong with how the client's settings call us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookFault {
    /// No file has us asked before calls, or hooks are switched off.
    Gone,
    /// An entry of ours does less than the one that was installed.
    Weakened,
    /// A file sets variables that steer us.
    Variables {
        /// Which file.
        file: String,
        /// Which variables.
        names: Vec<String>,
    },
}

impl HookFault {
    /// As what is wrong with a file: it …
    fn said(&self) -> String {
        match self {
            Self::Gone => "no longer calls Toprope".to_owned(),
            Self::Weakened => "no longer calls Toprope as `toprope init` set it up".to_owned(),
            Self::Variables { names, .. } => format!("sets {} under `env`", variables(names)),
        }
    }
}

fn variables(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    one_line(&names.join(", "), LONGEST_COMMAND)
}

/// What is said of a settings change that is not taken.
pub fn unhooking(file: &str, wrong: &HookFault) -> String {
    format!(
        "{} {}. An agent's call was running when it changed, so the change is not taken.",
        one_line(file, LONGEST_COMMAND),
        wrong.said()
    )
}

/// What the person is told of the client's settings when a session starts; nothing where no file calls us at all.
pub fn wrong_at_start(wrong: &HookFault) -> Option<String> {
    match wrong {
        HookFault::Gone => None,
        HookFault::Weakened => Some(
            "Toprope's entries in the client's settings were changed, so it may be asked too late or not at all. \
             To mend them: `toprope init`"
                .to_owned(),
        ),
        HookFault::Variables { file, names } => Some(format!(
            "{} sets {} under `env`. Toprope does not follow them; if they are not yours, take them out",
            one_line(file, LONGEST_COMMAND),
            variables(names)
        )),
    }
}

/// What the person is told at once where a call left the client's settings other than they were; `lost` is the file whose
/// entries went, and its scope.
pub fn missed(wrong: &HookFault, lost: Option<(&str, &str)>) -> String {
    match (wrong, lost) {
        (HookFault::Gone, Some((file, scope))) => format!(
            "{} no longer calls Toprope since this call: from here on nothing may be guarded. \
             To put it back: `toprope init --scope {scope}`",
            one_line(file, LONGEST_COMMAND)
        ),
        (HookFault::Gone, None) => {
            "the client's settings switch hooks off since this call: from here on nothing may be \
             guarded. `toprope doctor` names the file"
                .to_owned()
        }
        (HookFault::Weakened, _) => {
            "Toprope's entries in the client's settings were changed with this call, so it may be asked \
             too late or not at all. To mend them: `toprope init`"
                .to_owned()
        }
        (HookFault::Variables { file, names }, _) => format!(
            "{} sets {} under `env` since this call. Toprope does not follow them; if they are not yours, take them out",
            one_line(file, LONGEST_COMMAND),
            variables(names)
        ),
    }
}

/// What became of a settings change that ends our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unhooked {
    /// A person made it: it was let through.
    LetGo,
    /// It is not taken for now.
    Kept,
    /// It is not taken, and the file is repaired.
    PutBack,
}

/// What the person is told of a settings change that ends our hooks, weakens them or steers them.
pub fn unhooked(file: &str, wrong: &HookFault, became: Unhooked) -> String {
    let file = one_line(file, LONGEST_COMMAND);
    let said = wrong.said();
    match (became, wrong) {
        (Unhooked::LetGo, HookFault::Gone) => {
            format!("{file} {said}: from here on this session goes unguarded. To undo: `toprope init`")
        }
        (Unhooked::LetGo, HookFault::Weakened) => format!("{file} {said}. To undo: `toprope init`"),
        (Unhooked::LetGo, HookFault::Variables { .. }) => {
            format!("{file} {said}. Toprope does not follow them; if they are not yours, take them out")
        }
        (Unhooked::Kept, HookFault::Variables { .. }) => format!(
            "{file} changed while an agent's call was running, and {said}; the change is not taken for now. \
             If it was not you: take them out"
        ),
        (Unhooked::Kept, HookFault::Gone | HookFault::Weakened) => format!(
            "{file} changed while an agent's call was running, and {said}; this session keeps its hooks. \
             If it was you: change it again while no agent works. If not: `toprope init`"
        ),
        (Unhooked::PutBack, _) => format!(
            "{file} changed while an agent's call was running, and {said}; its entries are put back. \
             If it was you: change it again while no agent works"
        ),
    }
}
