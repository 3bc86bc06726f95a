//! Predicates of built-in rules that no pattern can say. A rule names one by `check`; there is one file for each.

mod clean;
mod commit_protected;
mod config_exec;
mod data;
mod decoded;
mod device;
mod discard;
mod env_dump;
mod exfil;
mod force_push;
mod fork_bomb;
mod git_part;
mod merge_red;
mod network_shell;
mod outside;
mod own_agents;
mod own_daemon;
mod own_files;
mod own_person;
mod own_settings;
mod own_typing;
mod push_delete;
mod refs;
mod remote;
mod removal;
mod removal_floor;
mod reset;
mod secret_commit;
mod secret_file;
mod stash;
mod tmp_write;
mod unset_root;
mod worktree_remove;

use super::command_view::CommandView;
use super::match_result::Hit;
use super::rule::Rule;
use super::ruleset::RuleSet;
use super::world::GuardWorld;
use std::fmt;

/// What a predicate may look at.
pub struct CheckContext<'a> {
    /// The command.
    pub seen: &'a CommandView<'a>,
    /// What is known of the world.
    pub world: &'a GuardWorld<'a>,
    /// The rules in force, with their settings.
    pub rules: &'a RuleSet,
    /// The rule that asks.
    pub rule: &'a Rule,
}

/// A named predicate.
pub struct Check {
    /// Its name in rules.
    pub name: &'static str,
    /// It also says how the command is made safe.
    pub rewrites: bool,
    /// What it finds.
    pub find: fn(&CheckContext<'_>) -> Option<Hit>,
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check {}", self.name)
    }
}

impl Check {
    /// The predicate of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|check| check.name == name)
    }
}

const fn finds(name: &'static str, find: fn(&CheckContext<'_>) -> Option<Hit>) -> Check {
    Check {
        name,
        rewrites: false,
        find,
    }
}

const fn rewrites(name: &'static str, find: fn(&CheckContext<'_>) -> Option<Hit>) -> Check {
    Check {
        name,
        rewrites: true,
        find,
    }
}

/// All of them.
pub const ALL: &[Check] = &[
    finds("removal-floor", removal_floor::find),
    finds("removal", removal::find),
    finds("outside", outside::find),
    finds("device", device::find),
    rewrites("unset-root", unset_root::find),
    rewrites("tmp-write", tmp_write::find),
    finds("fork-bomb", fork_bomb::find),
    finds("reset", reset::find),
    finds("discard", discard::find),
    finds("stash", stash::find),
    finds("clean", clean::find),
    finds("refs", refs::find),
    finds("force-push-protected", force_push::to_protected),
    rewrites("force-push", force_push::to_other),
    finds("push-delete", push_delete::to_other),
    finds("push-delete-protected", push_delete::to_protected),
    finds("git-part", git_part::find),
    rewrites("worktree-remove", worktree_remove::find),
    finds("worktree-force", worktree_remove::forced),
    finds("config-exec", config_exec::find),
    finds("commit-protected", commit_protected::find),
    finds("merge-red", merge_red::find),
    finds("remote", remote::find),
    finds("decoded", decoded::find),
    finds("network-shell", network_shell::find),
    finds("secret-file", secret_file::credentials),
    finds("env-file", secret_file::environment),
    finds("env-dump", env_dump::find),
    finds("exfil", exfil::find),
    finds("secret-commit", secret_commit::find),
    finds("own-files", own_files::find),
    finds("own-settings", own_settings::find),
    finds("own-variables", own_settings::variables),
    finds("own-database", own_files::database),
    finds("own-daemon", own_daemon::find),
    finds("own-person", own_person::find),
    finds("own-typing", own_typing::find),
    finds("own-agents", own_agents::find),
    finds("own-environment", own_agents::environment),
    finds("data", data::find),
];
