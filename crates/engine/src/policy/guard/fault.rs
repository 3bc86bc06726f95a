//! A rule that fails as the command's own text tells it: `rehearse:fault core.git.stash`. Nothing at all but in test builds.

/// Where one rule looks at one text.
#[cfg(any(test, feature = "rehearsal"))]
pub fn point(rule: &str, text: &str) {
    let told = text.trim_end().strip_suffix(rule);
    let fails = told.is_some_and(|told| told.ends_with("rehearse:fault "));
    assert!(!fails, "rehearsed fault in {rule}");
}

/// Where one rule looks at one text.
#[cfg(not(any(test, feature = "rehearsal")))]
pub fn point(_rule: &str, _text: &str) {}
