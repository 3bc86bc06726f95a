//! Names that stand for something else: functions, aliases of the shell, and aliases of git.

use super::following::{OuterCommand, RunMode};
use super::running::CommandRun;
use super::{GroupLevel, PrintedOutput, ShellReader, SourceText};
use crate::git_commands;
use crate::intent::{Stdin, UnreadCause, Want};
use crate::scene::Fact;
use crate::state::{Function, ShellState};
use crate::word::Word;
use std::rc::Rc;

/// How many aliases a text may set.
const MOST_ALIASES: usize = 64;
/// Options of git itself that take a value as the next word.
const VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
];

impl ShellReader<'_> {
    /// A function of the text: its body, with its own parameters.
    pub(super) fn call(
        &mut self,
        function: &Function,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let name = outer.run.argv.first().and_then(Word::literal).unwrap_or_default();
        // By name and body: a function may make another of its own name, and call that.
        let called: Rc<str> = format!("{name}\n{}", function.body).into();
        if level.calls.contains(&called) {
            // What it does is being read already. In parallel with itself it never ends.
            if level.background || matches!(outer.input.stdin, Stdin::Pipe(_)) {
                self.note(UnreadCause::CallsItself, &outer.run.text, Some(outer.index));
            }
            return PrintedOutput::default();
        }
        if level.calls.len() >= self.scene.budget.calls {
            self.run_over(&outer.run.text);
            return PrintedOutput::default();
        }
        self.marks_wrapper(outer.index);
        let mut inside = level.clone();
        inside.calls.push(called);
        inside.depth += 1;
        inside.input = outer.input.clone();
        let page = SourceText {
            text: &function.body,
            base: function.base,
            cuts: &[],
        };
        let words = outer.run.argv.get(1..).unwrap_or_default().to_vec();
        let before = state.positional.replace(Rc::new(words));
        let printed = self.page(&page, state, &inside);
        state.positional = before;
        state.has_left = false;
        printed
    }

    /// An alias of the shell: its text, with the other words behind it.
    pub(super) fn shell_alias(
        &mut self,
        text: &str,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        if level.aliases >= self.scene.budget.aliases {
            return PrintedOutput::default();
        }
        self.marks_wrapper(outer.index);
        let mut inside = level.clone();
        inside.aliases += 1;
        inside.depth += 1;
        inside.input = outer.input.clone();
        let before = Rc::clone(&state.aliases);
        if let Some(name) = outer.run.argv.first().and_then(Word::literal) {
            state.drop_alias(name);
        }
        let words = outer.run.argv.get(1..).unwrap_or_default().to_vec();
        let text = format!("{text} \"$@\"");
        let page = SourceText {
            text: &text,
            base: None,
            cuts: &[],
        };
        let positional = state.positional.replace(Rc::new(words));
        let printed = self.page(&page, state, &inside);
        state.positional = positional;
        state.aliases = before;
        printed
    }

    /// An alias of git. False if the command is none, as far as anybody knows.
    pub(super) fn git_alias(
        &mut self,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> bool {
        let Some(call) = GitCall::of(outer.run, state) else {
            return false;
        };
        if call.name == "config" {
            self.remember_alias(outer.run, call.at);
        }
        if git_commands::is_one(&call.name) || level.aliases >= self.scene.budget.aliases {
            return false;
        }
        let Some(value) = self.alias_value(&call, outer.run, state, level) else {
            return false;
        };
        self.marks_wrapper(outer.index);
        let mut inside = level.inside(format!("git {}", call.name), None, outer.input);
        inside.aliases += 1;
        let rest = outer.run.argv.get(call.at + 1..).unwrap_or_default();
        let mut own = state.clone();
        if let Some(text) = value.strip_prefix('!') {
            own.cwd = call.cwd;
            let text = format!("{text} \"$@\"");
            let way = RunMode {
                arguments: rest,
                is_same_shell: false,
            };
            let page = SourceText {
                text: &text,
                base: None,
                cuts: &[],
            };
            self.in_shell(&page, way, &mut own, &inside);
            return true;
        }
        let mut argv = outer.run.argv.get(..call.at).unwrap_or_default().to_vec();
        without_folders(&mut argv);
        argv.extend(words_of(&value).into_iter().map(Word::Literal));
        argv.extend(rest.iter().cloned());
        let mut run = CommandRun::new(argv);
        run.is_inner = true;
        run.env.clone_from(&outer.run.env);
        self.run(run, &mut own, &inside);
        true
    }

    fn alias_value(
        &mut self,
        call: &GitCall,
        run: &CommandRun,
        state: &ShellState,
        level: &GroupLevel,
    ) -> Option<String> {
        if let Some(value) = &call.given {
            return Some(value.clone());
        }
        if let Some(value) = alias_in_environment(&call.name, run, state, level) {
            return Some(value);
        }
        if let Some(value) = self.git_aliases.get(&call.name) {
            return Some(value.clone());
        }
        let cwd = call.cwd.as_deref()?;
        match self.scene.known.git_alias(cwd, &call.name) {
            Fact::Is(value) => Some(value),
            Fact::None => None,
            Fact::NotAsked => {
                self.want(Want::GitAlias {
                    cwd: cwd.to_owned(),
                    name: call.name.clone(),
                });
                None
            }
        }
    }

    /// `git config alias.name value`: from here on it counts.
    fn remember_alias(&mut self, run: &CommandRun, at: usize) {
        let mut words = run.argv.iter().skip(at + 1).map(Word::literal);
        let name = words.find_map(|word| word?.strip_prefix("alias."));
        if let (Some(name), Some(Some(value))) = (name, words.next())
            && self.git_aliases.len() < MOST_ALIASES
        {
            self.git_aliases.insert(name.to_owned(), value.to_owned());
        }
    }

    pub(super) fn root(&mut self, cwd: &str) -> Option<String> {
        match self.scene.known.root(cwd) {
            Fact::Is(root) => Some(root),
            Fact::None => None,
            Fact::NotAsked => {
                self.want(Want::Root { cwd: cwd.to_owned() });
                None
            }
        }
    }

    fn marks_wrapper(&mut self, index: usize) {
        if let Some(command) = self.commands.get_mut(index) {
            command.wraps = true;
        }
    }
}

