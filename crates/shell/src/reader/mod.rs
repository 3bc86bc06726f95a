//! Walks a text from its first to its last command, as the shell would, and notes each command that may run.

mod alias;
mod anchor;
mod assignment;
mod builtin;
mod compound;
mod display;
mod expansion;
mod files;
mod following;
mod list;
mod loops;
mod parameter;
mod redirection;
mod running;
mod script;
mod setup;
mod simple;
mod substitution;
mod task;
mod transformation;

use super::intent::{
    Chance, Command, Coverage, Intent, ReadingNote, Redirect, Span, Stdin, UnreadCause, Want,
};
use super::place::CommandHost;
use super::scan::{self, ElidedSpan, Limit, MaskedText, ScanFault};
use super::scene::Scene;
use super::state::ShellState;
use super::word::Word;
use files::ScriptFiles;
use shuck_ast::Stmt;
use shuck_parser::parser::{ParseResult, Parser};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a text would do, and whether anything in it depends on the person's variables, known or not.
pub(super) fn read(text: &str, scene: &Scene<'_>) -> (Intent, bool) {
    let mut reader = ShellReader::new(scene);
    let mut text = text;
    if text.len() > scene.budget.bytes {
        reader.note(UnreadCause::OverBudget, text, None);
        text = text
            .get(..text.floor_char_boundary(BEGINNING.min(scene.budget.bytes)))
            .unwrap_or_default();
    }
    let mut state = ShellState::new(scene);
    let page = SourceText {
        text,
        base: Some(0),
        cuts: &[],
    };
    let personal = state.personal();
    reader.page(&page, &mut state, &GroupLevel::default());
    let is_personal = personal.get() || reader.is_personal.get();
    (reader.finish(), is_personal)
}

/// How much is read of a text that is too long.
const BEGINNING: usize = 64 * 1024;

/// Everything that is found, and how much may still be looked at.
struct ShellReader<'a> {
    scene: &'a Scene<'a>,
    commands: Vec<Command>,
    notes: Vec<ReadingNote>,
    wants: Vec<Want>,
    nodes: usize,
    /// Bytes that may still be scanned, or copied from a value.
    bytes: usize,
    scripts: usize,
    files: ScriptFiles,
    /// Within a loop: loops within are walked once only.
    in_loop: bool,
    is_over: bool,
    /// How many process substitutions there were.
    pipes: usize,
    /// Aliases of git that the text itself sets.
    git_aliases: BTreeMap<String, String>,
    /// The person's home was asked for beside the variables.
    is_personal: Cell<bool>,
}

/// A text that is read, and where it stands in the original.
#[derive(Clone, Copy)]
struct SourceText<'t> {
    text: &'t str,
    base: Option<usize>,
    /// What the parser did not see of it: its offsets are those of a shorter text.
    cuts: &'t [ElidedSpan],
}

impl<'t> SourceText<'t> {
    /// Where the parser's offset is in the text.
    fn place(&self, offset: usize) -> usize {
        let before = self.cuts.iter().take_while(|cut| cut.at < offset);
        offset + before.map(|cut| cut.length).sum::<usize>()
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text
            .get(self.place(start)..self.place(end))
            .unwrap_or_default()
    }

    fn span(&self, start: usize, end: usize) -> Option<Span> {
        self.base.map(|base| Span {
            start: base + self.place(start),
            end: base + self.place(end),
        })
    }

    /// A part of it as a text of its own.
    fn part(&self, start: usize, end: usize) -> Self {
        Self {
            text: self.slice(start, end),
            base: self.base.map(|base| base + self.place(start)),
            cuts: &[],
        }
    }

    /// The same text as the parser saw it.
    fn cut<'c>(&self, cuts: &'c [ElidedSpan]) -> SourceText<'c>
    where
        't: 'c,
    {
        SourceText { cuts, ..*self }
    }
}

/// What holds for all commands of a group.
#[derive(Clone, Default)]
struct GroupLevel {
    through: Vec<String>,
    place: CommandHost,
    background: bool,
    chance: Chance,
    input: Input,
    redirects: Vec<Redirect>,
    /// Where those were opened.
    opened: Option<String>,
    /// Variables given by a wrapper.
    env: Vec<(String, Word)>,
    /// How deep it lies, over all texts.
    depth: usize,
    reparse: usize,
    /// Functions that are being called, outermost first.
    calls: Vec<Rc<str>>,
    aliases: usize,
}

