//! The worker's side: one isolate after another, each on a fresh thread.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::FromRawFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;

use super::confine::{close_descriptors, confine};
use super::frame::{self, FrameError};
use super::{Down, Hello, Up, exit};
use crate::heap::allowed_for_contexts;
use crate::limits::Limits;
use crate::session::StartError;
use crate::snapshot::use_snapshot;
use crate::thread::{self, End};
use crate::watchdog;

/// How often the process looks at its own size.
const MEMORY_TICK: Duration = Duration::from_millis(20);
/// Resident memory of a worker with an empty heap.
const BASE_BYTES: u64 = 100 << 20;
/// Room that code gets each time it is stopped for memory.
const PATIENCE_BYTES: u64 = 64 << 20;
/// A worker whose resident memory is above this after a session ends itself: the engine leaks.
const REUSABLE_BYTES: u64 = 400 << 20;

/// Serves sessions until the harness hangs up. A program that offers worker processes calls this when it is
/// started in its hidden mode, before anything else. It never returns.
pub fn worker_main() -> ! {
    let served = catch_unwind(AssertUnwindSafe(serve));
    exit::now(match served {
        Ok(Ok(())) => 0,
        // The harness is gone, or is not the harness.
        Ok(Err(_)) => 1,
        Err(_) => exit::BROKEN,
    })
}

type Output = Arc<Mutex<File>>;

fn serve() -> Result<(), FrameError> {
    close_descriptors();
    // SAFETY: the process has just started; nothing else uses its standard input and output.
    let (mut input, output) = unsafe { (File::from_raw_fd(0), File::from_raw_fd(1)) };
    let output: Output = Arc::new(Mutex::new(output));
    let Some(hello) = frame::read::<Hello>(&mut input)? else {
        return Ok(());
    };
    let memory = MemoryWatch::open();
    use_snapshot(hello.snapshot);
    match confine() {
        Ok(lacks) if hello.strict && lacks.is_some() => {
            return send(&output, &Up::Refused(lacks.unwrap_or_default()));
        }
        Ok(lacks) => send(&output, &Up::Ready { lacks })?,
        Err(reason) => return send(&output, &Up::Refused(reason)),
    }
    let memory = memory.map(|watch| Arc::new(Mutex::new(watch)));
    if let Some(memory) = &memory {
        watch_memory(Arc::clone(memory), &hello.config.limits);
    }
    loop {
        let (requests, inbox) = mpsc::unbounded_channel();
        let (replies, refused, ended) = (output.clone(), output.clone(), output.clone());
        let memory = memory.clone();
        thread::spawn(
            hello.config.clone(),
            inbox,
            Box::new(move |reply| {
                if send(&replies, &Up::Reply(reply)).is_err() {
                    exit::now(1);
                }
            }),
            Arc::new(|| exit::now(exit::STUCK)),
            move |started: Result<(), StartError>| {
                if let Err(error) = started {
                    let _ = send(&refused, &Up::Refused(error.to_string()));
                    exit::now(exit::BROKEN);
                }
            },
            move |end| {
                if end == End::Broken {
                    exit::now(exit::BROKEN);
                }
                let resident = memory.and_then(|memory| {
                    memory
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .resident()
                });
                let reusable = resident.is_none_or(|bytes| bytes < REUSABLE_BYTES);
                let _ = send(&ended, &Up::Ended { reusable });
                if !reusable {
                    exit::now(0);
                }
            },
        )?;
        // An isolate stands ready before the session that will use it begins.
        loop {
            match frame::read::<Down>(&mut input)? {
                Some(Down::Request(request)) => drop(requests.send(request)),
                Some(Down::End) => break,
                None => return Ok(()),
            }
        }
    }
}

fn send(output: &Output, message: &Up) -> Result<(), FrameError> {
    frame::write(
        &mut *output.lock().unwrap_or_else(PoisonError::into_inner),
        message,
    )
}

/// The process's own size, from a file that was opened before files were out of reach.
struct MemoryWatch {
    statm: File,
    page: u64,
}

impl MemoryWatch {
    fn open() -> Option<Self> {
        // SAFETY: asks for a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some(Self {
            statm: File::open("/proc/self/statm").ok()?,
            page: u64::try_from(page).unwrap_or(4096),
        })
    }

    /// Resident bytes.
    fn resident(&mut self) -> Option<u64> {
        let mut text = String::new();
        self.statm.seek(io::SeekFrom::Start(0)).ok()?;
        self.statm.read_to_string(&mut text).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages * self.page)
    }
}

/// Stops the running code when the process takes more than the heap and its contexts may, which the engine's
/// own limit does not see of array buffers; ends the process when that does not help. Memory that runs out
/// inside the engine is a crash at best.
fn watch_memory(watch: Arc<Mutex<MemoryWatch>>, limits: &Limits) {
    let (heap, end_at) = (limits.heap_bytes, limits.process_bytes);
    let body = move || {
        let mut patience = 0;
        loop {
            std::thread::sleep(MEMORY_TICK);
            let resident = watch
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .resident();
            let resident = resident.unwrap_or(0);
            if resident > end_at {
                exit::now(exit::MEMORY);
            }
            let stop_at = BASE_BYTES + heap + heap / 4 + 2 * allowed_for_contexts() + patience;
            if resident > stop_at {
                watchdog::stop_for_memory();
                // What earlier cells keep stays; the next cell gets some room to free it.
                patience += PATIENCE_BYTES;
            } else if resident + patience < stop_at {
                patience = 0;
            }
        }
    };
    // Without the thread the engine's own limit is left.
    let _ = std::thread::Builder::new()
        .name("memory".to_owned())
        .spawn(body);
}
