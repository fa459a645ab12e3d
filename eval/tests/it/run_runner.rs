//! The runner, with samples and scorers that fail or hang.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use benchmarks::{Dataset, DatasetError, Sample, SampleMetadata, Score, Scorer};
use eval::grader::Rule;
use eval::run::event::{Reporter, RunEvent, RunPlan};
use eval::runner::{self, AttemptRunner, Run, RunError, RunOutcome, StopReason};
use harness::provider::Scripted;
use harness::{Conduct, Engine, Model, ModelMap, Protocol, Treatment};
use jiff::Timestamp;
use records::RunIdentity;
use records::run_dir::{Fingerprint, Lock, NewRun, RunDir};
use serde_json::json;
use tokio::sync::watch;

/// Four samples. The options select samples that cannot be read, that panic when first read, or
/// that take longer than any test to read or score.
struct Samples {
    ids: Vec<String>,
    unreadable: Option<usize>,
    panics: Mutex<Option<usize>>,
    slow_to_read: Option<usize>,
    slow: Option<&'static str>,
}

/// Duration that exceeds that of any test.
const FOREVER: Duration = Duration::from_secs(3600);

/// Timeout for a run that does not stop.
const HUNG: Duration = Duration::from_secs(120);

impl Default for Samples {
    fn default() -> Self {
        Self {
            ids: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            unreadable: None,
            panics: Mutex::new(None),
            slow_to_read: None,
            slow: None,
        }
    }
}

impl Dataset for Samples {
    fn name(&self) -> &'static str {
        "samples"
    }

    fn digest(&self) -> &'static str {
        "digest"
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn metadata(&self, _: usize) -> SampleMetadata {
        SampleMetadata::new()
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        if self.unreadable == Some(index) {
            let path = "tasks/b.json".into();
            return Err(DatasetError::Changed { path });
        }
        let panics = self.panics.lock().unwrap().take_if(|at| *at == index);
        assert!(panics.is_none(), "no sample {index}");
        if self.slow_to_read == Some(index) {
            std::thread::sleep(FOREVER);
        }
        Ok(Sample {
            id: self.ids[index].clone(),
            query: "q".to_owned(),
            expected: json!("answer"),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Slow(self.slow))
    }
}

struct Slow(Option<&'static str>);

impl Scorer for Slow {
    fn name(&self) -> &'static str {
        "slow/1"
    }

    fn score(&self, _answer: &str, sample: &Sample) -> Score {
        if self.0 == Some(sample.id.as_str()) {
            std::thread::sleep(FOREVER);
        }
        Score::new(1.0, "")
    }
}

/// Reporter that counts finished attempts.
struct Finished(watch::Sender<usize>);

impl Reporter for Finished {
    fn report(&mut self, event: &RunEvent) {
        if matches!(event, RunEvent::AttemptFinished(_)) {
            self.0.send_modify(|finished| *finished += 1);
        }
    }
}

