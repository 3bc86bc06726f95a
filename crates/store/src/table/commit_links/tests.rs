//! One link per session and commit, and a person's word outlasts what is found out.

use super::*;
use crate::checkpoints::CheckpointKind;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;

struct Scene {
    stage: Stage,
    project: ProjectId,
    session: ActorId,
}

impl Scene {
    fn new() -> Self {
        let mut stage = Stage::new();
        let sent = stage.starts(&main_of("7c1e"), StartSource::Startup);
        Self {
            stage,
            project: sent.project,
            session: sent.actor.id,
        }
    }

    fn links(&mut self, commit: &str, how: LinkKind, patch: Option<&str>) -> CheckpointId {
        let checkpoint = self.stage.cut(&main_of("7c1e"), CheckpointKind::Turn, 1, &[]).id;
        let new = CommitLink {
            project: self.project,
            commit: commit.to_owned(),
            checkpoint: checkpoint.clone(),
            session: Some(self.session),
            how,
            paths_matched: 1,
            paths_total: 2,
            patch_id: patch.map(str::to_owned),
            superseded_by: None,
            linked_at: self.stage.now(),
        };
        self.stage.write(|db| link(db, &new));
        checkpoint
    }

    fn told(&self) -> Vec<String> {
        self.stage
            .rows("SELECT commit_id, how, patch_id, superseded_by FROM commit_links ORDER BY id")
    }
}

#[test]
fn a_session_has_one_link_to_a_commit_the_newest_found() {
    let mut scene = Scene::new();
    scene.links("9e02", LinkKind::Paths, Some("p1"));
    let second = scene.links("9e02", LinkKind::Tree, None);
    assert_eq!(scene.told(), ["9e02 tree p1 -"]);
    let found = of_commit(&scene.stage.read(), scene.project, "9e02").unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].checkpoint, second);
    assert_eq!(of_checkpoint(&scene.stage.read(), &second).unwrap(), found);
}

#[test]
fn what_a_person_linked_is_not_overwritten() {
    let mut scene = Scene::new();
    let said = scene.links("9e02", LinkKind::Manual, None);
    scene.links("9e02", LinkKind::Tree, None);
    let found = of_commit(&scene.stage.read(), scene.project, "9e02").unwrap();
    assert_eq!((found[0].how, &found[0].checkpoint), (LinkKind::Manual, &said));
    let said = scene.links("9e02", LinkKind::Manual, None);
    let found = of_commit(&scene.stage.read(), scene.project, "9e02").unwrap();
    assert_eq!(found[0].checkpoint, said);
}

#[test]
fn a_rewritten_commit_hands_its_links_on() {
    let mut scene = Scene::new();
    scene.links("old", LinkKind::Tree, Some("p1"));
    let project = scene.project;
    let known = of_patch(&scene.stage.read(), project, "p1").unwrap();
    assert_eq!(known[0].commit, "old");
    scene.links("new", LinkKind::Rewrite, Some("p1"));
    assert_eq!(scene.stage.write(|db| supersede(db, project, "old", "new")), 1);
    assert_eq!(scene.told(), ["old tree p1 new", "new rewrite p1 -"]);
    assert_eq!(scene.stage.write(|db| supersede(db, ProjectId(9), "new", "x")), 0);
}

#[test]
fn a_commit_can_be_unlinked() {
    let mut scene = Scene::new();
    let project = scene.project;
    scene.links("9e02", LinkKind::Tree, None);
    scene.links("77c0", LinkKind::Tree, None);
    assert_eq!(scene.stage.write(|db| unlink(db, project, "9e02")), 1);
    assert_eq!(scene.stage.write(|db| unlink(db, project, "9e02")), 0);
    assert_eq!(scene.told(), ["77c0 tree - -"]);
}

#[test]
fn every_way_is_found_by_its_word() {
    for how in LinkKind::ALL {
        assert_eq!(LinkKind::parse(how.as_str()), how);
    }
}
