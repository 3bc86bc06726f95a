//! Words are what the shell makes of them.

use super::{calls, first, intent};
use crate::{Coverage, Word};

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = calls(text, "rm");
        assert_eq!(found.last().map(String::as_str), Some(*expected), "{text}");
    }
}

#[test]
fn quotes_and_backslashes_are_removed() {
    check(&[
        ("rm a", "rm a"),
        ("r''m a", "rm a"),
        ("'rm' a", "rm a"),
        ("\"rm\" a", "rm a"),
        (r"\rm a", "rm a"),
        (r"r\m -r\f a", "rm -rf a"),
        ("$'\\x72m' a", "rm a"),
        ("$\"rm\" a", "rm a"),
        ("rm 'a b'", "rm 'a b'"),
        (r"rm a\ b", "rm 'a b'"),
        ("rm a'b'\"c\"d", "rm abcd"),
        ("rm ''", "rm ''"),
        ("r\\\nm a", "rm a"),
        ("rm \\\n  a", "rm a"),
        ("rm \"a\\\nb\"", "rm ab"),
    ]);
}

#[test]
fn the_program_is_the_base_name() {
    for text in ["/bin/rm x", "./bin/../rm x", r"\rm x", "/usr/bin/rm x"] {
        assert_eq!(first(text).program(), Some("rm"), "{text}");
    }
    assert_eq!(first("$X y").program(), None);
}

#[test]
fn braces_expand() {
    check(&[
        ("rm {a,b}", "rm a b"),
        ("rm x{1..3}", "rm x1 x2 x3"),
        ("rm a{,.bak}", "rm a a.bak"),
        ("rm '{a,b}'", "rm '{a,b}'"),
        ("X=c; rm {a,$X}", "rm a c"),
        ("{rm,-rf,x}", "rm -rf x"),
        ("rm {1..100}", "rm …"),
    ]);
}

#[test]
fn tildes_lead_home() {
    check(&[
        ("rm ~", "rm /home/me"),
        ("rm ~/a", "rm /home/me/a"),
        ("rm ~me/a", "rm /home/me/a"),
        ("rm ~root", "rm /root"),
        ("rm ~bob/a", "rm /home/bob/a"),
        ("rm ~+/a", "rm /w/app/a"),
        ("cd /x; rm ~-/a", "rm /w/app/a"),
        ("rm '~'", "rm ~"),
        ("rm a~", "rm a~"),
        ("X=~/a; rm $X", "rm /home/me/a"),
    ]);
}

#[test]
fn what_the_scene_says_is_known() {
    check(&[
        ("rm $HOME/a", "rm /home/me/a"),
        ("rm ${HOME}", "rm /home/me"),
        ("rm $PWD/a", "rm /w/app/a"),
        ("rm $USER", "rm me"),
        ("cd /x; rm $OLDPWD $PWD", "rm /w/app /x"),
        ("TMPDIR=/t; rm $TMPDIR/a", "rm /t/a"),
    ]);
}

#[test]
fn variables_set_in_the_text_are_known() {
    check(&[
        ("X=a; rm $X", "rm a"),
        ("X=a; rm \"$X\"b", "rm ab"),
        ("X='-rf a'; rm $X", "rm -rf a"),
        ("X='-rf a'; rm \"$X\"", "rm '-rf a'"),
        ("X=rm; $X a", "rm a"),
        ("X=r Y=m; $X$Y a", "rm a"),
        ("export X=a; rm $X", "rm a"),
        ("readonly X=a; rm $X", "rm a"),
        ("declare -r X=a; rm $X", "rm a"),
        ("f() { local X=a; rm $X; }; f", "rm a"),
        ("X=a; X=b; rm $X", "rm b"),
        ("X=a; X+=b; rm $X", "rm ab"),
        ("X=a; Y=$X/c; rm $Y", "rm a/c"),
        ("X=a; unset X; rm x$X", "rm x"),
        ("read X <<< a; rm $X", "rm a"),
        ("read -r X Y <<< 'a b c'; rm \"$X\" \"$Y\"", "rm a 'b c'"),
        ("printf -v X '%s' a; rm $X", "rm a"),
        ("X='*'; rm $X", "rm *"),
        ("X='*'; rm \"$X\"", "rm '*'"),
        ("X=*; rm \"$X\"", "rm '*'"),
        ("X=; rm ${X}a", "rm a"),
    ]);
}

