//! `kill -9` at random moments of a run: nothing is lost or duplicated, and scores do not change.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use records::run_dir::RunDir;

use crate::binary::{Binary, is_full};
use crate::queue::{Random, lines, only_run};
use crate::run::read_json;

/// Number of kills and number of samples (as text and as a number) in the quick suite.
const FEW: (u32, &str, usize) = (8, "60", 60);
/// The same numbers for `./test.sh --full`.
const FULL: (u32, &str, usize) = (50, "200", 200);

/// Flags of a run with a coordinator, up to four children, and wrong answers to half of the
/// samples, so that scores can differ.
const RUN: [&str; 11] = [
    "run",
    "--benchmark",
    "s-niah",
    "--model",
    "scripted/s-niah-flawed",
    "--prompt-mode",
    "coordinator",
    "--context-len",
    "2k",
    "--isolation",
    "thread",
];

/// Returns the score and status of every valid attempt.
fn scores(dir: &Path) -> BTreeMap<(String, u32), (Option<String>, String)> {
    let run = RunDir::open(dir).expect("the folder contains a run");
    assert!(run.truncated_record.is_none());
    run.records
        .iter()
        .map(|record| {
            let score = record.score.map(|score| score.to_string());
            let key = (record.id.clone(), record.attempt);
            (key, (score, record.status.to_string()))
        })
        .collect()
}

#[test]
fn killed_run_loses_nothing() {
    let (kills, tasks, samples) = if is_full() { FULL } else { FEW };
    let args = [&RUN[..], &["--samples-per-length", tasks]].concat();
    let seed = RandomState::new().build_hasher().finish() | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let binary = Binary::new();
    let mut child = binary.spawn(&args);
    let began = Instant::now();
    let dir = loop {
        assert!(began.elapsed() < Duration::from_secs(120), "no run began");
        match only_run(binary.path()) {
            Some(dir) => break dir,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let name = dir.to_str().expect("a path is text").to_owned();
    for _ in 0..kills {
        // Wait until some more records exist, and a moment longer; early kills precede the first
        // event.
        let wanted = lines(&dir) + usize::try_from(random.below(8)).expect("the number is small");
        while lines(&dir) < wanted
            && child
                .try_wait()
                .expect("the process can be polled")
                .is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.below(60_000)));
        // On Unix, this sends SIGKILL. A run that is already complete is also resumed.
        child.kill().expect("the process can be killed");
        child.wait().expect("the process ends");
        child = binary.spawn(&["run", "--resume", &name]);
    }
    assert!(child.wait().expect("the process ends").success());

    let quiet = Binary::new();
    assert!(
        quiet
            .spawn(&args)
            .wait()
            .expect("the process ends")
            .success()
    );
    let undisturbed = scores(&only_run(quiet.path()).expect("the run can be opened"));
    assert_eq!(undisturbed.len(), samples);
    assert_eq!(scores(&dir), undisturbed, "seed {seed}");

    // Each attempt is in each file exactly once.
    assert_eq!(lines(&dir), samples, "seed {seed}");
    let csv = fs::read_to_string(dir.join("results.csv")).expect("results.csv can be read");
    let rows = csv::Reader::from_reader(csv.as_bytes())
        .into_records()
        .count();
    assert_eq!(rows, samples);
    let summary = read_json(dir.join("summary.json"));
    assert_eq!(summary["attempts"], samples);
    // `abandoned/` also contains the lost calls of resumed attempts. Only a whole trajectory is an
    // abandoned attempt.
    let is_whole = |path: &Path| {
        fs::read_to_string(path).is_ok_and(|text| text.is_empty() || text.contains("attempt_start"))
    };
    let aside = fs::read_dir(dir.join("abandoned")).into_iter().flatten();
    let abandoned = aside.filter(|file| file.as_ref().is_ok_and(|file| is_whole(&file.path())));
    assert_eq!(
        summary["wasted"]["abandoned"]["attempts"],
        abandoned.count()
    );
    let left = Command::new("find")
        .arg(&dir)
        .args(["-name", "*.tmp"])
        .output();
    assert_eq!(
        left.expect("find runs").stdout,
        b"",
        "no temporary files are left"
    );
    let journals = fs::read_dir(dir.join("journal")).expect("the journals can be listed");
    for journal in journals {
        let path = journal.expect("the entry can be read").path();
        assert!(path.extension().is_some_and(|end| end == "zst"), "{path:?}");
    }
}
