//! `rlm-eval sweep`: a matrix of runs, skipped cells, resuming, and the final comparison.

use std::fs;

use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::faults;
use fault_server::{Behavior, FaultServer};

const MATRIX: &str = "\
run:
  benchmark: s-niah
  context-len: [8k]
  samples-per-length: 2
models: [scripted]
prompt-modes: [solver, coordinator]
depths: [1, 2]
driver-sets: [[], [delegation-first]]
";

/// Valid cells of the matrix; the baseline comes first.
const CELLS: [&str; 5] = [
    "01-direct",
    "02-solver-depth1",
    "03-solver-depth2",
    "04-coordinator-depth2",
    "05-coordinator-depth2-delegation-first",
];

#[test]
fn runs_resumes_and_compares_matrix() {
    // A start that was killed before it had a plan leaves no sweep and does not block another.
    let binary = Binary::new()
        .file("matrix.yaml", MATRIX)
        .file("sweep/sweep.json.tmp", "{");
    let nothing = binary.run(&["sweep", "--resume", "sweep"], "");
    assert_eq!(
        (nothing.code, nothing.stderr.as_str()),
        (
            Some(2),
            "error: sweep is not a sweep: sweep.json is missing\n\
             hint: if a sweep was killed before its first cell, restart it with its flags and \
             --out sweep\n"
        )
    );
    let ran = binary.run(&["sweep", "--matrix", "matrix.yaml", "--out", "sweep"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let skipped = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("note: skipped "));
    let skipped: Vec<&str> = skipped.collect();
    assert_eq!(skipped.len(), 4, "{skipped:#?}");
    assert_eq!(
        skipped[2],
        "note: skipped --model scripted --protocol rlm --prompt-mode coordinator --max-depth 1: --prompt-mode coordinator would \
         have no effect: with --max-depth 1 the root has no children with a REPL"
    );
    for cell in CELLS {
        assert!(
            ran.stdout.contains(cell.get(..12).unwrap_or(cell)),
            "{cell}"
        );
    }
    assert!(
        ran.stdout
            .contains("The difference between E and A cannot be tested"),
        "{}",
        ran.stdout
    );
    let folder = binary.path().join("sweep");
    assert!(folder.join("report.html").is_file());
    let csv = fs::read_to_string(folder.join("comparison.csv")).unwrap();

    // Simulate a sweep in which one cell is complete, one is truncated, one was killed before its
    // start, and two never started.
    let cut = folder.join(CELLS[1]).join("samples.jsonl");
    let text = fs::read_to_string(&cut).unwrap();
    fs::write(&cut, &text[..=text.find('\n').unwrap()]).unwrap();
    for cell in &CELLS[2..] {
        fs::remove_dir_all(folder.join(cell)).unwrap();
    }
    fs::create_dir(folder.join(CELLS[2])).unwrap();
    fs::write(folder.join(CELLS[2]).join("config.json"), "{").unwrap();
    let again = binary.run(&["sweep", "--resume", "sweep"], "");
    assert_eq!(again.code, Some(0), "{again:?}");
    for cell in CELLS {
        let records = fs::read_to_string(folder.join(cell).join("samples.jsonl")).unwrap();
        assert_eq!(records.lines().count(), 2, "{cell}");
    }
    assert!(
        again.stderr.contains("2 attempts (1 done before)"),
        "{again:?}"
    );
    let header = |csv: &str| csv.lines().next().map(str::to_owned);
    let csv_again = fs::read_to_string(folder.join("comparison.csv")).unwrap();
    assert_eq!(csv.lines().count(), csv_again.lines().count());
    assert_eq!(header(&csv), header(&csv_again));

    let json = binary.run(&["sweep", "--resume", "sweep", "--json"], "");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    // Comparisons of four cells with the baseline, and of the best three with each other.
    assert_eq!(json["comparisons"].as_array().map(Vec::len), Some(7));
    assert_eq!(
        json["families"],
        serde_json::json!([
            {"kind": "baseline", "baselines": ["A"], "runs": ["B", "C", "D", "E"], "comparisons": 4, "shown": 4},
            {
                "kind": "best", "baselines": [], "runs": ["B", "C", "D", "E"], "best": ["B", "C", "D"], "as_good": ["E"],
                "comparisons": 6, "shown": 3,
            },
        ])
    );
}

#[test]
fn compares_cells_with_direct_call_of_same_model() {
    let matrix = "{run: {benchmark: s-niah, context-len: 8k, samples-per-length: 2}, \
                  models: [scripted, scripted/s-niah-flawed]}";
    let binary = Binary::new().file("matrix.yaml", matrix);
    let args = [
        "sweep",
        "--matrix",
        "matrix.yaml",
        "--out",
        "sweep",
        "--json",
    ];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let list = |name: &str| json[name].as_array().unwrap().clone();
    let facts = |fact: &str| -> Vec<Value> {
        let runs = list("runs");
        runs.iter().map(|run| run["facts"][fact].clone()).collect()
    };
    let models = ["scripted", "scripted/s-niah-flawed"];
    assert_eq!(facts("model"), [models, models].concat());
    assert_eq!(facts("protocol"), ["direct", "direct", "rlm", "rlm"]);
    let pairs = list("comparisons");
    let pairs: Vec<_> = pairs
        .iter()
        .map(|pair| [pair["first"].clone(), pair["second"].clone()])
        .collect();
    // Comparisons of each cell with its baseline, and of the other cells with each other.
    assert_eq!(pairs, [["A", "C"], ["B", "D"], ["C", "D"]]);
}

#[test]
fn every_benchmark_has_example_sweep() {
    // A single call cannot operate web pages, so it is not a baseline for web agents.
    let of_texts = benchmarks::catalog()
        .iter()
        .filter(|entry| !entry.name.starts_with("web"));
    for entry in of_texts {
        let name = entry.name;
        let mut sweeps = entry.sweeps.iter();
        let sweep = sweeps.find(|(known, _)| *known == name);
        let sweep = sweep.map_or("", |(_, sweep)| *sweep);
        assert!(
            sweep.contains(&format!("\n  benchmark: {name}\n")),
            "{name}"
        );
    }
}

#[test]
fn rejects_invalid_settings_before_start() {
    let binary = Binary::new()
        .file("odd.yaml", "run: {benchmark: s-niah}\nmodel: [x]\n")
        .file("drivers.yaml", "run: {drivers: none}\n")
        .file("models.yaml", "{run: {benchmark: s-niah}, models: [scripted]}")
        .file("dry.yaml", "run: {benchmark: s-niah, dry-run: true}\n")
        .file(
            "flags.yaml",
            "run: {benchmark: nope, model: scripted, confirm-first-return: true, labels: true, stop-early: false, \
             stop: [a, b], context-len: [2k, 4k]}\n",
        )
        .file("early.yaml", "run: {benchmark: s-niah, model: scripted, tasks-per-length: 3}\n")
        .file("there/file", "");
    let run = [
        "--",
        "--benchmark",
        "s-niah",
        "--model",
        "scripted",
        "--context-len",
        "8k",
    ];
    let rows: [(&[&str], &str); 14] = [
        (
            &["--max-cost", "0", run[0], run[1], run[2], run[3], run[4]],
            "error: invalid value '0' for '--max-cost <USD>': expected a number from 0.0001 to 1000000\n",
        ),
        // A cost limit requires a known price, even if the calls would count as free.
        (
            &[
                "--max-cost",
                "1",
                run[0],
                run[1],
                run[2],
                run[3],
                "ollama/none-such",
                "--context-len",
                "2k",
            ],
            "error: --max-cost: unknown price of `ollama/none-such`, so its cost cannot be limited\n",
        ),
        // Flags on the command line override those in the file.
        (
            &["--matrix", "models.yaml", "--", "--model", "nope/x"],
            "error: cell `--protocol direct`: invalid value 'nope/x' for '--model <REF>': unknown model; known: ",
        ),
        // They also override former names of flags in the file.
        (
            &["--matrix", "early.yaml", "--", "--samples-per-length", "0"],
            "error: cell `--protocol direct`: invalid value '0' for '--samples-per-length <N>'",
        ),
        (
            &["--models", "scripted", run[0], run[3], run[4]],
            "error: --models and --model both name models: remove one of them\n",
        ),
        (
            &["--matrix", "dry.yaml"],
            "error: --dry-run cannot be shared by all cells: pass it to the sweep, before `--`\n",
        ),
        (
            &["--matrix", "flags.yaml"],
            "error: cell `--protocol direct`: --benchmark: unknown benchmark `nope`",
        ),
        (
            &["--matrix", "odd.yaml"],
            "error: odd.yaml: line 2: unknown field `model`",
        ),
        (
            &["--matrix", "drivers.yaml"],
            "error: --drivers cannot be shared by all cells: use --driver-sets\n",
        ),
        (
            &[
                "--prompt-modes",
                "solvr",
                run[0],
                run[1],
                run[2],
                run[3],
                run[4],
            ],
            "error: cell `--protocol rlm --prompt-mode solvr --max-depth 2`: invalid value 'solvr' for '--prompt-mode <MODE>'",
        ),
        (
            &[
                "--driver-sets",
                "delegaton-first",
                run[0],
                run[1],
                run[2],
                run[3],
                run[4],
            ],
            "error: cell `--protocol rlm --prompt-mode solver --max-depth 2 --drivers delegaton-first`: ",
        ),
        (
            &["--", "--benchmark", "s-niah"],
            "error: cell `--protocol direct`: the following required arguments were not provided: --model <REF>",
        ),
        (
            &["--out", "there", run[0], run[1], run[2], run[3], run[4]],
            "error: there already exists\nhint: continue that sweep with --resume\n",
        ),
        (
            &["--resume", "there"],
            "error: there is not a sweep: sweep.json is missing\nhint: if a sweep was killed before its first cell, restart",
        ),
    ];
    for (args, message) in rows {
        let ran = binary.run(&[&["sweep"], args].concat(), "");
        let Ran {
            code,
            stdout,
            stderr,
        } = &ran;
        assert_eq!(
            (*code, stdout.as_str()),
            (Some(2), ""),
            "{args:?}: {stderr}"
        );
        assert!(stderr.starts_with(message), "{args:?}: {stderr}");
        assert!(!binary.path().join("results").exists(), "{args:?}");
    }
}

#[test]
fn advises_on_each_incomplete_cell() {
    // Attempts make two calls each, but only one in the cell `direct`, where the second sample
    // fails.
    let model = "description: Fails once.\n\
                 rules:\n\
                 - {when: {roles: [direct], samples: ['*-2']}, error: {status: 400, message: no}}\n\
                 - {when: {roles: [direct]}, reply: '1'}\n\
                 - reply: \"```js\\nreturn(1)\\n```\"\n";
    let matrix = "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 3, concurrency: 1, \
                  tools: read_context, action-overrides: actions.yaml}, models: ['scripted:model.yaml']}";
    let idle = "warning: --action-overrides: no agent has a tool or action called search\n";
    let budget = "note: 1 cell is not finished: 02-";
    let retry = "note: not every attempt has a score; continue with `rlm-eval sweep --resume sweep --retry-errors`";
    let rows: [(&[&str], &[&str]); 4] = [
        (&[], &[retry]),
        (&["--fail-on-error", "1"], &[retry]),
        (&["--max-llm-calls", "4"], &[budget, retry]),
        (
            &["--fail-on-error", "1", "--max-llm-calls", "4"],
            &[budget, retry],
        ),
    ];
    for (flags, wanted) in rows {
        let binary = Binary::new()
            .file("matrix.yaml", matrix)
            .file(
                "actions.yaml",
                "{search: {description: Finds.}, read_context: {description: Reads.}}\n",
            )
            .file("model.yaml", model);
        let args = ["sweep", "--matrix", "matrix.yaml", "--out", "sweep", "--"];
        let ran = binary.run(&[&args[..], flags].concat(), "");
        assert_eq!(ran.stderr.matches(idle).count(), 1, "{ran:?}");
        let told: Vec<&str> = ran
            .stderr
            .lines()
            .skip_while(|line| *line != "note: sweep: sweep")
            .skip(1)
            .collect();
        let is_told = |(told, wanted): (&&str, &&str)| told.starts_with(wanted);
        let all = told.iter().zip(wanted).all(is_told);
        assert!(all && told.len() == wanted.len(), "{flags:?}: {ran:?}");
        if let Some(line) = told.iter().find(|line| line.starts_with(budget)) {
            let pasted = binary.paste(line);
            assert!(!pasted.stderr.contains("not finished"), "{pasted:?}");
            let is_error = |line: &str| line.starts_with("error: ");
            assert!(!pasted.stderr.lines().any(is_error), "{pasted:?}");
        }
    }
}

/// Each call uses 100 tokens and costs one cent; an attempt of the direct protocol makes one call,
/// any other attempt two.
const PRICED: &str = "description: Costs.\n\
                      rules:\n\
                      - {tokens: {input: 90, output: 10}, cost_usd: 0.01, reply: \"```js\\nreturn(1)\\n```\"}\n";

const PRICED_MATRIX: &str = "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 3, concurrency: 1}, \
                             models: ['scripted:priced.yaml']}";

#[test]
fn sweep_budget_covers_all_cells_and_starts() {
    // The budget pays for two samples in each cell: two calls in the first cell, and four in the
    // second.
    let rows = [
        ("--max-cost", "0.06", "0.07", "0.12", "$0.0600 of $0.06"),
        (
            "--max-tokens",
            "600",
            "700",
            "1200",
            "600 tokens of 600 tokens",
        ),
        ("--max-llm-calls", "6", "7", "12", "6 calls of 6 calls"),
    ];
    for (flag, budget, higher, twice, spent) in rows {
        let binary = Binary::new()
            .file("priced.yaml", PRICED)
            .file("matrix.yaml", PRICED_MATRIX);
        let args = [
            "sweep",
            "--matrix",
            "matrix.yaml",
            "--out",
            "sweep",
            flag,
            budget,
        ];
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(106), "{ran:?}");
        let stopped = format!(
            "note: the sweep was stopped: the sweep's {flag} budget is used up ({spent})\n"
        );
        let left = format!(
            "note: unfinished cells (2 of 2): 01-direct, 02-solver; with a higher budget continue with `rlm-eval sweep --resume sweep {flag} \
             {twice}`\n"
        );
        assert!(ran.stderr.ends_with(&(stopped.clone() + &left)), "{ran:?}");
        // Only samples that exist in both cells are compared.
        let coverage = " coverage               2/3 (67 %)            2/3 (67 %)";
        assert!(ran.stdout.contains(coverage), "{ran:?}");
        let calls = |binary: &Binary| -> u64 {
            let cells =
                ["01-direct", "02-solver"].map(|cell| binary.path().join("sweep").join(cell));
            let files = cells
                .iter()
                .filter_map(|cell| fs::read_dir(cell.join("trajectories")).ok());
            let files = files.flatten().chain(
                cells
                    .iter()
                    .filter_map(|cell| fs::read_dir(cell.join("abandoned")).ok())
                    .flatten(),
            );
            let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
            texts
                .map(|text| text.matches("\"llm_response\"").count() as u64)
                .sum()
        };
        assert_eq!(calls(&binary), 6, "{flag}");

        // Without the flag, the recorded budget still applies, so no more calls are made.
        let again = binary.run(&["sweep", "--resume", "sweep"], "");
        assert_eq!((again.code, calls(&binary)), (Some(106), 6), "{again:?}");
        assert!(again.stderr.contains(&stopped), "{again:?}");
        // A higher budget includes the spending of earlier starts.
        let more = binary.run(&["sweep", "--resume", "sweep", flag, higher], "");
        assert_eq!((more.code, calls(&binary)), (Some(106), 7), "{more:?}");
        let most = binary.paste(&more.stderr);
        assert_eq!(most.code, Some(0), "{most:?}");
        assert!(
            binary.path().join("sweep/comparison.csv").is_file(),
            "{most:?}"
        );
    }
}

