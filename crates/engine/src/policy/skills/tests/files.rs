//! The files that describe skills.

use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Skill, SkillFault> {
    Skill::read(text, "folder", PathBuf::from("/s/folder/SKILL.md"))
}

fn parts(text: &str) -> (String, String, Vec<String>) {
    let skill = read(text).unwrap();
    (skill.name, skill.description, skill.keywords)
}

#[test]
fn a_file_says_name_description_and_keywords() {
    let cases = [
        (
            "---\nname: a\ndescription: b c\nkeywords: x, y z\n---\nbody",
            ("a", "b c", vec!["x", "y z"]),
        ),
        ("---\r\nname: a\r\ndescription: b\r\n---\r\n", ("a", "b", vec![])),
        (
            "\u{feff}---\nname: \"a\"\ndescription: 'it''s: b'\n---",
            ("a", "it's: b", vec![]),
        ),
        (
            "---\ndescription: b # note\nkeywords: [x, \"y z\"]\n...",
            ("folder", "b", vec!["x", "y z"]),
        ),
        (
            "---\nname: a\ndescription: >-\n  b\n  c\n\n  d\nkeywords:\n  - x\n  - 'y z' \n---",
            ("a", "b c d", vec!["x", "y z"]),
        ),
        (
            "---\nname: a\ndescription: b\n  c\n# note\nother:\n  name: no\n  - keywords: no\n---",
            ("a", "b c", vec![]),
        ),
        (
            "---\nname: a:b_c-d\nname: second\nallowed-tools: Read, Bash\n---",
            ("a:b_c-d", "", vec![]),
        ),
        ("---\nname:\nkeywords:\n---", ("folder", "", vec![])),
        ("---\n---", ("folder", "", vec![])),
    ];
    for (text, (name, description, keywords)) in cases {
        let expected = (
            name.to_owned(),
            description.to_owned(),
            keywords.into_iter().map(str::to_owned).collect(),
        );
        assert_eq!(parts(text), expected, "{text}");
    }
}

#[test]
fn a_bad_file_says_why() {
    for text in [
        "",
        "name: a",
        "# A\n---\nname: a\n---",
        "---\nname: a\n",
        "----\nname: a\n---",
        " ---\n---",
    ] {
        assert_eq!(read(text), Err(SkillFault::NoFrontMatter), "{text:?}");
    }
    let long = "a".repeat(65);
    for name in ["-a", "a b", "ä", "a/b", "../a", &long] {
        let found = read(&format!("---\nname: {name}\n---"));
        assert_eq!(found, Err(SkillFault::Name(name.to_owned())));
    }
    let faults = [SkillFault::NoFrontMatter, SkillFault::Name("a b".to_owned())];
    let shown: Vec<String> = faults.iter().map(SkillFault::shown).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    has no front matter
    has a name that cannot be called: `a b`
    ");
}

#[test]
fn a_huge_file_is_cut() {
    let keywords: Vec<String> = (0..500).map(|number| format!("k{number}")).collect();
    let text = format!(
        "---\nname: a\nkeywords: {}\ndescription: {}\n---",
        keywords.join(","),
        "d".repeat(9_000)
    );
    let skill = read(&text).unwrap();
    assert_eq!((skill.keywords.len(), skill.description.len()), (64, 4_000));
    let text = format!("---\nname: a\n{}\n---", "# x\n".repeat(5_000));
    assert_eq!(read(&text), Err(SkillFault::NoFrontMatter));
}

proptest! {
    #[test]
    fn any_text_is_a_skill_or_a_fault(text in "(?s)---\n(name|description|keywords|[:#'\"\\[\\]>|-]|[a-zé ]|\n|---){0,40}") {
        if let Ok(skill) = read(&text) {
            prop_assert!(skill.name.len() <= 64);
            let catalogue = Catalogue::new(vec![skill], &BTreeMap::new());
            drop(fitting(&text, &catalogue));
        }
    }
}
