//! Settings of runs submitted to a queue, of workers, and of `rlm-eval queue`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use queue::Access;
use queue::name::RunKey;
use records::run_dir;
use serde_json::Value;

use super::{RunMode, RunSettings, SettingsError};
use crate::cli::{
    Granted, PowerArgs, QueueAccessArgs, QueueTargetArgs, ResumeArgs, RunArgs, RunPowerArgs,
    WorkerArgs, one_line,
};
use crate::process::invocation::quoted;

/// Value of `--queue` that resumes a run without a queue.
const NONE: &str = "none";

/// Settings of a run whose attempts run on workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSettings {
    /// URL and credentials of the queue server.
    pub access: Access,
    /// Whether to exit after submitting the run.
    pub detach: bool,
    /// Time without a heartbeat after which an attempt is given to another worker.
    pub lease: Duration,
    /// Maximum workers that may crash during an attempt before it ends in an error.
    pub tries: u64,
    /// Number of servers that store each message.
    pub replicas: usize,
    /// Maximum bytes of results in the queue.
    pub max_bytes: Option<u64>,
    /// Folder of an earlier run; samples whose attempts took longest there run first.
    pub order_by: Option<PathBuf>,
}

fn access(url: &str, args: &QueueAccessArgs) -> Access {
    let path = |granted: &Option<Granted<PathBuf>>| granted.as_deref().map(Path::to_path_buf);
    Access {
        url: url.trim().to_owned(),
        creds: path(&args.queue_creds),
        nkey: path(&args.queue_nkey),
        ca: path(&args.queue_ca),
        cert: path(&args.queue_cert).zip(path(&args.queue_key)),
    }
}

/// Resolves a run's queue flags; `None` without a queue.
pub(super) fn resolve(args: &RunArgs) -> Result<Option<QueueSettings>, SettingsError> {
    let flags = &args.queue;
    let Some(url) = flags.queue.as_deref().filter(|url| url.trim() != NONE) else {
        if args.start.detach {
            return Err(SettingsError::new(
                "--detach requires a queue, but --queue is none".to_owned(),
            ));
        }
        return Ok(None);
    };
    let beside = [
        (
            "--record",
            args.engine.store.record.is_some(),
            "a cassette records the responses of one process",
        ),
        (
            "--record-requests",
            args.record_requests,
            "workers send the requests but do not have the run directory",
        ),
        (
            "--partition",
            args.partition.is_some(),
            "the queue distributes all samples among its workers",
        ),
        (
            "--dry-run",
            args.start.dry_run,
            "its output is the same without --queue",
        ),
    ];
    for (flag, is_given, why) in beside {
        if is_given {
            return Err(SettingsError::new(format!(
                "{flag} cannot be combined with --queue: {why}"
            )));
        }
    }
    if ![1, 3, 5].contains(&flags.queue_replicas) {
        return Err(SettingsError::new(format!(
            "--queue-replicas {}: expected 1, 3 or 5",
            flags.queue_replicas
        )));
    }
    Ok(Some(QueueSettings {
        access: access(url, &flags.access),
        detach: args.start.detach,
        lease: Duration::from_secs(flags.queue_lease),
        tries: flags.queue_tries,
        replicas: flags.queue_replicas,
        max_bytes: flags.queue_max_mb.map(|mb| mb.saturating_mul(1_000_000)),
        order_by: flags.queue_order_by.clone(),
    }))
}

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// URL and credentials of the queue server.
    pub access: Access,
    /// Runs to work on; empty for all.
    pub runs: Vec<RunKey>,
    /// Maximum concurrent attempts.
    pub concurrency: usize,
    /// Folder with benchmark data on this machine, used instead of the run's.
    pub data_dir: Option<PathBuf>,
    /// Server URL that runs may use.
    pub base_url: Option<String>,
    /// Permissions of agents.
    powers: PowerArgs,
    /// Permissions of runs.
    run_powers: RunPowerArgs,
    /// Time that running attempts have to finish when the worker is stopped.
    pub drain: Duration,
    /// Time without work after which the worker exits.
    pub idle_exit: Option<Duration>,
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
            concurrency: args.concurrency,
            data_dir: args.data_dir.clone(),
            base_url: args.base_url.clone(),
            powers: args.powers.clone(),
            run_powers: args.run_powers.clone(),
            confirmed: ResumeArgs::of_folder(Path::new("."), false, false, &args.confirmed)
                .map_err(|error| SettingsError::new(one_line(&error)))?,
            drain: *args.drain,
            idle_exit: args.idle_exit.map(|seconds| *seconds),
            name: args
                .name
                .clone()
                .unwrap_or_else(|| format!("{host}-{}", std::process::id())),
            host,
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
        args.conduct.concurrency = self.concurrency;
        args.powers = self.run_powers.clone();
        args.engine.powers = self.powers.clone();
        if self.data_dir.is_some() {
            args.options.data_dir.clone_from(&self.data_dir);
        }
        let mut run = RunSettings::at(&args, RunMode::Resume)?.settings;
        // The queue enforces the run's budget across all workers.
        run.engine.conduct.budget = harness::Budget::default();
        run.check_addresses(Path::new("the run"), self.base_url.as_deref(), "")
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
            let has_own_data = place.flag == "--data-dir" && self.data_dir.is_some();
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

/// Target of `rlm-eval queue`.
#[derive(Debug, Clone)]
pub struct QueueTarget {
    /// URL and credentials of the queue server.
    pub access: Access,
    /// Run to show or change; `None` for all.
    pub run: Option<RunKey>,
    /// Id of the sample to change, if given.
    pub sample: Option<String>,
    /// Name of the worker to change, if given.
    pub worker: Option<String>,
    /// Whether to print JSON.
    pub json: bool,
}

impl QueueTarget {
    /// Resolves the flags of `rlm-eval queue`.
    ///
    /// # Errors
    /// [`SettingsError`] if `--queue` is missing, or if a folder contains no run.
    pub fn resolve(args: &QueueTargetArgs) -> Result<Self, SettingsError> {
        let run = args.run.as_deref().map(key).transpose()?;
        let (run, recorded) = run.map_or((None, None), |(key, url)| (Some(key), url));
        let Some(url) = args.queue.clone() else {
            let url = recorded.map_or_else(|| "nats://HOST:PORT".to_owned(), |url| quoted(&url));
            return Err(SettingsError::with_hint(
                "missing --queue: a run's folder cannot choose a server".to_owned(),
                format!("add --queue {url}, or set EVAL_QUEUE"),
            ));
        };
        Ok(Self {
            access: access(&url, &args.access),
            run,
            sample: args.sample.clone(),
            worker: args.worker.clone(),
            json: args.json,
        })
    }
}

/// Returns the key of a run that is given by id, key or folder, and the queue URL recorded in the
/// folder, if any.
fn key(run: &str) -> Result<(RunKey, Option<String>), SettingsError> {
    let folder = Path::new(run);
    if !folder.is_dir() {
        // Use a key that was copied from `rlm-eval queue` as is.
        let own = RunKey::try_from(run.to_owned());
        let is_key = own.as_ref().is_ok_and(|own| {
            let head = own.as_str().rsplit_once('-').map(|(head, _)| head);
            head.is_some_and(|head| RunKey::of(head) == *own)
        });
        return Ok(match own {
            Ok(own) if is_key => (own, None),
            _ => (RunKey::of(run), None),
        });
    }
    let (_, config) = run_dir::read_config(folder)?;
    let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str);
    let id = text("/run/run_id").unwrap_or_default();
    let url = text("/flags/queue/queue").map(str::to_owned);
    Ok((RunKey::of(id), url))
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
