use super::{joined, tidy};

#[test]
fn a_path_is_seen_from_its_folder() {
    assert_eq!(joined(Some("/w"), "a").as_deref(), Some("/w/a"));
    assert_eq!(joined(Some("/w"), "../a/./b//c").as_deref(), Some("/a/b/c"));
    assert_eq!(joined(Some("/w"), "/a").as_deref(), Some("/a"));
    assert_eq!(joined(None, "/a").as_deref(), Some("/a"));
    assert_eq!(joined(None, "a"), None);
}

#[test]
fn nothing_is_above_the_root() {
    assert_eq!(tidy("/../../a/.."), "/");
}
