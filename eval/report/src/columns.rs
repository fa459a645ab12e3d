//! Figures in columns, as text for people.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, LineStyle, Table};

use crate::sanitize::sanitize;

/// Columns of the terminal that tables fill at most where there is none, or nobody says how wide it is.
pub const WIDTH: u16 = 80;

/// What a column of a table is given before there are fewer of them side by side.
const COLUMN: u16 = 26;

/// How many runs stand side by side in a table of this width, at least 1; more make further tables below it.
pub fn side_by_side(width: u16) -> usize {
    usize::from(width / COLUMN).max(1)
}

/// A table under a line: its first column is named `title` and names the figures, each further one has a label. At most
/// `width` columns wide and without colour, and any of it may be any text. Ends in a newline.
pub fn in_columns<'a>(
    title: &str,
    labels: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = (String, Vec<String>)>,
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
