//! What a command runs itself: its inner words, texts, code and statements are read as well.

use super::running::CommandRun;
use super::{GroupLevel, Input, PrintedOutput, ShellReader, SourceText};
use crate::inner::{CodeSource, Inner, Inputs};
use crate::intent::{Feed, Span, Stdin, UnreadCause};
use crate::place::CommandHost;
use crate::state::ShellState;
use crate::word::Word;
use crate::{gap, path, sql, unwrap};
use std::ops::Range;
use std::rc::Rc;

/// Programs that run something, but do something themselves as well.
const MORE_THAN_WRAPPERS: &[&str] = &[
    "find", "fd", "fdfind", "git", "docker", "podman", "nerdctl", "kubectl", "make", "npm", "yarn", "pnpm",
    "bun", "just", "rsync", "tar",
];

/// How many inputs of `xargs` are followed one by one.
const MOST_INPUTS: usize = 256;

/// How a text is run.
#[derive(Clone, Copy)]
pub(super) struct RunMode<'w> {
    /// Its positional parameters.
    pub(super) arguments: &'w [Word],
    /// What it sets stays.
    pub(super) is_same_shell: bool,
}

impl RunMode<'_> {
    /// In a shell of its own, without parameters.
    pub(super) const APART: Self = Self {
        arguments: &[],
        is_same_shell: false,
    };
}

/// The command that runs something, and what it finds.
#[derive(Clone, Copy)]
pub(super) struct OuterCommand<'o> {
    pub(super) run: &'o CommandRun,
    pub(super) index: usize,
    pub(super) input: &'o Input,
}

