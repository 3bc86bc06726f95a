//! Commands that are a person's: under every name of the binary, and in a terminal that an agent opened.

use super::{TOPROPE, left_behind, world};
use testkit::{World, run};

/// Whether the guard stops a command as one for a person.
fn is_stopped(world: &World, number: usize, command: &str) -> bool {
    let reason = world.agent("s1").runs(&format!("t{number}"), command).denial();
    reason.is_some_and(|reason| reason.contains("self.person-only"))
}

#[test]
fn a_name_that_the_same_text_gives_the_binary_is_the_binary() {
    let world = world();
    for (number, command) in [
        format!("ln -s {TOPROPE} t; env -i HOME=$HOME setsid -f script -qc './t uninstall' /dev/null"),
        format!("ln -s {TOPROPE} t && ./t config set guard.mode off"),
        format!("ln {TOPROPE} /tmp/t; /tmp/t undo --yes"),
        format!("cp {TOPROPE} t; ./t uninstall"),
        format!("cp {TOPROPE} bin/; bin/toprope uninstall"),
        format!("cp -t bin {TOPROPE}; ./bin/toprope uninstall"),
        format!("install -m 755 {TOPROPE} t; nohup ./t uninstall &"),
        format!("cp {TOPROPE} a; mv a b; ./b uninstall"),
        format!("cat {TOPROPE} > t; chmod +x t; ./t uninstall"),
        format!("cat < {TOPROPE} > t; chmod +x t; ./t uninstall"),
        format!("dd if={TOPROPE} of=t; chmod +x t; ./t uninstall"),
        format!("ln -s {TOPROPE} t; PATH=.:$PATH t uninstall"),
        format!("ln -s {TOPROPE} t; printf './t uninstall\\n' | script -q /dev/null"),
        format!("ln -s {TOPROPE} t; echo ./t uninstall | setsid -f script -q /dev/null"),
        "cp $(which toprope) t; ./t uninstall".to_owned(),
        "ln -s \"$(command -v toprope)\" t; ./t uninstall".to_owned(),
        format!("B={TOPROPE}; ln -s $B t; ./t uninstall"),
        format!("cd /tmp; ln -s {TOPROPE} t; script -qc '/tmp/t uninstall' /dev/null"),
        format!("tmux new -d '{TOPROPE} uninstall'"),
        format!("ln -s {TOPROPE} t; tmux new-session -d ./t uninstall"),
        format!("exec -a x {TOPROPE} uninstall"),
        format!("/lib64/ld-linux-x86-64.so.2 {TOPROPE} uninstall"),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(is_stopped(&world, number, &command), "{command}");
    }
}

#[test]
fn a_copy_of_the_binary_is_the_binary() {
    let world = world();
    let copy = world.root().join("copy");
    testkit::copy(TOPROPE, &copy);
    assert!(is_stopped(&world, 1, &format!("{} uninstall", copy.display())));
    world.shell(&format!("echo >> '{}'", copy.display())).ok();
    assert!(is_stopped(&world, 2, &format!("{} uninstall", copy.display())));
}

#[test]
fn other_programs_keep_the_words_that_are_ours() {
    let world = world();
    for (number, command) in [
        "ln -s /usr/bin/env t; ./t uninstall",
        "cp tools/pkg ./pkg; ./pkg uninstall",
        "cp /bin/true t; ./t undo",
        "./gradlew uninstall",
        "script -qc 'npm test' /dev/null",
        "tmux new -d 'npm run dev'",
    ]
    .into_iter()
    .enumerate()
    {
        let answer = world.agent("s1").runs(&format!("t{number}"), command);
        assert!(answer.denial().is_none(), "{command}: {}", answer.whole());
    }
    for (number, command) in [
        format!("ln -s {TOPROPE} t; ./t status"),
        format!("cp {TOPROPE} t; ./t log"),
        "ln -s /usr/bin/env t; ./t toprope status".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = world.agent("s1").runs(&format!("fine{number}"), &command);
        assert!(answer.denial().is_none(), "{command}: {}", answer.whole());
    }
}

