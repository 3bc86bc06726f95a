//! Walks through the tokens of code, follows literals through variables, and asks [`super::call`] what each call does.

use std::collections::HashMap;

use super::token::{CodeToken, tokens};
use super::value::{CodeValue, joined, path};
use super::{CodeAction, Language, MOST_EFFECTS, ProcessSpawn, binding, call};
use crate::word::Word;

/// How deep brackets are followed, and how many parts a list has at most.
const MOST_DEPTH: usize = 48;
const MOST_PARTS: usize = 256;
/// No known call has a longer name.
const MOST_NAME: usize = 128;
/// How often code may run code.
const MOST_LEVELS: usize = 3;

/// What code does, in order.
pub(super) fn effects(language: Language, text: &str, level: usize) -> Vec<CodeAction> {
    if level >= MOST_LEVELS {
        return Vec::new();
    }
    let tokens = tokens(language, text);
    let mut walk = CodeWalk {
        language,
        tokens: &tokens,
        at: 0,
        depth: 0,
        level,
        names: HashMap::new(),
        found: Vec::new(),
    };
    binding::imports(&mut walk);
    walk.at = 0;
    walk.statements();
    walk.found
}

pub(super) struct CodeWalk<'a> {
    pub(super) language: Language,
    pub(super) tokens: &'a [CodeToken],
    pub(super) at: usize,
    depth: usize,
    pub(super) level: usize,
    pub(super) names: HashMap<String, CodeValue>,
    pub(super) found: Vec<CodeAction>,
}

