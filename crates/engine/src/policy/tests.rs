use super::*;
use crate::event::StartSource;
use crate::testing::{command, nothing_known, start};
use crate::verdict::Judgement;
use std::collections::HashSet;
use std::path::PathBuf;

/// Asks about one folder, or panics instead.
struct Curious {
    mode: Mode,
    panics: bool,
}

impl Policy for Curious {
    fn name(&self) -> &'static str {
        "curious"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        self.mode
    }

    fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
        true
    }

    fn questions(&self, _event: &Event, _known: &Asking<'_>) -> Vec<Question> {
        assert!(!self.panics, "too curious");
        vec![Question::ProjectState {
            cwd: PathBuf::from("/elsewhere"),
            timeout_ms: 1,
        }]
    }

    fn judge(&self, _event: &Event, _facts: &Facts) -> Judgement {
        Judgement::silent()
    }
}

const CURIOUS: Curious = Curious {
    mode: Mode::Advise,
    panics: false,
};

#[test]
fn every_policy_has_a_name_of_its_own() {
    let names: HashSet<&str> = ORDER.iter().map(|policy| policy.name()).collect();
    assert_eq!(names.len(), ORDER.len());
}

#[test]
fn notices_come_last_so_that_what_is_new_finds_room() {
    assert_eq!(ORDER.last().map(|policy| policy.name()), Some("notices"));
}

#[test]
fn only_a_start_needs_to_know_anything_of_the_world() {
    let settings = Settings::default();
    let known = nothing_known(&settings);
    assert_eq!(questions(ORDER, &start(StartSource::Startup), &known).len(), 1);
    assert_eq!(questions(ORDER, &command("ls"), &known), []);
}

#[test]
fn the_same_question_is_asked_once() {
    let settings = Settings::default();
    assert_eq!(
        questions(&[&CURIOUS, &CURIOUS], &command("ls"), &nothing_known(&settings)).len(),
        1
    );
}

#[test]
fn a_policy_that_is_off_asks_nothing() {
    let off = Curious {
        mode: Mode::Off,
        panics: true,
    };
    let settings = Settings::default();
    assert_eq!(questions(&[&off], &command("ls"), &nothing_known(&settings)), []);
}

#[test]
fn a_policy_that_panics_while_asking_does_not_silence_the_others() {
    let panicking = Curious {
        panics: true,
        ..CURIOUS
    };
    let settings = Settings::default();
    let asked = questions(&[&panicking, &CURIOUS], &command("ls"), &nothing_known(&settings));
    assert_eq!(asked.len(), 1);
}
