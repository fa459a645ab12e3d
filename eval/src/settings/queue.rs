//! Flags and settings of runs in a queue.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use queue::Access;
use queue::name::RunKey;
use records::run_dir;
use serde::Serialize;
use serde_json::Value;

use super::flags::RunOnly;
use super::values::whole;
use super::{Granted, SettingsError};

/// Credentials and certificates for a queue's NATS server.
#[derive(Debug, Clone, Default, Args, Serialize, PartialEq, Eq)]
#[command(next_help_heading = "Queue")]
pub struct QueueAccessArgs {
    /// Credentials file for the NATS server [default: none]
    #[arg(long, value_name = "FILE", add = RunOnly)]
    pub queue_creds: Option<Granted<PathBuf>>,

    /// File with the seed of an NKey for the NATS server [default: none]
    #[arg(long, value_name = "FILE", add = RunOnly)]
    pub queue_nkey: Option<Granted<PathBuf>>,

    /// Certificate authorities to trust for the NATS server, in addition to the system's [default:
    /// none]
    #[arg(long, value_name = "FILE", add = RunOnly)]
    pub queue_ca: Option<Granted<PathBuf>>,

    /// Client certificate for the NATS server [default: none]
    #[arg(long, value_name = "FILE", requires = "queue_key", add = RunOnly)]
    pub queue_cert: Option<Granted<PathBuf>>,

    /// Key of --queue-cert
    #[arg(long, value_name = "FILE", requires = "queue_cert", add = RunOnly)]
    pub queue_key: Option<Granted<PathBuf>>,
}

/// Flags of a run whose attempts are submitted to a queue.
#[derive(Debug, Clone, Args, Serialize, PartialEq, Eq)]
#[command(next_help_heading = "Queue")]
pub struct QueueArgs {
    /// Submit the attempts to a queue on this NATS server (nats://HOST:PORT; separate several
    /// servers of a cluster by commas), from which `rlm-eval worker` takes them. With --resume,
    /// `none` continues without a queue [default: none]
    #[arg(long, value_name = "URL", add = RunOnly)]
    pub queue: Option<Granted<String>>,

    /// Seconds without a heartbeat after which an attempt is given to another worker
    #[arg(long, value_parser = whole::<u64>(1..=86_400), default_value_t = 30, value_name = "SECONDS", add = RunOnly)]
    pub queue_lease: u64,

    /// Maximum starts of an attempt if its workers crash or disconnect; then it ends in an error
    #[arg(long, value_parser = whole::<u64>(1..=1_000), default_value_t = 5, value_name = "N", add = RunOnly)]
    pub queue_tries: u64,

    /// Number of servers in a cluster that store each message: 1, 3 or 5
    #[arg(long, value_parser = whole::<usize>(1..=5), default_value_t = 1, value_name = "N", add = RunOnly)]
    pub queue_replicas: usize,

    /// Maximum megabytes of results in the queue; workers wait until there is space [default: the
    /// server's limit]
    #[arg(long, value_parser = whole::<u64>(1..=1_000_000_000), value_name = "MB", add = RunOnly)]
    pub queue_max_mb: Option<u64>,

    /// Run directory whose attempts determine the expected duration of samples; the slowest samples
    /// are started first [default: dataset order]
    #[arg(long, value_name = "RUN", add = RunOnly)]
    pub queue_order_by: Option<PathBuf>,

    /// Access to the queue's server.
    #[command(flatten)]
    pub access: QueueAccessArgs,
}

impl QueueArgs {
    /// Whether the run does not use a queue. If so, none of these flags is recorded.
    pub fn is_unused(&self) -> bool {
        self.url().is_none()
    }

    /// Returns the URL of the queue's server, if the run uses a queue.
    fn url(&self) -> Option<&str> {
        self.queue.as_deref().filter(|url| url.trim() != NONE)
    }
}

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

pub(crate) fn access(url: &str, args: &QueueAccessArgs) -> Access {
    let path = |granted: &Option<Granted<PathBuf>>| granted.as_deref().map(Path::to_path_buf);
    Access {
        url: url.trim().to_owned(),
        creds: path(&args.queue_creds),
        nkey: path(&args.queue_nkey),
        ca: path(&args.queue_ca),
        cert: path(&args.queue_cert).zip(path(&args.queue_key)),
    }
}

/// Resolves a run's queue flags; `None` without a queue. `others` are the run's flags that cannot
/// be combined with a queue: name, whether it is set, and reason.
pub(super) fn resolve(
    flags: &QueueArgs,
    detach: bool,
    others: &[(&str, bool, &str)],
) -> Result<Option<QueueSettings>, SettingsError> {
    let Some(url) = flags.url() else {
        if detach {
            return Err(SettingsError::new(
                "--detach requires a queue, but --queue is none".to_owned(),
            ));
        }
        return Ok(None);
    };
    for (flag, is_given, why) in others {
        if *is_given {
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
        detach,
        lease: Duration::from_secs(flags.queue_lease),
        tries: flags.queue_tries,
        replicas: flags.queue_replicas,
        max_bytes: flags.queue_max_mb.map(|mb| mb.saturating_mul(1_000_000)),
        order_by: flags.queue_order_by.clone(),
    }))
}

/// Returns the key of a run that is given by id, key or folder, and the queue URL recorded in the
/// folder, if any.
pub(crate) fn key(run: &str) -> Result<(RunKey, Option<String>), SettingsError> {
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
