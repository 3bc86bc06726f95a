use super::{GapPart, gap, has_gaps, is_blank, parts, shown};

#[test]
fn a_text_with_gaps_keeps_what_is_known() {
    let text = format!("rm -rf {}/x{}", gap(Some("D")), gap(None));
    assert!(has_gaps(&text));
    assert_eq!(
        parts(&text),
        [
            GapPart::Known("rm -rf "),
            GapPart::Gap(Some("D")),
            GapPart::Known("/x"),
            GapPart::Gap(None)
        ]
    );
    assert_eq!(shown(&text), "rm -rf ${D}/x…");
}

#[test]
fn a_text_of_gaps_alone_says_nothing() {
    assert!(is_blank(&gap(None)));
    assert!(is_blank(&format!(" \"{}\"; ", gap(Some("x")))));
    assert!(!is_blank(&format!("rm {}", gap(Some("x")))));
}

#[test]
fn a_lone_mark_does_not_break_it() {
    assert_eq!(
        parts("a\u{e000}b"),
        [GapPart::Known("a"), GapPart::Gap(Some("b"))]
    );
    assert_eq!(parts("\u{e001}"), [GapPart::Known("\u{e001}")]);
}
