//! However a command is spelled, it keeps its verdict or gets a stricter one; wherever it stands as data, it is silent.

use crate::policy::guard::case::CaseFile;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::verdict::Ruling;
use crate::settings::Settings;
use proptest::prelude::*;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::built_in(&Settings::default()));

fn ruling(command: &str) -> Ruling {
    let world = Synthetic {
        shared: true,
        ..Synthetic::default()
    };
    world.judge(command, &RULES).ruling
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A name, and how a text is written that way.
type Spelling = (&'static str, fn(&str) -> String);

/// Ways to write the same command so that the shell does the same.
const SPELLINGS: [Spelling; 14] = [
    ("subshell", |text| format!("( {text} )")),
    ("group", |text| format!("{{ {text}; }}")),
    ("bash -c", |text| format!("bash -c {}", single_quoted(text))),
    ("bash -lc", |text| format!("bash -lc {}", single_quoted(text))),
    ("sh -ec", |text| format!("sh -ec {}", single_quoted(text))),
    ("eval", |text| format!("eval {}", single_quoted(text))),
    ("function", |text| {
        format!("f{0}() {{ {text}; }}; f{0}", text.len())
    }),
    ("trap", |text| format!("trap {} EXIT", single_quoted(text))),
    ("if", |text| format!("if true; then {text}; fi")),
    ("loop", |text| format!("for i in 1; do {text}; done")),
    ("after", |text| format!("echo ok && {text}")),
    ("before", |text| format!("{text} || true")),
    ("piped", |text| {
        format!("printf '%s\\n' {} | sh", single_quoted(text))
    }),
    ("heredoc", |text| format!("bash <<'END'\n{text}\nEND")),
];
/// The last spelling ends with a line of its own and can only be the outermost.
const INNER: usize = SPELLINGS.len() - 1;

/// Ways to mention a command without running it.
const MENTIONS: [Spelling; 7] = [
    ("message", |text| format!("git commit -m {}", single_quoted(text))),
    ("pattern", |text| {
        format!("grep -n {} notes.txt", single_quoted(text))
    }),
    ("echo", |text| format!("echo {}", single_quoted(text))),
    ("comment", |text| format!("ls # {}", text.replace('\n', " "))),
    ("heredoc", |text| {
        format!("cat > notes.md <<'END_OF_IT'\n{text}\nEND_OF_IT")
    }),
    ("body", |text| {
        format!("gh pr create --title x --body {}", single_quoted(text))
    }),
    ("json", |text| {
        format!("jq -n --arg x {} '$x'", single_quoted(text))
    }),
];

/// One-line commands of the case file, with what is expected of them.
fn dangerous() -> Vec<(String, Ruling)> {
    let file = CaseFile::read(include_str!("../cases/must-stop.toml")).unwrap();
    file.case
        .into_iter()
        .flat_map(|case| {
            let expect = case.expect;
            case.command.into_iter().map(move |command| (command, expect))
        })
        .filter(|(command, _)| !command.contains('\n') && !command.ends_with('&'))
        .collect()
}

#[test]
fn every_spelling_alone_keeps_the_verdict() {
    let mut weaker = Vec::new();
    for (command, expect) in dangerous() {
        for (name, spell) in SPELLINGS {
            let spelled = spell(&command);
            if ruling(&spelled) < expect {
                weaker.push(format!("{name}: {spelled}"));
            }
        }
    }
    assert!(
        weaker.is_empty(),
        "{} weaker:\n{}",
        weaker.len(),
        weaker.join("\n")
    );
}

#[test]
fn a_mention_is_never_the_command() {
    let mut stopped = Vec::new();
    for (command, _) in dangerous() {
        for (name, mention) in MENTIONS {
            let mentioned = mention(&command);
            if ruling(&mentioned) != Ruling::Silent {
                stopped.push(format!("{name}: {mentioned}"));
            }
        }
    }
    assert!(
        stopped.is_empty(),
        "{} stopped:\n{}",
        stopped.len(),
        stopped.join("\n")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn spellings_within_spellings_keep_the_verdict(
        at in 0..dangerous().len(),
        first in 0..INNER,
        second in 0..INNER,
        third in 0..SPELLINGS.len(),
    ) {
        let (command, expect) = &dangerous()[at];
        let spelled = SPELLINGS[third].1(&SPELLINGS[second].1(&SPELLINGS[first].1(command)));
        prop_assert!(ruling(&spelled) >= *expect, "{spelled}");
    }

    #[test]
    fn a_mention_of_a_spelling_is_silent(
        at in 0..dangerous().len(),
        spelling in 0..SPELLINGS.len(),
        mention in 0..MENTIONS.len(),
    ) {
        let (command, _) = &dangerous()[at];
        let text = MENTIONS[mention].1(&SPELLINGS[spelling].1(command));
        prop_assert_eq!(ruling(&text), Ruling::Silent, "{}", text);
    }

    #[test]
    fn no_text_breaks_the_guard(text in "[ -~\\n\\t$`'\"|&;<>(){}]{0,80}") {
        ruling(&text);
    }
}
