use super::holds_trigger;

#[test]
fn a_trigger_word_is_found_however_it_is_quoted() {
    for text in [
        "rm -rf x",
        "echo (rm",
        "r''m x",
        "'rm' x",
        r"\rm",
        "a;rm",
        "/bin/rm x",
    ] {
        assert!(holds_trigger(text, ["rm"]), "{text}");
    }
}

#[test]
fn a_part_of_a_word_is_no_trigger() {
    for text in ["farm x", "rmdirs", "a-rm", "rm.txt"] {
        assert!(!holds_trigger(text, ["rm"]), "{text}");
    }
}

#[test]
fn what_runs_text_always_counts() {
    for text in [
        "bash <(",
        "x | base64 -d",
        "python3 -c '",
        "ssh h \"",
        "nu -c '",
        "pwsh (",
    ] {
        assert!(holds_trigger(text, []), "{text}");
    }
    assert!(!holds_trigger("echo 'it", []));
}