#[test]
fn pilot_of_each_cell_estimates_cost() {
    let binary = Binary::new()
        .file("priced.yaml", PRICED)
        .file("matrix.yaml", PRICED_MATRIX);
    let args = ["sweep", "--matrix", "matrix.yaml", "--dry-run"];
    let ran = binary.run(&args, "");
    assert!(!ran.stdout.contains("likely"), "{ran:?}");
    let ran = binary.run(&[&args[..], &["--pilot", "1"]].concat(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for line in [
        "  likely: 3 calls, ~300 tokens, cost $0.0300, based on 1 attempt of 1 earlier run\n",
        "  likely: 6 calls, ~600 tokens, cost $0.0600, based on 1 attempt of 1 earlier run\n",
        "  likely: 9 calls, ~900 tokens, cost $0.0900\n",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    // Cells of earlier sweeps are also counted.
    let ran = binary.run(&["sweep", "--matrix", "matrix.yaml"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = binary.run(&args, "");
    assert!(
        ran.stdout.contains("based on 4 attempts of 2 earlier runs"),
        "{ran:?}"
    );
    // The pilots share the budget of the sweep.
    let more = ["--pilot", "1", "--max-llm-calls", "2"];
    let ran = binary.run(&[&args[..], &more].concat(), "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(106), ""), "{ran:?}");
    let stopped = "note: the pilots were stopped: the sweep's --max-llm-calls budget is used up (2 calls of 2 calls)\n";
    assert!(ran.stderr.ends_with(stopped), "{ran:?}");
}

#[test]
fn resumed_sweep_retries_each_error_once() {
    let fails = "description: Fails at one sample.\n\
                 rules:\n\
                 - {when: {samples: ['*-1']}, error: {status: 400, message: no}}\n\
                 - reply: \"```js\\nreturn(1)\\n```\"\n";
    let binary = Binary::new()
        .file("priced.yaml", fails)
        .file("matrix.yaml", PRICED_MATRIX);
    // With a budget, each cell starts once in each of three rounds.
    let args = ["sweep", "--matrix", "matrix.yaml", "--out", "sweep"];
    binary.run(&[&args[..], &["--max-llm-calls", "100"]].concat(), "");
    for start in 1..=2 {
        let ran = binary.run(&["sweep", "--resume", "sweep", "--retry-errors"], "");
        for cell in ["01-direct", "02-solver"] {
            let path = binary.path().join("sweep").join(cell).join("superseded");
            let rerun = fs::read_dir(path).unwrap().count();
            assert_eq!(rerun, start, "{cell}: {ran:?}");
        }
    }
}

#[test]
fn ignores_other_files_in_glob_over_sweep() {
    let matrix =
        "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 2}, models: [scripted]}";
    let binary = Binary::new().file("matrix.yaml", matrix);
    let ran = binary.run(&["sweep", "--matrix", "matrix.yaml", "--out", "sweep"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = binary.shell("\"$0\" compare sweep/*");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for file in ["comparison.csv", "report.html", "sweep.json"] {
        let note = format!("note: skipped sweep/{file}: it is a file, not a run\n");
        assert!(ran.stderr.contains(&note), "{ran:?}");
    }
    let merged = "\"$0\" merge whole sweep/01-direct sweep/report.html";
    let ran = binary.shell(merged);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let note = "note: skipped sweep/report.html: it is a file, not a run\n";
    assert!(ran.stderr.contains(note), "{ran:?}");
    for (line, error) in [
        (
            "compare sweep/01-direct sweep/report.html",
            "error: fewer than two runs: sweep/report.html is ",
        ),
        ("compare sweep/01-direct sweep", "error: sweep"),
        ("merge out sweep/01-direct .", "error: ."),
        ("merge out sweep/report.html", "error: sweep/report.html"),
    ] {
        let ran = binary.shell(&format!("\"$0\" {line}"));
        assert_eq!(ran.code, Some(2), "{line}: {ran:?}");
        assert!(ran.stderr.contains(error), "{line}: {ran:?}");
    }
}

#[test]
fn suggested_resume_command_names_server() {
    let reply = "```js\nreturn(1)\n```".to_owned();
    let server = FaultServer::list(vec![Behavior::Text(reply)]);
    let binary = faults::binary();
    let args = ["sweep", "--models", "openai/m", "--out", "my sweep"];
    let budget = ["--max-llm-calls", "4", "--", "--benchmark", "s-niah"];
    let url = server.openai();
    let of_run = ["--context-len", "2k", "--samples-per-length", "3"];
    let of_run = [&of_run[..], &["--base-url", &url, "--isolation", "thread"]].concat();
    let ran = binary.run(&[&args[..], &budget, &of_run].concat(), "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    let command = format!(
        "`rlm-eval sweep --resume 'my sweep' --max-llm-calls 8 -- --base-url {url} --isolation thread`\n"
    );
    assert!(ran.stderr.ends_with(&command), "{ran:?}");
    // The sweep stops again and suggests twice the budget.
    let pasted = binary.paste(&ran.stderr);
    assert_eq!(pasted.code, Some(106), "{pasted:?}");
    assert_eq!(server.seen().len(), 8);
    let pasted = binary.paste(&pasted.stderr);
    assert_eq!(pasted.code, Some(0), "{pasted:?}");
}

#[test]
fn dry_sweep_estimates_all_cells_and_writes_nothing() {
    let binary = Binary::new()
        .file("priced.yaml", PRICED)
        .file("matrix.yaml", PRICED_MATRIX);
    let args = ["sweep", "--matrix", "matrix.yaml", "--dry-run"];
    let shown = |more: &[&str]| -> Value {
        let ran = binary.run(&[&args[..], &["--json"], more].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let calls = |of: &Value| ["least", "roots", "most"].map(|name| of[name]["calls"].clone());
    let free = shown(&[]);
    assert_eq!(
        calls(&free["cells"]["01-direct"]),
        [3, 3, 3].map(Value::from)
    );
    let [least, roots, most] = calls(&free["all"]);
    // Three roots with 15 calls each, 5,000 children of 15 calls for each root, and three direct
    // calls.
    let children: Value = (3 * (15 + 5_000 * 15) + 3).into();
    assert_eq!((least, most), (9.into(), children), "{free}");
    assert!(roots.as_u64() > Some(9), "{free}");
    let bound = shown(&["--max-llm-calls", "40"]);
    assert_eq!(calls(&bound["all"])[2], 40, "{bound}");
    let by = &bound["all"]["most"]["by"];
    assert_eq!(*by, serde_json::json!(["the sweep's --max-llm-calls"]));
    let named = shown(&["--out", "sweep"]);
    assert_eq!(named["all"], free["all"]);
    assert!(!binary.path().join("sweep").exists());
    let each = shown(&["--", "--attempt-max-llm-calls", "5"]);
    assert_eq!(
        calls(&each["all"])[2],
        18,
        "three attempts of one call and three of five calls: {each}"
    );
    // Two of the three samples, of which every cell runs at least the first.
    let race = shown(&["--race", "--max-samples", "2", "--block", "1"]);
    let [least, _, most] = calls(&race["all"]);
    let children: Value = (2 * (15 + 5_000 * 15) + 2).into();
    assert_eq!((least, most), (3.into(), children), "{race}");
    let text = binary.run(&args, "");
    assert!(
        text.stdout.contains("all 2 cells\n  at least 9 calls"),
        "{text:?}"
    );
    // Without calls to a model, no key is needed.
    let unasked = ["--models", "openai/gpt-5-mini", "--json"];
    let ran = binary.run(&[&args[..], &unasked].concat(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let left = fs::read_dir(binary.path()).unwrap().count();
    assert_eq!(left, 2, "only the two given files exist");
}
