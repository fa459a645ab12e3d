//! Figures in columns, as text for people.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, LineStyle, Table};

use crate::sanitize::sanitize;

/// Columns of the terminal that a table may fill.
const WIDTH: u16 = 80;

/// A table under a line: its first column is named `title` and names the figures, each further one has a label. At most
/// 80 columns wide and without colour, and any of it may be any text. Ends in a newline.
pub fn in_columns<'a>(
    title: &str,
    labels: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = (String, Vec<String>)>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING.header_separator(LineStyle::none().fill('─')))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .force_no_tty();
    let clean = |text: &str| sanitize(text, WIDTH.into());
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