impl<'a> CodeWalk<'a> {
    pub(super) fn peek(&self, ahead: usize) -> Option<&'a CodeToken> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn next_is(&self, sign: char) -> bool {
        self.peek(0).is_some_and(|token| token.is(sign))
    }

    pub(super) fn effect(&mut self, effect: CodeAction) {
        if self.found.len() < MOST_EFFECTS {
            self.found.push(effect);
        }
    }

    fn statements(&mut self) {
        while self.at < self.tokens.len() {
            let before = self.at;
            self.statement();
            self.at = self.at.max(before + 1);
        }
    }

    fn statement(&mut self) {
        if self.language == Language::Tcl || self.language == Language::AppleScript {
            call::by_words(self);
            return;
        }
        if self.language == Language::Python && binding::looped(self) {
            return;
        }
        if let Some((name, length)) = binding::assigned(self) {
            self.at += length;
            let value = self.expression();
            self.names.insert(name, value);
            return;
        }
        let value = self.expression();
        if self.language == Language::Awk {
            call::awk_pipe(self, &value);
        }
    }

    /// One expression; what it is made of is walked through, whatever it is.
    pub(super) fn expression(&mut self) -> CodeValue {
        if self.depth >= MOST_DEPTH {
            self.at += 1;
            return CodeValue::Unknown;
        }
        self.depth += 1;
        let mut value = self.operand();
        while let Some(next) = self.combined(&value) {
            value = next;
        }
        self.depth -= 1;
        value
    }

    /// `a + b`, `a . b`, `a .. b`, `a / b` of paths.
    fn combined(&mut self, first: &CodeValue) -> Option<CodeValue> {
        let CodeValue::Text(left) = first else { return None };
        let (length, is_path) = match (self.language, self.peek(0)?, self.peek(1)) {
            (Language::Perl | Language::Php, CodeToken::Sign('.'), Some(next)) if !next.is('=') => (1, false),
            (Language::Lua, CodeToken::Sign('.'), Some(CodeToken::Sign('.'))) => (2, false),
            (Language::Python | Language::JavaScript | Language::Ruby, CodeToken::Sign('+'), Some(next))
                if !next.is('+') =>
            {
                (1, false)
            }
            (Language::Python | Language::Ruby, CodeToken::Sign('/'), Some(next)) if !next.is('/') => {
                (1, true)
            }
            (Language::Python | Language::Awk, CodeToken::Text(_), _)
            | (Language::Awk, CodeToken::Name(_), _) => (0, false),
            (Language::Python | Language::Ruby, CodeToken::Sign('%'), Some(_)) => {
                self.at += 1;
                self.operand();
                return Some(CodeValue::Text(formatted(left)));
            }
            _ => return None,
        };
        self.at += length;
        let left = left.clone();
        let second = self.operand();
        Some(CodeValue::Text(if is_path {
            path(&[CodeValue::Text(left), second])
        } else {
            joined(&left, &second.word())
        }))
    }

    fn operand(&mut self) -> CodeValue {
        let Some(token) = self.peek(0) else {
            return CodeValue::Unknown;
        };
        self.at += 1;
        let value = match token {
            CodeToken::Text(word) => CodeValue::Text(word.clone()),
            CodeToken::Command(word) => {
                self.effect(CodeAction::Spawn(ProcessSpawn::Text(word.clone())));
                CodeValue::Unknown
            }
            CodeToken::Name(name) => self.named(name),
            CodeToken::Sign('(') => one_of(self.list(')')),
            CodeToken::Sign('[') => CodeValue::List(self.list(']')),
            CodeToken::Sign('{') => self.object(),
            CodeToken::Sign('-' | '!' | '~' | '\\' | '&' | '*') if !self.at_end() => {
                return self.operand_again();
            }
            CodeToken::Sign(_) | CodeToken::Line => return CodeValue::Unknown,
        };
        self.behind(value)
    }

    fn operand_again(&mut self) -> CodeValue {
        if self.depth >= MOST_DEPTH {
            return CodeValue::Unknown;
        }
        self.depth += 1;
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn at_end(&self) -> bool {
        self.peek(0).is_none_or(|token| matches!(token, CodeToken::Line))
    }

    fn named(&mut self, name: &str) -> CodeValue {
        match name {
            "await" | "new" | "return" | "my" | "local" | "our" | "yield" | "void" | "not" | "async"
            | "print" | "puts" | "echo" => CodeValue::Unknown,
            _ => match self.names.get(name) {
                Some(value) => value.clone(),
                None => CodeValue::Symbol(name.to_owned()),
            },
        }
    }

    /// The members and calls behind a value.
    fn behind(&mut self, start: CodeValue) -> CodeValue {
        let mut value = start;
        loop {
            if matches!(&value, CodeValue::Symbol(name) if name.len() > MOST_NAME) {
                value = CodeValue::Unknown;
            }
            if let Some((name, length)) = self.member() {
                self.at += length;
                value = if self.next_is('(') {
                    self.at += 1;
                    let arguments = self.list(')');
                    call::method(self, &value, &name, &arguments)
                } else if let Some(arguments) = self.bare_arguments(&value, &name) {
                    call::method(self, &value, &name, &arguments)
                } else {
                    call::member(self, &value, &name)
                };
            } else if self.next_is('(') && !matches!(value, CodeValue::Text(_)) {
                self.at += 1;
                let arguments = self.list(')');
                value = call::function(self, &value, &arguments);
            } else if let (CodeValue::Symbol(name), Some(CodeToken::Sign(open @ ('[' | '{')))) =
                (&value, self.peek(0))
            {
                let Some(indexed) = self.index(&name.clone(), *open) else {
                    return value;
                };
                value = indexed;
            } else if let (CodeValue::Symbol(name), Some(CodeToken::Text(word))) = (&value, self.peek(0))
                && call::is_tag(self.language, name)
            {
                self.at += 1;
                self.effect(CodeAction::Spawn(ProcessSpawn::Text(word.clone())));
                value = CodeValue::Unknown;
            } else if let CodeValue::Symbol(name) = &value
                && let Some(arguments) = self.bare_call(&name.clone())
            {
                value = call::function(self, &value, &arguments);
            } else {
                return value;
            }
        }
    }

    /// `.name`, `?.name`, `::name`, `->name`, and how many tokens that is.
    fn member(&self) -> Option<(String, usize)> {
        let at = |ahead: usize| self.peek(ahead);
        let sign = |ahead: usize, sign: char| at(ahead).is_some_and(|token| token.is(sign));
        let skip = match self.language {
            Language::Perl | Language::Php if sign(0, '-') && sign(1, '>') => 2,
            Language::Perl | Language::Php | Language::Ruby if sign(0, ':') && sign(1, ':') => 2,
            Language::Perl | Language::Php | Language::Awk => return None,
            _ if sign(0, '.') => 1,
            _ if (sign(0, '?') || sign(0, '&')) && sign(1, '.') => 2,
            _ if matches!(at(0), Some(CodeToken::Line)) && sign(1, '.') => 2,
            _ => return None,
        };
        let name = at(skip)?.name()?;
        Some((name.to_owned(), skip + 1))
    }

    /// `x['HOME']` and `$ENV{HOME}`.
    fn index(&mut self, name: &str, open: char) -> Option<CodeValue> {
        let close = if open == '[' { ']' } else { '}' };
        if open == '{' && self.language != Language::Perl {
            return None;
        }
        let key = match (self.peek(1)?, self.peek(2)?) {
            (CodeToken::Text(Word::Literal(key)) | CodeToken::Name(key), end) if end.is(close) => key.clone(),
            _ => return None,
        };
        self.at += 3;
        let is_environment = matches!(
            name,
            "os.environ" | "process.env" | "ENV" | "$ENV" | "$_SERVER" | "$_ENV" | "ENVIRON"
        );
        Some(if is_environment {
            call::variable(&key)
        } else {
            CodeValue::Symbol(format!("{name}.{key}"))
        })
    }

    /// The values up to a closing bracket; named arguments are one object at the end.
    pub(super) fn list(&mut self, close: char) -> Vec<CodeValue> {
        let mut values = Vec::new();
        let mut named = Vec::new();
        while let Some(token) = self.peek(0) {
            match token {
                CodeToken::Sign(sign) if *sign == close => {
                    self.at += 1;
                    break;
                }
                CodeToken::Sign(',') | CodeToken::Line => self.at += 1,
                CodeToken::Name(name) if self.is_named_argument() => {
                    self.at += 2;
                    let value = self.expression();
                    named.push((name.clone(), value));
                }
                CodeToken::Text(_) | CodeToken::Command(_) | CodeToken::Sign(_) | CodeToken::Name(_) => {
                    let before = self.at;
                    let value = self.expression();
                    self.at = self.at.max(before + 1);
                    if !matches!(token, CodeToken::Sign(sign) if !matches!(sign, '(' | '[' | '{' | '*' | '\\' | '-'))
                        && values.len() < MOST_PARTS
                    {
                        values.push(value);
                    }
                }
            }
        }
        if !named.is_empty() {
            values.push(CodeValue::Object(named));
        }
        values
    }

    fn is_named_argument(&self) -> bool {
        let sign = |ahead: usize, sign: char| self.peek(ahead).is_some_and(|token| token.is(sign));
        match self.language {
            Language::Python => sign(1, '=') && !sign(2, '='),
            Language::Ruby => sign(1, ':') && !sign(2, ':'),
            _ => false,
        }
    }

    /// `{ key: value, … }`, or a block whose statements are walked through.
    fn object(&mut self) -> CodeValue {
        let mut parts = Vec::new();
        while let Some(token) = self.peek(0) {
            if token.is('}') {
                self.at += 1;
                break;
            }
            let key = match token {
                CodeToken::Name(key) | CodeToken::Text(Word::Literal(key))
                    if self.peek(1).is_some_and(|next| next.is(':')) =>
                {
                    Some(key)
                }
                _ => None,
            };
            if let Some(key) = key {
                self.at += 2;
                let value = self.expression();
                parts.push((key.clone(), value));
                continue;
            }
            let before = self.at;
            if self.depth >= MOST_DEPTH {
                self.at += 1;
            } else {
                self.depth += 1;
                self.statement();
                self.depth -= 1;
            }
            self.at = self.at.max(before + 1);
        }
        if parts.len() > MOST_PARTS {
            CodeValue::Unknown
        } else {
            CodeValue::Object(parts)
        }
    }

    /// Perl and Ruby call without brackets; the arguments go up to the end of the statement.
    fn bare_call(&mut self, name: &str) -> Option<Vec<CodeValue>> {
        if !call::takes_bare(self.language, name) {
            return None;
        }
        Some(self.bare_list())
    }

    fn bare_arguments(&mut self, value: &CodeValue, name: &str) -> Option<Vec<CodeValue>> {
        let CodeValue::Symbol(module) = value else {
            return None;
        };
        if self.language != Language::Ruby || !call::takes_bare(self.language, &format!("{module}.{name}")) {
            return None;
        }
        Some(self.bare_list())
    }

    fn bare_list(&mut self) -> Vec<CodeValue> {
        let mut values = Vec::new();
        while let Some(token) = self.peek(0) {
            let ends = match token {
                CodeToken::Line | CodeToken::Sign(';' | '}' | ')' | '|' | '?') => true,
                CodeToken::Name(name) => matches!(
                    name.as_str(),
                    "if" | "unless" | "or" | "and" | "do" | "for" | "foreach" | "while"
                ),
                CodeToken::Text(_) | CodeToken::Command(_) | CodeToken::Sign(_) => false,
            };
            if ends {
                break;
            }
            if token.is(',') {
                self.at += 1;
                continue;
            }
            let before = self.at;
            let value = self.expression();
            self.at = self.at.max(before + 1);
            if values.len() < MOST_PARTS {
                values.push(value);
            }
        }
        values
    }
}

fn one_of(values: Vec<CodeValue>) -> CodeValue {
    match values.as_slice() {
        [one] => one.clone(),
        _ => CodeValue::List(values),
    }
}

/// `"rm %s" % x`: what stands before the first place is known.
fn formatted(template: &Word) -> Word {
    let prefix = template.prefix().split('%').next().unwrap_or_default().to_owned();
    Word::Unknown {
        prefix,
        suffix: String::new(),
        quoted: true,
        name: None,
    }
}
