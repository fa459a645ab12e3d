//! Descriptions of how runs differ: parts of fingerprints, under names that users know.

use std::collections::BTreeMap;
use std::fs;

use records::program_versions::ProgramVersions;
use records::run_dir::{Fingerprint, Lock, RunDir};
use report::differences::{Differences, RunParts, sentences};
use run_fixture::identity;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Runs and the expected description of how they differ.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    runs: Vec<Run>,
    parts: Vec<(String, Vec<Option<String>>)>,
    sentences: Vec<String>,
}

/// A default run with changes or, with `columns`, a run read from these columns of a CSV file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Run {
    identity: Map<String, Value>,
    parts: Map<String, Value>,
    config: Value,
    columns: Option<BTreeMap<String, String>>,
}

#[test]
fn describes_differences_between_runs() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("differences/cases.json")).unwrap();
    let temp = tempfile::tempdir().unwrap();
    for (number, case) in cases.into_iter().enumerate() {
        let folder = temp.path().join(number.to_string());
        let runs = case.runs.iter().enumerate();
        let runs = runs.map(|(index, run)| run.read(&folder.join(index.to_string())));
        let differences = Differences::of(&runs.collect::<Vec<_>>());
        let parts = differences.parts.iter();
        let parts: Vec<_> = parts
            .map(|row| (row.part.clone(), row.values.clone()))
            .collect();
        assert_eq!(parts, case.parts, "{}", case.name);
        assert_eq!(
            sentences(&differences, case.runs.len()),
            case.sentences,
            "{}",
            case.name
        );
    }
}

impl Run {
    fn read(&self, folder: &std::path::Path) -> RunParts {
        if let Some(columns) = &self.columns {
            let mut program_versions = ProgramVersions::default();
            for program in columns.get("program").map_or("", String::as_str).split(',') {
                program_versions.add(Some(program.to_owned()));
            }
            return RunParts::of_columns(
                |name| columns.get(name).map(String::as_str),
                program_versions,
            );
        }
        let mut parts: BTreeMap<String, Value> = serde_json::from_value(json!({
            "model": "openai/gpt-5",
            "protocol": "rlm",
            "prompt_mode": "solver",
            "drivers": [],
            "prompt_layers": {"definition": null, "sections": {}, "append": null, "site": ""},
            "tools": {},
            "hooks": [],
            "max_depth": 2,
            "max_iterations": 15,
            "sampling": {"temperature": null},
            "sandbox": {"limits": {"output_chars": 50000, "timers": 5}},
            "benchmark": "s-niah",
            "dataset_digest": "d1",
            "scorer": "needle/1",
        }))
        .unwrap();
        parts.extend(self.parts.clone());
        let fingerprint = Fingerprint::from_parts(parts);
        let mut identity = serde_json::to_value(identity("run")).unwrap();
        let own = json!({
            "model": "openai/gpt-5",
            "prompt_mode": "solver",
            "drivers": "",
            "fingerprint": fingerprint.as_str(),
        });
        for changes in [own.as_object().unwrap(), &self.identity] {
            identity.as_object_mut().unwrap().extend(changes.clone());
        }
        let identity = serde_json::from_value(identity).unwrap();
        let mut config = json!({"v": 1, "engine": {"profile": null}});
        if let Value::Object(changes) = &self.config {
            config.as_object_mut().unwrap().extend(changes.clone());
        }
        fs::create_dir_all(folder).unwrap();
        let lock = serde_json::to_string(&Lock::new(fingerprint, identity)).unwrap();
        for (file, text) in [
            ("config.json", config.to_string()),
            ("lock.json", lock),
            ("samples.jsonl", String::new()),
        ] {
            fs::write(folder.join(file), text).unwrap();
        }
        RunParts::of_run(&RunDir::open(folder).unwrap())
    }
}
