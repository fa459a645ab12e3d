//! Flags of `eval run`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::EngineArgs;
use super::number::{decimal, whole};
use crate::env_vars;

/// The flags of `eval run`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct RunArgs {
    /// The benchmark; see `eval list benchmarks`
    #[arg(long, value_name = "NAME", env = env_vars::BENCHMARK, help_heading = "Benchmark")]
    pub benchmark: String,

    /// Folder of the benchmark's files, for one that needs them
    #[arg(long, value_name = "DIR", env = env_vars::DATA_DIR, help_heading = "Benchmark")]
    pub data_dir: Option<PathBuf>,

    /// Lengths of generated contexts in characters, where k is 1,000 and m is 1,000,000: 8k,1m,64000
    /// [default: 8k to 1m, each twice the one before]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "CHARS,…",
        env = env_vars::CONTEXT_LEN,
        help_heading = "Benchmark"
    )]
    pub context_len: Vec<String>,

    /// Samples to generate for each context length
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = benchmarks::TASKS_PER_LENGTH as u64,
        value_name = "N",
        env = env_vars::TASKS_PER_LENGTH,
        help_heading = "Benchmark"
    )]
    pub tasks_per_length: u64,

    /// Seed of generated samples: the same seed gives the same samples
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = 0,
        value_name = "N",
        env = env_vars::SEED,
        help_heading = "Benchmark"
    )]
    pub seed: u64,

    /// Run only the samples with these ids
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ID,…",
        env = env_vars::SELECTED_PROBLEMS,
        help_heading = "Selection"
    )]
    pub selected_problems: Vec<String>,

    /// Run at most this many samples, the first ones [default: all]
    #[arg(
        long,
        value_parser = whole::<u64>,
        value_name = "N",
        env = env_vars::MAX_TASKS,
        help_heading = "Selection"
    )]
    pub max_tasks: Option<u64>,

    /// Independent attempts at each sample
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 1,
        value_name = "N",
        env = env_vars::ATTEMPTS,
        help_heading = "Selection"
    )]
    pub attempts: u32,

    /// The agents.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Attempts that may be under way at once
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 5,
        value_name = "N",
        env = env_vars::CONCURRENCY,
        help_heading = "Run"
    )]
    pub concurrency: u32,

    /// Folder in which the run gets a folder of its own
    #[arg(
        long,
        default_value = "results",
        value_name = "DIR",
        env = env_vars::LOG_DIR,
        help_heading = "Run"
    )]
    pub log_dir: PathBuf,

    /// Exit with code 100 if the mean score, from 0 to 1, is below this [default: no gate]
    #[arg(
        long,
        value_parser = decimal,
        value_name = "SCORE",
        env = env_vars::MIN_SCORE,
        help_heading = "Run"
    )]
    pub min_score: Option<f64>,

    /// Print the summary as JSON on stdout instead of the table
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        env = env_vars::JSON,
        help_heading = "Run"
    )]
    pub json: bool,
}

const DETAILS: &str = "\
Prints a table of the scores on stdout, and leaves a folder in --log-dir with a line for each \
attempt (samples.jsonl, results.csv), the trajectories, and summary.json.

Examples:
  # Two samples of 8,000 characters with a model that needs no network
  cargo eval run --benchmark s-niah --model scripted --context-len 8k

  # The root coordinates; the drivers come on top
  cargo eval run --benchmark s-niah --model scripted --prompt-mode coordinator \\
      --drivers delegation-first,deadline-return

  # Five ARC tasks twice, and fail a script if fewer than half are solved
  cargo eval run --benchmark arc --data-dir arc-agi-2 --model replay:run.json \\
      --max-tasks 5 --attempts 2 --min-score 0.5 --json > summary.json";
