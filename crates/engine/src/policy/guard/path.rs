//! Paths as text: made absolute, without `.`, `..` and repeated slashes. Never touches a disk.

use shell::path::joined;
use unicode_normalization::UnicodeNormalization;

/// The path as it is compared: absolute, lexically resolved, `/private/tmp` as `/tmp`. `None` where it stays relative.
pub fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    let path = joined(cwd.filter(|cwd| cwd.starts_with('/')), path)?;
    // macOS keeps its temporary folders behind a link of that name.
    let behind = path.strip_prefix("/private/");
    let is_link = |behind: &&str| matches!(behind.split('/').next(), Some("tmp" | "var" | "etc"));
    Some(
        behind
            .filter(is_link)
            .map(|behind| format!("/{behind}"))
            .unwrap_or(path),
    )
}

/// Whether the path is the folder or lies below it. Letters that only differ in how they are put together are the same.
pub fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    let begins = |path: &str, folder: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if begins(path, folder) {
        return true;
    }
    if path.is_ascii() || folder.is_ascii() {
        return false;
    }
    begins(&composed(path), &composed(folder))
}

/// The text in Unicode's composed form.
fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// The path below the folder; empty if it is the folder itself.
pub fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if !is_within(path, folder) {
        return None;
    }
    let folder = folder.trim_end_matches('/');
    let rest = match path.strip_prefix(folder) {
        Some(rest) => rest,
        // The same names in another form: as many of them as the folder has.
        None => path
            .match_indices('/')
            .nth(folder.matches('/').count())
            .map_or("", |(at, _)| path.get(at..).unwrap_or_default()),
    };
    Some(rest.trim_start_matches('/'))
}

/// The path as it may also be spelled on a volume that does not tell upper from lower case: with the spelling of the
/// nearest of these places for its part, and small letters elsewhere.
pub fn folded(path: &str, places: &[&str]) -> Vec<String> {
    let small = path.to_lowercase();
    let nearest = places
        .iter()
        .map(|place| place.trim_end_matches('/'))
        .filter(|place| !place.is_empty() && is_within(&small, &place.to_lowercase()))
        .max_by_key(|place| place.len());
    let Some(place) = nearest else {
        return vec![small];
    };
    let rest = |path: &str| {
        let found = path.match_indices('/').nth(place.matches('/').count());
        let rest = found.and_then(|(at, _)| path.get(at..)).unwrap_or_default();
        format!("{place}{rest}")
    };
    vec![rest(path), rest(&small)]
}

/// The last name of the path.
pub fn name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder the path lies in.
pub fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((folder, _)) => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_slashes_change_nothing() {
        for (written, meant) in [
            ("/a//b/./c/", "/a/b/c"),
            ("/a/../../etc", "/etc"),
            ("../x", "/home/dev/x"),
            (".", "/home/dev/project"),
            ("/private/tmp/x", "/tmp/x"),
            ("/private/./var", "/var"),
            ("/private/tmpx", "/private/tmpx"),
            ("/private", "/private"),
            ("/..", "/"),
        ] {
            assert_eq!(
                absolute(written, Some("/home/dev/project")).as_deref(),
                Some(meant)
            );
        }
        assert_eq!(absolute("x", None), None);
    }

    #[test]
    fn a_name_that_only_begins_like_a_folder_is_not_within_it() {
        assert!(is_within("/tmp/x", "/tmp") && is_within("/tmp", "/tmp/") && !is_within("/tmpx", "/tmp"));
        assert!(is_within("/etc", "/"));
        assert_eq!(below("/tmp/a/b", "/tmp"), Some("a/b"));
        assert_eq!(below("/a", "/"), Some("a"));
        let (composed, apart) = ("/home/zo\u{eb}", "/home/zoe\u{308}");
        assert!(is_within(apart, composed) && is_within(&format!("{composed}/x"), apart));
        assert_eq!(below(&format!("{apart}/x/y"), composed), Some("x/y"));
        assert_eq!(below(apart, composed), Some(""));
        let places = ["/Users/Kim", "/Users/Kim/App"];
        assert_eq!(
            folded("/users/kim/APP/.GIT", &places),
            ["/Users/Kim/App/.GIT", "/Users/Kim/App/.git"]
        );
        assert_eq!(folded("/ETC/Hosts", &places), ["/etc/hosts"]);
        assert_eq!((name("/a/b/"), parent("/a/b"), parent("/a")), ("b", "/a", "/"));
    }
}
