//! How languages write comments, names and heredocs.

use super::super::Language;

/// What a lexer must know of a language.
pub(super) struct Syntax {
    /// What starts a comment up to the end of the line.
    pub(super) lines: &'static [&'static str],
    /// What encloses a comment.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// Signs that begin a name.
    pub(super) sigils: &'static str,
    /// Signs that may stand inside a name.
    pub(super) inside_names: &'static str,
    /// Whether `/…/` is a regular expression.
    pub(super) regexes: bool,
}

impl Syntax {
    pub(super) fn of(language: Language) -> Self {
        let plain = Self {
            lines: &["#"],
            blocks: &[],
            sigils: "",
            inside_names: "",
            regexes: false,
        };
        match language {
            Language::Python => plain,
            Language::JavaScript => Self {
                lines: &["//", "#!"],
                blocks: &[("/*", "*/")],
                sigils: "$",
                inside_names: "$",
                regexes: true,
            },
            Language::Perl => Self {
                blocks: &[("=pod", "=cut"), ("=head", "=cut")],
                sigils: "$@%",
                regexes: true,
                ..plain
            },
            Language::Ruby => Self {
                blocks: &[("=begin", "=end")],
                sigils: "$@",
                regexes: true,
                ..plain
            },
            Language::Php => Self {
                lines: &["//", "#"],
                blocks: &[("/*", "*/")],
                sigils: "$",
                ..plain
            },
            Language::Lua => Self {
                lines: &["--"],
                blocks: &[("--[[", "]]")],
                ..plain
            },
            Language::AppleScript => Self {
                lines: &["--", "#"],
                blocks: &[("(*", "*)")],
                ..plain
            },
            Language::Awk => Self {
                sigils: "$",
                regexes: true,
                ..plain
            },
            Language::Tcl => Self {
                sigils: "$-./~:",
                inside_names: "$-./~:@=+%,",
                ..plain
            },
        }
    }
}

/// The start of a heredoc.
pub(super) struct HeredocStart {
    pub(super) length: usize,
    pub(super) delimiter: String,
}

/// `<<~EOF`, `<<"EOF"`, `<<<EOT`: its body starts at the next line.
pub(super) fn heredoc(language: Language, rest: &str) -> Option<HeredocStart> {
    let open = match language {
        Language::Perl | Language::Ruby => "<<",
        Language::Php => "<<<",
        _ => return None,
    };
    let behind = rest.strip_prefix(open)?;
    let behind = behind.trim_start_matches(match language {
        Language::Php => ' ',
        Language::Ruby if behind.starts_with('-') => '-',
        _ => '~',
    });
    let bare = behind.trim_start_matches(['"', '\'', '`']);
    let is_quoted = bare.len() < behind.len();
    let length = bare
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .unwrap_or(bare.len());
    let delimiter = bare.get(..length)?.to_owned();
    let is_upper = delimiter.starts_with(|letter: char| letter.is_ascii_uppercase());
    if delimiter.is_empty() || !(is_upper || is_quoted) {
        return None;
    }
    let used = rest.len() - bare.len() + length + usize::from(is_quoted);
    Some(HeredocStart {
        length: used.min(rest.len()),
        delimiter,
    })
}
