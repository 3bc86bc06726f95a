//! What people and programs read.

use super::*;
use crate::config::load;
use crate::config::tests::{Desk, nobody};
use insta::assert_snapshot;

fn desk() -> Desk {
    Desk::new().with("config.toml", "log.keep_days = 7\n").with(
        "repo/toprope.toml",
        "# ours\nprofile = 'strict'\nenabled = false\n[structure]\nmax_chars = 300\nmode = 'off'\n",
    )
}

fn loaded(desk: &Desk) -> LoadedSettings {
    load(&desk.places, &nobody)
}

#[test]
fn settings_are_shown_as_a_settings_file() {
    let text = show_text(&loaded(&desk()), false);
    assert_snapshot!(text, @r#"
    enabled = true
    profile = "strict"
    protected_branches = ["main", "master", "trunk", "release/*"]
    context.budget = 9000
    structure.mode = "off"
    structure.max_chars = 300
    structure.timeout_ms = 500
    checkpoints.enabled = true
    checkpoints.strategy = "shadow"
    checkpoints.steps = "batch"
    checkpoints.concurrent = "enforce"
    checkpoints.transcript = true
    checkpoints.capture_ignored = true
    checkpoints.exclude = []
    checkpoints.keep_last = 20
    checkpoints.commit.git_hooks = true
    checkpoints.commit.sign = false
    checkpoints.commit.timeout_ms = 10000
    checkpoints.max_file_mb = 50
    checkpoints.max_checkpoint_mb = 500
    checkpoints.max_store_mb = 2048
    checkpoints.max_files_without_git = 20000
    checkpoints.barrier_ms = 200
    checkpoints.baseline_wait_ms = 2000
    checkpoints.scan_budget_ms = 250
    checkpoints.scan_timeout_ms = 20000
    checkpoints.keep_steps_hours = 24
    checkpoints.retention_days = 30
    guard.mode = "enforce"
    guard.opaque = "ask"
    guard.packs.core.filesystem = "enforce"
    guard.packs.core.git = "enforce"
    guard.packs.workflow.git = "enforce"
    guard.packs.exec = "enforce"
    guard.packs.secrets = "enforce"
    guard.packs.system = "enforce"
    guard.packs.packages = "enforce"
    guard.packs.databases = "enforce"
    guard.packs.containers = "enforce"
    guard.packs.kubernetes = "enforce"
    guard.packs.cloud = "enforce"
    guard.packs.terraform = "enforce"
    guard.scratch_dir = "tmp"
    guard.attended = "auto"
    guard.scripts = "session"
    guard.regenerable = ["target", "node_modules", "dist", "build", "out", ".venv", "venv", "__pycache__", ".next", ".nuxt", ".turbo", ".parcel-cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".gradle", "coverage", "htmlcov", ".cache", ".nyc_output", "*.egg-info", "*.pyc", "*.o", "*.class", "*.tsbuildinfo"]
    guard.created = "one-strike"
    guard.retry_after_ms = 2000
    guard.checkpoint_wait_ms = 5000
    guard.capture_limit_mb = 64
    guard.approval_minutes = 15
    guard.on_failure = "block"
    guard.budget.bytes = 1048576
    guard.budget.nodes = 20000
    guard.budget.depth = 64
    guard.budget.words = 4096
    guard.budget.reparse = 8
    guard.budget.scripts = 8
    lease.mode = "enforce"
    lease.include = ["**"]
    lease.exclude = [".git/**"]
    lease.until = "turn"
    lease.idle_minutes = 10
    lease.max_hours = 4
    lease.offer_seconds = 120
    lease.bash = "enforce"
    lease.bulk_mode = "enforce"
    lease.bulk = []
    lease.forecast = "advise"
    stale_write.mode = "enforce"
    stale_write.changes = "enforce"
    stale_write.max_mib = 32
    skills.mode = "advise"
    skills.dirs = []
    actors.export_env = false
    log.keep_days = 7
    log.max_mib = 512
    log.payload_kib = 64
    daemon.idle_minutes = 30
    "#);
    let again = Desk::new().with("config.toml", text);
    assert_eq!(again.loaded().settings, loaded(&desk()).settings);
}

#[test]
fn origins_stand_behind_the_values() {
    let desk = desk();
    assert_snapshot!(desk.plain(&show_text(&loaded(&desk), true)), @r#"
enabled = true                                                 # built-in (strict)
profile = "strict"                                             # project /~/repo/toprope.toml:2
protected_branches = ["main", "master", "trunk", "release/*"]  # built-in (strict)
context.budget = 9000                                          # built-in (strict)
structure.mode = "off"                                         # project /~/repo/toprope.toml:6
structure.max_chars = 300                                      # project /~/repo/toprope.toml:5
structure.timeout_ms = 500                                     # built-in (strict)
checkpoints.enabled = true                                     # built-in (strict)
checkpoints.strategy = "shadow"                                # built-in (strict)
checkpoints.steps = "batch"                                    # built-in (strict)
checkpoints.concurrent = "enforce"                             # built-in (strict)
checkpoints.transcript = true                                  # built-in (strict)
checkpoints.capture_ignored = true                             # built-in (strict)
checkpoints.exclude = []                                       # built-in (strict)
checkpoints.keep_last = 20                                     # built-in (strict)
checkpoints.commit.git_hooks = true                            # built-in (strict)
checkpoints.commit.sign = false                                # built-in (strict)
checkpoints.commit.timeout_ms = 10000                          # built-in (strict)
checkpoints.max_file_mb = 50                                   # built-in (strict)
checkpoints.max_checkpoint_mb = 500                            # built-in (strict)
checkpoints.max_store_mb = 2048                                # built-in (strict)
checkpoints.max_files_without_git = 20000                      # built-in (strict)
checkpoints.barrier_ms = 200                                   # built-in (strict)
checkpoints.baseline_wait_ms = 2000                            # built-in (strict)
checkpoints.scan_budget_ms = 250                               # built-in (strict)
checkpoints.scan_timeout_ms = 20000                            # built-in (strict)
checkpoints.keep_steps_hours = 24                              # built-in (strict)
checkpoints.retention_days = 30                                # built-in (strict)
guard.mode = "enforce"                                         # built-in (strict)
guard.opaque = "ask"                                           # built-in (strict)
guard.packs.core.filesystem = "enforce"                        # built-in (strict)
guard.packs.core.git = "enforce"                               # built-in (strict)
guard.packs.workflow.git = "enforce"                           # built-in (strict)
guard.packs.exec = "enforce"                                   # built-in (strict)
guard.packs.secrets = "enforce"                                # built-in (strict)
guard.packs.system = "enforce"                                 # built-in (strict)
guard.packs.packages = "enforce"                               # built-in (strict)
guard.packs.databases = "enforce"                              # built-in (strict)
guard.packs.containers = "enforce"                             # built-in (strict)
guard.packs.kubernetes = "enforce"                             # built-in (strict)
guard.packs.cloud = "enforce"                                  # built-in (strict)
guard.packs.terraform = "enforce"                              # built-in (strict)
guard.scratch_dir = "tmp"                                      # built-in (strict)
guard.attended = "auto"                                        # built-in (strict)
guard.scripts = "session"                                      # built-in (strict)
guard.regenerable = ["target", "node_modules", "dist", "build", "out", ".venv", "venv", "__pycache__", ".next", ".nuxt", ".turbo", ".parcel-cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".gradle", "coverage", "htmlcov", ".cache", ".nyc_output", "*.egg-info", "*.pyc", "*.o", "*.class", "*.tsbuildinfo"]  # built-in (strict)
guard.created = "one-strike"                                   # built-in (strict)
guard.retry_after_ms = 2000                                    # built-in (strict)
guard.checkpoint_wait_ms = 5000                                # built-in (strict)
guard.capture_limit_mb = 64                                    # built-in (strict)
guard.approval_minutes = 15                                    # built-in (strict)
guard.on_failure = "block"                                     # built-in (strict)
guard.budget.bytes = 1048576                                   # built-in (strict)
guard.budget.nodes = 20000                                     # built-in (strict)
guard.budget.depth = 64                                        # built-in (strict)
guard.budget.words = 4096                                      # built-in (strict)
guard.budget.reparse = 8                                       # built-in (strict)
guard.budget.scripts = 8                                       # built-in (strict)
lease.mode = "enforce"                                         # built-in (strict)
lease.include = ["**"]                                         # built-in (strict)
lease.exclude = [".git/**"]                                    # built-in (strict)
lease.until = "turn"                                           # built-in (strict)
lease.idle_minutes = 10                                        # built-in (strict)
lease.max_hours = 4                                            # built-in (strict)
lease.offer_seconds = 120                                      # built-in (strict)
lease.bash = "enforce"                                         # built-in (strict)
lease.bulk_mode = "enforce"                                    # built-in (strict)
lease.bulk = []                                                # built-in (strict)
lease.forecast = "advise"                                      # built-in (strict)
stale_write.mode = "enforce"                                   # built-in (strict)
stale_write.changes = "enforce"                                # built-in (strict)
stale_write.max_mib = 32                                       # built-in (strict)
skills.mode = "advise"                                         # built-in (strict)
skills.dirs = []                                               # built-in (strict)
actors.export_env = false                                      # built-in (strict)
log.keep_days = 7                                              # user /~/config.toml:1
log.max_mib = 512                                              # built-in (strict)
log.payload_kib = 64                                           # built-in (strict)
daemon.idle_minutes = 30                                       # built-in (strict)
"#);
}

#[test]
fn programs_get_values_origins_and_problems_by_dotted_key() {
    let desk = desk();
    let shown: Value = serde_json::from_str(&desk.plain(&show_json(&loaded(&desk), true))).unwrap();
    assert_eq!(shown["settings"]["structure.max_chars"], 300);
    assert_eq!(shown["settings"]["protected_branches"][3], "release/*");
    assert_eq!(
        shown["origins"]["structure.max_chars"],
        json!({ "layer": "project", "file": "/~/repo/toprope.toml", "line": 5, "column": 1 })
    );
    assert_eq!(
        shown["origins"]["structure.mode"],
        json!({ "layer": "project", "file": "/~/repo/toprope.toml", "line": 6, "column": 1 })
    );
    assert_eq!(
        shown["origins"]["log.max_mib"],
        json!({ "layer": "built-in", "profile": "strict" })
    );
    assert_eq!(shown["problems"][0]["key"], "enabled");
    assert_eq!(shown["problems"][0]["line"], 3);
    let without: Value = serde_json::from_str(&show_json(&loaded(&desk), false)).unwrap();
    assert!(without.get("origins").is_none());
}
