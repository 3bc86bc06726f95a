//! Any bytes as a command: it is read within the budget, the same way twice, with spans that lie within it, and what
//! cannot be read is never taken for harmless.

use engine::policy::guard::synthetic::Synthetic;
use engine::policy::guard::{RuleSet, Ruling};
use engine::settings::Settings;
use shell::{
    Budget, Coverage, Intent, Scene, Unasked, UnreadCause, UserWrappers, Word, is_read_only, read, writes,
};
use std::sync::LazyLock;

/// Reads the bytes as an agent's command.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let wrappers = UserWrappers::default();
    let scene = Scene {
        cwd: Some("/w/app".to_owned()),
        home: Some("/home/me".to_owned()),
        user: Some("me".to_owned()),
        tmpdir: None,
        budget: Budget::default(),
        wrappers: &wrappers,
        known: &Unasked,
    };
    let intent = read(&text, &scene);
    bounded(&text, &intent, &scene.budget);
    told(&intent);
    assert!(intent == read(&text, &scene), "read differently the second time");
    as_data(&text, &scene);
    judged(&text, &intent);
}

/// It is judged the same way twice, with few words and few questions; what cannot be read is stopped where nobody watches.
fn judged(text: &str, intent: &Intent) {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::built_in(&Settings::default()));
    for attended in [true, false] {
        let world = Synthetic {
            attended,
            ..Synthetic::default()
        };
        let judged = world.judge(text, &RULES);
        assert!(
            judged == world.judge(text, &RULES),
            "judged differently the second time"
        );
        assert!(
            judged.message.chars().count() <= 900,
            "more is said than anybody reads"
        );
        assert!(judged.asked.len() <= 64, "more is asked than anybody answers");
        let is_too_much = intent
            .notes
            .iter()
            .any(|note| note.cause == UnreadCause::OverBudget);
        assert!(
            attended || !is_too_much || judged.ruling > Ruling::Advise,
            "too much to read, and nobody stopped it"
        );
    }
}

/// Nothing grows beyond the budget, and nothing points outside.
fn bounded(text: &str, intent: &Intent, budget: &Budget) {
    assert!(
        intent.commands.len() <= budget.nodes,
        "more commands than pieces of syntax"
    );
    assert!(
        intent.notes.len() <= 64 && intent.wants.len() <= 64,
        "more is told than anybody reads"
    );
    for command in &intent.commands {
        assert_eq!(
            command.argv.len(),
            command.spans.len(),
            "a word without its place"
        );
        assert!(
            command.argv.len() <= budget.words + 1,
            "more words than the budget"
        );
        assert!(command.text.len() <= 2048, "a segment nobody can show");
        assert!(command.through.len() <= 2 * budget.depth, "unwrapped without end");
        for span in command.spans.iter().flatten().chain(&command.span) {
            assert!(span.of(text).is_some(), "a span outside of the text: {span:?}");
        }
        for feed in &command.feeds {
            assert!(
                feed.commands.iter().all(|index| *index < intent.commands.len()),
                "fed by nobody"
            );
        }
        for word in &command.argv {
            let count = word.texts().len();
            assert!(count <= Word::MOST, "a choice of too many");
        }
        // Whatever the words are, telling what is written must not break.
        let _ = writes(command);
    }
}

/// Coverage says what the notes say, and doubt is never called reading.
fn told(intent: &Intent) {
    let is_noted = intent.notes.iter().any(|note| note.cause.is_opaque());
    assert_eq!(
        intent.coverage == Coverage::Opaque,
        is_noted,
        "coverage and notes disagree"
    );
    if is_noted {
        assert!(!is_read_only(intent), "unread, but called harmless");
    }
    for note in &intent.notes {
        assert!(
            note.command.is_none_or(|index| index < intent.commands.len()),
            "a note about nothing"
        );
    }
}

/// The same bytes as data are no command: quoted, and as a heredoc with a quoted delimiter.
fn as_data(text: &str, scene: &Scene<'_>) {
    let is_plain = !text.contains(['\0', '\'', '\u{e000}']) && text.len() < 100_000;
    if !is_plain {
        return;
    }
    let quoted = read(&format!("echo '{text}'"), scene);
    assert_eq!(quoted.commands.len(), 1, "quoted text was read as commands");
    if text.lines().any(|line| line == "END") {
        return;
    }
    let heredoc = read(&format!("cat <<'END'\n{text}\nEND\n"), scene);
    assert_eq!(heredoc.commands.len(), 1, "a heredoc was read as commands");
    assert!(
        heredoc
            .notes
            .iter()
            .all(|note| note.cause != UnreadCause::Unparseable),
        "data was parsed"
    );
}
