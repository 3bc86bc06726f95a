//! Turns the built-in option tables and rules into a form that a process reads only as far as it needs it.
//!
//! Reading all of the TOML takes longer than everything else a hook does. What is broken in it fails the build here, or the
//! test that compares what was written with what the TOML says.

#![expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

mod notation;
mod packs;

use fs_err as fs;
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let here = folder("CARGO_MANIFEST_DIR")?;
    let out = folder("OUT_DIR")?;
    println!("cargo::rerun-if-changed=build");
    let mut tables = notation::Tables::default();
    for file in files(&here.join("grammar"))? {
        let added = tables.add(&fs::read_to_string(&file)?);
        added.map_err(|wrong| format!("{}: {wrong:?}", file.display()))?;
    }
    fs::write(out.join("grammar.rs"), tables.source())?;
    fs::write(out.join("grammar.txt"), tables.text())?;
    let mut rules = packs::Rules::default();
    for file in files(&here.join("packs"))? {
        let added = rules.add(&fs::read_to_string(&file)?);
        added.map_err(|wrong| format!("{}: {wrong}", file.display()))?;
    }
    fs::write(out.join("packs.rs"), rules.source())?;
    fs::write(out.join("packs.txt"), rules.text())?;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo names its folders in the environment"
)]
fn folder(variable: &str) -> Result<PathBuf, Box<dyn Error>> {
    Ok(PathBuf::from(std::env::var(variable)?))
}

/// The TOML files of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            println!("cargo::rerun-if-changed={}", path.display());
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
