//! Flags and settings of `rlm-eval worker`.

use std::path::{Path, PathBuf};

use clap::Args;
use queue::Access;
use queue::name::RunKey;
use serde_json::Value;

use crate::settings::QueueAccessArgs;
use crate::settings::flags::{NotFromFile, one_line};
use crate::settings::queue::{access, key};
use crate::settings::values::{Seconds, whole};
use crate::settings::{
    PowerArgs, ResumeArgs, RunArgs, RunMode, RunPowerArgs, RunSettings, SettingsError,
};

/// The flags of `rlm-eval worker`.
#[derive(Debug, Clone, Args)]
#[command(after_help = WORKER_DETAILS)]
pub struct WorkerArgs {
    /// URL of the queue's NATS server: nats://HOST:PORT
    #[arg(value_name = "URL")]
    pub url: String,

    /// Id or folder of a run to work on; repeatable [default: every run of the queue]
    #[arg(long, value_name = "RUN", add = NotFromFile)]
    pub run: Vec<String>,

    /// Maximum concurrent attempts
    #[arg(long, value_parser = whole::<usize>(1..=1_000), default_value_t = 5, value_name = "N")]
    pub concurrency: usize,

    /// Folder of benchmark data, instead of the folder that the run names
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Server URL to which runs may send this machine's keys, in addition to the URLs of known
    /// providers
    #[arg(long, value_name = "URL", add = NotFromFile)]
    pub base_url: Option<String>,

    /// Permissions of the agents that the worker runs.
    #[command(flatten)]
    pub powers: PowerArgs,

    /// Permissions of the runs that the worker serves.
    #[command(flatten)]
    pub run_powers: RunPowerArgs,

    /// Seconds that attempts in progress may continue after SIGTERM or Ctrl-C; unfinished attempts
    /// are then returned to the queue
    #[arg(long, default_value_t = Seconds::of(30), value_name = "SECONDS")]
    pub drain: Seconds,

    /// Exit after this many seconds without an attempt [default: never]
    #[arg(long, value_name = "SECONDS")]
    pub idle_exit: Option<Seconds>,

    /// Name of the worker in the queue [default: host name and process id]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Files and folders on this machine that runs may use, as flags of `rlm-eval run`: --tools-dir
    /// tools
    #[arg(last = true, value_name = "FLAGS")]
    pub confirmed: Vec<String>,

    /// Access to the queue's server.
    #[command(flatten)]
    pub access: QueueAccessArgs,
}

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// URL and credentials of the queue server.
    pub access: Access,
    /// Flags of the worker.
    pub args: WorkerArgs,
    /// Runs to work on; empty for all.
    pub runs: Vec<RunKey>,
    /// Flags with the files and folders that runs may name.
    pub confirmed: ResumeArgs,
    /// Name of the worker.
    pub name: String,
    /// Name of the machine.
    pub host: String,
}

impl WorkerSettings {
    /// Resolves the flags of a worker.
    ///
    /// # Errors
    /// [`SettingsError`] if a folder given as a run contains no run.
    pub fn resolve(args: &WorkerArgs) -> Result<Self, SettingsError> {
        let host = host();
        let runs = args.run.iter().map(|run| key(run).map(|(key, _)| key));
        Ok(Self {
            access: access(&args.url, &args.access),
            runs: runs.collect::<Result<_, _>>()?,
            confirmed: ResumeArgs::of_worker(&args.confirmed)
                .map_err(|error| SettingsError::new(one_line(&error)))?,
            name: args
                .name
                .clone()
                .unwrap_or_else(|| format!("{host}-{}", std::process::id())),
            host,
            args: args.clone(),
        })
    }

