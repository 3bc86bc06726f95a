use super::*;
use crate::object::EntryMode;

fn id(text: &str) -> Id {
    let digits: Vec<String> = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{:0>40}", digits.concat()).parse().unwrap()
}

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

/// A file with this content; `-` is no file.
fn entry(content: &str) -> Option<TreeLeaf> {
    (content != "-").then(|| TreeLeaf {
        mode: EntryMode::File,
        id: id(content),
    })
}

/// A commit somebody made; changes are written `path=content`.
fn made(name: &str, changes: &[&str]) -> UnlinkedCommit {
    let change = |text: &&str| {
        let (name, content) = text.split_once('=').unwrap();
        CommitChange {
            path: path(name),
            before: None,
            after: entry(content),
        }
    };
    let signature = Signature {
        person: b"A <a@example.org>".to_vec(),
        at: i64::from(name.bytes().map(u32::from).sum::<u32>()),
    };
    UnlinkedCommit {
        facts: CommitFacts {
            id: id(name),
            tree: id(&format!("tree of {name}")),
            parents: vec![],
            author: signature.clone(),
            committer: signature,
            message: vec![],
            checkpoints: vec![],
            changes: Some(changes.iter().map(change).collect()),
        },
        patch: Some(id(&format!("p{}", changes.join("")))),
        standing: CommitTrust::Made,
        replaces: None,
        is_reworded: false,
    }
}

impl UnlinkedCommit {
    fn tree(mut self, tree: &str) -> Self {
        self.facts.tree = id(tree);
        self
    }

    fn patch(mut self, patch: &str) -> Self {
        self.patch = Some(id(patch));
        self
    }

    fn standing(mut self, standing: CommitTrust) -> Self {
        self.standing = standing;
        self
    }

    fn replacing(mut self, commit: &str) -> Self {
        self.replaces = Some(id(commit));
        self
    }
}

/// A session; rows are written `checkpoint:path=content`, oldest first.
fn session(rows: &[&str]) -> Candidate {
    let row = |text: &&str| {
        let (checkpoint, rest) = text.split_once(':').unwrap();
        let (name, content) = rest.split_once('=').unwrap();
        SessionChange {
            checkpoint: checkpoint.to_owned(),
            path: path(name),
            after: entry(content),
            committed_in: None,
        }
    };
    let rows: Vec<SessionChange> = rows.iter().map(row).collect();
    let mut checkpoints: Vec<LinkedCheckpoint> = Vec::new();
    for row in rows.iter().rev() {
        if checkpoints.iter().all(|listed| listed.id != row.checkpoint) {
            checkpoints.push(LinkedCheckpoint {
                id: row.checkpoint.clone(),
                files: Some(id(&format!("files of {}", row.checkpoint))),
            });
        }
    }
    Candidate {
        checkpoints,
        rows,
        ..Candidate::default()
    }
}

impl Candidate {
    /// All rows so far are in this commit, which is linked.
    fn linked(mut self, commit: &UnlinkedCommit, checkpoint: &str) -> Self {
        for row in &mut self.rows {
            let holds = commit.change(&row.path).is_some();
            row.committed_in = row.committed_in.or(holds.then_some(commit.facts.id));
        }
        self.links.push(ExistingLink {
            commit: commit.facts.id,
            checkpoint: checkpoint.to_owned(),
            patch: commit.patch,
            author: Some(commit.facts.author.clone()),
        });
        self
    }
}

fn abandoned(commits: &[&str]) -> LinkContext {
    LinkContext {
        abandoned: commits.iter().map(|name| id(name)).collect(),
        ..LinkContext::default()
    }
}

/// `commit how checkpoint matched/total [instead of …]`, one per link, then what stays open.
fn said(commits: &[UnlinkedCommit], candidates: &[Candidate], surroundings: &LinkContext) -> String {
    let outcome = link(commits, candidates, surroundings);
    let name = |id: Id| {
        let text = id.to_string();
        let bytes = (0..text.len() / 2).filter_map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).ok());
        bytes
            .filter(|byte| *byte != 0)
            .map(char::from)
            .collect::<String>()
    };
    let mut lines: Vec<String> = outcome
        .links
        .iter()
        .map(|link| {
            let how = format!("{:?}", link.how).to_lowercase();
            let mut line = format!(
                "{} {how} {} {}/{}",
                name(link.commit),
                link.checkpoint,
                link.matched,
                link.total
            );
            if candidates.len() > 1 {
                line = format!("{}: {line}", link.session);
            }
            for old in &link.supersedes {
                line += " for ";
                line += &name(*old);
            }
            line
        })
        .collect();
    if !outcome.open.is_empty() {
        let open = outcome.open.iter().map(|(_, path)| path.to_string());
        lines.push(format!("open {}", open.collect::<Vec<_>>().join(" ")));
    }
    lines.join("; ")
}

