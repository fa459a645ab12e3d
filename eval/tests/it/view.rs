//! `rlm-eval view` over HTTP: access control, files outside the folder, nested runs, and that it
//! writes nothing.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::run_dir_fixture::record;
use crate::view_server::Viewer;

/// One row of `view_requests.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Method and target.
    request: String,
    headers: Vec<String>,
    status: u16,
    /// Text that the response contains.
    #[serde(default)]
    holds: String,
}

/// Returns a binary whose folder has a run directory with one sample and, outside the folder of
/// runs, a file that must not be reachable.
fn folder() -> Binary {
    let run = serde_json::json!({
        "run_id": "one", "benchmark": "s-niah", "model": "scripted", "protocol": "rlm", "prompt_mode": "solver",
        "drivers": "", "max_depth": 2, "max_iterations": 15, "dataset_digest": "d", "scorer": "needle/1",
        "fingerprint": "f",
    });
    let lock = serde_json::json!({"v": 1, "fingerprint": {"sha256": "f", "parts": {}}, "run": run});
    let line = serde_json::to_string(&record("s-1", 1)).unwrap();
    let event = "{\"v\":1,\"run_id\":\"one\",\"sample\":\"s-1\",\"attempt\":1,\"at_ms\":0,\"invocation\":\"root\",\
        \"parent\":null,\"depth\":0,\"kind\":{\"type\":\"iteration_start\",\"iteration\":1}}\n";
    Binary::new()
        .file("secret.txt", "not to be read")
        .file("results/one/lock.json", lock.to_string())
        .file("results/one/config.json", "{\"v\":1,\"attempts_total\":1}")
        .file("results/one/samples.jsonl", format!("{line}\n"))
        .file("results/one/trajectories/s-1.1.jsonl", event)
        .file("elsewhere/lock.json", lock.to_string())
        .file("elsewhere/config.json", "{\"v\":1}")
        .file("elsewhere/samples.jsonl", "")
}

#[test]
fn answers_or_refuses_requests() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("view_requests.json")).unwrap();
    let binary = folder();
    let viewer = Viewer::of(&binary.path().join("results"));
    for row in rows {
        let headers: Vec<&str> = row.headers.iter().map(String::as_str).collect();
        let answer = viewer.ask(&row.request, &headers);
        let asked = format!("{} {headers:?}", row.request);
        assert_eq!(answer.status, row.status, "{asked}: {}", answer.body);
        assert!(answer.body.contains(&row.holds), "{asked}: {}", answer.body);
        assert!(!answer.body.contains("not to be read"), "{asked}");
        let policy = "content-security-policy: default-src 'none'";
        assert!(answer.head.contains(policy), "{asked}: {}", answer.head);
        assert!(!answer.head.contains("access-control"), "{asked}");
    }
}

/// An attempt whose trajectory is still empty is omitted, and shown once its first event is
/// written.
#[test]
fn shows_attempt_after_its_first_event() {
    let binary = folder();
    let dir = binary.path().join("results/one");
    fs::write(dir.join("config.json"), "{\"v\":1,\"attempts_total\":2}").unwrap();
    let file = dir.join("trajectories/s-2.1.jsonl");
    fs::write(&file, "").unwrap();
    let viewer = Viewer::of(&binary.path().join("results"));
    let under_way = || -> Value {
        let body = viewer.ask("GET /api/run?run=one", &["Host: HOST"]).body;
        let run: Value = serde_json::from_str(&body).unwrap();
        run["under_way"].clone()
    };
    assert_eq!(under_way(), serde_json::json!([]));
    let event = "{\"v\":1,\"run_id\":\"one\",\"sample\":\"s-2\",\"attempt\":1,\"at_ms\":0,\"invocation\":\"root\",\
        \"parent\":null,\"depth\":0,\"kind\":{\"type\":\"iteration_start\",\"iteration\":1}}\n";
    fs::write(&file, event).unwrap();
    assert_eq!(under_way()[0]["id"], "s-2");
}

