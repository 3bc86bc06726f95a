//! Commands in the background as texts name them. More than one may have done it: then nobody is picked.

use super::held::Who;
use crate::id::ActorId;

/// So many are named.
const MOST_NAMED: usize = 3;

/// `a background command of main@7c1e or of fixer@a111`; the reader's own is `of yours`.
pub fn shown(whose: &[Who], reader: Option<ActorId>) -> String {
    if whose.len() > MOST_NAMED {
        return format!("a background command of one of {} agents", whose.len());
    }
    let of = |who: &Who| {
        if reader == Some(who.actor) {
            "of yours".to_owned()
        } else {
            format!("of {}", who.shown())
        }
    };
    let named: Vec<String> = whose.iter().map(of).collect();
    match named.split_last() {
        Some((last, [])) => format!("a background command {last}"),
        Some((last, before)) => format!("a background command {} or {last}", before.join(", ")),
        None => "a background command".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lease::{fixer, myself, reviewer};

    #[test]
    fn nobody_is_picked_where_several_may_have_done_it() {
        insta::assert_snapshot!(shown(&[fixer()], None), @r#"a background command of general-purpose@a3f2 ("fix parser")"#);
        insta::assert_snapshot!(shown(&[fixer(), reviewer()], None), @r#"a background command of general-purpose@a3f2 ("fix parser") or of reviewer@a91c"#);
        insta::assert_snapshot!(shown(&[fixer(), reviewer(), myself()], Some(myself().actor)), @r#"a background command of general-purpose@a3f2 ("fix parser"), of reviewer@a91c or of yours"#);
        let many = vec![fixer(); 4];
        insta::assert_snapshot!(shown(&many, None), @"a background command of one of 4 agents");
    }
}