fn plain(commits: &[UnlinkedCommit], candidate: Candidate) -> String {
    said(commits, &[candidate], &LinkContext::default())
}

fn four() -> Candidate {
    session(&["t1:a=1", "t1:b=1", "t2:c=1", "t2:d=1"])
}

#[test]
fn a_commit_of_everything_is_the_checkpoints_tree() {
    let all = made("C", &["a=1", "b=1", "c=1", "d=1"]).tree("files of t2");
    assert_eq!(plain(&[all], four()), "C tree t2 4/4");
}

#[test]
fn work_split_over_two_commits_gives_two_links_and_nothing_is_left() {
    let commits = [made("C", &["a=1", "b=1"]), made("D", &["c=1", "d=1"])];
    assert_eq!(
        plain(&commits[..1], four()),
        "C paths t1 2/2; open c d",
        "after the first"
    );
    assert_eq!(plain(&commits, four()), "C paths t1 2/2; D paths t2 2/2");
}

#[test]
fn a_half_staged_file_links_and_stays_open_until_its_second_half() {
    let work = session(&["t1:a=whole"]);
    let halves = [made("C", &["a=half"]), made("D", &["a=whole"])];
    assert_eq!(plain(&halves[..1], work.clone()), "C paths t1 1/1; open a");
    assert_eq!(plain(&halves, work), "C paths t1 1/1; D paths t1 1/1");
}

#[test]
fn a_file_the_person_finished_is_settled_by_the_worktree_and_only_by_its_last_commit() {
    let work = session(&["t1:a=1"]);
    let now = LinkContext {
        settled: HashSet::from([path("a")]),
        ..LinkContext::default()
    };
    let tweaked = [made("C", &["a=tweaked"])];
    assert_eq!(
        said(&tweaked, std::slice::from_ref(&work), &now),
        "C paths t1 1/1"
    );
    let twice = [made("C", &["a=half"]), made("D", &["a=tweaked"])];
    assert_eq!(said(&twice, &[work], &now), "C paths t1 1/1; D paths t1 1/1");
}

#[test]
fn an_unrelated_commit_gets_no_link() {
    assert_eq!(plain(&[made("C", &["x=1"])], session(&["t1:a=1"])), "open a");
}

#[test]
fn a_deleted_file_that_somebody_makes_anew_is_not_the_sessions() {
    let work = session(&["t1:a=1", "t2:a=-"]);
    assert_eq!(plain(&[made("C", &["a=new"])], work.clone()), "open a");
    assert_eq!(plain(&[made("C", &["a=1"])], work.clone()), "open a");
    assert_eq!(plain(&[made("C", &["a=-"])], work), "C paths t2 1/1");
}

#[test]
fn three_commits_in_one_turn_each_lead_to_the_step_they_hold() {
    let work = session(&["s1:a=1", "s2:b=1", "s3:a=2"]);
    let commits = [made("C", &["a=1"]), made("D", &["b=1"]), made("E", &["a=2"])];
    assert_eq!(
        plain(&commits, work),
        "C paths s1 1/1; D paths s2 1/1; E paths s3 1/1"
    );
}

#[test]
fn an_older_state_of_a_file_leaves_the_newer_open() {
    let work = session(&["s1:a=1", "s2:a=2"]);
    let outcome = link(&[made("C", &["a=1"])], &[work], &LinkContext::default());
    assert_eq!(outcome.committed.len(), 1);
    assert_eq!(outcome.committed[0].row, 0);
    assert_eq!(outcome.open, [(0, path("a"))]);
}

