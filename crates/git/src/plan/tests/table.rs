use super::*;

#[test]
fn what_is_as_the_target_had_it_is_not_touched() {
    assert_eq!(verdict(facts('a', &["sab", "sba"], 'a')), PathVerdict::Nothing);
    assert_eq!(verdict(facts('-', &["s-b", "sb-"], '-')), PathVerdict::Nothing);
}

#[test]
fn being_as_the_target_had_it_comes_before_every_conflict() {
    let conflicting = PathFacts {
        obstacle: Some(PathObstacle::Unmerged),
        leased_by: Some("B".to_owned()),
        ..facts('a', &["sab", "pbc"], 'a')
    };
    assert_eq!(verdict(conflicting), PathVerdict::Nothing);
}

#[test]
fn a_changed_file_is_restored() {
    assert_eq!(verdict(facts('a', &["sab", "sbc"], 'c')), restore('a'));
}

#[test]
fn a_deleted_file_is_recreated() {
    assert_eq!(
        verdict(facts('a', &["sa-"], '-')),
        PathVerdict::Recreate { to: state('a') }
    );
}

#[test]
fn an_exec_bit_alone_is_put_back_without_rewriting_the_file() {
    assert_eq!(
        verdict(facts('a', &["saA"], 'A')),
        PathVerdict::Mode { to: state('a') }
    );
    assert_eq!(
        verdict(facts('A', &["sAa"], 'a')),
        PathVerdict::Mode { to: state('A') }
    );
}

#[test]
fn a_file_that_became_a_link_is_restored_as_a_file_and_the_other_way_round() {
    assert_eq!(verdict(facts('a', &["sa@"], '@')), restore('a'));
    assert_eq!(verdict(facts('@', &["s@a"], 'a')), restore('@'));
}

#[test]
fn bytes_that_differ_only_in_the_worktree_are_restored_too() {
    let raw = |letter| match state('a') {
        PathState::Present { entry, .. } => PathState::Present {
            entry,
            raw: state(letter).bytes(),
        },
        PathState::Absent => panic!("a file"),
    };
    let mut facts = facts('a', &[], 'a');
    facts.history = vec![PathHistory {
        by: PathAuthor::Scope("a".to_owned()),
        before: state('a'),
        after: raw('b'),
        added: false,
    }];
    facts.now = raw('b');
    assert_eq!(verdict(facts), restore('a'));
}

#[test]
fn a_file_the_scope_made_is_deleted() {
    assert_eq!(verdict(facts('-', &["s-b", "sbc"], 'c')), PathVerdict::Delete);
    assert_eq!(
        verdict(facts('-', &["m-b"], 'b')),
        PathVerdict::Delete,
        "by two of the scope at once"
    );
}

#[test]
fn a_file_the_target_lacks_but_that_existed_before_is_left() {
    assert_eq!(
        verdict(facts('-', &["sbc"], 'c')),
        PathVerdict::Leave(LeftReason::ExistedBefore)
    );
}

#[test]
fn a_file_the_target_lacks_and_nobody_in_scope_answers_for_is_left() {
    assert_eq!(
        verdict(facts('-', &["r-b"], 'b')),
        PathVerdict::Leave(LeftReason::MadeBy("claude·main".to_owned()))
    );
}

#[test]
fn what_only_others_changed_is_left() {
    assert_eq!(
        verdict(facts('a', &["pab"], 'b')),
        PathVerdict::Leave(LeftReason::Outside)
    );
    assert_eq!(
        verdict(facts('a', &["oab"], 'b')),
        PathVerdict::Leave(LeftReason::Other("session B".to_owned()))
    );
    assert_eq!(
        verdict(facts('-', &["p-b"], 'c')),
        PathVerdict::Leave(LeftReason::Outside),
        "even if it was edited since"
    );
}

#[test]
fn what_only_others_changed_is_a_conflict_when_everything_is_in_scope() {
    assert_eq!(
        verdict_for_all(facts('a', &["pab"], 'b')),
        changed("someone outside the agents")
    );
    assert_eq!(verdict_for_all(facts('a', &["oab"], 'b')), changed("session B"));
    assert_eq!(
        verdict_for_all(facts('a', &[], 'b')),
        EDITED,
        "nobody is recorded"
    );
}

