//! Flags of `rlm-eval run`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;

use super::values::{Seconds, decimal, whole};
use super::{EngineArgs, QueueArgs, RunPowerArgs, StartArgs, recorded};
use crate::settings::{BenchmarkArgs, ErrorGate, Partition, ScorerArgs};

/// The flags of `rlm-eval run`.
#[derive(Debug, Clone, Args, Serialize)]
#[command(
    after_help = DETAILS,
    override_usage = "rlm-eval run [OPTIONS] --benchmark <NAME> --model <REF>\n       \
                      rlm-eval run [OPTIONS] --resume <DIR>",
    allow_negative_numbers = true,
    mut_arg("model", |model| model.required(false).required_unless_present("resume"))
)]
pub struct RunArgs {
    /// Benchmark: a name from `rlm-eval list benchmarks`, or your own, as a file of rows (*.jsonl,
    /// *.json, *.csv, *.parquet) or a folder DIR/ with a benchmark.yaml
    #[arg(
        long,
        required = false,
        required_unless_present = "resume",
        value_name = "NAME",
        help_heading = "Benchmark"
    )]
    pub benchmark: String,

    /// Options of the benchmark.
    #[command(flatten)]
    pub options: BenchmarkArgs,

    /// Run only samples whose metadata matches one of the values of each KEY:
    /// domain=law|code,difficulty=hard
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "KEY=A|B,…",
        help_heading = "Selection"
    )]
    pub filter: Vec<String>,

    /// Run only the samples with these ids
    #[arg(
        long = "sample-ids",
        alias = "selected-problems",
        value_delimiter = ',',
        value_name = "ID,…",
        help_heading = "Selection"
    )]
    pub selected_problems: Vec<String>,

    /// Run at most this many samples [default: all]
    #[arg(
        long = "max-samples",
        alias = "max-tasks",
        value_parser = whole::<usize>(1..=1_000_000),
        value_name = "N",
        help_heading = "Selection"
    )]
    #[serde(rename = "max_tasks")]
    pub max_samples: Option<usize>,

    /// Choose the samples of --max-samples at random. The same seed chooses the same samples, and a
    /// larger --max-samples includes those of a smaller one [default: the first ones]
    #[arg(
        long,
        value_parser = whole::<u64>(0..=u64::MAX),
        value_name = "N",
        help_heading = "Selection"
    )]
    pub sample_seed: Option<u64>,
    /// Run only shard M of N, as in 2/8: samples are sorted by the hashes of their ids and assigned
    /// to shards in turn. `auto` reads M and N from a Kubernetes Indexed Job or a Slurm array.
    /// `rlm-eval merge` joins the shards [default: all samples]
    #[arg(long, value_name = "M/N", help_heading = "Selection")]
    pub partition: Option<Partition>,

    /// Independent attempts for each sample
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = 1,
        value_name = "N",
        help_heading = "Selection"
    )]
    pub attempts: u32,

    /// Settings of the scorer.
    #[command(flatten)]
    pub scoring: ScorerArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Permissions of the run.
    #[command(flatten)]
    #[serde(skip)]
    pub powers: RunPowerArgs,

    /// Queue whose workers run the attempts.
    #[command(flatten)]
    #[serde(skip_serializing_if = "QueueArgs::is_unused")]
    pub queue: QueueArgs,

    /// Parent folder of the run's folder
    #[arg(
        long,
        default_value = "results",
        value_name = "DIR",
        help_heading = "Run"
    )]
    pub log_dir: PathBuf,

    /// Concurrency and stop conditions.
    #[command(flatten)]
    #[serde(flatten)]
    pub conduct: ConductArgs,

    /// Record every request sent to a server, including retries, with its body but without keys, in
    /// the folder `requests` of the run
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        help_heading = "Recording"
    )]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub record_requests: bool,

    /// Interval in seconds at which the journals of attempts in progress are synced to disk. A
    /// power failure loses at most the responses of one interval [default: only when an attempt
    /// ends]
    #[arg(long, value_name = "SECONDS", help_heading = "Recording")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync_interval: Option<Seconds>,

    /// Flags of this start.
    #[command(flatten)]
    #[serde(skip)]
    pub start: StartArgs,
}

/// Settings that each start of a run may change.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Run")]
pub struct ConductArgs {
    /// Maximum concurrent attempts
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        default_value_t = 5,
        value_name = "N"
    )]
    pub concurrency: usize,

    /// Exit with code 100 if the mean score (0 to 1) is below this value [default: no gate]
    #[arg(
        long,
        value_parser = decimal(0.0..=1.0),
        value_name = "SCORE"
    )]
    pub min_score: Option<f64>,

    /// Stop the run with exit code 1 once too many attempts have ended in an error: a count (5), or
    /// a share of all attempts (0.1) [default: never]
    #[arg(long, value_name = "SHARE|COUNT")]
    pub fail_on_error: Option<ErrorGate>,
}

impl RunArgs {
    /// Selects these samples in this order, overriding any other selection.
    pub fn select_only(&mut self, samples: &[String]) {
        self.selected_problems = samples.to_vec();
        self.filter = Vec::new();
        self.max_samples = None;
        self.sample_seed = None;
        self.partition = None;
    }
}

impl<'de> Deserialize<'de> for RunArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        recorded::read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

const DETAILS: &str = "\
Prints a table of the scores on stdout, and creates a folder in --log-dir with one line for each \
attempt (samples.jsonl, results.csv), the trajectories, and summary.json.

Examples:
  # Your own rows, each with query, context and expected
  rlm-eval run --benchmark questions.jsonl --scorer numeric --model scripted:mine.yaml

  # Two samples of 8,000 characters with a model that needs no network
  rlm-eval run --benchmark s-niah --model scripted --context-len 8k

  # A coordinator with two drivers
  rlm-eval run --benchmark s-niah --model scripted --prompt-mode coordinator \\
      --drivers delegation-first,deadline-return

  # Five ARC tasks twice, and fail a script if fewer than half are solved
  rlm-eval run --benchmark arc --data-dir arc-agi-2 --model replay:run.json \\
      --max-samples 5 --attempts 2 --min-score 0.5 --json > summary.json

  # Resume a run that was interrupted or killed
  rlm-eval run --resume results/s-niah-solver-20261121-092406-5f3a";
