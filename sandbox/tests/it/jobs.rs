//! Runs endless chains of jobs (microtasks): each must end in a `TimeoutError`, keep its variables,
//! and not affect jobs of other agents. The shapes of the chains are those of
//! `tests/hostile/loop-jobs-*`. In some shapes, each promise waits for the next, and none can be
//! freed. On V8, these may run out of memory before they time out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use sandbox::message::{CellErrorKind, Context};
use sandbox::{Config, ENGINE, Event, Isolation, Sandbox};

use crate::driver::{in_process, root_info, run, sandbox, try_run};

fn shapes() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut shapes: Vec<_> = files
        .filter(|file| {
            file.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("loop-jobs-")
        })
        .map(|file| {
            (
                file.file_stem().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&file).unwrap(),
            )
        })
        .collect();
    shapes.sort();
    assert!(shapes.len() >= 19, "{}", shapes.len());
    shapes
}

fn with(seconds: f64, megabytes: u64, isolation: Isolation) -> Sandbox {
    let mut config = Config::default();
    config.limits.cell_time = Duration::from_secs_f64(seconds);
    config.limits.heap_bytes = megabytes << 20;
    sandbox(config, isolation)
}

/// Runs one shape until it is stopped, while another agent of the session waits. Returns how the
/// shape ended, or the first problem.
async fn run_until_stopped(
    sandbox: &Sandbox,
    name: &str,
    cell: &str,
) -> Result<CellErrorKind, String> {
    let session = sandbox.session().await.map_err(|error| error.to_string())?;
    let mut repl = session.open(None, Context::text(""), root_info());
    let mut other = session.open(None, Context::text(""), root_info());
    run(&mut repl, "let kept = 'kept'").await;
    run(&mut other, "let kept = 'of the other'").await;
    // The other agent waits for an answer, which arrives after the first agent is stopped.
    other.run(
        "const got = await llm('wait'); await 0; kept += await (async () => got)(); return kept",
        2,
    );
    let call = match other.next().await.map_err(|lost| lost.to_string())? {
        Event::Called(call) => call,
        event => return Err(format!("{event:?}")),
    };
    let outcome = try_run(&mut repl, cell)
        .await
        .map_err(|lost| format!("{name}: {lost}"))?;
    let grows = ENGINE == "v8" && cell.contains("// on-v8: timed_out, memory");
    let kind = match outcome.error.as_ref().map(|error| error.kind) {
        Some(CellErrorKind::TimedOut) => CellErrorKind::TimedOut,
        Some(CellErrorKind::OutOfMemory) if grows => CellErrorKind::OutOfMemory,
        _ => return Err(format!("{name}: {:?}", outcome.error)),
    };
    other.settle(call.id, Ok(", answered".to_owned()));
    let ended = match other.next().await.map_err(|lost| lost.to_string())? {
        Event::Finished(outcome) => outcome,
        event => return Err(format!("{event:?}")),
    };
    if ended.value.as_deref() != Some("of the other, answered") {
        return Err(format!("{name}: the other agent ended with {ended:?}"));
    }
    for repl in [&mut repl, &mut other] {
        let after = try_run(repl, "await 0; return await (async () => kept)()")
            .await
            .map_err(|lost| format!("{name}, after the stop: {lost}"))?;
        if !after
            .value
            .as_deref()
            .is_some_and(|value| value.starts_with("kept") || value.starts_with("of the other"))
        {
            return Err(format!("{name}, after the stop: {after:?}"));
        }
    }
    Ok(kind)
}

#[expect(clippy::print_stdout, reason = "the test reports how each shape ended")]
async fn check_all_stop(sandbox: &Sandbox, times: usize) {
    let shapes = shapes();
    let runs = stream::iter(
        shapes
            .iter()
            .flat_map(|shape| std::iter::repeat_n(shape, times)),
    );
    let ends: Vec<(&String, Result<CellErrorKind, String>)> = runs
        .map(|(name, cell)| async move { (name, run_until_stopped(sandbox, name, cell).await) })
        .buffer_unordered(3)
        .collect()
        .await;
    let mut failures = Vec::new();
    let mut counts = BTreeMap::<_, usize>::new();
    for (name, end) in ends {
        match end {
            Ok(kind) => *counts.entry((name, format!("{kind:?}"))).or_default() += 1,
            Err(why) => failures.push(why),
        }
    }
    for ((name, kind), count) in counts {
        println!("{name}: {kind} {count}");
    }
    assert!(
        failures.is_empty(),
        "{} failures: {}",
        failures.len(),
        failures.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_endless_job_chains() {
    check_all_stop(&with(0.3, 64, in_process()), 1).await;
    check_all_stop(&with(0.3, 512, Isolation::Thread), 1).await;
}

/// A job runs in the turn that settles its promise, but its time counts for the cell that created
/// the job.
#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(
    feature = "v8",
    ignore = "the engine does not report the owner of a job"
)]
async fn charges_jobs_to_their_owner() {
    let sandbox = with(0.3, 64, in_process());
    let session = sandbox.session().await.unwrap();
    let open = |parent| session.open(parent, Context::text(""), root_info());
    let mut root = open(None);
    run(
        &mut root,
        "globalThis.gate = new Promise((resolve) => { globalThis.open = resolve })",
    )
    .await;
    let mut spinning = open(Some(&root));
    let mut waiting = open(Some(&root));
    for (repl, code) in [
        (
            &mut spinning,
            "const late = gate.then(() => { const spin = () => queueMicrotask(spin); spin() }); await llm('wait')",
        ),
        (
            &mut waiting,
            "const opened = gate.then(() => 'opened'); await llm('wait'); return opened",
        ),
    ] {
        repl.run(code, 1);
        let event = repl.next().await.unwrap();
        assert!(matches!(event, Event::Called(_)), "{code}: {event:?}");
    }
    let outcome = run(&mut root, "open(); return 'fine'").await;
    assert_eq!(outcome.value.as_deref(), Some("fine"), "{outcome:?}");
    let Event::Finished(outcome) = spinning.next().await.unwrap() else {
        panic!("expected the end of the cell");
    };
    let kind = outcome.error.as_ref().map(|error| error.kind);
    assert_eq!(kind, Some(CellErrorKind::TimedOut), "{outcome:?}");
    waiting.run("return opened", 2);
    let Event::Finished(outcome) = waiting.next().await.unwrap() else {
        panic!("expected the end of the cell");
    };
    assert_eq!(outcome.value.as_deref(), Some("opened"), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes an hour"]
async fn stops_endless_job_chains_repeatedly_with_little_memory() {
    check_all_stop(&with(1.0, 64, in_process()), 100).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes an hour"]
async fn stops_endless_job_chains_repeatedly_with_much_memory() {
    check_all_stop(&with(1.0, 512, in_process()), 100).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes half an hour"]
async fn stops_endless_job_chains_after_two_minutes() {
    check_all_stop(&with(120.0, 512, in_process()), 1).await;
}
