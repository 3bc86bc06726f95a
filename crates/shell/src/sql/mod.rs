//! Statements a database client is told to run: which of them destroy, and whether they say which rows.
//!
//! A token scan: comments, strings and quoted names are skipped, so that text in them never counts.

mod mongo;
mod redis;
mod token;

#[cfg(test)]
mod tests;

use super::gap;
use super::intent::Statement;
use token::{SqlToken, tokens};

/// The language of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SQL of any vendor.
    Sql,
    /// The commands of redis.
    Redis,
    /// The JavaScript of the mongo shell.
    Mongo,
}

/// How much text is looked at, and how many statements are told.
const MOST_BYTES: usize = 1024 * 1024;
const MOST_STATEMENTS: usize = 256;
const MOST_SHOWN: usize = 200;

/// The statements of a text that change or destroy something, in order.
pub fn statements(dialect: Dialect, text: &str) -> Vec<Statement> {
    let text = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text);
    let mut found = match dialect {
        Dialect::Sql => sql(text),
        Dialect::Redis => redis::statements(text),
        Dialect::Mongo => mongo::statements(text),
    };
    found.truncate(MOST_STATEMENTS);
    found
}

fn sql(text: &str) -> Vec<Statement> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for statement in tokens.split(|token| token.text == ";") {
        judge(text, statement, &mut found);
    }
    found
}

/// Verbs that make a statement; a common table expression and `explain` stand before one.
fn judge(text: &str, statement: &[SqlToken<'_>], found: &mut Vec<Statement>) {
    let Some(first) = statement.first() else { return };
    let at = match first.word().as_str() {
        "explain" if !statement.iter().any(|token| token.is("analyze")) => return,
        "with" | "explain" => statement.iter().position(|token| is_verb(&token.word())),
        "alter" => alter(statement),
        _ => Some(0),
    };
    let Some(start) = at else { return };
    let rest = statement.get(start..).unwrap_or_default();
    let Some(verb) = rest.first().map(SqlToken::word) else {
        return;
    };
    // The writing parts of a common table expression stand in brackets, each with a row choice of its own.
    let parts = if first.is("with") { rest } else { statement };
    for (at, token) in parts.iter().enumerate() {
        let is_part = at == 0 || first.is("with");
        if !is_part {
            break;
        }
        let word = if at == 0 && !first.is("with") {
            verb.clone()
        } else {
            token.word()
        };
        let part = parts.get(at..).unwrap_or_default();
        if is_verb(&word) && is_written(&word, part) {
            let has_where = chooses_rows(part);
            found.push(Statement {
                verb: word,
                has_where,
                text: shown(text, statement),
            });
        }
        if found.len() >= MOST_STATEMENTS {
            return;
        }
    }
}

fn is_verb(word: &str) -> bool {
    matches!(word, "drop" | "truncate" | "delete" | "update" | "dropdb")
}

/// `delete` and `update` are words of other statements too (`on delete cascade`, `for update`).
fn is_written(verb: &str, part: &[SqlToken<'_>]) -> bool {
    let second = part.get(1).map(SqlToken::word).unwrap_or_default();
    match verb {
        "delete" => {
            second == "from"
                || second == "low_priority"
                || second == "quick"
                || second == "ignore"
                || !second.is_empty() && part.iter().any(|token| token.is("from"))
        }
        "update" => part.iter().any(|token| token.is("set")),
        _ => !second.is_empty() || verb == "truncate",
    }
}

/// Whether a part says which rows it means; a condition that always holds does not.
fn chooses_rows(part: &[SqlToken<'_>]) -> bool {
    let tokens: Vec<&SqlToken<'_>> = within_brackets(part).collect();
    let condition = tokens.iter().position(|token| token.is("where"));
    let always = condition.is_some_and(|at| {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let words: Vec<String> = rest.iter().take(4).map(|token| token.word()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(
            words.as_slice(),
            ["true" | "1"] | ["true" | "1", "returning", ..] | ["1", "=", "1"] | ["1", "=", "1", "returning"]
        )
    });
    (condition.is_some() && !always) || tokens.iter().any(|token| token.is("limit"))
}

/// The tokens up to the bracket that closes the one around them.
fn within_brackets<'a>(part: &'a [SqlToken<'a>]) -> impl Iterator<Item = &'a SqlToken<'a>> {
    let mut depth = 0_i32;
    part.iter()
        .take_while(move |token| {
            depth += i32::from(token.text == "(") - i32::from(token.text == ")");
            depth >= 0
        })
        .scan(0_i32, |depth, token| {
            *depth += i32::from(token.text == "(") - i32::from(token.text == ")");
            Some((*depth, token))
        })
        .filter(|(depth, _)| *depth == 0)
        .map(|(_, token)| token)
}

/// `alter … drop …` drops; other alterations do not.
fn alter(statement: &[SqlToken<'_>]) -> Option<usize> {
    let at = statement.iter().position(|token| token.is("drop"))?;
    let what = statement.get(at + 1).map(SqlToken::word).unwrap_or_default();
    let is_setting = matches!(
        what.as_str(),
        "default" | "not" | "identity" | "expression" | "constraint"
    );
    (!is_setting).then_some(at)
}

fn shown(text: &str, statement: &[SqlToken<'_>]) -> String {
    let start = statement.first().map_or(0, |token| token.start);
    let end = statement
        .last()
        .map_or(start, |token| token.start + token.text.len());
    shortened(text.get(start..end).unwrap_or_default())
}

fn shortened(text: &str) -> String {
    let text = gap::shown(text);
    let line = text.split_whitespace().take(60).collect::<Vec<_>>().join(" ");
    let end = line.floor_char_boundary(MOST_SHOWN);
    line.get(..end).unwrap_or(&line).to_owned()
}
