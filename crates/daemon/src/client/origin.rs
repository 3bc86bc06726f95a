//! The environment the client itself was started with.
//!
//! The client adds what its settings files say under `env` to the environment of every hook, also what a repository
//! brought along. Where the state lives and which programs are run is not a repository's to say, so these variables are
//! taken from the client's own start, which no settings file reaches.

use crate::environment::{self, Environment};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::parent_id;

/// Decide where state and settings are, and which `git` is run.
const DECISIVE: [&str; 6] = [
    environment::HOME,
    "PATH",
    "HOME",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

/// The process that the client says it is; the one that started us where it says nothing.
pub fn client_pid(environment: &Environment) -> u32 {
    named_pid(environment).unwrap_or_else(parent_id)
}

/// The client always says so, and no settings file can change what it says.
fn named_pid(environment: &Environment) -> Option<u32> {
    environment.text("CLAUDE_PID")?.parse().ok()
}

/// The environment of a hook with the state folder that its entry names.
///
/// An entry without one is for many machines: there the variable counts as the client was started with it. Looked up only
/// where the hook has one, since every hook passes here.
pub fn with_state_folder(environment: Environment, named: Option<OsString>) -> Environment {
    if named.is_some() {
        return environment.with(environment::HOME, named);
    }
    if environment.value(environment::HOME).is_none() {
        return environment;
    }
    let started_with = variables_of(client_pid(&environment)).unwrap_or_default();
    let own = started_with
        .into_iter()
        .find(|(name, _)| name == environment::HOME);
    environment.with(environment::HOME, own.map(|(_, value)| value))
}

/// The environment for what a hook starts or decides itself: what is decisive is as the client was started, except the
/// state folder, which is settled already. Where that cannot be read, the hook's own has to do.
pub fn of_client(environment: &Environment) -> Environment {
    let mut mended = environment.clone();
    let Some(mut started_with) = named_pid(environment).and_then(variables_of) else {
        return mended;
    };
    for name in DECISIVE.into_iter().filter(|name| *name != environment::HOME) {
        let found = started_with.iter().position(|(known, _)| known == name);
        let value = found.map(|index| started_with.swap_remove(index).1);
        mended = mended.with(name, value);
    }
    mended
}

/// The decisive variables a process was started with, where the system says so. A process that is only being started
/// seems to have none, and is taken for one that nobody can ask.
fn variables_of(pid: u32) -> Option<Vec<(String, OsString)>> {
    let whole = fs_err::read(format!("/proc/{pid}/environ")).ok()?;
    if whole.is_empty() {
        return None;
    }
    let pairs = whole.split(|byte| *byte == 0).filter_map(|pair| {
        let end = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = pair.split_at_checked(end)?;
        let name = DECISIVE.into_iter().find(|known| known.as_bytes() == name)?;
        let value = value.get(1..).filter(|value| !value.is_empty())?;
        Some((name.to_owned(), OsString::from_vec(value.to_owned())))
    });
    Some(pairs.collect())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn client(variables: &[(&str, &str)]) -> Child {
        let mut command = Command::new("/bin/sleep");
        command.arg("60").env_clear().envs(variables.iter().copied());
        let child = command.spawn().unwrap();
        while variables_of(child.id()).is_none() {
            std::thread::yield_now();
        }
        child
    }

    fn hook(client: &Child, variables: &[(&str, &str)]) -> Environment {
        Environment::of(variables).with("CLAUDE_PID", Some(client.id().to_string().into()))
    }

    #[test]
    fn a_state_folder_counts_that_the_entry_names_or_the_client_was_started_with() {
        let mut own = client(&[("TOPROPE_HOME", "/mine")]);
        let mine = hook(&own, &[("TOPROPE_HOME", "/mine")]);
        let foreign = hook(&own, &[("TOPROPE_HOME", "/evil")]);
        let folder = |environment: Environment| {
            let value = environment.text(environment::HOME);
            value.map(str::to_owned)
        };
        assert_eq!(folder(with_state_folder(mine, None)).as_deref(), Some("/mine"));
        let followed = with_state_folder(foreign.clone(), None);
        assert_eq!(folder(followed).as_deref(), Some("/mine"));
        let named = with_state_folder(foreign, Some("/named".into()));
        assert_eq!(folder(named).as_deref(), Some("/named"));
        own.kill().unwrap();
        own.wait().unwrap();
        let gone = hook(&own, &[("TOPROPE_HOME", "/mine")]);
        assert_eq!(
            folder(with_state_folder(gone, None)),
            None,
            "nobody vouches for it"
        );
    }

    #[test]
    fn programs_and_folders_are_those_of_the_client_s_start() {
        let mut own = client(&[("PATH", "/bin"), ("HOME", "/h")]);
        let hook = hook(
            &own,
            &[
                ("PATH", "/evil:/bin"),
                ("HOME", "/evil"),
                ("XDG_CONFIG_HOME", "/evil"),
                ("TOPROPE_HOME", "/named"),
                ("LANG", "C"),
            ],
        );
        let mended = of_client(&hook);
        let texts = ["PATH", "HOME", "XDG_CONFIG_HOME", "TOPROPE_HOME", "LANG"].map(|name| mended.text(name));
        assert_eq!(texts, [Some("/bin"), Some("/h"), None, Some("/named"), Some("C")]);
        own.kill().unwrap();
        own.wait().unwrap();
        assert_eq!(of_client(&hook), hook, "what nobody can say stays as it is");
    }
}
