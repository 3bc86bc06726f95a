//! What is promised about reading shell text, one file per promise.

mod constructs;
mod data;
mod folders;
mod growth;
mod hostile;
mod inner;
mod names;
mod random;
mod scripts;
mod spans;
mod spelling;
mod witness;
mod words;

use super::display;
use crate::{Budget, Command, Fact, Intent, Scene, UserWrappers, WorldFacts, read};
use std::collections::BTreeMap;

/// A world with some aliases, scripts and a repository at `/w`.
#[derive(Default)]
struct World {
    aliases: BTreeMap<&'static str, &'static str>,
    scripts: BTreeMap<&'static str, String>,
    budget: Budget,
    /// Everything was asked: what is not there does not exist.
    is_asked: bool,
}

impl WorldFacts for World {
    fn git_alias(&self, _cwd: &str, name: &str) -> Fact<String> {
        let found = self.aliases.get(name).map(|text| Fact::Is((*text).to_owned()));
        found.unwrap_or(if self.is_asked { Fact::None } else { Fact::NotAsked })
    }

    fn script(&self, path: &str) -> Fact<String> {
        let found = self.scripts.get(path).map(|text| Fact::Is(text.clone()));
        found.unwrap_or(if self.is_asked { Fact::None } else { Fact::NotAsked })
    }

    fn root(&self, _cwd: &str) -> Fact<String> {
        if self.is_asked {
            Fact::Is("/w".to_owned())
        } else {
            Fact::NotAsked
        }
    }
}

impl World {
    fn asked() -> Self {
        Self {
            is_asked: true,
            ..Self::default()
        }
    }

    fn read(&self, text: &str) -> Intent {
        let wrappers = UserWrappers::default();
        let scene = Scene {
            cwd: Some("/w/app".to_owned()),
            home: Some("/home/me".to_owned()),
            user: Some("me".to_owned()),
            tmpdir: None,
            budget: self.budget,
            wrappers: &wrappers,
            known: self,
        };
        read(text, &scene)
    }
}

/// The text read in a world where nothing was asked yet.
fn intent(text: &str) -> Intent {
    World::default().read(text)
}

/// Every command that does something itself, as one would write it.
fn commands(text: &str) -> Vec<String> {
    shown(&intent(text))
}

fn shown(intent: &Intent) -> Vec<String> {
    let own = intent.commands.iter().filter(|command| !command.wraps);
    own.map(|command| display::written(&command.argv)).collect()
}

/// The commands of one program.
fn calls(text: &str, program: &str) -> Vec<String> {
    let read = intent(text);
    let own = read
        .commands
        .iter()
        .filter(|command| command.program() == Some(program));
    own.map(|command| display::written(&command.argv)).collect()
}

fn first(text: &str) -> Command {
    intent(text).commands.into_iter().next().expect("a command")
}