/// Runs the samples with a concurrency of two in a folder, and stops the run after `stop_after`
/// finished attempts. Returns the outcome and the run directory.
fn run(dataset: Samples, stop_after: Option<usize>) -> (Result<RunOutcome, RunError>, RunDir) {
    let folder = tempfile::tempdir().unwrap();
    let model = Model {
        reference: "scripted:model".to_owned(),
        sampling: Arc::default(),
        name: "model".to_owned(),
        provider: Arc::new(
            Scripted::from_file(
                &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/run/direct.yaml"),
            )
            .unwrap(),
        ),
    };
    let treatment = Treatment {
        protocol: Protocol::Direct,
        ..Treatment::default()
    };
    let models = ModelMap::new(model);
    let engine = Engine::new(treatment, Conduct::default(), models, |_| ()).unwrap();
    let new = NewRun::create(folder.path(), "samples", "solver", Timestamp::now()).unwrap();
    let identity = RunIdentity {
        run_id: new.id().to_owned(),
        benchmark: "samples".to_owned(),
        model: "scripted:model".to_owned(),
        protocol: "direct".to_owned(),
        prompt_mode: Some("solver".to_owned()),
        drivers: Some(String::new()),
        max_depth: 2,
        max_iterations: 1,
        dataset_digest: "digest".to_owned(),
        scorer: "slow/1".to_owned(),
        fingerprint: String::new(),
    };
    let plan = RunPlan {
        scores_done: Vec::new(),
        budget: harness::Budget::default(),
        dir: new.path().to_owned(),
        identity: identity.clone(),
        attempts_total: 4,
        attempts_done: 0,
        concurrency: 2,
    };
    // Use as few threads as possible, so that one blocked worker thread would block all attempts. A
    // slow scoring rule blocks one thread.
    let workers = if dataset.slow.is_some() { 2 } else { 1 };
    let path = new.path().to_owned();
    let fingerprint = Fingerprint::from_parts(SampleMetadata::new());
    let writer = new
        .begin(
            &json!({"v": 1}),
            Lock::new(fingerprint, identity.clone()),
            dataset.ids.clone(),
        )
        .unwrap();
    let run = Run {
        plan,
        runner: AttemptRunner {
            identity: Arc::new(identity),
            engine: Arc::new(engine),
            grader: Arc::new(Rule::of_benchmark(dataset.scorer())),
            dataset: Arc::new(dataset),
            further: Arc::new([]),
        },
        jobs: vec![(0, 1), (1, 1), (2, 1), (3, 1)],
        earlier: Vec::new(),
        errors_allowed: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap();
    let (sender, mut finished) = watch::channel(0);
    let stop = async move {
        let Some(wanted) = stop_after else {
            return std::future::pending().await;
        };
        // When the run has finished, the reporter drops the sender, and no stop is needed.
        let _ = finished.wait_for(|finished| *finished >= wanted).await;
    };
    let ended = runtime.block_on(async {
        let run = runner::run(run, writer, Box::new(Finished(sender)), stop);
        tokio::time::timeout(HUNG, run).await
    });
    runtime.shutdown_background();
    let ended = ended.expect("the run ends");
    assert!(path.join("results.csv").is_file());
    assert!(path.join("summary.json").is_file());
    (ended, RunDir::open(&path).unwrap())
}

fn finished(run: &RunDir) -> Vec<&str> {
    let mut ids: Vec<&str> = run
        .records
        .iter()
        .map(|record| record.id.as_str())
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn busy_attempt_does_not_delay_stop() {
    let rows = [
        Samples {
            slow: Some("b"),
            ..Samples::default()
        },
        Samples {
            slow_to_read: Some(1),
            ..Samples::default()
        },
    ];
    for dataset in rows {
        let (ended, run) = run(dataset, Some(3));
        let ended = ended.unwrap();
        assert_eq!(ended.ending, StopReason::Interrupted);
        assert_eq!(ended.summary.attempts, 3);
        assert_eq!(finished(&run), ["a", "c", "d"]);
    }
}

#[test]
fn panicking_sample_is_attempt_error() {
    let dataset = Samples {
        panics: Mutex::new(Some(1)),
        ..Samples::default()
    };
    let (ended, run) = run(dataset, None);
    assert_eq!(ended.unwrap().ending, StopReason::Done);
    let errors = run.records.iter().filter_map(|record| {
        let error = record.error.as_deref()?;
        Some((record.id.as_str(), error.contains("no sample 1")))
    });
    assert_eq!(errors.collect::<Vec<_>>(), [("b", true)]);
    assert_eq!(finished(&run), ["a", "b", "c", "d"]);
}

#[test]
fn unreadable_sample_ends_run_and_keeps_records() {
    let dataset = Samples {
        unreadable: Some(3),
        ..Samples::default()
    };
    let (ended, run) = run(dataset, None);
    assert_eq!(
        ended.unwrap_err().to_string(),
        "tasks/b.json has changed since the dataset was opened"
    );
    let done = finished(&run);
    assert!(done.len() >= 2, "only {done:?} are finished");
}
