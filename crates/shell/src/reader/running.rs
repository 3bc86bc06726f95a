//! One command with its words known: it is noted, its effect on the state is followed, and so is what it runs.

use super::builtin::builtin;
use super::following::OuterCommand;
use super::redirection::Redirected;
use super::{GroupLevel, Input, PrintedOutput, ShellReader, anchor, display};
use crate::decode;
use crate::field::ExpandedWord;
use crate::intent::{Command, Feed, Span, Stdin, UnreadCause};
use crate::path;
use crate::state::ShellState;
use crate::word::Word;
use std::rc::Rc;

/// How many exported variables a command carries, and how long their values may be.
const EXPORTED: usize = 8;
const EXPORTED_BYTES: usize = 128;

/// A command that is about to run.
#[derive(Default)]
pub(super) struct CommandRun {
    pub(super) argv: Vec<Word>,
    pub(super) spans: Vec<Option<Span>>,
    pub(super) feeds: Vec<Feed>,
    /// Words that are known but for some gaps, as text.
    pub(super) templates: Vec<Option<String>>,
    pub(super) span: Option<Span>,
    pub(super) text: String,
    pub(super) env: Vec<(String, Word)>,
    pub(super) redirected: Redirected,
    /// Its name is written out, so that an alias of that name counts.
    pub(super) is_written: bool,
    /// It was found inside another command's words, so that functions and builtins of this shell do not count.
    pub(super) is_inner: bool,
}

impl CommandRun {
    pub(super) fn new(argv: Vec<Word>) -> Self {
        Self {
            spans: vec![None; argv.len()],
            templates: vec![None; argv.len()],
            argv,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, field: ExpandedWord, span: Option<Span>) {
        if !field.feeds.is_empty() {
            self.feeds.push(Feed {
                word: self.argv.len(),
                commands: field.feeds,
            });
        }
        self.argv.push(field.word);
        self.spans.push(span);
        self.templates.push(field.template);
    }

    fn program(&self) -> Option<&str> {
        let name = self.argv.first()?.literal()?;
        name.rsplit('/').next().filter(|base| !base.is_empty())
    }
}

impl ShellReader<'_> {
    pub(super) fn run(
        &mut self,
        mut run: CommandRun,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        if !self.spend() || level.depth > self.scene.budget.depth {
            self.run_over(&run.text);
            return PrintedOutput::default();
        }
        if run.text.is_empty() {
            run.text = display::written(&run.argv);
        }
        if let Some(Word::OneOf(names)) = run.argv.first().cloned() {
            return self.any_program(&run, &names, state, level);
        }
        if let Some(mut there) = moved(&run, state) {
            run.redirected.hold(state.cwd.as_deref(), there.cwd.as_deref());
            return self.run_here(run, &mut there, level);
        }
        self.run_here(run, state, level)
    }

    fn run_here(&mut self, mut run: CommandRun, state: &mut ShellState, level: &GroupLevel) -> PrintedOutput {
        let input = run
            .redirected
            .input
            .clone()
            .unwrap_or_else(|| level.input.clone());
        let output = run.redirected.output.take();
        let mark = self.commands.len();
        let command = Self::command(&mut run, state, level);
        let index = self.emit(command);
        let outer = OuterCommand {
            run: &run,
            index,
            input: &input,
        };
        let mut printed = self.effects(outer, state, level);
        printed.bytes = printed.bytes.filter(|bytes| bytes.len() <= super::KNOWN_BYTES);
        printed.by = (mark..self.commands.len()).collect();
        self.record_files(&run, index, &input, &printed, state);
        self.written(printed, output, state.cwd.as_deref())
    }

    /// Each program the first word may be is a command of its own.
    fn any_program(
        &mut self,
        run: &CommandRun,
        names: &[String],
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let mut printed = PrintedOutput::default();
        let mut ends = Vec::new();
        for name in names {
            let mut argv = run.argv.clone();
            if let Some(first) = argv.first_mut() {
                *first = Word::new(name.as_str());
            }
            let choice = CommandRun {
                argv,
                spans: run.spans.clone(),
                feeds: run.feeds.clone(),
                templates: run.templates.clone(),
                span: run.span,
                text: run.text.clone(),
                env: run.env.clone(),
                redirected: Redirected {
                    list: run.redirected.list.clone(),
                    input: run.redirected.input.clone(),
                    output: None,
                },
                is_written: false,
                is_inner: run.is_inner,
            };
            let mut own = state.clone();
            printed.by.extend(self.run(choice, &mut own, level).by);
            ends.push(own);
        }
        super::compound::join_all(state, ends);
        printed
    }

