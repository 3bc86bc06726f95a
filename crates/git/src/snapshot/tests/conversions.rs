//! Forms that git stores otherwise than they are in the working tree.

use super::*;

const CRLF: &[u8] = b"one\r\ntwo\r\nmixed\n";

fn configured(settings: &[(&str, &str)]) -> World {
    let world = World::new(&[]);
    for (name, value) in settings {
        world.git(&["config", name, value]);
    }
    world
}

/// What became of a file that was changed, new or committed with line ends git would have changed.
fn judged(mut world: World) -> Snapshot {
    world.write("file", CRLF);
    world.write("new", CRLF);
    world.write("folder/new", "plain\n");
    world.write("lone", "a\rb\r\nc");
    world.write("binary", b"\0\r\n\x01");
    world.write("late", b"text\r\n\x1a");
    world.write("empty", "");
    world.agrees()
}

#[test]
fn no_setting_changes_no_byte() {
    assert!(judged(World::new(&[])).raw.is_empty());
}

#[test]
fn line_endings_follow_autocrlf() {
    for value in ["true", "input"] {
        let snapshot = judged(configured(&[("core.autocrlf", value)]));
        let names: Vec<String> = snapshot.raw.keys().map(ToString::to_string).collect();
        assert_eq!(names, ["file", "late", "new"], "{value}");
    }
    assert!(
        judged(configured(&[("core.autocrlf", "false"), ("core.eol", "crlf")]))
            .raw
            .is_empty()
    );
}

#[test]
fn a_file_committed_with_its_line_ends_keeps_them_under_autocrlf() {
    let mut world = World::new(&[]);
    world.write("dos", CRLF);
    world.commit();
    world.git(&["config", "core.autocrlf", "true"]);
    world.write("dos", "other\r\nlines\r\n");
    let snapshot = world.agrees();
    assert!(snapshot.raw.is_empty());
    assert!(snapshot.states.contains_key(&path("dos")));
}

#[test]
fn line_endings_follow_attributes() {
    let rules = [
        "text",
        "text=auto",
        "text=auto eol=crlf",
        "text=auto eol=lf",
        "eol=crlf",
        "eol=lf",
        "-text",
        "binary",
        "crlf",
        "crlf=input",
        "-crlf eol=lf",
        "text=unknown",
        "!text",
        "mine",
    ];
    for settings in [&[][..], &[("core.autocrlf", "input")], &[("core.eol", "crlf")]] {
        let mut world = configured(settings);
        let lines = rules.iter().enumerate();
        let lines = lines.map(|(number, words)| format!("/{number}/* {words}\n"));
        let attributes = [String::from("[attr]mine text eol=crlf\n")]
            .into_iter()
            .chain(lines);
        world.write(".gitattributes", attributes.collect::<Vec<_>>().concat());
        for number in 0..rules.len() {
            world.write(&format!("{number}/text"), CRLF);
            world.write(&format!("{number}/lone"), "a\rb\r\nc");
            world.write(&format!("{number}/binary"), b"\0\r\n\x01");
        }
        world.agrees();
    }
}

#[test]
fn attributes_of_folders_the_repository_the_person_and_the_settings_count_in_gits_order() {
    let world = configured(&[("core.attributesFile", "~/mine")]);
    world.bench.write("mine", "* text\nlone -text\n");
    world.write(".gitattributes", "new -text\nfolder/deep -text\n");
    world.write(
        "folder/.gitattributes",
        "deep text\n*.n text=auto\n[attr]bad text\n",
    );
    world.write("folder/deep", CRLF);
    world.write("folder/a.n", CRLF);
    world.write(".git/info/attributes", "a.n -text\n");
    let snapshot = judged(world);
    let names: Vec<String> = snapshot.raw.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["binary", "file", "folder/deep", "late"]);

    let world = World::new(&[]);
    world.bench.write(".config/git/attributes", "* text\n");
    assert!(judged(world).raw.contains_key(&path("file")));
}

#[test]
fn attributes_that_change_change_what_is_stored_of_an_untouched_file() {
    let mut world = World::new(&[]);
    world.now_ms = LATER;
    world.write("file", CRLF);
    assert!(world.agrees().raw.is_empty());
    world.write(".gitattributes", "* text\n");
    assert!(world.agrees().raw.contains_key(&path("file")));
}

