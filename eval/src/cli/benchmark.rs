//! Flags that say what a benchmark is opened with; shared by all commands that open one.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use serde::Serialize;

use super::number::whole;

/// What a benchmark is opened with.
#[derive(Debug, Clone, Args, Serialize)]
pub struct BenchmarkArgs {
    /// Folder or file of the benchmark's data, for one that needs it, or a folder that holds it under the benchmark's
    /// name, as `rlm-eval data fetch` leaves it [default: ~/.cache/eval/data]
    #[arg(long, value_name = "DIR", help_heading = "Benchmark")]
    pub data_dir: Option<PathBuf>,

    /// Lengths of generated contexts in characters, where k is 1,000 and m is 1,000,000: 8k,1m,64000
    /// [default: 8k to 1m, each twice the one before]; where the data states lengths, those to run, in its tokens
    /// [default: all]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "CHARS,…",
        help_heading = "Benchmark"
    )]
    pub context_len: Vec<String>,

    /// Samples to generate for each context length
    #[arg(
        long,
        value_parser = whole::<usize>(1..=10_000),
        default_value_t = benchmarks::TASKS_PER_LENGTH,
        value_name = "N",
        help_heading = "Benchmark"
    )]
    pub tasks_per_length: usize,

    /// Seed of generated samples: the same seed gives the same samples
    #[arg(
        long,
        value_parser = whole::<u64>(0..=u64::MAX),
        default_value_t = 0,
        value_name = "N",
        help_heading = "Benchmark"
    )]
    pub seed: u64,

    /// Show the label of each instance in the context, where the data has labels
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        help_heading = "Benchmark"
    )]
    pub labels: bool,

    /// Read only the data files whose names begin with this: validation [default: test, or what the benchmark is defined
    /// on; all files where none does]
    #[arg(long, value_name = "NAME", help_heading = "Benchmark")]
    pub split: Option<String>,

    /// Leave malformed rows out, and say how many, instead of ending with an error
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        help_heading = "Benchmark"
    )]
    pub skip_malformed: bool,

    /// Scorer of a benchmark of your own, see `rlm-eval list scorers`; or, of any benchmark, a JavaScript file with a function
    /// score(answer, expected, metadata), as `file:PATH` or a path that ends in .js [default: that of the benchmark, or
    /// exact]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Benchmark")]
    pub scorer: Option<String>,
}
