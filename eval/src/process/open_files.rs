//! The limit on open files, which includes sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of files that an attempt keeps open: trajectory, journal, worker socket and model
/// connection.
const FILES_PER_ATTEMPT: u64 = 4;
/// Number of files that the program keeps open regardless of attempts.
const BASE_FILES: u64 = 64;

/// Raises the soft limit to the hard limit, because shells often set a low soft limit.
pub fn raise_fd_limit() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    // On failure the limit stays unchanged.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Returns a warning if `concurrency` attempts may need more open files than the limit allows.
/// `flag` sets their number.
pub fn fd_limit_warning(concurrency: usize, flag: &str) -> Option<String> {
    let allowed = getrlimit(Resource::Nofile).current?;
    let needed = FILES_PER_ATTEMPT * concurrency as u64 + BASE_FILES;
    (needed > allowed).then(|| {
        format!(
            "{concurrency} concurrent attempts may need {needed} open files, but the system allows \
             {allowed}; raise the limit (`ulimit -Hn`), or lower {flag}"
        )
    })
}
