//! Formats a comparison as text.

use jiff::Timestamp;

use super::difference::{Difference, interval_text, p_text};
use super::family::{Family, FamilyKind};
use super::verdict::{cautions, verdict};
use super::{Alignment, Comparison, RunFigures, RunPair};
use crate::columns::{Row, in_columns, row};
use crate::differences;
use crate::sanitize::sanitize;
use crate::summary::{interval_notes, none, percent, rows_table, score_text, statuses_text};

/// Maximum number of ids in a list.
const IDS: usize = 5;

/// Maximum display width of an id, in terminal columns.
const ID_WIDTH: usize = 40;

/// Formats the differing settings, the scores, and each comparison with its verdict and excluded
/// samples. Tables are at most `width` columns wide; sentences are not wrapped. The text has no
/// colors. Ids and paths are sanitized.
pub fn table(comparison: &Comparison, width: u16) -> String {
    let runs = &comparison.runs;
    let labels: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let mut differing = vec![row(runs, "from", |run| {
        run.path.to_string_lossy().into_owned()
    })];
    differing.extend(differences::rows(&comparison.differences));
    let mut parts = vec![rows_table("what differs", &labels, &differing, width)];
    let sentences = differences::sentences(&comparison.differences, runs.len());
    if !sentences.is_empty() {
        parts.push(lines(sentences));
    }
    parts.push(rows_table("", &labels, &figures(runs), width));
    let scores = runs.iter();
    let scores = scores.flat_map(|run| [&run.score, &run.score_errors_as_zero]);
    let notes = interval_notes(scores.flatten());
    parts.push(lines(rows_note(runs).into_iter().chain(notes)));
    parts.push(lines(comparison.race_warnings(labels.iter().copied())));
    parts.push(pairs(comparison, width));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Formats only the comparisons, family by family.
pub fn pairs(comparison: &Comparison, width: u16) -> String {
    let mut parts = Vec::new();
    for family in &comparison.families {
        parts.extend(heading(family, comparison.runs.len()).map(|heading| heading + "\n"));
        let pairs = comparison.comparisons.iter();
        let pairs = pairs.filter(|pair| pair.family == family.kind);
        parts.extend(pairs.map(|pair| pair_text(pair, family.comparisons > 1, width)));
    }
    parts.join("\n")
}

/// Describes the comparisons of a family and the correction of their p values. Returns `None` if
/// only two runs exist or no comparison is shown. `runs` is the total number of runs.
pub fn heading(family: &Family, runs: usize) -> Option<String> {
    let all = family.comparisons;
    let corrected = match all {
        1 => "it is the only one, so its p value is not corrected".to_owned(),
        _ => format!("p values are corrected by Holm's method over these {all}"),
    };
    let text = match family.kind {
        FamilyKind::All | FamilyKind::Baseline if all == 1 && runs == 2 => return None,
        FamilyKind::All => {
            format!("Every run with every earlier run: {all} comparisons; {corrected}.")
        }
        FamilyKind::Baseline => {
            let baseline = match family.baselines.as_slice() {
                [one] => one.clone(),
                many => format!("the baseline of its model ({})", many.join(", ")),
            };
            format!(
                "Each run with {baseline}: {}; {corrected}.",
                comparisons(all)
            )
        }
        FamilyKind::Best if family.shown == all => format!(
            "{} with each other: {}; {corrected}.",
            family.runs.join(", "),
            comparisons(all)
        ),
        FamilyKind::Best if family.shown == 0 => return None,
        FamilyKind::Best => {
            let as_good = match family.as_good.as_slice() {
                [] => String::new(),
                [one] => format!("; {one} also has the lowest of their scores, but comes later"),
                many => format!(
                    "; {} also have the lowest of their scores, but come later",
                    many.join(", ")
                ),
            };
            format!(
                "The {} best of these {} runs (errors as zero) with each other: {}{as_good}. The same scores \
                 selected these runs, so p values are corrected by Holm's method over all {all} pairs of the {} runs.",
                family.best.len(),
                family.runs.len(),
                family.best.join(", "),
                family.runs.len()
            )
        }
    };
    Some(text)
}

fn comparisons(count: u64) -> String {
    match count {
        1 => "1 comparison".to_owned(),
        count => format!("{count} comparisons"),
    }
}

/// Returns a note that the coverage of CSV files is unknown, or `None` without such files.
fn rows_note(runs: &[RunFigures]) -> Option<String> {
    let files = runs.iter().filter(|run| run.is_csv);
    let names: Vec<&str> = files.map(|run| run.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "CSV files do not contain the number of planned attempts, so the coverage of {} counts only rows.",
            names.join(", ")
        )
    })
}

fn lines(sentences: impl IntoIterator<Item = String>) -> String {
    let sentences = sentences.into_iter();
    // Values from files are untrusted.
    let sentences = sentences.map(|text| sanitize(&text, usize::MAX) + "\n");
    sentences.collect()
}

