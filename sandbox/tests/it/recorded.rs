//! Runs the cells of two recorded runs of a real model, one trajectory at a time. The output must
//! equal that of a Node.js REPL byte for byte.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Config, Console, Event};
use serde_json::Value;

use crate::driver::root;
use crate::engines;

/// Cells for which the recording REPL recorded an error by mistake. In two, it parsed a function
/// declaration and the destructuring below it as one call; in one, it did not hoist a function
/// above its use.
const RECORDED_WRONG: [(&str, &str, usize); 3] = [
    ("run-027-baseline.json", "arc-4e34c42c", 12),
    ("run-027-baseline.json", "arc-4e34c42c", 13),
    ("run-027-baseline.json", "arc-7ed72f31", 10),
];

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/data")
        .join(path)
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    serde_json::from_str(&text).expect("the file is JSON")
}

/// Returns the names of the recorded runs, sorted.
fn recordings() -> Vec<String> {
    let entries = std::fs::read_dir(data("node-rlm")).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.strip_suffix(".json").is_some())
        .collect();
    names.sort();
    names
}

/// Returns the task as the recorded system presented it to the model: without its test outputs.
fn context(task_id: &str) -> String {
    let stem = task_id.trim_start_matches("arc-");
    let mut task = read(&data(&format!("arc-agi-2/evaluation/{stem}.json")));
    for test in task["test"].as_array_mut().expect("tests") {
        test.as_object_mut().expect("a test").remove("output");
    }
    task.to_string()
}

#[tokio::test]
async fn recorded_cells_match_node_output() {
    if !data("node-rlm").is_dir() {
        println!("skipped: no recorded runs on this machine");
        return;
    }
    let (mut cells, mut matches, mut mismatches) = (0, 0, String::new());
    let mut slowest = (Duration::ZERO, String::new());
    for file in recordings() {
        let file = file.as_str();
        let run = read(&data(&format!("node-rlm/{file}")));
        let results = run["results"].as_array().expect("results");
        for result in results.iter().step_by(engines::every()) {
            let task = result["taskId"].as_str().expect("a task id");
            let config = Config {
                console: Console::Plain,
                ..Config::default()
            };
            let mut repl = root(config, &context(task)).await;
            for (index, step) in result["trace"]
                .as_array()
                .expect("a trace")
                .iter()
                .enumerate()
            {
                let code = step["code"][0].as_str().expect("code");
                repl.run(code, u32::try_from(index).expect("few cells") + 1);
                let outcome = loop {
                    match repl.next().await.expect("the isolate lives") {
                        Event::Finished(outcome) => break outcome,
                        Event::Called(call) => repl.settle(call.id, Err("not recorded".to_owned())),
                        Event::CallContext { .. }
                        | Event::StatusRequested { .. }
                        | Event::Cancelled(_)
                        | Event::Invoked(_) => {}
                    }
                };
                if outcome.executed > slowest.0 {
                    slowest = (outcome.executed, format!("{file} {task} #{index}"));
                }
                let expected = step["output"].as_str().expect("output");
                cells += 1;
                let excused =
                    code.contains("rlm(") || RECORDED_WRONG.contains(&(file, task, index));
                if outcome.output == expected {
                    matches += 1;
                } else if !excused {
                    writeln!(
                        mismatches,
                        "{file} {task} #{index}: error {:?}, recorded {:?}\n--- recorded\n{expected}\n--- got\n{}",
                        outcome.error, step["error"], outcome.output
                    )
                    .expect("writing to a string succeeds");
                }
            }
        }
    }
    println!(
        "{cells} cells, {matches} match; slowest {:?} ({})",
        slowest.0, slowest.1
    );
    assert_eq!(mismatches, "");
}
