//! A thing to do that was finished names the work that came before it.

use crate::world;
use serde_json::{Value, json};
use testkit::{Agent, Call, World};

/// The list with so many of its items done.
fn list(done: usize) -> Value {
    let item = |number: usize, text: &str| {
        let status = if number < done { "completed" } else { "pending" };
        json!({ "content": text, "status": status, "activeForm": text })
    };
    json!([item(0, "write one"), item(1, "write two")])
}

/// Writes the list anew, within a step.
fn updates<'a>(agent: &Agent<'a>, done: usize) -> Call<'a> {
    let call = agent.call("TodoWrite", &json!({ "todos": list(done) }));
    call.begins().ok();
    let before = if done == 0 { json!([]) } else { list(done - 1) };
    call.ends(&json!({ "oldTodos": before, "newTodos": list(done) }))
        .ok();
    call
}

/// Writes a file, within a step.
fn writes<'a>(agent: &Agent<'a>, path: &str) -> Call<'a> {
    let call = agent.is_about_to_write(path, "x\n");
    call.does_write("x\n");
    call.ends(&json!({ "type": "create" })).ok();
    call
}

/// The steps with what each changed.
fn steps(world: &World) -> Vec<String> {
    world.settled();
    world.database().rows(
        "SELECT label || ': ' || (SELECT group_concat(CAST(path AS TEXT)) FROM checkpoint_files
             WHERE checkpoint_seq = checkpoints.seq) FROM checkpoints WHERE kind = 'step' ORDER BY seq",
    )
}

/// One thing after the other, each with its update behind it.
fn works(world: &World, agent: &Agent<'_>, is_slow: bool) {
    let pause = || {
        if is_slow {
            world.settled();
        }
    };
    agent.shell("true");
    updates(agent, 0).ends_step();
    for (done, path) in [(1, "one.txt"), (2, "two.txt")] {
        pause();
        writes(agent, path).ends_step();
        pause();
        updates(agent, done).ends_step();
    }
}

#[test]
fn each_item_names_the_step_before_it_and_the_last_one_too() {
    for is_slow in [true, false] {
        let world = world();
        let agent = world.agent("s1");
        agent.starts().ok();
        agent.is_asked("Do both").ok();
        works(&world, &agent, is_slow);
        agent.stops().ok();
        assert_eq!(
            steps(&world),
            ["Completed: write one: one.txt", "Completed: write two: two.txt"]
        );
        let listed = world
            .toprope(&["checkpoint", "list", "--steps", "--json"])
            .json()
            .unwrap();
        let mut rows = listed["checkpoints"].as_array().unwrap().iter();
        let first = rows.find(|row| row["label"] == "Completed: write one").unwrap();
        let point = first["point"].as_str().unwrap();
        world.toprope(&["rewind", point, "--yes"]).ok();
        assert!(world.repo().join("one.txt").exists() && !world.repo().join("two.txt").exists());
    }
}

#[test]
fn a_subagents_items_name_its_own_steps() {
    for is_slow in [true, false] {
        let world = world();
        let main = world.agent("s1");
        main.is_asked("Delegate it").ok();
        let helper = main.subagent("a1111111111111111", "Explore");
        helper.begins().ok();
        main.writes("main.txt", "m\n");
        works(&world, &helper, is_slow);
        helper.ends().ok();
        main.stops().ok();
        let mut steps = steps(&world);
        steps.retain(|step| step.starts_with("Completed"));
        assert_eq!(
            steps,
            ["Completed: write one: one.txt", "Completed: write two: two.txt"]
        );
    }
}

#[test]
fn within_a_batch_the_order_of_its_calls_tells_what_was_finished() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Do both").ok();
    agent.shell("true");
    // The work and its update in one step; then the next work behind the update.
    let (write, update) = (writes(&agent, "one.txt"), updates(&agent, 1));
    agent.ends_step(&[&write, &update]);
    world.settled();
    assert_eq!(steps(&world), ["Completed: write one: one.txt"]);
    writes(&agent, "two.txt").ends_step();
    let (update, write) = (updates(&agent, 2), writes(&agent, "three.txt"));
    agent.ends_step(&[&update, &write]);
    agent.stops().ok();
    assert_eq!(
        steps(&world),
        [
            "Completed: write one: one.txt",
            "Completed: write two: two.txt",
            "Edit three.txt: three.txt"
        ]
    );
}

#[test]
fn a_command_that_changed_nothing_beside_the_update_does_not_take_its_name() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Do one").ok();
    agent.shell("true");
    writes(&agent, "one.txt").ends_step();
    let test = agent.is_about_to_run("true");
    test.ends(&json!({ "stdout": "", "stderr": "" })).ok();
    let update = updates(&agent, 1);
    agent.ends_step(&[&test, &update]);
    agent.stops().ok();
    assert_eq!(steps(&world), ["Completed: write one: one.txt"]);
}

#[test]
fn an_update_without_work_since_the_last_one_names_nothing() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Do both").ok();
    agent.shell("true");
    writes(&agent, "one.txt").ends_step();
    updates(&agent, 1).ends_step();
    updates(&agent, 2).ends_step();
    agent.stops().ok();
    assert_eq!(steps(&world), ["Completed: write one: one.txt"]);
}

#[test]
fn a_task_that_is_completed_names_the_step_before_it() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Do both").ok();
    for (id, subject, path) in [("1", "First", "one.txt"), ("2", "Second", "two.txt")] {
        let create = agent.call("TaskCreate", &json!({ "subject": subject, "description": "d" }));
        create.begins().ok();
        create
            .ends(&json!({ "task": { "id": id, "subject": subject } }))
            .ok();
        create.ends_step();
        writes(&agent, path).ends_step();
        let update = agent.call("TaskUpdate", &json!({ "taskId": id, "status": "completed" }));
        update.begins().ok();
        update.ends(&json!({ "success": true, "taskId": id, "statusChange": { "from": "pending", "to": "completed" } }))
            .ok();
        update.ends_step();
    }
    agent.stops().ok();
    assert_eq!(
        steps(&world),
        ["Completed: First: one.txt", "Completed: Second: two.txt"]
    );
}

#[test]
fn a_client_that_reports_no_batches_has_its_steps_named_too() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Do both").ok();
    for (done, path) in [(1, "one.txt"), (2, "two.txt")] {
        writes(&agent, path);
        updates(&agent, done);
    }
    agent.stops().ok();
    assert_eq!(
        steps(&world),
        ["Completed: write one: one.txt", "Completed: write two: two.txt"]
    );
}
