use super::*;

fn metadata() -> Metadata {
    Metadata {
        format: FORMAT,
        checkpoint_id: "7be1c09d42aa".to_owned(),
        agent: Some("claude-code".to_owned()),
        session_id: Some("ab310c99-f579".to_owned()),
        session_alias: Some("2026-11-15-ab310c99-f579".to_owned()),
        actor: Some(MAIN.to_owned()),
        agent_type: None,
        description: None,
        parent_agent: None,
        tool_use_id: None,
        run: 1,
        sequence: 4,
        turn: Some(3),
        prompt_id: Some("p3".to_owned()),
        kind: "turn".to_owned(),
        label: "Add the login form".to_owned(),
        prompts: vec!["Add the login form".to_owned()],
        branch: Some("feature/login".to_owned()),
        head: Some("4c1f2ab".to_owned()),
        base_commit: Some("4c1f2ab".to_owned()),
        worktree: PathText::of(b"/home/me/project"),
        strategy: "shadow".to_owned(),
        files: vec![FileChange {
            path: PathText::of(b"src/login\xff.rs"),
            change: "added".to_owned(),
            before: None,
            after: Some("9fa1".to_owned()),
            before_mode: None,
            mode: Some("100644".to_owned()),
            before_raw: None,
            after_raw: None,
            place: "files".to_owned(),
            actor: Some(String::new()),
            session: None,
            origin: "tool".to_owned(),
            tool_use_id: Some("toolu_1".to_owned()),
            skip_reason: None,
            doubt: None,
        }],
        changed: None,
        transcript: None,
        token_usage: Some(TokenUsage {
            input: 12,
            output: 3,
            ..TokenUsage::default()
        }),
        touches: vec![MetadataPath {
            path: PathText::of(b"src/login\xff.rs"),
            tool_use_id: "toolu_1".to_owned(),
        }],
        begun: Vec::new(),
        look: Some(ScanMetadata {
            event: 9,
            began: 900,
            dated: 0,
            took: 12,
        }),
        degraded: Vec::new(),
        trigger: "e7".to_owned(),
        partner: None,
        undoes: None,
        stash: Vec::new(),
        lost: Vec::new(),
        names: Vec::new(),
        created_at: 1_000,
        toprope_version: "0.1.0".to_owned(),
        foreign_id: None,
    }
}

#[test]
fn what_is_written_is_read_again() {
    let metadata = metadata();
    assert_eq!(Metadata::parse(&metadata.to_json()), Some(metadata));
}

#[test]
fn another_form_or_no_json_says_nothing() {
    let other = Metadata {
        format: 9,
        ..metadata()
    };
    assert_eq!(Metadata::parse(&other.to_json()), None);
    assert_eq!(Metadata::parse(b"{"), None);
    assert_eq!(Metadata::parse(b"[]"), None);
}

#[test]
fn the_message_has_the_label_and_the_trailers() {
    insta::assert_snapshot!(message(&metadata()), @"
    Add the login form

    Toprope-Checkpoint: 7be1c09d42aa
    Toprope-Session: claude-code/ab310c99-f579
    Toprope-Agent: main
    Toprope-Turn: 3
    Toprope-Kind: turn
    Toprope-Base: 4c1f2ab
    Toprope-Strategy: shadow
    ");
}

#[test]
fn a_label_cannot_forge_a_trailer() {
    let forged = Metadata {
        label: "x\n\nToprope-Checkpoint: 000000000000".to_owned(),
        ..metadata()
    };
    let lines: Vec<String> = message(&forged).lines().map(str::to_owned).collect();
    let claims = lines
        .iter()
        .filter(|line| line.starts_with("Toprope-Checkpoint:"));
    assert_eq!(claims.count(), 1);
}

#[test]
fn the_page_can_be_read_without_toprope() {
    insta::assert_snapshot!(metadata().context(&["9e02b11".to_owned()]), @"
    # Add the login form

    - Checkpoint: 7be1c09d42aa (turn)
    - Session: 2026-11-15-ab310c99-f579
    - Turn: 3
    - Branch: feature/login
    - Base: 4c1f2ab
    - Tokens: 12 in, 0 written to cache, 0 read from cache, 3 out (so far)
    - Commits: 9e02b11

    ## added

    - (base64) c3JjL2xvZ2lu/y5ycw==
    ");
}
