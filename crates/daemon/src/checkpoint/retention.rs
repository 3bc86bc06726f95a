//! tmp
use super::cutter::{CutError, Cutter};
/// tmp
pub fn tidy(_c: &Cutter<'_>) -> Result<(), CutError> {
    Ok(())
}
