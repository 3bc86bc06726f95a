//! Turns the bytes of a file into the form git stores, in the order `git add` does it: the external filter, the
//! encoding, the line endings, the identifier.

use gix::filter::plumbing::eol::{self, AttributesDigest, Mode};
use gix::filter::plumbing::ident;

use super::attributes::{AttributeState, PathAttributes};
use super::encoding::{self, Encoding};
use crate::settings::{Driver, GitSettings};

/// What is done to a file's bytes. Equal bytes under equal conversions are stored alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// The external filter, by its name.
    pub driver: Option<(Vec<u8>, Driver)>,
    encoding: Option<Result<Encoding, String>>,
    line_endings: AttributesDigest,
    undoes_ident: bool,
}

impl Conversion {
    pub fn of(words: &PathAttributes, settings: &GitSettings) -> Self {
        let driver = match &words.filter {
            AttributeState::Value(name) => settings
                .drivers
                .get(name)
                .filter(|driver| driver.clean.is_some() || driver.process.is_some())
                .map(|driver| (name.clone(), driver.clone())),
            AttributeState::Unspecified | AttributeState::Set | AttributeState::Unset => None,
        };
        Self {
            driver,
            encoding: match &words.encoding {
                AttributeState::Value(name) => encoding::named(name),
                AttributeState::Set | AttributeState::Unset => {
                    Some(Err("an encoding cannot be true or false".to_owned()))
                }
                AttributeState::Unspecified => None,
            },
            line_endings: line_endings(words, settings.eol),
            undoes_ident: words.ident == AttributeState::Set,
        }
    }

    /// Whether a checkout may give a file other bytes than its stored form.
    pub fn alters_a_checkout(&self, settings: &GitSettings) -> bool {
        let ends_lines = match self.line_endings {
            AttributesDigest::TextCrlf | AttributesDigest::TextAutoCrlf => true,
            AttributesDigest::Text | AttributesDigest::TextAuto => settings.eol.to_eol() == Mode::CrLf,
            AttributesDigest::Binary | AttributesDigest::TextInput | AttributesDigest::TextAutoInput => false,
        };
        ends_lines || self.undoes_ident || self.encoding.is_some() || self.driver.is_some()
    }

    /// The stored form of what the external filter gave, or nothing if it is the same bytes. `tracked` gives what the
    /// index has of the file.
    pub fn apply(
        &self,
        bytes: &[u8],
        tracked: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, String> {
        let mut stored: Option<Vec<u8>> = None;
        if let Some(encoding) = self.encoding.as_ref().filter(|_| !bytes.is_empty()) {
            stored = Some(encoding.as_ref().map_err(Clone::clone)?.decode(bytes)?);
        }
        let mut buffer = Vec::new();
        let mut in_index = |buffer: &mut Vec<u8>| Ok(tracked().map(|content| *buffer = content));
        let has_changed = eol::convert_to_git(
            stored.as_deref().unwrap_or(bytes),
            self.line_endings,
            &mut buffer,
            &mut in_index,
            eol::convert_to_git::Options::default(),
        );
        if has_changed.map_err(|error| error.to_string())? {
            stored = Some(std::mem::take(&mut buffer));
        }
        if self.undoes_ident
            && ident::undo(stored.as_deref().unwrap_or(bytes), &mut buffer)
                .map_err(|error| error.to_string())?
        {
            stored = Some(buffer);
        }
        Ok(stored.filter(|stored| stored != bytes))
    }
}

/// What `text`, its older name `crlf`, `eol` and the settings come to.
fn line_endings(words: &PathAttributes, config: eol::Configuration) -> AttributesDigest {
    let said = said(&words.text).or_else(|| said(&words.crlf));
    if said == Some(AttributesDigest::Binary) {
        return AttributesDigest::Binary;
    }
    let eol = match &words.eol {
        AttributeState::Value(value) if value == b"lf" => Some(Mode::Lf),
        AttributeState::Value(value) if value == b"crlf" => Some(Mode::CrLf),
        AttributeState::Value(_)
        | AttributeState::Set
        | AttributeState::Unset
        | AttributeState::Unspecified => None,
    };
    match (said, eol) {
        (Some(AttributesDigest::TextAuto), Some(Mode::Lf)) => AttributesDigest::TextAutoInput,
        (Some(AttributesDigest::TextAuto), Some(Mode::CrLf)) => AttributesDigest::TextAutoCrlf,
        (_, Some(mode)) => mode.into(),
        (None, None) => config.auto_crlf.into(),
        (Some(AttributesDigest::Text), None) => config.to_eol().into(),
        (Some(said), None) => said,
    }
}

fn said(word: &AttributeState) -> Option<AttributesDigest> {
    match word {
        AttributeState::Set => Some(AttributesDigest::Text),
        AttributeState::Unset => Some(AttributesDigest::Binary),
        AttributeState::Value(value) if value == b"input" => Some(AttributesDigest::TextInput),
        AttributeState::Value(value) if value == b"auto" => Some(AttributesDigest::TextAuto),
        AttributeState::Value(_) | AttributeState::Unspecified => None,
    }
}
