use std::collections::BTreeSet;
use std::io::Read;

use super::*;
use crate::fixture::{Bench, PLENTY, make_pipe};

/// Long enough for a shell to start, short enough to wait for.
const SHORT: Duration = Duration::from_millis(300);

fn run(bench: &Bench, script: &str, limits: Limits) -> Result<Vec<u8>, GitError> {
    Git::new(&bench.path("."), &bench.environment_with(script)).run(&["anything"], limits)
}

#[test]
fn the_answer_of_real_git_comes_back_as_bytes() {
    let bench = Bench::with_repository();
    let git = Git::new(&bench.path("repo"), &bench.environment());
    let answer = git.run(&["rev-parse", "--abbrev-ref", "HEAD"], Limits::within(PLENTY));
    assert_eq!(answer.unwrap(), b"main\n");
}

#[test]
fn gits_own_failure_comes_with_its_code_and_words() {
    let bench = Bench::new();
    let failed = run(
        &bench,
        "echo out; echo 'fatal: no' >&2; exit 128",
        Limits::within(PLENTY),
    )
    .unwrap_err();
    assert_eq!(failed.to_string(), "git failed: fatal: no");
    assert!(matches!(failed, GitError::Failed { code: Some(128), .. }));
    let killed = run(&bench, "kill -9 $$", Limits::within(PLENTY)).unwrap_err();
    assert!(matches!(killed, GitError::Failed { code: None, .. }));
}

#[test]
fn git_sees_a_fixed_environment_and_nothing_of_ours() {
    let bench = Bench::new();
    let text = run(&bench, "exec /usr/bin/env", Limits::within(PLENTY)).unwrap();
    let text = String::from_utf8(text).unwrap();
    let names: BTreeSet<&str> = text.lines().map(|line| line.split('=').next().unwrap()).collect();
    let of_the_shell = BTreeSet::from(["PWD", "OLDPWD", "SHLVL", "_"]);
    let expected = BTreeSet::from([
        "GIT_ALLOW_PROTOCOL",
        "GIT_NO_LAZY_FETCH",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "LANG",
        "LC_ALL",
        "PATH",
        "TERM",
    ]);
    assert_eq!(
        names.difference(&of_the_shell).copied().collect::<BTreeSet<_>>(),
        expected
    );
}

#[test]
fn a_repositorys_settings_run_nothing_though_they_would_for_ordinary_git() {
    let bench = Bench::with_repository();
    bench.program(
        "sign",
        "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo '-----BEGIN PGP SIGNATURE-----'",
    );
    let signer = format!("gpg.program={}", bench.path("programs/sign").display());
    bench.git(
        "repo",
        &[
            "-c",
            &signer,
            "commit",
            "-q",
            "-S",
            "--allow-empty",
            "-m",
            "signed",
        ],
    );
    for (name, setting) in [("watcher", "core.fsmonitor"), ("verifier", "gpg.program")] {
        bench.program(
            name,
            &format!("touch '{}'", bench.path(&format!("ran-{name}")).display()),
        );
        bench.git(
            "repo",
            &[
                "config",
                setting,
                bench.path(&format!("programs/{name}")).to_str().unwrap(),
            ],
        );
    }
    bench.git("repo", &["config", "log.showSignature", "true"]);
    let has_run = || ["watcher", "verifier"].map(|name| bench.path(&format!("ran-{name}")).exists());

    let git = Git::new(&bench.path("repo"), &bench.environment());
    git.run(&["status"], Limits::within(PLENTY)).unwrap();
    git.run(&["log", "-1"], Limits::within(PLENTY)).unwrap();
    assert_eq!(has_run(), [false, false]);

    bench.git("repo", &["status"]);
    bench.git("repo", &["log", "-1"]);
    assert_eq!(has_run(), [true, true]);
}

#[test]
fn a_git_that_hangs_is_killed_at_the_deadline() {
    let bench = Bench::new();
    let hangs = run(&bench, "exec sleep 600", Limits::within(SHORT));
    assert!(matches!(hangs, Err(GitError::Late)), "{hangs:?}");
}

#[test]
fn a_git_that_closes_its_output_and_hangs_is_killed_too() {
    let bench = Bench::new();
    let hangs = run(&bench, "exec >&- 2>&-; exec sleep 600", Limits::within(SHORT));
    assert!(matches!(hangs, Err(GitError::Late)), "{hangs:?}");
}

#[test]
fn a_git_that_complains_without_end_is_killed_at_the_deadline() {
    let bench = Bench::new();
    let floods = run(&bench, "exec cat /dev/zero >&2", Limits::within(SHORT));
    assert!(matches!(floods, Err(GitError::Late)), "{floods:?}");
}

