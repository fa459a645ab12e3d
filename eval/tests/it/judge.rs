//! A model as judge: verdicts, invalid replies, cost, and judging a finished run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harness::model::Usage;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{Finished, finish};
use crate::view_server::Viewer;

/// One question, whose expected answer is `Ada`.
const ROWS: &str = r#"{"id": "q", "query": "Who wrote it?", "expected": "Ada"}"#;

/// A row of `judge/cases.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    what: String,
    answer: String,
    /// Rules of a scripted judge; `None` for the bundled judge.
    #[serde(default)]
    judge: Option<String>,
    gives: BTreeMap<String, Value>,
    code: i32,
}

fn binary(answer: &str, judge: Option<&str>) -> Binary {
    let rules = json!({"description": "d", "rules": [{"reply": answer}]});
    Binary::new()
        .file("q.jsonl", ROWS)
        .file("m.yaml", rules.to_string())
        .file("j.yaml", judge.unwrap_or_default())
}

const RUN: [&str; 7] = [
    "run",
    "--benchmark",
    "q.jsonl",
    "--protocol",
    "direct",
    "--model",
    "scripted:m.yaml",
];

const JUDGED: [&str; 4] = ["--scorer", "judge", "--judge-model", "scripted:j.yaml"];

/// Runs a case; returns the run and the binary that owns its folder.
fn run(case: &Case) -> (Binary, Finished) {
    let judge = match &case.judge {
        Some(_) => JUDGED,
        None => ["--scorer", "judge", "--judge-model", "scripted"],
    };
    let binary = binary(&case.answer, case.judge.as_deref());
    let run = finish(&binary, &[&RUN[..], &judge].concat());
    (binary, run)
}

#[test]
fn only_verdicts_give_scores() {
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("judge/cases.json")).expect("the rows are JSON");
    for case in cases {
        let (_folder, run) = run(&case);
        let records = run.records();
        let record = records[&("q".to_owned(), 1)];
        let judge = record.judge.as_ref().expect("a judge was asked");
        let found = json!({
            "status": record.status,
            "score": record.score,
            "explanation": record.score_explanation,
            "error": record.error,
            "calls": judge.calls,
            "cost": judge.cost_usd,
            "own_cost": record.cost_usd,
        });
        for (name, value) in &case.gives {
            assert_eq!(&found[name], value, "{}: {name} of {found:#}", case.what);
        }
        assert_eq!(
            run.ran.code,
            Some(case.code),
            "{}: {:?}",
            case.what,
            run.ran
        );
        assert_eq!(judge.prompt, "judge");
        let summary: Value = serde_json::from_str(&run.read("summary.json")).unwrap();
        assert_eq!(
            summary["judge"]["calls"],
            json!(judge.calls),
            "{}",
            case.what
        );
        assert_eq!(summary["judge"]["cost_usd"], json!(judge.cost_usd));
    }
}

#[test]
fn judges_finished_run_from_records() {
    let judge = "{description: d, rules: [{when: {roles: [judge]}, compute: 'return(JSON.stringify({reason: \
                 context.includes(\"Who wrote it?\") + \"\", score: 0.5}))', cost_usd: 0.25}]}";
    let binary = binary("It was Ada.", Some(judge));
    let made = finish(&binary, &RUN);
    let dir = made.dir.path.to_string_lossy().into_owned();
    let args = [
        "score",
        &dir,
        "--scorer",
        "judge",
        "--model",
        "scripted:j.yaml",
    ];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("$0.2500"), "{}", ran.stdout);
    let scores = || {
        let folder = fs::read_dir(made.dir.path.join("scores")).unwrap();
        let mut paths = folder.map(|entry| entry.unwrap().path());
        let is_whole = |path: &PathBuf| !path.to_string_lossy().contains(".unfinished");
        let path = paths.find(is_whole).unwrap();
        let text = fs::read_to_string(path).unwrap();
        serde_json::from_str::<Value>(text.trim_end()).unwrap()
    };
    let line = scores();
    assert_eq!(line["score"], 0.5);
    assert_eq!(line["score_explanation"], "true");
    assert_eq!(line["judge"]["cost_usd"], 0.25);
    // A rule-based scorer does not call a model. The error names the flag that was typed.
    for flag in ["--model", "--judge-model"] {
        let wrong = binary.run(&["score", &dir, "--scorer", "exact", flag, "scripted"], "");
        let message = format!(
            "error: {flag}: the scorer exact/2 does not use a model\nhint: add --scorer judge\n"
        );
        assert_eq!((wrong.code, wrong.stderr), (Some(2), message));
    }
    // Without the trajectory, the question is unknown, so there is no verdict.
    fs::remove_dir_all(made.dir.path.join("trajectories")).unwrap();
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let line = scores();
    assert_eq!(
        (&line["status"], &line["score"], &line["error"]),
        (
            &json!("error"),
            &Value::Null,
            &json!(
                "the scorer failed: a judge needs the question, but the attempt's trajectory does not contain it"
            )
        )
    );
}

