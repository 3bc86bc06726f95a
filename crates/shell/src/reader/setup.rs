//! Programs that print the settings of a shell for it to read: `eval "$(ssh-agent -s)"`, `source <(kubectl completion bash)`.
//!
//! What they print is theirs to decide, as it is what any other named program does.

use super::ShellReader;
use super::running::CommandRun;
use crate::word::Word;

/// Programs, and the words of which one makes them print settings; without words they always do.
const TABLE: &[(&[&str], &[&str])] = &[
    (
        &[
            "dbus-launch",
            "dircolors",
            "lesspipe",
            "lesspipe.sh",
            "register-python-argcomplete",
            "resize",
            "ssh-agent",
            "tset",
        ],
        &[],
    ),
    (&["brew"], &["shellenv"]),
    (
        &["conda", "mamba", "micromamba"],
        &["shell", "shell.bash", "shell.posix", "shell.zsh"],
    ),
    (&["direnv"], &["hook", "export"]),
    (&["docker-machine", "fnm", "opam"], &["env"]),
    (&["fzf"], &["--bash", "--zsh"]),
    (&["keychain"], &["--eval"]),
    (&["luarocks"], &["path"]),
    (&["minikube"], &["docker-env", "podman-env"]),
    (&["mise", "rtx"], &["activate", "env", "hook-env"]),
    (&["atuin", "mcfly", "oh-my-posh", "starship", "zoxide"], &["init"]),
    (
        &["goenv", "jenv", "nodenv", "phpenv", "plenv", "pyenv", "rbenv"],
        &["init", "virtualenv-init"],
    ),
    (&["thefuck"], &["--alias"]),
];

/// Whether the command prints settings of a shell, and nothing else.
fn prints_settings(argv: &[Word]) -> bool {
    let Some(program) = argv.first().and_then(Word::literal) else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let words = || argv.iter().skip(1).filter_map(Word::literal);
    let completes = words()
        .next()
        .is_some_and(|word| matches!(word, "completion" | "completions"));
    completes
        || TABLE.iter().any(|(programs, wanted)| {
            programs.contains(&program) && (wanted.is_empty() || words().any(|word| wanted.contains(&word)))
        })
}

impl ShellReader<'_> {
    /// Whether all these commands print settings of a shell.
    pub(super) fn print_settings(&self, commands: &[usize]) -> bool {
        let printed = |index: &usize| {
            self.commands
                .get(*index)
                .is_some_and(|command| prints_settings(&command.argv))
        };
        !commands.is_empty() && commands.iter().all(printed)
    }

    /// Whether the code a command is given is one substitution, and that one prints settings of a shell.
    pub(super) fn is_given_settings(&self, run: &CommandRun) -> bool {
        let marks = run.text.matches(['$', '`']).count();
        let is_one = marks == 1 || (marks == 2 && run.text.matches('`').count() == 2);
        let [feed] = run.feeds.as_slice() else {
            return false;
        };
        is_one && self.print_settings(&feed.commands)
    }
}
