//! Measures the CPU time and wall time of recorded cells in the sandbox and in Node.js.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::bench::{Bench, SuiteError, log_progress};
use crate::report::Figure;

/// Threshold in milliseconds: cells that use more CPU time in Node.js are reported individually.
const LONG_MS: f64 = 20.0;

/// A recorded attempt.
struct Trajectory {
    name: String,
    context: String,
    cells: Vec<String>,
}

/// CPU time, wall time and output of a cell.
#[derive(Deserialize)]
struct CellMeasurement {
    cpu_ms: f64,
    ms: f64,
    output: String,
}

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let trajectories = read(&bench.arguments.recorded)?;
    let has_node = Command::new("node")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    // `cargo build --example cells` puts it next to the program.
    let cells_here = bench.program().with_file_name("examples").join("cells");
    if trajectories.is_empty() || has_node.is_err() || !cells_here.exists() {
        log_progress(
            "recorded: skipped: requires recorded runs (--recorded), Node.js, and the sandbox's example `cells`",
        );
        return Ok(Vec::new());
    }
    let trajectories = &trajectories[..bench.size(trajectories.len(), 1)];
    let names = trajectories.iter().flat_map(|trajectory| {
        let numbered =
            (1..=trajectory.cells.len()).map(|cell| format!("{} cell {cell}", trajectory.name));
        numbered.collect::<Vec<_>>()
    });
    let names: Vec<String> = names.collect();
    let file = bench.path("cells.json");
    let all: Vec<Value> = trajectories
        .iter()
        .map(|trajectory| json!({"context": trajectory.context, "cells": trajectory.cells}))
        .collect();
    fs::write(&file, json!({"trajectories": all}).to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cells.mjs");
    let run_here = || run(&mut Command::new(&cells_here), &file);
    let run_node = || run(Command::new("node").arg(&script), &file);
    let (mut here, mut node) = (run_here()?, run_node()?);
    for _ in 1..bench.size(3, 1) {
        keep_minimum_times(&mut here, run_here()?);
        keep_minimum_times(&mut node, run_node()?);
    }
    if here.len() != names.len() || node.len() != names.len() {
        return Err(format!(
            "of {} cells, {} ran here and {} under Node.js",
            names.len(),
            here.len(),
            node.len()
        )
        .into());
    }
    let same = here
        .iter()
        .zip(&node)
        .filter(|(here, node)| here.output == node.output)
        .count();
    log_progress(&format!(
        "recorded: {same} of {} cells print the same here and under Node.js",
        names.len()
    ));
    let mut figures = Vec::new();
    let long = |node: &CellMeasurement| node.cpu_ms > LONG_MS;
    let mut ratios = Vec::new();
    for ((name, here), node) in names
        .iter()
        .zip(&here)
        .zip(&node)
        .filter(|(_, node)| long(node))
    {
        let name = format!("{name} ({:.0} ms in Node.js): here / Node.js", node.ms);
        let cpu = vec![here.cpu_ms / node.cpu_ms];
        figures.push(Figure::new("recorded", &name, "times the CPU", cpu));
        let time = here.ms / node.ms;
        figures.push(Figure::new("recorded", &name, "times the time", vec![time]));
        ratios.push(time);
    }
    if !ratios.is_empty() {
        let name = format!("{} cells over {LONG_MS} ms, here / Node.js", ratios.len());
        let of_all = Figure::new("recorded", name, "times the time", ratios);
        figures.push(of_all.at_most(1.1));
    }
    let cells = here.iter().zip(&node);
    let short: Vec<_> = cells.filter(|(_, node)| !long(node)).collect();
    let here: f64 = short.iter().map(|(here, _)| here.cpu_ms).sum();
    let node: f64 = short.iter().map(|(_, node)| node.cpu_ms).sum();
    let figure = |place, unit, value| {
        let name = format!("{} cells of at most {LONG_MS} ms, {place}", short.len());
        Figure::new("recorded", name, unit, vec![value])
    };
    figures.extend([
        figure("here", "ms CPU", here),
        figure("in Node.js", "ms CPU", node),
        figure("here / Node.js", "times the CPU", here / node).at_most(1.1),
    ]);
    Ok(figures)
}

/// Keeps the minimum times of each cell.
fn keep_minimum_times(best: &mut [CellMeasurement], again: Vec<CellMeasurement>) {
    for (best, again) in best.iter_mut().zip(again) {
        best.cpu_ms = best.cpu_ms.min(again.cpu_ms);
        best.ms = best.ms.min(again.ms);
    }
}

/// Reads the trajectories of all recorded runs in a folder; empty if the folder is missing.
fn read(folder: &Path) -> Result<Vec<Trajectory>, SuiteError> {
    let Ok(entries) = fs::read_dir(folder.join("node-rlm")) else {
        return Ok(Vec::new());
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    let mut trajectories = Vec::new();
    for file in files {
        let run: Value = serde_json::from_slice(&fs::read(&file)?)?;
        for result in run["results"].as_array().into_iter().flatten() {
            let id = result["taskId"].as_str().unwrap_or_default();
            let steps = result["trace"].as_array().into_iter().flatten();
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            trajectories.push(Trajectory {
                name: format!("{stem} {id}"),
                context: context(folder, id)?,
                cells: steps
                    .filter_map(|step| Some(step["code"][0].as_str()?.to_owned()))
                    .collect(),
            });
        }
    }
    Ok(trajectories)
}

/// Returns a task as JSON without its test outputs, as the recorded system showed it to the model.
fn context(folder: &Path, id: &str) -> Result<String, SuiteError> {
    let stem = id.split_once('-').map_or(id, |(_, stem)| stem);
    let file = folder
        .join("arc-agi-2/evaluation")
        .join(format!("{stem}.json"));
    let mut task: Value = serde_json::from_slice(&fs::read(file)?)?;
    for test in task["test"].as_array_mut().into_iter().flatten() {
        if let Some(test) = test.as_object_mut() {
            test.remove("output");
        }
    }
    Ok(task.to_string())
}

/// Runs cells with a program that prints the times and output of each.
fn run(program: &mut Command, cells: &Path) -> Result<Vec<CellMeasurement>, SuiteError> {
    let output = program.arg(cells).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{program:?} ended with {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
