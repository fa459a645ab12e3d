//! Reads and checks one ARC task file.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::DatasetError;

/// Rows of colors from 0 to 9.
type Grid = Vec<Vec<i64>>;

/// A task whose grids are rectangular and whose pairs all have an output.
#[derive(Deserialize, Serialize)]
pub struct Task {
    pub train: Vec<Pair>,
    pub test: Vec<Pair>,
}

/// An input grid and the output that the task's rule produces from it.
#[derive(Deserialize, Serialize)]
pub struct Pair {
    input: Grid,
    output: Option<Grid>,
}

impl Task {
    /// Reads and checks a task file. Fields other than `train` and `test` are ignored.
    pub fn read(path: &Path) -> Result<Self, DatasetError> {
        let bytes = fs::read(path).map_err(DatasetError::cannot_read(path))?;
        let task: Self = serde_json::from_slice(&bytes).map_err(|reason| {
            let format = r#"{"train": [{"input": grid, "output": grid}], "test": […]}"#;
            DatasetError::unusable(path, format!("{reason}; an ARC task is {format}"))
        })?;
        match task.fault() {
            Some((field, problem)) => {
                Err(DatasetError::unusable(path, format!("{field} {problem}")))
            }
            None => Ok(task),
        }
    }

    /// Returns the SHA-256 digest of the pairs.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(json!(self).to_string()).into()
    }

    /// Returns the part of the task that the solver may see: the training pairs and the test
    /// inputs.
    pub fn question(&self) -> Value {
        let inputs = self
            .test
            .iter()
            .map(|pair| json!({ "input": pair.input }))
            .collect::<Vec<_>>();
        json!({ "train": self.train, "test": inputs })
    }

    /// Returns the output grid of the only test, or the list of output grids.
    pub fn answer(&self) -> Value {
        match self.test.as_slice() {
            [pair] => json!(pair.output),
            pairs => pairs.iter().map(|pair| json!(pair.output)).collect(),
        }
    }

    /// Returns the first invalid field and what is wrong with it.
    fn fault(&self) -> Option<(String, String)> {
        for (part, pairs) in [("train", &self.train), ("test", &self.test)] {
            if pairs.is_empty() {
                return Some((
                    part.to_owned(),
                    "is empty; expected at least one pair".to_owned(),
                ));
            }
            for (pair, index) in pairs.iter().zip(0..) {
                let output = format!("{part}[{index}].output");
                let Some(grid) = &pair.output else {
                    return Some((
                        output,
                        "is missing; a task without it cannot be scored".to_owned(),
                    ));
                };
                for (field, grid) in [
                    (format!("{part}[{index}].input"), &pair.input),
                    (output, grid),
                ] {
                    if let Some(problem) = grid_fault(grid) {
                        return Some((field, problem));
                    }
                }
            }
        }
        None
    }
}

fn grid_fault(grid: &Grid) -> Option<String> {
    let width = grid.first().map_or(0, Vec::len);
    if width == 0 {
        return Some("is empty; expected at least one cell".to_owned());
    }
    for (row, number) in grid.iter().zip(1..) {
        if row.len() != width {
            return Some(format!(
                "is ragged: the width of row {number} is {} and that of row 1 is {width}",
                row.len()
            ));
        }
        if let Some(column) = row.iter().position(|cell| !(0..=9).contains(cell)) {
            let (cell, column) = (row[column], column + 1);
            return Some(format!(
                "has {cell} in row {number}, column {column}; expected 0 to 9"
            ));
        }
    }
    None
}