#[test]
fn variables_that_nobody_set_are_unknown() {
    let command = first("rm -rf \"$X\"/b");
    assert_eq!(
        command.argv.last(),
        Some(&Word::Unknown {
            prefix: String::new(),
            suffix: "/b".to_owned(),
            quoted: true,
            name: Some("X".to_owned()),
        })
    );
    assert_eq!(intent("rm $X").coverage, Coverage::Partial);
    assert_eq!(intent("rm x").coverage, Coverage::Full);
}

#[test]
fn an_unknown_word_says_whether_it_may_be_several() {
    let quoted = |text: &str| match first(text).argv.last() {
        Some(Word::Unknown { quoted, .. }) => Some(*quoted),
        _ => None,
    };
    assert_eq!(quoted("rm \"$X\""), Some(true));
    assert_eq!(quoted("rm $X"), Some(false));
    assert_eq!(quoted("rm \"$X\"$Y"), Some(false));
    assert_eq!(quoted("rm $?"), Some(true));
    assert_eq!(quoted("rm $((a+1))"), Some(true));
}

#[test]
fn a_value_that_must_be_set_has_no_name() {
    let name = |text: &str| match first(text).argv.last() {
        Some(Word::Unknown { name, .. }) => name.clone(),
        _ => panic!("{text} is known"),
    };
    assert_eq!(name("rm \"$X\"/").as_deref(), Some("X"));
    assert_eq!(name("rm ${X%/}/").as_deref(), Some("X"));
    assert_eq!(name("rm \"${X:?}\"/"), None);
    assert_eq!(name("rm $X$Y"), None);
    assert_eq!(name("rm $$"), None);
}

#[test]
fn a_value_read_from_a_command_keeps_the_variables_name() {
    let text = "X=$(foo); rm -rf \"$X\"/*";
    let rm = intent(text).commands.pop().expect("a command");
    assert!(matches!(rm.argv.last(), Some(Word::Unknown { name: Some(name), .. }) if name == "X"));
}

#[test]
fn separators_split_what_is_not_quoted() {
    check(&[
        ("rm${IFS}-rf${IFS}x", "rm -rf x"),
        ("rm$IFS-rf${IFS}x", "rm -rf x"),
        ("IFS=,; X='-rf,a'; rm $X", "rm -rf a"),
        ("X=$'a\\nb'; rm $X", "rm a b"),
    ]);
}

#[test]
fn parameter_operators_work_on_known_values() {
    check(&[
        ("rm ${X:-a}", "rm a"),
        ("rm ${X-a}", "rm a"),
        ("rm \"${X:-a b}\"", "rm 'a b'"),
        ("rm ${X:-a b}", "rm a b"),
        ("X=b; rm ${X:-a}", "rm b"),
        ("X=; rm ${X:-a}", "rm a"),
        ("rm ${X:=a} $X", "rm a a"),
        ("X=b; rm ${X:+a}", "rm a"),
        ("X=; rm x${X:+a}", "rm x"),
        ("X=b; rm ${X:?}", "rm b"),
        ("X=a/b.c; rm ${X%.c}", "rm a/b"),
        ("X=a/b/c; rm ${X%/*} ${X%%/*} ${X#*/} ${X##*/}", "rm a/b a b/c c"),
        ("X=a.b.a; rm ${X/a/x} ${X//a/x}", "rm x.b.a x.b.x"),
        ("X=abcd; rm ${X:1:2} ${X:2} ${X: -1}", "rm bc cd d"),
        ("X=ab; rm ${X^} ${X^^} ${#X}", "rm Ab AB 2"),
        ("X=AB; rm ${X,,}", "rm ab"),
        ("X=Y; Y=a; rm ${!X}", "rm a"),
        ("X=a; rm ${X@Q}", "rm a"),
        ("rm ${X:-$HOME}", "rm /home/me"),
        ("rm ${X:-${Y:-a}}", "rm a"),
    ]);
}

