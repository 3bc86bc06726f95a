//! A process that is killed, without killing one: at a crash point everything on disk is copied, the work goes on, and
//! afterwards the copy takes the place of what became of it.

use std::path::{Path, PathBuf};

/// The disk as it was when the process died.
pub struct Image {
    all: PathBuf,
    copy: PathBuf,
}

/// The process will die; dropping it means that it lives.
pub struct Armed {
    _private: (),
}

impl Image {
    pub fn beside(all: &Path) -> Self {
        Self {
            all: all.to_path_buf(),
            copy: all.with_extension("died"),
        }
    }

    /// From now on, at the so many-th crash point, the disk is copied. Where a point is named, counting begins there.
    #[cfg(feature = "testing")]
    pub fn arm(&self, moment: u8, since: Option<&'static str>) -> Armed {
        let (mut left, mut awaited) = (moment, since);
        let (all, image) = (self.all.clone(), self.copy.clone());
        store::fault::watch(move |name| {
            if awaited.is_some_and(|awaited| awaited != name) {
                return;
            }
            awaited = None;
            left = left.saturating_sub(1);
            if left == 0 && !image.exists() {
                copy(&all, &image);
            }
        });
        Armed { _private: () }
    }

    /// Builds without crash points live for ever.
    #[cfg(not(feature = "testing"))]
    pub fn arm(&self, _moment: u8, _since: Option<&str>) -> Armed {
        Armed { _private: () }
    }

    /// Puts everything back to the moment of death; false if there was none.
    pub fn restore(&self) -> bool {
        if !self.copy.exists() {
            return false;
        }
        fs_err::remove_dir_all(&self.all).unwrap();
        fs_err::rename(&self.copy, &self.all).unwrap();
        true
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        #[cfg(feature = "testing")]
        store::fault::unwatch();
    }
}

/// Copies a folder with all in it, links as links.
pub fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    fs_err::set_permissions(to, fs_err::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&source, &target);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs_err::read_link(&source).unwrap(), &target).unwrap();
        } else {
            fs_err::copy(&source, &target).unwrap();
        }
    }
}
