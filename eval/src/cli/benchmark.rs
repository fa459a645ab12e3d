//! Options of a benchmark, shared by all commands that open one.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use serde::{Serialize, Serializer};

use super::number::whole;

/// Options of a benchmark.
#[derive(Debug, Clone, Args, Serialize)]
pub struct BenchmarkArgs {
    /// File or folder of the benchmark's data, or a folder that contains it under the benchmark's
    /// name, as `rlm-eval data fetch` creates it [default: ~/.cache/eval/data]
    #[arg(long, value_name = "DIR", help_heading = "Benchmark")]
    pub data_dir: Option<PathBuf>,

    /// Lengths of generated contexts, in characters: 8k,1m,64000, where k is 1,000 and m is
    /// 1,000,000 [default: 8k to 1m, doubling]. For data that states the lengths of its contexts:
    /// run only samples of these lengths, in the unit of the data [default: all]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "CHARS,…",
        help_heading = "Benchmark"
    )]
    pub context_len: Vec<String>,

    /// Samples to generate for each context length
    #[arg(
        long = "samples-per-length",
        alias = "tasks-per-length",
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

    /// Show the label of each instance in the context, if the data has labels
    #[arg(
        long = "show-labels",
        alias = "labels",
        value_parser = BoolishValueParser::new(),
        help_heading = "Benchmark"
    )]
    #[serde(rename = "labels")]
    pub show_labels: bool,

    /// Read only data files whose names begin with this prefix, for example validation [default:
    /// test, or the split that the benchmark is defined on; all files if none matches]
    #[arg(long, value_name = "NAME", help_heading = "Benchmark")]
    pub split: Option<String>,

    /// Skip malformed rows and report their number instead of failing
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        help_heading = "Benchmark"
    )]
    pub skip_malformed: bool,

    /// Scorer for your own benchmark (see `rlm-eval list scorers`); or, for any benchmark, a
    /// JavaScript file with a function score(answer, expected, metadata), as `file:PATH` or a path
    /// that ends in .js [default: that of the benchmark, or exact]. If there are several, the first
    /// one decides, and the scores of the others are only recorded
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME|FILE,…",
        help_heading = "Benchmark"
    )]
    #[serde(serialize_with = "scorers")]
    pub scorer: Vec<String>,
}

impl BenchmarkArgs {
    /// Returns the scorers as typed, without surrounding white space. The first decides.
    pub fn scorers(&self) -> impl Iterator<Item = &str> {
        let all = self.scorer.iter().map(|scorer| scorer.trim());
        all.filter(|scorer| !scorer.is_empty())
    }
}

/// Serializes a single scorer as a string, like versions that accepted only one.
fn scorers<S: Serializer>(all: &[String], to: S) -> Result<S::Ok, S::Error> {
    match all {
        [] => to.serialize_none(),
        [one] => to.serialize_str(one),
        several => several.serialize(to),
    }
}
