use super::*;
use crate::fixture::{Bench, make_pipe};

#[test]
fn kinds_are_told_and_the_last_link_is_a_link() {
    let bench = Bench::new();
    bench.write("dir/file", "12345");
    std::os::unix::fs::symlink("dir/file", bench.path("link")).unwrap();
    make_pipe(&bench.path("pipe"));
    let at = |name: &str| look(&bench.path(name)).unwrap();
    assert_eq!(at("dir").kind, Some(TargetKind::Folder));
    assert_eq!(
        (at("dir/file").kind, at("dir/file").bytes),
        (Some(TargetKind::File), 5)
    );
    assert_eq!(at("pipe").kind, Some(TargetKind::Other));
    assert_eq!(at("gone").kind, None);
    let link = at("link");
    assert_eq!(link.kind, Some(TargetKind::Link));
    assert_eq!(link.real, bench.path("dir/file"));
    assert_eq!(link.itself, bench.path("link"));
}

#[test]
fn links_are_followed_as_far_as_there_is_something() {
    let bench = Bench::new();
    bench.folder("real/inner");
    std::os::unix::fs::symlink(bench.path("real"), bench.path("alias")).unwrap();
    std::os::unix::fs::symlink("/etc", bench.path("system")).unwrap();
    std::os::unix::fs::symlink("round", bench.path("round")).unwrap();
    let real = |name: &str| look(&bench.path(name)).unwrap().real;
    assert_eq!(real("alias/inner/new/x"), bench.path("real/inner/new/x"));
    assert_eq!(real("alias/new/../x"), bench.path("real/x"));
    assert_eq!(
        look(&bench.path("alias/gone")).unwrap().itself,
        bench.path("real/gone")
    );
    assert_eq!(real("system"), fs_err::canonicalize("/etc").unwrap());
    assert_eq!(real("round/x"), bench.path("round/x"), "a loop leads nowhere");
}

#[test]
fn what_is_no_path_is_not_looked_at() {
    assert_eq!(look(Path::new("relative")), None);
    assert_eq!(look(Path::new("/a\0b")), None);
    assert_eq!(look(Path::new(&format!("/{}", "x".repeat(5000)))), None);
    assert_eq!(look(Path::new("/")).unwrap().kind, Some(TargetKind::Folder));
}

#[test]
#[cfg(target_os = "linux")]
fn another_file_system_begins_at_its_mount_point() {
    assert!(look(Path::new("/proc")).unwrap().is_mount);
    assert!(!look(Path::new("/proc/self/")).unwrap().is_mount);
    assert!(!look(&Bench::new().folder("x")).unwrap().is_mount);
}

#[test]
fn a_volume_that_tells_case_apart_is_told_from_one_that_does_not() {
    let bench = Bench::new();
    bench.write("Mixed", "x");
    let folds = fs_err::metadata(bench.path("mIXED")).is_ok();
    assert_eq!(look(&bench.path("Mixed")).unwrap().folds_case, folds);
    bench.write("123", "x");
    assert!(!look(&bench.path("123")).unwrap().folds_case);
}
