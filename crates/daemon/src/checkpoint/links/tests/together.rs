//! Two who link at once.

use super::*;

#[test]
fn linking_again_changes_nothing_and_two_at_once_link_once() {
    let world = World::new();
    world.works("s", &["a=1"]);
    world.sh("git add -A && git commit -qm one");
    std::thread::scope(|scope| {
        let both = [(); 2].map(|()| {
            let shared = Shared::of(&world);
            scope.spawn(move || shared.link())
        });
        let linked: usize = both.map(|one| one.join().unwrap().links).iter().sum();
        assert_eq!(linked, 1);
    });
    assert_eq!(world.link(), Linked::default());
}

/// What linking needs of a world, for two threads.
struct Shared<'a> {
    writer: &'a GroupCommit,
    place: &'a Place,
    folder: &'a std::path::Path,
    worktree: WorktreeId,
}

impl<'a> Shared<'a> {
    fn of(world: &'a World) -> Self {
        Self {
            writer: &world.writer,
            place: &world.place,
            folder: &world.folder,
            worktree: world.worktree,
        }
    }

    fn link(&self) -> Linked {
        let environment = environment(self.folder);
        let linker = Linker {
            place: self.place,
            environment: &environment,
            worktree: self.worktree,
            shadow: None,
            budget: BUDGET,
            at: Timestamp(4),
        };
        link(self.writer, &linker).unwrap()
    }
}
