//! The worker program: reads its configuration and serves sessions until the harness hangs up.

use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use super::confine::{close_descriptors, leave_namespaces};
use super::frame::{self, FrameError};
use super::{Hello, exit, forking, sharing};
use crate::snapshot::use_snapshot;
use crate::time_zone::use_utc;

/// Serves sessions until the harness hangs up; never returns. A program that runs as a worker calls
/// this function first when it is started in its hidden mode.
pub fn worker_main() -> ! {
    // Applies to every thread, and to copies of this process.
    std::panic::set_hook(Box::new(|_| exit::now(exit::BROKEN)));
    exit::now(match serve() {
        Ok(()) => 0,
        // The harness has ended, or the other side is not the harness.
        Err(_) => 1,
    })
}

fn serve() -> Result<(), FrameError> {
    close_descriptors();
    leave_namespaces();
    // Workers do not inherit TZ from the harness, so they would use the machine's time zone.
    use_utc();
    // SAFETY: the process has just started; nothing else uses its standard input.
    let mut control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
    let Some(mut hello) = frame::read::<Hello>(&mut control)? else {
        return Ok(());
    };
    share_one_arena();
    use_snapshot(std::mem::take(&mut hello.snapshot));
    if hello.forks {
        forking::serve(control, hello)
    } else {
        sharing::serve(&control, &hello)
    }
}

/// Makes all threads allocate from one arena. Only one thread allocates memory, so a second arena
/// would waste pages in each session.
fn share_one_arena() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets an option of the allocator, in the process's only thread.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