    /// The command as others will see it.
    pub(super) fn command(run: &mut CommandRun, state: &ShellState, level: &GroupLevel) -> Command {
        let mut env = state.exported(EXPORTED);
        for (_, word) in &mut env {
            if word.texts().iter().any(|text| text.len() > EXPORTED_BYTES) {
                *word = Word::unknown();
            }
        }
        env.extend(level.env.iter().cloned());
        env.extend(run.env.iter().cloned());
        let mut redirects = level.redirects.clone();
        anchor::hold(&mut redirects, level.opened.as_deref(), state.cwd.as_deref());
        redirects.append(&mut run.redirected.list);
        let own = run.redirected.input.as_ref().map(|input| input.stdin.clone());
        Command {
            argv: run.argv.clone(),
            spans: run.spans.clone(),
            span: run.span,
            text: run.text.clone(),
            through: level.through.clone(),
            wraps: false,
            cwd: state.cwd.clone(),
            redirects,
            stdin: own.unwrap_or_else(|| level.input.stdin.clone()),
            env,
            feeds: run.feeds.clone(),
            place: level.place.clone(),
            background: level.background,
            chance: level.chance,
            effect: None,
            statements: Vec::new(),
        }
    }

    /// What the command does to the state, what it runs, and what it prints if that is known.
    fn effects(
        &mut self,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let run = outer.run;
        let Some(name) = run.argv.first().and_then(Word::literal) else {
            if run.argv.first().is_some_and(Word::is_unknown) {
                self.note(UnreadCause::UnknownProgram, &run.text, Some(outer.index));
            }
            return PrintedOutput::default();
        };
        if run.is_written
            && let Some(text) = state.aliases.get(name).cloned()
        {
            return self.shell_alias(&text, outer, state, level);
        }
        if !run.is_inner
            && let Some(function) = state.functions.get(name).cloned()
        {
            return self.call(&function, outer, state, level);
        }
        let Some(program) = run.program().map(str::to_owned) else {
            return PrintedOutput::default();
        };
        if let Some(bytes) = builtin(&program, run, outer.input, state) {
            return PrintedOutput::known(Some(bytes));
        }
        if program == "git" && self.git_alias(outer, state, level) {
            return PrintedOutput::default();
        }
        if let Some(printed) = self.follow(&program, outer, state, level) {
            return printed;
        }
        let mut printed = PrintedOutput::known(self.known_output(&program, run, outer.input, state));
        if printed.bytes.is_none() {
            printed.template = template_output(&program, run, outer.input);
        }
        printed
    }

    /// What it prints, where words and input leave no doubt.
    fn known_output(
        &mut self,
        program: &str,
        run: &CommandRun,
        input: &Input,
        state: &ShellState,
    ) -> Option<Vec<u8>> {
        let word = |index: usize| run.argv.get(index).and_then(Word::literal);
        let line = |text: &str| Some(format!("{text}\n").into_bytes());
        match program {
            "pwd" => line(state.cwd.as_deref()?),
            "which" => line(&format!("/usr/bin/{}", word(1)?)),
            "command" | "type" if matches!(word(1), Some("-v" | "-p" | "-P")) => {
                line(&format!("/usr/bin/{}", word(2)?))
            }
            "mktemp" => line(&self.temporary(&run.argv, state)?),
            "git"
                if run
                    .argv
                    .iter()
                    .any(|word| word.literal() == Some("--show-toplevel")) =>
            {
                line(&self.root(state.cwd.as_deref()?)?)
            }
            "tee" => input.bytes.as_ref().map(|bytes| bytes.to_vec()),
            "cat" if run.argv.len() > 1 => self.files_joined(run, input, state),
            _ => {
                let stdin = input.bytes.as_ref().map(|bytes| bytes.as_slice());
                let stdin = stdin.filter(|bytes| bytes.len() <= super::KNOWN_BYTES);
                let output = decode::output(&run.argv, stdin)?;
                // A chain of filters would work through its text again and again.
                let count = output.len().max(stdin.map_or(0, <[u8]>::len));
                self.spend_bytes(count).then_some(output)
            }
        }
    }

    /// A name that `mktemp` may make: somewhere among temporary files.
    fn temporary(&self, argv: &[Word], state: &ShellState) -> Option<String> {
        let folder = state
            .text("TMPDIR")
            .or(self.scene.tmpdir.as_deref())
            .unwrap_or("/tmp");
        let mut template = None;
        let mut folder = folder.trim_end_matches('/').to_owned();
        let mut words = argv.iter().skip(1);
        let mut is_below = false;
        while let Some(word) = words.next() {
            match word.literal()? {
                "-p" => words
                    .next()?
                    .literal()?
                    .trim_end_matches('/')
                    .clone_into(&mut folder),
                "-t" => is_below = true,
                option if option.starts_with("--tmpdir=") => option.get(9..)?.clone_into(&mut folder),
                "--tmpdir" => is_below = true,
                option if option.starts_with('-') => {}
                text => template = Some(text.to_owned()),
            }
        }
        Some(match template {
            Some(path) if path.starts_with('/') => path,
            Some(name) if is_below => format!("{folder}/{name}"),
            Some(name) => path::joined(state.cwd.as_deref(), &name)?,
            None => format!("{folder}/tmp.XXXXXXXXXX"),
        })
    }

