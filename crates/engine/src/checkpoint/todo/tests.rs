use super::*;

fn items(list: &[(&str, bool)]) -> Vec<TodoItem> {
    list.iter()
        .map(|(text, completed)| TodoItem {
            text: (*text).to_owned(),
            completed: *completed,
        })
        .collect()
}

fn written(before: Option<&[(&str, bool)]>, after: &[(&str, bool)]) -> Option<String> {
    let update = TodoUpdate::List {
        before: before.map(items),
        after: items(after),
    };
    match label(&update) {
        Some(TodoLabel::Text(text)) => Some(text),
        None => None,
        other @ Some(TodoLabel::Completed { .. }) => panic!("{other:?}"),
    }
}

fn changed(subject: Option<&str>, completed: bool) -> TodoUpdate {
    TodoUpdate::Changed {
        task: "1".to_owned(),
        subject: subject.map(str::to_owned),
        completed,
    }
}

#[test]
fn nothing_completed_is_planning() {
    assert_eq!(
        written(Some(&[]), &[("one", false), ("two", false)]).as_deref(),
        Some("Planning: 2 todos")
    );
    assert_eq!(
        written(None, &[("one", false)]).as_deref(),
        Some("Planning: 1 todo")
    );
    assert_eq!(
        written(Some(&[("one", true)]), &[("one", true), ("two", false)]).as_deref(),
        Some("Planning: 2 todos"),
        "what was completed before is no news"
    );
    assert_eq!(written(Some(&[("one", true)]), &[]), None);
}

#[test]
fn one_completed_gives_its_text() {
    assert_eq!(
        written(Some(&[("one", false)]), &[("one", true), ("two", false)]).as_deref(),
        Some("Completed: one")
    );
    assert_eq!(
        written(Some(&[("a", true), ("b", false)]), &[("b", true), ("a", true)]).as_deref(),
        Some("Completed: b"),
        "the order of the list may change"
    );
}

#[test]
fn the_last_of_several_completed_counts() {
    let before = [("one", false), ("two", false), ("three", false)];
    let after = [("one", true), ("two", true), ("three", false)];
    assert_eq!(written(Some(&before), &after).as_deref(), Some("Completed: two"));
    assert_eq!(written(None, &after).as_deref(), Some("Completed: two"));
}

#[test]
fn a_second_item_of_the_same_text_is_news() {
    let before = [("test", true), ("test", false)];
    let after = [("test", true), ("test", true)];
    assert_eq!(written(Some(&before), &after).as_deref(), Some("Completed: test"));
    assert_eq!(
        written(Some(&after), &after).as_deref(),
        Some("Planning: 2 todos")
    );
}

#[test]
fn a_long_or_empty_text_is_still_a_label_or_none() {
    let long = written(None, &[(&"word ".repeat(40), true)]).unwrap();
    assert!(long.chars().count() <= LONGEST && long.ends_with("word…"));
    assert_eq!(written(None, &[(" \u{1b}[0m", true)]), None);
}

#[test]
fn a_completed_task_is_named_by_its_subject_or_looked_up() {
    assert_eq!(
        label(&changed(Some("Ship it"), true)),
        Some(TodoLabel::Text("Completed: Ship it".to_owned()))
    );
    let lookup = Some(TodoLabel::Completed { task: "1".to_owned() });
    assert_eq!(label(&changed(None, true)), lookup);
    assert_eq!(label(&changed(Some(" "), true)), lookup);
    assert_eq!(label(&changed(Some("Ship it"), false)), None);
    let created = TodoUpdate::Created {
        task: None,
        subject: "First".to_owned(),
    };
    assert_eq!(label(&created), None);
}