#[test]
fn an_edit_made_before_the_scope_began_is_kept() {
    assert_eq!(verdict(facts('a', &["pab", "sbc"], 'c')), restore_keeping('b'));
    assert_eq!(
        verdict(facts('a', &["oab", "pbc", "scd", "sde"], 'e')),
        restore_keeping('c')
    );
    assert_eq!(
        verdict(facts('-', &["p-b", "sbc"], 'c')),
        restore_keeping('b'),
        "a file the person made"
    );
}

#[test]
fn a_file_the_person_deleted_before_the_scope_made_it_anew_is_deleted() {
    assert_eq!(verdict(facts('a', &["pa-", "s-c"], 'c')), PathVerdict::Delete);
}

#[test]
fn what_is_not_as_it_was_recorded_last_was_edited_since() {
    assert_eq!(verdict(facts('a', &["sab"], 'c')), EDITED);
    assert_eq!(verdict(facts('a', &["sab"], '-')), EDITED);
    assert_eq!(verdict(facts('-', &["s-b"], 'c')), EDITED);
}

#[test]
fn a_foreign_change_between_or_after_the_scopes_own_is_a_conflict() {
    let person = "someone outside the agents";
    assert_eq!(verdict(facts('a', &["sab", "pbc", "scd"], 'd')), also(person));
    assert_eq!(verdict(facts('a', &["sab", "pbc"], 'c')), also(person));
    assert_eq!(verdict(facts('a', &["sab", "obc"], 'c')), also("session B"));
}

#[test]
fn a_change_shared_with_somebody_out_of_scope_is_a_conflict_one_within_it_is_not() {
    assert_eq!(verdict(facts('a', &["xab"], 'b')), also("another agent"));
    assert_eq!(verdict(facts('a', &["sab", "xbc"], 'c')), also("another agent"));
    assert_eq!(verdict(facts('a', &["mab"], 'b')), restore('a'));
}

#[test]
fn a_gap_in_the_history_is_gits_doing_and_a_conflict() {
    assert_eq!(verdict(facts('a', &["sab", "scd"], 'd')), also("git"));
    assert_eq!(verdict(facts('a', &["sbc"], 'c')), also("git"));
}

#[test]
fn what_somebody_else_has_leased_is_a_conflict() {
    let leased = PathFacts {
        leased_by: Some("session B".to_owned()),
        ..facts('a', &["sab"], 'b')
    };
    assert_eq!(
        verdict(leased),
        PathVerdict::Conflict(ConflictReason::LeasedBy("session B".to_owned()))
    );
}

#[test]
fn what_the_checkpoint_does_not_hold_is_a_conflict_that_force_does_not_lift() {
    let unknown = PathFacts {
        target: RecordedState::NotCaptured("212 MB, limit 50".to_owned()),
        ..facts('-', &["sab"], 'b')
    };
    let reason = PathVerdict::Conflict(ConflictReason::NotInTheCheckpoint("212 MB, limit 50".to_owned()));
    assert_eq!(verdict(unknown.clone()), reason);
    assert_eq!(forced(unknown), reason);
}

#[test]
fn what_cannot_be_written_safely_is_a_conflict_that_force_does_not_lift() {
    let obstacles = [
        PathObstacle::Link(path("src")),
        PathObstacle::File(path("src")),
        PathObstacle::Folder(vec![path("file/below")]),
        PathObstacle::CaseTwin(path("FILE")),
    ];
    for obstacle in obstacles {
        let blocked = PathFacts {
            obstacle: Some(obstacle.clone()),
            ..facts('a', &["sab"], 'b')
        };
        let reason = PathVerdict::Conflict(ConflictReason::Obstacle(obstacle));
        assert_eq!(verdict(blocked.clone()), reason);
        assert_eq!(forced(blocked), reason);
    }
}

#[test]
fn an_unmerged_path_is_a_conflict_that_force_lifts() {
    let unmerged = PathFacts {
        obstacle: Some(PathObstacle::Unmerged),
        ..facts('a', &["sab"], 'b')
    };
    assert_eq!(
        verdict(unmerged.clone()),
        PathVerdict::Conflict(ConflictReason::Obstacle(PathObstacle::Unmerged))
    );
    assert_eq!(forced(unmerged), restore('a'));
}

