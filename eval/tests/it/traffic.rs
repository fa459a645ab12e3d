//! Limits on the rate and the concurrency of requests, and the waits that trajectories record.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::binary::Binary;
use crate::faults::{binary, records, run_dir};
use crate::queue::until;
use fault_server::{Behavior, FaultServer};

/// Arrival times of requests.
type Times = Arc<Mutex<Vec<Instant>>>;

/// Starts a server that rejects the first `refused` requests with a 429 and delays each later
/// response until `hold` returns. Returns the arrival times and the maximum number of concurrently
/// delayed requests.
fn held(
    refused: usize,
    hold: impl Fn() + Send + Sync + 'static,
) -> (FaultServer, Times, Arc<AtomicUsize>) {
    let times = Times::default();
    let seen = Arc::clone(&times);
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let peak = Arc::clone(&most);
    let server = FaultServer::start(move |request| {
        seen.lock().unwrap().push(Instant::now());
        if request.number < refused {
            let now = vec![("retry-after".to_owned(), "0".to_owned())];
            return Behavior::Status(429, now, "slow down".to_owned());
        }
        let under_way = now.fetch_add(1, Ordering::SeqCst) + 1;
        peak.fetch_max(under_way, Ordering::SeqCst);
        hold();
        now.fetch_sub(1, Ordering::SeqCst);
        Behavior::Text("none".to_owned())
    });
    (server, times, most)
}

/// Runs samples concurrently, with one call each. Returns the records, and the reason and
/// milliseconds of each wait in the trajectories.
fn run(server: &FaultServer, samples: usize, more: &[&str]) -> (Vec<Value>, Vec<(String, f64)>) {
    run_in(&binary(), server, samples, more)
}

/// Like [`run`], with a binary whose folder is known in advance.
fn run_in(
    binary: &Binary,
    server: &FaultServer,
    samples: usize,
    more: &[&str],
) -> (Vec<Value>, Vec<(String, f64)>) {
    let (samples, base_url) = (samples.to_string(), server.openai());
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend(["--protocol", "direct", "--samples-per-length", &samples]);
    args.extend(["--concurrency", &samples, "--model", "openai/m"]);
    args.extend(["--base-url", &base_url]);
    args.extend(more);
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut waits = Vec::new();
    for entry in fs::read_dir(run_dir(binary.path()).join("trajectories")).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            if event["kind"]["type"] == "llm_wait" {
                let reason = event["kind"]["reason"].as_str().unwrap().to_owned();
                waits.push((reason, event["kind"]["ms"].as_f64().unwrap()));
            }
        }
    }
    (records(binary.path()), waits)
}

/// Returns the number of attempts below a folder whose trajectories contain a request.
fn requests(folder: &Path) -> usize {
    let dirs = fs::read_dir(folder.join("results")).into_iter().flatten();
    let trajectories = dirs.flatten().map(|dir| dir.path().join("trajectories"));
    let files = trajectories.flat_map(|all| fs::read_dir(all).into_iter().flatten());
    let texts = files
        .flatten()
        .map(|file| fs::read_to_string(file.path()).unwrap_or_default());
    texts.filter(|text| text.contains("llm_request")).count()
}

/// Checks that the attempts' working times exclude these waits. Attempts may also wait for other
/// reasons, depending on the machine.
fn check_working_times(records: &[Value], waits: &[(String, f64)]) {
    let sum = |field: &str| -> f64 {
        let each = records.iter().map(|record| record[field].as_f64().unwrap());
        each.sum()
    };
    let waited: f64 = waits.iter().map(|(_, ms)| ms / 1000.0).sum();
    let not_worked = sum("total_time_s") - sum("working_time_s");
    assert!(
        not_worked > waited * 0.95 - 0.1,
        "waited {waited} s, but only {not_worked} s are excluded from the working time"
    );
}

#[test]
fn rate_limit_allows_burst_then_single_requests() {
    let (server, times, _) = held(0, || {});
    let began = Instant::now();
    let (records, waits) = run(&server, 6, &["--rate-limit", "1/s", "--rate-burst", "2"]);
    let times = times.lock().unwrap();
    // Two requests are sent concurrently and the other four one second apart, counted from the
    // start of the run.
    let took = times[5].duration_since(began);
    assert!(took >= Duration::from_secs(4), "{took:?}");
    assert!((1..=4).contains(&waits.len()), "{waits:?}");
    assert!(
        waits.iter().all(|(reason, _)| reason == "rate_limit"),
        "{waits:?}"
    );
    check_working_times(&records, &waits);
}

#[test]
fn limits_requests_in_flight_to_connections() {
    // The first two requests keep both connections until the trajectories of all six attempts
    // contain a request.
    let binary = binary();
    let folder = binary.path().to_owned();
    let first = AtomicUsize::new(0);
    let (server, _, most) = held(0, move || {
        if first.fetch_add(1, Ordering::SeqCst) < 2 {
            until("all attempts have a request", || requests(&folder) == 6);
        }
    });
    let (records, waits) = run_in(&binary, &server, 6, &["--max-connections", "2"]);
    assert!(most.load(Ordering::SeqCst) <= 2);
    assert!((1..=4).contains(&waits.len()), "{waits:?}");
    assert!(
        waits.iter().all(|(reason, _)| reason == "connection"),
        "{waits:?}"
    );
    check_working_times(&records, &waits);
}

#[test]
fn halves_concurrency_for_overloaded_server() {
    let refused = ["--max-connections", "8", "--max-retries", "9"];
    let rows: [(&[&str], bool); 2] = [(&[], true), (&["--adaptive", "false"], false)];
    for (more, falls) in rows {
        // With a constant limit, eight requests are in flight together, twice.
        let together = Barrier::new(8);
        let (server, _, most) = held(8, move || {
            if falls {
                std::thread::sleep(Duration::from_millis(500));
            } else {
                together.wait();
            }
        });
        let (records, _) = run(&server, 16, &[&refused[..], more].concat());
        let most = most.load(Ordering::SeqCst);
        // One series of rejections halves the limit only once; each success raises it by one or
        // two.
        assert!(
            if falls { most <= 6 } else { most == 8 },
            "{more:?}: {most}"
        );
        let retries = records
            .iter()
            .map(|record| record["retries"].as_u64().unwrap());
        assert_eq!(retries.sum::<u64>(), 8, "{more:?}");
    }
}
