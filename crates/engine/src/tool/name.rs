//! Names of tools and of their arguments, however their words are joined.

/// `writeFile`, `write_file` and `write-file` are two words each, in small letters.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let begins = was_small && letter.is_uppercase();
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `file_path`, `filePath` and `file-path` are one name.
pub fn joined(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a tool's own name, without its server's: `mcp__files__write_file`.
pub fn own_words(tool: &str) -> Vec<String> {
    words(tool.rsplit("__").next().unwrap_or(tool))
}
