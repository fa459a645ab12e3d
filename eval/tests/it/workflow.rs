//! Tests of `.github/workflows/`. They run the commands of `eval.yml` with the scripted model and
//! check which jobs receive API keys.

mod expression;
mod github;
mod service;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use records::run_dir::RunDir;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::run::read_json;

use self::github::Github;
use self::service::{COMMIT, REPOSITORY, Service};

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

/// Starts an API that knows run 1001, which used another commit. `run` overrides fields of that
/// run, `artifacts` are the names of its artifacts, and `compared` is the response to the
/// comparison of the two commits.
fn api(run: &Map<String, Value>, artifacts: &[String], compared: &Value) -> Github {
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
    let artifacts: Vec<_> = artifacts
        .iter()
        .map(|name| json!({ "name": name }))
        .collect();
    let runs = format!("/repos/{REPOSITORY}/actions/runs");
    let compare = format!("/repos/{REPOSITORY}/compare/{commit}...{COMMIT}");
    Github::start(BTreeMap::from([
        (format!("{runs}/1001"), known),
        (
            format!("{runs}/1001/artifacts?per_page=100"),
            json!({ "artifacts": artifacts }),
        ),
        (format!("{runs}/500"), json!(500)),
        (compare, compared.clone()),
    ]))
}

/// A case of `plans.json`: inputs of the workflow, responses of the API, and the expected result of
/// the job `plan`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    inputs: BTreeMap<String, String>,
    /// Fields of run 1001 that differ from the defaults of [`api`].
    #[serde(default)]
    run: Map<String, Value>,
    /// Names of the artifacts of run 1001.
    #[serde(default)]
    artifacts: Vec<String>,
    /// Status that the API returns for the comparison of that run's commit with this one; `None` if
    /// the API does not know the commit.
    compared: Option<String>,
    /// Expected number of requests to the API.
    #[serde(default)]
    asked: usize,
    /// Expected arguments of each shard, without those with default values.
    arguments: Option<Vec<String>>,
    /// Expected arguments of the whole run, if they differ from those of a shard.
    whole: Option<Vec<String>>,
    /// Expected values of other outputs.
    #[serde(default)]
    outputs: BTreeMap<String, String>,
    #[serde(default)]
    commit: Option<String>,
    error: Option<String>,
}

#[test]
fn plan_job_validates_inputs_and_outputs_arguments() {
    let rows: Vec<Plan> = serde_json::from_str(include_str!("workflow/plans.json")).unwrap();
    for row in rows {
        let folder = tempfile::tempdir().unwrap();
        let compared = row
            .compared
            .map_or(json!(404), |status| json!({ "status": status }));
        let api = api(&row.run, &row.artifacts, &compared);
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
        assert_eq!(left.len(), 4, "{inputs:?} left something: {left:?}");
        if let Some(error) = row.error {
            assert_eq!(planned, Err(format!("::error::{error}\n")), "{inputs:?}");
            continue;
        }
        planned.unwrap();
        let commit = row.commit.as_deref().unwrap_or(COMMIT);
        assert_eq!(service.output("needs.plan.outputs.commit"), commit);
        for (name, value) in &row.outputs {
            let output = service.output(&format!("needs.plan.outputs.{name}"));
            assert_eq!(output, value, "{inputs:?}: {name}");
        }
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
        let arguments = row.arguments.unwrap_or_default();
        let whole = row.whole.unwrap_or_else(|| arguments.clone());
        for (name, wanted) in [("arguments", arguments), ("whole", whole)] {
            let planned = service.output(&format!("needs.plan.outputs.{name}"));
            let mut planned: Vec<String> = serde_json::from_str(planned).unwrap();
            planned.retain(|argument| !defaults.contains(&argument.as_str()));
            assert_eq!(planned, wanted, "{inputs:?}: {name}");
        }
    }
}

