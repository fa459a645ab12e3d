//! Shared parts of the suite: the program under test, the model server, and input files.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::arguments::Arguments;
use crate::cost::{self, Cost};
use crate::plan::{Language, Plan};
use crate::server::Server;

/// Error of the suite or of one of its parts.
pub type SuiteError = Box<dyn Error>;

/// Prints a progress message on stderr.
#[expect(clippy::print_stderr, reason = "prints progress for the user")]
pub fn log_progress(text: &str) {
    eprintln!("perf: {text}");
}

/// The program under test and its environment.
pub struct Bench {
    pub arguments: Arguments,
    pub server: Server,
    eval: PathBuf,
    folder: TempDir,
}

/// Latency of each reply in milliseconds, for models that simulate it.
pub const LATENCY_MS: u64 = 20;

/// Provider of a run's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// In the program's process, with scripted replies.
    InProcess,
    /// In the program's process, with computed replies.
    Computed,
    /// In the program's process, with a latency of [`LATENCY_MS`].
    Waiting,
    /// The suite's model server, over HTTP.
    Http,
}

impl Bench {
    /// Starts the model server and creates the suite's temporary folder.
    ///
    /// # Errors
    /// Returns an error if the program does not exist or the model server cannot start.
    pub fn start(arguments: Arguments) -> Result<Self, SuiteError> {
        Ok(Self {
            eval: fs::canonicalize(&arguments.eval)
                .map_err(|error| format!("{}: {error}", arguments.eval.display()))?,
            server: Server::start()?,
            folder: tempfile::tempdir()?,
            arguments,
        })
    }

    /// Returns `quick` in a quick run of the suite, otherwise `full`.
    pub fn size<T>(&self, full: T, quick: T) -> T {
        if self.arguments.quick { quick } else { full }
    }

    /// Returns the number of repetitions of each measurement.
    pub fn runs(&self) -> usize {
        self.size(self.arguments.runs.max(1), 1)
    }

    /// Returns a path in the suite's temporary folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command that runs the program with these arguments, in the suite's folder and with
    /// only the environment variables that the suite sets.
    pub fn eval(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.eval);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("OPENAI_API_KEY", "none")
            .env("OPENAI_BASE_URL", self.server.url());
        command
    }

    /// Returns the path of the program.
    pub fn program(&self) -> &Path {
        &self.eval
    }

    /// Writes the input files for `samples` samples that follow a plan, and returns the `rlm-eval
    /// run` command. It creates its run directory in `results/` in the suite's folder.
    ///
    /// # Errors
    /// Returns an error if the input files cannot be written.
    pub fn run_samples(
        &self,
        samples: usize,
        plan: &Plan,
        provider: Provider,
        more: &[&str],
    ) -> Result<Command, SuiteError> {
        let rows = self.rows(samples, plan)?;
        let model = self.model(plan, provider)?;
        let mut arguments = vec!["run", "--benchmark", &rows, "--model", &model];
        // A direct call has neither iterations nor children.
        if !more.contains(&"direct") {
            arguments.extend(["--max-iterations", "10000", "--max-depth", "4"]);
        }
        // Connections must not limit the number of concurrent agents.
        arguments.extend(["--max-connections", "2000"]);
        arguments.extend(more);
        Ok(self.eval(&arguments))
    }

    /// Returns the context of a sample, 8,010 characters.
    pub fn context() -> String {
        "A line of text that says nothing new at all.\n".repeat(178)
    }

    /// Writes a benchmark of `samples` samples with the plan and the [context](Self::context).
    /// Returns the file name.
    fn rows(&self, samples: usize, plan: &Plan) -> Result<String, SuiteError> {
        let name = format!("{}-{samples}.jsonl", file_name(plan));
        let path = self.path(&name);
        if !path.exists() {
            let context = Self::context();
            let mut file = BufWriter::new(fs::File::create(&path)?);
            for number in 0..samples {
                let row = json!({
                    "id": format!("s{number}"), "query": format!("{} What is it?", plan.text()),
                    "context": context, "expected": "42",
                });
                writeln!(file, "{row}")?;
            }
            file.flush()?;
        }
        Ok(name)
    }

    /// Returns a model that follows a plan as the server does. Writes the file of a scripted model.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn model(&self, plan: &Plan, provider: Provider) -> Result<String, SuiteError> {
        if provider == Provider::Http {
            return Ok("openai/eval".to_owned());
        }
        let name = format!("{}-{provider:?}.yaml", file_name(plan));
        let path = self.path(&name);
        if !path.exists() {
            let mut rules = rules(plan);
            if provider == Provider::Computed {
                for rule in &mut rules {
                    // A JSON string is also a JavaScript string literal.
                    rule["compute"] = format!("return({})", rule["reply"].take()).into();
                    rule.as_object_mut().and_then(|rule| rule.remove("reply"));
                }
            }
            let is_waiting = provider == Provider::Waiting;
            let script = json!({
                "description": "A benchmark's plan.",
                "latency_ms": if is_waiting { LATENCY_MS } else { 0 },
                "rules": rules,
            });
            fs::write(&path, script.to_string())?;
        }
        Ok(format!("scripted:{name}"))
    }

    /// Moves the run directories aside until the suite ends. They are not deleted earlier, because
    /// ext4 creates files slowly where many were recently deleted.
    pub fn put_results_aside(&self) {
        let aside = tempfile::Builder::new()
            .prefix("results-")
            .tempdir_in(self.folder.path());
        // A part may have left no results. A failed move only makes later runs slower.
        if let Ok(aside) = aside {
            let _ = fs::rename(self.path("results"), aside.keep());
        }
    }
}

/// Converts a plan to the rules of a scripted model as JSON, which is valid YAML.
fn rules(plan: &Plan) -> Vec<Value> {
    let of = |plan: &Plan, turns: u32, depth: usize| -> [Value; 2] {
        let reply = |turn| plan.reply(turn, Language::Eval);
        [
            json!({"when": {"depth": depth, "from_turn": turns}, "reply": reply(turns)}),
            json!({"when": {"depth": depth}, "reply": reply(1)}),
        ]
    };
    match plan {
        Plan::Loop { iterations } => of(plan, *iterations, 0).into(),
        Plan::Hold => of(plan, 2, 0).into(),
        Plan::Delay { .. } => of(plan, 1, 0).into(),
        Plan::Tree { widths } => (0..=widths.len())
            .flat_map(|depth| {
                let widths = widths[depth..].to_vec();
                of(&Plan::Tree { widths }, 2, depth)
            })
            .collect(),
    }
}

fn file_name(plan: &Plan) -> String {
    plan.text().replace(['=', '/', ';'], "-")
}

/// Returns the total size of all files in a folder, recursively.
pub fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

/// Returns the mean milliseconds per item.
pub fn ms_each(duration: std::time::Duration, count: usize) -> f64 {
    duration.as_secs_f64() * 1000.0 / count as f64
}

/// Runs a command once and returns its cost without its memory.
///
/// # Errors
/// Returns an error if the command cannot be run or fails.
pub fn cost_of(mut command: Command) -> Result<Cost, SuiteError> {
    Ok(cost::measure(&mut command, false)?)
}
