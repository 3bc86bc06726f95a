//! Patches as git prints them, and as it takes them.

use super::*;
use ::daemon::checkpoint::chain::Shelf;
use ::daemon::checkpoint::comparison::PathDifference;
use git::object::{EntryMode, Id};
use git::path::RepoPath;
use git::shadow::{ObjectFormat, Shadow, ShadowSite};
use std::process::{Command, Stdio};

const PIPE: Terminal = Terminal {
    width: 80,
    colour: false,
    interactive: false,
};

/// What a file holds; nothing where there is none.
type Content<'a> = Option<&'a [u8]>;

struct Scene {
    folder: tempfile::TempDir,
    shadow: Shadow,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = ShadowSite {
            shadow: folder.path().join("shadow.git"),
            objects: None,
            format: ObjectFormat::Sha1,
        };
        let shadow = Shadow::make(&site).unwrap();
        Self { folder, shadow }
    }

    fn entry(&self, content: Option<&[u8]>) -> Option<TreeLeaf> {
        content.map(|content| TreeLeaf {
            mode: EntryMode::File,
            id: self.shadow.write_blob(content).unwrap(),
        })
    }

    fn patch(&self, path: &[u8], before: Option<&[u8]>, after: Option<&[u8]>, terminal: Terminal) -> Vec<u8> {
        let difference = PathDifference {
            path: RepoPath::new(path).unwrap(),
            shelf: Shelf::Files,
            before: self.entry(before),
            after: self.entry(after),
        };
        patch(&DiffedFile::of(&self.shadow, &difference).unwrap(), terminal)
    }

    /// What `git apply` makes of a file.
    fn applied(&self, path: &std::path::Path, before: Option<&[u8]>, printed: &[u8]) -> Option<Vec<u8>> {
        use std::io::Write as _;
        let work = tempfile::tempdir_in(self.folder.path()).unwrap();
        if let Some(before) = before {
            fs_err::write(work.path().join(path), before).unwrap();
        }
        let mut child = Command::new("git")
            .args(["apply", "--unsafe-paths", "-"])
            .current_dir(&work)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(printed).unwrap();
        assert!(
            child.wait().unwrap().success(),
            "{}",
            String::from_utf8_lossy(printed)
        );
        fs_err::read(work.path().join(path)).ok()
    }
}

fn numbered(lines: std::ops::RangeInclusive<u32>) -> Vec<u8> {
    let lines: Vec<String> = lines
        .map(|line| {
            format!(
                "line {line}
"
            )
        })
        .collect();
    lines.concat().into_bytes()
}

#[test]
fn a_changed_file_shows_three_lines_around_each_change() {
    let scene = Scene::new();
    let before = numbered(1..=20);
    let mut after = String::from_utf8(before.clone())
        .unwrap()
        .replace("line 3\n", "line three\n");
    after.push_str("line 21");
    let patch = scene.patch(b"a.txt", Some(&before), Some(after.as_bytes()), PIPE);
    insta::assert_snapshot!(String::from_utf8_lossy(&patch), @r"
    diff --git a/a.txt b/a.txt
    index c4352f8..b117595 100644
    --- a/a.txt
    +++ b/a.txt
    @@ -1,6 +1,6 @@
     line 1
     line 2
    -line 3
    +line three
     line 4
     line 5
     line 6
    @@ -18,3 +18,4 @@
     line 18
     line 19
     line 20
    +line 21
    \ No newline at end of file
    ");
}

#[test]
fn git_applies_what_is_printed() {
    let scene = Scene::new();
    let long = numbered(1..=40);
    let cases: [(Content<'_>, Content<'_>); 6] = [
        (None, Some(b"new\n")),
        (Some(b"old\nno end"), None),
        (Some(b"\xff\xfe one\r\ntwo\n"), Some(b"\xff\xfe one\r\n2")),
        (Some(b"a\nb\nc\n"), Some(b"b\nc\nd\n")),
        (Some(&long), Some(b"line 20\n")),
        (Some(b"x"), Some(b"x\n")),
    ];
    for (before, after) in cases {
        for name in ["plain.txt", "odd \"name\u{202e}.txt"] {
            let patch = scene.patch(name.as_bytes(), before, after, PIPE);
            let applied = scene.applied(std::path::Path::new(name), before, &patch);
            assert_eq!(applied.as_deref(), after);
        }
    }
}

#[test]
fn what_is_not_text_is_named_as_such() {
    let scene = Scene::new();
    let patch = scene.patch(b"x\xff.bin", Some(b"a\0b"), Some(b"a\0c"), PIPE);
    insta::assert_snapshot!(String::from_utf8_lossy(&patch), @r#"
    diff --git "a/x\377.bin" "b/x\377.bin"
    index 20b5be9..88f3700 100644
    Binary files "a/x\377.bin" and "b/x\377.bin" differ
    "#);
}

#[test]
fn a_file_whose_objects_are_gone_does_not_hide_the_others() {
    let scene = Scene::new();
    let difference = PathDifference {
        path: RepoPath::new("a").unwrap(),
        shelf: Shelf::Files,
        before: Some(TreeLeaf {
            mode: EntryMode::File,
            id: "0123456789abcdef0123456789abcdef01234567".parse::<Id>().unwrap(),
        }),
        after: None,
    };
    let changed = DiffedFile::of(&scene.shadow, &difference).unwrap();
    assert!(matches!(changed.body, Body::Gone));
}

#[test]
fn a_terminal_gets_colours_and_no_escape_of_the_file() {
    let scene = Scene::new();
    let terminal = Terminal {
        colour: true,
        interactive: true,
        ..PIPE
    };
    let patch = scene.patch(b"a", Some(b"\x1b[2Jx\n"), Some(b"y\n"), terminal);
    let text = String::from_utf8(patch).unwrap();
    assert!(text.contains("\x1b[31m-\\u{1b}[2Jx\x1b[0m\n"), "{text}");
    assert!(!text.contains("\x1b[2J"));
}