impl ShellReader<'_> {
    /// Follows what the command runs. None if it runs nothing that can be followed.
    pub(super) fn follow(
        &mut self,
        program: &str,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let mut inners = unwrap::inner(&outer.run.argv, self.scene.wrappers);
        if program == "git" {
            inners.extend(helpers(outer.run, state, level));
        }
        if inners.is_empty() {
            return self.program_file(outer, state, level);
        }
        let mark = self.commands.len();
        let mut printed: Option<PrintedOutput> = None;
        for inner in inners {
            if self.is_over {
                return Some(PrintedOutput::default());
            }
            let found = self.inner(program, inner, outer, state, level);
            printed = match (printed, found) {
                (None, found) => found,
                (Some(before), Some(found)) => Some(before.then(found)),
                (Some(before), None) => Some(before),
            };
        }
        if self.commands.len() > mark
            && !MORE_THAN_WRAPPERS.contains(&program)
            && let Some(command) = self.commands.get_mut(outer.index)
        {
            command.wraps = true;
        }
        printed
    }

    fn inner(
        &mut self,
        program: &str,
        inner: Inner,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> Option<PrintedOutput> {
        let given;
        // What a wrapper or a shell is given, it gives to what it runs.
        let level = if outer.run.env.is_empty() {
            level
        } else {
            given = level.given(&outer.run.env);
            &given
        };
        match inner {
            Inner::Words {
                words,
                from,
                inputs,
                cwd,
                env,
                place,
                through,
            } => {
                let inside = level.inside(through, place, outer.input);
                let mut run = outer.run.part(words, from);
                run.env = env;
                self.give_inputs(&mut run, inputs, outer);
                let is_same = matches!(program, "command" | "builtin" | "exec" | "noglob" | "nocorrect");
                run.is_inner = !is_same;
                if is_same && cwd.is_none() {
                    return Some(self.run(run, state, &inside));
                }
                let mut own = state.clone();
                if let Some(folder) = cwd {
                    let folder = folder
                        .literal()
                        .and_then(|folder| path::joined(own.cwd.as_deref(), folder));
                    own.go(folder);
                }
                Some(self.run(run, &mut own, &inside))
            }
            Inner::Text {
                text,
                arguments,
                is_same_shell,
                place,
                through,
            } => {
                let mut inside = level.inside(through, place, outer.input);
                inside.reparse += 1;
                let way = RunMode {
                    arguments: &arguments,
                    is_same_shell,
                };
                Some(self.text(&text, way, outer, state, &inside))
            }
            Inner::Stdin { place, through } => {
                let mut inside = level.inside(through, place, &Input::default());
                inside.reparse += 1;
                Some(self.standard_input(outer, state, &inside))
            }
            Inner::File {
                path,
                index,
                arguments,
                is_same_shell,
                through,
            } => {
                let mut inside = level.inside(through, None, outer.input);
                inside.reparse += 1;
                let way = RunMode {
                    arguments: &arguments,
                    is_same_shell,
                };
                self.script(&path, index, way, outer, state, &inside)
            }
            Inner::Code {
                language,
                source,
                through,
            } => {
                let mut inside = level.inside(through, None, outer.input);
                inside.reparse += 1;
                self.code(language, &source, outer, state, &inside)
            }
            Inner::Sql { dialect, source } => {
                let text = self.source_text(&source, outer, state)?;
                let statements = sql::statements(dialect, self.beginning(&text, outer)?);
                if let Some(command) = self.commands.get_mut(outer.index) {
                    command.statements.extend(statements);
                }
                None
            }
            Inner::Task { runner, name } => {
                let mut inside = level.inside(
                    format!("{runner} {name}").trim_end().to_owned(),
                    None,
                    outer.input,
                );
                inside.reparse += 1;
                self.task(&runner, &name, outer, state, &inside)
            }
        }
    }

    /// What `xargs` and `find` add to the words.
    fn give_inputs(&mut self, run: &mut CommandRun, inputs: Inputs, outer: OuterCommand<'_>) {
        let (replace, by) = match (inputs, &outer.input.stdin) {
            (Inputs::None, _) => return,
            (Inputs::Known(words), _) => {
                for word in words {
                    run.push_word(word);
                }
                return;
            }
            (Inputs::Stdin { replace }, Stdin::Pipe(by) | Stdin::Substitution(by)) => (replace, by.clone()),
            (Inputs::Stdin { replace }, _) => (replace, [].into()),
        };
        let given = self.given_words(outer, replace.is_some(), &by);
        let feed = |word: usize| Feed {
            word,
            commands: by.to_vec(),
        };
        match (replace, given) {
            (None, Some(words)) => {
                for word in words {
                    run.push_word(word);
                }
            }
            (None, None) => {
                run.feeds.push(feed(run.argv.len()));
                run.push_word(Word::unknown_words());
            }
            (Some(mark), given) => {
                let has_mark = |word: &Word| word.literal().is_some_and(|text| text.contains(&mark));
                let marked = run.argv.iter().enumerate().filter(|(_, word)| has_mark(word));
                let feeds: Vec<Feed> = marked.map(|(place, _)| feed(place)).collect();
                let words = given.unwrap_or_else(|| vec![Word::unknown()]);
                run.argv = unwrap::replaced(&run.argv, &mark, &words);
                run.feeds.extend(feeds);
                run.fit();
            }
        }
        if run.argv.len() > self.scene.budget.words {
            self.run_over(&run.text);
        }
    }

    /// What standard input says, as words or as lines; where a search feeds it, what the search finds.
    fn given_words(&self, outer: OuterCommand<'_>, as_lines: bool, by: &[usize]) -> Option<Vec<Word>> {
        let Some(bytes) = &outer.input.bytes else {
            return self.searched(by);
        };
        let text = str::from_utf8(bytes).ok()?;
        let separators: &[char] = if as_lines {
            &['\n', '\0']
        } else {
            &[' ', '\t', '\n', '\0']
        };
        let words: Vec<&str> = text.split(separators).filter(|word| !word.is_empty()).collect();
        let unquoted = |word: &str| Word::new(word.trim().trim_matches(['"', '\'']));
        (words.len() <= MOST_INPUTS).then(|| words.into_iter().map(unquoted).collect())
    }

    /// The patterns of the `find` at the start of a pipe, through programs that only choose lines.
    fn searched(&self, by: &[usize]) -> Option<Vec<Word>> {
        let mut command = self.commands.get(*by.last()?)?;
        for _ in 0..8 {
            match (command.program()?, &command.stdin) {
                ("grep" | "egrep" | "sort" | "uniq" | "head" | "tail" | "tac", Stdin::Pipe(by)) => {
                    command = self.commands.get(*by.last()?)?;
                }
                _ => break,
            }
        }
        unwrap::places(&command.argv)
    }

    /// Shell text in a word.
    fn text(
        &mut self,
        text: &Word,
        way: RunMode<'_>,
        outer: OuterCommand<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let template = outer.run.template_of(text);
        let texts = match (text.texts(), &template) {
            ([], Some(template)) => std::slice::from_ref(template),
            (texts, _) => texts,
        };
        if texts.is_empty() || template.as_deref().is_some_and(gap::is_blank) {
            if !self.is_given_settings(outer.run) {
                self.note(UnreadCause::UnknownCode, &outer.run.text, Some(outer.index));
            }
            return PrintedOutput::default();
        }
        let mut printed = PrintedOutput::default();
        for (index, text) in texts.iter().enumerate() {
            let page = SourceText {
                text,
                base: None,
                cuts: &[],
            };
            let found = self.in_shell(&page, way, state, level);
            printed.bytes = found.bytes.filter(|_| index == 0 && texts.len() == 1);
        }
        printed
    }

    /// Reads a text in this shell or in one of its own.
    pub(super) fn in_shell(
        &mut self,
        page: &SourceText<'_>,
        way: RunMode<'_>,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let positional = Some(Rc::new(way.arguments.to_vec()));
        if !way.is_same_shell {
            let mut own = state.clone();
            own.positional = positional;
            return self.page(page, &mut own, level);
        }
        if way.arguments.is_empty() {
            return self.page(page, state, level);
        }
        let before = std::mem::replace(&mut state.positional, positional);
        let printed = self.page(page, state, level);
        state.positional = before;
        printed
    }

    /// A shell that reads its commands from standard input.
    pub(super) fn standard_input(
        &mut self,
        outer: OuterCommand<'_>,
        state: &ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let known = match (&outer.input.bytes, &outer.input.template) {
            (Some(bytes), _) => String::from_utf8(bytes.to_vec()).ok(),
            (None, Some(template)) if !gap::is_blank(template) => Some(template.to_string()),
            _ => None,
        };
        if let Some(text) = known {
            let page = SourceText {
                text: &text,
                base: None,
                cuts: &[],
            };
            return self.page(&page, &mut state.clone(), level);
        }
        match &outer.input.stdin {
            Stdin::Nothing => {}
            Stdin::File(word) => {
                let file = word.clone();
                let place = outer.run.argv.len();
                let found = self.script(&file, place, RunMode::APART, outer, &mut state.clone(), level);
                return found.unwrap_or_default();
            }
            Stdin::Pipe(_) | Stdin::Heredoc { .. } | Stdin::HereString(_) | Stdin::Substitution(_) => {
                self.note(UnreadCause::UnknownInput, &outer.run.text, Some(outer.index));
            }
        }
        PrintedOutput::default()
    }

    /// The text of code or statements, if it is known.
    pub(super) fn source_text(
        &mut self,
        source: &CodeSource,
        outer: OuterCommand<'_>,
        state: &ShellState,
    ) -> Option<String> {
        match source {
            CodeSource::Text(word) => match word.texts() {
                [] => outer.run.template_of(word).filter(|text| !gap::is_blank(text)),
                texts => Some(texts.join("\n")),
            },
            CodeSource::Stdin => match (&outer.input.bytes, &outer.input.stdin) {
                (Some(bytes), _) => String::from_utf8(bytes.to_vec()).ok(),
                (None, Stdin::File(word)) => self.file_text(&word.clone(), state),
                (None, _) => outer.input.template.as_deref().map(str::to_owned),
            },
            CodeSource::File(word) => self.file_text(word, state),
        }
    }
}

