use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::*;
use crate::fixture::{Bench, make_pipe};

/// What git itself says about a folder inside a working tree.
fn agrees_with_git(bench: &Bench, folder: &str) {
    let place = find(&bench.path(folder));
    let real = |option: &str| {
        let said = bench.git(folder, &["rev-parse", "--path-format=absolute", option]);
        fs_err::canonicalize(said).ok()
    };
    assert_eq!(place.worktree, real("--show-toplevel"), "worktree of {folder}");
    assert_eq!(
        place.common_dir,
        real("--git-common-dir"),
        "common directory of {folder}"
    );
    assert_eq!(place.git_dir, real("--git-dir"), "git directory of {folder}");
    assert_eq!(place.reason, None);
    assert_eq!(Some(place.project.key), place.common_dir);
    assert_eq!(place.project.kind, PlaceKind::Git);
}

fn is_a_folder_because(place: &Place, folder: &Path, reason: Option<&str>) {
    assert_eq!(place.reason.as_ref().map(PlaceGap::name), reason);
    assert_eq!(place.project.kind, PlaceKind::Folder);
    assert_eq!(place.project.key, folder);
    assert_eq!((&place.worktree, &place.git_dir), (&None, &None));
}

#[test]
fn a_subfolder_belongs_to_the_repository_around_it() {
    let bench = Bench::with_repository();
    bench.folder("repo/a/b/c");
    agrees_with_git(&bench, "repo");
    agrees_with_git(&bench, "repo/a/b/c");
    assert_eq!(find(&bench.path("repo/a/b/c")).project.root, bench.path("repo"));
}

#[test]
fn a_path_through_symbolic_links_is_the_place_it_leads_to() {
    let bench = Bench::with_repository();
    bench.folder("repo/inner");
    bench.folder("elsewhere");
    symlink(bench.path("repo/inner"), bench.path("elsewhere/link")).unwrap();
    assert_eq!(find(&bench.path("elsewhere/link")), find(&bench.path("repo")));
    assert_eq!(
        find(&bench.path("repo/inner/../inner/.")),
        find(&bench.path("repo"))
    );
}

#[test]
fn all_worktrees_are_one_project_and_each_its_own_worktree() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    bench.git("repo", &["worktree", "add", "-q", "inside/tree"]);
    bench.folder("linked/sub");
    let main = find(&bench.path("repo"));
    for (folder, worktree) in [("linked/sub", "linked"), ("repo/inside/tree", "repo/inside/tree")] {
        agrees_with_git(&bench, folder);
        let place = find(&bench.path(folder));
        assert_eq!(place.project, main.project);
        assert_eq!(place.worktree, Some(bench.path(worktree)));
    }
}

#[test]
fn a_worktree_with_relative_links_is_found_as_well() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    bench.write("linked/.git", "gitdir: ../repo/.git/worktrees/linked\r\n");
    assert_eq!(
        find(&bench.path("linked")).common_dir,
        Some(bench.path("repo/.git"))
    );
    assert_eq!(find(&bench.path("linked")).worktree, Some(bench.path("linked")));
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    let bench = Bench::with_repository();
    bench.git(".", &["init", "-q", "-b", "main", "outer"]);
    bench.git("outer", &["submodule", "--quiet", "add", "../repo", "deps/sub"]);
    bench.folder("outer/deps/sub/below");
    agrees_with_git(&bench, "outer/deps/sub/below");
    let place = find(&bench.path("outer/deps/sub"));
    assert_eq!(place.project.key, bench.path("outer/.git/modules/deps/sub"));
    assert_eq!(place.project.root, bench.path("outer/deps/sub"));
    assert_ne!(place.project, find(&bench.path("outer")).project);

    bench.git(
        "outer/deps/sub",
        &["worktree", "add", "-q", "../../../submodule-tree"],
    );
    assert_eq!(find(&bench.path("submodule-tree")).project, place.project);
}

#[test]
fn a_git_directory_elsewhere_is_followed() {
    let bench = Bench::with_repository();
    bench.git(".", &["init", "-q", "--separate-git-dir", "store.git", "apart"]);
    agrees_with_git(&bench, "apart");
    assert_eq!(find(&bench.path("apart")).project.root, bench.path("apart"));

    bench.folder("linked");
    symlink(bench.path("repo/.git"), bench.path("linked/.git")).unwrap();
    agrees_with_git(&bench, "linked");
}

