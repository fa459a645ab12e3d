//! Name or path of a benchmark and its options, shared by all commands that open a benchmark.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer, SupportedOption};
use clap::Args;
use serde::{Serialize, Serializer};

use super::flags::MayNamePlace;
use super::values::whole;
use super::{SettingsError, context_length, env_file, user_folders};

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
    #[arg(long = "show-labels", alias = "labels", help_heading = "Benchmark")]
    #[serde(rename = "labels")]
    pub show_labels: bool,

    /// Read only data files whose names begin with this prefix, for example validation [default:
    /// test, or the split that the benchmark is defined on; all files if none matches, or if the
    /// folder is your own]
    #[arg(long, value_name = "NAME", help_heading = "Benchmark")]
    pub split: Option<String>,

    /// Skip malformed rows and report their number instead of failing
    #[arg(long, help_heading = "Benchmark")]
    pub skip_malformed: bool,

    /// Scorer for your own benchmark (see `rlm-eval list scorers`); or, for any benchmark, a
    /// JavaScript file with a function score(answer, expected, metadata), as `file:PATH` or a path
    /// that ends in .js [default: that of the benchmark, or exact]. If there are several, the first
    /// one decides, and the scores of the others are only recorded
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME|FILE,…",
        help_heading = "Benchmark",
        add = MayNamePlace
    )]
    #[serde(serialize_with = "scorers")]
    pub scorer: Vec<String>,
}

