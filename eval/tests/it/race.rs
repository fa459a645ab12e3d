//! `rlm-eval sweep --race`: worse cells stop, a killed race resumes with the same decisions, and a
//! replay over complete runs makes the same decisions.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::Binary;

/// Model that answers all samples correctly with the driver, two thirds without it, and none in a
/// direct call.
const MODEL: &str = "\
description: gains by a driver
latency_ms: 20
rules:
  - when: { roles: [direct] }
    reply: nothing
  - when: { system: ['PLANTED'] }
    reply: \"```javascript\\nreturn('yes');\\n```\"
  - when: { samples: ['*1', '*4', '*7'] }
    reply: \"```javascript\\nreturn('no');\\n```\"
  - reply: \"```javascript\\nreturn('yes');\\n```\"
";

const DRIVER: &str = "---\nname: planted\ndescription: helps\nmodes: [solver]\nprotocols: [rlm]\n---\n## Planted\n\nPLANTED: answer yes.\n";

fn prepared() -> Binary {
    let rows: String = (100..160)
        .map(|n| {
            json!({"id": format!("q{n}"), "query": "?", "context": "c", "expected": "yes"})
                .to_string()
                + "\n"
        })
        .collect();
    Binary::new()
        .file("rows.jsonl", rows)
        .file("model.yaml", MODEL)
        .file("drivers/planted.md", DRIVER)
}

fn args<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["sweep", "--driver-sets", "none;planted", "--out", out];
    args.extend(more);
    args.extend([
        "--",
        "--benchmark=rows.jsonl",
        "--model=scripted:model.yaml",
        "--drivers-dir=drivers",
        "--confirm-first-return=false",
        "--isolation=thread",
    ]);
    args
}

