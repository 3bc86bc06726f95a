//! Which programs run something else, and who knows what.

use super::outer::WrapperCommand;
use super::{
    container, database, input, interpreter, keys, prefix, remote, renamed, shell, task, text, tool,
};
use crate::inner::Inner;

/// What a command runs, by its program's name.
pub(super) fn inner(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let mut found = text::options(outer);
    found.extend(by_name(outer));
    found
}

fn by_name(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if let Some(found) = renamed::inner(outer) {
        return found;
    }
    if shell::is_shell(outer.name) {
        return shell::shell(outer);
    }
    if let Some(language) = interpreter::language(outer.name) {
        return interpreter::inner(outer, language);
    }
    if let Some(client) = database::client(outer.name) {
        return database::inner(outer, client);
    }
    match outer.name {
        "env" | "genv" => prefix::env(outer),
        "sudo" => prefix::sudo(outer),
        "command" => prefix::command(outer),
        "flock" => prefix::flock(outer),
        "runuser" => prefix::runuser(outer),
        "script" => shell::script(outer),
        "su" => shell::su(outer),
        "eval" => shell::eval(outer),
        "source" | "." => shell::source(outer),
        "trap" => shell::trap(outer),
        "watch" => shell::watch(outer),
        "entr" => shell::entr(outer),
        "at" | "batch" => shell::at(outer),
        "xargs" | "gxargs" => input::xargs(outer),
        "find" | "gfind" => input::find(outer),
        "fd" | "fdfind" => input::fd(outer),
        "parallel" => input::parallel(outer),
        "ssh" | "autossh" | "mosh" | "rsh" => remote::ssh(outer),
        "pdsh" | "pssh" | "parallel-ssh" => remote::many(outer),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => container::docker(outer),
        "kubectl" | "oc" | "k" | "kubecolor" => container::kubectl(outer),
        "git" => tool::git(outer),
        "npx" | "bunx" | "pnpx" | "uvx" => tool::package(outer, 0),
        "npm" | "yarn" | "pnpm" | "bun" | "deno" | "pipx" | "uv" => tool::manager(outer),
        "make" | "gmake" | "bmake" | "just" | "task" | "go-task" => task::named(outer),
        "tmux" => keys::tmux(outer),
        "screen" => keys::screen(outer),
        _ => prefix::by_table(outer),
    }
}