#[test]
fn positional_parameters_are_known_where_they_are_given() {
    check(&[
        ("set -- a b; rm $1 $2", "rm a b"),
        ("set -- a 'b c'; rm \"$@\"", "rm a 'b c'"),
        ("set -- a 'b c'; rm $@", "rm a b c"),
        ("set -- a b; rm \"$*\"", "rm 'a b'"),
        ("set -- a b; shift; rm \"$@\"", "rm b"),
        ("set -- a b; rm $#", "rm 2"),
        ("set -- a b; rm x\"$@\"y", "rm xa by"),
        ("f() { rm \"$1\" $2; }; f a b", "rm a b"),
        ("f() { rm \"$@\"; }; f a b; rm $1", "rm ${1}"),
        ("bash -c 'rm $0 $1 \"$@\"' x a b", "rm … a a b"),
        ("set -e; rm $1", "rm ${1}"),
    ]);
}

#[test]
fn arrays_are_known_where_they_are_given() {
    check(&[
        ("a=(x 'y z'); rm \"${a[@]}\"", "rm x 'y z'"),
        ("a=(x y); rm ${a[1]} $a", "rm y x"),
        ("a=(x); a+=(y); rm \"${a[@]}\"", "rm x y"),
        ("a=(x y); rm \"${a[*]}\"", "rm 'x y'"),
        ("a=(-rf); rm \"${a[@]}\" b", "rm -rf b"),
        ("declare -a a=(x y); rm ${a[0]}", "rm x"),
        ("a=({x,y}); rm ${a[1]}", "rm y"),
    ]);
}

#[test]
fn substitutions_with_known_output_are_known() {
    check(&[
        ("rm $(echo a b)", "rm a b"),
        ("rm \"$(echo a b)\"", "rm 'a b'"),
        ("rm `echo a`", "rm a"),
        ("rm $(printf '%s/%s' a b)", "rm a/b"),
        ("$(echo rm) a", "rm a"),
        ("$(printf '\\x72\\x6d') a", "rm a"),
        ("rm $(pwd)/a", "rm /w/app/a"),
        ("rm $(which ls)", "rm /usr/bin/ls"),
        ("$(which rm) a", "/usr/bin/rm a"),
        ("$(command -v rm) a", "/usr/bin/rm a"),
        ("rm $(mktemp -d)", "rm /tmp/tmp.XXXXXXXXXX"),
        ("D=$(mktemp -d); rm -rf \"$D\"", "rm -rf /tmp/tmp.XXXXXXXXXX"),
        ("rm $(mktemp -p /x)", "rm /x/tmp.XXXXXXXXXX"),
        ("rm $(mktemp /x/a.XXX)", "rm /x/a.XXX"),
        ("rm \"$(cat <<E\na\nE\n)\"", "rm a"),
        ("rm $(echo $(echo a))", "rm a"),
        ("rm $(cd /x; pwd)", "rm /x"),
        ("rm $(true; echo a)", "rm a"),
        ("rm $(echo a | tr a b)", "rm b"),
    ]);
}

#[test]
fn the_root_of_the_worktree_is_known_once_it_was_asked() {
    let text = "rm $(git rev-parse --show-toplevel)/a";
    let asked = super::World::asked().read(text);
    assert_eq!(super::shown(&asked).last().map(String::as_str), Some("rm /w/a"));
    let unasked = intent(text);
    assert_eq!(
        unasked.wants,
        [crate::Want::Root {
            cwd: "/w/app".to_owned()
        }]
    );
}

#[test]
fn patterns_stay_patterns() {
    check(&[
        ("rm *", "rm *"),
        ("rm *.o a?", "rm *.o a?"),
        ("rm 'a*'*", r"rm a\**"),
        ("rm [ab]", "rm [ab]"),
        ("rm '*'", "rm '*'"),
        (r"rm \*", "rm '*'"),
        ("rm !(a|b)", "rm *"),
        ("rm x@(a|+(b))y*", "rm x*y*"),
    ]);
}

#[test]
fn values_that_grow_without_end_are_given_up() {
    let text = format!("x=aaaaaaaa; {} rm \"$x\"", "x=$x$x;".repeat(40));
    let read = intent(&text);
    assert!(
        read.commands
            .last()
            .is_some_and(|command| command.argv.iter().any(Word::is_unknown))
    );
}

#[test]
fn words_know_whose_output_they_are() {
    let read = intent("rm a \"$(foo | bar)\"");
    let rm = read.commands.last().expect("a command");
    assert_eq!(rm.feeds.len(), 1);
    assert_eq!(
        (rm.feeds[0].word, rm.feeds[0].commands.as_slice()),
        (2, [1].as_slice())
    );
    assert_eq!(read.commands[1].program(), Some("bar"));
}
