//! Measures the memory that sessions leave behind in the process that opens them. It must be small
//! enough for tens of thousands of sessions.

use std::process::Command;
use std::time::{Duration, Instant};

use sandbox::{Config, Isolation};

use crate::driver::{in_process, root_of, run, sandbox};

/// Number of sessions before the first measurement, so that threads and caches already exist.
const WARM_UP: usize = 32;
const SESSIONS: usize = 256;
/// Maximum bytes that a session may leave behind, so that 20,000 sessions fit into 300 MB together
/// with the initial memory. The actual value is 3 KB.
const MOST: usize = 12 << 10;

/// A cell with typical operations: declare, throw, await, reject, print.
const CELL: &str = "
class Point { constructor(x) { this.x = x } }
let points = Array.from({ length: 200 }, (_, x) => new Point(x));
function deep(n) { if (n === 0) throw new TypeError('deep'); return deep(n - 1) }
try { deep(20) } catch (error) { console.log(error.stack) }
let words = new Map(context.split(' ').map((word, n) => [word, n]));
await Promise.all(points.map(async (point) => { await null; return point.x }));
await Promise.reject(new Error('of nobody')).catch(() => 0);
Object.prototype.extra = points;
globalThis.kept = { points, words };
Object.freeze(Object.prototype);
await new Promise((resolve) => setTimeout(resolve, 1));
console.log(require('util').inspect(kept, { depth: 4 }), new URL('https://example.org/a?b=c'));
return(points.length)
";

#[test]
fn sessions_leave_little_memory_behind() {
    // Uses a separate process, because other tests in this process allocate memory in the meantime.
    let program = std::env::current_exe().unwrap();
    for test in [
        "memory::measures_thread_sessions",
        "memory::measures_worker_sessions",
    ] {
        let arguments = [test, "--exact", "--ignored", "--nocapture"];
        let ran = Command::new(&program)
            .args(arguments)
            // Otherwise the number of the allocator's arenas would depend on when threads end, and
            // thus on the load of the machine.
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{printed}");
        assert!(printed.contains("1 passed"), "{printed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a whole process: run by the test above"]
async fn measures_thread_sessions() {
    check(Isolation::Thread).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a whole process: run by the test above"]
async fn measures_worker_sessions() {
    check(in_process()).await;
}

async fn check(isolation: Isolation) {
    let sandbox = sandbox(Config::default(), isolation);
    let run_sessions = async |sessions| {
        for _ in 0..sessions {
            let mut repl = root_of(&sandbox, "of some words").await;
            let outcome = run(&mut repl, CELL).await;
            assert_eq!(outcome.value.as_deref(), Some("200"), "{outcome:?}");
        }
    };
    run_sessions(WARM_UP).await;
    let before = resident_bytes();
    run_sessions(SESSIONS).await;
    // A thread that is ending has not freed its memory yet.
    let began = Instant::now();
    loop {
        let now = resident_bytes();
        let left = now.saturating_sub(before) / SESSIONS;
        if left < MOST {
            return;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{left} bytes a session: {before}, then {now}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the resident memory of this process.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() << 10
}