/// A terminal that was opened for a line, as whoever has these variables opens it.
fn in_a_terminal(line: &str) -> String {
    format!("script -qec '{line}' /dev/null < /dev/null")
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_a_process_left_behind_opens_is_no_person_s() {
    let world = world();
    world.agent("s1").starts().ok();
    let config = world.home().join(".config/toprope/config.toml");
    let set = format!("{TOPROPE} config set guard.mode off");
    for line in [
        in_a_terminal(&set),
        format!("setsid -w {}", in_a_terminal(&set)),
        in_a_terminal(&in_a_terminal(&set).replace('\'', "\"")),
        // Its shell has ended before it.
        in_a_terminal(&format!(
            "setsid -f sleep 1; ({set}; echo $? > code) & sleep 1; cat code"
        )),
    ] {
        let said = left_behind(&world, &line);
        assert!(said.contains("an agent may have opened"), "{line}: {said}");
        assert!(!config.exists(), "{line}: {said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_that_was_open_before_the_agent_is_a_person_s() {
    let mut world = world();
    let config = world.home().join(".config/toprope/config.toml");
    let (go, said) = (world.root().join("go"), world.root().join("said"));
    let wait = "touch ../ready; while ! [ -e ../go ]; do sleep 0.05; done";
    let line = format!("{wait}; {TOPROPE} config set guard.mode advise > ../new 2>&1; mv ../new ../said");
    let mut server = world.person("setsid");
    // Nobody is to wait for what it holds open.
    let apart = format!("exec > /dev/null 2>&1; {}", in_a_terminal(&line));
    server.args(["-f", "sh", "-c", &apart]);
    run(server, b"").ok();
    // The system tells times in hundredths of a second.
    world
        .shell("while ! [ -e ../ready ]; do sleep 0.05; done; sleep 0.05")
        .ok();
    world.restart_client();
    world.agent("s1").starts().ok();
    fs_err::write(go, "").unwrap();
    let said = testkit::eventually("it ended", || fs_err::read_to_string(&said).ok());
    assert!(config.exists(), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_within_a_person_s_script_is_a_person_s() {
    let world = world();
    world.agent("s1").starts().ok();
    let config = world.home().join(".config/toprope/config.toml");
    let set = format!("{TOPROPE} config set guard.mode advise");
    world.shell(&in_a_terminal(&set)).ok();
    assert!(config.exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_multiplexer_is_a_person_s_while_it_is_shown_in_a_terminal_of_theirs() {
    let world = world();
    let places = ["/usr/local/bin/tmux", "/usr/bin/tmux"];
    let Some(tmux) = places
        .into_iter()
        .find(|path| std::path::Path::new(path).exists())
    else {
        testkit::skip("a multiplexer in a terminal", "there is no tmux");
        return;
    };
    // A program of its own, so that nobody else's terminals are taken for its.
    // A socket each: the server of the first may still be on its way out.
    let own = world.root().join("tmux");
    testkit::copy(tmux, &own);
    world.agent("s1").starts().ok();
    let config = world.home().join(".config/toprope/config.toml");
    let start = |attached: &str, mode: &str| {
        let line = format!("{TOPROPE} config set guard.mode {mode} > ../new 2>&1; mv ../new ../said");
        format!("TERM=xterm ../tmux -S ../mux-{mode} -f /dev/null new-session {attached} \"{line}\"")
    };
    let said = || {
        let file = world.root().join("said");
        let said = testkit::eventually("it ended", || fs_err::read_to_string(&file).ok());
        fs_err::remove_file(file).unwrap();
        said
    };
    world.shell(&start("-d", "off")).ok();
    let unseen = said();
    assert!(unseen.contains("an agent may have opened"), "{unseen}");
    assert!(!config.exists());
    world.shell(&in_a_terminal(&start("", "advise"))).ok();
    let seen = said();
    assert!(config.exists(), "{seen}");
}

#[test]
fn an_agent_may_look_at_what_a_person_could_take_back_or_allow() {
    let world = world();
    let agent = world.agent("s1");
    agent.starts().ok();
    agent.is_asked("write it").ok();
    agent.writes("a.txt", "two\n");
    agent.stops().ok();
    world.settled();
    let shows = [
        "undo --list",
        "undo --list --json",
        "undo --dry-run",
        "redo --dry-run",
        "rewind start --dry-run",
        "guard allow",
        "guard allow --json",
    ];
    let changes = [
        "undo",
        "undo --yes",
        "undo --yes -- --list",
        "redo --yes",
        "rewind start --yes",
        "rewind start --dry-run --force",
        "rewind start --into /tmp/x",
        "guard allow g-ab2345",
        "guard allow --refuse g-ab2345",
        "guard allow $X",
        "guard allow --command x --session s1",
    ];
    let as_agent = |words: &str| {
        let mut command = world.command(&words.split(' ').collect::<Vec<_>>());
        command.env("CLAUDECODE", "1");
        run(command, b"")
    };
    for (number, words) in shows.into_iter().enumerate() {
        assert!(
            !is_stopped(&world, number, &format!("toprope {words}")),
            "{words}"
        );
        let said = as_agent(words).whole();
        assert!(!said.contains("this is for a person"), "{words}: {said}");
    }
    for (number, words) in changes.into_iter().enumerate() {
        assert!(
            is_stopped(&world, 100 + number, &format!("toprope {words}")),
            "{words}"
        );
        let said = as_agent(words).whole();
        let is_refused = [
            "this is for a person",
            "from a person in their own terminal",
            "unexpected argument",
            "accepted: an id",
        ]
        .iter()
        .any(|text| said.contains(text));
        assert!(is_refused, "{words}: {said}");
    }
    assert_eq!(world.read("a.txt"), "two\n");
}
