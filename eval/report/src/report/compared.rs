//! The comparisons of a sweep as rows of a page: what each cell gains, whether that is more than chance, and at what cost.

use statistics::Estimate;

use super::plot::colour_of;
use super::{Report, RunReport};
use crate::compare::{
    Comparison, Difference, FamilyKind, RunPair, cautions, heading, interval_text, p_text, verdict,
};
use crate::race::{RaceCell, RaceResult};
use crate::summary::{NONE, cost_of_all_tries, cost_per_right_answer, score_text};

/// The comparisons of one sweep.
pub(super) struct Compared<'a> {
    /// Its folder.
    pub folder: String,
    /// Its families of comparisons.
    pub families: Vec<FamilyRows<'a>>,
    /// The race that the cells run, in place of families.
    pub race: Option<Raced>,
}

/// A race as a table of the page.
pub(super) struct Raced {
    /// What it came to, a sentence each.
    pub sentences: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<&'static str>,
    /// Each cell with its colour, its row, and why it stopped.
    pub rows: Vec<(String, String, Vec<String>, String)>,
}

/// A family of comparisons.
pub(super) struct FamilyRows<'a> {
    /// What is compared, and how p values are corrected.
    pub heading: String,
    /// The runs that the others are measured by.
    pub baselines: Vec<Row<'a>>,
    /// What is to know of their intervals, a sentence each.
    pub cautions: Vec<String>,
    /// The comparisons.
    pub rows: Vec<Row<'a>>,
}

/// A run, and how it differs from another.
pub(super) struct Row<'a> {
    /// The run.
    pub run: &'a RunReport,
    /// Its colour on the page.
    pub colour: String,
    /// The name of the run that it is compared with; of a baseline, that it is one.
    pub with: String,
    /// Errors excluded, and errors as zero.
    pub ways: [Way; 2],
    /// What it comes to; nothing for a baseline.
    pub verdict: String,
    /// US dollars of all tries.
    pub cost: String,
    /// US dollars of a right answer.
    pub cost_per_right_answer: String,
}

/// A way to count errors.
pub(super) struct Way {
    /// Its name.
    pub errors: &'static str,
    /// The run's score.
    pub score: String,
    /// The run's score less that of the other.
    pub difference: String,
    /// Its interval.
    pub interval: String,
    /// The p value to go by, and the test that gave it.
    pub p: String,
    /// The same, corrected over the family.
    pub p_holm: String,
}

/// The comparisons of all sweeps of a report.
pub(super) fn compared(report: &Report) -> Vec<Compared<'_>> {
    let sweeps = report.sweeps.iter();
    let sweeps = sweeps.filter_map(|sweep| {
        let folder = sweep.folder.to_string_lossy().into_owned();
        if let Some(race) = &sweep.race {
            return Some(Compared {
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

/// None without a comparison.
fn compared_families<'a>(
    report: &'a Report,
    folder: String,
    comparison: &Comparison,
) -> Option<Compared<'a>> {
    (!comparison.comparisons.is_empty()).then(|| of(report, folder, comparison))
}

fn of<'a>(report: &'a Report, folder: String, comparison: &Comparison) -> Compared<'a> {
    let families = comparison.families.iter().map(|family| {
        let pairs = comparison.comparisons.iter();
        let pairs = pairs.filter(|pair| pair.family == family.kind);
        let pairs: Vec<&RunPair> = pairs.collect();
        let baselines = match family.kind {
            FamilyKind::Baseline => family.baselines.as_slice(),
            FamilyKind::Best | FamilyKind::All => &[],
        };
        FamilyRows {
            heading: heading(family, comparison.runs.len()).unwrap_or_default(),
            baselines: baselines
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
    Compared {
        folder,
        families: families.collect(),
        race: None,
    }
}

fn raced(race: &RaceResult, cells: &[(String, usize)]) -> Raced {
    let (columns, rows) = race.rows();
    let row = |((name, row), cell): ((String, Vec<String>), &RaceCell)| {
        let place = cells.iter().find(|(cell, _)| *cell == name);
        let colour = place.map(|(_, place)| colour_of(*place));
        let why = cell.why.clone().unwrap_or_default();
        (colour.unwrap_or_default(), name, row, why)
    };
    Raced {
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
            text.unwrap_or_else(|| NONE.to_owned())
        };
        Way {
            errors,
            score: score_text(score),
            difference: text(&|way| Some(format!("{:+.3}", way.paired.difference))),
            interval: text(&interval_text),
            p: text(&|way| Some(format!("{} ({})", p_text(way.p()?), way.method()))),
            p_holm: text(&|way| way.p_holm.map(p_text)),
        }
    };
    Some(Row {
        run,
        colour: colour_of(place),
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
