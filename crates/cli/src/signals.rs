//! Signals that must not end a hook before it has answered.

/// Has a write beyond the limit of file sizes (`ulimit -f`) fail like one on a full disk, instead of ending the process.
/// The standard library does the same for pipes whose reader went away.
pub fn survive_file_size_limit() {
    #[expect(unsafe_code, reason = "no safe crate sets a signal to be ignored")]
    // SAFETY: no handler is installed, so no code of ours runs in a signal's context; nothing else of this process sets
    // this signal.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
