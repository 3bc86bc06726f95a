use super::*;
use git::object::{EntryMode, TreeLeaf};

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

/// A state told from others by one digit; zero is absence.
fn state(digit: u8) -> PathState {
    if digit == 0 {
        return PathState::Absent;
    }
    let id = format!("{digit:040x}").parse().unwrap();
    PathState::plain(TreeLeaf {
        mode: EntryMode::File,
        id,
    })
}

fn actor(id: i64) -> ChangeOwner {
    ChangeOwner {
        actor: Some(ActorId(id)),
        session: Some(ActorId(1)),
        turn: Some(1),
        origin: ChangeOrigin::Tool,
        call: None,
        doubt: None,
    }
}

fn touch(name: &str, pre: u8, post: u8, by: i64) -> TouchedPath {
    TouchedPath {
        path: path(name),
        shelf: Shelf::Files,
        pre: Some(state(pre)),
        post: Some(state(post)),
        owner: actor(by),
    }
}

/// Every link as `path before>after owner`, from a checkpoint where every path is in state 1.
fn told(touches: &[TouchedPath]) -> Vec<Vec<String>> {
    let mut chain = Chain::new(|_: &RepoPath, _| state(1));
    for touched in touches {
        chain.follow(touched);
    }
    let (closed, open) = chain.end();
    let mut links: Vec<ChainLink> = closed.into_iter().map(|(link, _)| link).collect();
    links.push(open);
    let digit = |state: PathState| {
        state.entry().map_or(0, |entry| {
            entry
                .id
                .to_string()
                .pop()
                .map_or(0, |digit| digit.to_digit(10).unwrap_or(0))
        })
    };
    links
        .iter()
        .map(|link| {
            link.iter()
                .map(|(path, passage)| {
                    let who = passage
                        .owner
                        .actor
                        .map_or("outside".to_owned(), |actor| actor.0.to_string());
                    format!("{path} {}>{} {who}", digit(passage.before), digit(passage.after))
                })
                .collect()
        })
        .collect()
}

#[test]
fn one_owner_leaves_one_link_however_often_it_writes() {
    assert_eq!(
        told(&[touch("a", 1, 2, 7), touch("a", 2, 3, 7), touch("b", 1, 4, 7)]),
        [["a 1>3 7", "b 1>4 7"]]
    );
}

#[test]
fn what_the_person_typed_before_an_agent_wrote_is_a_link_of_its_own() {
    assert_eq!(told(&[touch("a", 5, 6, 7)]), [["a 1>5 outside"], ["a 5>6 7"]]);
}

#[test]
fn two_agents_taking_turns_on_a_file_are_told_apart() {
    let links = told(&[
        touch("a", 1, 2, 7),
        touch("b", 1, 3, 7),
        touch("a", 2, 4, 8),
        touch("a", 4, 5, 7),
    ]);
    assert_eq!(
        links,
        [vec!["a 1>2 7", "b 1>3 7"], vec!["a 2>4 8"], vec!["a 4>5 7"]]
    );
}

#[test]
fn a_change_taken_back_by_its_own_owner_is_none() {
    assert_eq!(
        told(&[touch("a", 1, 2, 7), touch("a", 2, 1, 7)]),
        [Vec::<String>::new()]
    );
}

#[test]
fn creation_and_deletion_are_states_like_any_other() {
    assert_eq!(
        told(&[touch("a", 1, 0, 7), touch("a", 0, 2, 8)]),
        [["a 1>0 7"], ["a 0>2 8"]]
    );
}

#[test]
fn a_touch_nobody_looked_at_says_nothing() {
    let mut blind = touch("a", 1, 2, 7);
    (blind.pre, blind.post) = (None, None);
    assert_eq!(told(&[blind]), [Vec::<String>::new()]);
}

#[test]
fn bytes_seen_for_the_first_time_are_no_change_and_are_remembered() {
    let stored = state(1).entry().unwrap();
    let seen = PathState::Present {
        entry: stored,
        raw: state(8).entry().map(|entry| entry.id),
    };
    let mut chain = Chain::new(|_: &RepoPath, _| PathState::plain(stored));
    chain.put(&path("a"), Shelf::Files, seen, ChangeOwner::outside());
    chain.put(&path("a"), Shelf::Files, state(2), actor(7));
    let (closed, open) = chain.end();
    assert!(closed.is_empty());
    assert_eq!(open[&path("a")].before, seen);
}

#[test]
fn a_closed_link_says_how_many_touches_had_ended_in_it() {
    let mut chain = Chain::new(|_: &RepoPath, _| state(1));
    for touched in [touch("a", 1, 2, 5), touch("b", 1, 2, 5), touch("a", 2, 3, 6)] {
        chain.follow(&touched);
    }
    chain.pass();
    // The person came before the next: that state closes a link in the middle of a touch.
    chain.follow(&touch("b", 4, 5, 5));
    let (closed, open) = chain.end();
    let counts: Vec<usize> = closed.iter().map(|(_, followed)| *followed).collect();
    assert_eq!((counts, open.len()), (vec![2, 4], 1));
}

#[test]
fn the_work_of_another_session_or_turn_is_a_link_of_its_own() {
    let by = |name: &str, session: i64, turn: u64| {
        let mut touched = touch(name, 1, 2, session);
        touched.owner.session = Some(ActorId(session));
        touched.owner.turn = Some(turn);
        touched
    };
    let mut chain = Chain::new(|_: &RepoPath, _| state(1));
    for touched in [
        by("a", 1, 1),
        by("b", 1, 1),
        by("c", 2, 4),
        by("d", 1, 1),
        by("e", 1, 2),
    ] {
        chain.follow(&touched);
    }
    chain.put(&path("mine"), Shelf::Files, state(7), ChangeOwner::outside());
    chain.turn_to((ActorId(1), Some(2)));
    let (closed, open) = chain.end();
    let names = |link: &ChainLink| link.keys().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let closed: Vec<String> = closed.iter().map(|(link, _)| names(link)).collect();
    assert_eq!(closed, ["a b", "c", "d"]);
    assert_eq!(names(&open), "e mine");
}

#[test]
fn a_checkpoint_of_nobodys_work_has_none_of_an_agents() {
    let mut chain = Chain::new(|_: &RepoPath, _| state(1));
    chain.follow(&touch("a", 1, 2, 5));
    chain.turn_to_nobody();
    chain.turn_to_nobody();
    let (closed, open) = chain.end();
    assert_eq!((closed.len(), open.len()), (1, 0));
}
