//! A daemon that did not answer in time is remembered: hooks that follow wait for it only briefly, until it answers.

use crate::clock;
use crate::home::Home;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

/// How long one that was silent has to answer. A daemon that is well needs a thousandth of that.
const BRIEFLY: Duration = Duration::from_millis(500);
/// After this long without a hook, the next one waits for it as usual.
const REMEMBERED: Duration = Duration::from_mins(1);

/// What is remembered of the daemon.
pub struct CircuitBreaker {
    mark: PathBuf,
    lasts: bool,
}

impl CircuitBreaker {
    /// What earlier hooks have met.
    pub fn of(home: &Home) -> Self {
        let mark = home.silence();
        let left = fs_err::metadata(&mark).and_then(|found| found.modified());
        // One from the future is of a clock that was set back.
        let age = left.ok().and_then(|left| left.elapsed().ok());
        Self {
            mark,
            lasts: age.is_some_and(|age| age < REMEMBERED),
        }
    }

    /// How long to wait for an answer that may usually take this long.
    pub fn patience(&self, usual: Duration) -> Duration {
        if self.lasts { usual.min(BRIEFLY) } else { usual }
    }

    /// It did not answer: later hooks are spared most of the wait. Where that cannot be written down, they wait.
    pub fn goes_on(&self) {
        let mut options = OpenOptions::new();
        let opened = options
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.mark);
        let now = u64::try_from(clock::now().0).unwrap_or(0);
        let _ = opened.and_then(|mark| mark.set_modified(UNIX_EPOCH + Duration::from_millis(now)));
    }

    /// It answered.
    pub fn is_over(&self) {
        if self.lasts {
            let _ = fs_err::remove_file(&self.mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use std::path::Path;

    const USUAL: Duration = Duration::from_secs(5);

    fn home_in(folder: &Path) -> Home {
        Home::of(&Environment::of(&[("TOPROPE_HOME", folder.to_str().unwrap())]))
    }

    #[test]
    fn a_daemon_that_was_silent_is_waited_for_briefly_until_it_answers() {
        let world = tempfile::tempdir().unwrap();
        let home = home_in(world.path());
        assert_eq!(CircuitBreaker::of(&home).patience(USUAL), USUAL);
        CircuitBreaker::of(&home).goes_on();
        assert_eq!(CircuitBreaker::of(&home).patience(USUAL), BRIEFLY);
        let short = Duration::from_millis(20);
        assert_eq!(CircuitBreaker::of(&home).patience(short), short);
        CircuitBreaker::of(&home).is_over();
        assert_eq!(CircuitBreaker::of(&home).patience(USUAL), USUAL);
        assert!(!home.silence().exists());
    }

    #[test]
    fn a_silence_of_long_ago_or_of_another_clock_is_forgotten_and_can_begin_again() {
        let world = tempfile::tempdir().unwrap();
        let home = home_in(world.path());
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(clock::now().0).unwrap());
        for wrong in [now - 2 * REMEMBERED, now + Duration::from_hours(1)] {
            CircuitBreaker::of(&home).goes_on();
            let mark = std::fs::File::options().write(true).open(home.silence()).unwrap();
            mark.set_modified(wrong).unwrap();
            assert_eq!(CircuitBreaker::of(&home).patience(USUAL), USUAL);
            CircuitBreaker::of(&home).goes_on();
            assert_eq!(CircuitBreaker::of(&home).patience(USUAL), BRIEFLY);
        }
    }
}
