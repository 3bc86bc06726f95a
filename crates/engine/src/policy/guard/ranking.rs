//! From findings to one ruling: which strikes are spent, which finding is the gravest, what is to be remembered.

use super::cover::LossCover;
use super::facts::GuardFacts;
use super::judged::Judged;
use super::strike::{self, Strike};
use super::verdict::{HarmClass, Ruling};
use crate::effect::Struck;

/// Makes one ruling of all findings.
pub(super) fn conclude(judged: &mut Judged, facts: &GuardFacts) {
    judged
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.ruling));
    judged.standing = judged
        .findings
        .first()
        .map_or(Ruling::Silent, |finding| finding.ruling);
    // What was advised in this conversation is known.
    judged.findings.retain(|finding| {
        let is_advice = finding.ruling == Ruling::Advise && !finding.softened;
        !(is_advice && facts.advised.contains(&finding.rule))
    });
    for finding in &mut judged.findings {
        if finding.ruling != Ruling::OneStrike {
            continue;
        }
        let struck = Struck {
            rule: finding.rule.clone(),
            targets: finding.aims.clone(),
        };
        match strike::of(&finding.rule, &finding.aims, &facts.strikes) {
            Strike::First => push_new(&mut judged.warned, struck),
            Strike::Unheard => {
                judged.unheard = true;
                push_new(&mut judged.warned, struck);
            }
            Strike::Heard => {
                push_new(&mut judged.passed, struck);
                judged.keep.join(finding.keep.clone());
                judged.must_keep |= finding.cover == LossCover::Held;
                finding.ruling = Ruling::Silent;
            }
        }
    }
    judged
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.ruling));
    let first = judged.findings.first();
    judged.ruling = first.map_or(Ruling::Silent, |finding| finding.ruling);
    judged.class = first.map(|finding| finding.class);
    if judged.rewritten.is_some() {
        judged.ruling = judged.ruling.max(Ruling::Rewrite);
        judged.standing = judged.standing.max(Ruling::Rewrite);
        judged.class = judged.class.or(Some(HarmClass::Method));
    }
    // A denial by another rule leaves no warning that would let the next try pass.
    if judged.ruling > Ruling::OneStrike {
        judged.warned.clear();
    }
    for finding in &judged.findings {
        let is_advice = finding.ruling == Ruling::Advise && !finding.softened;
        if is_advice && judged.ruling == Ruling::Advise && !judged.advised.contains(&finding.rule) {
            judged.advised.push(finding.rule.clone());
        }
    }
    judged.parks = judged.ruling == Ruling::Deny && !judged.is_own();
    if judged.ruling == Ruling::Deny {
        judged.attempt = attempt(judged, facts);
    }
}

/// Which attempt at the same effect this is.
fn attempt(judged: &Judged, facts: &GuardFacts) -> u32 {
    let Some(first) = judged.findings.first() else {
        return 1;
    };
    let aim = first.aim();
    facts
        .denials
        .iter()
        .find(|denial| denial.rule == first.rule && denial.target == aim)
        .map_or(1, |denial| denial.times.saturating_add(1))
}

fn push_new(list: &mut Vec<Struck>, struck: Struck) {
    if !list.contains(&struck) {
        list.push(struck);
    }
}
