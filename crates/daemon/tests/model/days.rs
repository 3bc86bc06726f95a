//! Days on which product and model once disagreed, each named by what it is about.

use super::play::Play;
use super::real;
use super::step::{Actor::*, Conflicts, Conflicts::*, Edit::*, Listing::*, Scope, Stage::*, Step, Step::*};

// Names by their place in `tree::NAMES`.
const A: usize = 0;
const D: usize = 2;
const D_X: usize = 3;
const G: usize = 5;
const IGNORED: usize = 6;

fn play(steps: &[Step]) {
    Play::new(&real::template()).all(steps);
}

fn rewind(back: u8, scope: Scope, conflicts: Conflicts) -> Step {
    Rewind(super::step::Rewind {
        back,
        scope,
        only: None,
        conflicts,
        dies: None,
    })
}

#[test]
fn what_overlapping_calls_saw_of_a_file_counts_in_the_order_they_saw_it() {
    play(&[Tool(Main, A, 2, Written), Tool(Sub, A, 1, Batched), Finish(Main)]);
}

#[test]
fn what_a_command_did_before_another_call_looked_is_the_commands() {
    play(&[
        Tool(Main, G, 0, Batched),
        Shell(Other, vec![Write(A, 1)], Nothing, Written),
        Tool(Main, A, 2, Batched),
        Finish(Other),
    ]);
}

#[test]
fn a_file_in_the_place_of_a_folder_says_that_the_folder_is_gone() {
    play(&[
        Prompt(Main),
        Person(vec![Delete(D_X)]),
        Tool(Main, D, 0, Batched),
        Stop(Main),
    ]);
}

#[test]
fn a_rewind_while_a_call_runs_is_not_undone_by_what_the_call_saw_before_it() {
    play(&[
        Shell(Other, vec![Write(G, 0)], All, Batched),
        Tool(Main, G, 0, Written),
        rewind(1, Scope::Agent(Other), Refuse),
        Finish(Main),
    ]);
}

#[test]
fn a_forced_rewind_keeps_what_a_running_call_has_written() {
    play(&[
        Tool(Main, A, 1, Batched),
        Tool(Main, A, 2, Written),
        rewind(1, Scope::Session(Main), Force),
        Undo(Force, None),
        Finish(Main),
    ]);
}

#[test]
fn a_folder_that_became_a_link_holds_none_of_the_files_that_calls_have_open() {
    play(&[
        Tool(Sub, D_X, 0, Written),
        Shell(Other, vec![Link(D, false)], All, Batched),
        Shell(Sub, vec![Delete(A)], All, Batched),
    ]);
}

#[test]
fn a_rewind_that_brings_a_folder_back_says_that_the_file_in_its_place_is_gone() {
    play(&[
        Tool(Sub, D, 0, Written),
        Shell(Main, vec![Write(D, 0)], All, Batched),
        Person(vec![Write(IGNORED, 0)]),
        rewind(1, Scope::Session(Main), Refuse),
    ]);
}

#[test]
fn an_agents_end_that_waits_to_be_cut_is_not_made_into_another_by_the_next_prompt() {
    play(&[
        Tool(Sub, A, 1, Batched),
        Stop(Main),
        Lag(2),
        Stop(Sub),
        Prompt(Main),
    ]);
}

#[test]
fn what_the_person_wrote_before_a_call_is_kept_though_the_call_put_it_back() {
    play(&[
        Prompt(Main),
        Lag(3),
        Prompt(Other),
        Person(vec![Write(A, 1)]),
        Tool(Main, A, 0, Written),
        Stop(Other),
    ]);
}

#[test]
fn a_rewind_or_an_undo_killed_while_a_link_and_a_folder_change_places_is_settled() {
    // From the first step to the end of the journal there are about thirty.
    for dies in (1..34).step_by(3) {
        let back = |dies| {
            Rewind(super::step::Rewind {
                back: 1,
                scope: Scope::Session(Main),
                only: None,
                conflicts: Refuse,
                dies,
            })
        };
        let beginning = [
            Shell(Other, vec![Link(D, false)], All, Batched),
            Shell(Main, vec![Rename(A, D_X)], All, Batched),
        ];
        play(&[&beginning[..], &[back(Some(dies))]].concat());
        play(&[&beginning[..], &[back(None), Undo(Refuse, Some(dies))]].concat());
    }
}
