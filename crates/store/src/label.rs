//! The short name people and agents know an actor by: `main@7c1e`, `reviewer@a91c`.

use engine::id::ActorKey;

/// What a person is called, to agents and to themselves.
const PERSON: &str = "you";
const LONGEST: usize = 40;
const SUFFIX: usize = 4;
const LONGEST_SUFFIX: usize = 24;

/// Labels for this actor, best first, without end: the first that nobody else bears is its own.
pub(crate) fn candidates(key: &ActorKey, agent_type: Option<&str>) -> impl Iterator<Item = String> {
    let (name, id) = parts(key, agent_type);
    let name = cleaned(&name);
    let id: Vec<char> = id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(LONGEST_SUFFIX)
        .collect();
    let shortest: String = id.iter().take(SUFFIX).collect();
    let twin = joined(&name, &shortest, "");
    let longer = (SUFFIX..=id.len().max(SUFFIX)).map({
        let name = name.clone();
        move |length| joined(&name, &id.iter().take(length).collect::<String>(), "")
    });
    let numbered = (2_u64..).map(move |number| joined(&name, &shortest, &format!("~{number}")));
    let person = key.is_person().then(|| PERSON.to_owned());
    person
        .into_iter()
        .chain(std::iter::once(twin))
        .chain(longer.skip(1))
        .chain(numbered)
}

/// A name, and the id of which a few characters tell two of that name apart.
fn parts(key: &ActorKey, agent_type: Option<&str>) -> (String, String) {
    let Some(agent) = &key.agent else {
        return ("main".to_owned(), key.session.as_str().to_owned());
    };
    if let Some((name, id)) = teammate(agent.as_str()) {
        return (name.to_owned(), id.to_owned());
    }
    (
        agent_type.unwrap_or_default().to_owned(),
        agent.as_str().to_owned(),
    )
}

/// Teammates are `a<name>-<16 hex digits>`.
pub(crate) fn teammate(agent: &str) -> Option<(&str, &str)> {
    let (name, id) = agent.strip_prefix('a')?.rsplit_once('-')?;
    let is_id = id.len() == 16 && id.chars().all(|digit| digit.is_ascii_hexdigit());
    (is_id && !name.is_empty()).then_some((name, id))
}

/// The name without what could rewrite a terminal.
fn cleaned(name: &str) -> String {
    let shown: String = name
        .chars()
        .filter(|character| !is_unsafe(*character))
        .take(LONGEST)
        .collect();
    match shown.trim() {
        "" => "agent".to_owned(),
        name => name.to_owned(),
    }
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn joined(name: &str, id: &str, number: &str) -> String {
    let room = LONGEST.saturating_sub(1 + id.len() + number.len());
    let name: String = name.chars().take(room).collect();
    format!("{name}@{id}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::id::{AgentId, AgentKind, ClientSessionId};

    fn first(agent: Option<&str>, agent_type: Option<&str>, count: usize) -> Vec<String> {
        let key = ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new("7c1e09ab-55d2-4c2f-9d1e-2f6f3f0c1a55"),
            agent: agent.map(AgentId::new),
        };
        candidates(&key, agent_type).take(count).collect()
    }

    #[test]
    fn main_threads_agents_and_teammates_are_named_as_people_know_them() {
        assert_eq!(first(None, None, 1), ["main@7c1e"]);
        assert_eq!(first(None, Some("reviewer"), 1), ["main@7c1e"]);
        assert_eq!(
            first(Some("a3f2c4d5e6f708192"), Some("Explore"), 1),
            ["Explore@a3f2"]
        );
        assert_eq!(first(Some("a3f2c4d5e6f708192"), None, 1), ["agent@a3f2"]);
        assert_eq!(first(Some("a3f2c4d5e6f708192"), Some(""), 1), ["agent@a3f2"]);
        assert_eq!(
            first(Some("adocs-writer-91c0ffee00112233"), Some("general-purpose"), 1),
            ["docs-writer@91c0"]
        );
    }

    #[test]
    fn labels_grow_over_the_id_and_then_count() {
        assert_eq!(
            first(Some("a3f2c4"), Some("x"), 5),
            ["x@a3f2", "x@a3f2c", "x@a3f2c4", "x@a3f2~2", "x@a3f2~3"]
        );
        assert_eq!(first(None, None, 6).last().unwrap(), "main@7c1e09ab5");
        assert_eq!(first(Some("--"), None, 2), ["agent@", "agent@~2"]);
    }

    #[test]
    fn a_hostile_type_cannot_grow_or_rewrite_a_line() {
        let hostile = format!("\u{1b}[2J\u{202e}\n{}", "x".repeat(10_000));
        let label = first(Some("a3f2c4d5e6f708192"), Some(&hostile), 1).remove(0);
        assert_eq!(label, format!("[2J{}@a3f2", "x".repeat(32)));
        assert_eq!(label.chars().count(), LONGEST);
    }
}
