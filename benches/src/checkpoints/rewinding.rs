//! A rewind, beside a look at the worktree and writing the same files plainly.

use super::Plan;
use super::desk::Desk;
use crate::report::Report;

/// See the module.
pub fn run(_plan: &Plan, _desks: &mut [Desk], _report: &mut Report) -> anyhow::Result<()> {
    Ok(())
}