fn figures(runs: &[RunFigures]) -> Vec<Row> {
    let mut rows = vec![
        row(runs, "score", |run| score_text(run.score.as_ref())),
        row(runs, "coverage", |run| {
            format!(
                "{}/{} ({})",
                run.scored,
                run.attempts_total,
                percent(run.coverage)
            )
        }),
        row(runs, "status", |run| statuses_text(&run.statuses)),
        row(runs, "samples", |run| run.samples.to_string()),
    ];
    if runs.iter().any(|run| run.statuses.error > 0) {
        let zero = row(runs, "  errors as zero", |run| {
            score_text(run.score_errors_as_zero.as_ref())
        });
        rows.insert(1, zero);
    }
    if runs.iter().any(|run| run.started.is_some()) {
        rows.push(row(runs, "started", |run| started(run.started)));
    }
    if runs.iter().any(|run| run.refused > 0) {
        rows.push(row(runs, "refused", |run| {
            format!("{}, scored 0", run.refused)
        }));
    }
    if runs.iter().any(|run| run.cut_prompts > 0) {
        rows.push(row(runs, "prompts cut by server", |run| {
            format!("in {} attempts", run.cut_prompts)
        }));
    }
    rows
}

/// Formats the start time of a run in UTC, to the minute.
pub fn started(at: Option<Timestamp>) -> String {
    at.map_or_else(none, |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}

fn pair_text(pair: &RunPair, many: bool, width: u16) -> String {
    let mut text = String::new();
    let title = format!("{} - {}", pair.second, pair.first);
    if pair.errors_excluded.is_some() || pair.errors_as_zero.is_some() {
        let ways = [pair.errors_excluded.as_ref(), pair.errors_as_zero.as_ref()];
        // Without errors, both ways of counting them give the same figures.
        text += &if ways[0] == ways[1] {
            let rows = rows(pair, ways, many).into_iter();
            let rows = rows.map(|(name, cells)| (name, cells.into_iter().take(1).collect()));
            in_columns(&title, ["no errors"], rows, width)
        } else {
            let labels = ["errors excluded", "errors as zero"];
            in_columns(&title, labels, rows(pair, ways, many), width)
        };
        text.push('\n');
    }
    let sentences = verdict(pair, many).into_iter();
    for sentence in sentences
        .chain(cautions([pair]))
        .chain(alignment_notes(pair))
    {
        text += &sentence;
        text.push('\n');
    }
    text
}

fn rows(pair: &RunPair, ways: [Option<&Difference>; 2], many: bool) -> Vec<Row> {
    let row = |name: &str, cell: &dyn Fn(&Difference) -> Option<String>| {
        let cells = ways.map(|way| way.and_then(cell).unwrap_or_else(none));
        (name.to_owned(), cells.to_vec())
    };
    let three = |figure: f64| format!("{figure:.3}");
    let clustered = ways
        .iter()
        .flatten()
        .any(|way| way.paired.clusters != way.paired.samples);
    let tested =
        |of: fn(&Difference) -> Option<f64>| ways.iter().flatten().any(|way| of(way).is_some());

    let mut rows = vec![row("samples in both", &|way| {
        Some(way.paired.samples.to_string())
    })];
    if clustered {
        rows.push(row("  clusters", &|way| {
            Some(way.paired.clusters.to_string())
        }));
    }
    rows.extend([
        row(&pair.first, &|way| Some(three(way.paired.first))),
        row(&pair.second, &|way| Some(three(way.paired.second))),
        row("difference", &|way| {
            Some(format!("{:+.3}", way.paired.difference))
        }),
        row("  95 % interval", &|way| interval_text(way)),
        row("  standard error", &|way| {
            way.paired.standard_error.map(three)
        }),
        row("wins, losses, ties", &|way| {
            let paired = &way.paired;
            Some(format!(
                "{}, {}, {}",
                paired.wins, paired.losses, paired.ties
            ))
        }),
    ]);
    rows.push(row("p", &|way| way.paired.p().map(p_text)));
    if many {
        rows.push(row("p after Holm", &|way| way.p_holm.map(p_text)));
    }
    rows.push(row("  method", &|way| {
        way.paired.method().map(|method| method.name().to_owned())
    }));
    if tested(|way| way.paired.mcnemar_p) {
        rows.push(row("  McNemar, exact", &|way| {
            way.paired.mcnemar_p.map(p_text)
        }));
    }
    rows.push(row("detectable", &|way| way.detectable.map(three)));
    rows
}

fn alignment_notes(pair: &RunPair) -> Vec<String> {
    let Alignment {
        only_first,
        only_second,
        unscored,
        unequal_attempts,
        other_cluster,
    } = &pair.alignment;
    let RunPair { first, second, .. } = pair;
    let kinds = [
        (only_first, format!("Excluded, only in {first}")),
        (only_second, format!("Excluded, only in {second}")),
        (
            unscored,
            format!("Excluded with the errors, without a score in {first} or {second}"),
        ),
        (
            unequal_attempts,
            "More scored attempts in one run than in the other (each sample counts once, by its mean)".to_owned(),
        ),
        (
            other_cluster,
            format!("In different clusters in {first} and {second} (the cluster in {first} is used)"),
        ),
    ];
    kinds
        .iter()
        .filter(|(ids, _)| !ids.is_empty())
        .map(|(ids, what)| {
            let noun = if ids.len() == 1 { "sample" } else { "samples" };
            format!("{what}: {} {noun}: {}", ids.len(), some(ids))
        })
        .collect()
}

fn some(ids: &[String]) -> String {
    let mut shown: Vec<String> = ids
        .iter()
        .take(IDS)
        .map(|id| sanitize(id, ID_WIDTH))
        .collect();
    if ids.len() > IDS {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
