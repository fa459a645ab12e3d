//! The viewer in a real browser: the cases of `tests/browser/`, which need Node.js and Chromium.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::binary::Binary;
use crate::view_server::Viewer;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser");

/// Exported runs of the fixture: the file, the run, and the sample, if only one is exported.
const EXPORTS: [(&str, &str, Option<&str>); 3] = [
    ("tree", "tree-20261121-080000-0001", Some("tree")),
    ("run", "arc-20261121-070000-0001", None),
    (
        "hostile",
        "<img src=x onerror=window.pwned=10>",
        Some("<script>window.pwned=11</script>/../.."),
    ),
];

#[test]
fn pages_work_in_chromium() {
    if let Some(missing) = missing() {
        println!("skipped: {missing}");
        return;
    }
    let binary = Binary::new();
    let results = binary.path().join("results");
    node(&["fixture.mjs", &results.display().to_string()]);
    for (file, run, sample) in EXPORTS {
        let (run, page) = (
            format!("results/{run}"),
            format!("results/export/{file}.html"),
        );
        std::fs::create_dir_all(results.join("export")).unwrap();
        let mut args = vec!["view", &run, "--export", &page];
        args.extend(sample.into_iter().flat_map(|sample| ["--sample", sample]));
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let reported = std::fs::read_dir(binary.path().join("reported")).unwrap();
    let mut runs: Vec<String> = reported
        .map(|run| run.unwrap().path().display().to_string())
        .collect();
    runs.sort();
    let report: Vec<&str> = ["report", "--html", "results/export/report.html"]
        .into_iter()
        .chain(runs.iter().map(String::as_str))
        .collect();
    let ran = binary.run(&report, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let viewer = Viewer::of(&results);
    node(&["run.mjs", &viewer.address, &results.display().to_string()]);
}

/// Settings of the browser that shows the pages.
fn settings() -> browser::Settings {
    browser::Settings {
        program: std::env::var_os("EVAL_TEST_BROWSER").map(Into::into),
        ..browser::Settings::default()
    }
}

/// Returns the first missing requirement and how to install it.
fn missing() -> Option<String> {
    let runs = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdin(Stdio::null());
        command.output().is_ok_and(|output| output.status.success())
    };
    if !runs("node") {
        return Some("no Node.js; ./test.sh installs it".to_owned());
    }
    if browser::find_program(&settings()).is_err() {
        return Some("no Chromium; ./test.sh installs it".to_owned());
    }
    let packages = Path::new(TESTS).join("node_modules/playwright-core");
    (!packages.is_dir()).then(|| format!("no packages; run npm ci in {TESTS}"))
}

fn node(args: &[&str]) {
    let output = Command::new("node")
        .args(args)
        .env(
            "EVAL_TEST_BROWSER",
            browser::find_program(&settings()).unwrap(),
        )
        .current_dir(TESTS)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "node {args:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