#[test]
fn workflow_shards_merges_resumes_and_compares() {
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
    let api = api(&Map::new(), &[], &json!({"status": "ahead"}));
    let mut service = Service::new(folder.path(), &api.origin, &inputs);
    service.job("plan").unwrap();
    assert_eq!(service.output("needs.plan.outputs.shards"), "[1, 2]");
    let page = service.job("build").unwrap();
    assert!(page.contains("## Estimate\n```text\n"), "{page}");
    assert!(page.contains("4 samples, 2 attempts each"), "{page}");
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

    // After one shard of the first run was truncated and the other was lost, a later run resumes
    // the first run and is compared with it.
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
    service.job("build").unwrap();
    assert_eq!(
        service.checked_out,
        "c0ffee0000000000000000000000000000000000"
    );
    // A run that resumes the later run reads the commit from this name.
    let built = "commit-c0ffee0000000000000000000000000000000000";
    assert!(service.artifacts.join(built).is_dir());
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
        page.contains("## Comparison with the earlier run\n```text\n"),
        "{page}"
    );
    assert!(
        page.contains("No difference is shown between B and A"),
        "{page}"
    );
    assert!(service.artifacts.join("run/comparison.csv").is_file());

    // A run cannot be resumed with another number of shards or with other settings.
    for (name, value, error) in [
        (
            "shards",
            "3",
            "shards is 3, but the run to resume had another number of shards",
        ),
        ("prompt-mode", "solver", "prompt_mode"),
    ] {
        let mut inputs = [&inputs[..], &later].concat();
        inputs.retain(|(other, _)| *other != name);
        inputs.push((name, value));
        let mut service = Service::new(folder.path(), &api.origin, &inputs);
        service.job("plan").unwrap();
        service.job("build").unwrap();
        let problem = service.shard("1").unwrap_err();
        assert!(problem.contains(error), "{problem}");
    }
}

#[test]
fn single_shard_passes_flags_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let flags = "--stop '; touch pwned' --stop=\"$(touch pwned)\" --stop '`touch pwned`'\n--stop \"two\nlines\" \
                 --model-alias far=ollama/none --agent-name 'it'\"'\"'s' --site * --persona '&& touch pwned #' \
                 --append-system-prompt İß€";
    let inputs = [
        ("context-len", "8k"),
        ("flags", flags),
        ("temperature", "0.5"),
    ];
    let api = api(&Map::new(), &[], &json!(404));
    let mut service = Service::new(folder.path(), &api.origin, &inputs);
    service.job("plan").unwrap();
    service.job("build").unwrap();
    service.shard("1").unwrap();
    assert!(!service.workspace.join("pwned").exists());
    let page = service.job("merge").unwrap();
    assert!(page.contains(" 2/2 (100 %)"), "{page}");
    let config = read_json(service.artifacts.join("run/merged/config.json"));
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

    // An input becomes a single argument even if it contains shell syntax and line breaks.
    let mut service = Service::new(
        folder.path(),
        &api.origin,
        &[("drivers", "x; touch pwned\n--json")],
    );
    service.job("plan").unwrap();
    let problem = service.job("build").unwrap_err();
    assert!(problem.contains("x; touch pwned"), "{problem}");
    assert!(!service.workspace.join("pwned").exists());
}

#[test]
fn invalid_input_fails_build_before_shards_start() {
    // Inputs, and a part of the error message.
    let rows: [(&[(&str, &str)], &str); 11] = [
        (&[("benchmark", "s-niahh")], "s-niahh"),
        (&[("model", "nobody/gpt")], "nobody"),
        (&[("protocol", "telepathy")], "telepathy"),
        (&[("drivers", "exact-format,100%")], "100%25"),
        (&[("profile", "missing")], "missing"),
        (&[("scorer", "file:missing.js")], "missing.js"),
        (&[("temperature", "hot")], "hot"),
        (&[("attempts", "0")], "--attempts"),
        (&[("flags", "--no-such-flag")], "--no-such-flag"),
        (&[("flags", "--judge-model nobody/gpt")], "nobody"),
        (&[("flags", "--sample-ids missing")], "missing"),
    ];
    let api = api(&Map::new(), &[], &json!(404));
    for (inputs, message) in rows {
        let folder = tempfile::tempdir().unwrap();
        let inputs = [inputs, &[("context-len", "8k"), ("shards", "2")]].concat();
        let mut service = Service::new(folder.path(), &api.origin, &inputs);
        service.job("plan").unwrap();
        assert!(service.starts("build"));
        let problem = service.job("build").unwrap_err();
        assert!(problem.starts_with("::error::"), "{inputs:?}: {problem}");
        assert!(problem.contains(message), "{inputs:?}: {problem}");
        assert_eq!(problem.lines().count(), 1, "{inputs:?}: {problem}");
        for job in ["run", "merge"] {
            assert!(!service.starts(job), "{inputs:?}: {job}");
        }
        assert!(!service.artifacts.exists(), "{inputs:?}");
    }
}

