//! Which tools of servers write, and whose word about them counts.

use super::super::show_text;
use super::super::tests::{Desk, PROJECT, USER};
use engine::settings::{Mode, ToolEffect};
use insta::assert_snapshot;

const TOOL: &str =
    "[[lease.tool]]\nname = \"mcp__fs__put\"\npath = [\"to\", \"from\"]\neffect = \"overwrite\"\n";

#[test]
fn a_tool_is_declared_with_its_arguments_and_its_effect() {
    let loaded = Desk::new().with(PROJECT, TOOL).loaded();
    let [tool] = loaded.settings.lease.tool.as_slice() else {
        panic!("{:?}", loaded.settings.lease.tool);
    };
    assert_eq!(tool.name, "mcp__fs__put");
    assert_eq!(tool.path, ["to", "from"]);
    assert_eq!(tool.effect, ToolEffect::Overwrite);
    assert!(loaded.problems.is_empty());
    let shown = show_text(&loaded, false);
    assert_snapshot!(shown.lines().last().unwrap(), @r#"lease.tool."mcp__fs__put" = { path = ["to","from"], effect = "overwrite" }"#);
}

#[test]
fn a_single_argument_needs_no_list() {
    let text = "[[lease.tool]]\nname = \"x\"\npath = \"file\"\neffect = \"delete\"\n";
    let loaded = Desk::new().with(USER, text).loaded();
    assert_eq!(loaded.settings.lease.tool[0].path, ["file"]);
}

#[test]
fn the_last_word_about_a_tool_counts_and_it_may_be_the_projects() {
    let desk = Desk::new()
        .with(USER, TOOL)
        .with(PROJECT, TOOL.replace("overwrite", "change"));
    let loaded = desk.loaded();
    assert_eq!(loaded.settings.lease.tool[0].effect, ToolEffect::Change);
    assert!(loaded.problems.is_empty() && loaded.asked.is_empty());
}

#[test]
fn a_tool_that_is_wrong_is_told_and_left_out_and_the_others_stay() {
    let wrong = "[[lease.tool]]\nname = \"x\"\npath = 3\neffect = \"eat\"\n[[lease.tool]]\nname = \"y\"\n[[lease.tool]]\nnam = \"z\"\n";
    let desk = Desk::new().with(PROJECT, format!("{wrong}{TOOL}"));
    let names: Vec<String> = desk
        .loaded()
        .settings
        .lease
        .tool
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["mcp__fs__put"]);
    assert_snapshot!(desk.problems(), @"
    warning: /~/repo/toprope.toml:3:8: `lease.tool.path` is a whole number, expected the names of the arguments that hold paths
    warning: /~/repo/toprope.toml:4:10: `lease.tool.effect` is `eat`, expected `overwrite`, `change` or `delete`
    warning: /~/repo/toprope.toml:5:1: `lease.tool` needs `name`, `path` and `effect`
    warning: /~/repo/toprope.toml:8:1: unknown key `lease.tool.nam`: here stand `name`, `path` and `effect`
    hint: did you mean `name`?
    ");
}

#[test]
fn a_wrong_value_keeps_the_lower_layers_value_is_told_and_turns_nothing_off() {
    let desk = Desk::new()
        .with(USER, "[lease]\nidle_minutes = 20\ninclude = [\"src/**\"]\n")
        .with(
            PROJECT,
            "[lease]\nmode = \"never\"\nidle_minutes = 0\ninclude = [\"src/[a\"]\noffer_second = 5\nmax_hours = 25\n\
             [stale_write]\nmode = false\nmax_mib = \"many\"\n",
        );
    let settings = desk.loaded().settings;
    assert_eq!(settings.lease.mode, Mode::Enforce);
    assert_eq!(settings.lease.idle_minutes, 20);
    assert_eq!(settings.lease.include, ["src/**"]);
    assert_eq!(settings.lease.max_hours, 4);
    assert_eq!(settings.stale_write.mode, Mode::Enforce);
    assert_eq!(settings.stale_write.max_mib, 8);
    assert_snapshot!(desk.problems(), @r#"
    warning: /~/repo/toprope.toml:2:8: `lease.mode` is `"never"`, expected `off`, `advise` or `enforce`
    warning: /~/repo/toprope.toml:3:16: `lease.idle_minutes` is `0`, expected a whole number from 1 to 240
    warning: /~/repo/toprope.toml:4:11: `lease.include` is `["src/[a"]`, expected a list of globs
    warning: /~/repo/toprope.toml:5:1: unknown key `lease.offer_second`
    hint: did you mean `lease.offer_seconds`?
    warning: /~/repo/toprope.toml:6:13: `lease.max_hours` is `25`, expected a whole number from 1 to 24
    warning: /~/repo/toprope.toml:8:8: `stale_write.mode` is `false`, expected `off`, `advise` or `enforce`
    warning: /~/repo/toprope.toml:9:11: `stale_write.max_mib` is a string, expected a whole number from 1 to 1024
    "#);
}

/// Leases, stale writes and skills keep agents out of each other's way: how far is the project's to choose.
#[test]
fn a_project_chooses_how_far_leases_go() {
    let desk = Desk::new().with(USER, "[lease]\nbulk = [\"make format\"]\n").with(
        PROJECT,
        "[lease]\nmode = \"off\"\nbash = \"advise\"\nbulk_mode = \"advise\"\nbulk = []\ninclude = [\"**/*.ts\"]\n\
         [stale_write]\nmode = \"advise\"\nchanges = \"off\"\n[skills]\nmode = \"off\"\ndirs = [\"skills\"]\n[structure]\nmode = \"off\"\n",
    );
    let loaded = desk.loaded();
    let settings = loaded.settings;
    assert_eq!(settings.lease.mode, Mode::Off);
    assert_eq!(settings.lease.bash, Mode::Advise);
    assert_eq!(settings.lease.bulk_mode, Mode::Advise);
    assert_eq!(settings.lease.bulk, Vec::<String>::new());
    assert_eq!(settings.lease.include, ["**/*.ts"]);
    assert_eq!(settings.stale_write.mode, Mode::Advise);
    assert_eq!(settings.stale_write.changes, Mode::Off);
    assert_eq!(
        (settings.skills.mode, settings.structure.mode),
        (Mode::Off, Mode::Off)
    );
    assert_eq!(settings.skills.dirs, ["skills"]);
    assert_eq!(desk.problems(), "");
    assert!(loaded.asked.is_empty(), "no trust is needed for it");
}
