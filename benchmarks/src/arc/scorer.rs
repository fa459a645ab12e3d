//! `arc-grid/1`: the last grids in the answer must equal the expected ones.

use serde_json::Value;

use crate::score::{excerpt, invalid_expected, json_spans, right, unreadable, wrong};
use crate::{Sample, Score, Scorer};

/// Compares grids cell by cell; all grids of the task must match.
///
/// The answer may contain prose and code fences. The last JSON array or object of a valid form is
/// used; nested arrays and objects do not count separately. Valid forms are
/// - for one test: a grid `[[…],…]`, or a list of one grid;
/// - for several tests: a list of one grid per test, in order;
/// - in place of a grid or list: an object with a grid or list in its member `output`;
/// - in place of all of these: an object without a member `output`, whose last member of a valid
///   form is used.
///
/// A cell is a whole number; `1.0` counts as 1, because JSON and JavaScript do not distinguish
/// them. Rows may differ in length: a ragged grid is readable, but wrong.
#[derive(Clone, Copy, Debug)]
pub struct ArcGrid;

/// Maximum bytes of an array or object to parse. The grids of a task have a few kilobytes, but a
/// parsed value may need a hundred times the memory of its text.
const MAX_BYTES: usize = 1 << 20;

/// Rows of cells. The type is `f64` because an answer may contain whole numbers beyond `i64`, which
/// only have to differ from every color.
type Grid = Vec<Vec<f64>>;

impl ArcGrid {
    /// Name of the scorer with its version.
    pub const NAME: &str = "arc-grid/1";
}

impl Scorer for ArcGrid {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, value: &Value) -> Option<&'static str> {
        let fits = expected(value).is_some_and(|grids| !grids.is_empty());
        (!fits).then_some("is neither a grid nor a list of grids")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Some(expected) = expected(&sample.expected) else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        // Parsing the spans from last to first takes linear time, because they do not overlap.
        let mut other_count = None;
        for span in json_spans(answer)
            .into_iter()
            .rev()
            .filter(|span| span.len() <= MAX_BYTES)
        {
            let Ok(value) = serde_json::from_str::<Value>(&answer[span]) else {
                continue;
            };
            match reading(&value, expected.len()) {
                Reading::Grids(grids) => return compare(&grids, &expected),
                Reading::OtherCount(count) => other_count = other_count.or(Some(count)),
                Reading::Nothing => {}
            }
        }
        match (other_count, answer.trim()) {
            (Some(count), _) => wrong(format!(
                "the answer has {count} grid{}, expected {}",
                if count == 1 { "" } else { "s" },
                expected.len()
            )),
            (None, "") => wrong("the answer is empty"),
            (None, answer) => {
                unreadable(format!("no grid found in the answer {}", excerpt(answer)))
            }
        }
    }
}

fn expected(value: &Value) -> Option<Vec<Grid>> {
    grid(value).map(|grid| vec![grid]).or_else(|| grids(value))
}

/// Interpretation of an array or object in the answer.
enum Reading {
    /// As many grids as the task has tests.
    Grids(Vec<Grid>),
    /// A different number of grids.
    OtherCount(usize),
    /// Anything else.
    Nothing,
}

impl Reading {
    fn rank(&self) -> u8 {
        match self {
            Self::Grids(_) => 2,
            Self::OtherCount(_) => 1,
            Self::Nothing => 0,
        }
    }
}

/// Interprets an array or object. The recursion is bounded, because [`json_spans`] limits the
/// depth.
fn reading(value: &Value, tests: usize) -> Reading {
    if let Value::Object(members) = value
        && !members.contains_key("output")
    {
        let readings = members.values().map(|member| reading(member, tests));
        // `max_by_key` returns the last of equal elements, so the last member wins a tie.
        return readings
            .max_by_key(Reading::rank)
            .unwrap_or(Reading::Nothing);
    }
    let found = grid(value).map(|grid| vec![grid]).or_else(|| grids(value));
    match found {
        Some(grids) if grids.len() == tests => Reading::Grids(grids),
        Some(grids) => Reading::OtherCount(grids.len()),
        None => Reading::Nothing,
    }
}

/// Parses a list of grids, or an object with such a list in `output`.
fn grids(value: &Value) -> Option<Vec<Grid>> {
    match output(value) {
        Value::Array(items) if !items.is_empty() => items.iter().map(grid).collect(),
        _ => None,
    }
}

/// Parses a grid, or an object with a grid in `output`. Rows are nonempty lists of whole numbers.
fn grid(value: &Value) -> Option<Grid> {
    let rows = output(value).as_array().filter(|rows| !rows.is_empty())?;
    rows.iter().map(row).collect()
}

fn row(value: &Value) -> Option<Vec<f64>> {
    let cells = value.as_array().filter(|cells| !cells.is_empty())?;
    cells
        .iter()
        .map(|cell| cell.as_f64().filter(|cell| cell.fract() == 0.0))
        .collect()
}

/// Returns the member `output` of an object that has one, or else the value itself.
fn output(value: &Value) -> &Value {
    value.get("output").unwrap_or(value)
}

fn compare(found: &[Grid], expected: &[Grid]) -> Score {
    for ((found, expected_grid), number) in found.iter().zip(expected).zip(1..) {
        if let Some(fault) = difference(found, expected_grid) {
            return wrong(match expected.len() {
                1 => fault,
                of => format!("grid {number} of {of}: {fault}"),
            });
        }
    }
    right(match expected.len() {
        1 => "the grid matches".to_owned(),
        of => format!("all {of} grids match"),
    })
}

fn difference(found: &Grid, expected: &Grid) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!(
            "wrong shape, number of rows is {}, expected {}",
            found.len(),
            expected.len()
        ));
    }
    for ((found, expected), number) in found.iter().zip(expected).zip(1..) {
        let (found, expected) = (found.len(), expected.len());
        if found != expected {
            return Some(format!(
                "wrong shape, width of row {number} is {found}, expected {expected}"
            ));
        }
    }
    #[expect(clippy::float_cmp, reason = "whole numbers")]
    let differing = found
        .iter()
        .flatten()
        .zip(expected.iter().flatten())
        .filter(|(a, b)| a != b)
        .count();
    let cells = expected.iter().flatten().count();
    (differing > 0).then(|| format!("{differing} of {cells} cells differ"))
}
