//! Measures the cost of a session with its first cell, of a cell's round trip and of a context:
//! wall time, and CPU time of this process and its workers, in both isolation modes.
//!
//! Run it with `cargo bench --package sandbox`; `scripts/perf.sh` includes the figures in its
//! table.

#![allow(
    missing_docs,
    unsafe_code,
    clippy::unwrap_used,
    reason = "a benchmark reads process times with system calls and may panic; criterion's macros define functions"
)]

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, criterion_group, criterion_main};
use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Event, Isolation, Repl, Sandbox, WorkerCommand};

fn measure<M: Measurement>(criterion: &mut Criterion<M>, kind: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let process = WorkerCommand {
        program: env!("CARGO_BIN_EXE_sandbox-worker").into(),
        arguments: Vec::new(),
        strict: false,
        sessions: 1,
        jitless: false,
    };
    for (name, isolation) in [
        ("thread", Isolation::Thread),
        ("process", Isolation::Process(process)),
    ] {
        let sandbox = Sandbox::new(Config::default(), isolation, |_| ()).unwrap();
        let first_cell = |context: &str| {
            runtime.block_on(async {
                let mut repl = open(&sandbox, context).await;
                run(&mut repl).await;
                repl
            })
        };
        criterion
            .benchmark_group(format!("a session with its first cell, {kind}"))
            .bench_function(name, |bencher| bencher.iter(|| first_cell("")));
        let mut repl = first_cell("");
        criterion
            .benchmark_group(format!("cell's round trip, {kind}"))
            .bench_function(name, |bencher| {
                bencher.iter(|| runtime.block_on(run(&mut repl)));
            });
        drop(repl);
        for megabytes in [1, 10] {
            let context = "x".repeat(megabytes * 1_000_000);
            criterion
                .benchmark_group(format!("a session with {megabytes} MB of context, {kind}"))
                .bench_function(name, |bencher| bencher.iter(|| first_cell(&context)));
        }
        settle();
    }
}

/// Waits for workers to finish, so that their work does not count toward the next measurement.
fn settle() {
    std::thread::sleep(Duration::from_millis(100));
}

async fn open(sandbox: &Sandbox, context: &str) -> Repl {
    let info = AgentInfo {
        depth: 0,
        max_depth: 2,
        max_iterations: 15,
        lineage: vec![String::new()],
        invocation_id: "root".to_owned(),
        parent_id: None,
    };
    let session = sandbox.session().await.unwrap();
    session.open(None, Context::text(context), info)
}

async fn run(repl: &mut Repl) {
    repl.run("console.log(1 + 1)", 1);
    while !matches!(repl.next().await.unwrap(), Event::Finished(_)) {}
}

/// CPU time of this process and its descendants, including those that have ended.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        cpu_time()
    }

    fn end(&self, before: Duration) -> Duration {
        cpu_time().saturating_sub(before)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn cpu_time() -> Duration {
    let own = clock(libc::CLOCK_PROCESS_CPUTIME_ID);
    // SAFETY: all zeros is a valid value, and the system fills it in.
    let ended = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        [usage.ru_utime, usage.ru_stime]
    };
    let ended = ended.map(|time| {
        Duration::from_secs(time.tv_sec.unsigned_abs())
            + Duration::from_micros(time.tv_usec.unsigned_abs())
    });
    let descendants = descendants().into_iter();
    own + descendants.map(of_process).sum::<Duration>() + ended[0] + ended[1]
}

fn descendants() -> Vec<i32> {
    let mut pids = vec![std::process::id().cast_signed()];
    let mut next = 0;
    while let Some(pid) = pids.get(next) {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let path = task.path().join("children");
            let children = std::fs::read_to_string(path).unwrap_or_default();
            pids.extend(
                children
                    .split_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            );
        }
        next += 1;
    }
    pids.split_off(1)
}

/// Returns the CPU time of a process and, in steps of the kernel's clock tick, of its children that
/// have ended.
fn of_process(pid: i32) -> Duration {
    let mut of = 0;
    // SAFETY: `of` is a valid location for the result; a process that no longer exists causes an
    // error, not undefined behavior.
    let own = match unsafe { libc::clock_getcpuclockid(pid, &raw mut of) } {
        0 => clock(of),
        _ => Duration::ZERO,
    };
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The second field is a name in parentheses and may contain anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(13).take(2);
    let ticks: u32 = times.filter_map(|ticks| ticks.parse::<u32>().ok()).sum();
    own + Duration::from_millis(10) * ticks
}

fn clock(of: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid location for the result.
    if unsafe { libc::clock_gettime(of, &raw mut time) } != 0 {
        return Duration::ZERO;
    }
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

fn wall(criterion: &mut Criterion) {
    measure(criterion, "time");
}

fn cpu(criterion: &mut Criterion<CpuTime>) {
    measure(criterion, "CPU");
}

fn quick() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! { name = times; config = quick(); targets = wall }
criterion_group! { name = processor; config = quick().with_measurement(CpuTime); targets = cpu }
criterion_main!(times, processor);
