//! How many files, sockets among them, this program may have open at once.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What an attempt has open: its trajectory, its journal, the socket of its worker, a connection to its model.
const OF_AN_ATTEMPT: u64 = 4;
/// What the program has open besides.
const BESIDES: u64 = 64;

/// Raises the limit of this process as far as the system lets it: shells begin with few.
pub fn allow_most() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    // Then it stays as it was.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// What to say if so many attempts at once may need more than the limit.
pub fn too_few(concurrency: usize) -> Option<String> {
    let allowed = getrlimit(Resource::Nofile).current?;
    let needed = OF_AN_ATTEMPT * concurrency as u64 + BESIDES;
    (needed > allowed).then(|| {
        format!(
            "{concurrency} attempts at once may need {needed} open files, and the system allows {allowed}: \
             raise the limit (`ulimit -Hn`), or lower --concurrency"
        )
    })
}