#[test]
fn a_child_of_git_that_keeps_the_output_open_is_not_waited_for_and_does_not_survive() {
    let bench = Bench::new();
    let pipe = bench.path("alive");
    make_pipe(&pipe);
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let reader = rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).unwrap();
    let script = format!("exec 3>'{}'; sleep 600 & printf answer", pipe.display());
    assert_eq!(run(&bench, &script, Limits::within(PLENTY)).unwrap(), b"answer");

    // The pipe reaches its end only when nobody holds it any more.
    rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::empty()).unwrap();
    let mut rest = Vec::new();
    std::fs::File::from(reader).read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_left_the_group_is_not_waited_for_either() {
    let bench = Bench::new();
    let note = bench.path("pid");
    let script = format!("setsid sleep 600 & echo $! > '{}'; printf answer", note.display());
    let answer = run(&bench, &script, Limits::within(PLENTY));
    let pid: i32 = fs_err::read_to_string(note).unwrap().trim().parse().unwrap();
    let _ = rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    );
    assert_eq!(answer.unwrap(), b"answer");
}

#[test]
fn more_output_than_allowed_ends_the_call_and_exactly_as_much_does_not() {
    let bench = Bench::new();
    let limits = Limits {
        time: PLENTY,
        bytes: 100_000,
    };
    let endless = run(&bench, "exec cat /dev/zero", limits);
    assert!(matches!(endless, Err(GitError::TooLong { limit: 100_000 })));
    let exact = run(&bench, "exec head -c 100000 /dev/zero", limits);
    assert_eq!(exact.unwrap().len(), 100_000);
}

#[test]
fn much_output_on_both_pipes_does_not_block() {
    let bench = Bench::new();
    let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2";
    assert_eq!(
        run(&bench, script, Limits::within(PLENTY)).unwrap().len(),
        300_000
    );
}

#[test]
fn git_is_never_taken_from_a_relative_entry_of_the_path() {
    let bench = Bench::new();
    bench.environment_with("echo hostile");
    let programs = bench.path("programs");
    for path in ["", ".", ":", "bin:.:", "programs"] {
        let environment = GitEnvironment {
            path: path.into(),
            home: None,
        };
        let answer = Git::new(&programs, &environment).run(&["version"], Limits::within(PLENTY));
        assert!(matches!(answer, Err(GitError::Missing)), "{path:?}: {answer:?}");
    }
}

#[test]
fn a_folder_that_is_gone_is_a_failure_to_start() {
    let bench = Bench::new();
    let git = Git::new(&bench.path("gone"), &bench.environment());
    assert!(matches!(
        git.run(&["version"], Limits::within(PLENTY)),
        Err(GitError::Start(_))
    ));
}

#[test]
fn a_command_reads_its_whole_input_or_as_much_as_it_likes() {
    let bench = Bench::new();
    let input = vec![b'x'; 1_000_000];
    let run = |script: &str| {
        Git::new(&bench.path("."), &bench.environment_with(script)).feed(
            &["anything"],
            input.clone(),
            Limits::within(PLENTY),
        )
    };
    assert_eq!(run("exec cat").unwrap(), input);
    assert_eq!(run("printf done").unwrap(), b"done");
}

#[test]
fn in_the_persons_name_git_sees_their_variables_but_none_of_gits_own() {
    let bench = Bench::new();
    let variables = [
        ("NODE_OPTIONS", "x"),
        ("GIT_DIR", "/elsewhere"),
        ("PATH", "/hostile"),
    ]
    .map(|(name, value)| (name.into(), value.into()));
    let call = PersonsCall {
        index: Path::new("/the/index"),
        input: b"words".to_vec(),
        variables: &variables,
    };
    let git = Git::new(
        &bench.path("."),
        &bench.environment_with("cat; echo; exec /usr/bin/env"),
    );
    let text = git
        .run_as_person(&["anything"], call, Limits::within(PLENTY))
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("words\n"), "{text}");
    assert!(text.contains("NODE_OPTIONS=x\n"), "{text}");
    assert!(text.contains("GIT_INDEX_FILE=/the/index\n"), "{text}");
    assert!(!text.contains("GIT_DIR="), "{text}");
    assert!(!text.contains("PATH=/hostile"), "{text}");
}

#[test]
fn a_hook_that_is_late_may_put_back_what_it_had_begun() {
    let bench = Bench::new();
    let (ready, note) = (bench.path("ready"), bench.path("put-back"));
    let script = format!(
        "trap 'echo done > \"{}\"; exit 1' INT; : > \"{}\"; sleep 600 & wait",
        note.display(),
        ready.display()
    );
    let environment = bench.environment_with(&script);
    let mut limit = SHORT;
    // On a machine that is busy with other things it may be late before it has begun.
    while !ready.exists() {
        let call = PersonsCall {
            index: Path::new("/the/index"),
            input: Vec::new(),
            variables: &[],
        };
        let late = Git::new(&bench.path("."), &environment).run_as_person(
            &["anything"],
            call,
            Limits::within(limit),
        );
        assert!(matches!(late, Err(GitError::Late)), "{late:?}");
        limit *= 2;
    }
    assert_eq!(fs_err::read_to_string(note).unwrap(), "done\n");
}
