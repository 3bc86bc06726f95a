//! What commands print, where it can be known.

use super::{base, output};
use crate::word::Word;
use proptest::prelude::*;

fn words(words: &[&str]) -> Vec<Word> {
    words.iter().map(|word| Word::new(*word)).collect()
}

fn printed(argv: &[&str], stdin: Option<&str>) -> Option<String> {
    output(&words(argv), stdin.map(str::as_bytes)).and_then(|bytes| String::from_utf8(bytes).ok())
}

#[test]
fn echo_and_printf_print_their_words() {
    assert_eq!(
        printed(&["echo", "rm", "-rf", "x"], None).as_deref(),
        Some("rm -rf x\n")
    );
    assert_eq!(printed(&["echo", "-n", "a"], None).as_deref(), Some("a"));
    assert_eq!(
        printed(&["echo", "-ne", "\\x72m\\040x"], None).as_deref(),
        Some("rm x")
    );
    assert_eq!(printed(&["echo", "a\\nb"], None).as_deref(), Some("a\\nb\n"));
    assert_eq!(
        printed(&["printf", "\\x72\\x6d %s\\n", "a", "b"], None).as_deref(),
        Some("rm a\nrm b\n")
    );
    assert_eq!(printed(&["printf", "\\162m"], None).as_deref(), Some("rm"));
    assert_eq!(printed(&["printf", "100%%"], None).as_deref(), Some("100%"));
    assert_eq!(printed(&["printf", "%b", "\\0162m"], None).as_deref(), Some("rm"));
    assert_eq!(printed(&["printf", "%s"], None).as_deref(), Some(""));
}

#[test]
fn decoders_give_back_what_was_hidden() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&["base64", "-d"], "cm0gLXJmIHgK", "rm -rf x\n"),
        (&["base64", "--decode"], "cm0g\nLXJmIHgK\n", "rm -rf x\n"),
        (&["base64", "-D"], "cm0gLXJmIHgK", "rm -rf x\n"),
        (&["base32", "-d"], "OJWSALLSMYQHQ===", "rm -rf x"),
        (&["xxd", "-r", "-p"], "726d202d72662078", "rm -rf x"),
        (
            &["xxd", "-r"],
            "00000000: 726d 202d 7266 2078                      rm -rf x",
            "rm -rf x",
        ),
        (&["openssl", "base64", "-d"], "cm0gLXJmIHgK", "rm -rf x\n"),
        (
            &["openssl", "enc", "-base64", "-d", "-A"],
            "cm0gLXJmIHgK",
            "rm -rf x\n",
        ),
        (&["rev"], "x fr- mr\n", "rm -rf x\n"),
        (&["tr", "a-z", "b-za"], "ql", "rm"),
        (&["tr", "-d", "X"], "rXm", "rm"),
        (&["cat"], "rm", "rm"),
        (&["tee", "f"], "rm", "rm"),
        (&["head", "-n", "1"], "a\nb\n", "a\n"),
        (&["cut", "-d", ":", "-f2"], "a:rm:c\n", "rm\n"),
        (&["sed", "s/X/m/"], "rX", "rm"),
        (&["base64"], "rm", "cm0=\n"),
    ];
    for (argv, stdin, expected) in cases {
        assert_eq!(printed(argv, Some(stdin)).as_deref(), Some(*expected), "{argv:?}");
    }
}

#[test]
fn gzip_is_opened() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"rm -rf x").unwrap();
    let bytes = packed.finish().unwrap();
    for argv in [&["gunzip"][..], &["gunzip", "-c"], &["gzip", "-d"], &["zcat"]] {
        assert_eq!(
            output(&words(argv), Some(&bytes)).as_deref(),
            Some(&b"rm -rf x"[..]),
            "{argv:?}"
        );
    }
}

#[test]
fn what_depends_on_anything_else_is_not_known() {
    assert_eq!(printed(&["base64", "-d", "file"], Some("cm0=")), None);
    assert_eq!(printed(&["cat", "file"], None), None);
    assert_eq!(printed(&["base64", "-d"], None), None);
    assert_eq!(printed(&["curl", "u"], None), None);
    assert_eq!(printed(&["base64", "-d"], Some("!!!")), None);
    assert_eq!(output(&[Word::new("echo"), Word::unknown()], None), None);
}

proptest! {
    #[test]
    fn base64_comes_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(base::base64(&base::to_base64(&bytes)), Some(bytes));
    }

    #[test]
    fn no_words_break_it(argv in proptest::collection::vec("[ -~]{0,12}", 1..5), name in 0..14_usize, stdin in "[ -~\n]{0,60}") {
        let names = ["echo", "printf", "base64", "base32", "xxd", "openssl", "gunzip", "rev", "tr", "head", "cut", "sed", "cat", "basenc"];
        let mut all = vec![names[name]];
        all.extend(argv.iter().map(String::as_str));
        if let Some(bytes) = output(&words(&all), Some(stdin.as_bytes())) {
            prop_assert!(bytes.len() <= 64 * 1024);
        }
    }
}