#[test]
fn retries_failed_verdict_and_fingerprints_judge() {
    let broken = binary("Ada", Some("{description: d, rules: [{reply: Right!}]}"));
    let first = finish(
        &broken,
        &[&RUN[..], &JUDGED, &["--judge-attempts", "1"]].concat(),
    );
    assert_eq!(first.ran.code, Some(1), "{:?}", first.ran);
    let dir = first.dir.path.to_string_lossy().into_owned();
    // The answer is stored, so another judge can score it without rerunning the agent.
    let again = [
        "score",
        &dir,
        "--scorer",
        "judge",
        "--judge-model",
        "scripted",
    ];
    let again = broken.run(&again, "");
    assert_eq!(again.code, Some(0), "{again:?}");
    // A different judge makes the run a different experiment.
    let other = broken.run(
        &[
            "run",
            "--resume",
            &dir,
            "--retry-errors",
            "--judge-model",
            "scripted",
        ],
        "",
    );
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("scorer.judge.model is "), "{other:?}");
    let same = broken.run(&["run", "--resume", &dir, "--retry-errors"], "");
    assert_eq!(same.code, Some(1), "{same:?}");
    // The agents' responses are reused, and only the judge is called again. The calls of an attempt
    // do not include the judge's.
    let file = |name| fs::read_to_string(first.dir.path.join(name)).unwrap();
    let summary: Value = serde_json::from_str(&file("summary.json")).unwrap();
    assert_eq!(summary["wasted"]["superseded"]["attempts"], 0);
    let records: Vec<Value> = file("samples.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (before, again) = records.split_at(records.len() / 2);
    assert!(!again.is_empty());
    for record in again {
        let same = |one: &&Value| one["id"] == record["id"];
        let earlier = before.iter().find(same).unwrap();
        assert_eq!(record["continued"], true, "{record}");
        assert_eq!(record["llm_calls"], earlier["llm_calls"], "{record}");
        assert_eq!(record["judge"]["calls"], 1, "{record}");
    }
}

#[test]
fn rejects_invalid_settings_before_start() {
    let front = "---\nname: x\ntoolDescription: d\nmodel: judge\ntools: [a]\n---\nJudge.\n";
    let binary = binary("Ada", None).file("tools.md", front);
    let rows: [(&[&str], &str); 6] = [
        (
            &["--scorer", "judge"],
            "error: scorer `judge`: the model is missing\nhint: name the model, for example with --judge-model openai/gpt-5\n",
        ),
        (
            &["--judge-model", "scripted"],
            "error: --judge-model: the scorer exact/2 does not use a model\nhint: add --scorer judge\n",
        ),
        (
            &["--scorer", "judge", "--judge-prompt", "judge"],
            "error: --judge-prompt requires --judge-model\n",
        ),
        (
            &["--scorer", "judge", "--judge-model", "gpt"],
            "error: invalid value 'gpt' for '--judge-model <REF>': unknown model; known: ",
        ),
        (
            &[
                "--scorer",
                "judge",
                "--judge-model",
                "scripted",
                "--judge-prompt",
                "juge",
            ],
            "error: --judge-prompt: unknown judge prompt `juge`: expected a file or a bundled \
             prompt (judge)\n",
        ),
        (
            &[
                "--scorer",
                "judge",
                "--judge-model",
                "scripted",
                "--judge-prompt",
                "tools.md",
            ],
            "error: --judge-prompt: tools.md:5: a judge cannot call tools\n",
        ),
    ];
    for (more, message) in rows {
        let ran = binary.run(&[&RUN[..], more].concat(), "");
        assert_eq!(ran.code, Some(2), "{more:?}: {ran:?}");
        assert!(ran.stderr.starts_with(message), "{more:?}: {}", ran.stderr);
        assert!(!binary.path().join("results").exists(), "{more:?}");
    }
}