#[test]
fn a_working_tree_set_elsewhere_is_gits_own_root() {
    let bench = Bench::with_repository();
    bench.folder("work tree/sub");
    bench.git("repo", &["config", "core.worktree", "../../work tree"]);
    let place = find(&bench.path("repo"));
    assert_eq!(place.worktree, Some(bench.path("work tree")));
    assert_eq!(
        bench.git("repo", &["rev-parse", "--show-toplevel"]),
        bench.path("work tree").to_str().unwrap()
    );
}

#[test]
fn a_bare_repository_has_no_worktree_and_says_so() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    for folder in ["bare.git", "bare.git/refs/heads"] {
        let place = find(&bench.path(folder));
        assert_eq!(place.worktree, None);
        assert_eq!(place.reason, Some(PlaceGap::Bare(bench.path("bare.git"))));
        assert_eq!(place.project.key, bench.path("bare.git"));
        assert_eq!(place.project.root, bench.path("bare.git"));
        assert_eq!(place.project.kind, PlaceKind::Git);
    }
    bench.git("bare.git", &["worktree", "add", "-q", "../of-bare", "main"]);
    agrees_with_git(&bench, "of-bare");
    assert_eq!(
        find(&bench.path("of-bare")).project,
        find(&bench.path("bare.git")).project
    );
}

#[test]
fn a_repository_declared_bare_has_no_worktree_even_beside_files() {
    let bench = Bench::with_repository();
    bench.git("repo", &["config", "core.bare", "true"]);
    let place = find(&bench.path("repo"));
    assert_eq!(
        (place.worktree, place.reason),
        (None, Some(PlaceGap::Bare(bench.path("repo/.git"))))
    );
}

#[test]
fn gits_own_files_belong_to_the_project_but_to_no_worktree() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    for folder in ["repo/.git", "repo/.git/refs/heads", "repo/.git/worktrees/linked"] {
        let place = find(&bench.path(folder));
        assert_eq!(place.project, find(&bench.path("repo")).project, "{folder}");
        assert_eq!(place.worktree, None);
        assert_eq!(place.reason.unwrap().name(), "inside-git-dir");
    }
}

#[test]
fn a_deleted_folder_stays_the_project_it_was() {
    let bench = Bench::with_repository();
    let gone = bench.folder("repo/a/b");
    let before = find(&gone);
    fs_err::remove_dir_all(bench.path("repo/a")).unwrap();
    let after = find(&gone);
    assert_eq!(after.project, before.project);
    assert_eq!(after.worktree, before.worktree);
    assert_eq!(after.reason, Some(PlaceGap::Gone(gone)));

    let plain = bench.folder("plain/x");
    fs_err::remove_dir(&plain).unwrap();
    is_a_folder_because(&find(&plain), &plain, Some("cwd-gone"));
    is_a_folder_because(&find(&bench.path("plain/y/../x")), &plain, Some("cwd-gone"));
}

#[test]
fn a_file_in_the_folders_place_counts_as_gone() {
    let bench = Bench::with_repository();
    let place = find(&bench.path("repo/file"));
    assert_eq!(place.worktree, Some(bench.path("repo")));
    assert_eq!(place.reason.unwrap().name(), "cwd-gone");
}

#[test]
fn paths_that_cannot_be_folders_are_named_as_such() {
    let bench = Bench::new();
    let circle = bench.path("circle");
    symlink(&circle, &circle).unwrap();
    is_a_folder_because(&find(&circle), &circle, Some("cwd-unreachable"));

    let nul = bench.path("a\0b");
    is_a_folder_because(&find(&nul), &nul, Some("cwd-unreachable"));
    let long = bench.path(&"x/".repeat(1_000_000));
    is_a_folder_because(&find(&long), &long, Some("cwd-unreachable"));
    for relative in ["", "some/where"] {
        is_a_folder_because(
            &find(Path::new(relative)),
            Path::new(relative),
            Some("cwd-not-absolute"),
        );
    }
}

#[test]
fn without_git_the_nearest_marker_makes_the_project_and_else_the_folder() {
    let bench = Bench::new();
    let inner = bench.folder("outer/middle/inner");
    is_a_folder_because(&find(&inner), &inner, None);
    bench.write("outer/toprope.toml", "");
    bench.write("outer/middle/toprope.toml", "");
    fs_err::create_dir(inner.join("toprope.toml")).unwrap();
    let place = find(&inner);
    assert_eq!(place.project.kind, PlaceKind::Marker);
    assert_eq!(place.project.key, bench.path("outer/middle"));
}

#[test]
fn inside_git_a_marker_changes_nothing() {
    let bench = Bench::with_repository();
    bench.write("repo/sub/toprope.toml", "");
    agrees_with_git(&bench, "repo/sub");
}

