//! Nothing is taken from the person: index, refs, stash and status stay as they are, and no lock is ever in the way.

use crate::oracle::{assert_sound, kinds};
use crate::world;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use testkit::World;

/// Everything of the person's repository that must stay as it is, byte for byte.
fn persons(world: &World) -> Vec<(String, String)> {
    let git = world.repo().join(".git");
    let said = |arguments: &[&str]| {
        let mut git = world.person("git");
        // Not even the stat data of the index may be refreshed by looking.
        git.env("GIT_OPTIONAL_LOCKS", "0").args(arguments);
        String::from_utf8_lossy(&git.output().unwrap().stdout).into_owned()
    };
    let index = fs_err::read(git.join("index")).unwrap();
    let refs = said(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let refs: Vec<&str> = refs
        .lines()
        .filter(|line| !line.starts_with("refs/toprope/keep/"))
        .collect();
    let mut names: Vec<String> = fs_err::read_dir(&git)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "toprope")
        .collect();
    names.sort();
    [
        ("index", format!("{index:?}")),
        ("names in .git", names.join("\n")),
        ("HEAD", fs_err::read_to_string(git.join("HEAD")).unwrap()),
        ("config", fs_err::read_to_string(git.join("config")).unwrap()),
        ("reflog", fs_err::read_to_string(git.join("logs/HEAD")).unwrap()),
        ("refs", refs.join("\n")),
        ("stash", said(&["stash", "list"])),
    ]
    .map(|(name, content)| (name.to_owned(), content))
    .to_vec()
}

#[test]
fn fifty_checkpoints_leave_index_refs_stash_and_head_as_they_were() {
    let world = world();
    world.write("stashed.txt", "one\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "second"]);
    world.write("stashed.txt", "two\n");
    world.git(&["stash", "-q"]);
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.write("staged.txt", "staged and changed\n");
    world.write("untracked.txt", "mine\n");
    let before = persons(&world);
    let agent = world.agent("s1");
    for turn in 0..25 {
        agent.is_asked(&format!("Turn {turn}")).ok();
        agent.writes("a.txt", &format!("{turn}\n"));
        agent.shell(&format!("echo {turn} > made.txt"));
        agent.stops().ok();
    }
    world.settled();
    assert!(kinds(&world).len() >= 50, "{}", kinds(&world).len());
    for (before, after) in before.iter().zip(persons(&world)) {
        assert_eq!(*before, after);
    }
    assert_eq!(
        world.git(&["status", "--porcelain"]),
        " M a.txt\nAM staged.txt\n?? made.txt\n?? untracked.txt\n"
    );
    assert_sound(&world);
}

#[test]
fn a_person_who_adds_and_commits_all_the_while_never_meets_a_lock() {
    let world = world();
    let over = AtomicBool::new(false);
    let commits = thread::scope(|scope| {
        let person = scope.spawn(|| {
            let mut commits = 0;
            while !over.load(Ordering::SeqCst) {
                world.write("person.txt", &format!("{commits}\n"));
                for arguments in [&["add", "person.txt"][..], &["commit", "-qm", "more"]] {
                    let output = world.person("git").args(arguments).output().unwrap();
                    assert!(
                        output.status.success(),
                        "git {arguments:?}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                }
                commits += 1;
            }
            commits
        });
        let agent = world.agent("s1");
        for turn in 0..15 {
            agent.is_asked(&format!("Turn {turn}")).ok();
            agent.writes("a.txt", &format!("{turn}\n"));
            agent.shell(&format!("echo {turn} > made.txt"));
            agent.stops().ok();
            world.settled();
        }
        over.store(true, Ordering::SeqCst);
        person.join().unwrap()
    });
    assert!(commits > 10, "only {commits} commits");
    let count = world.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(
        count.trim().parse::<usize>().unwrap(),
        commits + 1,
        "each commit is there"
    );
    assert!(kinds(&world).len() >= 30);
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT state FROM jobs WHERE kind = 'checkpoint'"),
        ["done"]
    );
    assert_sound(&world);
}

#[test]
fn what_git_collects_around_us_takes_nothing_of_ours() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("a.txt", "two\n");
    agent.stops().ok();
    world.settled();
    let ours = || {
        let found = world
            .shell("cd .git/toprope/shadow.git/objects && find . -type f | sort")
            .ok();
        assert!(found.lines().count() > 10, "{found}");
        found
    };
    let before = ours();
    world.git(&["gc", "-q", "--prune=now", "--aggressive"]);
    assert_eq!(ours(), before);
    assert_sound(&world);
}
