use super::*;
use std::error::Error;

fn shown(error: &InstallError) -> String {
    let cause = error
        .source()
        .filter(|_| matches!(error, InstallError::Io { .. }));
    let cause = cause.map(|cause| format!("\ncause: {cause}")).unwrap_or_default();
    format!("error: {error}{cause}\nhint: {}\n", error.hint())
}

#[test]
fn every_refusal_says_what_can_be_done() {
    let path = || PathBuf::from("/home/ada/my project/.claude/settings.json");
    let content = |source| InstallError::Content { path: path(), source };
    let errors = [
        content(JsonError::Syntax {
            line: 3,
            column: 14,
            problem: "a comment",
        }),
        content(JsonError::Duplicate {
            key: "hooks".to_owned(),
            line: 9,
            column: 3,
        }),
        content(JsonError::TooDeep { limit: 200 }),
        content(JsonError::NotUtf8),
        content(JsonError::Shape {
            place: "`hooks.Stop`".to_owned(),
            expected: "an array",
        }),
        InstallError::OutsideLink {
            path: path(),
            target: PathBuf::from("/etc/settings.json"),
            boundary: PathBuf::from("/home/ada/my project"),
        },
        InstallError::DanglingLink { path: path() },
        InstallError::NotAFile {
            path: PathBuf::from("/home/ada/it's"),
        },
        InstallError::NotAFolder {
            path: PathBuf::from("/home/ada/.claude"),
        },
        InstallError::ReadOnly {
            path: PathBuf::from("/home/ada/.claude/settings.json"),
        },
        InstallError::Changed { path: path() },
        InstallError::Program {
            path: PathBuf::from("bin/toprope"),
            reason: "is not absolute",
        },
        InstallError::StateFolder {
            path: PathBuf::from("/home/${x}/state"),
            reason: "contains `${`, which the client would replace",
        },
        InstallError::Io {
            action: "read the settings",
            source: io::Error::other("the disk is gone"),
        },
    ];
    let shown: Vec<String> = errors.iter().map(shown).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    error: `/home/ada/my project/.claude/settings.json` was left as it is: not valid JSON at line 3, column 14: a comment
    hint: correct line 3, column 14 (comments and trailing commas are not JSON), then run it again

    error: `/home/ada/my project/.claude/settings.json` was left as it is: the key `hooks` stands twice in one object, again at line 9, column 3
    hint: keep one of the two `hooks` (the client reads the later one), then run it again

    error: `/home/ada/my project/.claude/settings.json` was left as it is: nested deeper than 200 levels
    hint: flatten the file, or choose another one with `--scope`

    error: `/home/ada/my project/.claude/settings.json` was left as it is: not valid UTF-8
    hint: save the file as UTF-8, then run it again

    error: `/home/ada/my project/.claude/settings.json` was left as it is: `hooks.Stop` is not an array
    hint: make `hooks.Stop` an array or remove it, then run it again

    error: `/home/ada/my project/.claude/settings.json` leads to `/etc/settings.json`, outside `/home/ada/my project`
    hint: put a file of its own in the link's place, or choose another one with `--scope`

    error: `/home/ada/my project/.claude/settings.json` is a link to something that does not exist
    hint: remove the link: `rm '/home/ada/my project/.claude/settings.json'`

    error: `/home/ada/it's` is not a file
    hint: move it away: `mv '/home/ada/it'\\''s' '/home/ada/it'\\''s'.old`

    error: `/home/ada/.claude` is not a folder
    hint: move it away: `mv /home/ada/.claude /home/ada/.claude.old`

    error: `/home/ada/.claude/settings.json` is read-only
    hint: allow writing: `chmod u+w /home/ada/.claude/settings.json`, then run it again

    error: `/home/ada/my project/.claude/settings.json` changed while it was being edited
    hint: nothing was written; run it again

    error: the program's path `bin/toprope` is not absolute
    hint: install the program under its own name, for example with `cargo install --path crates/cli`

    error: the state folder `/home/${x}/state` contains `${`, which the client would replace
    hint: name another folder with `TOPROPE_HOME`

    error: could not read the settings
    cause: the disk is gone
    hint: nothing was written to the settings; correct the cause and run it again
    ");
}
