//! `rlm-eval compare`: tests whether one run is really better than another.

mod settings;

use std::path::Path;

use records::run_dir::{RunDirError, write_output};
use report::compare::{
    CompareError, Comparison, RunPair, RunScores, compare, mismatches, table, to_csv, unchecked,
};

use super::report::WriteFile;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::skipped;
use crate::process::terminal;

pub(crate) use settings::CompareArgs;

/// Compares runs and prints the result. All runs are read before anything is printed.
///
/// # Errors
/// [`Error::Compare`] for a run that cannot be read, runs that are not comparable, or a file that
/// cannot be written; [`Error::Settings`] and [`Error::Stdout`].
pub(super) fn execute(args: &CompareArgs) -> Result<Outcome, Error> {
    let (paths, skipped_files) = args.runs()?;
    for path in &skipped_files {
        terminal::note(&skipped(path));
    }
    let runs = paths
        .iter()
        .map(|path| match &args.scores {
            Some(scorer) => RunScores::read_scored(path, scorer),
            None => RunScores::read(path),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let comparison = compare(&runs, &args.against(), args.allow_mismatch)?;
    announce(&runs);
    if let Some(path) = &args.csv {
        write_csv(&comparison, path, write_output)?;
    }
    if args.json {
        stdout::write_json(&comparison)?;
    } else {
        stdout::write_table(|width| table(&comparison, width))?;
    }
    let nothing = |pair: &RunPair| pair.errors_as_zero.is_none();
    Ok(if comparison.comparisons.iter().all(nothing) {
        Outcome::NothingMatched
    } else {
        Outcome::Complete
    })
}

/// Writes the comparisons as CSV, replacing an existing file.
///
/// # Errors
/// [`Error::Compare`] if the file cannot be written.
pub(super) fn write_csv(
    comparison: &Comparison,
    path: &Path,
    write_file: WriteFile,
) -> Result<(), Error> {
    let write = |reason| RunDirError::Write {
        path: path.to_owned(),
        reason,
    };
    let bytes = to_csv(comparison).map_err(|reason| CompareError::from(write(reason)))?;
    write_file(path, &bytes).map_err(CompareError::from)?;
    Ok(())
}

fn announce(runs: &[RunScores]) {
    for run in runs {
        if let Some(truncated_record) = &run.truncated_record {
            terminal::note(&format!(
                "{}: line {} of samples.jsonl is truncated and was skipped",
                run.path.display(),
                truncated_record.line
            ));
        }
    }
    for differing in mismatches(runs) {
        terminal::warning(&differing.to_string());
    }
    for (fact, silent) in unchecked(runs) {
        terminal::note(&format!(
            "{fact} is not checked: {} {} not record it",
            silent.join(", "),
            if silent.len() == 1 { "does" } else { "do" }
        ));
    }
}
