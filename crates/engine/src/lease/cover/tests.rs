use super::*;
use crate::settings::Profile;

fn cover(include: &[&str], exclude: &[&str]) -> LeaseCover {
    let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
    LeaseCover::new(&owned(include), &owned(exclude)).unwrap()
}

fn check_all(cover: &LeaseCover, covered: &[&str], others: &[&str]) {
    for path in covered {
        assert!(cover.has(path), "{path}");
    }
    for path in others {
        assert!(!cover.has(path), "{path}");
    }
}

#[test]
fn typescript_alone_is_covered_where_only_typescript_is_included() {
    check_all(
        &cover(&["**/*.ts", "**/*.tsx"], &[".git/**"]),
        &[
            "a.ts",
            "src/a.tsx",
            "src/deep/er/a.d.ts",
            ".hidden/x.ts",
            "/outside/a.ts",
        ],
        &[
            "README.md",
            "data/a.tsv",
            "ts",
            "a.ts/b",
            "a.TS",
            ".git/x.ts",
            "a.tsx.snap",
        ],
    );
}

#[test]
fn everything_but_git_is_covered_by_default() {
    let mut settings = LeaseSettings::of(Profile::Standard);
    let built_in = LeaseCover::of(&settings);
    settings.include.push("[".to_owned());
    for cover in [built_in, LeaseCover::of(&settings)] {
        check_all(
            &cover,
            &[
                "a",
                "src/a.rs",
                ".gitignore",
                ".github/x",
                "sub/.git/config",
                "/etc/hosts",
                "a b\n",
            ],
            &[".git/config", ".git/refs/heads/main"],
        );
    }
    assert!(covers(&settings, "a") && !covers(&settings, ".git/a"));
}

#[test]
fn the_last_pattern_that_fits_decides() {
    check_all(
        &cover(
            &["src/**", "!src/gen/**", "src/gen/keep.rs"],
            &["**/*.lock", "!src/own.lock"],
        ),
        &["src/a.rs", "src/gen/keep.rs", "src/own.lock"],
        &["src/gen/a.rs", "docs/a.md", "src/x.lock"],
    );
    check_all(&cover(&["\\!a"], &[]), &["!a"], &["a"]);
    check_all(&cover(&[], &[]), &[], &["a"]);
}

#[test]
fn a_bad_pattern_is_named() {
    let fault = LeaseCover::new(&["**".to_owned(), "src/[a".to_owned()], &[]).unwrap_err();
    assert_eq!(
        (fault.pattern.as_str(), fault.fault),
        ("src/[a", PatternFault::Class)
    );
    assert_eq!(check("!"), Err(PatternFault::Empty));
    assert_eq!(check("!a/**"), Ok(()));
}
