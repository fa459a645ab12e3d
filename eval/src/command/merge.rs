//! `rlm-eval merge`: combines the shards of a run into one run directory.

mod settings;

use std::path::PathBuf;

use report::summary::table;

use super::run::gate;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::skipped;
use crate::process::terminal;
use crate::run::merge::merge;

pub(crate) use settings::MergeArgs;

/// Merges the shards, prints a table of the whole run, and compares its score with `--min-score`.
///
/// # Errors
/// [`Error::Merge`] for runs that do not belong together, or [`Error::Stdout`].
pub(super) fn execute(args: &MergeArgs) -> Result<Outcome, Error> {
    // Files are skipped, because a glob also matches those next to runs.
    let is_file = |path: &&PathBuf| path.is_file();
    for path in args.dirs.iter().filter(is_file) {
        terminal::note(&skipped(path));
    }
    let dirs = args.dirs.iter().filter(|path| !is_file(path));
    let dirs: Vec<PathBuf> = match dirs.cloned().collect::<Vec<_>>() {
        // Without a folder, keep the files, so that the error names the first one.
        none if none.is_empty() => args.dirs.clone(),
        dirs => dirs,
    };
    let merged = merge(&args.out, &dirs, args.prefer, args.allow_program_change)?;
    stdout::write_table(|width| table(&[(&merged.label, &merged.summary)], width))?;
    if merged.overlaps > 0 {
        let paid = match merged.made_again {
            0 => String::new(),
            again => {
                format!("; {again} were rerun, and the cost of all tries includes the reruns")
            }
        };
        terminal::note(&format!(
            "{} attempts were in more than one run, with equal records{paid}",
            merged.overlaps
        ));
    }
    for (path, dropped) in &merged.dropped {
        terminal::note(&format!(
            "{}: {dropped} of its records differ from those of another run and were not merged; \
             the cost of all tries includes them",
            path.display()
        ));
    }
    for sentence in &merged.mixed {
        terminal::warning(sentence);
    }
    for run in &merged.unfinished {
        terminal::warning(run);
    }
    if !merged.missing.is_empty() {
        let missing = format!(
            "missing from the runs: shards {}",
            merged.missing.join(", ")
        );
        match merged.missing_attempts {
            Some(0) => terminal::note(&format!("{missing}; they contain no samples")),
            Some(attempts) => terminal::warning(&format!(
                "{missing}; their {attempts} attempts count as not made"
            )),
            None => terminal::warning(&format!(
                "{missing}; their number of attempts is unknown, so the coverage counts only the \
                 other shards"
            )),
        }
    }
    terminal::note(&format!("run directory: {}", args.out.display()));
    Ok(gate(args.min_score, &merged.summary))
}
