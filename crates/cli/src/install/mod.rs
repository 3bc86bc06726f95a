//! Registers Toprope's hook in an agent's settings, and takes it out again.
//!
//! The file belongs to the person: only our entries are written, everything else keeps its bytes, and what was there
//! before is kept so that it can be put back. Nothing here prints, asks or reads the environment.

pub mod apply;
pub mod backup;
pub mod claude_code;
pub mod error;
pub mod handler;
pub mod json;
pub mod plan;
pub mod remove;
pub mod settings_file;
pub mod strip;
pub mod target;

#[cfg(test)]
mod tests;

/// Is told of each step as it is reached: nothing in product use, a crash or a rival's edit in a test.
///
/// `read` the file was read, `original-kept` its bytes are safe, `kept` so is the record of what we write,
/// `folder` the settings folder exists, `staged` the new file lies complete beside the old one, `replaced` it took its
/// place (or the file is gone), `forgotten` the kept original is dropped.
pub type InstallProbe<'probe> = &'probe dyn Fn(&str);
