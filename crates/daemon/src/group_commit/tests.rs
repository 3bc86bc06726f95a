use super::*;
use crate::clock;
use crate::environment::Environment;
use crate::frame::request::{Header, HookRequest};
use crate::home::Home;
use crate::pipeline::PipelineContext;
use engine::policy::ORDER;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;
use store::table::events::{self, LogFilter};
use tempfile::TempDir;

struct Place {
    _folder: TempDir,
    world: PipelineContext,
    writer: GroupCommit,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::of(&[("TOPROPE_HOME", folder.path().to_str().unwrap())]);
    let home = Home::of(&environment);
    let store = Store::open(&home.database(), Duration::from_secs(5)).unwrap();
    Place {
        world: PipelineContext::new(home, &environment),
        writer: GroupCommit::new(store, Judge::new(ORDER)),
        _folder: folder,
    }
}

impl Place {
    fn prompt(&self, number: usize) -> Arc<PreparedEvent> {
        let body = format!(
            "{{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"{number}\"}}"
        );
        let header = Header {
            agent: "claude-code".into(),
            delivery: format!("d{number}"),
            ..Header::default()
        };
        let request = HookRequest {
            header,
            body: body.into_bytes(),
        };
        Arc::new(self.world.prepare(request, clock::now()))
    }

    /// Puts events in line and gives back what they will be told.
    fn submit(&self, numbers: std::ops::Range<usize>) -> Receiver<(usize, SubmitResult)> {
        let (tell, told) = channel();
        for number in numbers {
            let tell = tell.clone();
            self.writer.submit(self.prompt(number), move |outcome| {
                tell.send((number, outcome)).unwrap();
            });
        }
        told
    }

    fn prompts(&self) -> Vec<String> {
        let filter = LogFilter {
            limit: 10_000,
            ..LogFilter::default()
        };
        let rows = events::list(&self.writer.store().read(), &filter).unwrap();
        rows.into_iter().filter_map(|row| row.target).collect()
    }
}

#[test]
fn with_a_free_seat_the_outcome_is_known_at_once() {
    let place = place();
    let told = place.submit(0..1);
    assert!(told.try_recv().unwrap().1.is_ok());
}

#[test]
fn who_comes_while_the_seat_is_taken_is_served_when_it_is_left_in_order() {
    let place = place();
    let seat = place.writer.store();
    let told = place.submit(0..20);
    assert!(
        told.try_recv().is_err(),
        "nobody is served while the seat is taken"
    );
    drop(seat);
    let served: Vec<usize> = told
        .try_iter()
        .map(|(number, outcome)| outcome.map(|_| number).unwrap())
        .collect();
    assert_eq!(served, (0..20).collect::<Vec<_>>());
    assert_eq!(
        place.prompts(),
        (0..20).map(|number| format!("\"{number}\"")).collect::<Vec<_>>()
    );
}

#[test]
fn a_line_that_is_too_long_is_told_so_and_the_rest_is_served() {
    let place = place();
    let seat = place.writer.store();
    let told = place.submit(0..LONGEST_LINE + 3);
    let refused: Vec<_> = told.try_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(refused, vec![Err(SubmitError::LineFull); 3]);
    drop(seat);
    assert_eq!(
        told.try_iter().filter(|(_, outcome)| outcome.is_ok()).count(),
        LONGEST_LINE
    );
}

#[test]
fn nobody_is_forgotten_whoever_sits_there() {
    const EACH: usize = 100;
    let place = place();
    let told: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let place = &place;
                scope.spawn(move || place.submit(thread * EACH..(thread + 1) * EACH))
            })
            .collect();
        for _ in 0..50 {
            drop(place.writer.store());
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let served = told
        .iter()
        .flat_map(Receiver::try_iter)
        .filter(|(_, outcome)| outcome.is_ok())
        .count();
    assert_eq!(served, 4 * EACH);
    assert_eq!(place.prompts().len(), 4 * EACH);
}
