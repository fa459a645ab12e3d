//! A simulation of GitHub Actions: evaluates expressions, runs the steps of jobs, and stores and
//! fetches artifacts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

use crate::binary::CACHES;

use super::expression;
use super::github::TOKEN;
use super::{root, workflow};

pub const REPOSITORY: &str = "someone/evals";
/// Commit of the simulated workflow run.
pub const COMMIT: &str = "c0ffee0000000000000000000000000000000001";

/// A run of the workflow.
pub struct Service {
    pub workspace: PathBuf,
    pub artifacts: PathBuf,
    /// Commit that the last job checked out.
    pub checked_out: String,
    /// Secrets of the repository and of all environments.
    pub secrets: BTreeMap<String, String>,
    /// Shell script that replaces the program built by the job `build`.
    pub program: String,
    /// Values of the names in expressions, except secrets and status functions.
    values: BTreeMap<String, String>,
    /// URL of the simulated API.
    api: String,
}

impl Service {
    /// Creates a manually started run with these inputs and default values for the others.
    pub fn new(folder: &Path, api: &str, inputs: &[(&str, &str)]) -> Self {
        let declared = workflow()["on"]["workflow_dispatch"]["inputs"].clone();
        let mut typed = Map::new();
        for (name, input) in declared.as_object().unwrap() {
            let default = input["default"].as_str().unwrap_or_default();
            let given = inputs.iter().find(|(given, _)| given == name);
            let value = given.map_or(default, |(_, value)| *value);
            typed.insert(name.clone(), value.into());
        }
        for (name, _) in inputs {
            assert!(declared.get(name).is_some(), "no input {name}");
        }
        let mut values: BTreeMap<String, String> = typed
            .iter()
            .map(|(name, value)| (format!("inputs.{name}"), value.as_str().unwrap().to_owned()))
            .collect();
        values.insert(
            "toJSON(inputs)".to_owned(),
            Value::Object(typed).to_string(),
        );
        values.insert(
            "github.event_name".to_owned(),
            "workflow_dispatch".to_owned(),
        );
        Self::with(folder, api, values)
    }

    /// Creates a run for a pull request, which has no inputs.
    pub fn for_pull_request(folder: &Path, api: &str) -> Self {
        let values = [
            ("github.event_name", "pull_request"),
            ("toJSON(inputs)", "{}"),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self::with(folder, api, BTreeMap::from(values))
    }

    fn with(folder: &Path, api: &str, mut values: BTreeMap<String, String>) -> Self {
        values.insert("github.token".to_owned(), TOKEN.to_owned());
        Self {
            workspace: folder.join("workspace"),
            artifacts: folder.join("artifacts"),
            checked_out: String::new(),
            secrets: BTreeMap::new(),
            program: format!("exec {} \"$@\"", env!("CARGO_BIN_EXE_rlm-eval")),
            values,
            api: api.to_owned(),
        }
    }

    /// Returns the value of a name in expressions, such as `needs.JOB.outputs.NAME`.
    pub fn output(&self, name: &str) -> &str {
        &self.values[name]
    }

    /// Returns the environment of a job, or an empty string if it has none.
    pub fn environment(&self, job: &str) -> String {
        self.resolve(
            workflow()["jobs"][job]["environment"]
                .as_str()
                .unwrap_or_default(),
        )
    }

    /// Whether a job starts, given the results of the jobs that it depends on.
    pub fn starts(&self, job: &str) -> bool {
        let declared = &workflow()["jobs"][job];
        let needs = &declared["needs"];
        let mut needs = needs
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![needs.clone()]);
        needs.retain(Value::is_string);
        let has_failed = needs.iter().any(|needed| {
            let result = format!("needs.{}.result", needed.as_str().unwrap());
            self.values
                .get(&result)
                .is_none_or(|result| result != "success")
        });
        self.holds(declared["if"].as_str(), has_failed)
    }

    /// Runs the steps of a job and returns its summary page. The step `Build` only writes the
    /// script `program`.
    ///
    /// # Errors
    /// Returns the output of a failed step. Later steps run only if their conditions allow it.
    pub fn job(&mut self, job: &str) -> Result<String, String> {
        let _ = fs::remove_dir_all(&self.workspace);
        fs::create_dir_all(&self.workspace).unwrap();
        let page = self.workspace.join("page.md");
        fs::write(&page, "").unwrap();
        let workflow = workflow();
        let mut failed = None;
        for step in workflow["jobs"][job]["steps"].as_array().unwrap() {
            if !self.holds(step["if"].as_str(), failed.is_some()) {
                continue;
            }
            if let Some(uses) = step["uses"].as_str() {
                self.action(uses, step);
            } else if step["name"] == "Build" {
                let program = self.workspace.join("target/release/rlm-eval");
                fs::create_dir_all(program.parent().unwrap()).unwrap();
                fs::write(&program, format!("#!/bin/sh\n{}\n", self.program)).unwrap();
                fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
            } else if let Err(problem) = self.bash(&workflow, job, step, &page) {
                failed = Some(problem);
            }
        }
        let result = if failed.is_none() {
            "success"
        } else {
            "failure"
        };
        self.values
            .insert(format!("needs.{job}.result"), result.to_owned());
        for (name, value) in workflow["jobs"][job]["outputs"]
            .as_object()
            .into_iter()
            .flatten()
        {
            if failed.is_none() {
                let value = self.resolve(value.as_str().unwrap());
                self.values
                    .insert(format!("needs.{job}.outputs.{name}"), value);
            }
        }
        failed.map_or_else(|| Ok(fs::read_to_string(page).unwrap()), Err)
    }

