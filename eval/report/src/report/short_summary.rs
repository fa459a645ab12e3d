//! Summarizes a sweep in a few lines: the comparison of each cell with its baseline, and the
//! verdict.

use super::Report;
use super::sweep_tables::{Row, compared};
use crate::columns::in_columns;
use crate::sanitize::sanitize;

/// Returns, for each sweep with baselines, a table of scores, differences, p values and costs,
/// followed by a sentence for each comparison. Tables are at most `width` columns wide; sentences
/// are not wrapped.
pub(super) fn short_summary(report: &Report, width: u16) -> Vec<String> {
    let families = compared(report)
        .into_iter()
        .flat_map(|sweep| sweep.families);
    families
        .filter(|family| !family.baselines.is_empty())
        .map(|family| {
            let rows = family.baselines.iter().chain(&family.rows);
            let rows = rows.map(cells);
            let labels = ["score", "difference", "p", "cost per right answer"];
            let mut text = in_columns("in short", labels, rows, width);
            for row in &family.rows {
                text += &format!("\n{}\n", sanitize(&row.verdict, usize::MAX));
            }
            text
        })
        .collect()
}

fn cells(row: &Row<'_>) -> (String, Vec<String>) {
    let [way, _] = &row.ways;
    let cells = [
        &*way.score,
        &*way.difference,
        &*way.p_holm,
        &*row.cost_per_right_answer,
    ];
    (
        format!("{}  {}", row.run.name, row.run.label),
        cells.map(str::to_owned).to_vec(),
    )
}
