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
    /// The endings of the files it changes; empty if it may be any.
    pub(super) types: &'static [&'static str],
}

type NameList = &'static [&'static str];

/// Writes the files it is given.
const fn files(program: &'static str, on: NameList, off: NameList) -> Fixer {
    Fixer {
        program,
        sub: &[],
        on,
        off,
        alone: false,
        is_whole: false,
        types: &[],
    }
}

/// The same, and without a path everything in its folder.
const fn folder(program: &'static str, on: NameList, off: NameList) -> Fixer {
    Fixer {
        alone: true,
        ..files(program, on, off)
    }
}

/// By a subcommand.
const fn by(sub: NameList, fixer: Fixer) -> Fixer {
    Fixer { sub, ..fixer }
}

/// Everything, whatever it is given.
const fn whole(sub: NameList, fixer: Fixer) -> Fixer {
    Fixer {
        sub,
        is_whole: true,
        ..fixer
    }
}

/// Only files with these endings.
const fn only(types: NameList, fixer: Fixer) -> Fixer {
    Fixer { types, ..fixer }
}

const C_LIKE: NameList = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "java", "m", "mm", "proto",
];
const CSS: NameList = &["css", "less", "sass", "scss", "vue"];
const ELIXIR: NameList = &["ex", "exs", "heex"];
const GO: NameList = &["go"];
const JS: NameList = &[
    "astro", "cjs", "cts", "js", "jsx", "mjs", "mts", "svelte", "ts", "tsx", "vue",
];
const MARKDOWN: NameList = &["markdown", "md", "mdx"];
const NIX: NameList = &["nix"];
const PHP: NameList = &["php"];
const PYTHON: NameList = &["ipynb", "py", "pyi"];
const RUBY: NameList = &["gemspec", "rake", "rb", "ru"];
const RUST: NameList = &["rs"];
const SHELL: NameList = &["bash", "bats", "sh", "zsh"];
const TERRAFORM: NameList = &["hcl", "tf", "tfvars"];
/// What the formatters of the web know.
const WEB: NameList = &[
    "astro", "cjs", "css", "cts", "gql", "graphql", "hbs", "htm", "html", "js", "json", "json5", "jsonc",
    "jsx", "less", "markdown", "md", "mdx", "mjs", "mts", "scss", "svelte", "ts", "tsx", "vue", "yaml",
    "yml",
];

const FIX: NameList = &["--fix"];
const IN_PLACE: NameList = &["-i", "--in-place"];
const CHECK: NameList = &["--check", "-c"];
const DIFF: NameList = &["--check", "--diff"];

