//! Combinations of the values of a matrix.

use std::fmt;

use harness::treatment::ExplicitSetting;

use super::matrix::{BASELINE, Matrix, SAME_MODEL, Varied};
use super::plan::safe;
use crate::settings::EngineSettings;

/// Maximum characters of a cell's name, so that number and name fit into a file name.
const MAX_NAME_CHARS: usize = 100;

/// One combination of values of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combination {
    pub(super) model: Option<String>,
    pub(super) protocol: String,
    /// `None` if the protocol's prompt does not have modes.
    pub(super) mode: Option<String>,
    /// `None` if the root cannot have children.
    pub(super) depth: Option<String>,
    /// `None` if children use the model of the cell.
    pub(super) child_model: Option<String>,
    /// Values of the matrix's varied flags, in order; `None` if the protocol lacks the flag.
    varied: Vec<Option<String>>,
    drivers: Vec<String>,
}

/// Returns all combinations, baselines first. The values of each axis must be distinct.
pub(super) fn combinations(matrix: &Matrix) -> Vec<Combination> {
    let models: Vec<Option<String>> = if matrix.models.is_empty() {
        vec![None]
    } else {
        matrix.models.iter().cloned().map(Some).collect()
    };
    let varied = products(matrix);
    // A baseline keeps the axes that belong to the model.
    let mut of_baselines: Vec<Vec<Option<String>>> = Vec::new();
    for values in &varied {
        let axes = matrix.varied.iter().zip(values);
        let own: Vec<_> = axes
            .map(|(axis, value)| value.clone().filter(|_| axis.of_model))
            .collect();
        if !of_baselines.contains(&own) {
            of_baselines.push(own);
        }
    }
    let mut all: Vec<Combination> = Vec::new();
    for model in &models {
        all.extend(of_baselines.iter().map(|varied| Combination {
            model: model.clone(),
            protocol: BASELINE.to_owned(),
            mode: None,
            depth: None,
            child_model: None,
            varied: varied.clone(),
            drivers: Vec::new(),
        }));
    }
    for model in &models {
        for protocol in &matrix.protocols {
            for mode in &matrix.prompt_modes {
                for depth in &matrix.depths {
                    for child in &matrix.child_models {
                        for varied in &varied {
                            all.extend(matrix.driver_sets.iter().map(|drivers| Combination {
                                model: model.clone(),
                                protocol: protocol.clone(),
                                mode: Some(mode.clone()),
                                depth: Some(depth.clone()),
                                child_model:
                                    Some(child.clone()).filter(|child| child != SAME_MODEL),
                                varied: varied.clone(),
                                drivers: drivers.clone(),
                            }));
                        }
                    }
                }
            }
        }
    }
    all
}

/// Returns all combinations of the varied flags' values; without varied flags, a single empty one.
fn products(matrix: &Matrix) -> Vec<Vec<Option<String>>> {
    let mut all = vec![Vec::new()];
    for axis in &matrix.varied {
        let longer = all.iter().flat_map(|values: &Vec<Option<String>>| {
            axis.values.iter().map(|value| {
                let mut values = values.clone();
                values.push(Some(value.clone()));
                values
            })
        });
        all = longer.collect();
    }
    all
}

impl Combination {
    /// Returns the varied flags of the combination with their values.
    pub(super) fn varied<'a>(
        &'a self,
        matrix: &'a Matrix,
    ) -> impl Iterator<Item = (&'a Varied, &'a String)> {
        let axes = matrix.varied.iter().zip(&self.varied);
        axes.filter_map(|(axis, value)| Some((axis, value.as_ref()?)))
    }

    /// Returns the combination's flags for `rlm-eval run`, each followed by its value. Shared and
    /// varied flags are not included.
    pub(super) fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut add = |name: &str, value: &str| {
            flags.extend([name.to_owned(), value.to_owned()]);
        };
        if let Some(model) = &self.model {
            add("--model", model);
        }
        add("--protocol", &self.protocol);
        if let Some(mode) = &self.mode {
            add("--prompt-mode", mode);
        }
        if let Some(depth) = &self.depth {
            add("--max-depth", depth);
        }
        if let Some(model) = &self.child_model {
            add("--child-model", model);
        }
        add("--drivers", &self.drivers.join(","));
        flags
    }

    /// Removes the axes of these settings and returns whether the combination had any of them.
    pub(super) fn without_axes(&mut self, matrix: &Matrix, settings: &[ExplicitSetting]) -> bool {
        let before = self.clone();
        for setting in settings {
            match &*setting.flag {
                "--prompt-mode" => self.mode = None,
                "--max-depth" => self.depth = None,
                "--child-model" => self.child_model = None,
                flag => self.without(matrix, flag.trim_start_matches('-')),
            }
        }
        *self != before
    }

    fn without(&mut self, matrix: &Matrix, flag: &str) {
        for (axis, value) in matrix.varied.iter().zip(&mut self.varied) {
            if axis.flag == flag {
                *value = None;
            }
        }
    }

    /// Removes axes that do not apply to these agents but were accepted because their values are
    /// defaults.
    pub(super) fn remove_default_axes(&mut self, matrix: &Matrix, engine: &EngineSettings) {
        if engine.effective.prompt_mode.is_none() {
            self.mode = None;
            self.without(matrix, "repl-api");
        }
        if engine.effective.max_depth == 0 {
            self.depth = None;
        }
    }

    /// Returns the folder name, built from the values that distinguish the cell.
    pub(super) fn name(&self, matrix: &Matrix) -> String {
        let mut parts = Vec::new();
        if matrix.models.len() > 1 {
            parts.extend(self.model.clone());
        }
        if matrix.protocols.len() > 1 || self.mode.is_none() {
            parts.push(self.protocol.clone());
        }
        parts.extend(self.mode.clone());
        if matrix.depths.len() > 1 {
            parts.extend(self.depth.as_ref().map(|depth| format!("depth{depth}")));
        }
        if matrix.child_models.len() > 1 {
            let child = self.child_model.as_ref();
            parts.extend(child.map(|child| format!("child-{child}")));
        }
        for (axis, value) in self.varied(matrix) {
            if axis.values.len() > 1 {
                parts.push(format!("{}{value}", axis.label));
            }
        }
        parts.extend((!self.drivers.is_empty()).then(|| self.drivers.join("+")));
        safe(&parts.join("-"))
            .chars()
            .take(MAX_NAME_CHARS)
            .collect()
    }
}

/// Formats the combination for messages: `--protocol rlm --prompt-mode coordinator --max-depth 1`.
impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = self.flags();
        let pairs = flags.chunks_exact(2).filter(|pair| !pair[1].is_empty());
        let pairs: Vec<String> = pairs.map(|pair| pair.join(" ")).collect();
        f.write_str(&pairs.join(" "))
    }
}