/// A call of git that may be one of an alias.
struct GitCall {
    name: String,
    /// Where the name stands.
    at: usize,
    cwd: Option<String>,
    /// `-c alias.name=…`
    given: Option<String>,
}

impl GitCall {
    fn of(run: &CommandRun, state: &ShellState) -> Option<Self> {
        let mut settings = Vec::new();
        let mut at = 1;
        loop {
            let word = run.argv.get(at)?.literal()?;
            let value = run.argv.get(at + 1).and_then(Word::literal);
            match word {
                "-c" => settings.extend(value),
                option if option.starts_with('-') => {}
                name => {
                    let setting = format!("alias.{name}=");
                    let is_it = |given: &&str| {
                        given
                            .to_ascii_lowercase()
                            .starts_with(&setting.to_ascii_lowercase())
                    };
                    let given = settings
                        .into_iter()
                        .rfind(is_it)
                        .and_then(|given| given.get(setting.len()..));
                    return Some(Self {
                        name: name.to_owned(),
                        at,
                        // `-C` was followed before.
                        cwd: state.cwd.clone(),
                        given: given.map(str::to_owned),
                    });
                }
            }
            at += if VALUED.contains(&word) { 2 } else { 1 };
        }
    }
}

/// The alias runs in the folder that `-C` leads to; said twice it would lead further.
fn without_folders(argv: &mut Vec<Word>) {
    while let Some(place) = argv.iter().position(|word| word.literal() == Some("-C")) {
        argv.drain(place..(place + 2).min(argv.len()));
    }
}

/// `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n`.
fn alias_in_environment(
    name: &str,
    run: &CommandRun,
    state: &ShellState,
    level: &GroupLevel,
) -> Option<String> {
    let given = |key: &str| -> Option<String> {
        let pairs = level.env.iter().chain(&run.env).rev();
        let mut found = pairs.filter(|(other, _)| other == key);
        match found.next() {
            Some((_, word)) => word.literal().map(str::to_owned),
            None => state.text(key).map(str::to_owned),
        }
    };
    let count: usize = given("GIT_CONFIG_COUNT")?.parse().ok()?;
    let key = format!("alias.{name}");
    (0..count.min(64))
        .filter(|index| {
            given(&format!("GIT_CONFIG_KEY_{index}")).is_some_and(|found| found.eq_ignore_ascii_case(&key))
        })
        .find_map(|index| given(&format!("GIT_CONFIG_VALUE_{index}")))
}

/// The words of an alias, as git splits them.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_open = false;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ' | '\t' | '\n', None) => {
                if std::mem::take(&mut is_open) {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(mark)) if letter == mark => quote = None,
            ('\\', None | Some('"')) => word.extend(letters.next()),
            (letter, _) => word.push(letter),
        }
        is_open = true;
    }
    if is_open {
        words.push(word);
    }
    words
}
