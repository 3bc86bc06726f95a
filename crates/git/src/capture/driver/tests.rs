use super::*;
use crate::fixture::{Bench, PLENTY};

const LIMITS: Limits = Limits {
    time: PLENTY,
    bytes: 1_000_000,
};

fn path(text: &[u8]) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn run(driver: &Driver, name: &[u8], bytes: &[u8], limits: Limits) -> Result<Vec<u8>, String> {
    let bench = Bench::new();
    let git = Git::new(&bench.path("."), &bench.environment());
    clean(&git, driver, &path(name), bytes, limits)
}

fn cleaned(command: &str, name: &[u8], bytes: &[u8], limits: Limits) -> Result<Vec<u8>, String> {
    let driver = Driver {
        clean: Some(command.into()),
        process: None,
    };
    run(&driver, name, bytes, limits)
}

fn processed(script: &str) -> Result<Vec<u8>, String> {
    let driver = Driver {
        clean: None,
        process: Some(script.into()),
    };
    run(&driver, b"a/b", b"content", LIMITS)
}

#[test]
fn the_bytes_go_through_the_command() {
    assert_eq!(
        cleaned("tr a-z A-Z", b"a", b"word\0\xff", LIMITS).unwrap(),
        b"WORD\0\xff"
    );
}

#[test]
fn more_than_fits_a_pipe_goes_through_both_ways() {
    let bytes = vec![b'x'; 900_000];
    assert!(cleaned("cat", b"a", &bytes, LIMITS).unwrap() == bytes);
}

#[test]
fn a_hostile_name_is_one_word_to_the_shell() {
    let name = b"it's; $(touch hostile) `x` \xff";
    assert_eq!(cleaned("printf %s %f", name, b"", LIMITS).unwrap(), name);
    assert_eq!(named(OsStr::new("a %% %x %"), &path(b"n")), "a % %x %");
}

#[test]
fn a_filter_that_does_not_read_may_still_answer() {
    let bytes = vec![b'x'; 900_000];
    assert_eq!(cleaned("printf short", b"a", &bytes, LIMITS).unwrap(), b"short");
}

#[test]
fn what_goes_wrong_is_said_in_one_line() {
    let short = Limits {
        time: Duration::from_millis(200),
        ..LIMITS
    };
    let few = Limits { bytes: 10, ..LIMITS };
    assert_eq!(
        cleaned("echo no >&2; echo more >&2; exit 3", b"a", b"", LIMITS),
        Err("it ended with 3: no".to_owned())
    );
    assert_eq!(
        cleaned("exit 1", b"a", b"", LIMITS),
        Err("it ended with 1".to_owned())
    );
    assert_eq!(
        cleaned("exec sleep 600", b"a", b"", short),
        Err("it did not end within 0 s".to_owned())
    );
    assert_eq!(
        cleaned("cat /dev/zero", b"a", b"", few),
        Err("it wrote more than 10 bytes".to_owned())
    );
}

#[test]
fn a_process_is_asked_for_one_file_and_its_answer_taken() {
    let script = r"cat >&2; printf '0016git-filter-server\n000eversion=2\n0000';
        printf '0015capability=clean\n0000'; printf '0013status=success\n0000';
        printf '0008NEW!0007abc00000000'";
    assert_eq!(processed(script).unwrap(), b"NEW!abc");
}

#[test]
fn a_process_that_refuses_or_breaks_off_gives_nothing() {
    let welcome =
        r"printf '0016git-filter-server\n000eversion=2\n0000'; printf '0015capability=clean\n0000';";
    for rest in [
        r"printf '0011status=error\n0000'",
        r"printf '0013status=success\n0000'; printf '0008NEW!0000'; printf '0011status=error\n0000'",
        r"printf '0013status=success\n0000'; printf '0008NE'",
        "printf zzzz",
        "",
    ] {
        assert_eq!(
            processed(&format!("{welcome}{rest}")),
            Err("it did not take the file".to_owned())
        );
    }
}

#[test]
fn what_we_say_to_a_process_is_gits_protocol() {
    let said = conversation(&path(b"a/b"), b"content");
    assert_eq!(
        String::from_utf8_lossy(&said),
        "0016git-filter-client\n000eversion=2\n0000\
         0015capability=clean\n0000\
         0012command=clean\n0011pathname=a/b\n0000\
         000bcontent0000"
    );
}
