use super::*;
use std::path::PathBuf;

fn problem(line: u32, key: &str) -> SettingsProblem {
    SettingsProblem {
        file: PathBuf::from("/repo/toprope.toml"),
        line: Some(line),
        column: Some(1),
        key: Some(key.to_owned()),
        message: format!("`{key}` is `never`, expected `off`"),
        hint: Some("did you mean it?".to_owned()),
    }
}

#[test]
fn one_is_told_with_its_place() {
    insta::assert_snapshot!(text(&[&problem(2, "lease.mode")]), @"toprope: a setting is wrong, so another value stands: /repo/toprope.toml:2:1: `lease.mode` is `never`, expected `off`. `toprope doctor` says more.");
}

#[test]
fn of_many_a_few_are_named() {
    let many: Vec<SettingsProblem> = ["a.mode", "b.mode", "c.mode", "d.mode", "e.mode"]
        .iter()
        .map(|key| problem(2, key))
        .collect();
    insta::assert_snapshot!(text(&many.iter().collect::<Vec<_>>()), @"toprope: 5 settings are wrong, so other values stand: /repo/toprope.toml:2:1: `a.mode` is `never`, expected `off`; /repo/toprope.toml:2:1: `b.mode` is `never`, expected `off`; /repo/toprope.toml:2:1: `c.mode` is `never`, expected `off`; and 2 more. `toprope doctor` says more.");
}

#[test]
fn a_line_that_moved_is_no_news_and_another_key_is() {
    assert_eq!(mark(&problem(2, "lease.mode")), mark(&problem(9, "lease.mode")));
    assert_ne!(mark(&problem(2, "lease.mode")), mark(&problem(2, "lease.bash")));
}

#[test]
fn a_note_has_room_for_the_marks_of_all_that_are_told() {
    let marks = vec![mark(&problem(2, "lease.mode")); MOST_TOLD];
    assert!(marks.join(" ").len() <= 1024);
}
