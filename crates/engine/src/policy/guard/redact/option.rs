//! Secrets that only an option of a certain program announces: `curl -u me:…`, `mysql -p…`, `sshpass -p …`.

use super::value::{ValueStyle, blanks, moved, value};
use std::ops::Range;

/// Options of curl that take no value, so that others may follow in the same word.
const PLAIN_FLAGS: &str = "0123469#BGIJLNORSZafgijklnpqsv";

/// Programs whose options hold secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// `-u user:secret`
    Curl,
    /// `-psecret`; `-p` alone asks for it.
    Mysql,
    /// `-p secret`, then another command.
    Sshpass,
    /// `-a secret`
    Redis,
    /// Its `login` has `-p secret`, its `run` has ports there.
    Docker,
    DockerLogin,
}

/// The program whose options are being read.
#[derive(Debug, Default)]
pub struct ProgramOptions {
    program: Option<Program>,
    quote: Option<char>,
}

impl ProgramOptions {
    /// A letter between two words: outside of quotes some end a command.
    pub fn pass(&mut self, letter: char) {
        match (self.quote, letter) {
            (Some(open), closing) if open == closing => self.quote = None,
            (None, '"' | '\'') => self.quote = Some(letter),
            (None, ';' | '|' | '&') | (_, '\n') => self.program = None,
            _ => {}
        }
    }

    /// The secret of the option that the text begins with, whose first word this is.
    pub fn secret_at(&mut self, word: &str, text: &str) -> Option<Range<usize>> {
        let Some(program) = self.program else {
            self.program = program(word);
            return None;
        };
        let others = text.get(word.len()..)?;
        match program {
            Program::Curl => curl(word, text),
            Program::Mysql => attached(word, text, "-p"),
            Program::Redis if matches!(word, "-a" | "--pass") => next(word, others),
            Program::Sshpass | Program::DockerLogin => {
                if word == "-p" && !others.starts_with(['"', '\'']) {
                    return next(word, others);
                }
                if program == Program::Sshpass && !word.starts_with('-') {
                    // Its options end where the command begins that it runs.
                    self.program = None;
                    return None;
                }
                attached(word, text, "-p")
            }
            Program::Docker => {
                if word == "login" {
                    self.program = Some(Program::DockerLogin);
                }
                None
            }
            Program::Redis => None,
        }
    }
}

fn program(word: &str) -> Option<Program> {
    match word.rsplit('/').next().unwrap_or(word) {
        "curl" => Some(Program::Curl),
        "mysql" | "mariadb" | "mysqldump" | "mariadb-dump" | "mysqladmin" | "mysqlimport" | "mysqlshow"
        | "mysqlcheck" => Some(Program::Mysql),
        "sshpass" => Some(Program::Sshpass),
        "redis-cli" => Some(Program::Redis),
        "docker" | "podman" => Some(Program::Docker),
        _ => None,
    }
}

/// `-u`, `-su`, `--user`, `--proxy-user`, each with a value beside it or after it, of which the part after the colon counts.
fn curl(word: &str, text: &str) -> Option<Range<usize>> {
    let at = if matches!(word, "--user" | "--proxy-user") {
        let others = text.get(word.len()..)?;
        let blanks = if others.starts_with('=') {
            1
        } else {
            blanks(others)
        };
        (blanks > 0).then_some(word.len() + blanks)?
    } else {
        let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'))?;
        let user = flags.find(['u', 'U'])?;
        if !flags.get(..user)?.chars().all(|flag| PLAIN_FLAGS.contains(flag)) {
            return None;
        }
        let at = user + 2;
        at + blanks(text.get(at..)?)
    };
    let found = moved(&value(text.get(at..)?, ValueStyle::Shell)?, at);
    let colon = text.get(found.clone())?.find(':')?;
    let secret = found.start + colon + 1..found.end;
    let is_named_elsewhere = text.get(secret.clone())?.starts_with(['$', '<']);
    (!secret.is_empty() && !is_named_elsewhere).then_some(secret)
}

/// `-psecret`, `-p'secret'`
fn attached(word: &str, text: &str, option: &str) -> Option<Range<usize>> {
    word.starts_with(option).then_some(())?;
    Some(moved(
        &value(text.get(option.len()..)?, ValueStyle::Shell)?,
        option.len(),
    ))
}

/// `-p secret`
fn next(word: &str, others: &str) -> Option<Range<usize>> {
    let blanks = blanks(others);
    let found = (blanks > 0).then(|| value(others.get(blanks..)?, ValueStyle::Shell))??;
    Some(moved(&found, word.len() + blanks))
}
