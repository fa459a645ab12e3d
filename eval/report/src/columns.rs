//! Text tables with one column per run.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, LineStyle, Table};

use crate::sanitize::sanitize;

/// Default table width in columns, used if the terminal's width is unknown.
pub const WIDTH: u16 = 80;

/// Minimum width of a run's column.
const COLUMN: u16 = 26;

/// Row of a table: its name, and a cell for each run.
pub type Row = (String, Vec<String>);

/// Returns a row with a cell for each of `runs`.
pub fn row<R>(runs: &[R], name: impl Into<String>, cell: impl Fn(&R) -> String) -> Row {
    (name.into(), runs.iter().map(cell).collect())
}

/// Returns how many runs fit into a table of this width, at least 1. The remaining runs go into
/// further tables below.
pub fn side_by_side(width: u16) -> usize {
    usize::from(width / COLUMN).max(1)
}

/// Formats a table. The first column has the heading `title` and the names of `rows`; the other
/// columns have the headings `labels`. The table is at most `width` columns wide, has no colors,
/// and ends in a newline. All texts are sanitized.
pub fn in_columns<'a>(
    title: &str,
    labels: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = Row>,
    width: u16,
) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING.header_separator(LineStyle::none().fill('─')))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    let clean = |text: &str| sanitize(text, width.into());
    let labels = labels.into_iter().map(clean);
    table.set_header([clean(title)].into_iter().chain(labels));
    for (name, cells) in rows {
        let indent = name.len() - name.trim_start_matches(' ').len();
        let name = " ".repeat(indent) + &clean(&name);
        let cells = cells.iter().map(|cell| clean(cell));
        table.add_row([name].into_iter().chain(cells));
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}
