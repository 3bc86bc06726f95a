//! Turns the built-in option tables into a form that a process reads only as far as it needs it.
//!
//! Reading all of the TOML takes longer than everything else a hook does. What is broken in it fails the build here, or the
//! test that compares what was written with what the TOML says.

#![expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

mod notation;
mod toml_files;

use fs_err as fs;
use std::error::Error;
use toml_files::{files, folder};

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
    Ok(())
}
