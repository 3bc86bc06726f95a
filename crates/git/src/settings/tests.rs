use super::*;
use crate::fixture::{Bench, PLENTY};
use crate::place;

fn read(bench: &Bench, folder: &str) -> GitSettings {
    let worktree = GitWorktree::of(&place::find(&bench.path(folder))).unwrap();
    let git = Git::new(&worktree.root, &bench.environment());
    GitSettings::read(&git, &worktree, &bench.path("shadow.git"), PLENTY).unwrap()
}

#[test]
fn a_repository_without_settings_has_gits_defaults() {
    let settings = read(&Bench::with_repository(), "repo");
    assert!(settings.file_mode && settings.symlinks && !settings.ignore_case);
    assert_eq!(settings.eol.auto_crlf, eol::AutoCrlf::Disabled);
    assert_eq!(settings.eol.eol, None);
    assert!(settings.drivers.is_empty());
}

#[test]
fn the_repositorys_word_is_taken_over_the_persons_and_includes_count() {
    let bench = Bench::with_repository();
    bench.write(
        ".gitconfig",
        "[core]\n\tautocrlf = true\n\tfileMode = false\n[include]\n\tpath = more\n",
    );
    bench.write("more", "[core]\n\teol = crlf\n\tsymlinks = 0\n\tignoreCase\n");
    bench.git("repo", &["config", "core.autocrlf", "INPUT"]);
    bench.git("repo", &["config", "--unset", "core.fileMode"]);
    let settings = read(&bench, "repo");
    assert_eq!(settings.eol.auto_crlf, eol::AutoCrlf::Input);
    assert_eq!(settings.eol.eol, Some(eol::Mode::CrLf));
    assert_eq!(
        (settings.file_mode, settings.symlinks, settings.ignore_case),
        (false, false, true)
    );
}

#[test]
fn the_commands_of_a_filter_are_found_by_a_name_with_dots() {
    let bench = Bench::with_repository();
    bench.git("repo", &["config", "filter.a.b.clean", "cat\nx"]);
    bench.git("repo", &["config", "filter.a.b.required", "true"]);
    bench.git(
        "repo",
        &["config", "filter.lfs.process", "git-lfs filter-process"],
    );
    let settings = read(&bench, "repo");
    let clean = Driver {
        clean: Some("cat\nx".into()),
        process: None,
    };
    assert_eq!(settings.drivers.get(&b"a.b"[..]), Some(&clean));
    assert_eq!(
        settings.drivers.get(&b"lfs"[..]).unwrap().process,
        Some("git-lfs filter-process".into())
    );
}

#[test]
fn attributes_outside_the_repository_are_found_where_the_settings_say() {
    let bench = Bench::with_repository();
    assert_eq!(
        read(&bench, "repo").attributes.last(),
        Some(&bench.path(".config/git/attributes"))
    );
    bench.git("repo", &["config", "core.attributesFile", "~/mine"]);
    assert_eq!(read(&bench, "repo").attributes.last(), Some(&bench.path("mine")));
    bench.git("repo", &["config", "core.attributesFile", "here"]);
    assert_eq!(
        read(&bench, "repo").attributes.last(),
        Some(&bench.path("repo/here"))
    );
    assert_eq!(
        beside(b"file:/opt/homebrew/etc/gitconfig"),
        Some("/opt/homebrew/etc/gitattributes".into())
    );
}

#[test]
fn outside_git_the_persons_settings_count() {
    let bench = Bench::new();
    bench.folder("plain");
    bench.git(".", &["init", "-q", "--bare", "shadow.git"]);
    bench.write(".gitconfig", "[core]\n\tautocrlf = input\n");
    assert_eq!(read(&bench, "plain").eol.auto_crlf, eol::AutoCrlf::Input);
}