    /// Resolves a queued run's flags with this worker's data, permissions and concurrency. Flags
    /// that name files or folders to write to are omitted.
    ///
    /// # Errors
    /// [`SettingsError`] for the first flag that cannot be used on this worker.
    pub fn of_run(&self, flags: &Value) -> Result<RunSettings, SettingsError> {
        let mut args: RunArgs = serde_json::from_value(flags.clone()).map_err(|problem| {
            SettingsError::new(format!("invalid flags of the run: {problem}"))
        })?;
        self.check_places(flags)?;
        args.queue.queue = None;
        args.engine.store.record = None;
        args.engine.store.cache = None;
        let own = &self.args;
        args.conduct.concurrency = own.concurrency;
        args.powers = own.run_powers.clone();
        args.engine.powers = own.powers.clone();
        if own.data_dir.is_some() {
            args.options.data_dir.clone_from(&own.data_dir);
        }
        let mut run = RunSettings::at(&args, RunMode::Resume)?.settings;
        // The queue enforces the run's budget across all workers.
        run.engine.conduct.budget = harness::Budget::default();
        run.check_addresses(Path::new("the run"), own.base_url.as_deref(), "")
            .map_err(|_| {
                SettingsError::with_hint(
                    "the run names a server that this worker does not name".to_owned(),
                    "if you trust it, add --base-url with its address to `rlm-eval worker`"
                        .to_owned(),
                )
            })?;
        Ok(run)
    }
}

impl WorkerSettings {
    /// Rejects files and folders that the run names but the worker does not. The queue, `--record`
    /// and `--cache` are not used from the run's flags.
    fn check_places(&self, flags: &Value) -> Result<(), SettingsError> {
        let mut flags = flags.clone();
        if let Some(flags) = flags.as_object_mut() {
            flags.remove("queue");
        }
        let unconfirmed = self.confirmed.unconfirmed(&flags);
        let unconfirmed = unconfirmed.map_err(|problem| {
            SettingsError::new(format!("invalid flags of the run: {problem}"))
        })?;
        let own = ["--record", "--cache"];
        let places = unconfirmed.into_iter().filter(|place| {
            let has_own_data = place.flag == "--data-dir" && self.args.data_dir.is_some();
            !own.contains(&place.flag.as_str()) && !has_own_data
        });
        let places: Vec<String> = places.map(|place| place.to_string()).collect();
        if places.is_empty() {
            return Ok(());
        }
        let places = places.join(" ");
        Err(SettingsError::with_hint(
            format!("the run names files or folders that this worker does not name: {places}"),
            format!("if you trust them, add ` -- {places}` to `rlm-eval worker`"),
        ))
    }
}

fn host() -> String {
    let name = rustix::system::uname();
    let name = name.nodename().to_string_lossy().into_owned();
    if name.is_empty() {
        "worker".to_owned()
    } else {
        name
    }
}

const WORKER_DETAILS: &str = "\
Runs attempts that `rlm-eval run --queue` put into the queue, if this build and its data match the \
run. Keys come from this machine's environment.

Examples:
  rlm-eval worker nats://queue.example:4222 --concurrency 8
  rlm-eval worker nats://localhost:4222 --idle-exit 60";

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches};
    use harness::sandbox::Isolation;
    use serde_json::json;

    use super::{RunArgs, WorkerArgs, WorkerSettings};

    fn parse<T: FromArgMatches>(command: Command, words: &[&str]) -> T {
        let matches = command.get_matches_from(words);
        T::from_arg_matches(&matches).expect("valid flags")
    }

    #[test]
    fn ignores_permissions_in_a_queued_run() {
        let submitted: RunArgs = parse(
            RunArgs::augment_args(Command::new("run")),
            &["run", "--benchmark", "s-niah", "--model", "scripted"],
        );
        let mut flags = serde_json::to_value(&submitted).expect("flags are data");
        for place in ["", "/engine", "/engine/sandbox"] {
            let group = flags.pointer_mut(place).expect("a group of flags");
            group["isolation"] = json!("thread");
            group["allow_commands"] = json!(true);
            group["allow_local"] = json!(true);
            group["powers"] = json!({"isolation": {"kind": "thread"}, "allow_commands": true, "allow_local": true});
        }
        let rows: [(&[&str], bool); 2] = [
            (&[], false),
            (
                &["--isolation", "strict", "--allow-commands", "--allow-local"],
                true,
            ),
        ];
        for (words, is_allowed) in rows {
            let words = [&["worker", "nats://127.0.0.1:1"][..], words].concat();
            let worker = parse(WorkerArgs::augment_args(Command::new("worker")), &words);
            let settings = WorkerSettings::resolve(&worker).expect("valid settings");
            let run = settings.of_run(&flags).expect("a run that fits");
            assert!(!matches!(run.engine.conduct.isolation, Isolation::Thread));
            assert_eq!(run.engine.allow_local, is_allowed);
            assert_eq!(run.allow_commands, is_allowed);
        }
    }
}