/// Other users of the machine can reach the port but do not have the token.
#[test]
fn viewer_requires_token() {
    let binary = folder();
    let viewer = Viewer::of(&binary.path().join("results"));
    let port = viewer.host().split_once(':').unwrap().1.to_owned();
    let cookie = format!("Cookie: a=b; rlm_eval_view_{port}=TOKEN");
    let rows: [(&str, &[&str], u16); 9] = [
        ("GET /", &[], 403),
        ("GET /api/runs", &[], 403),
        ("GET /?token=", &[], 403),
        ("GET /?token=TOKEN0", &[], 403),
        ("GET /", &["Authorization: Bearer x"], 403),
        ("GET /?token=TOKEN", &[], 303),
        ("GET /api/runs?token=TOKEN", &[], 200),
        ("GET /api/runs", &[&cookie], 200),
        ("GET /api/runs", &["Authorization: Bearer TOKEN"], 200),
    ];
    for (request, headers, status) in rows {
        let answer = viewer.ask_with(request, &[&["Host: HOST"], headers].concat());
        assert_eq!(answer.status, status, "{request} {headers:?}: {answer:?}");
        if status == 303 {
            let kept = "httponly; samesite=strict; path=/";
            assert!(answer.head.contains(kept), "{answer:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn does_not_follow_links_out_of_folder() {
    use std::os::unix::fs::symlink;
    let binary = folder();
    let results = binary.path().join("results");
    symlink(
        binary.path().join("elsewhere"),
        results.join("linked-folder"),
    )
    .unwrap();
    let trajectory = results.join("one/trajectories/s-1.1.jsonl");
    fs::remove_file(&trajectory).unwrap();
    symlink(binary.path().join("secret.txt"), &trajectory).unwrap();
    let viewer = Viewer::of(&results);
    let host = ["Host: HOST"];
    let runs: Value = serde_json::from_str(&viewer.ask("GET /api/runs", &host).body).unwrap();
    let ids = runs["runs"].as_array().unwrap().iter();
    assert_eq!(ids.map(|run| &run["id"]).collect::<Vec<_>>(), ["one"]);
    let answer = viewer.ask("GET /api/attempt?run=one&sample=s-1", &host);
    assert_eq!(answer.status, 403, "{}", answer.body);
    let answer = viewer.ask(
        "GET /api/text?run=one&sample=s-1&attempt=1&from=0&to=6",
        &host,
    );
    assert_eq!(answer.status, 403, "{}", answer.body);
}

#[cfg(unix)]
#[test]
fn refuses_run_with_link_out_of_folder() {
    use std::os::unix::fs::symlink;
    // Replace each file with a link. All of these files are read for a run's totals and lists.
    for (name, target) in [
        ("config.json", "elsewhere/config.json"),
        ("samples.jsonl", "elsewhere/samples.jsonl"),
        ("trajectories/s-2.1.jsonl", "secret.txt"),
        ("abandoned", "elsewhere"),
        ("superseded", "elsewhere"),
    ] {
        let binary = folder();
        let results = binary.path().join("results");
        let link = results.join("one").join(name);
        let _ = fs::remove_file(&link);
        symlink(binary.path().join(target), &link).unwrap();
        let viewer = Viewer::of(&results);
        let answer = viewer.ask("GET /api/run?run=one", &["Host: HOST"]);
        assert_eq!(answer.status, 403, "{name}: {}", answer.body);
        let runs = viewer.ask("GET /api/runs", &["Host: HOST"]);
        let runs: Value = serde_json::from_str(&runs.body).unwrap();
        let problem = runs["runs"][0]["problem"].as_str().unwrap();
        assert!(
            problem.ends_with("is outside the displayed folder"),
            "{problem}"
        );
    }
}

#[test]
fn ignores_foreign_files_in_run() {
    let binary = folder()
        .file("results/one/trajectories/a-folder/x.jsonl", "{}")
        .file("results/one/abandoned/a-folder/x.jsonl", "{}");
    let viewer = Viewer::of(&binary.path().join("results"));
    let answer = viewer.ask("GET /api/run?run=one", &["Host: HOST"]);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn shows_nested_runs_and_missing_cells() {
    let binary = folder();
    let results = binary.path().join("results");
    let cell = results.join("sweep/01-direct");
    fs::create_dir_all(&cell).unwrap();
    for name in ["config.json", "lock.json", "samples.jsonl"] {
        fs::copy(results.join("one").join(name), cell.join(name)).unwrap();
    }
    let plan = r#"{"v":1,"cells":[{"name":"01-direct"},{"name":"02-rlm"}]}"#;
    fs::write(results.join("sweep/sweep.json"), plan).unwrap();
    let viewer = Viewer::of(&results);
    let ask = |target: &str| -> Value {
        let answer = viewer.ask(&format!("GET /api/{target}"), &["Host: HOST"]);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{target}: {}", answer.body))
    };
    let all = ask("runs");
    let ids = |page: &Value| -> Vec<String> {
        let rows = page["runs"].as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&all), ["one"]);
    assert_eq!(all["groups"][0]["id"], "sweep");
    assert_eq!(all["groups"][0]["is_sweep"], true);
    assert_eq!(all["groups"][0]["not_begun"], serde_json::json!(["02-rlm"]));
    assert_eq!(ids(&ask("runs?folder=sweep")), ["sweep/01-direct"]);
    // A filter applies to all runs, including nested ones.
    assert_eq!(ids(&ask("runs?filter=01-direct")), ["sweep/01-direct"]);
    assert_eq!(
        ask("run?run=sweep%2F01-direct")["overview"]["id"],
        "sweep/01-direct"
    );
    let compared = ask("compare?runs=one/sweep%252F01-direct");
    assert_eq!(compared["shared_samples"], 1);
    assert_eq!(compared["differing_samples"], 0);
}

#[test]
fn viewer_writes_nothing() {
    let binary = folder();
    let results = binary.path().join("results");
    let before = listing(&results);
    let viewer = Viewer::of(&results);
    for target in [
        "/",
        "/api/runs",
        "/api/run?run=one",
        "/api/attempt?run=one&sample=s-1",
    ] {
        let answer = viewer.ask(&format!("GET {target}"), &["Host: HOST"]);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    }
    assert_eq!(listing(&results), before);
}

#[test]
fn exports_self_contained_page() {
    let binary = folder();
    let ran = binary.run(&["view", "results/one", "--export", "page.html"], "");
    let wanted = Ran {
        code: Some(0),
        stdout: "page.html\n".to_owned(),
        stderr: String::new(),
    };
    assert_eq!(ran, wanted);
    let page = fs::read_to_string(binary.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    for from_elsewhere in ["src=\"", "href=\"http", "@import", "url("] {
        assert!(!page.contains(from_elsewhere), "{from_elsewhere}");
    }
}

fn listing(folder: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            found.extend(listing(&entry.path()));
        } else {
            let length = entry.metadata().unwrap().len();
            found.push((entry.path().display().to_string(), length));
        }
    }
    found.sort();
    found
}