#[test]
fn a_file_in_place_of_a_folder_is_no_obstacle_if_the_plan_deletes_it() {
    let made = PathFacts {
        path: path("dir"),
        ..facts('-', &["s-b"], 'b')
    };
    let gone = PathFacts {
        path: path("dir/file"),
        obstacle: Some(PathObstacle::File(path("dir"))),
        ..facts('a', &["sa-"], '-')
    };
    let plan = RewindPlan::of(&[gone.clone(), made.clone()], PlanScope::Some);
    let verdicts: Vec<_> = plan.paths.iter().map(|planned| planned.verdict.clone()).collect();
    assert_eq!(
        verdicts,
        [PathVerdict::Delete, PathVerdict::Recreate { to: state('a') }]
    );

    let edited = PathFacts {
        now: state('z'),
        ..made
    };
    let plan = RewindPlan::of(&[gone, edited], PlanScope::Some);
    assert_eq!(plan.conflicts().count(), 2, "both stay as they are");
    assert!(
        plan.force().is_clear(),
        "force deletes the one, which frees the other"
    );
}

#[test]
fn a_folder_in_place_of_a_file_is_no_obstacle_if_the_plan_empties_it() {
    let gone = PathFacts {
        obstacle: Some(PathObstacle::Folder(vec![path("file/new")])),
        ..facts('a', &["sa-"], '-')
    };
    let made = PathFacts {
        path: path("file/new"),
        ..facts('-', &["s-b"], 'b')
    };
    assert!(RewindPlan::of(&[gone.clone(), made], PlanScope::Some).is_clear());
    assert!(!plan_of(gone, PlanScope::Some).is_clear());
}

#[test]
fn a_repository_within_is_left_whatever_happened_to_it() {
    let left = PathVerdict::Leave(LeftReason::Repository);
    assert_eq!(verdict(facts('#', &["s#a"], 'a')), left);
    assert_eq!(verdict(facts('-', &["s-#"], '#')), left);
    assert_eq!(verdict(facts('a', &["sa#", "p#b"], '#')), left);
}

#[test]
fn skipping_conflicts_leaves_those_paths_and_does_the_rest() {
    let other = PathFacts {
        path: path("other"),
        ..facts('a', &["sab"], 'b')
    };
    let plan = RewindPlan::of(&[facts('a', &["sab"], 'c'), other], PlanScope::Some);
    assert_eq!(plan.changes(), [], "nothing at all while there is a conflict");
    let plan = plan.skip_conflicts();
    assert_eq!(
        plan.paths[0].verdict,
        PathVerdict::Leave(LeftReason::Conflict(ConflictReason::EditedSince))
    );
    let paths: Vec<_> = plan.changes().into_iter().map(|change| change.path).collect();
    assert_eq!(paths, [path("other")]);
}

#[test]
fn force_takes_back_the_scopes_work_over_the_edits_of_others() {
    assert_eq!(forced(facts('a', &["sab"], 'c')), restore('a'));
    assert_eq!(
        forced(facts('a', &["sab"], '-')),
        PathVerdict::Recreate { to: state('a') }
    );
    assert_eq!(forced(facts('-', &["s-b"], 'c')), PathVerdict::Delete);
    assert_eq!(forced(facts('a', &["pab", "sbc"], 'd')), restore_keeping('b'));
    assert_eq!(forced(facts('a', &["xab"], 'b')), restore('a'));
    assert_eq!(
        forced(facts('-', &["x-b"], 'b')),
        PathVerdict::Leave(LeftReason::MadeBy("another agent".to_owned())),
        "what somebody else may have made stays"
    );
}

#[test]
fn force_over_everything_gives_what_the_target_had() {
    let of = |facts| plan_of(facts, PlanScope::All).force().paths.remove(0).verdict;
    assert_eq!(of(facts('a', &["pab"], 'b')), restore('a'));
    assert_eq!(of(facts('-', &["p-b"], 'b')), PathVerdict::Delete);
    assert_eq!(of(facts('a', &[], 'b')), restore('a'));
}

#[test]
fn another_commit_refuses_the_whole_and_only_force_lifts_that() {
    let head = ConflictReason::Head {
        by: "checkout",
        from: "9e02b11".to_owned(),
        to: "1d4c7aa".to_owned(),
        point: "t2".to_owned(),
    };
    let plan = plan_of(facts('a', &["sab"], 'b'), PlanScope::Some).refused(head);
    assert_eq!(plan.changes(), []);
    assert!(!plan.clone().skip_conflicts().is_clear());
    assert_eq!(plan.force().changes().len(), 1);
}