#[test]
fn a_tree_takes_what_was_changed_and_changed_back_along() {
    let work = session(&["s1:a=1", "s2:a=0", "s2:b=1", "s3:c=1"]);
    let commit = made("C", &["b=1"]).tree("files of s2");
    assert_eq!(plain(&[commit], work), "C tree s2 1/1; open c");
}

#[test]
fn one_commit_of_two_sessions_links_both() {
    let candidates = [session(&["t1:a=1"]), session(&["u1:b=1"])];
    let commit = made("C", &["a=1", "b=1"]).tree("files of u1");
    assert_eq!(
        said(&[commit], &candidates, &LinkContext::default()),
        "0: C paths t1 1/2; 1: C tree u1 1/2"
    );
}

#[test]
fn an_empty_commit_holds_nobodys_work() {
    let commit = made("C", &[]).tree("files of t1");
    assert_eq!(plain(&[commit], session(&["t1:a=1"])), "open a");
}

#[test]
fn what_was_brought_from_elsewhere_is_believed_by_tree_and_change_only() {
    let brought = made("C", &["a=1"]).standing(CommitTrust::Brought);
    let work = session(&["t1:a=1"]);
    assert_eq!(plain(std::slice::from_ref(&brought), work.clone()), "open a");
    let squashed = brought.tree("files of t1");
    assert_eq!(plain(&[squashed], work), "C tree t1 1/1");
}

#[test]
fn the_open_work_itself_is_known_by_its_change_though_its_bytes_moved() {
    let work = Candidate {
        open_patch: Some(id("p")),
        ..session(&["t1:a=1", "t1:b=1"])
    };
    let commit = made("C", &["a=shifted", "b=1"])
        .patch("p")
        .standing(CommitTrust::Brought);
    assert_eq!(plain(&[commit], work), "C patch t1 2/2");
}

#[test]
fn a_checkpoint_named_in_the_message_is_the_one() {
    let mut commit = made("C", &["a=1"]);
    commit.facts.checkpoints = vec!["s1".to_owned()];
    let work = session(&["s1:a=1", "s2:b=1"]);
    assert_eq!(plain(&[commit], work), "C trailer s1 1/1; open b");
}

#[test]
fn amending_hands_the_link_over_and_takes_new_work_along() {
    let old = made("C", &["a=1"]);
    let work = session(&["t1:a=1"]).linked(&old, "t1");
    let gone = abandoned(&["C"]);
    let reworded = UnlinkedCommit {
        is_reworded: true,
        ..made("D", &["a=1"]).replacing("C")
    };
    assert_eq!(
        said(&[reworded], std::slice::from_ref(&work), &gone),
        "D rewrite t1 1/1 for C"
    );
    let mut more = session(&["t1:a=1", "t2:b=1"]);
    more.rows[0].committed_in = Some(id("C"));
    more.links = work.links.clone();
    let grown = made("D", &["a=1", "b=1"]).replacing("C");
    assert_eq!(said(&[grown], &[more], &gone), "D rewrite t2 2/2 for C");
}

#[test]
fn rewording_somebody_elses_commit_links_nothing() {
    let reworded = UnlinkedCommit {
        is_reworded: true,
        ..made("D", &["a=1"]).tree("files of t1").replacing("C")
    };
    let work = session(&["t1:a=1"]);
    assert_eq!(said(&[reworded], &[work], &abandoned(&["C"])), "open a");
}

#[test]
fn a_commit_amended_before_anybody_looked_hands_its_link_over_too() {
    let commits = [made("C", &["a=1"]), made("D", &["a=1"]).replacing("C")];
    assert_eq!(
        said(&commits, &[session(&["t1:a=1"])], &abandoned(&["C"])),
        "C paths t1 1/1; D rewrite t1 1/1 for C"
    );
}

#[test]
fn a_rebase_hands_links_over_by_change_and_after_a_conflict_by_who_wrote_it_when() {
    let old = [made("C", &["a=1"]), made("D", &["b=1"])];
    let work = session(&["t1:a=1", "t2:b=1"])
        .linked(&old[0], "t1")
        .linked(&old[1], "t2");
    let first = made("E", &["a=shifted"])
        .patch("pa=1")
        .standing(CommitTrust::Remade);
    let mut second = made("F", &["b=merged", "x=1"]).standing(CommitTrust::Remade);
    second.facts.author = old[1].facts.author.clone();
    assert_eq!(
        said(&[first, second], &[work], &abandoned(&["C", "D"])),
        "E rewrite t1 1/1 for C; F rewrite t2 1/2 for D"
    );
}

