//! Paths as text: joined to a folder, without `.` and `..`. No file is looked at.

/// The path as seen from a folder, tidied; none if it is relative and the folder is not known.
pub fn joined(folder: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(tidy(path));
    }
    folder.map(|folder| tidy(&format!("{folder}/{path}")))
}

/// An absolute path without `.`, `..` and repeated slashes.
pub fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests;
