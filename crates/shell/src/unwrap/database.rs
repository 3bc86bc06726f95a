//! Database clients: where the statements they are told to run are.

use super::outer::{WrapperCommand, has_ending, joined};
use crate::inner::{CodeSource, Inner};
use crate::sql::Dialect;
use crate::word::Word;

/// How a client takes statements.
#[derive(Clone, Copy)]
pub(super) struct Client {
    dialect: Dialect,
    /// Options whose value is statements.
    text: &'static [&'static str],
    /// Options whose value is a file of statements.
    file: &'static [&'static str],
    /// From which operand on every operand is statements.
    operands: Option<usize>,
}

const fn sql(
    text: &'static [&'static str],
    file: &'static [&'static str],
    operands: Option<usize>,
) -> Client {
    Client {
        dialect: Dialect::Sql,
        text,
        file,
        operands,
    }
}

pub(super) fn client(name: &str) -> Option<Client> {
    match name {
        "psql" | "pgcli" | "ysqlsh" => Some(sql(&["--command"], &["--file"], None)),
        "cockroach" => Some(sql(&["-e"], &["--file"], None)),
        "mysql" | "mariadb" | "mycli" => Some(sql(&["--execute"], &[], None)),
        "sqlite3" | "sqlite" | "litecli" => Some(sql(&["-cmd"], &["-init"], Some(1))),
        "duckdb" => Some(sql(&["-c", "-s", "-cmd"], &["--file", "--init"], Some(1))),
        "clickhouse-client" | "clickhouse-local" | "clickhouse" => Some(sql(&["--query"], &[], None)),
        "sqlcmd" | "osql" | "isql" => Some(sql(&["--query", "-Q"], &["--init"], None)),
        "cqlsh" | "trino" | "presto" | "hive" | "beeline" => Some(sql(&["--execute"], &["--file"], None)),
        "snowsql" | "impala-shell" | "usql" => Some(sql(&["--query", "-c"], &["--file"], None)),
        "mongosh" | "mongo" => Some(Client {
            dialect: Dialect::Mongo,
            text: &["--eval"],
            file: &["--file"],
            operands: None,
        }),
        "redis-cli" | "valkey-cli" | "keydb-cli" => Some(Client {
            dialect: Dialect::Redis,
            text: &[],
            file: &[],
            operands: Some(0),
        }),

        "bq" | "mysqladmin" | "mariadb-admin" => Some(sql(&[], &[], Some(0))),
        _ => None,
    }
}

pub(super) fn inner(outer: &WrapperCommand<'_>, client: Client) -> Vec<Inner> {
    if outer.usage.has("--version") || outer.usage.has("--help") || outer.usage.has("--list") {
        return Vec::new();
    }
    if outer.name.ends_with("admin") {
        return admin(outer);
    }
    if outer.name == "bq" && !outer.is_sub(&["query"]) {
        return Vec::new();
    }
    let mut sources: Vec<CodeSource> = Vec::new();
    for name in client.text {
        sources.extend(outer.values(name).map(|text| CodeSource::Text(text.clone())));
    }
    for name in client.file {
        sources.extend(outer.values(name).map(|file| match file.literal() {
            Some("-" | "/dev/stdin") => CodeSource::Stdin,
            Some(_) | None => CodeSource::File(file.clone()),
        }));
    }
    if let Some(from) = client.operands {
        let words = outer.operands(from);
        if client.dialect == Dialect::Redis && !words.is_empty() {
            let words: Vec<Word> = words.into_iter().map(any_keys).collect();
            sources.push(CodeSource::Text(joined(&words)));
        } else {
            sources.extend(words.into_iter().map(CodeSource::Text));
        }
    }
    if client.dialect == Dialect::Mongo {
        let scripts = outer
            .operands(0)
            .into_iter()
            .filter(|word| word.literal().is_some_and(|text| has_ending(text, "js")));
        sources.extend(scripts.map(CodeSource::File));
    }
    if sources.is_empty() {
        sources.push(CodeSource::Stdin);
    }
    sources
        .into_iter()
        .map(|source| Inner::Sql {
            dialect: client.dialect,
            source,
        })
        .collect()
}

/// Words that nobody knows the number of (`… | xargs redis-cli del`) are as good as a pattern.
fn any_keys(word: Word) -> Word {
    match word {
        Word::Unknown { quoted: false, .. } => Word::new("*"),
        word => word,
    }
}

/// `mysqladmin drop name` says in words what a statement would.
fn admin(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let words = outer.operands(0);
    let at = words.iter().position(|word| word.literal() == Some("drop"));
    let Some(name) = at.and_then(|at| words.get(at + 1)) else {
        return Vec::new();
    };
    let text = Word::Literal(format!("DROP DATABASE {}", name.literal().unwrap_or("unknown")));
    vec![Inner::Sql {
        dialect: Dialect::Sql,
        source: CodeSource::Text(text),
    }]
}