/// Checks that the viewer shows a run and a comparison with the scores of each scorer.
fn shows_the_scores_of_each_scorer(results: &Path) {
    let name = |folder: &str| {
        let run = fs::read_dir(results.join(folder)).unwrap().next();
        let run = run.unwrap().unwrap().file_name();
        format!("{folder}/{}", run.to_str().unwrap())
    };
    let (a, b) = (name("a"), name("deep/b"));
    let viewer = Viewer::of(results);
    let ask = |request: &str| viewer.get(&format!("/api/{request}"));
    let read = |request: &str| -> Value {
        let (status, body) = ask(request);
        assert_eq!(status, 200, "{request}: {body}");
        serde_json::from_str(&body).unwrap()
    };
    let encoded = |run: &str| run.replace('/', "%2F");
    let run = format!("run?run={}", encoded(&a));
    let pair = format!(
        "compare?runs={}/{}",
        encoded(&a).replace('%', "%25"),
        encoded(&b).replace('%', "%25")
    );
    for (parameter, score) in [("", 1.0), ("&scores=judge", 0.5), ("&scores=recorded", 1.0)] {
        let shown = read(&format!("{run}{parameter}"));
        assert_eq!(
            shown["overview"]["summary"]["score"]["mean"], score,
            "{parameter}: {shown}"
        );
        let later = shown["scorers"]["later"][0].as_str().unwrap();
        assert!(later.starts_with("judge/"), "{shown}");
        let chosen = if parameter == "&scores=judge" {
            json!(later)
        } else {
            Value::Null
        };
        assert_eq!(shown["scorers"]["shown"], chosen, "{parameter}: {shown}");
        let compared = read(&format!("{pair}{parameter}"));
        assert_eq!(compared["scorers"]["shown"], chosen, "{compared}");
        assert_eq!(compared["runs"][1]["summary"]["score"]["mean"], score);
        assert_eq!(compared["scorers"]["later"][0], later, "{compared}");
    }
    let (status, body) = ask(&format!("{run}&scores=contains"));
    assert_eq!(status, 404, "{body}");
    assert!(body.contains("scores by `contains`"), "{body}");
}

#[test]
fn scores_runs_together_and_compares_new_scores() {
    let rows: Vec<String> = (1..=4)
        .map(|n| json!({"id": format!("q{n}"), "query": "Who?", "expected": "Ada"}).to_string())
        .collect();
    let judge = r#"{description: d, rules: [{reply: '{"reason": "so", "score": 0.5}', cost_usd: 1, tokens: {input: 9, output: 1}}]}"#;
    let binary = binary("Ada", Some(judge)).file("q.jsonl", rows.join("\n"));
    for folder in ["results/a", "results/deep/b"] {
        let ran = binary.run(&[&RUN[..], &["--log-dir", folder]].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let unscored = binary.run(&["report", "results", "--scores", "judge"], "");
    assert_eq!(unscored.code, Some(2), "{unscored:?}");
    assert!(
        unscored
            .stderr
            .contains("has no scores by `judge`; create them with `rlm-eval score`")
    );
    fs::write(binary.path().join("results/report.html"), "page").unwrap();
    let args = [
        "results/a",
        "results/deep",
        "results/report.html",
        "--scorer",
        "judge",
    ];
    let model = ["--model", "scripted:j.yaml", "--max-llm-calls", "5"];
    let ran = binary.run(&[&["score"], &args[..], &model].concat(), "");
    assert_eq!(ran.code, Some(0), "equal answers are judged once: {ran:?}");
    assert_eq!(ran.stderr.matches("note: scores: ").count(), 2, "{ran:?}");
    assert!(
        ran.stderr.contains("note: skipped results/report.html"),
        "{ran:?}"
    );
    assert_eq!(ran.stdout.matches("$4.0000").count(), 1, "{}", ran.stdout);
    let runs = binary.shell("\"$0\" compare results/a/* results/deep/b/* --scores judge --json");
    assert_eq!(runs.code, Some(0), "{runs:?}");
    let compared: Value = serde_json::from_str(&runs.stdout).unwrap();
    let facts = &compared["runs"][1]["facts"];
    assert!(
        facts["scorer"].as_str().unwrap().starts_with("judge"),
        "{facts}"
    );
    let report = binary.run(&["report", "results", "--scores", "judge"], "");
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(report.stdout.contains("0.500"), "{}", report.stdout);
    assert!(binary.path().join("results/report-judge.html").is_file());
    // `--scores` also accepts the run's own scorer.
    let own = binary.run(&["report", "results", "--scores", "exact"], "");
    assert_eq!(own.code, Some(0), "{own:?}");
    assert!(own.stdout.contains("1.000"), "{}", own.stdout);
    let wrong = binary.run(&["report", "results", "--scores", "contains"], "");
    assert!(
        wrong
            .stderr
            .contains("has no scores by `contains`; it has scores by judge"),
        "{wrong:?}"
    );
    // The settings are rejected before the server starts. The timeout matters only if a server
    // starts by mistake.
    let served = "timeout 60 \"$0\" view results/a/* --scores contains --port 0";
    let wrong = binary.shell(served);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(
        wrong.stderr.contains("has no scores by `contains`"),
        "{wrong:?}"
    );
    let page = "\"$0\" view results/a/* --scores judge --export page.html";
    assert_eq!(binary.shell(page).code, Some(0));
    let page = fs::read_to_string(binary.path().join("page.html")).unwrap();
    assert!(
        page.contains("\"scorer\":\"judge"),
        "the page names the scorer"
    );
    shows_the_scores_of_each_scorer(&binary.path().join("results"));
    // Scores that are older than an attempt are rejected.
    let run = fs::read_dir(binary.path().join("results/a"))
        .unwrap()
        .next();
    let log = run.unwrap().unwrap().path().join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"score\":1.0", "\"score\":0.0", 1)).unwrap();
    let old = binary.run(&["report", "results", "--scores", "judge"], "");
    assert_eq!(old.code, Some(2), "{old:?}");
    assert!(old.stderr.contains("is newer than these scores"), "{old:?}");
}

