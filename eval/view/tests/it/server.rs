//! The viewer over HTTP: access control, files outside the folder, nested runs, and that it writes
//! nothing.

use std::fs;
use std::path::Path;

use model::EventKind;
use run_fixture::{event, write_run_dir};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::viewer::Viewer;

/// One row of `requests.json`.
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

/// Returns a folder that contains runs in `results` and, outside of it, a run and a file that must
/// not be reachable.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret.txt"), "not to be read").unwrap();
    write_run_dir(&folder.path().join("results/one"));
    write_run_dir(&folder.path().join("elsewhere"));
    folder
}

#[test]
fn answers_or_refuses_requests() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("requests.json")).unwrap();
    let folder = folder();
    let viewer = Viewer::of(&folder.path().join("results"));
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
    let folder = folder();
    let dir = folder.path().join("results/one");
    fs::write(dir.join("config.json"), "{\"v\":1,\"attempts_total\":2}").unwrap();
    let file = dir.join("trajectories/s-2.1.jsonl");
    fs::write(&file, "").unwrap();
    let viewer = Viewer::of(&folder.path().join("results"));
    let under_way = || -> Value {
        let body = viewer.ask("GET /api/run?run=one", &["Host: HOST"]).body;
        let run: Value = serde_json::from_str(&body).unwrap();
        run["under_way"].clone()
    };
    assert_eq!(under_way(), json!([]));
    let first = event("s-2", "root", 0, EventKind::IterationStart { iteration: 1 });
    fs::write(&file, format!("{}\n", json!(first))).unwrap();
    assert_eq!(under_way()[0]["id"], "s-2");
}

/// A run can begin or end without a change of the files that the viewer reads.
#[cfg(unix)]
#[test]
fn stamps_change_with_progress_of_run() {
    use std::time::{Duration, SystemTime};
    let folder = folder();
    let results = folder.path().join("results");
    let dir = results.join("one");
    let viewer = Viewer::of(&results);
    let ask = |target: &str| -> Value {
        let answer = viewer.ask(&format!("GET /api/{target}"), &["Host: HOST"]);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{target}: {}", answer.body))
    };
    // Checks the progress that the pages show, and that requesting them keeps the stamps.
    let stamps = |progress: &str| {
        let stamps = [ask("stamp?run=one"), ask("stamp")];
        let run = ask("run?run=one");
        assert_eq!(run["overview"]["progress"], progress);
        assert_eq!(ask("runs")["runs"][0]["progress"], progress);
        assert_eq!([ask("stamp?run=one"), ask("stamp")], stamps);
        stamps
    };
    let age = |name: &str| {
        let file = fs::File::open(dir.join(name)).unwrap();
        let time = SystemTime::now() - Duration::from_secs(3600);
        file.set_modified(time).unwrap();
    };
    let run_progress = || ask("attempt?run=one&sample=s-2")["run_progress"].clone();

    // An attempt that is silent for long, like that of a killed run, and then continues.
    fs::write(dir.join("config.json"), "{\"v\":1,\"attempts_total\":2}").unwrap();
    let first = event("s-2", "root", 0, EventKind::IterationStart { iteration: 1 });
    let trajectory = dir.join("trajectories/s-2.1.jsonl");
    fs::write(&trajectory, format!("{}\n", json!(first))).unwrap();
    age("samples.jsonl");
    age("trajectories");
    ask("runs");
    let running = stamps("running");
    assert_eq!(run_progress(), "running");
    age("trajectories/s-2.1.jsonl");
    let stopped = stamps("stopped");
    assert_eq!(run_progress(), "stopped");
    assert!(running[0] != stopped[0] && running[1] != stopped[1]);
    fs::write(&trajectory, format!("{}\n", json!(first))).unwrap();
    stamps("running");

    // A run of a server, which accepts requests while it holds the lock.
    fs::write(dir.join("config.json"), "{\"v\":1,\"attempts_total\":null}").unwrap();
    age("samples.jsonl");
    let lock = fs::File::open(dir.join("lock.json")).unwrap();
    lock.lock().unwrap();
    ask("runs");
    let running = stamps("running");
    lock.unlock().unwrap();
    let complete = stamps("complete");
    assert!(running[0] != complete[0] && running[1] != complete[1]);
    fs::write(dir.join("running.json"), "{}").unwrap();
    lock.lock().unwrap();
    let again = [ask("stamp?run=one"), ask("stamp")];
    assert!(again[0] != complete[0] && again[1] != complete[1]);
    assert_eq!(ask("run?run=one")["overview"]["progress"], "running");
    assert_eq!(ask("runs")["runs"][0]["progress"], "running");
}

