//! `.github/workflows/`: runs the commands of `eval.yml` with the scripted model, and checks which
//! jobs have API keys.

mod github;
mod service;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use records::run_dir::RunDir;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::github::Github;
use self::service::{COMMIT, REPOSITORY, Service};

/// Returns the root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn workflow_of(name: &str) -> Value {
    let text = fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

fn workflow() -> Value {
    workflow_of("eval.yml")
}

/// Returns an API that knows the run 1001, at a commit before this one, with the given changes.
fn api(run: &Map<String, Value>, compared: &Value) -> Github {
    let commit = "c0ffee0000000000000000000000000000000000";
    let mut known = json!({
        "id": 1001,
        "path": ".github/workflows/eval.yml@main",
        "event": "workflow_dispatch",
        "status": "completed",
        "head_sha": commit,
        "repository": {"full_name": REPOSITORY},
        "head_repository": {"full_name": REPOSITORY},
    });
    for (name, value) in run {
        known[name] = value.clone();
    }
    let runs = format!("/repos/{REPOSITORY}/actions/runs");
    let compare = format!("/repos/{REPOSITORY}/compare/{commit}...{COMMIT}");
    Github::start(BTreeMap::from([
        (format!("{runs}/1001"), known),
        (format!("{runs}/500"), json!(500)),
        (compare, compared.clone()),
    ]))
}

/// Inputs, responses of the API, and the result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    inputs: BTreeMap<String, String>,
    /// Changed fields of run 1001.
    #[serde(default)]
    run: Map<String, Value>,
    /// Relation of its commit to this one; without it the API does not know the commit.
    compared: Option<String>,
    /// Number of requests to the API.
    #[serde(default)]
    asked: usize,
    /// Arguments, without those of the defaults.
    arguments: Option<Vec<String>>,
    #[serde(default)]
    commit: Option<String>,
    error: Option<String>,
}

#[test]
fn what_is_typed_is_checked_before_anything_runs() {
    let rows: Vec<Plan> = serde_json::from_str(include_str!("workflow/plans.json")).unwrap();
    for row in rows {
        let folder = tempfile::tempdir().unwrap();
        let compared = row
            .compared
            .map_or(json!(404), |status| json!({ "status": status }));
        let api = api(&row.run, &compared);
        let inputs: Vec<_> = row
            .inputs
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        let mut service = Service::new(folder.path(), &api.origin, &inputs);
        let planned = service.job("plan");
        assert_eq!(api.seen().len(), row.asked, "{inputs:?}: {:?}", api.seen());
        let left: Vec<_> = fs::read_dir(&service.workspace)
            .unwrap()
            .flatten()
            .collect();
        assert_eq!(left.len(), 3, "{inputs:?} left something: {left:?}");
        if let Some(error) = row.error {
            assert_eq!(planned, Err(format!("::error::{error}\n")), "{inputs:?}");
            continue;
        }
        planned.unwrap();
        let commit = row.commit.as_deref().unwrap_or(COMMIT);
        assert_eq!(service.output("needs.plan.outputs.commit"), commit);
        let arguments = service.output("needs.plan.outputs.arguments");
        let mut arguments: Vec<String> = serde_json::from_str(arguments).unwrap();
        let defaults = [
            "--benchmark=s-niah",
            "--model=scripted",
            "--prompt-mode=solver",
            "--profile=auto",
            "--attempts=1",
            "--max-iterations=15",
            "--max-depth=2",
            "--concurrency=5",
        ];
        arguments.retain(|argument| !defaults.contains(&argument.as_str()));
        assert_eq!(arguments, row.arguments.unwrap_or_default(), "{inputs:?}");
    }
}

#[test]
fn the_workflow_shards_merges_resumes_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [
        ("context-len", "8k"),
        ("prompt-mode", "coordinator"),
        ("drivers", "delegation-first"),
        ("attempts", "2"),
        ("shards", "2"),
        ("max-llm-calls", "1000"),
        ("flags", "--samples-per-length 4"),
    ];
    let api = api(&Map::new(), &json!({"status": "ahead"}));
    let mut service = Service::new(folder.path(), &api.origin, &inputs);
    service.job("plan").unwrap();
    assert_eq!(service.output("needs.plan.outputs.shards"), "[1, 2]");
    for shard in ["1", "2"] {
        service.shard(shard).unwrap();
        assert_eq!(service.checked_out, COMMIT);
    }
    let page = service.job("merge").unwrap();
    assert!(page.contains("## Summary\n```text\n"), "{page}");
    assert!(page.contains(" 8/8 (100 %)"), "{page}");
    let merged = service.artifacts.join("run/merged");
    assert_eq!(RunDir::open(&merged).unwrap().records.len(), 8);
    assert!(service.artifacts.join("run/report.html").is_file());

    // Later, with the shards of the first run, of which one was cut short and one left nothing; and
    // a comparison with the first run.
    let earlier = folder.path().join("1001");
    fs::rename(&service.artifacts, &earlier).unwrap();
    let shards = fs::read_dir(earlier.join("shard-1")).unwrap();
    for run in shards.flatten().filter(|entry| entry.path().is_dir()) {
        fs::write(run.path().join("samples.jsonl"), "").unwrap();
    }
    fs::remove_dir_all(earlier.join("shard-2")).unwrap();
    let later = [("resume-run", "1001"), ("compare-run", "1001")];
    let mut service = Service::new(folder.path(), &api.origin, &[&inputs[..], &later].concat());
    service.job("plan").unwrap();
    for shard in ["1", "2"] {
        service.shard(shard).unwrap();
        assert_eq!(
            service.checked_out,
            "c0ffee0000000000000000000000000000000000"
        );
    }
    let page = service.job("merge").unwrap();
    assert!(page.contains(" 8/8 (100 %)"), "{page}");
    assert!(
        page.contains("## Against the earlier run\n```text\n"),
        "{page}"
    );
    assert!(
        page.contains("No difference is shown between B and A"),
        "{page}"
    );
    assert!(service.artifacts.join("run/comparison.csv").is_file());

    // A shard of another partition, and another experiment.
    for (name, value, error) in [
        (
            "shards",
            "3",
            "the run to go on with had another number of shards than 3",
        ),
        ("prompt-mode", "solver", "prompt_mode"),
    ] {
        let mut inputs = [&inputs[..], &later].concat();
        inputs.retain(|(other, _)| *other != name);
        inputs.push((name, value));
        let mut service = Service::new(folder.path(), &api.origin, &inputs);
        service.job("plan").unwrap();
        let problem = service.shard("1").unwrap_err();
        assert!(problem.contains(error), "{problem}");
    }
}

