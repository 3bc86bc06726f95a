use super::*;

fn lines(shown: &ShownTree) -> Vec<String> {
    let line = |entry: &TreeLine| match entry.files {
        Some(files) => format!("{} {files}", entry.path),
        None => entry.path.clone(),
    };
    shown.entries.iter().map(line).collect()
}

fn listing(paths: impl IntoIterator<Item = String>) -> Vec<u8> {
    paths
        .into_iter()
        .flat_map(|path| format!("{path}\0").into_bytes())
        .collect()
}

#[test]
fn folders_come_first_with_their_counts_and_files_to_depth_two() {
    let shown = of_listing(b"src/main.rs\0src/view/a.rs\0src/view/deep/b.rs\0README.md\0docs/x.md\0");
    assert_eq!(
        lines(&shown),
        [
            "docs/ 1",
            "src/ 3",
            "src/view/ 2",
            "README.md",
            "docs/x.md",
            "src/main.rs"
        ]
    );
    assert_eq!(shown.left_out, 0);
}

#[test]
fn the_biggest_folders_stay_and_the_rest_is_counted() {
    let small = (0..70).map(|index| format!("small{index:02}/only"));
    let big = (0..9).map(|index| format!("zebra/file{index}"));
    let shown = of_listing(&listing(small.chain(big)));
    assert_eq!(shown.entries.len(), 60);
    assert_eq!(lines(&shown).last().unwrap(), "zebra/ 9");
    // 71 folders and 79 files, of which 60 are shown.
    assert_eq!(shown.left_out, 90);
}

#[test]
fn no_folder_is_shown_without_its_parent() {
    let paths = (0..50).flat_map(|index| [format!("z{index}/in/a"), format!("a{index}/in/a")]);
    let shown = of_listing(&listing(paths));
    let names: BTreeSet<&str> = shown.entries.iter().map(|entry| entry.path.as_str()).collect();
    for name in &names {
        let parent = name.strip_suffix("in/").unwrap_or(name);
        assert!(names.contains(parent), "{name} stands alone");
    }
}

#[test]
fn files_near_the_root_are_kept_before_deeper_ones() {
    let deep = (0..100).map(|index| format!("a/{index:03}"));
    let shown = of_listing(&listing(deep.chain(["zzz".to_owned()])));
    assert_eq!(lines(&shown)[..3], ["a/ 100", "zzz", "a/000"]);
    assert_eq!((shown.entries.len(), shown.left_out), (60, 42));
}

#[test]
fn a_file_in_conflict_counts_once_and_a_nested_repository_counts_as_a_folder() {
    let shown = of_listing(b"a/x\0a/x\0a/x\0nested/\0deep/nested/\0");
    assert_eq!(
        lines(&shown),
        ["a/ 1", "deep/ 0", "deep/nested/ 0", "nested/ 0", "a/x"]
    );
}

#[test]
fn names_that_are_no_text_are_converted_and_newlines_are_left_to_the_reader() {
    let shown = of_listing(b"a\nb\x1b\0\xff\xfe/c\0");
    assert_eq!(
        lines(&shown),
        ["\u{fffd}\u{fffd}/ 1", "a\nb\u{1b}", "\u{fffd}\u{fffd}/c"]
    );
}

#[test]
fn nothing_is_a_tree_too() {
    assert_eq!(lines(&of_listing(b"")), [""; 0]);
}
