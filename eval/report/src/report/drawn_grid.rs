//! Finds ARC grids in answers and draws them.

use std::fmt::Write as _;

use serde_json::Value;

/// Grid of colors from 0 to 9, row by row.
pub type Grid = Vec<Vec<u8>>;

/// Maximum number of rows and of columns in a drawing; larger grids are shown as text.
const LARGEST: usize = 64;

/// Maximum bytes of a text that may be parsed as a grid.
const LONGEST: usize = 200_000;

/// Parses a text that is a grid or a list of grids. Returns `None` for anything else.
pub(super) fn in_text(text: &str) -> Option<Vec<Grid>> {
    let text = text.trim();
    if !text.starts_with('[') || text.len() > LONGEST {
        return None;
    }
    in_value(&serde_json::from_str(text).ok()?)
}

/// Parses a value that is a grid or a list of grids.
pub(super) fn in_value(value: &Value) -> Option<Vec<Grid>> {
    match value {
        Value::String(text) => in_text(text),
        value => grid(value).map(|one| vec![one]).or_else(|| {
            let grids: Option<Vec<Grid>> = value.as_array()?.iter().map(grid).collect();
            grids.filter(|grids| !grids.is_empty())
        }),
    }
}

fn grid(value: &Value) -> Option<Grid> {
    let rows = value.as_array()?.iter().map(|row| {
        let cells = row.as_array()?.iter().map(|cell| {
            let color = u8::try_from(cell.as_u64()?).ok()?;
            (color <= 9).then_some(color)
        });
        cells.collect::<Option<Vec<u8>>>()
    });
    let rows: Grid = rows.collect::<Option<Grid>>()?;
    let width = rows.first()?.len();
    let fits = |length: usize| (1..=LARGEST).contains(&length);
    let is_even = rows.iter().all(|row| row.len() == width);
    (fits(rows.len()) && fits(width) && is_even).then_some(rows)
}

/// Draws a grid as SVG. The SVG contains only numbers and fixed words, so nothing needs escaping.
/// Cells that differ from `other` are marked.
pub(super) fn svg(grid: &Grid, name: &str, other: Option<&Grid>) -> String {
    let columns = grid.first().map_or(0, Vec::len);
    let size = (160 / grid.len().max(columns).max(1)).clamp(4, 16);
    let (width, height) = (columns * size, grid.len() * size);
    let mut cells = String::new();
    let mut differing = 0;
    for (y, row) in grid.iter().enumerate() {
        for (x, color) in row.iter().enumerate() {
            let (left, top) = (x * size, y * size);
            // Formatting into a string cannot fail.
            let _ = write!(
                cells,
                r#"<rect x="{left}" y="{top}" width="{size}" height="{size}" class="c{color}"/>"#
            );
            let theirs = other.map(|other| other.get(y).and_then(|row| row.get(x)));
            if theirs.is_some_and(|theirs| theirs != Some(color)) {
                differing += 1;
                let (third, inner) = (size / 3, size.div_ceil(3));
                let _ = write!(
                    cells,
                    r#"<rect x="{}" y="{}" width="{inner}" height="{inner}" class="differs"/>"#,
                    left + third,
                    top + third
                );
            }
        }
    }
    let apart = match differing {
        0 => String::new(),
        1 => ", 1 cell differs".to_owned(),
        several => format!(", {several} cells differ"),
    };
    format!(
        r#"<svg class="grid" role="img" aria-label="{name}: a grid of {} rows and {columns} columns{apart}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{cells}</svg>"#,
        grid.len()
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{in_text, in_value, svg};

    #[test]
    fn finds_and_draws_grids() {
        let rows = [
            ("[[1, 2], [3, 4]]", Some(1)),
            (" [[[1]], [[2]]] ", Some(2)),
            ("[[1, 2], [3]]", None),
            ("[[10]]", None),
            ("[[-1]]", None),
            ("[]", None),
            ("[[]]", None),
            ("no grid", None),
            ("[[1, \"<b>\"]]", None),
        ];
        for (text, grids) in rows {
            assert_eq!(in_text(text).map(|grids| grids.len()), grids, "{text}");
        }
        let [one, other] =
            [json!([[1, 2]]), json!([[1, 3]])].map(|grid| in_value(&grid).unwrap().remove(0));
        let drawn = svg(&one, "got", Some(&other));
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(
            drawn.contains("1 rows and 2 columns, 1 cell differs"),
            "{drawn}"
        );
    }
}