/// All of them; a program with several ways to write has several entries.
pub(super) const FIXERS: &[Fixer] = &[
    only(WEB, files("prettier", &["--write", "-w"], &[])),
    only(JS, folder("eslint", FIX, &["--fix-dry-run"])),
    only(JS, folder("eslint_d", FIX, &[])),
    only(
        JS,
        folder(
            "oxlint",
            &["--fix", "--fix-suggestions", "--fix-dangerously"],
            &[],
        ),
    ),
    only(WEB, folder("oxfmt", &[], CHECK)),
    only(JS, folder("xo", FIX, &[])),
    only(JS, folder("standard", FIX, &[])),
    only(JS, folder("semistandard", FIX, &[])),
    only(JS, folder("ts-standard", FIX, &[])),
    only(CSS, files("stylelint", FIX, &[])),
    only(MARKDOWN, files("markdownlint", &["--fix", "-f"], &[])),
    only(MARKDOWN, files("markdownlint-cli2", FIX, &[])),
    by(
        &["format", "check", "lint"],
        only(
            WEB,
            folder("biome", &["--write", "--fix", "--apply", "--apply-unsafe"], &[]),
        ),
    ),
    by(&["fmt"], folder("dprint", &[], &[])),
    by(&["fmt"], only(WEB, folder("deno", &[], &["--check"]))),
    by(&["lint"], only(WEB, folder("deno", FIX, &[]))),
    only(PYTHON, files("black", &[], DIFF)),
    only(
        PYTHON,
        files(
            "isort",
            &[],
            &["--check-only", "--check", "-c", "--diff", "-d", "--stdout"],
        ),
    ),
    by(&["format"], only(PYTHON, folder("ruff", &[], DIFF))),
    by(
        &["check"],
        only(PYTHON, folder("ruff", &["--fix", "--fix-only"], &["--diff"])),
    ),
    only(PYTHON, files("autopep8", IN_PLACE, &["--diff"])),
    only(PYTHON, files("yapf", IN_PLACE, &["--diff"])),
    only(PYTHON, files("autoflake", IN_PLACE, &["--check"])),
    only(PYTHON, files("docformatter", IN_PLACE, &["--check"])),
    only(PYTHON, files("pyupgrade", &[], &[])),
    only(PYTHON, files("add-trailing-comma", &[], &[])),
    only(RUST, files("rustfmt", &[], &["--check", "--emit=stdout"])),
    whole(&["fmt"], only(RUST, folder("cargo", &[], &["--check"]))),
    whole(&["fix"], only(RUST, folder("cargo", &[], &[]))),
    whole(&["clippy"], only(RUST, folder("cargo", FIX, &[]))),
    by(&["fmt"], only(GO, folder("go", &[], &["-n"]))),
    by(&["fix"], only(GO, folder("go", &[], &[]))),
    only(GO, files("gofmt", &["-w"], &[])),
    only(GO, files("goimports", &["-w"], &[])),
    only(GO, files("gofumpt", &["-w"], &[])),
    only(GO, files("golines", &["-w"], &[])),
    by(&["run"], only(GO, folder("golangci-lint", FIX, &[]))),
    by(
        &["fmt"],
        only(GO, folder("golangci-lint", &[], &["--diff", "-d"])),
    ),
    only(SHELL, files("shfmt", &["-w", "--write"], &[])),
    only(C_LIKE, files("clang-format", &["-i"], &["-n", "--dry-run"])),
    by(
        &["fmt"],
        only(TERRAFORM, folder("terraform", &[], &["-check", "-write=false"])),
    ),
    by(
        &["fmt"],
        only(TERRAFORM, folder("tofu", &[], &["-check", "-write=false"])),
    ),
    only(
        RUBY,
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
    ),
    only(RUBY, folder("standardrb", &["--fix", "--fix-unsafely"], &[])),
    only(&["swift"], files("swiftformat", &[], &["--lint", "--dryrun"])),
    only(&["swift"], folder("swiftlint", &["--fix", "--autocorrect"], &[])),
    only(&["swift"], files("swift-format", IN_PLACE, &[])),
    only(&["kt", "kts"], folder("ktlint", &["-F", "--format"], &[])),
    only(
        &["java"],
        files(
            "google-java-format",
            &["-i", "-r", "--replace"],
            &["-n", "--dry-run"],
        ),
    ),
    by(
        &["format"],
        only(
            &["dart"],
            files("dart", &[], &["--output=none", "--set-exit-if-changed"]),
        ),
    ),
    by(&["fix"], only(&["dart"], folder("dart", &["--apply"], &[]))),
    by(
        &["format"],
        only(ELIXIR, folder("mix", &[], &["--check-formatted"])),
    ),
    by(&["fix"], only(PHP, folder("php-cs-fixer", &[], &["--dry-run"]))),
    only(PHP, folder("pint", &[], &["--test"])),
    only(PHP, files("phpcbf", &[], &[])),
    by(&["format"], only(&["toml"], folder("taplo", &[], DIFF))),
    by(&["fmt"], only(&["zig", "zon"], files("zig", &[], &["--check"]))),
    by(&["fmt"], only(NIX, folder("nix", &[], &[]))),
    folder("treefmt", &[], &["--ci"]),
    only(NIX, files("nixfmt", &[], CHECK)),
    only(NIX, files("alejandra", &[], CHECK)),
    only(NIX, files("nixpkgs-fmt", &[], CHECK)),
    only(&["lua", "luau"], files("stylua", &[], CHECK)),
    only(MARKDOWN, files("mdformat", &[], CHECK)),
    only(
        &["yaml", "yml"],
        folder("yamlfmt", &[], &["-lint", "--lint", "-dry", "--dry"]),
    ),
    only(
        &["sbt", "sc", "scala"],
        folder("scalafmt", &[], &["--check", "--test"]),
    ),
    only(&["hs"], files("ormolu", IN_PLACE, &[])),
    only(&["hs"], files("fourmolu", IN_PLACE, &[])),
    only(&["elm"], files("elm-format", &["--yes"], &[])),
    by(&["fix", "format"], only(&["sql"], files("sqlfluff", &[], &[]))),
    folder("codespell", &["-w", "--write-changes"], &[]),
    folder("typos", &["-w", "--write-changes"], &[]),
    by(
        &["format"],
        only(&["proto"], folder("buf", &["-w", "--write"], &[])),
    ),
    folder("ast-grep", &["-U", "--update-all"], &[]),
    folder("sg", &["-U", "--update-all"], &[]),
];
