//! The lines a set-up prints: a word, a place where there is one, and what is so, in columns.

/// Lines in columns.
#[derive(Debug, Default)]
pub struct AlignedLines {
    rows: Vec<AlignedLine>,
}

#[derive(Debug)]
struct AlignedLine {
    word: String,
    place: Option<String>,
    text: String,
}

/// Between two columns: after the word, and after the place.
const AFTER_WORD: usize = 3;
const AFTER_PLACE: usize = 2;

impl AlignedLines {
    /// Adds a line.
    pub fn say(&mut self, word: &str, text: impl Into<String>) {
        self.rows.push(AlignedLine {
            word: word.to_owned(),
            place: None,
            text: text.into(),
        });
    }

    /// Adds a line about a place.
    pub fn say_of(&mut self, word: &str, place: impl Into<String>, text: impl Into<String>) {
        self.rows.push(AlignedLine {
            word: word.to_owned(),
            place: Some(place.into()),
            text: text.into(),
        });
    }

    /// The lines, without a line end after the last.
    pub fn text(&self) -> String {
        let width = |column: fn(&AlignedLine) -> Option<&String>| {
            self.rows
                .iter()
                .filter_map(column)
                .map(|text| text.chars().count())
                .max()
                .unwrap_or_default()
        };
        let words = width(|row| Some(&row.word)) + AFTER_WORD;
        let places = width(|row| row.place.as_ref()) + AFTER_PLACE;
        let line = |row: &AlignedLine| match &row.place {
            Some(place) => format!("{:words$}{place:places$}{}", row.word, row.text),
            None => format!("{:words$}{}", row.word, row.text),
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_places_stand_in_columns_and_plain_lines_need_no_place() {
        let mut block = AlignedLines::default();
        block.say_of("Claude Code", ".claude/settings.json", "added 30 events");
        block.say_of("store", "~/.local/state/toprope", "created");
        block.say("daemon", "started");
        insta::assert_snapshot!(block.text(), @r"
        Claude Code   .claude/settings.json   added 30 events
        store         ~/.local/state/toprope  created
        daemon        started
        ");
    }
}
