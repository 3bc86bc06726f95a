use super::*;

fn parsed(text: &str) -> GitConfig {
    let mut config = GitConfig::default();
    config.parse(text.as_bytes());
    config
}

fn worktree(text: &str) -> Option<String> {
    parsed(text)
        .worktree
        .map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn a_fresh_repository_is_not_bare_and_has_its_tree_beside_it() {
    let config = parsed("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = true\n");
    assert_eq!((config.bare, config.worktree), (Some(false), None));
}

#[test]
fn the_object_format_is_what_the_extension_says() {
    let config = parsed("[extensions]\n\tobjectFormat = sha256\n");
    assert_eq!(config.object_format.as_deref(), Some(&b"sha256"[..]));
    assert_eq!(parsed("[core]\nobjectformat = sha256\n").object_format, None);
}

#[test]
fn spelling_is_as_free_as_gits_own() {
    assert_eq!(parsed("[CORE] Bare = YES").bare, Some(true));
    assert_eq!(parsed("[core]\nbare\n").bare, Some(true));
    assert_eq!(parsed("[core]\nbare = 0 ; no\n").bare, Some(false));
    assert_eq!(parsed("[core]\nbare = true\nbare = false").bare, Some(false));
    assert_eq!(parsed("[core]\r\n\tbare = true\r\n").bare, Some(true));
}

#[test]
fn a_path_keeps_its_inner_blanks_and_loses_quotes_escapes_and_comments() {
    assert_eq!(
        worktree("[core]\nworktree = ../a b  # note").as_deref(),
        Some("../a b")
    );
    assert_eq!(
        worktree("[core]\nworktree = \"/a # b \"\n").as_deref(),
        Some("/a # b ")
    );
    assert_eq!(
        worktree("[core]\nworktree = /a\\\"b\\\\c\n").as_deref(),
        Some("/a\"b\\c")
    );
    assert_eq!(
        worktree("[core]\nworktree = /one\\\n/two\n").as_deref(),
        Some("/one/two")
    );
}

#[test]
fn a_key_of_another_section_or_of_a_subsection_does_not_count() {
    assert_eq!(parsed("[submodule]\nbare = true").bare, None);
    assert_eq!(parsed("[core \"x\"]\nbare = true").bare, None);
    assert_eq!(parsed("[core]\n[remote \"a]b\\\"]\"]\nbare = true").bare, None);
    assert_eq!(parsed("[core]\n# bare = true\n").bare, None);
}

#[test]
fn text_that_is_no_configuration_is_harmless() {
    for text in [
        "",
        "[",
        "[core",
        "[core]\nworktree",
        "[core]\nworktree = \\",
        "=\n==\n]]",
        "[core]\n\"\n\0",
    ] {
        assert_eq!(parsed(text).bare, None, "{text:?}");
    }
}

#[test]
fn the_worktrees_own_file_counts_only_where_the_extension_is_on() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("config.worktree"), "[core]\nbare = true\n").unwrap();
    fs_err::write(folder.path().join("config"), "[core]\nbare = false\n").unwrap();
    assert_eq!(GitConfig::read(folder.path()).bare, Some(false));
    fs_err::write(
        folder.path().join("config"),
        "[extensions]\nworktreeConfig = true\n",
    )
    .unwrap();
    assert_eq!(GitConfig::read(folder.path()).bare, Some(true));
}