#[test]
fn a_cherry_pick_copies_the_link_and_the_original_keeps_its_own() {
    let old = made("C", &["a=1"]);
    let work = session(&["t1:a=1"]).linked(&old, "t1");
    let picked = made("D", &["a=1"]).standing(CommitTrust::Remade);
    assert_eq!(plain(&[picked], work), "D patch t1 1/1");
}

#[test]
fn a_squash_is_the_checkpoints_tree_or_else_the_union_of_what_it_replaced() {
    let old = [made("C", &["a=1"]), made("D", &["b=1"])];
    let work = session(&["t1:a=1", "t2:b=1"])
        .linked(&old[0], "t1")
        .linked(&old[1], "t2");
    let gone = abandoned(&["C", "D"]);
    let squashed = made("E", &["a=1", "b=1"]).standing(CommitTrust::Remade);
    assert_eq!(
        said(
            &[squashed.clone().tree("files of t2")],
            std::slice::from_ref(&work),
            &gone
        ),
        "E rewrite t2 2/2 for C for D"
    );
    let elsewhere = made("E", &["a=x", "b=y"]).standing(CommitTrust::Remade);
    assert_eq!(said(&[elsewhere], &[work], &gone), "E rewrite t2 2/2 for C for D");
}

#[test]
fn the_steps_of_a_rebase_that_is_given_up_leave_no_trace() {
    let old = made("C", &["a=1"]);
    let work = session(&["t1:a=1"]).linked(&old, "t1");
    let step = made("D", &["a=1"]).standing(CommitTrust::Remade);
    let back = made("C", &["a=1"]).standing(CommitTrust::Brought);
    assert_eq!(said(&[step, back], &[work], &abandoned(&["D"])), "");
}

#[test]
fn work_that_was_reset_and_committed_again_in_parts_is_followed_into_both() {
    let old = made("C", &["a=1", "b=1"]);
    let work = session(&["t1:a=1", "t1:b=1"]).linked(&old, "t1");
    let again = [made("D", &["a=1"]), made("E", &["b=1"])];
    assert_eq!(
        said(&again, &[work], &abandoned(&["C"])),
        "D rewrite t1 1/1 for C; E paths t1 1/1"
    );
}

#[test]
fn the_paths_of_a_long_abandoned_commit_speak_for_nothing() {
    let old = made("C", &["a=1"]);
    let work = session(&["t1:a=1"]).linked(&old, "t1");
    let later = made("D", &["a=other"]);
    assert_eq!(said(&[later], &[work], &abandoned(&["C"])), "");
}

#[test]
fn while_git_is_in_the_middle_of_something_paths_do_not_count_and_nothing_is_replaced() {
    let old = made("C", &["a=1"]);
    let under_way = LinkContext {
        is_under_way: true,
        ..abandoned(&["C"])
    };
    let work = session(&["t1:a=1", "t2:b=1"]).linked(&old, "t1");
    let commits = [made("D", &["a=1"]), made("E", &["b=1"])];
    let mut open = work.clone();
    open.rows[1].committed_in = None;
    assert_eq!(said(&commits, &[open], &under_way), "D patch t1 1/1; open b");
}

#[test]
fn the_same_commits_again_change_nothing() {
    let commit = made("C", &["a=1"]);
    let done = session(&["t1:a=1"]).linked(&commit, "t1");
    assert_eq!(
        link(
            std::slice::from_ref(&commit),
            std::slice::from_ref(&done),
            &LinkContext::default()
        ),
        LinkOutcome::default()
    );
    let superseded = Candidate {
        links: vec![],
        superseded: HashSet::from([id("C")]),
        ..done
    };
    assert_eq!(
        link(&[commit], &[superseded], &abandoned(&["C"])),
        LinkOutcome::default()
    );
}

#[test]
fn a_commit_whose_changes_are_too_many_to_list_is_known_by_its_tree_alone() {
    let mut commit = made("C", &[]).tree("files of t1");
    commit.facts.changes = None;
    commit.patch = None;
    assert_eq!(plain(&[commit], session(&["t1:a=1"])), "C tree t1 0/0");
}
