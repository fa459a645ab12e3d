//! The manifests in docs/: their commands run with the scripted model and resume after an
//! interruption.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Runs a shell script in a folder with `eval` on its path, and returns the exit code and stderr.
fn run(shell: &[&str], folder: &Path, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let programs = folder.join("bin");
    fs::create_dir_all(&programs).unwrap();
    let program = programs.join("eval");
    if !program.exists() {
        symlink(env!("CARGO_BIN_EXE_eval"), &program).unwrap();
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new(shell[0])
        .args(&shell[1..])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder)
        .env("EVAL", env!("CARGO_BIN_EXE_eval"))
        .envs([
            ("MODEL", "scripted"),
            ("EVAL_CONTEXT_LEN", "8k"),
            ("EVAL_TASKS_PER_LENGTH", "8"),
        ])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), stderr)
}

fn manifests() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manifests")
}

#[test]
fn slurm_array_runs_and_resumes_shard() {
    let folder = tempfile::tempdir().unwrap();
    let array = [
        ("SLURM_ARRAY_TASK_ID", "2"),
        ("SLURM_ARRAY_TASK_COUNT", "4"),
        ("SLURM_ARRAY_TASK_MIN", "0"),
    ];
    let script = manifests().join("slurm-array.sh");
    let task = || run(&["bash", script.to_str().unwrap()], folder.path(), &array);
    let (_, stderr) = task();
    assert!(stderr.contains("shard 3/4 contains "), "{stderr}");
    // Simulate a task that is killed before it records a sample, and requeued.
    let runs = || -> Vec<_> {
        let entries = fs::read_dir(folder.path().join("results/shards/2")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let log = runs()[0].join("samples.jsonl");
    fs::write(&log, "").unwrap();
    let (code, stderr) = task();
    assert_eq!((code, runs().len()), (Some(0), 1), "{stderr}");
    assert!(!fs::read_to_string(&log).unwrap().is_empty());
}

#[test]
fn kubernetes_job_retries_and_resumes() {
    let job = fs::read_to_string(manifests().join("kubernetes-job.yaml")).unwrap();
    let job: Value = serde_saphyr::from_str(&job).unwrap();
    let spec = &job["spec"];
    // The Kubernetes API server requires these values, but the schema does not express this.
    assert_eq!(spec["completionMode"], "Indexed");
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    assert!(spec["backoffLimitPerIndex"].is_u64());
    // `backoffLimit` would end the whole job at the first failing pod.
    assert!(spec["backoffLimit"].is_null());
    let container = &spec["template"]["spec"]["containers"][0];
    let exit_codes = &spec["podFailurePolicy"]["rules"][1];
    let wanted = json!({
        "action": "FailIndex",
        "onExitCodes": {
            "containerName": container["name"],
            "operator": "In",
            "values": [eval::exit::USAGE, eval::exit::NOTHING_MATCHED, eval::exit::GATE_FAILED],
        }
    });
    assert_eq!(exit_codes, &wanted);
    let count = container["env"][0]["value"].as_str().unwrap();
    assert_eq!(count.parse().ok(), spec["completions"].as_u64());
    assert_eq!(container["command"], json!(["sh", "-c"]));

    let folder = tempfile::tempdir().unwrap();
    let script = container["args"][0].as_str().unwrap();
    let script = script.replace("/results", "results");
    let script = script.replace("anthropic/claude-opus-4-6", "scripted");
    let pod = |index| {
        let variables = [
            ("JOB_COMPLETION_INDEX", index),
            ("EVAL_PARTITION_COUNT", "2"),
        ];
        run(&["sh", "-c", &script], folder.path(), &variables)
    };
    let runs = |index: &str| -> Vec<_> {
        let shard = folder.path().join("results/shards").join(index);
        let entries = fs::read_dir(shard).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    for (index, partition) in [("0", "shard 1/2 contains "), ("1", "shard 2/2 contains ")] {
        let (code, stderr) = pod(index);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stderr.contains(partition), "{stderr}");
    }
    // Run the next pod of an index whose pod was killed.
    let run = &runs("0")[0];
    fs::write(run.join("samples.jsonl"), "").unwrap();
    let (code, stderr) = pod("0");
    assert_eq!((code, runs("0").len()), (Some(0), 1), "{stderr}");
    assert!(
        !fs::read_to_string(run.join("samples.jsonl"))
            .unwrap()
            .is_empty()
    );
}