#[test]
fn a_broken_git_file_degrades_to_the_folder_and_says_what_is_wrong() {
    let bench = Bench::with_repository();
    let folder = bench.folder("repo/broken");
    let loops = b"gitdir: /loop/loop".to_vec();
    let cases: [(Vec<u8>, GitFileFault); 6] = [
        (Vec::new(), GitFileFault::NamesNothing),
        (b"gitdir:".to_vec(), GitFileFault::NamesNothing),
        (b"gitdir: \n".to_vec(), GitFileFault::NamesNothing),
        (b"gitdir: ../nowhere\n".to_vec(), GitFileFault::LeadsNowhere),
        (loops, GitFileFault::LeadsNowhere),
        (
            [b"gitdir: ".to_vec(), vec![b'x'; 5000]].concat(),
            GitFileFault::TooLong,
        ),
    ];
    for (content, fault) in cases {
        bench.write("repo/broken/.git", content);
        let place = find(&folder);
        is_a_folder_because(&place, &folder, Some("broken-git-file"));
        let path = folder.join(".git");
        assert_eq!(place.reason, Some(PlaceGap::BrokenGitFile { path, fault }));
        assert!(bench.try_git("repo/broken", &["rev-parse", "--git-dir"]).is_err());
    }
}

#[test]
fn a_git_file_of_many_gigabytes_is_not_read() {
    let bench = Bench::new();
    let folder = bench.folder("huge");
    bench.write("huge/.git", "gitdir: x");
    let file = fs_err::OpenOptions::new()
        .write(true)
        .open(folder.join(".git"))
        .unwrap();
    file.set_len(1 << 40).unwrap();
    is_a_folder_because(&find(&folder), &folder, Some("broken-git-file"));
}

#[test]
fn a_worktree_whose_repository_is_gone_says_so() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    fs_err::remove_dir_all(bench.path("repo")).unwrap();
    let place = find(&bench.path("linked"));
    is_a_folder_because(&place, &bench.path("linked"), Some("broken-git-file"));
}

#[test]
fn what_git_looks_past_is_looked_past_and_named_only_if_nothing_else_is_found() {
    let bench = Bench::with_repository();
    bench.folder("repo/empty/.git");
    bench.folder("repo/dangling");
    symlink("nowhere", bench.path("repo/dangling/.git")).unwrap();
    bench.folder("repo/circle");
    symlink(".git", bench.path("repo/circle/.git")).unwrap();
    bench.folder("repo/pipe");
    make_pipe(&bench.path("repo/pipe/.git"));
    for folder in ["repo/empty", "repo/dangling", "repo/circle", "repo/pipe"] {
        agrees_with_git(&bench, folder);
    }
    let alone = bench.folder("alone");
    bench.folder("alone/.git");
    is_a_folder_because(&find(&alone), &alone, Some("not-a-repository"));
}

#[test]
fn names_that_are_no_text_are_kept_byte_for_byte() {
    let bench = Bench::with_repository();
    let strange = bench.path(".").join(OsStr::from_bytes(b"str\xffange\nname"));
    fs_err::rename(bench.path("repo"), &strange).unwrap();
    let place = find(&strange);
    assert_eq!(place.worktree, Some(strange.clone()));
    assert_eq!(place.project.key, strange.join(".git"));

    let mut line = b"gitdir: ".to_vec();
    line.extend(strange.join(".git").as_os_str().as_bytes());
    bench.write("link/.git", line);
    assert_eq!(find(&bench.path("link")).project.key, strange.join(".git"));
}

#[test]
fn reasons_are_sentences_for_people() {
    let path = PathBuf::from("/x");
    let told = [
        PlaceGap::NotAbsolute(path.clone()).to_string(),
        PlaceGap::Gone(path.clone()).to_string(),
        PlaceGap::Unreachable(path.clone()).to_string(),
        PlaceGap::Bare(path.clone()).to_string(),
        PlaceGap::InsideGitDir(path.clone()).to_string(),
        PlaceGap::NotARepository(path.clone()).to_string(),
        PlaceGap::BrokenGitFile {
            path,
            fault: GitFileFault::LeadsNowhere,
        }
        .to_string(),
    ];
    assert_eq!(
        told,
        [
            "`/x` is not an absolute path",
            "`/x` is no longer there",
            "`/x` cannot be reached",
            "`/x` is a bare repository",
            "`/x` is a git directory, not a working tree",
            "`/x` is not a repository",
            "`/x` names a git directory that is not there",
        ]
    );
}
