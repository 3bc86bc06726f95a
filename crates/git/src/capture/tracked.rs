//! What the index has at a path: known beforehand, or asked once when it first matters.

use std::cell::OnceCell;

use crate::object::TreeLeaf;

/// See the module.
pub struct Tracked<'ask> {
    known: OnceCell<Option<TreeLeaf>>,
    ask: Option<&'ask dyn Fn() -> Option<TreeLeaf>>,
}

impl<'ask> Tracked<'ask> {
    pub fn known(entry: Option<TreeLeaf>) -> Self {
        Self {
            known: OnceCell::from(entry),
            ask: None,
        }
    }

    pub fn asked(ask: &'ask dyn Fn() -> Option<TreeLeaf>) -> Self {
        Self {
            known: OnceCell::new(),
            ask: Some(ask),
        }
    }

    pub fn get(&self) -> Option<TreeLeaf> {
        *self.known.get_or_init(|| self.ask.and_then(|ask| ask()))
    }
}
