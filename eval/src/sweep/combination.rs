//! Combinations of the values of a matrix.

use std::fmt;

use harness::treatment::ExplicitSetting;

use super::matrix::{Axis, BASELINE, MAX_DEPTH, MODEL, Matrix, PROMPT_MODE, PROTOCOL, REPL_API};
use super::plan::safe;
use super::settings::NONE;
use crate::settings::EngineSettings;

/// Maximum characters of a cell's name, so that number and name fit into a file name.
const MAX_NAME_CHARS: usize = 100;

/// One combination of values of the matrix.
#[derive(Debug, Clone)]
pub(super) struct Combination<'m> {
    matrix: &'m Matrix,
    /// Value of each axis of the matrix; `None` if the cell lacks the flag.
    values: Vec<Option<String>>,
}

/// Returns all combinations, baselines first. The values of each axis must be distinct.
pub(super) fn combinations(matrix: &Matrix) -> Vec<Combination<'_>> {
    // A baseline keeps only the axes of its model.
    let of_baseline = |axis: &Axis, values: &[String]| match axis.flag {
        PROTOCOL => vec![Some(BASELINE.to_owned())],
        _ if axis.of_model => values.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    let of_others = |axis: &Axis, values: &[String]| {
        let lacks = |value: &String| axis.default == Some(NONE) && value == NONE;
        let values = values.iter().cloned();
        let values = values.map(|value| Some(value).filter(|value| !lacks(value)));
        values.collect()
    };
    let mut all = product(matrix, of_baseline);
    all.extend(product(matrix, of_others));
    all
}

/// Returns all combinations of the `chosen` values of each axis.
fn product(
    matrix: &Matrix,
    chosen: impl Fn(&Axis, &[String]) -> Vec<Option<String>>,
) -> Vec<Combination<'_>> {
    let mut all = vec![Vec::new()];
    for (axis, values) in &matrix.axes {
        let values = chosen(axis, values);
        let longer = all.iter().flat_map(|first: &Vec<Option<String>>| {
            let with = |value: &Option<String>| [first.clone(), vec![value.clone()]].concat();
            values.iter().map(with).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    let all = all.into_iter();
    all.map(|values| Combination { matrix, values }).collect()
}

impl<'m> Combination<'m> {
    /// Returns all axes in order, each with its values and the cell's own, which is `None` if the
    /// cell lacks the flag.
    fn axes(&self) -> impl Iterator<Item = (&'m Axis, &'m [String], Option<&str>)> {
        let axes = self.matrix.axes.iter().zip(&self.values);
        axes.map(|((axis, values), value)| (*axis, values.as_slice(), value.as_deref()))
    }

    /// Returns the axes that the cell has, with their values.
    pub(super) fn given(&self) -> impl Iterator<Item = (&'m Axis, &str)> {
        self.axes()
            .filter_map(|(axis, _, value)| Some((axis, value?)))
    }

    /// Returns the flags of the axes that the cell lacks, without dashes.
    pub(super) fn lacking(&self) -> impl Iterator<Item = &'static str> {
        self.axes()
            .filter_map(|(axis, _, value)| value.is_none().then_some(axis.flag))
    }

    fn value(&self, flag: &str) -> Option<&str> {
        let (_, value) = self.given().find(|(axis, _)| axis.flag == flag)?;
        Some(value)
    }

    /// Whether the combination gives a model.
    pub(super) fn has_model(&self) -> bool {
        self.value(MODEL).is_some()
    }

    /// Whether both combinations have the same values.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.values == other.values
    }

    /// Whether both combinations differ at most in prompts, models and limits of agents.
    pub(super) fn has_same_structure(&self, other: &Self) -> bool {
        [PROTOCOL, MAX_DEPTH].map(|flag| self.value(flag))
            == [PROTOCOL, MAX_DEPTH].map(|flag| other.value(flag))
    }

    /// Whether a setting belongs to an axis of the matrix, not to the shared flags.
    pub(super) fn varies(&self, setting: &ExplicitSetting) -> bool {
        let flag = setting.flag.trim_start_matches('-');
        self.axes().any(|(axis, ..)| axis.flag == flag)
    }

    /// Removes the axes of these settings and returns whether the combination had any of them.
    pub(super) fn omit(&mut self, settings: &[ExplicitSetting]) -> bool {
        let before = self.values.clone();
        for setting in settings {
            self.omit_flag(setting.flag.trim_start_matches('-'));
        }
        self.values != before
    }

    fn omit_flag(&mut self, flag: &str) {
        for ((axis, _), value) in self.matrix.axes.iter().zip(&mut self.values) {
            if axis.flag == flag && axis.may_be_omitted {
                *value = None;
            }
        }
    }

    /// Removes axes that do not apply to these agents but were accepted because their values are
    /// defaults.
    pub(super) fn omit_defaults(&mut self, engine: &EngineSettings) {
        if engine.effective.prompt_mode.is_none() {
            self.omit_flag(PROMPT_MODE);
            self.omit_flag(REPL_API);
        }
        if engine.effective.max_depth == 0 {
            self.omit_flag(MAX_DEPTH);
        }
    }

    /// Returns the folder name, built from the values that distinguish the cell.
    pub(super) fn name(&self) -> String {
        let parts = self.axes().filter_map(|(axis, values, value)| {
            let stands_for_mode = axis.flag == PROTOCOL && self.value(PROMPT_MODE).is_none();
            let is_named = values.len() > 1 || axis.names_only_value || stands_for_mode;
            let value = value.filter(|_| is_named)?;
            Some(format!("{}{}", axis.label, value.replace(',', "+")))
        });
        let parts: Vec<String> = parts.collect();
        safe(&parts.join("-"))
            .chars()
            .take(MAX_NAME_CHARS)
            .collect()
    }
}

/// Formats the combination for messages: `--protocol rlm --prompt-mode coordinator --max-depth 1`.
impl fmt::Display for Combination<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = self.given();
        let flags: Vec<String> = flags
            .map(|(axis, value)| format!("--{} {value}", axis.flag))
            .collect();
        f.write_str(&flags.join(" "))
    }
}