/// What commands of a group find on their standard input.
#[derive(Clone)]
struct Input {
    stdin: Stdin,
    bytes: Option<Rc<Vec<u8>>>,
    /// The text with its gaps, if only some of it is known.
    template: Option<Rc<str>>,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            stdin: Stdin::Nothing,
            bytes: None,
            template: None,
        }
    }
}

/// What a part of the text prints, and by which commands.
#[derive(Debug, Clone, Default)]
struct PrintedOutput {
    /// The bytes, if all of them are known.
    bytes: Option<Vec<u8>>,
    by: Vec<usize>,
    /// The text with its gaps, if only some of it is known.
    template: Option<String>,
}

impl PrintedOutput {
    fn known(bytes: Option<Vec<u8>>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    fn nothing() -> Self {
        Self::known(Some(Vec::new()))
    }

    /// First this, then the other.
    fn then(mut self, other: Self) -> Self {
        self.by.extend(other.by);
        self.template = match (&self.bytes, &other.bytes) {
            (Some(bytes), None) if bytes.is_empty() => other.template,
            (None, Some(bytes)) if bytes.is_empty() => self.template,
            _ => None,
        };
        self.bytes = match (self.bytes, other.bytes) {
            (Some(mut one), Some(two)) if one.len() + two.len() <= KNOWN_BYTES => {
                one.extend(two);
                Some(one)
            }
            _ => None,
        };
        self
    }
}

/// Longer output is not followed.
const KNOWN_BYTES: usize = 64 * 1024;

impl<'a> ShellReader<'a> {
    fn new(scene: &'a Scene<'a>) -> Self {
        Self {
            scene,
            commands: Vec::new(),
            notes: Vec::new(),
            wants: Vec::new(),
            nodes: scene.budget.nodes,
            bytes: scene.budget.bytes.saturating_mul(2),
            scripts: scene.budget.scripts,
            files: ScriptFiles::default(),
            in_loop: false,
            is_over: false,
            pipes: 0,
            git_aliases: BTreeMap::new(),
            is_personal: Cell::new(false),
        }
    }

    fn finish(self) -> Intent {
        let is_opaque = self.notes.iter().any(|note| note.cause.is_opaque());
        let is_partial = self
            .commands
            .iter()
            .any(|command| command.argv.iter().any(Word::is_unknown));
        Intent {
            coverage: match (is_opaque, is_partial) {
                (true, _) => Coverage::Opaque,
                (false, true) => Coverage::Partial,
                (false, false) => Coverage::Full,
            },
            commands: self.commands,
            notes: self.notes,
            wants: self.wants,
        }
    }

    /// Takes one piece of syntax from the budget. False if there is none left: then nothing more is read.
    fn spend(&mut self) -> bool {
        let Some(left) = self.nodes.checked_sub(1) else {
            self.run_over("");
            return false;
        };
        self.nodes = left;
        true
    }

    /// Takes bytes from the budget, as `spend` does.
    fn spend_bytes(&mut self, count: usize) -> bool {
        let Some(left) = self.bytes.checked_sub(count) else {
            self.run_over("");
            return false;
        };
        self.bytes = left;
        true
    }

    fn run_over(&mut self, segment: &str) {
        if !self.is_over {
            self.is_over = true;
            self.note(UnreadCause::OverBudget, segment, None);
        }
    }