#[test]
fn min_score_fails_merge_after_storing_run() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [
        ("model", "scripted/s-niah-flawed"),
        ("context-len", "8k"),
        ("shards", "2"),
        ("flags", "--samples-per-length 6"),
    ];
    let api = api(&Map::new(), &[], &json!(404));
    let mut service = Service::new(folder.path(), &api.origin, &inputs);
    service.job("plan").unwrap();
    service.job("build").unwrap();
    for shard in ["1", "2"] {
        service.shard(shard).unwrap();
    }
    let incomplete = "::error::some attempts have no score, so min-score 0.01 is not reached\n";
    for (min_score, error) in [
        ("", None),
        ("0.01", None),
        ("1", Some("::error::the score is below min-score 1\n")),
        ("0.01", Some(incomplete)),
    ] {
        if error == Some(incomplete) {
            fs::remove_dir_all(service.artifacts.join("shard-2")).unwrap();
        }
        let _ = fs::remove_dir_all(service.artifacts.join("run"));
        let inputs = [&inputs[..], &[("min-score", min_score)]].concat();
        let mut service = Service::new(folder.path(), &api.origin, &inputs);
        service.job("plan").unwrap();
        let merged = service.job("merge");
        assert_eq!(
            merged.as_ref().err().map(String::as_str),
            error,
            "{min_score}: {merged:?}"
        );
        for name in ["merged/summary.json", "report.html"] {
            assert!(
                service.artifacts.join("run").join(name).is_file(),
                "{min_score}: {name}"
            );
        }
    }
}

#[test]
fn key_secret_sets_provider_variable() {
    let folder = tempfile::tempdir().unwrap();
    let api = api(&Map::new(), &[], &json!(404));
    // The input `key-secret`, the variable that the program receives, and the error if the secret
    // is missing.
    for (typed, variable, error) in [
        (
            "AZURE_OPENAI_API_KEY",
            "AZURE_OPENAI_API_KEY=sk-azure",
            None,
        ),
        ("openai_api_key_team", "OPENAI_API_KEY=sk-team", None),
        ("", "OPENAI_API_KEY=sk-openai", None),
        (
            "VLLM_API_KEY",
            "",
            Some("::error::the secret VLLM_API_KEY is not set in the environment eval\n"),
        ),
    ] {
        let mut service = Service::new(folder.path(), &api.origin, &[("key-secret", typed)]);
        service.secrets = [
            ("AZURE_OPENAI_API_KEY", "sk-azure"),
            ("OPENAI_API_KEY", "sk-openai"),
            ("OPENAI_API_KEY_TEAM", "sk-team"),
            ("DEPLOY_TOKEN", "sk-of-another-purpose"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let seen = folder.path().join("seen");
        service.program = format!("env > '{}'; exit 4", seen.display());
        service.job("plan").unwrap();
        assert_eq!(service.environment("run"), "eval");
        // The job `build` receives no keys.
        service.job("build").unwrap_err();
        let text = fs::read_to_string(&seen).unwrap();
        assert!(!text.contains("sk-"), "{typed}: {text}");
        fs::remove_file(&seen).unwrap();

        service.store_program();
        let ran = service.shard("1");
        if let Some(error) = error {
            assert_eq!(ran, Err(error.to_owned()), "{typed}");
            assert!(!seen.exists(), "{typed}");
            continue;
        }
        ran.unwrap();
        let text = fs::read_to_string(&seen).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&variable), "{typed}: {text}");
        assert!(!text.contains("sk-of-another-purpose"), "{typed}: {text}");
        assert!(
            !lines.iter().any(|line| line.starts_with("KEY")),
            "{typed}: {text}"
        );
        if typed.is_empty() {
            assert!(!text.contains("sk-azure"), "{text}");
        }
    }
}

