//! The formatters and fixers there are, and when they write.

/// A program that changes the files it is given.
#[derive(Clone, Copy)]
pub(super) struct Fixer {
    pub(super) program: &'static str,
    /// The subcommands that do it; empty if it has none.
    pub(super) sub: &'static [&'static str],
    /// It writes only with one of these; empty if it always does.
    pub(super) on: &'static [&'static str],
    /// It only shows with one of these.
    pub(super) off: &'static [&'static str],
    /// Without a path it goes over the folder it runs in.
    pub(super) alone: bool,
    /// It always goes over everything.
    pub(super) is_whole: bool,
}

type Names = &'static [&'static str];

/// Writes the files it is given.
const fn files(program: &'static str, on: Names, off: Names) -> Fixer {
    Fixer {
        program,
        sub: &[],
        on,
        off,
        alone: false,
        is_whole: false,
    }
}

/// The same, and without a path everything in its folder.
const fn folder(program: &'static str, on: Names, off: Names) -> Fixer {
    Fixer {
        alone: true,
        ..files(program, on, off)
    }
}

/// By a subcommand.
const fn by(sub: Names, fixer: Fixer) -> Fixer {
    Fixer { sub, ..fixer }
}

/// Everything, whatever it is given.
const fn whole(sub: Names, fixer: Fixer) -> Fixer {
    Fixer {
        sub,
        is_whole: true,
        ..fixer
    }
}

const FIX: Names = &["--fix"];
const IN_PLACE: Names = &["-i", "--in-place"];
const CHECK: Names = &["--check", "-c"];
const DIFF: Names = &["--check", "--diff"];

/// All of them; a program with several ways to write has several entries.
pub(super) const FIXERS: &[Fixer] = &[
    files("prettier", &["--write", "-w"], &[]),
    folder("eslint", FIX, &["--fix-dry-run"]),
    folder("eslint_d", FIX, &[]),
    folder(
        "oxlint",
        &["--fix", "--fix-suggestions", "--fix-dangerously"],
        &[],
    ),
    folder("oxfmt", &[], CHECK),
    folder("xo", FIX, &[]),
    folder("standard", FIX, &[]),
    folder("semistandard", FIX, &[]),
    folder("ts-standard", FIX, &[]),
    files("stylelint", FIX, &[]),
    files("markdownlint", &["--fix", "-f"], &[]),
    files("markdownlint-cli2", FIX, &[]),
    by(
        &["format", "check", "lint"],
        folder("biome", &["--write", "--fix", "--apply", "--apply-unsafe"], &[]),
    ),
    by(&["fmt"], folder("dprint", &[], &[])),
    by(&["fmt"], folder("deno", &[], &["--check"])),
    by(&["lint"], folder("deno", FIX, &[])),
    files("black", &[], DIFF),
    files(
        "isort",
        &[],
        &["--check-only", "--check", "-c", "--diff", "-d", "--stdout"],
    ),
    by(&["format"], folder("ruff", &[], DIFF)),
    by(&["check"], folder("ruff", &["--fix", "--fix-only"], &["--diff"])),
    files("autopep8", IN_PLACE, &["--diff"]),
    files("yapf", IN_PLACE, &["--diff"]),
    files("autoflake", IN_PLACE, &["--check"]),
    files("docformatter", IN_PLACE, &["--check"]),
    files("pyupgrade", &[], &[]),
    files("add-trailing-comma", &[], &[]),
    files("rustfmt", &[], &["--check", "--emit=stdout"]),
    whole(&["fmt"], folder("cargo", &[], &["--check"])),
    whole(&["fix"], folder("cargo", &[], &[])),
    whole(&["clippy"], folder("cargo", FIX, &[])),
    by(&["fmt"], folder("go", &[], &["-n"])),
    by(&["fix"], folder("go", &[], &[])),
    files("gofmt", &["-w"], &[]),
    files("goimports", &["-w"], &[]),
    files("gofumpt", &["-w"], &[]),
    files("golines", &["-w"], &[]),
    by(&["run"], folder("golangci-lint", FIX, &[])),
    by(&["fmt"], folder("golangci-lint", &[], &["--diff", "-d"])),
    files("shfmt", &["-w", "--write"], &[]),
    files("clang-format", &["-i"], &["-n", "--dry-run"]),
    by(&["fmt"], folder("terraform", &[], &["-check", "-write=false"])),
    by(&["fmt"], folder("tofu", &[], &["-check", "-write=false"])),
    folder(
        "rubocop",
        &[
            "-a",
            "-A",
            "-x",
            "--autocorrect",
            "--autocorrect-all",
            "--auto-correct",
            "--auto-correct-all",
        ],
        &[],
    ),
    folder("standardrb", &["--fix", "--fix-unsafely"], &[]),
    files("swiftformat", &[], &["--lint", "--dryrun"]),
    folder("swiftlint", &["--fix", "--autocorrect"], &[]),
    files("swift-format", IN_PLACE, &[]),
    folder("ktlint", &["-F", "--format"], &[]),
    files(
        "google-java-format",
        &["-i", "-r", "--replace"],
        &["-n", "--dry-run"],
    ),
    by(
        &["format"],
        files("dart", &[], &["--output=none", "--set-exit-if-changed"]),
    ),
    by(&["fix"], folder("dart", &["--apply"], &[])),
    by(&["format"], folder("mix", &[], &["--check-formatted"])),
    by(&["fix"], folder("php-cs-fixer", &[], &["--dry-run"])),
    folder("pint", &[], &["--test"]),
    files("phpcbf", &[], &[]),
    by(&["format"], folder("taplo", &[], DIFF)),
    by(&["fmt"], files("zig", &[], &["--check"])),
    by(&["fmt"], folder("nix", &[], &[])),
    folder("treefmt", &[], &["--ci"]),
    files("nixfmt", &[], CHECK),
    files("alejandra", &[], CHECK),
    files("nixpkgs-fmt", &[], CHECK),
    files("stylua", &[], CHECK),
    files("mdformat", &[], CHECK),
    folder("yamlfmt", &[], &["-lint", "--lint", "-dry", "--dry"]),
    folder("scalafmt", &[], &["--check", "--test"]),
    files("ormolu", IN_PLACE, &[]),
    files("fourmolu", IN_PLACE, &[]),
    files("elm-format", &["--yes"], &[]),
    by(&["fix", "format"], files("sqlfluff", &[], &[])),
    folder("codespell", &["-w", "--write-changes"], &[]),
    folder("typos", &["-w", "--write-changes"], &[]),
    by(&["format"], folder("buf", &["-w", "--write"], &[])),
    folder("ast-grep", &["-U", "--update-all"], &[]),
    folder("sg", &["-U", "--update-all"], &[]),
];