impl BenchmarkArgs {
    /// Returns the scorers as typed, without surrounding white space. The first one determines the
    /// score.
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

/// Resolves the name or path of a benchmark and its options.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag. Options that the benchmark does not support are
/// rejected later, when it is opened.
pub(crate) fn resolve(
    name: &str,
    args: &BenchmarkArgs,
) -> Result<(String, benchmarks::Options), SettingsError> {
    let benchmark = known(name.trim())?;
    // A judge or a JavaScript file is not an option of a benchmark.
    let given = args.scorers().next();
    let inside = given.filter(|scorer| OutsideScorer::parse(scorer).is_none());
    // Naming the benchmark's own scorer has no effect.
    let scorer = inside.filter(|scorer| !is_own(&benchmark, scorer));
    check_scorer(&benchmark, scorer)?;
    let context_lengths = context_length::parse_all(&args.context_len)?;
    let options = benchmarks::Options {
        data_dir: data(&benchmark, args.data_dir.as_deref()),
        labels: args.show_labels,
        split: args.split.clone(),
        skip_malformed: args.skip_malformed,
        scorer: scorer.map(str::to_owned),
        is_scored_outside: given.is_some() && inside.is_none(),
        seed: args.seed,
        context_lengths,
        tasks_per_length: args.tasks_per_length,
    };
    Ok((benchmark, options))
}

/// Returns a warning about a typed `--data-dir` that the benchmark does not read. A value from the
/// environment may be meant for other benchmarks.
pub(super) fn unread_data_dir(benchmark: &str, args: &BenchmarkArgs) -> Option<String> {
    let given = args.data_dir.as_ref()?;
    let needs_data = benchmarks::entry(benchmark).is_some_and(|entry| entry.needs_data);
    let is_typed =
        env_file::flag_variable("--data-dir").is_none_or(|value| *given != Path::new(&value));
    let why = if benchmarks::is_path(benchmark) {
        "its rows are read from --benchmark"
    } else {
        "its samples are generated from --seed"
    };
    (is_typed && !needs_data)
        .then(|| format!("--data-dir has no effect: {benchmark} does not need data; {why}"))
}

/// Returns warnings about typed options that the benchmark ignores. Options from the environment
/// may be meant for other benchmarks.
pub(super) fn unread_options(benchmark: &str, args: &BenchmarkArgs) -> Vec<String> {
    let usual = benchmarks::Options::default();
    let given = [
        (
            args.context_len
                .iter()
                .any(|length| !length.trim().is_empty()),
            SupportedOption::ContextLengths,
            "--context-len",
        ),
        (
            args.tasks_per_length != usual.tasks_per_length,
            SupportedOption::SamplesPerLength,
            "--samples-per-length",
        ),
        (args.seed != usual.seed, SupportedOption::Seed, "--seed"),
        (args.show_labels, SupportedOption::Labels, "--show-labels"),
        (args.split.is_some(), SupportedOption::Split, "--split"),
        (
            args.skip_malformed,
            SupportedOption::SkipMalformed,
            "--skip-malformed",
        ),
    ];
    let read = benchmarks::entry(benchmark).map_or(SupportedOption::OWN, |entry| entry.reads);
    given
        .into_iter()
        .filter(|(given, option, flag)| {
            *given && !read.contains(option) && env_file::flag_variable(flag).is_none()
        })
        .map(|(.., flag)| format!("{flag} has no effect: {benchmark} does not support it"))
        .collect()
}

/// Returns the folder with a subfolder for each benchmark's data: the given folder, or `data` in
/// the program's cache folder. `None` if neither is known.
pub(crate) fn data_root(given: Option<&Path>) -> Option<PathBuf> {
    given
        .map(Path::to_owned)
        .or_else(|| Some(user_folders::caches()?.join("data")))
}

/// Returns the location of a benchmark's data: its subfolder of the data folder if that exists,
/// otherwise the given path.
fn data(benchmark: &str, given: Option<&Path>) -> Option<PathBuf> {
    let needed = benchmarks::entry(benchmark).is_some_and(|entry| entry.needs_data);
    let fetched = data_root(given)
        .map(|root| root.join(benchmark))
        .filter(|folder| needed && folder.is_dir());
    fetched.or_else(|| given.map(Path::to_owned))
}

/// Whether this is the name of the benchmark's own scorer, with or without the version.
fn is_own(benchmark: &str, scorer: &str) -> bool {
    benchmarks::entry(benchmark).is_some_and(|entry| {
        let name = entry.scorer.split('/').next().unwrap_or_default();
        scorer == entry.scorer || scorer == name
    })
}

/// Returns the scorers whose scores are only recorded.
///
/// # Errors
/// [`SettingsError`] for an unknown name.
pub(super) fn further_scorers(args: &BenchmarkArgs) -> Result<Vec<String>, SettingsError> {
    let further = args.scorers().skip(1).map(|name| {
        if OutsideScorer::parse(name).is_none() {
            rule(name)?;
        }
        Ok(name.to_owned())
    });
    further.collect()
}

/// Checks a rule-based `--scorer`, which only user-supplied benchmarks accept.
fn check_scorer(benchmark: &str, scorer: Option<&str>) -> Result<(), SettingsError> {
    let Some(name) = scorer else {
        return Ok(());
    };
    if !benchmarks::is_path(benchmark) {
        return Err(SettingsError::with_hint(
            format!("--scorer: benchmark `{benchmark}` has its own scorer"),
            "remove --scorer, or use `judge` or a JavaScript file; `rlm-eval score` can score a run again with any scorer",
        ));
    }
    rule(name).map(|_| ())
}

/// Returns the rule-based scorer with this name.
///
/// # Errors
/// [`SettingsError`] that suggests the most similar name.
pub(crate) fn rule(name: &str) -> Result<Arc<dyn Scorer>, SettingsError> {
    let known: Vec<&str> = benchmarks::scorers().map(|scorer| scorer.name).collect();
    benchmarks::scorer(name).ok_or_else(|| {
        let problem = format!("--scorer: unknown scorer `{name}`");
        let problem = SettingsError::unknown(&problem, name, &known);
        SettingsError::with_hint(problem, "`rlm-eval list scorers` lists the valid names")
    })
}

fn known(name: &str) -> Result<String, SettingsError> {
    let known: Vec<&str> = benchmarks::catalog()
        .iter()
        .map(|entry| entry.name)
        .collect();
    if known.contains(&name) || benchmarks::is_path(name) {
        return Ok(name.to_owned());
    }
    let problem = format!("--benchmark: unknown benchmark `{name}`");
    let problem = SettingsError::unknown(&problem, name, &known);
    let hint = "`rlm-eval list benchmarks` lists the valid names";
    Err(SettingsError::with_hint(problem, hint))
}