#[test]
fn a_single_shard_takes_its_flags_as_they_were_typed() {
    let folder = tempfile::tempdir().unwrap();
    let flags = "--stop '; touch pwned' --stop=\"$(touch pwned)\" --stop '`touch pwned`'\n--stop \"two\nlines\" \
                 --model-alias far=ollama/none --agent-name 'it'\"'\"'s' --site * --persona '&& touch pwned #' \
                 --append-system-prompt İß€";
    let inputs = [
        ("context-len", "8k"),
        ("flags", flags),
        ("temperature", "0.5"),
    ];
    let api = api(&Map::new(), &json!(404));
    let mut service = Service::new(folder.path(), &api.origin, &inputs);
    service.job("plan").unwrap();
    service.shard("1").unwrap();
    assert!(!service.workspace.join("pwned").exists());
    let page = service.job("merge").unwrap();
    assert!(page.contains(" 2/2 (100 %)"), "{page}");
    let config = fs::read_to_string(service.artifacts.join("run/merged/config.json")).unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    let stop = json!([
        "; touch pwned",
        "$(touch pwned)",
        "`touch pwned`",
        "two\nlines"
    ]);
    let flags = &config["flags"]["engine"];
    let texts = &flags["guidance"]["layers"];
    let found = [
        &flags["models"]["stop"],
        &texts["agent_name"],
        &texts["site"],
        &texts["persona"],
        &texts["append_system_prompt"],
    ];
    let typed = [
        &stop,
        &json!("it's"),
        &json!("*"),
        &json!("&& touch pwned #"),
        &json!("İß€"),
    ];
    assert_eq!(found, typed, "{config}");

    // An input is one argument, whatever it contains.
    let mut service = Service::new(
        folder.path(),
        &api.origin,
        &[("drivers", "x; touch pwned\n--json")],
    );
    service.job("plan").unwrap();
    let problem = service.shard("1").unwrap_err();
    assert!(problem.contains("x; touch pwned"), "{problem}");
    assert!(!service.workspace.join("pwned").exists());
}

#[test]
fn the_inputs_are_those_of_the_documentation() {
    let workflow = workflow();
    let inputs = workflow["on"]["workflow_dispatch"]["inputs"]
        .as_object()
        .unwrap();
    // GitHub allows 25.
    assert!(inputs.len() <= 25);
    let docs = fs::read_to_string(root().join("docs/guides/github-workflow.md")).unwrap();
    for name in inputs.keys() {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn keys_are_only_where_the_rules_of_the_environment_hold() {
    for name in ["ci.yml", "eval.yml"] {
        let text = fs::read_to_string(root().join(".github/workflows").join(name)).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, action) = line.split_once('@').unwrap();
            let (commit, version) = action.split_once(" # v").unwrap();
            let is_commit =
                commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(
                is_commit && version.split('.').count() == 3,
                "{name}: {line}"
            );
        }
        let workflow = workflow_of(name);
        assert_eq!(workflow["permissions"], json!({}), "{name}");
        for (job, declared) in workflow["jobs"].as_object().unwrap() {
            let permissions = declared["permissions"].as_object().unwrap();
            assert!(
                permissions.values().all(|may| may == "read"),
                "{name}: {job}"
            );
            let keys = declared.to_string().contains("secrets.");
            assert_eq!(keys, declared["environment"] == "eval", "{name}: {job}");
            for step in declared["steps"].as_array().unwrap() {
                let checks_out = step["uses"]
                    .as_str()
                    .is_some_and(|uses| uses.starts_with("actions/checkout@"));
                assert!(
                    !checks_out || step["with"]["persist-credentials"] == false,
                    "{name}: {job}"
                );
                let run = step["run"].as_str().unwrap_or_default();
                assert!(!run.contains("${{"), "{name}: {job}: {run}");
            }
        }
    }
}