#[test]
fn stopped_scoring_resumes_within_budget() {
    let rows: Vec<String> = (1..=4)
        .map(|n| json!({"id": format!("q{n}"), "query": "Who?", "expected": "Ada"}).to_string())
        .collect();
    let judge = r#"{description: d, rules: [{reply: '{"reason": "so", "score": 1}', cost_usd: 1, tokens: {input: 9, output: 1}}]}"#;
    let binary = binary("Ada", Some(judge)).file("q.jsonl", rows.join("\n"));
    let made = finish(&binary, &RUN);
    let dir = made.dir.path.to_string_lossy().into_owned();
    let score = |more: &[&str]| {
        let args = ["score", &dir, "--scorer", "judge", "--concurrency", "1"];
        let model = ["--model", "scripted:j.yaml"];
        binary.run(&[&args[..], &model, more].concat(), "")
    };
    let files = || {
        let folder = fs::read_dir(made.dir.path.join("scores")).unwrap();
        let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<String>>()
    };
    let stopped = |used: &str, done: usize| {
        format!(
            "warning: scoring was stopped: the {used}\nnote: {done} of 4 attempts are scored and kept; run the same command with a larger budget to continue\n"
        )
    };
    let ran = score(&["--max-cost", "2.5"]);
    let used = "--max-cost budget is used up ($2.0000 of $2.5; the next call may cost $1.0000)";
    assert_eq!((ran.code, ran.stderr), (Some(106), stopped(used, 2)));
    let journal = files();
    assert!(
        journal[0].ends_with(".unfinished.jsonl") && journal.len() == 1,
        "{journal:?}"
    );
    // Spending is kept. A partial line that a killed process left is skipped.
    let path = made.dir.path.join("scores").join(&journal[0]);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(r#"{"id": "q3", "attem"#);
    fs::write(&path, text).unwrap();
    let ran = score(&["--max-tokens", "25"]);
    let used =
        "--max-tokens budget is used up (20 tokens of 25 tokens; the next call may use 10 tokens)";
    let earlier = "note: reusing the scores of 2 answers from earlier starts\n";
    assert_eq!(
        (ran.code, ran.stderr),
        (Some(106), earlier.to_owned() + &stopped(used, 2))
    );
    // No answer is judged twice, so four calls suffice.
    let ran = score(&["--max-llm-calls", "3"]);
    let used = "--max-llm-calls budget is used up (3 calls of 3 calls)";
    assert!(ran.stderr.ends_with(&stopped(used, 3)), "{ran:?}");
    let ran = score(&["--max-llm-calls", "4"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("$4.0000"), "{}", ran.stdout);
    let left = files();
    assert!(
        left.len() == 1 && !left[0].contains("unfinished"),
        "{left:?}"
    );
    // Budgets require a model with a known price, and settings must be supported by the model.
    let wrong = [
        (
            &["--scorer", "exact", "--max-cost", "1"][..],
            "error: --max-cost: the scorer exact/2 does not use a model\n",
        ),
        (
            &[
                "--scorer",
                "judge",
                "--model",
                "ollama/none-such",
                "--max-cost",
                "1",
            ],
            "error: --max-cost: unknown price of `ollama/none-such`, so its cost cannot be limited\n",
        ),
        (
            &[
                "--scorer",
                "judge",
                "--model",
                "scripted:j.yaml",
                "--temperature",
                "0",
            ],
            "error: --temperature: not supported by `scripted:j.yaml`: ",
        ),
    ];
    for (args, message) in wrong {
        let ran = binary.run(&[&["score", &dir], args].concat(), "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.starts_with(message), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn keeps_verdicts_until_all_runs_are_scored() {
    let rows: Vec<String> = (1..=4)
        .map(|n| json!({"id": format!("q{n}"), "query": "Who?", "expected": "Ada"}).to_string())
        .collect();
    let judge = r#"{description: d, rules: [{reply: '{"reason": "so", "score": 1}', cost_usd: 1, tokens: {input: 9, output: 1}}]}"#;
    let binary = binary("Ada", Some(judge)).file("q.jsonl", rows.join("\n"));
    for (folder, samples) in [("results/a", "q1,q2"), ("results/b", "q3,q4")] {
        let more = ["--log-dir", folder, "--sample-ids", samples];
        let ran = binary.run(&[&RUN[..], &more].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let score = |budget: &str| {
        let args = ["score", "results/a", "results/b", "--scorer", "judge"];
        let model = ["--model", "scripted:j.yaml", "--concurrency", "1"];
        binary.run(&[&args[..], &model, &["--max-cost", budget]].concat(), "")
    };
    let journals = || {
        binary
            .shell("ls results/*/*/scores/*.unfinished.jsonl")
            .stdout
    };
    assert_eq!(score("3.5").code, Some(106));
    assert_eq!(journals().lines().count(), 2);
    // The verdicts on the first run are neither paid again nor forgotten by the budget.
    let reused = "note: reusing the scores of 3 answers from earlier starts\n";
    let ran = score("3.5");
    assert!(ran.stderr.starts_with(reused), "{ran:?}");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    let ran = score("4.5");
    assert!(ran.stderr.starts_with(reused), "{ran:?}");
    assert_eq!((ran.code, journals()), (Some(0), String::new()), "{ran:?}");
}

#[test]
fn charges_estimate_for_judge_call_in_flight_at_kill() {
    let judge =
        r#"{description: d, rules: [{reply: '{"reason": "so", "score": 1}', cost_usd: 1}]}"#;
    let binary = binary("Ada", Some(judge));
    let made = finish(&binary, &RUN);
    let dir = made.dir.path.to_string_lossy().into_owned();
    let args = [
        "score",
        &dir,
        "--scorer",
        "judge",
        "--model",
        "scripted:j.yaml",
    ];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let scores = made.dir.path.join("scores");
    let name = fs::read_dir(&scores).unwrap().next().unwrap().unwrap();
    let name = name.file_name().into_string().unwrap();
    let journal = scores.join(name.replace(".jsonl", ".unfinished.jsonl"));
    let asked = json!({
        "v": 1, "run_id": "r", "sample": "q", "attempt": 1, "at_ms": 1.0, "invocation": "judge of q.1", "parent": null, "depth": 0,
        "kind": {"type": "judge_request", "estimate": {"usage": Usage::default(), "cost_usd": 5.0}},
    });
    fs::write(&journal, format!("{asked}\n")).unwrap();
    let ran = binary.run(&[&args[..], &["--max-cost", "5"]].concat(), "");
    let used = "the --max-cost budget is used up ($5.0000 of $5)";
    assert_eq!(ran.code, Some(106), "{ran:?}");
    assert!(ran.stderr.contains(used), "{ran:?}");
    // A second process must not start while the first has locked the journal.
    let held = fs::File::open(&journal).unwrap();
    held.lock().unwrap();
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("unfinished.jsonl"), "{ran:?}");
}