    /// Stores the program as if the job `build` had succeeded.
    pub fn store_program(&self) {
        let folder = self.artifacts.join("program");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("rlm-eval"),
            format!("#!/bin/sh\n{}\n", self.program),
        )
        .unwrap();
    }

    /// Runs the job of one shard.
    pub fn shard(&mut self, shard: &str) -> Result<String, String> {
        self.values
            .insert("matrix.shard".to_owned(), shard.to_owned());
        self.job("run")
    }

    /// Replaces the expressions in a text with their values.
    fn resolve(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            out.push_str(&self.evaluate(expression, false));
            out.push_str(rest);
        }
        out
    }

    fn evaluate(&self, expression: &str, has_failed: bool) -> String {
        expression::evaluate(expression, &|name| match name {
            "always()" => "true".to_owned(),
            "cancelled()" => String::new(),
            "success()" => expression::format_bool(!has_failed),
            _ => match name.strip_prefix("secrets.") {
                Some(secret) => self.secrets.get(secret).cloned().unwrap_or_default(),
                None => self
                    .values
                    .get(name)
                    .cloned()
                    .unwrap_or_else(|| panic!("{name} is not known")),
            },
        })
    }

    /// Whether the condition of a step or a job is met. A condition without a status function also
    /// requires that nothing has failed.
    fn holds(&self, condition: Option<&str>, has_failed: bool) -> bool {
        let condition = condition.unwrap_or("success()");
        let condition = condition.trim_start_matches("${{").trim_end_matches("}}");
        let has_status = ["always()", "cancelled()", "success()"]
            .iter()
            .any(|function| condition.contains(function));
        (has_status || !has_failed) && !self.evaluate(condition, has_failed).is_empty()
    }

    /// Simulates the documented effects of an action.
    fn action(&mut self, uses: &str, step: &Value) {
        let with = |name: &str| self.resolve(step["with"][name].as_str().unwrap_or_default());
        match uses.split('@').next().unwrap() {
            "actions/checkout" => {
                copy(&root().join(".github"), &self.workspace.join(".github"));
                let endpoints = "harness/endpoints.yaml";
                fs::create_dir(self.workspace.join("harness")).unwrap();
                fs::copy(root().join(endpoints), self.workspace.join(endpoints)).unwrap();
                self.checked_out = with("ref");
            }
            "actions/upload-artifact" => {
                let from = self.workspace.join(with("path"));
                let to = self.artifacts.join(with("name"));
                let is_replaceable = step["with"]["overwrite"] == true;
                assert!(
                    is_replaceable || !to.exists(),
                    "409 Conflict: {} exists",
                    to.display()
                );
                if from.is_dir() {
                    copy(&from, &to);
                } else if from.is_file() {
                    fs::create_dir_all(&to).unwrap();
                    // Artifacts do not preserve permissions.
                    fs::write(to.join(from.file_name().unwrap()), fs::read(&from).unwrap())
                        .unwrap();
                }
            }
            "actions/download-artifact" => {
                // Artifacts of earlier runs are stored under the run's id.
                let from = match with("run-id") {
                    run if run.is_empty() => self.artifacts.clone(),
                    run => self.artifacts.with_file_name(run),
                };
                let to = self.workspace.join(with("path"));
                if step["with"]["name"].is_string() {
                    copy(&from.join(with("name")), &to);
                    return;
                }
                let pattern = with("pattern");
                let matches = |name: &str| match pattern.strip_suffix('*') {
                    Some(start) => name.starts_with(start),
                    None => name == pattern,
                };
                let entries = fs::read_dir(&from).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                let names: Vec<String> = names.filter(|name| matches(name)).collect();
                for name in &names {
                    // Since version 5 of the action, a single artifact is not extracted into its
                    // own folder.
                    let single = names.len() == 1;
                    let to = if single { to.clone() } else { to.join(name) };
                    copy(&from.join(name), &to);
                }
            }
            "Swatinem/rust-cache" => {}
            other => panic!("{other} is not known"),
        }
    }

    fn bash(
        &mut self,
        workflow: &Value,
        job: &str,
        step: &Value,
        page: &Path,
    ) -> Result<(), String> {
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "spliced into a command: {script}");
        let outputs = self.workspace.join("outputs");
        fs::write(&outputs, "").unwrap();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(&self.workspace)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CACHE_HOME", CACHES)
            .env("CI", "true")
            .env("GITHUB_EVENT_NAME", &self.values["github.event_name"])
            .env("GITHUB_REPOSITORY", REPOSITORY)
            .env("GITHUB_SHA", COMMIT)
            .env(
                "GITHUB_WORKFLOW_REF",
                format!("{REPOSITORY}/.github/workflows/eval.yml@refs/heads/main"),
            )
            .env("GITHUB_API_URL", &self.api)
            .env("GITHUB_STEP_SUMMARY", page)
            .env("GITHUB_OUTPUT", &outputs);
        let declared =
            [workflow, &workflow["jobs"][job], step].map(|level| level["env"].as_object());
        for (name, value) in declared.into_iter().flatten().flatten() {
            bash.env(name, self.resolve(value.as_str().unwrap()));
        }
        let output = bash.output().unwrap();
        if !output.status.success() {
            let printed = [output.stdout, output.stderr].concat();
            return Err(String::from_utf8_lossy(&printed).into_owned());
        }
        if let Some(id) = step["id"].as_str() {
            for line in fs::read_to_string(outputs).unwrap().lines() {
                let (name, value) = line.split_once('=').unwrap();
                self.values
                    .insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
