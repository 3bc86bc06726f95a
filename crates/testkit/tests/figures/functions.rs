//! How long functions are.

use crate::source::SourceFile;

/// The functions of a file that ship and have more lines than this, as `path:line`.
pub fn longer_than(most: usize, file: &SourceFile) -> Vec<String> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut depth, mut waiting, mut found) = (0_usize, None, Vec::new());
    for (number, line) in file.product() {
        if is_function(line) {
            waiting = Some(number);
        }
        for letter in line.chars() {
            match letter {
                '{' => {
                    if let Some(began) = waiting.take() {
                        open.push((began, depth));
                    }
                    depth += 1;
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    if let Some((began, _)) = open.pop_if(|(_, at)| *at == depth)
                        && number - began + 1 > most
                    {
                        found.push(format!("{}:{began}", file.path.display()));
                    }
                }
                ';' => waiting = None,
                _ => {}
            }
        }
    }
    found
}

fn is_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words
        .by_ref()
        .take_while(|word| word.starts_with("pub") || ["const", "unsafe", "async", "fn"].contains(word))
        .any(|word| word == "fn")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    #[test]
    fn a_function_is_as_long_as_from_its_name_to_its_last_brace() {
        let text = "fn a() {\n    if b {\n    }\n}\npub fn c() {}\n".to_owned();
        let files = source::read(std::iter::once(("crates/engine/src/a.rs".into(), text)));
        assert_eq!(longer_than(3, &files[0]), ["crates/engine/src/a.rs:1"]);
        assert_eq!(longer_than(4, &files[0]), Vec::<String>::new());
    }
}
