//! Simulates the workflow service: runs the steps of jobs with expressions replaced, and stores and
//! fetches artifacts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

use super::github::TOKEN;
use super::{root, workflow};

/// Repository of the workflow.
pub const REPOSITORY: &str = "someone/evals";
/// Commit of the workflow.
pub const COMMIT: &str = "c0ffee0000000000000000000000000000000001";

/// A run of the workflow.
pub struct Service {
    pub workspace: PathBuf,
    pub artifacts: PathBuf,
    /// What the last job checked out.
    pub checked_out: String,
    values: BTreeMap<String, String>,
    /// URL of its API.
    api: String,
}

impl Service {
    /// Creates a run with these inputs and the defaults of the others.
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
        values.insert("github.token".to_owned(), TOKEN.to_owned());
        Self {
            workspace: folder.join("workspace"),
            artifacts: folder.join("artifacts"),
            checked_out: String::new(),
            values,
            api: api.to_owned(),
        }
    }

    /// Returns an output of an earlier job or of a step of this one.
    pub fn output(&self, name: &str) -> &str {
        &self.values[name]
    }

    /// Runs the steps of a job except those that build.
    ///
    /// # Errors
    /// The output of the failed step; only steps that always run follow it.
    pub fn job(&mut self, job: &str) -> Result<String, String> {
        let _ = fs::remove_dir_all(&self.workspace);
        fs::create_dir_all(&self.workspace).unwrap();
        let page = self.workspace.join("page.md");
        fs::write(&page, "").unwrap();
        let workflow = workflow();
        let mut failed = None;
        for step in workflow["jobs"][job]["steps"].as_array().unwrap() {
            let always = step["if"] == "always()";
            if !self.wanted(step) || (failed.is_some() && !always) {
                continue;
            }
            if let Some(uses) = step["uses"].as_str() {
                self.action(uses, step);
            } else if step["name"] != "Build"
                && let Err(problem) = self.bash(step, &page)
            {
                failed = Some(problem);
            }
        }
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

    /// Runs the job of one shard.
    pub fn shard(&mut self, shard: &str) -> Result<String, String> {
        self.values
            .insert("matrix.shard".to_owned(), shard.to_owned());
        self.job("run")
    }

    /// Replaces the expressions in a text; secrets are empty.
    fn resolve(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            let name = expression.trim();
            match self.values.get(name) {
                Some(value) => out.push_str(value),
                None => assert!(name.starts_with("secrets."), "{name} is not known"),
            }
            out.push_str(rest);
        }
        out
    }

    /// Returns whether the condition of a step holds.
    fn wanted(&self, step: &Value) -> bool {
        match step["if"].as_str() {
            None | Some("always()") => true,
            Some(condition) => {
                let name = condition.strip_suffix(" != ''").unwrap();
                !self.values[name].is_empty()
            }
        }
    }

    /// Performs an action as documented.
    fn action(&mut self, uses: &str, step: &Value) {
        let with = |name: &str| self.resolve(step["with"][name].as_str().unwrap_or_default());
        match uses.split('@').next().unwrap() {
            "actions/checkout" => {
                copy(&root().join(".github"), &self.workspace.join(".github"));
                self.checked_out = with("ref");
            }
            "actions/upload-artifact" => {
                let from = self.workspace.join(with("path"));
                if from.is_dir() {
                    copy(&from, &self.artifacts.join(with("name")));
                }
            }
            "actions/download-artifact" => {
                // Artifacts of an earlier run are stored under its id.
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
                    // Since its fifth version, a single artifact gets no folder of its own.
                    let single = names.len() == 1;
                    let to = if single { to.clone() } else { to.join(name) };
                    copy(&from.join(name), &to);
                }
            }
            "Swatinem/rust-cache" => {}
            other => panic!("{other} is not known"),
        }
    }

    fn bash(&mut self, step: &Value, page: &Path) -> Result<(), String> {
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "spliced into a command: {script}");
        let outputs = self.workspace.join("outputs");
        fs::write(&outputs, "").unwrap();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(&self.workspace)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("CI", "true")
            .env("EVAL", env!("CARGO_BIN_EXE_eval"))
            .env("GITHUB_REPOSITORY", REPOSITORY)
            .env("GITHUB_SHA", COMMIT)
            .env(
                "GITHUB_WORKFLOW_REF",
                format!("{REPOSITORY}/.github/workflows/eval.yml@refs/heads/main"),
            )
            .env("GITHUB_API_URL", &self.api)
            .env("GITHUB_STEP_SUMMARY", page)
            .env("GITHUB_OUTPUT", &outputs);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
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