#[test]
fn attributes_that_are_deleted_no_longer_count() {
    let mut world = World::new(&[]);
    world.write(".gitattributes", "* text\n");
    world.commit();
    world.remove(".gitattributes");
    world.write("file", CRLF);
    assert!(world.agrees().raw.is_empty());
}

#[test]
fn any_bytes_under_any_attributes_are_stored_as_git_stores_them() {
    let alphabet: [&[u8]; 9] = [
        b"\r",
        b"\n",
        b"\r\n",
        b"$",
        b"$Id",
        b"$Id:",
        b"\0",
        b"\x1a",
        b"text \xc3\xb6",
    ];
    let mut seed = 0x2545_f491_u32;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        usize::try_from(seed).unwrap() % below
    };
    let attributes = [
        "text",
        "text=auto",
        "eol=crlf",
        "text ident",
        "text=auto ident",
        "ident",
        "-text ident",
    ];
    let mut world = configured(&[("core.autocrlf", "input")]);
    let mut content = || -> Vec<u8> {
        let length = random(12);
        // Without zero bytes in every other file: they make a file binary, and that is that.
        let letters = alphabet.len() - if random(2) == 0 { 0 } else { 3 };
        (0..length)
            .flat_map(|_| alphabet[random(letters)].to_vec())
            .collect()
    };
    let mut fill = |world: &World| {
        for number in 0..attributes.len() {
            for name in 0..30 {
                world.write(&format!("{number}/{name}"), content());
            }
        }
    };
    fill(&world);
    world.commit();
    fill(&world);
    let rules = attributes.iter().enumerate();
    let rules: Vec<String> = rules
        .map(|(number, words)| format!("{number}/** {words}\n"))
        .collect();
    world.write(".gitattributes", rules.concat());
    assert!(world.agrees().raw.len() > 40);
}

#[test]
fn identifiers_are_stored_without_their_value() {
    let mut world = World::new(&[]);
    world.write(".gitattributes", "* ident\n");
    world.write("file", "$Id: 0123 $ $Id$ $Id: open\n$Id:x$\n$Id: no end");
    world.write("new", "$Id: 0123 $\r\n");
    let snapshot = world.agrees();
    let file = snapshot.states.get(&path("file")).unwrap().entry().unwrap();
    assert_eq!(
        world.shadow.blob(file.id, 100).unwrap(),
        b"$Id$ $Id$ $Id: open\n$Id$\n$Id: no end"
    );
}

#[test]
fn encodings_are_stored_as_utf_8() {
    let text = "größe\r\nzwei\n";
    let sixteen = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let thirty_two =
        |order: fn(u32) -> [u8; 4]| text.chars().map(u32::from).flat_map(order).collect::<Vec<u8>>();
    let cases: [(&str, Vec<u8>); 9] = [
        ("UTF-16", [&b"\xff\xfe"[..], &sixteen(u16::to_le_bytes)].concat()),
        ("utf-16", [&b"\xfe\xff"[..], &sixteen(u16::to_be_bytes)].concat()),
        ("UTF-16LE", sixteen(u16::to_le_bytes)),
        ("UTF-16BE", sixteen(u16::to_be_bytes)),
        (
            "UTF-16LE-BOM",
            [&b"\xff\xfe"[..], &sixteen(u16::to_le_bytes)].concat(),
        ),
        (
            "UTF-32",
            [&b"\xff\xfe\0\0"[..], &thirty_two(u32::to_le_bytes)].concat(),
        ),
        ("UTF-32BE", thirty_two(u32::to_be_bytes)),
        ("ISO-8859-1", b"gr\xf6\xdfe \x80\x9f\r\n".to_vec()),
        ("UTF-8", text.as_bytes().to_vec()),
    ];
    for (name, bytes) in cases {
        let mut world = World::new(&[]);
        world.write(
            ".gitattributes",
            format!("* text\n*.txt working-tree-encoding={name}\n"),
        );
        world.write("a.txt", bytes);
        world.write("empty.txt", "");
        assert!(world.agrees().raw.contains_key(&path("a.txt")), "{name}");
    }
}

#[test]
fn bytes_that_are_not_in_the_encoding_keep_the_old_entry_and_themselves() {
    let mut world = World::new(&[]);
    world.write(".gitattributes", "* working-tree-encoding=UTF-16\n");
    world.write("file", "no mark");
    let snapshot = world.snapshot();
    let old = world.git(&["rev-parse", "HEAD:file"]);
    let PathState::Present { entry, raw } = snapshot.states.get(&path("file")).unwrap() else {
        panic!("it is there");
    };
    assert_eq!(entry.id.to_string(), old);
    assert_eq!(world.shadow.blob(raw.unwrap(), 100).unwrap(), b"no mark");
    let failed = (path("file"), "UTF-16 needs a byte order mark".to_owned());
    assert!(
        snapshot.filter_failed.contains(&failed),
        "{:?}",
        snapshot.filter_failed
    );
}

