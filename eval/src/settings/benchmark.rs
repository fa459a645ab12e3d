//! Settings of a benchmark: its name or path, and its options.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer, SupportedOption};
use harness::nearest;

use super::{SettingsError, caches, context_length, env_file};
use crate::cli::BenchmarkArgs;

/// Resolves the name or path of a benchmark and its options.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag. Whether the benchmark supports its options is
/// checked when it is opened.
pub(super) fn resolve(
    name: &str,
    args: &BenchmarkArgs,
) -> Result<(String, benchmarks::Options), SettingsError> {
    let benchmark = known(name.trim())?;
    // A scorer outside the benchmarks is not an option of a benchmark.
    let given = args.scorers().next();
    let inside = given.filter(|scorer| OutsideScorer::parse(scorer).is_none());
    // Naming the benchmark's own scorer as the first of several changes nothing.
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

/// Returns a warning about a `--data-dir` that the benchmark does not read. A value from the
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

/// Returns the folder with a subfolder for each benchmark's data: the given folder, or a folder in
/// the user's caches. `None` if the user has no home folder.
pub(super) fn data_root(given: Option<&Path>) -> Option<PathBuf> {
    given
        .map(Path::to_owned)
        .or_else(|| Some(caches::folder()?.join("data")))
}

/// Returns the location of a benchmark's data: below the folder of all data, or exactly the given
/// path.
fn data(benchmark: &str, given: Option<&Path>) -> Option<PathBuf> {
    let needed = benchmarks::entry(benchmark).is_some_and(|entry| entry.needs_data);
    let fetched = data_root(given)
        .map(|root| root.join(benchmark))
        .filter(|folder| needed && folder.is_dir());
    fetched.or_else(|| given.map(Path::to_owned))
}

/// Whether a benchmark of the catalog has this scorer, with or without its version.
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

/// Checks `--scorer`, which only user-supplied benchmarks accept.
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
pub(super) fn rule(name: &str) -> Result<Arc<dyn Scorer>, SettingsError> {
    let known: Vec<&str> = benchmarks::scorers().map(|scorer| scorer.name).collect();
    benchmarks::scorer(name).ok_or_else(|| {
        let nearest = nearest(name, known.iter().copied());
        let problem = format!("--scorer: unknown scorer `{name}`");
        let problem = SettingsError::unknown(&problem, nearest.as_deref(), known);
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
    let nearest = nearest(name, known.iter().copied());
    let problem = format!("--benchmark: unknown benchmark `{name}`");
    let problem = SettingsError::unknown(&problem, nearest.as_deref(), known);
    let hint = "`rlm-eval list benchmarks` lists the valid names";
    Err(SettingsError::with_hint(problem, hint))
}
