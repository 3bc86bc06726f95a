//! Removing or overwriting what lies outside the project, and writing to shell start-up files.

use super::Look;
use crate::policy::guard::glob::{Reach, fits};
use crate::policy::guard::harm::{Harm, How, harms};
use crate::policy::guard::hit::Hit;
use crate::policy::guard::message::{command, few_names, shown_word};
use crate::policy::guard::path::{below, is_within};
use crate::policy::guard::zone::{Zone, Zoned, is_void};
use crate::shell::Place;

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

pub(super) fn find(look: &Look<'_>) -> Option<Hit> {
    let mut found: Option<Hit> = None;
    let mut verb = "overwrite";
    for harm in &harms(look.seen) {
        let zoned = look.seen.zone(&harm.target, look.world);
        if !is_lost(harm, &zoned, look) {
            continue;
        }
        match harm.how {
            How::Remove | How::Empty => verb = "remove",
            How::Move if verb != "remove" => verb = "move away",
            How::Append if verb == "overwrite" => verb = "change",
            How::Overwrite | How::Append | How::Move | How::Mode => {}
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

fn is_lost(harm: &Harm<'_>, zoned: &Zoned, look: &Look<'_>) -> bool {
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
        How::Remove | How::Empty => {
            outside && !(zoned.zone == Zone::Home && zoned.whole && harm.deep && !harm.narrowed)
        }
        How::Overwrite => {
            is_startup(path, look)
                || is_account(path, look)
                || ((outside || zoned.zone == Zone::System) && exists(path, look))
        }
        How::Append => is_startup(path, look) || is_within(path, "/etc"),
        // Whoever looks for a key where it belongs finds nothing.
        How::Move => zoned.zone == Zone::Secret,
        How::Mode => false,
    }
}

fn is_startup(path: &str, look: &Look<'_>) -> bool {
    if look.seen.command.place != Place::Local {
        return false;
    }
    let home = look.world.facts.home.as_deref();
    home.and_then(|home| below(path, home))
        .is_some_and(|inside| STARTUP.iter().any(|name| fits(name, inside, Reach::Name)))
}

fn is_account(path: &str, look: &Look<'_>) -> bool {
    look.seen.command.place == Place::Local
        && path.starts_with("/etc/")
        && ACCOUNTS.iter().any(|name| fits(name, path, Reach::Name))
}

/// A file that is there; a folder is written into, not over.
fn exists(path: &str, look: &Look<'_>) -> bool {
    if look.seen.command.place != Place::Local {
        return false;
    }
    match look.world.path(path) {
        Some(fact) => {
            fact.exists && !fact.created && fact.kind != crate::policy::guard::facts::PathKind::Folder
        }
        None => true,
    }
}