fn filtered(clean: &str) -> World {
    let world = World::new(&[]);
    world.write(".gitattributes", "*.up filter=up\n");
    world.write("a.up", "abc\n");
    world.commit();
    world.git(&["config", "filter.up.clean", clean]);
    world
}

#[test]
fn a_clean_filter_is_run_for_a_tracked_file_as_git_runs_it() {
    let mut world = filtered("tr a-z A-Z; echo from %f");
    world.write("a.up", "changed\r\n");
    let snapshot = world.agrees();
    assert!(snapshot.raw.contains_key(&path("a.up")));
    world.git(&["config", "core.autocrlf", "input"]);
    world.agrees();
}

#[test]
fn a_clean_filter_is_not_run_for_an_untracked_file() {
    let mut world = filtered("echo %f >> ../ran; cat");
    world.write("a.up", "changed\n");
    world.write("new.up", "new\n");
    let snapshot = world.snapshot();
    let ran = fs_err::read_to_string(world.bench.path("ran")).unwrap();
    assert!(ran.contains("a.up") && !ran.contains("new.up"), "{ran}");
    assert_eq!(
        snapshot.filter_failed,
        [(
            path("new.up"),
            "the filter `up` is run for tracked files only".to_owned()
        )]
    );
    let state = snapshot.states.get(&path("new.up")).unwrap();
    assert_eq!(world.shadow.blob(state.bytes().unwrap(), 100).unwrap(), b"new\n");
}

#[test]
fn a_clean_filter_that_fails_leaves_the_entry_of_the_checkpoint_before_and_keeps_the_bytes() {
    let mut world = filtered("tr a-z A-Z");
    world.write("a.up", "first\n");
    let first = world.agrees();
    world.previous = Some(first.files);
    world.git(&["config", "filter.up.clean", "echo broken >&2; false"]);
    world.write("a.up", "second\n");
    let second = world.snapshot();
    assert_eq!(second.files, first.files);
    assert_eq!(
        second.filter_failed,
        [(
            path("a.up"),
            "the filter `up`: it ended with 1: broken".to_owned()
        )]
    );
    let raw = second.raw.get(&path("a.up")).unwrap();
    assert_eq!(world.shadow.blob(*raw, 100).unwrap(), b"second\n");
}

#[test]
fn the_executable_bit_is_the_owners() {
    let mut world = World::new(&[]);
    for (name, mode) in [("file", "755"), ("same", "654"), ("folder/inner", "744")] {
        chmod(&world, name, mode);
    }
    let snapshot = world.agrees();
    let names: Vec<String> = snapshot.states.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["file", "folder/inner"]);
}

#[test]
fn without_the_file_mode_the_tracked_mode_stays() {
    let mut world = World::new(&[]);
    chmod(&world, "same", "755");
    world.commit();
    world.git(&["config", "core.fileMode", "false"]);
    chmod(&world, "same", "644");
    world.write("same", "changed\n");
    chmod(&world, "file", "755");
    world.write("file", "changed\n");
    world.write("new", "new\n");
    chmod(&world, "new", "755");
    let snapshot = world.agrees();
    let mode = |name| snapshot.states.get(&path(name)).unwrap().entry().unwrap().mode;
    assert_eq!(
        (mode("same"), mode("file"), mode("new")),
        (EntryMode::Exec, EntryMode::File, EntryMode::File)
    );
}

fn chmod(world: &World, name: &str, mode: &str) {
    let status = Command::new("chmod")
        .arg(mode)
        .arg(world.file(name))
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn without_links_a_tracked_link_is_a_file_with_its_target() {
    let mut world = World::new(&[]);
    std::os::unix::fs::symlink("file", world.file("link")).unwrap();
    world.commit();
    world.git(&["config", "core.symlinks", "false"]);
    world.remove("link");
    world.write("link", "elsewhere");
    let snapshot = world.agrees();
    assert_eq!(
        snapshot.states.get(&path("link")).unwrap().entry().unwrap().mode,
        EntryMode::Link
    );
}
