//! Removing or overwriting what lies outside the project, and writing to shell start-up files.

use super::CheckContext;
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::loss::{Harm, HarmKind, harms};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::message::{command, few_names, shown_word};
use crate::policy::guard::path::{below, is_within};
use crate::policy::guard::zone::{Zone, ZonedTarget, is_void};
use shell::CommandHost;

/// Files a shell reads when it starts, below the home.
const STARTUP: [&str; 20] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".config/fish/config.fish",
    ".ssh/authorized_keys",
    ".ssh/config",
    ".gitconfig",
    ".config/autostart/*",
];

/// Files of the machine that decide who may do what, and what everybody's programs find; whether they are there or not.
const ACCOUNTS: [&str; 14] = [
    "/etc/sudoers",
    "/etc/sudoers.d/*",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/fstab",
    "/etc/crontab",
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/environment",
    "/etc/ld.so.preload",
    "/etc/ssh/sshd_config",
    "/etc/pam.d/*",
];

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let mut found: Option<Hit> = None;
    let mut verb = "overwrite";
    for harm in &harms(look.seen) {
        let zoned = look.seen.zone(&harm.target, look.world);
        if !is_lost(harm, &zoned, look) {
            continue;
        }
        match harm.how {
            HarmKind::Remove | HarmKind::Empty => verb = "remove",
            HarmKind::Move if verb != "remove" => verb = "move away",
            HarmKind::Append if verb == "overwrite" => verb = "change",
            HarmKind::Overwrite | HarmKind::Append | HarmKind::Move | HarmKind::Mode => {}
        }
        let hit = found.get_or_insert_with(Hit::yes);
        hit.targets.push(shown_word(&harm.target));
        hit.zone = hit
            .zone
            .max(Some(if harm.remote { Zone::Elsewhere } else { zoned.zone }));
        if look.seen.program.is_none() && !look.seen.command.argv.is_empty() {
            hit.missing = Some("the program");
        }
    }
    let mut hit = found?;
    let names: Vec<String> = hit.targets.iter().map(|target| command(target)).collect();
    let names = few_names(&names);
    hit.what = Some(format!("would {verb} {names}, which is outside the project"));
    Some(hit)
}

fn is_lost(harm: &Harm<'_>, zoned: &ZonedTarget, look: &CheckContext<'_>) -> bool {
    if harm.remote {
        return true;
    }
    let Some(path) = zoned.path.as_deref() else {
        return false;
    };
    if is_void(path) || path.starts_with("/dev/") {
        return false;
    }
    let outside = matches!(zoned.zone, Zone::Home | Zone::Elsewhere | Zone::Secret);
    match harm.how {
        HarmKind::Remove | HarmKind::Empty => {
            outside && !(zoned.zone == Zone::Home && zoned.whole && harm.deep && !harm.narrowed)
        }
        HarmKind::Overwrite => {
            is_startup(path, look)
                || is_account(path, look)
                || ((outside || zoned.zone == Zone::System) && exists(path, look))
        }
        HarmKind::Append => is_startup(path, look) || is_within(path, "/etc"),
        // Whoever looks for a key where it belongs finds nothing.
        HarmKind::Move => zoned.zone == Zone::Secret,
        HarmKind::Mode => false,
    }
}

fn is_startup(path: &str, look: &CheckContext<'_>) -> bool {
    if look.seen.command.place != CommandHost::Local {
        return false;
    }
    let home = look.world.facts.home.as_deref();
    home.and_then(|home| below(path, home))
        .is_some_and(|inside| STARTUP.iter().any(|name| fits(name, inside, StarReach::Name)))
}

fn is_account(path: &str, look: &CheckContext<'_>) -> bool {
    look.seen.command.place == CommandHost::Local
        && path.starts_with("/etc/")
        && ACCOUNTS.iter().any(|name| fits(name, path, StarReach::Name))
}

/// A file that is there; a folder is written into, not over.
fn exists(path: &str, look: &CheckContext<'_>) -> bool {
    if look.seen.command.place != CommandHost::Local {
        return false;
    }
    match look.world.path(path) {
        Some(fact) => {
            fact.exists && !fact.created && fact.kind != crate::policy::guard::facts::PathKind::Folder
        }
        None => true,
    }
}