#[test]
fn pull_request_runs_scripted_model_without_keys() {
    let folder = tempfile::tempdir().unwrap();
    let api = api(&Map::new(), &[], &json!(404));
    let mut service = Service::for_pull_request(folder.path(), &api.origin);
    let secrets = ["OPENAI_API_KEY", ""].map(|name| (name.to_owned(), "sk-secret".to_owned()));
    service.secrets = secrets.into();
    let seen = folder.path().join("seen");
    service.program = format!("env >> '{}'\n{}", seen.display(), service.program);
    service.job("plan").unwrap();
    assert_eq!(service.output("needs.plan.outputs.shards"), "[1, 2]");
    assert_eq!(service.environment("run"), "");
    service.job("build").unwrap();
    for shard in ["1", "2"] {
        assert!(service.starts("run"));
        service.shard(shard).unwrap();
        assert_eq!(service.checked_out, COMMIT);
    }
    assert!(service.starts("merge"));
    let page = service.job("merge").unwrap();
    assert!(page.contains(" 4/4 (100 %)"), "{page}");
    assert!(api.seen().is_empty());
    let text = fs::read_to_string(seen).unwrap();
    assert!(!text.contains("sk-secret"), "{text}");
    let workflow = workflow();
    assert_eq!(workflow["on"].get("pull_request_target"), None);
    let paths = workflow["on"]["pull_request"]["paths"].as_array().unwrap();
    for path in paths {
        let path = path.as_str().unwrap().trim_end_matches("/**");
        assert!(root().join(path).exists(), "{path}");
    }
}

#[test]
fn inputs_match_documentation() {
    let workflow = workflow();
    let inputs = workflow["on"]["workflow_dispatch"]["inputs"]
        .as_object()
        .unwrap();
    // GitHub allows at most 25 inputs.
    assert!(inputs.len() <= 25);
    let docs = fs::read_to_string(root().join("docs/guides/github-workflow.md")).unwrap();
    for name in inputs.keys() {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
    // Runs for pull requests have no inputs, so only the job `plan` reads inputs. Only the job
    // `build` compiles.
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        let text = job.to_string();
        assert_eq!(text.contains("inputs)"), name == "plan", "{name}");
        assert!(!text.contains("inputs."), "{name}");
        for build in ["cargo", "rust-cache"] {
            assert_eq!(text.contains(build), name == "build", "{name}: {build}");
        }
    }
}

#[test]
fn keys_require_protected_environment() {
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
            // Only manually started runs have an environment and keys.
            let by_hand = "github.event_name == 'workflow_dispatch' && ";
            let text = declared.to_string();
            let expressions = text.split("${{").skip(1);
            let with_keys: Vec<&str> = expressions
                .filter_map(|rest| rest.split_once("}}"))
                .map(|(expression, _)| expression.trim())
                .filter(|expression| expression.contains("secrets"))
                .collect();
            let environment = declared["environment"].as_str();
            let is_eval = environment == Some(&format!("${{{{ {by_hand}'eval' || '' }}}}"));
            assert_eq!(environment.is_some(), is_eval, "{name}: {job}");
            assert_eq!(!with_keys.is_empty(), is_eval, "{name}: {job}");
            for expression in with_keys {
                let is_guarded = expression
                    .strip_prefix(by_hand)
                    .and_then(|rest| rest.strip_suffix(" || ''"))
                    .is_some_and(|secret| secret.starts_with("secrets"));
                assert!(is_guarded, "{name}: {job}: {expression}");
            }
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
