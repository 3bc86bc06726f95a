//! Which recorded changes still count, and what is learned from later looks.

use super::*;
use git::object::{EntryMode, Id, TreeLeaf};

fn id(digit: char) -> Id {
    std::iter::repeat_n(digit, 40)
        .collect::<String>()
        .parse()
        .unwrap()
}

fn text(digit: char) -> PathState {
    PathState::plain(TreeLeaf {
        mode: EntryMode::File,
        id: id(digit),
    })
}

fn with_bytes(digit: char, raw: char) -> PathState {
    PathState::Present {
        entry: TreeLeaf {
            mode: EntryMode::File,
            id: id(digit),
        },
        raw: Some(id(raw)),
    }
}

fn deed(origin: ChangeOrigin, before: PathState, after: PathState) -> RewindChange {
    RewindChange {
        shelf: Shelf::Files,
        before,
        after,
        change: CheckpointFileChange::Modified,
        origin,
        actor: None,
        session: None,
        call: None,
        checkpoint: None,
        row: None,
        doubt: None,
    }
}

fn edit(before: char, after: char) -> RewindChange {
    deed(ChangeOrigin::Tool, text(before), text(after))
}

fn rewind(before: char, after: char) -> RewindChange {
    deed(ChangeOrigin::Rewind, text(before), text(after))
}

fn left(deeds: &[RewindChange]) -> Vec<RewindChange> {
    standing(deeds, |_| false)
}

#[test]
fn what_a_rewind_took_back_counts_no_longer() {
    assert_eq!(left(&[edit('a', 'b'), rewind('b', 'a')]), []);
    assert_eq!(
        left(&[edit('a', 'b'), edit('b', 'c'), rewind('c', 'b')]),
        [edit('a', 'b')]
    );
    assert_eq!(left(&[edit('a', 'b'), edit('b', 'c'), rewind('c', 'a')]), []);
}

#[test]
fn what_an_undo_brought_back_is_its_authors_again() {
    let undone = [edit('a', 'b'), rewind('b', 'a'), rewind('a', 'b')];
    assert_eq!(left(&undone), [edit('a', 'b')]);
    let redone = [&undone[..], &[rewind('b', 'a')]].concat();
    assert_eq!(left(&redone), []);
}

#[test]
fn a_rewind_to_what_nobody_had_recorded_stays() {
    let deeds = [edit('a', 'b'), rewind('b', 'c')];
    assert_eq!(left(&deeds), deeds);
    let with_a_gap = [edit('a', 'b'), edit('c', 'd'), rewind('d', 'a')];
    assert_eq!(left(&with_a_gap), with_a_gap);
}

#[test]
fn an_operation_that_is_to_be_undone_stays() {
    let deeds = [rewind('b', 'a'), rewind('a', 'c'), rewind('c', 'a')];
    let operation = rewind('b', 'a');
    let left = standing(&deeds, |deed| *deed == operation);
    assert_eq!(left, std::slice::from_ref(&operation));
}

#[test]
fn bytes_that_were_first_seen_by_a_later_look_were_there_before() {
    let mut target = text('a');
    let mut deeds = [deed(
        ChangeOrigin::Tool,
        with_bytes('a', 'e'),
        with_bytes('b', 'f'),
    )];
    refine(&mut target, &mut deeds, with_bytes('b', 'f'));
    assert_eq!(target, with_bytes('a', 'e'));
}

#[test]
fn bytes_are_learned_from_what_is_there_now_where_nobody_changed_it() {
    let mut target = text('a');
    refine(&mut target, &mut [], with_bytes('a', 'e'));
    assert_eq!(target, with_bytes('a', 'e'));
    let mut other = text('b');
    refine(&mut other, &mut [], with_bytes('a', 'e'));
    assert_eq!(other, text('b'));
}

#[test]
fn a_change_that_left_the_stored_form_alone_known_is_no_gap() {
    let mut target = text('a');
    let mut deeds = [
        deed(ChangeOrigin::Shell, text('b'), text('a')),
        deed(ChangeOrigin::Tool, with_bytes('a', 'e'), with_bytes('c', 'f')),
    ];
    refine(&mut target, &mut deeds, with_bytes('c', 'f'));
    assert_eq!(deeds[0].after, with_bytes('a', 'e'));
}

#[test]
fn a_file_counts_as_converted_if_it_was_seen_so_or_never_seen_at_all() {
    let changed_by_shell = |after: PathState| [deed(ChangeOrigin::Shell, text('a'), after)];
    assert!(was_converted(&changed_by_shell(with_bytes('b', 'f')), text('c')));
    assert!(was_converted(
        &changed_by_shell(PathState::Absent),
        PathState::Absent
    ));
    assert!(!was_converted(&changed_by_shell(text('b')), text('b')));
    assert!(!was_converted(&changed_by_shell(PathState::Absent), text('b')));
}

#[test]
fn what_the_target_had_was_there_until_the_first_change() {
    let mut deeds = [deed(ChangeOrigin::Shell, text('a'), with_bytes('b', 'f'))];
    follow_on(with_bytes('a', 'e'), &mut deeds);
    assert_eq!(deeds[0].before, with_bytes('a', 'e'));
    follow_on(with_bytes('c', 'd'), &mut deeds);
    assert_eq!(deeds[0].before, with_bytes('a', 'e'));
}