/// Variables that name a command git runs for itself: an editor, a pager, a way to the other side.
const HELPERS: [&str; 11] = [
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "PAGER",
    "VISUAL",
];

/// The commands that git is told by its variables to run. One nobody knows is the person's own.
fn helpers(run: &CommandRun, state: &ShellState, level: &GroupLevel) -> Vec<Inner> {
    let told = |name: &&str| {
        let mut given = level.env.iter().chain(&run.env).rev();
        let text = match given.find(|(other, _)| other == name) {
            Some((_, word)) => word.literal(),
            None => state.text(name),
        };
        text.map(|text| Inner::Text {
            text: Word::new(text),
            arguments: Vec::new(),
            is_same_shell: false,
            place: None,
            through: format!("git by {name}"),
        })
    };
    HELPERS.iter().filter_map(told).collect()
}

impl GroupLevel {
    /// The same with variables that a command is given.
    fn given(&self, env: &[(String, Word)]) -> Self {
        let mut given = self.clone();
        given.env.extend_from_slice(env);
        given
    }

    /// The level of what a command runs.
    pub(super) fn inside(&self, through: String, place: Option<CommandHost>, input: &Input) -> Self {
        let mut inside = self.clone();
        inside.through.push(through);
        if let Some(place) = place {
            inside.place = place;
        }
        inside.input = input.clone();
        inside.redirects = Vec::new();
        inside.depth += 1;
        inside
    }
}

impl CommandRun {
    /// Some of its words as a command of its own.
    fn part(&self, words: Vec<Word>, from: Option<Range<usize>>) -> Self {
        let mut run = Self::new(words);
        let Some(range) = from else {
            return run;
        };
        run.spans = self.spans.get(range.clone()).unwrap_or_default().to_vec();
        run.spans.resize(run.argv.len(), None);
        run.templates = self.templates.get(range.clone()).unwrap_or_default().to_vec();
        let moved = |feed: &Feed| {
            let word = feed
                .word
                .checked_sub(range.start)
                .filter(|_| range.contains(&feed.word))?;
            Some(Feed {
                word,
                commands: feed.commands.clone(),
            })
        };
        run.feeds = self.feeds.iter().filter_map(moved).collect();
        if let (Some(Some(first)), Some(Some(last))) = (run.spans.first(), run.spans.last()) {
            run.span = Some(Span {
                start: first.start,
                end: last.end,
            });
        }
        run
    }

    fn push_word(&mut self, word: Word) {
        self.argv.push(word);
        self.fit();
    }

    /// Words that were added stand nowhere in the text.
    fn fit(&mut self) {
        self.spans.resize(self.argv.len(), None);
        self.templates.resize(self.argv.len(), None);
    }

    /// The text of a word that is known but for some variables, with these as `${…}`.
    pub(super) fn template_of(&self, word: &Word) -> Option<String> {
        let place = self.argv.iter().position(|other| other == word)?;
        self.templates.get(place)?.clone()
    }
}
