//! Whether two patterns have a path in common: both automata walked at once, every pair of states once.

use super::place::NamePosition;
use super::{Pattern, Step};

/// A letter that is neither slash nor dot.
const ORDINARY: char = 'x';

#[derive(Clone, Copy)]
struct StepPair {
    one: usize,
    two: usize,
    place: NamePosition,
}

pub(super) fn exists(one: &Pattern, two: &Pattern) -> bool {
    let mut walk = OverlapSearch {
        one,
        two,
        seen: vec![false; one.steps.len() * two.steps.len() * NamePosition::COUNT],
        open: Vec::new(),
    };
    walk.visit(StepPair {
        one: 0,
        two: 0,
        place: NamePosition::Start,
    });
    while let Some(pair) = walk.open.pop() {
        if walk.from(pair) {
            return true;
        }
    }
    false
}

struct OverlapSearch<'p> {
    one: &'p Pattern,
    two: &'p Pattern,
    seen: Vec<bool>,
    open: Vec<StepPair>,
}

impl OverlapSearch<'_> {
    fn visit(&mut self, pair: StepPair) {
        let number = (pair.one * self.two.steps.len() + pair.two) * NamePosition::COUNT + pair.place.number();
        if let Some(seen) = self.seen.get_mut(number)
            && !*seen
        {
            *seen = true;
            self.open.push(pair);
        }
    }

    /// Goes one step on from a pair of states; true if a path ends here.
    fn from(&mut self, pair: StepPair) -> bool {
        let (Some(one), Some(two)) = (self.one.steps.get(pair.one), self.two.steps.get(pair.two)) else {
            return false;
        };
        match (one, two) {
            (Step::Either(next), _) => {
                for one in next {
                    self.visit(StepPair { one: *one, ..pair });
                }
            }
            (_, Step::Either(next)) => {
                for two in next {
                    self.visit(StepPair { two: *two, ..pair });
                }
            }
            (Step::AtName(one), _) if pair.place.begins_name() => self.visit(StepPair { one: *one, ..pair }),
            (_, Step::AtName(two)) if pair.place.begins_name() => self.visit(StepPair { two: *two, ..pair }),
            (Step::Letter(letters, one), Step::Letter(others, two)) => {
                let shared = letters.shared(others);
                let kinds = [
                    ('/', shared.has('/')),
                    ('.', shared.has('.')),
                    (ORDINARY, shared.has_ordinary()),
                ];
                let possible = kinds.into_iter().filter(|(_, is_there)| *is_there);
                for place in possible.filter_map(|(letter, _)| pair.place.after(letter)) {
                    self.visit(StepPair {
                        one: *one,
                        two: *two,
                        place,
                    });
                }
            }
            (Step::End, Step::End) => return pair.place.ends_path(),
            (Step::AtName(_) | Step::Letter(..) | Step::End, _) => {}
        }
        false
    }
}
