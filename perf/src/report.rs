//! Formats figures as a table for people and as JSON for programs.

use std::fs;
use std::io;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

/// One measured value.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Name of the part of the suite.
    pub suite: &'static str,
    /// Name of the measurement.
    pub name: String,
    /// Median of the repetitions.
    pub value: f64,
    /// Minimum of the repetitions.
    pub least: f64,
    /// Unit, such as `ms CPU`.
    pub unit: &'static str,
    /// Number of repetitions.
    pub runs: usize,
    /// Target of the project for this value, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// Limit that a figure should not cross.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    /// Creates a figure from the values of the repetitions.
    pub fn new(
        suite: &'static str,
        name: impl Into<String>,
        unit: &'static str,
        mut runs: Vec<f64>,
    ) -> Self {
        runs.sort_by(f64::total_cmp);
        let middle = runs.len() / 2;
        let median = match runs.len() {
            0 => f64::NAN,
            count if count % 2 == 0 => f64::midpoint(runs[middle - 1], runs[middle]),
            _ => runs[middle],
        };
        Self {
            suite,
            name: name.into(),
            value: median,
            least: runs.first().copied().unwrap_or(f64::NAN),
            unit,
            runs: runs.len(),
            target: None,
        }
    }

    /// Sets a maximum as the target.
    pub fn at_most(mut self, bound: f64) -> Self {
        self.target = Some(Target::AtMost(bound));
        self
    }

    /// Sets a minimum as the target.
    pub fn at_least(mut self, bound: f64) -> Self {
        self.target = Some(Target::AtLeast(bound));
        self
    }

    fn verdict(&self) -> (String, &'static str) {
        let (text, met) = match self.target {
            None => return (String::new(), ""),
            Some(Target::AtMost(bound)) => (format!("≤ {bound}"), self.value <= bound),
            Some(Target::AtLeast(bound)) => (format!("≥ {bound}"), self.value >= bound),
        };
        (text, if met { "met" } else { "missed" })
    }
}

/// Formats the figures as a table.
pub fn table(figures: &[Figure]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "", "median", "minimum", "unit", "runs", "target", ""]);
    for figure in figures {
        let (target, verdict) = figure.verdict();
        table.add_row([
            figure.suite.to_owned(),
            figure.name.clone(),
            number(figure.value),
            number(figure.least),
            figure.unit.to_owned(),
            figure.runs.to_string(),
            target,
            verdict.to_owned(),
        ]);
    }
    for column in [2, 3, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// Writes the figures as JSON, with a description of the machine.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_json(path: &Path, quick: bool, engine: &str, figures: &[Figure]) -> io::Result<()> {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let json = serde_json::json!({
        "v": 1,
        "quick": quick,
        "engine": engine,
        "processors": std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        "processor": model.map_or("", |model| model.trim_start_matches(['\t', ' ', ':'])),
        "load": fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
        "figures": figures,
    });
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, format!("{json:#}\n"))
}

/// Formats a number with at most three decimals: fewer from 1 upward, and none from 100 upward.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        small if small >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}