/// Requests for a stamp do not read the runs, of which only a few are cached.
#[cfg(unix)]
#[test]
fn polling_reads_no_runs() {
    use std::time::{Duration, SystemTime};
    let folder = folder();
    let results = folder.path().join("results");
    let runs: Vec<_> = (0..20)
        .map(|run| results.join(format!("r-{run}")))
        .collect();
    for dir in &runs {
        write_run_dir(dir);
        fs::write(dir.join("config.json"), "{\"v\":1,\"attempts_total\":2}").unwrap();
        let first = event("s-2", "root", 0, EventKind::IterationStart { iteration: 1 });
        let trajectory = dir.join("trajectories/s-2.1.jsonl");
        fs::write(trajectory, format!("{}\n", json!(first))).unwrap();
        for name in ["samples.jsonl", "trajectories"] {
            let file = fs::File::open(dir.join(name)).unwrap();
            let time = SystemTime::now() - Duration::from_secs(3600);
            file.set_modified(time).unwrap();
        }
    }
    let viewer = Viewer::of(&results);
    let ask = |target: &str| -> Value {
        let answer = viewer.ask(&format!("GET /api/{target}"), &["Host: HOST"]);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{target}: {}", answer.body))
    };
    let listed = ask("runs");
    let rows = listed["runs"].as_array().unwrap().iter();
    assert_eq!(rows.filter(|row| row["progress"] == "running").count(), 20);
    // A run that is read now has a problem instead of a progress.
    for dir in &runs {
        fs::write(dir.join("config.json"), "{").unwrap();
    }
    assert_eq!(ask("stamp")["stamp"], listed["stamp"]);
}

/// Other users of the machine can reach the port but do not have the token.
#[test]
fn viewer_requires_token() {
    let folder = folder();
    let viewer = Viewer::of(&folder.path().join("results"));
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
    let folder = folder();
    let results = folder.path().join("results");
    symlink(
        folder.path().join("elsewhere"),
        results.join("linked-folder"),
    )
    .unwrap();
    let trajectory = results.join("one/trajectories/s-1.1.jsonl");
    fs::remove_file(&trajectory).unwrap();
    symlink(folder.path().join("secret.txt"), &trajectory).unwrap();
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
        let folder = folder();
        let results = folder.path().join("results");
        let link = results.join("one").join(name);
        let _ = fs::remove_file(&link);
        symlink(folder.path().join(target), &link).unwrap();
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
    let folder = folder();
    for of_run in ["trajectories", "abandoned"] {
        let foreign = folder
            .path()
            .join("results/one")
            .join(of_run)
            .join("a-folder");
        fs::create_dir_all(&foreign).unwrap();
        fs::write(foreign.join("x.jsonl"), "{}").unwrap();
    }
    let viewer = Viewer::of(&folder.path().join("results"));
    let answer = viewer.ask("GET /api/run?run=one", &["Host: HOST"]);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn shows_nested_runs_and_missing_cells() {
    let folder = folder();
    let results = folder.path().join("results");
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
    assert_eq!(all["groups"][0]["not_begun"], json!(["02-rlm"]));
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
    let folder = folder();
    let results = folder.path().join("results");
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
