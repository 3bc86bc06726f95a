//! Option tables of programs: which words of a command are options, values, subcommands and operands.
//!
//! The tables are data (`grammar/*.toml`); `build/notation.rs` says how they are written, [`usage`] reads a command by one.

mod built_in;
mod table;
mod usage;

#[cfg(test)]
mod tests;

pub use table::{Flag, KnownProgram, OptionStyle, Table, Takes};
pub use usage::{Given, Operand, Usage, usage};

/// The option table of a program, by base name; `python3.12` finds `python3`, then `python`.
pub fn program(name: &str) -> Option<KnownProgram> {
    if let Some(program) = built_in::program(name) {
        return Some(program);
    }
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    built_in::program(name).or_else(|| built_in::program(plain))
}
