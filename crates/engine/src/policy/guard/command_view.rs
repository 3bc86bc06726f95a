//! One command as rules see it: its words told apart by its program's option table.

use super::exec::is_interpreter;
use super::glob::literal_prefix;
use super::world::GuardWorld;
use super::zone::{CommandFolder, Zone, ZonedTarget, of_word};
use shell::grammar::{self, Given, Operand, Usage};
use shell::runner::SHELLS;
use shell::{Command, CommandHost, Intent, Span, Stdin, Word};

/// Two commands that stand further apart are not shown as one.
const LONGEST_TOGETHER: usize = 400;
/// Programs that hand their words on, or whose `-h` is no question.
const NO_HELP: [&str; 16] = [
    "eval", "source", ".", "exec", "xargs", "find", "echo", "printf", "shutdown", "reboot", "halt",
    "poweroff", "test", "[", "tmux", "screen",
];

/// A command with its words told apart.
pub struct CommandView<'a> {
    /// The whole text.
    pub text: &'a str,
    /// All commands of the text.
    pub intent: &'a Intent,
    /// Which of them this is.
    pub index: usize,
    /// The command.
    pub command: &'a Command,
    /// The base name of its program, if that is certain.
    pub program: Option<&'a str>,
    /// Its words told apart.
    pub usage: Usage<'a>,
}

impl<'a> CommandView<'a> {
    /// Looks at one command of a text.
    pub fn new(text: &'a str, intent: &'a Intent, index: usize, command: &'a Command) -> Self {
        let program = program(command);
        let usage = grammar::usage(program.and_then(grammar::program), &command.argv);
        Self {
            text,
            intent,
            index,
            command,
            program,
            usage,
        }
    }

    /// Where the command stands.
    pub fn stand(&self) -> CommandFolder<'a> {
        CommandFolder {
            cwd: self.command.cwd.as_deref(),
            place: &self.command.place,
        }
    }

    /// The zone of one of its words. What the text itself made is the session's.
    pub fn zone(&self, word: &Word, world: &GuardWorld<'_>) -> ZonedTarget {
        let zoned = of_word(word, self.stand(), world);
        if !world.has_made() {
            return zoned;
        }
        let is_local =
            self.command.place == CommandHost::Local && !matches!(zoned.zone, Zone::Own | Zone::Secret);
        match zoned.path.as_deref() {
            Some(path)
                if is_local && (world.is_made(certain(path)) || world.is_temporary(literal_prefix(path))) =>
            {
                ZonedTarget {
                    zone: Zone::Created,
                    whole: false,
                    ..zoned
                }
            }
            Some(_) | None => zoned,
        }
    }

    /// Whether it only prints how it is called: `git stash --help`.
    pub fn asks_for_help(&self) -> bool {
        let Some(program) = self.program else {
            return false;
        };
        // What these run is not theirs to explain.
        if self.command.wraps || self.is(&NO_HELP) || SHELLS.contains(&program) || is_interpreter(self) {
            return false;
        }
        let words = self.usage.sub.len() + 2;
        let only = self.command.argv.len() == words;
        let first = self
            .operands()
            .first()
            .map_or(usize::MAX, |operand| operand.index);
        let asks = self
            .usage
            .options
            .iter()
            .any(|given| match given.written.as_ref() {
                // Where a program takes options only in front of its operands, one behind them is an operand.
                "--help" | "-help" => {
                    given.value.is_none() && (!self.usage.sub.is_empty() || given.index < first)
                }
                "--version" | "-h" => only && given.value.is_none() && given.sure,
                _ => false,
            });
        asks || (program == "aws" && self.command.argv.last().and_then(Word::literal) == Some("help"))
    }

    /// Whether the program is one of these.
    pub fn is(&self, programs: &[&str]) -> bool {
        self.program.is_some_and(|program| programs.contains(&program))
    }

    /// Whether the subcommand path begins like this.
    pub fn sub(&self, path: &[&str]) -> bool {
        self.usage.sub.len() >= path.len()
            && self
                .usage
                .sub
                .iter()
                .zip(path)
                .all(|(given, wanted)| given == wanted)
    }

    /// Whether one of these options is given, by any of its names.
    pub fn has(&self, names: &[&str]) -> bool {
        self.given(names).is_some()
    }

    /// The first of these options that is given.
    pub fn given(&self, names: &[&str]) -> Option<&Given<'a>> {
        self.usage
            .options
            .iter()
            .find(|given| names.iter().any(|name| given.is(name)))
    }

    /// The last value of an option.
    pub fn value(&self, names: &[&str]) -> Option<&Word> {
        self.usage
            .options
            .iter()
            .rev()
            .find(|given| names.iter().any(|name| given.is(name)))
            .and_then(|given| given.value.as_deref())
    }

    /// Its operands.
    pub fn operands(&self) -> &[Operand<'a>] {
        &self.usage.operands
    }

    /// Its operands that are literal, as text.
    pub fn literals(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.usage
            .operands
            .iter()
            .filter_map(|operand| operand.word.literal())
    }

    /// The command as people should see it, from where its source stands if there is one: `curl https://host/x | sh`.
    pub fn segment(&self, source: Option<Span>) -> String {
        let together = || {
            let (own, source) = (self.command.span?, source?);
            let whole = Span {
                start: own.start.min(source.start),
                end: own.end.max(source.end),
            };
            whole.of(self.text).filter(|text| text.len() <= LONGEST_TOGETHER)
        };
        together().map_or_else(|| self.command.text.clone(), str::to_owned)
    }

    /// The commands of the text that stand before it.
    pub fn before(&self) -> &'a [Command] {
        self.intent.commands.get(..self.index).unwrap_or_default()
    }

    /// The commands whose output it reads, in front of it in pipes.
    pub fn upstream(&self) -> Vec<usize> {
        upstream(self.intent, self.index)
    }
}

/// How many commands in front of one are looked at.
const MOST_UPSTREAM: usize = 64;

/// The commands whose output a command reads, in front of it in pipes.
pub fn upstream(intent: &Intent, index: usize) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut next = vec![index];
    while let Some(index) = next.pop() {
        for index in read_by(intent, index) {
            if found.len() >= MOST_UPSTREAM {
                return found;
            }
            if !found.contains(index) {
                found.push(*index);
                next.push(*index);
            }
        }
    }
    found
}

/// The commands whose output a command has on its standard input.
pub fn read_by(intent: &Intent, index: usize) -> &[usize] {
    match intent.commands.get(index).map(|command| &command.stdin) {
        Some(Stdin::Pipe(from) | Stdin::Substitution(from)) => from,
        Some(Stdin::Nothing | Stdin::Heredoc { .. } | Stdin::HereString(_) | Stdin::File(_)) | None => &[],
    }
}

/// The part of a path that a pattern in it leaves certain.
fn certain(path: &str) -> &str {
    let fixed = literal_prefix(path);
    if fixed.len() == path.len() {
        return path;
    }
    fixed.rsplit_once('/').map_or(fixed, |(folder, _)| folder)
}

/// The base name of a program, also where only the folder in front of it is unknown.
pub fn program(command: &Command) -> Option<&str> {
    if let Some(program) = command.program() {
        return Some(program);
    }
    match command.argv.first() {
        Some(Word::Unknown { suffix, .. }) => suffix
            .rsplit_once('/')
            .map(|(_, name)| name)
            .filter(|name| !name.is_empty()),
        Some(Word::Literal(_) | Word::OneOf(_) | Word::Glob { .. }) | None => None,
    }
}
