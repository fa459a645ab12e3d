//! `rlm-eval report`: its tables and its HTML page.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{only, s_niah};

/// A model whose answer contains markup, after a failing and a successful cell.
const HOSTILE: &str = r#"
description: Answers with markup.
rules:
  - when: { turn: 1 }
    reply: |
      ```javascript
      missing();
      ```
  - when: { turn: 2 }
    reply: |
      ```javascript
      console.log(context.length);
      ```
  - reply: |
      ```javascript
      return("<script>alert(1)</script>\u202eevil");
      ```
"#;

#[test]
fn prints_tables_and_writes_self_contained_page() {
    let binary = Binary::new().file("hostile.yaml", HOSTILE);
    let lengths = ["--context-len", "8k,16k", "--samples-per-length", "2"];
    for more in [
        &["--prompt-mode", "coordinator"][..],
        &["--model", "scripted:hostile.yaml"],
    ] {
        let ran = binary.run(&s_niah(&[&lengths, more].concat()), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let mut dirs: Vec<String> = fs::read_dir(binary.path().join("results"))
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .collect();
    dirs.sort();

    let args = ["report", &dirs[0], &dirs[1], "--html", "page.html"];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let row = |name: &str| {
        let line = ran
            .stdout
            .lines()
            .find(|line| line.trim().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", ran.stdout));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (name, wanted) in [
        ("score ", "score 1.000 [0.51, 1.00] 0.000 [0.00, 0.49]"),
        ("score, 16k", "score, 16k chars 1.000 0.000"),
        ("early returns", "early returns 0 % 0 %"),
        ("delegated", "delegated 100 % 0 %"),
        ("failed cells", "failed cells 0 (0 %) 4 (33 %)"),
        ("self-corrected", "self-corrected 0 4 (100 %)"),
        ("ended in error", "ended in error 0 % 0 %"),
    ] {
        assert_eq!(row(name), wanted);
    }

    let page = fs::read_to_string(binary.path().join("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 4);
    for title in [
        "Score by context length",
        "Score against cost",
        "Iterations",
        "Time of an attempt by activity",
    ] {
        assert!(page.contains(title), "{title}");
    }
    assert_eq!(page.matches(">4 ok</td>").count(), 2, "{page}");
    assert!(page.contains("&#60;script&#62;alert(1)&#60;/script&#62;U+202Eevil"));
    assert!(!page.contains('\u{202e}'));
    // Links lead only to files in the runs' folders.
    let links: Vec<&str> = page.split("href=\"").skip(1).collect();
    assert!(!links.is_empty());
    for link in links {
        let (path, _) = link.split_once('"').unwrap();
        assert!(binary.path().join(path).is_file(), "{path}");
    }
    for elsewhere in ["<script", "src=", "url(", "@import", "<link"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }

    let json = binary.run(&["report", &dirs[1], "--json"], "");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["runs"][0]["behaviour"]["corrected_cells"], 4);
    assert_eq!(json["runs"][0]["groupings"][0]["name"], "context_length");
    assert!(!binary.path().join(&dirs[1]).join("report.html").exists());
    let plain = binary.run(&["report", &dirs[1]], "");
    assert!(plain.stderr.starts_with("note: report: "), "{plain:?}");
    assert!(binary.path().join(&dirs[1]).join("report.html").exists());
}

/// A matrix of three cells with priced calls.
const MATRIX: &str = "\
run: {benchmark: s-niah, context-len: 2k, samples-per-length: 8, confirm-first-return: false}
models: ['scripted:priced.yaml']
prompt-modes: [solver, coordinator]
";

fn sweeps(folders: &[&str]) -> Binary {
    let binary = Binary::new()
        .file("priced.yaml", include_str!("report/priced.yaml"))
        .file("matrix.yaml", MATRIX);
    for folder in folders {
        let ran = binary.run(&["sweep", "--matrix", "matrix.yaml", "--out", folder], "");
        assert_eq!(ran.code, Some(106), "{ran:?}");
    }
    binary
}

/// Returns the table cells and notes between a heading and the next, one row per line.
fn section(page: &str, heading: &str) -> String {
    let from = page.find(&format!("<h2>{heading}</h2>")).unwrap();
    let rest = &page[from + 4..];
    let section = &rest[..rest.find("<h2>").unwrap_or(rest.len())];
    let mut text = String::new();
    let mut rest = section.replace("</tr>", "\n").replace("</p>", "\n");
    rest = rest
        .replace("</td><td", "</td> | <td")
        .replace("</th><t", "</th> | <t");
    let mut in_tag = false;
    for c in rest.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn page_compares_cells_of_sweep() {
    let binary = sweeps(&["sweep"]);
    let folder = binary.path().join("sweep");
    let of_sweep = fs::read_to_string(folder.join("report.html")).unwrap();
    insta::assert_snapshot!(
        "sweep_page",
        format!(
            "{}\n\n{}",
            // The engine's name depends on the build.
            section(&of_sweep, "What differs").replace("engine V8", "engine QuickJS"),
            section(&of_sweep, "Comparison")
        )
    );
    for hostile in ["<script>alert", "<b>none"] {
        assert!(!of_sweep.contains(hostile), "{hostile}");
    }

    let ran = binary.run(&["report", "sweep"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert_eq!(
        section(&page, "Comparison"),
        section(&of_sweep, "Comparison")
    );
    let beginning = ran.stdout.split("\n\n").next().unwrap_or_default();
    insta::assert_snapshot!("sweep_report_begins", beginning);

    let json = binary.run(&["report", "sweep", "--json"], "");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let costs = json["runs"].as_array().unwrap().iter();
    let costs: Vec<_> = costs
        .map(|run| run["cost_per_right_answer"].clone())
        .collect();
    // Seven calls at one cent produced one correct answer, and a rejected call was free. Eight
    // calls at two cents produced eight. The last run has no correct answer.
    assert_eq!(costs, [json!(0.07), json!(0.02), Value::Null]);
    // The attempt time in the table is the sum of its parts; both exclude errors.
    for run in json["runs"].as_array().unwrap() {
        let parts = run["behaviour"]["time"].as_object().unwrap();
        let sum: f64 = parts.values().filter_map(Value::as_f64).sum();
        let mean = run["summary"]["per_attempt"]["total_time_s"]
            .as_f64()
            .unwrap();
        assert!((sum - mean).abs() < 1e-9, "{sum} {mean}");
    }
    let comparison = &json["sweeps"][0]["comparison"];
    assert_eq!(comparison["comparisons"].as_array().map(Vec::len), Some(3));
}

#[test]
fn finds_runs_in_sweeps_and_folders() {
    let binary = sweeps(&["results/one", "results/more/two"]);
    let ran = binary.run(&s_niah(&["--log-dir", "results/more"]), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let binary = binary
        .file("empty/notes.txt", "")
        .file("results/broken/lock.json", "{}")
        .file("results/.hidden/lock.json", "{}")
        .file("torn/sweep.json", "{")
        .file(
            "begun/sweep.json",
            r#"{"v": 1, "cells": [], "skipped": []}"#,
        );

    let json = |args: &[&str]| -> Value {
        let ran = binary.run(&[&["report", "--json"], args].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    // The folder's name does not matter, and a run given twice is shown once.
    for (args, runs, sweeps) in [
        (&["results"][..], 7, 2),
        (&["results/more"], 4, 1),
        (&["results/one"], 3, 1),
        (&["results/one/01-direct"], 1, 0),
        // A glob also matches files next to runs.
        (&["results/one/sweep.json", "results/one/01-direct"], 1, 0),
        (&["results/one/01-direct", "results", "results/one"], 7, 2),
    ] {
        let json = json(args);
        assert_eq!(
            json["runs"].as_array().map(Vec::len),
            Some(runs),
            "{args:?}"
        );
        assert_eq!(
            json["sweeps"].as_array().map(Vec::len),
            Some(sweeps),
            "{args:?}"
        );
        let ids = json["runs"].as_array().unwrap().iter();
        let ids: BTreeSet<&str> = ids
            .map(|run| run["run"]["run_id"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), runs, "{args:?}: {ids:?}");
    }

    let hint = "hint: a run has config.json, lock.json and samples.jsonl, and a sweep has sweep.json; folders are searched at any depth\n";
    for (folder, message) in [
        (
            "empty",
            format!("error: empty does not contain a run or a sweep\n{hint}"),
        ),
        (
            "nowhere",
            "error: cannot read nowhere: No such file or directory (os error 2)\n".to_owned(),
        ),
        (
            "empty/notes.txt",
            "error: cannot read empty/notes.txt: Not a directory (os error 20)\n".to_owned(),
        ),
        (
            "begun",
            "error: no cell of the sweep in begun has started\n".to_owned(),
        ),
        (
            "torn",
            "error: torn/sweep.json: EOF while parsing an object at line 1 column 1\n".to_owned(),
        ),
    ] {
        let ran = binary.run(&["report", folder], "");
        assert_eq!((ran.code, ran.stderr), (Some(2), message), "{folder}");
    }
    let ran = binary.run(&["report", "results"], "");
    assert!(
        ran.stderr
            .contains("note: skipped results/broken: it is an incomplete run directory\n"),
        "{ran:?}"
    );
    let order =
        ["results/one", "results/more/two"].map(|name| ran.stdout.find(&format!("Sweep {name}\n")));
    assert!(order.iter().all(Option::is_some), "{ran:?}");
}

#[test]
fn lists_cells_that_have_not_begun() {
    let binary = sweeps(&["half"]);
    fs::remove_dir_all(binary.path().join("half/03-coordinator")).unwrap();
    let sentence = "Cells that have not begun and are not compared: 03-coordinator.";
    let shown = binary.run(&["report", "half"], "");
    assert!(shown.stdout.contains(sentence), "{shown:?}");
    let page = fs::read_to_string(binary.path().join("half/report.html")).unwrap();
    assert!(page.contains(sentence));
    let json = binary.run(&["report", "half", "--json"], "").stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sweeps"][0]["not_begun"], json!(["03-coordinator"]));
}

#[test]
fn labels_runs_with_same_name_by_path() {
    let binary = Binary::new();
    assert_eq!(binary.run(&s_niah(&[]), "").code, Some(0));
    let run = only(&binary.path().join("results"));
    for copy in ["one", "two"] {
        fs::create_dir(binary.path().join(copy)).unwrap();
        for file in ["config.json", "lock.json", "samples.jsonl"] {
            fs::copy(run.join(file), binary.path().join(copy).join(file)).unwrap();
        }
    }
    let ran = binary.run(&["report", "one", "two", "--json"], "");
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let labels = [0, 1].map(|run| json["runs"][run]["label"].clone());
    assert_eq!(labels, [json!("one"), json!("two")]);
}

#[test]
fn page_does_not_compare_different_scorers_or_data() {
    for (flags, sentence) in [
        (
            ["--scorer", "one.js"],
            "These runs were scored by different scorers, so their scores are not comparable: ",
        ),
        (
            ["--seed", "99"],
            "The scores are not comparable: the runs differ in dataset_digest: A has ",
        ),
    ] {
        let binary = Binary::new().file("one.js", "function score() { return 0; }");
        for more in [&[][..], &flags] {
            let ran = binary.run(&s_niah(more), "");
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
        let ran = binary.run(&["report", "results"], "");
        assert_eq!(
            ran.stdout.contains(sentence),
            flags[0] == "--scorer",
            "{ran:?}"
        );
        let page = fs::read_to_string(binary.path().join("results/report.html")).unwrap();
        assert!(page.contains(sentence), "{sentence}");
        let digits = page.split(|c: char| !c.is_ascii_hexdigit());
        assert!(digits.map(str::len).all(|length| length < 32), "{page}");
        assert!(!page.contains("<h2>Comparison</h2>"), "{sentence}");
        let differing = "<h2>Samples on which the runs differ</h2>";
        assert!(!page.contains(differing), "{sentence}");
    }
}

#[test]
fn tables_fit_terminal_width() {
    let sweep = |variables: &[(&str, &str)]| {
        let mut binary = Binary::new();
        for (name, value) in variables {
            binary = binary.variable(name, value);
        }
        let mut args = vec!["sweep", "--prompt-modes", "solver,coordinator", "--"];
        args.extend(["--benchmark", "s-niah", "--model", "scripted"]);
        args.extend(["--context-len", "2k", "--samples-per-length", "1"]);
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let lines = ran.stdout.lines();
        let rules: Vec<usize> = lines
            .filter(|line| line.starts_with('─'))
            .map(|line| line.chars().count())
            .collect();
        (rules.len(), rules.into_iter().max().unwrap_or_default())
    };
    // Without a terminal and without `COLUMNS`, the width is 80 columns.
    let (tables, widest) = sweep(&[]);
    assert!(widest <= 80, "{widest}");
    for nonsense in ["", "0", "wide"] {
        assert_eq!(sweep(&[("COLUMNS", nonsense)]).0, tables, "{nonsense}");
    }
    let (narrow_tables, narrow) = sweep(&[("COLUMNS", "50")]);
    assert!(
        narrow <= 50 && narrow_tables > tables,
        "{narrow_tables} tables, the widest with {narrow} columns"
    );
}

/// Compares the short table that `quickstart.sh` shows for a small sweep.
#[test]
fn sweep_ends_with_short_table() {
    let model =
        "scripted:".to_owned() + env!("CARGO_MANIFEST_DIR") + "/../docs/examples/forgetful.yaml";
    let mut args = vec!["sweep", "--prompt-modes", "solver,coordinator", "--"];
    args.extend(["--benchmark", "s-niah", "--model", &model]);
    args.extend(["--context-len", "8k,256k", "--samples-per-length", "8"]);
    let ran = Binary::new().run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (_, end) = ran.stdout.rsplit_once("\n in short").unwrap();
    let expected = "          score               difference  p      cost per right answer
────────────────────────────────────────────────────────────────────────────────
 A 01-direct       0.500 [0.28, 0.72]  -           -      $0.1375
 B 02-solver       1.000 [0.81, 1.00]  +0.500      0.009  $0.00800
 C 03-coordinator  1.000 [0.81, 1.00]  +0.500      0.009  $0.0400

B is better than A (Tango's score test, p 0.009 after Holm).

C is better than A (Tango's score test, p 0.009 after Holm).
";
    assert_eq!(end, expected);
}
