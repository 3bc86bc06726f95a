use super::*;
use crate::object::TreeLeaf;

fn state(letter: char) -> PathState {
    let id = format!("{:0>40x}", u32::from(letter.to_ascii_lowercase()));
    match letter {
        '-' => PathState::Absent,
        letter => PathState::plain(TreeLeaf {
            mode: if letter.is_ascii_uppercase() {
                EntryMode::Exec
            } else {
                EntryMode::File
            },
            id: id.parse().unwrap(),
        }),
    }
}

fn change(path: &str, from: char, to: char) -> PathChange {
    PathChange {
        path: RepoPath::new(path).unwrap(),
        from: state(from),
        to: state(to),
    }
}

#[test]
fn deletions_come_first_and_innermost_first() {
    let changes = vec![
        change("a", '-', 'x'),
        change("a/b", 'x', '-'),
        change("a/b/c", 'x', '-'),
        change("z", 'x', 'y'),
    ];
    let paths: Vec<String> = ordered(changes)
        .unwrap()
        .iter()
        .map(|change| change.path.to_string())
        .collect();
    assert_eq!(paths, ["a/b/c", "a/b", "a", "z"]);
}

#[test]
fn what_changes_nothing_on_disk_is_left_out() {
    let raw = PathChange {
        from: PathState::Present {
            entry: state('y').entry().unwrap(),
            raw: state('x').bytes(),
        },
        ..change("b", '-', 'x')
    };
    let changes = vec![change("a", 'x', 'x'), raw, change("c", '-', '-')];
    assert_eq!(ordered(changes), Ok(vec![]));
}

#[test]
fn what_happens_on_disk_follows_from_the_two_states() {
    assert_eq!(change("a", 'x', 'X').deed(), DiskStep::Mode);
    assert_eq!(change("a", 'x', 'Y').deed(), DiskStep::Put);
    assert_eq!(change("a", '-', 'x').deed(), DiskStep::Put);
    assert_eq!(change("a", 'x', '-').deed(), DiskStep::Delete);
    assert_eq!(change("a", '-', 'x').reversed(), change("a", 'x', '-'));
}
