use super::*;
use std::os::unix::fs::symlink;

fn left(before: &str, id: &str) -> Option<String> {
    let world = tempfile::tempdir().unwrap();
    let file = world.path().join("env.sh");
    if !before.is_empty() {
        fs_err::write(&file, before).unwrap();
    }
    session(&file, id).unwrap();
    fs_err::read_to_string(file).ok()
}

#[test]
fn the_line_is_added_to_what_others_left_there() {
    assert_eq!(left("", "ab-1_C").unwrap(), "export TOPROPE_SESSION=ab-1_C\n");
    assert_eq!(
        left("export A=1\n", "ab").unwrap(),
        "export A=1\nexport TOPROPE_SESSION=ab\n"
    );
    assert_eq!(
        left("export A=1", "ab").unwrap(),
        "export A=1\nexport TOPROPE_SESSION=ab\n",
        "a line that has no end yet"
    );
}

#[test]
fn an_id_that_is_more_than_a_word_is_not_written() {
    for id in [
        "",
        "a b",
        "a;id",
        "$(id)",
        "`id`",
        "a\nb",
        "a'b",
        "ä",
        "a/b",
        "a.b",
        &"x".repeat(129),
    ] {
        assert_eq!(left("", id), None, "{id:?}");
    }
    assert!(left("", &"x".repeat(128)).is_some());
}

#[test]
fn a_link_and_a_relative_path_are_left_alone() {
    let world = tempfile::tempdir().unwrap();
    let (file, link) = (world.path().join("profile"), world.path().join("env.sh"));
    fs_err::write(&file, "mine\n").unwrap();
    symlink(&file, &link).unwrap();
    assert!(session(&link, "ab").is_err());
    assert_eq!(fs_err::read_to_string(file).unwrap(), "mine\n");
    session(Path::new("env.sh"), "ab").unwrap();
    assert!(!Path::new("env.sh").exists());
}
