//! What a command prints, if that follows from its words and its known input: `echo`, `printf`, `base64 -d`, `rev`, `tr`.

mod base;
mod filter;
mod print;

#[cfg(test)]
mod tests;

use super::grammar::{self, Usage};
use super::word::Word;

pub(super) use base::{base64, hex};

/// More than this is not followed.
const MOST_BYTES: usize = 64 * 1024;

/// The bytes a command prints; none if they depend on anything but its words and the given input.
pub fn output(argv: &[Word], stdin: Option<&[u8]>) -> Option<Vec<u8>> {
    let written = argv.first()?.literal()?;
    let name = written.rsplit('/').next()?;
    let is_by_words = matches!(name, "echo" | "printf" | "true" | ":" | "false");
    // All others print something of their input, and most commands have none that is known.
    if !is_by_words && stdin.is_none() {
        return None;
    }
    let words: Vec<&str> = argv.iter().map(Word::literal).collect::<Option<_>>()?;
    let bytes = match name {
        "echo" => Some(print::echo(words.get(1..)?)),
        "printf" => print::printf(words.get(1..)?),
        "true" | ":" | "false" => Some(Vec::new()),
        _ => filtered(name, &grammar::usage(grammar::program(name), argv), stdin),
    }?;
    (bytes.len() <= MOST_BYTES).then_some(bytes)
}

/// Programs that change what they read.
fn filtered(name: &str, usage: &Usage<'_>, stdin: Option<&[u8]>) -> Option<Vec<u8>> {
    let operands: Vec<&str> = usage
        .operands
        .iter()
        .filter_map(|operand| operand.word.literal())
        .collect();
    // What is read from a named file is not known here.
    let reads_stdin = operands
        .iter()
        .all(|operand| matches!(*operand, "-" | "/dev/stdin"));
    let input = stdin.filter(|input| input.len() <= MOST_BYTES);
    match name {
        "base64" | "gbase64" if reads_stdin => {
            if usage.has("--decode") {
                base64(input?)
            } else {
                Some(base::to_base64(input?))
            }
        }
        "base32" if reads_stdin && usage.has("--decode") => base::base32(input?),
        "basenc" if reads_stdin && usage.has("--decode") => by_option(usage, input?),
        "xxd" if reads_stdin && usage.has("-r") => {
            if usage.has("-p") {
                hex(input?)
            } else {
                base::dump(input?)
            }
        }
        "openssl" if is_base64(usage) && !usage.has("-in") => {
            if usage.has("-d") {
                base64(input?)
            } else {
                Some(base::to_base64(input?))
            }
        }
        "cat" | "tee" | "pv" | "sponge" | "unbuffer" if reads_stdin || name == "tee" => {
            (name == "tee" || usage.options.is_empty()).then(|| input.map(<[u8]>::to_vec))?
        }
        "gunzip" | "zcat" | "gzcat" if reads_stdin => base::gunzip(input?, MOST_BYTES),
        "gzip" | "pigz" if reads_stdin && usage.has("--decompress") => base::gunzip(input?, MOST_BYTES),
        "rev" if reads_stdin => filter::rev(input?),
        "tac" if reads_stdin => filter::tac(input?),
        "tr" => filter::tr(usage, &operands, input?),
        "head" | "tail" if reads_stdin => filter::lines(name, usage, input?),
        "cut" if reads_stdin => filter::cut(usage, input?),
        "sed" => filter::sed(usage, &operands, input?),
        _ => None,
    }
}

fn is_base64(usage: &Usage<'_>) -> bool {
    match usage.sub.first() {
        Some(&"base64") => true,
        Some(&"enc") => usage.has("-base64") && !usage.options.iter().any(|given| given.name.contains("aes")),
        Some(_) | None => false,
    }
}

fn by_option(usage: &Usage<'_>, input: &[u8]) -> Option<Vec<u8>> {
    if usage.has("--base64") || usage.has("--base64url") {
        base64(input)
    } else if usage.has("--base16") {
        hex(input)
    } else if usage.has("--base32") {
        base::base32(input)
    } else {
        None
    }
}
