use super::*;
use crate::claude_code::payload::PayloadFields;
use crate::claude_code::tool;
use serde_json::json;

fn read(tool_name: &str, input: &Value, response: &Value) -> Option<TodoUpdate> {
    let payload = json!({"tool_name": tool_name, "tool_input": input}).to_string();
    let mut payload =
        PayloadFields::parse(payload.as_bytes()).unwrap_or_else(|malformed| panic!("{malformed}"));
    update(&tool::call(&mut payload), response)
}

fn entry(text: &str, status: &str) -> Value {
    json!({"content": text, "status": status, "activeForm": "Doing"})
}

fn todo(text: &str, completed: bool) -> TodoItem {
    TodoItem {
        text: text.to_owned(),
        completed,
    }
}

#[test]
fn a_written_list_comes_with_the_one_before() {
    let response = json!({
        "oldTodos": [entry("one", "in_progress")],
        "newTodos": [entry("one", "completed"), entry("two", "pending")],
    });
    assert_eq!(
        read("TodoWrite", &json!({"todos": []}), &response),
        Some(TodoUpdate::List {
            before: Some(vec![todo("one", false)]),
            after: vec![todo("one", true), todo("two", false)],
        })
    );
}

#[test]
fn without_an_answer_the_list_is_what_was_asked_for() {
    assert_eq!(
        read(
            "TodoWrite",
            &json!({"todos": [entry("one", "completed")]}),
            &json!("Todos have been modified")
        ),
        Some(TodoUpdate::List {
            before: None,
            after: vec![todo("one", true)],
        })
    );
}

#[test]
fn a_list_that_cannot_be_read_whole_is_none() {
    let lists = [
        json!("one"),
        json!([entry("one", "pending"), "two"]),
        json!([{"content": "one"}]),
        json!([{"content": 1, "status": "completed"}]),
        json!(vec![entry("one", "pending"); MOST_ITEMS + 1]),
    ];
    for todos in lists {
        assert_eq!(
            read("TodoWrite", &json!({"todos": todos}), &json!({})),
            None,
            "{todos}"
        );
    }
    assert_eq!(read("TodoWrite", &json!({}), &json!({})), None);
    let response = json!({"oldTodos": [7], "newTodos": [entry("one", "completed")]});
    assert_eq!(
        read("TodoWrite", &json!({}), &response),
        Some(TodoUpdate::List {
            before: None,
            after: vec![todo("one", true)],
        })
    );
}

#[test]
fn a_noted_task_has_its_id_from_the_answer() {
    assert_eq!(
        read(
            "TaskCreate",
            &json!({"subject": "First", "description": "d"}),
            &json!({"task": {"id": "1", "subject": "First"}})
        ),
        Some(TodoUpdate::Created {
            task: Some("1".to_owned()),
            subject: "First".to_owned(),
        })
    );
    assert_eq!(
        read(
            "TaskCreate",
            &json!({"subject": "First"}),
            &json!("Task #1 created")
        ),
        Some(TodoUpdate::Created {
            task: None,
            subject: "First".to_owned(),
        })
    );
    assert_eq!(read("TaskCreate", &json!({"subject": 1}), &json!({})), None);
}

#[test]
fn a_task_is_completed_when_the_answer_says_so() {
    let changed = |subject: Option<&str>, completed| {
        Some(TodoUpdate::Changed {
            task: "1".to_owned(),
            subject: subject.map(str::to_owned),
            completed,
        })
    };
    let asked = json!({"taskId": "1", "status": "completed"});
    let answered = json!({"success": true, "statusChange": {"from": "pending", "to": "completed"}});
    assert_eq!(read("TaskUpdate", &asked, &answered), changed(None, true));
    assert_eq!(read("TaskUpdate", &asked, &json!("Updated")), changed(None, true));
    assert_eq!(
        read(
            "TaskUpdate",
            &asked,
            &json!({"statusChange": {"to": "in_progress"}})
        ),
        changed(None, false)
    );
    assert_eq!(
        read(
            "TaskUpdate",
            &json!({"taskId": "1", "subject": "Better"}),
            &json!({"success": true})
        ),
        changed(Some("Better"), false)
    );
    assert_eq!(read("TaskUpdate", &asked, &json!({"success": false})), None);
    assert_eq!(
        read("TaskUpdate", &json!({"status": "completed"}), &answered),
        None
    );
}

#[test]
fn other_tools_keep_no_list() {
    assert_eq!(read("Write", &json!({"todos": []}), &json!({})), None);
}