/// Returns the decisions of a race log, which follow its header line.
fn decisions(folder: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn verdicts(last: &Value) -> Vec<Value> {
    let cells = last["cells"].as_array().unwrap();
    cells.iter().map(|cell| cell["verdict"].clone()).collect()
}

#[test]
fn race_stops_worse_cells_and_resumes_after_kill() {
    let binary = prepared();
    let ran = binary.run(&args("race", &["--race", "--json"]), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    let folder = binary.path().join("race");
    let blocks = decisions(&folder, "race.jsonl");
    // Without the driver, a third of the answers are wrong; answers of direct calls are always
    // wrong.
    assert_eq!(result["best"], "03-solver-planted", "{result:#}");
    assert_eq!(
        verdicts(blocks.last().unwrap()),
        [json!("not_better"), json!("not_better"), json!("won")]
    );
    let taken: Vec<u64> = (1..=3)
        .map(|n| result["cells"][n - 1]["samples"].as_u64().unwrap())
        .collect();
    assert!(
        taken[0] < taken[1] && taken[1] == taken[2] && taken[2] < 60,
        "{taken:?}"
    );
    assert_eq!(result["attempts"], taken.iter().sum::<u64>());
    assert_eq!(result["attempts_of_full_sweep"], 180);
    assert!(
        ran.stderr
            .contains("01-direct stops: not better than all others by 0.1 (p 0.015)"),
        "{}",
        ran.stderr
    );
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<h2>Race</h2>") && page.contains("why it stopped"));
    let reported = binary.run(&["report", "race", "--json"], "");
    let reported: Value = serde_json::from_str(&reported.stdout).unwrap();
    let sweep = &reported["sweeps"][0];
    assert_eq!(sweep["race"], result);
    assert_eq!(sweep["comparison"], Value::Null);

    // Kill the race after its first decision, in the middle of a block.
    let mut child = binary.spawn(&args("killed", &["--race"]));
    let log = binary.path().join("killed/race.jsonl");
    let began = Instant::now();
    while fs::read_to_string(&log).map_or(0, |text| text.lines().count()) < 2 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the race ended before the kill"
        );
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "no block was decided"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The race repeats a decision whose line is truncated, here inside a character.
    let text = fs::read(&log).unwrap();
    fs::write(&log, [&text[..], b"{\"v\":1,\"scores\":[[\"\xc3"].concat()).unwrap();
    let again = binary.run(&["sweep", "--resume", "killed"], "");
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(
        decisions(&binary.path().join("killed"), "race.jsonl"),
        blocks
    );

    // Run the full sweep, and replay the race over it.
    let full = binary.run(&args("full", &[]), "");
    assert_eq!(full.code, Some(0), "{full:?}");
    let replay = binary.run(&["sweep", "--replay-race", "full", "--json"], "");
    assert_eq!(replay.code, Some(0), "{replay:?}");
    assert_eq!(
        decisions(&binary.path().join("full"), "race-replay.jsonl"),
        blocks
    );
    let replayed: Value = serde_json::from_str(&replay.stdout).unwrap();
    assert_eq!(replayed, result);

    // Comparisons of single cells warn that their p values are invalid.
    let warning = "are cells of the race in ";
    for (cells, is_race) in [
        (["race/01-direct", "race/03-solver-planted"], true),
        (
            [
                "race/01-direct/results.csv",
                "race/03-solver-planted/results.csv",
            ],
            true,
        ),
        (["full/01-direct", "full/03-solver-planted"], false),
    ] {
        let compared = |flags: &[&str]| binary.run(&[&["compare"], &cells[..], flags].concat(), "");
        let text = compared(&[]).stdout;
        assert_eq!(text.contains(warning), is_race, "{text}");
        let compared: Value = serde_json::from_str(&compared(&["--json"]).stdout).unwrap();
        assert_eq!(
            compared["runs"][0]["race"].is_string(),
            is_race,
            "{cells:?}"
        );
        if cells[0].contains("results.csv") {
            continue;
        }
        let report = |flags: &[&str]| binary.run(&[&["report"], &cells[..], flags].concat(), "");
        let text = report(&["--html", "cells.html"]).stdout;
        assert_eq!(text.contains(warning), is_race, "{text}");
        let page = fs::read_to_string(binary.path().join("cells.html")).unwrap();
        assert_eq!(page.contains(warning), is_race, "{cells:?}");
        let report: Value = serde_json::from_str(&report(&["--json"]).stdout).unwrap();
        assert_eq!(report["runs"][0]["race"].is_string(), is_race, "{cells:?}");
    }

    // A changed decision no longer matches the scores, which is an error.
    let log = folder.join("race.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"not_better\"", "\"worse\"", 1)).unwrap();
    let wrong = binary.run(&["report", "race"], "");
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(
        wrong.stderr.contains("race.jsonl: line ")
            && wrong
                .stderr
                .contains("the recorded scores do not lead to the recorded decisions"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn race_keeps_budget_and_compares_with_baselines() {
    let binary = prepared();
    let ran = binary.run(
        &args("capped", &["--race=baseline", "--max-llm-calls", "45"]),
        "",
    );
    assert_eq!(ran.code, Some(106), "{ran:?}");
    assert!(
        ran.stderr
            .contains("is undecided; with a higher budget continue with"),
        "{}",
        ran.stderr
    );
    let made = |folder: &str| -> usize {
        let cells = ["01-direct", "02-solver", "03-solver-planted"];
        let files = cells.map(|cell| binary.path().join(folder).join(cell).join("samples.jsonl"));
        files
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok())
            .map(|text| text.lines().count())
            .sum()
    };
    // When the budget is used up, attempts in progress are stopped; their number is at most the
    // concurrency.
    assert!(made("capped") <= 45 + 5, "{}", made("capped"));
    // A race that has not ended has not saved anything yet.
    let shown = binary.run(&["report", "capped"], "").stdout;
    assert!(
        shown.contains("The race has not ended: ") && !shown.contains("% saved"),
        "{shown}"
    );
    let more = binary.paste(&ran.stderr);
    assert!(made("capped") > 45, "{more:?}");
    let again = ["--resume", "capped", "--max-llm-calls", "1000", "--json"];
    let again = binary.run(&[&["sweep"][..], &again].concat(), "");
    assert_eq!(again.code, Some(0), "{again:?}");
    let result: Value = serde_json::from_str(&again.stdout).unwrap();
    let found: Vec<&Value> = (0..3).map(|n| &result["cells"][n]["verdict"]).collect();
    assert_eq!(
        found,
        [&json!("won"), &json!("better"), &json!("better")],
        "{result:#}"
    );

    let rows: [(&[&str], &str); 5] = [
        (
            &["--alpha", "0", "--race"],
            "error: invalid value '0' for '--alpha <P>'",
        ),
        (
            &["--race=worst"],
            "error: invalid value 'worst' for '--race[=<best|baseline>]'",
        ),
        (
            &["--race", "--max-samples", "0"],
            "error: invalid value '0' for '--max-samples <N>'",
        ),
        (
            &["--max-samples", "1"],
            "error: --max-samples has no effect without --race or --replay-race; to limit the samples \
             of each cell, pass it after `--`\n",
        ),
        (
            &["--block=2"],
            "error: --block has no effect without --race or --replay-race\n",
        ),
    ];
    for (more, expected) in rows {
        let ran = binary.run(&args("never", more), "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
    // Variables may be meant for races, and EVAL_MAX_SAMPLES also limits the cells.
    let limited = prepared()
        .variable("EVAL_MAX_SAMPLES", "1")
        .variable("EVAL_BLOCK", "2");
    let ran = limited.run(&args("never", &["--dry-run"]), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let unfinished = binary.run(&["sweep", "--replay-race", "capped"], "");
    assert_eq!(unfinished.code, Some(2), "{unfinished:?}");
}

/// A cell whose model rejects all requests does not block the others.
#[test]
fn race_goes_on_without_a_failing_cell() {
    let failing = MODEL.replace(
        "    reply: nothing\n",
        "    error: { status: 400, message: x }\n",
    );
    let binary = prepared().file("model.yaml", failing);
    let ran = binary.run(&args("failing", &["--race"]), "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let advice = "01-direct has no score in block 1, which is undecided; continue with";
    assert!(ran.stderr.contains(advice), "{}", ran.stderr);
    let folder = binary.path().join("failing");
    assert!(folder.join("03-solver-planted/samples.jsonl").exists());
    let retried = binary.run(&["sweep", "--resume", "failing", "--retry-errors"], "");
    assert_eq!(retried.code, Some(1), "{retried:?}");
    assert!(retried.stderr.contains(advice), "{}", retried.stderr);
    assert_eq!(decisions(&folder, "race.jsonl"), [Value::Null; 0]);
    let resumed = ["sweep", "--resume", "failing", "--json"];
    let resumed = binary.run(&resumed, "");
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let result: Value = serde_json::from_str(&resumed.stdout).unwrap();
    assert_eq!(result["cells"][0]["mean"], Value::Null, "{result:#}");
    assert_eq!(result["cells"][1]["verdict"], "not_better", "{result:#}");
}
