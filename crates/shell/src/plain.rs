//! A command, read once with nothing known but its folder: whoever asks what it does asks this reading.

use super::intent::Intent;
use super::reader;
use super::scene::{Budget, Scene, UserWrappers};
use std::path::Path;

/// What a text does in a folder, as far as both say it.
#[derive(Debug)]
pub struct Plain {
    text: String,
    cwd: Option<String>,
    intent: Intent,
    is_all: bool,
}

impl Plain {
    /// Reads a text.
    pub fn read(text: &str, cwd: Option<&Path>) -> Self {
        let wrappers = UserWrappers::default();
        let scene = Scene::at(cwd, &wrappers);
        let (intent, asks) = reader::read(text, &scene);
        Self {
            text: text.to_owned(),
            is_all: !asks && intent.wants.is_empty(),
            intent,
            cwd: scene.cwd,
        }
    }

    /// What the text does.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Whether it is of this text in this folder.
    pub fn is_of(&self, text: &str, cwd: Option<&Path>) -> bool {
        let here = self.cwd.as_deref();
        self.text == text && here.map(str::as_bytes) == cwd.map(|cwd| cwd.as_os_str().as_encoded_bytes())
    }

    /// The text's length.
    pub fn length(&self) -> usize {
        self.text.len()
    }

    /// What reading the text in this scene would say, where whatever the scene knows beyond the folder does not matter: the
    /// text has nothing to do with the person's variables, aliases, scripts or wrapping programs.
    pub fn as_in(&self, text: &str, scene: &Scene<'_>) -> Option<&Intent> {
        let is_same = self.text == text && self.cwd == scene.cwd;
        let is_usual = scene.budget == Budget::default() && scene.wrappers.programs.is_empty();
        (self.is_all && is_same && is_usual).then_some(&self.intent)
    }
}

#[cfg(test)]
mod tests;
