//! Prepares the comparisons of a sweep for the HTML page and the short summary: the score
//! difference of each cell, its significance, and its cost.

use statistics::Estimate;

use super::plot::color_of;
use super::{Report, RunReport};
use crate::compare::{
    Comparison, Difference, RunPair, cautions, heading, interval_text, p_text, verdict,
};
use crate::race::{RaceCell, RaceResult};
use crate::summary::{cost_of_all_tries, cost_per_right_answer, none, score_text};

/// Comparisons of one sweep.
pub(super) struct SweepTables<'a> {
    /// Folder of the sweep; empty if the runs do not belong to a sweep.
    pub folder: String,
    /// Families of comparisons; empty for a race.
    pub families: Vec<FamilyRows<'a>>,
    /// Table of the race, which replaces the families.
    pub race: Option<RaceTable>,
}

/// A race as a table on the page.
pub(super) struct RaceTable {
    /// Sentences about the result.
    pub sentences: Vec<String>,
    pub columns: Vec<&'static str>,
    /// For each cell, its color, its name, its table row, and the reason why it stopped.
    pub rows: Vec<(String, String, Vec<String>, String)>,
}

/// A family of comparisons.
pub(super) struct FamilyRows<'a> {
    /// Description of the comparisons and the correction of their p values.
    pub heading: String,
    /// Baseline runs.
    pub baselines: Vec<Row<'a>>,
    /// Cautions about the intervals.
    pub cautions: Vec<String>,
    pub rows: Vec<Row<'a>>,
}

/// A run and its difference from the run that it is compared with.
pub(super) struct Row<'a> {
    pub run: &'a RunReport,
    /// Color of the run on the page.
    pub color: String,
    /// Name of the run that this one is compared with, or `baseline` for a baseline.
    pub with: String,
    /// Figures with errors excluded, and with errors as zero.
    pub ways: [ComparedFigures; 2],
    /// Verdict of the comparison; empty for a baseline.
    pub verdict: String,
    /// Cost of all tries in US dollars.
    pub cost: String,
    /// Cost per correct answer in US dollars.
    pub cost_per_right_answer: String,
}

/// Figures of a comparison for one way to count errors.
pub(super) struct ComparedFigures {
    /// How errors are counted: `excluded` or `as zero`.
    pub errors: &'static str,
    pub score: String,
    /// Score of the run minus the score of the other run.
    pub difference: String,
    /// Interval of the difference.
    pub interval: String,
    /// P value and the name of its test.
    pub p: String,
    /// P value corrected over the family.
    pub p_holm: String,
}

/// Returns the comparisons of all sweeps, or of the runs if the report has no sweeps.
pub(super) fn compared(report: &Report) -> Vec<SweepTables<'_>> {
    let sweeps = report.sweeps.iter();
    let sweeps = sweeps.filter_map(|sweep| {
        let folder = sweep.folder.to_string_lossy().into_owned();
        if let Some(race) = &sweep.race {
            return Some(SweepTables {
                folder,
                families: Vec::new(),
                race: Some(raced(race, &sweep.cells)),
            });
        }
        compared_families(report, folder, &sweep.comparison)
    });
    let plain = report.comparison.iter();
    let plain = plain.filter_map(|plain| compared_families(report, String::new(), plain));
    sweeps.chain(plain).collect()
}

/// Returns the families of a comparison, or `None` if there is no pair.
fn compared_families<'a>(
    report: &'a Report,
    folder: String,
    comparison: &Comparison,
) -> Option<SweepTables<'a>> {
    if comparison.comparisons.is_empty() {
        return None;
    }
    let families = comparison.families.iter().map(|family| {
        let pairs = comparison.comparisons.iter();
        let pairs = pairs.filter(|pair| pair.family == family.kind);
        let pairs: Vec<&RunPair> = pairs.collect();
        FamilyRows {
            heading: heading(family, comparison.runs.len()).unwrap_or_default(),
            baselines: family
                .baselines
                .iter()
                .filter_map(|name| row(report, name, None, false))
                .collect(),
            cautions: cautions(pairs.iter().copied()),
            rows: pairs
                .into_iter()
                .filter_map(|pair| row(report, &pair.second, Some(pair), family.comparisons > 1))
                .collect(),
        }
    });
    Some(SweepTables {
        folder,
        families: families.collect(),
        race: None,
    })
}

fn raced(race: &RaceResult, cells: &[(String, usize)]) -> RaceTable {
    let (columns, rows) = race.rows();
    let row = |((name, row), cell): ((String, Vec<String>), &RaceCell)| {
        let place = cells.iter().find(|(cell, _)| *cell == name);
        let color = place.map(|(_, place)| color_of(*place));
        let why = cell.why.clone().unwrap_or_default();
        (color.unwrap_or_default(), name, row, why)
    };
    RaceTable {
        sentences: race.sentences(),
        columns,
        rows: rows.into_iter().zip(&race.cells).map(row).collect(),
    }
}

fn row<'a>(
    report: &'a Report,
    name: &str,
    pair: Option<&RunPair>,
    corrected: bool,
) -> Option<Row<'a>> {
    let place = report.runs.iter().position(|run| run.name == name)?;
    let run = &report.runs[place];
    let summary = &run.summary;
    let way = |errors, score: Option<&Estimate>, difference: Option<&Difference>| {
        let text = |of: &dyn Fn(&Difference) -> Option<String>| {
            let text = difference.and_then(of);
            text.unwrap_or_else(none)
        };
        ComparedFigures {
            errors,
            score: score_text(score),
            difference: text(&|way| Some(format!("{:+.3}", way.paired.difference))),
            interval: text(&interval_text),
            p: text(&|way| Some(format!("{} ({})", p_text(way.paired.p()?), way.method()))),
            p_holm: text(&|way| way.p_holm.map(p_text)),
        }
    };
    Some(Row {
        run,
        color: color_of(place),
        with: pair.map_or_else(|| "baseline".to_owned(), |pair| pair.first.clone()),
        ways: [
            way(
                "excluded",
                summary.score.as_ref(),
                pair.and_then(|pair| pair.errors_excluded.as_ref()),
            ),
            way(
                "as zero",
                summary.score_errors_as_zero.as_ref(),
                pair.and_then(|pair| pair.errors_as_zero.as_ref()),
            ),
        ],
        verdict: pair.map_or_else(String::new, |pair| verdict(pair, corrected).join(" ")),
        cost: cost_of_all_tries(summary),
        cost_per_right_answer: cost_per_right_answer(summary),
    })
}