    fn note(&mut self, cause: UnreadCause, segment: &str, command: Option<usize>) {
        let note = ReadingNote {
            cause,
            segment: display::shortened(segment),
            command,
        };
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn want(&mut self, want: Want) {
        if self.wants.len() < MOST_NOTES && !self.wants.contains(&want) {
            self.wants.push(want);
        }
    }

    /// Takes several from the budget, as `spend` does.
    fn spend_more(&mut self, count: usize) -> bool {
        let Some(left) = self.nodes.checked_sub(count) else {
            self.nodes = 0;
            self.run_over("");
            return false;
        };
        self.nodes = left;
        true
    }

    /// Notes a command and says which one it is. It is judged later, by all it holds: that counts as well.
    fn emit(&mut self, command: Command) -> usize {
        self.spend_more(weight(&command));
        self.commands.push(command);
        self.commands.len() - 1
    }

    /// Reads a whole text.
    fn page(&mut self, page: &SourceText<'_>, state: &mut ShellState, level: &GroupLevel) -> PrintedOutput {
        if page.text.trim().is_empty() {
            return PrintedOutput::nothing();
        }
        if level.reparse > self.scene.budget.reparse || level.depth > self.scene.budget.depth {
            self.run_over(page.text);
            return PrintedOutput::default();
        }
        if !self.spend_bytes(page.text.len()) || !self.spend_more(PAGE) {
            return PrintedOutput::default();
        }
        let limit = Limit {
            depth: self.scene.budget.depth - level.depth,
            words: self.nodes,
        };
        match scan::blanked(page.text, limit) {
            Ok(shown) => self.parsed(page, &shown, state, level),
            Err(trouble) => self.troubled(page, trouble, limit, state, level),
        }
    }

    fn parsed(
        &mut self,
        whole: &SourceText<'_>,
        shown: &MaskedText,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let page = &whole.cut(&shown.cuts);
        let result = parse(&shown.text);
        let statements = &result.file.body.stmts;
        let Some(problem) = result.diagnostics.first() else {
            return self.list(statements, page, state, level);
        };
        let start = page.place(problem.span.start.offset());
        self.note(
            UnreadCause::Unparseable,
            whole.slice(start, whole.text.len()),
            None,
        );
        // The parser drops the whole statement it stumbles in: what stands complete before the place is read apart.
        let depth = self.scene.budget.depth;
        let complete = scan::complete_before(whole.text, start, depth);
        let mut behind = statements.as_slice();
        if let Ok(front) = scan::blanked(
            whole.slice(0, complete),
            Limit {
                depth,
                words: self.nodes,
            },
        ) {
            let result = parse(&front.text);
            if result.diagnostics.is_empty() {
                self.list(&result.file.body.stmts, &whole.cut(&front.cuts), state, level);
                let is_behind = |stmt: &Stmt| page.place(stmt.span.start.offset()) >= complete;
                let first = statements.iter().position(is_behind);
                behind = first.and_then(|at| statements.get(at..)).unwrap_or_default();
            }
        }
        self.list(behind, page, state, level);
        PrintedOutput::default()
    }

    /// A text that is not complete, or too much: what stands complete before runs all the same.
    fn troubled(
        &mut self,
        page: &SourceText<'_>,
        trouble: ScanFault,
        limit: Limit,
        state: &mut ShellState,
        level: &GroupLevel,
    ) -> PrintedOutput {
        let (cause, complete) = match trouble {
            ScanFault::TooDeep(complete) | ScanFault::TooLong(complete) => {
                (UnreadCause::OverBudget, complete)
            }
            ScanFault::Nul(complete) | ScanFault::Unfinished(complete) => {
                (UnreadCause::Unparseable, complete)
            }
        };
        self.note(cause, page.slice(complete, page.text.len()), None);
        if complete > 0 {
            let front = page.part(0, complete);
            if let Ok(shown) = scan::blanked(front.text, limit) {
                self.parsed(&front, &shown, state, level);
            }
        }
        PrintedOutput::default()
    }
}

/// Parses a text. Aliases are followed by the reader, who knows where every word stands; the parser would put their words
/// where nobody finds them, so it must not hear that the text switches them on.
fn parse(text: &str) -> ParseResult {
    const SWITCH: &str = "expand_aliases";
    if text.contains(SWITCH) {
        return Parser::new(&text.replace(SWITCH, "expand-aliases")).parse();
    }
    Parser::new(text).parse()
}

/// How many words, redirections, variables or makers of a command count as one piece of syntax.
const SMALL: usize = 4;
/// What reading a text is worth before anything is found in it, in pieces of syntax.
const PAGE: usize = 8;
/// What judging any command is worth, in pieces of syntax.
const JUDGED: usize = 10;

/// What a command counts, in pieces of syntax.
fn weight(command: &Command) -> usize {
    let sources = match &command.stdin {
        Stdin::Pipe(from) | Stdin::Substitution(from) => from.len(),
        Stdin::Nothing | Stdin::Heredoc { .. } | Stdin::HereString(_) | Stdin::File(_) => 0,
    };
    let fed: usize = command.feeds.iter().map(|feed| feed.commands.len()).sum();
    let words: usize = command.argv.iter().map(Word::count).sum();
    let parts = words + command.redirects.len() + command.env.len() + sources + fed;
    JUDGED + parts / SMALL
}

/// How many notes and wants are kept.
const MOST_NOTES: usize = 64;

#[cfg(test)]
mod tests;