    /// `cat` of files this text wrote.
    fn files_joined(&mut self, run: &CommandRun, input: &Input, state: &ShellState) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for word in run.argv.iter().skip(1) {
            match word.literal()? {
                "-" => bytes.extend_from_slice(input.bytes.as_ref()?),
                option if option.starts_with('-') => return None,
                file => bytes.extend_from_slice(self.files.find(state.cwd.as_deref(), file)?.bytes.as_ref()?),
            }
            if bytes.len() > super::KNOWN_BYTES {
                return None;
            }
        }
        self.spend_bytes(bytes.len()).then_some(bytes)
    }

    /// Files that it writes, or whose content it moves, are known from here on.
    fn record_files(
        &mut self,
        run: &CommandRun,
        index: usize,
        input: &Input,
        printed: &PrintedOutput,
        state: &ShellState,
    ) {
        let Some(program) = run.program() else {
            return;
        };
        let cwd = state.cwd.as_deref();
        let operands: Vec<&str> = run.argv.iter().skip(1).filter_map(Word::literal).collect();
        match program {
            "tee" => {
                let appends = operands.contains(&"-a");
                for file in operands.iter().filter(|word| !word.starts_with('-')) {
                    let by = match &input.stdin {
                        Stdin::Pipe(by) => by.to_vec(),
                        _ => printed.by.clone(),
                    };
                    let made = super::files::KnownContent {
                        bytes: input.bytes.clone(),
                        by: Rc::new(by),
                    };
                    if appends {
                        self.files.append(cwd, file, &made);
                    } else {
                        self.files.write(cwd, file, made);
                    }
                }
            }
            "cp" | "mv" | "ln" | "install" => {
                let plain: Vec<&&str> = operands.iter().filter(|word| !word.starts_with('-')).collect();
                if let [from, to] = plain.as_slice()
                    && let Some(made) = self.files.find(cwd, from).cloned()
                {
                    self.files.write(cwd, to, made);
                }
            }
            "curl" | "wget" => self.downloaded(&operands, index, cwd),
            _ => {}
        }
    }

    fn downloaded(&mut self, operands: &[&str], index: usize, cwd: Option<&str>) {
        for (place, word) in operands.iter().enumerate() {
            let next = operands.get(place + 1).copied();
            let file = match *word {
                "-o" | "-O" | "--output" | "--output-document" => next,
                word => ["-o", "-O", "--output=", "--output-document="]
                    .iter()
                    .find_map(|option| word.strip_prefix(option))
                    .filter(|file| !file.is_empty())
                    // `-fsSLo file`
                    .or_else(|| next.filter(|_| is_cluster_ending_in_o(word))),
            };
            if let Some(file) = file.filter(|file| *file != "-") {
                let made = super::files::KnownContent {
                    bytes: None,
                    by: Rc::new(vec![index]),
                };
                self.files.write(cwd, file, made);
            }
        }
    }
}

/// The state where `git -C` and `make -C` run; none if the command stays where it is.
fn moved(run: &CommandRun, state: &ShellState) -> Option<ShellState> {
    if !matches!(run.program(), Some("git" | "make" | "gmake" | "ninja")) {
        return None;
    }
    let mut moved: Option<ShellState> = None;
    let mut words = run.argv.iter().skip(1);
    while let Some(word) = words.next() {
        let target = match word.literal() {
            Some("-C" | "--directory") => words.next()?.literal().map(str::to_owned),
            Some("-c" | "--git-dir" | "--work-tree" | "--namespace") => {
                words.next();
                continue;
            }
            Some(text) => match (text.strip_prefix("-C"), text.strip_prefix("--directory=")) {
                (Some(target), _) | (None, Some(target)) => Some(target.to_owned()),
                (None, None) if text.starts_with('-') => continue,
                (None, None) => break,
            },
            None => break,
        };
        let mut there = moved.unwrap_or_else(|| state.clone());
        let folder = target.and_then(|target| path::joined(there.cwd.as_deref(), &target));
        there.go(folder);
        moved = Some(there);
    }
    moved
}

fn is_cluster_ending_in_o(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with(['o', 'O']) && word.len() > 2
}

/// What `echo`, `cat` and `tee` pass on of a text with gaps.
fn template_output(program: &str, run: &CommandRun, input: &Input) -> Option<String> {
    match program {
        "cat" if run.argv.len() == 1 => input.template.as_deref().map(str::to_owned),
        "tee" => input.template.as_deref().map(str::to_owned),
        "echo" => {
            let words = run.argv.iter().zip(&run.templates).skip(1);
            let texts: Option<Vec<&str>> = words
                .map(|(word, template)| word.literal().or(template.as_deref()))
                .collect();
            let is_option = |text: &&str| matches!(*text, "-n" | "-e" | "-E" | "-ne");
            Some(
                texts?
                    .into_iter()
                    .skip_while(is_option)
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        }
        _ => None,
    }
}
