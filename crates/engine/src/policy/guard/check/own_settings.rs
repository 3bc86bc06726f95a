//! Our entries in the client's settings files: whatever takes such a file away, or writes it so that nobody can tell what
//! becomes of them.

mod archive;
mod diff;
mod fed;
mod git;
mod naming;
mod placing;
mod taking;

use super::CheckContext;
use crate::policy::guard::client::is_hooked;
use crate::policy::guard::entries;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::command;
use crate::policy::guard::path::below;
use crate::policy::guard::verdict::Ruling;
use crate::policy::guard::zone::Zone;
use shell::CommandHost;

/// What a command does to a settings file.
struct SettingsEffect {
    /// The file, where the client looks for it.
    file: String,
    after: ResultingSettings,
    /// The word that says it, as people should see it.
    shown: String,
    /// Says better what would happen.
    what: Option<String>,
    /// What to do instead, where there is something better than to ask.
    instead: Option<String>,
    /// A person may decide it: git brings the file back as easily as it takes it.
    asks: bool,
}

/// What a settings file holds after a command.
enum ResultingSettings {
    Text(String),
    Gone,
    /// Nobody can tell before it ran.
    Unknown,
}

impl SettingsEffect {
    fn new(file: impl Into<String>, after: ResultingSettings, shown: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            after,
            shown: shown.into(),
            what: None,
            instead: None,
            asks: false,
        }
    }
}

/// Writing to a settings file of the client so that our entries may change, or hooks are switched off.
pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let ways: [SettingsDetector; 6] = [
        taking::touched,
        placing::touched,
        archive::touched,
        diff::touched,
        naming::touched,
        git::touched,
    ];
    first(look, &ways, |touched| match &touched.after {
        ResultingSettings::Text(after) => {
            let before = look.world.text(&touched.file);
            before.is_none_or(|before| !entries::are_kept(before.unwrap_or_default(), after))
        }
        ResultingSettings::Gone => is_hooked(&touched.file, look.world),
        ResultingSettings::Unknown => true,
    })
}

/// Writing variables that steer us under `env` of a settings file.
pub(super) fn variables(look: &CheckContext<'_>) -> Option<Hit> {
    // The others never tell what a file would hold.
    let ways: [SettingsDetector; 3] = [taking::touched, placing::touched, git::touched];
    first(look, &ways, |touched| match &touched.after {
        ResultingSettings::Text(after) => {
            let before = look.world.text(&touched.file).flatten();
            entries::sets_variables(before.unwrap_or_default(), after)
        }
        ResultingSettings::Gone | ResultingSettings::Unknown => false,
    })
}

/// One way in which settings files are reached.
type SettingsDetector = fn(&CheckContext<'_>) -> Vec<SettingsEffect>;

fn first(
    look: &CheckContext<'_>,
    ways: &[SettingsDetector],
    is_wrong: impl Fn(&SettingsEffect) -> bool,
) -> Option<Hit> {
    if look.seen.command.place != CommandHost::Local || look.seen.command.argv.is_empty() && !redirects(look)
    {
        return None;
    }
    let found = ways.iter().flat_map(|way| way(look)).find(is_wrong)?;
    Some(Hit {
        zone: Some(Zone::Own),
        what: found.what.or_else(|| {
            let file = command(&shown_file(&found.file, look));
            matches!(found.after, ResultingSettings::Gone)
                .then(|| format!("would take away {file}, which has Toprope called"))
        }),
        instead: found.instead,
        verdict: found.asks.then_some(Ruling::Ask),
        ..Hit::yes().about(found.shown)
    })
}

fn redirects(look: &CheckContext<'_>) -> bool {
    let mut redirects = look.seen.command.redirects.iter();
    redirects.any(shell::Redirect::writes)
}

/// A settings file as it is called from where the session works.
fn shown_file(file: &str, look: &CheckContext<'_>) -> String {
    let facts = look.world.facts;
    let inside = facts.cwd.as_deref().and_then(|cwd| below(file, cwd));
    if let Some(inside) = inside {
        return inside.to_owned();
    }
    let home = facts.home.as_deref().and_then(|home| below(file, home));
    home.map_or_else(|| file.to_owned(), |inside| format!("~/{inside}"))
}
