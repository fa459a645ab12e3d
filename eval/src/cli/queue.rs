//! Flags of runs in a queue, of `rlm-eval worker`, and of `rlm-eval queue`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};
use serde::Serialize;

use super::Granted;
use super::powers::{PowerArgs, RunPowerArgs};
use super::values::{Seconds, whole};

/// Credentials and certificates for a queue's NATS server.
#[derive(Debug, Clone, Default, Args, Serialize, PartialEq, Eq)]
#[command(next_help_heading = "Queue")]
pub struct QueueAccessArgs {
    /// Credentials file for the NATS server [default: none]
    #[arg(long, value_name = "FILE")]
    pub queue_creds: Option<Granted<PathBuf>>,

    /// File with the seed of an NKey for the NATS server [default: none]
    #[arg(long, value_name = "FILE")]
    pub queue_nkey: Option<Granted<PathBuf>>,

    /// Certificate authorities to trust for the NATS server, in addition to the system's [default:
    /// none]
    #[arg(long, value_name = "FILE")]
    pub queue_ca: Option<Granted<PathBuf>>,

    /// Client certificate for the NATS server [default: none]
    #[arg(long, value_name = "FILE", requires = "queue_key")]
    pub queue_cert: Option<Granted<PathBuf>>,

    /// Key of --queue-cert
    #[arg(long, value_name = "FILE", requires = "queue_cert")]
    pub queue_key: Option<Granted<PathBuf>>,
}

/// Flags of a run whose attempts are submitted to a queue.
#[derive(Debug, Clone, Args, Serialize, PartialEq, Eq)]
#[command(next_help_heading = "Queue")]
pub struct QueueArgs {
    /// Submit the attempts to a queue on this NATS server (nats://HOST:PORT; separate several
    /// servers of a cluster by commas), from which `rlm-eval worker` takes them. With --resume,
    /// `none` continues without a queue [default: none]
    #[arg(long, value_name = "URL")]
    pub queue: Option<Granted<String>>,

    /// Seconds without a heartbeat after which an attempt is given to another worker
    #[arg(long, value_parser = whole::<u64>(1..=86_400), default_value_t = 30, value_name = "SECONDS")]
    pub queue_lease: u64,

    /// Maximum starts of an attempt if its workers crash or disconnect; then it ends in an error
    #[arg(long, value_parser = whole::<u64>(1..=1_000), default_value_t = 5, value_name = "N")]
    pub queue_tries: u64,

    /// Number of servers in a cluster that store each message: 1, 3 or 5
    #[arg(long, value_parser = whole::<usize>(1..=5), default_value_t = 1, value_name = "N")]
    pub queue_replicas: usize,

    /// Maximum megabytes of results in the queue; workers wait until there is space [default: the
    /// server's limit]
    #[arg(long, value_parser = whole::<u64>(1..=1_000_000_000), value_name = "MB")]
    pub queue_max_mb: Option<u64>,

    /// Run directory whose attempts determine the expected duration of samples; the slowest samples
    /// are started first [default: dataset order]
    #[arg(long, value_name = "RUN")]
    pub queue_order_by: Option<PathBuf>,

    /// Access to the queue's server.
    #[command(flatten)]
    pub access: QueueAccessArgs,
}

impl QueueArgs {
    /// Whether the run does not use a queue. If so, none of these flags is recorded.
    pub const fn is_unused(&self) -> bool {
        self.queue.is_none()
    }
}

/// The flags of `rlm-eval worker`.
#[derive(Debug, Clone, Args)]
#[command(after_help = WORKER_DETAILS)]
pub struct WorkerArgs {
    /// URL of the queue's NATS server: nats://HOST:PORT
    #[arg(value_name = "URL")]
    pub url: String,

    /// Id or folder of a run to work on; repeatable [default: every run of the queue]
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,

    /// Maximum concurrent attempts
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        default_value_t = 5,
        value_name = "N"
    )]
    pub concurrency: usize,

    /// Folder of benchmark data, instead of the folder that the run names
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Server URL to which runs may send this machine's keys, in addition to the URLs of known
    /// providers
    #[arg(long, value_name = "URL")]
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

/// Flags of `rlm-eval queue`.
#[derive(Debug, Clone, Args)]
pub struct QueueCommandArgs {
    /// What to do with the runs.
    #[command(subcommand)]
    pub action: QueueAction,
}

/// Actions on the runs of a queue.
#[derive(Debug, Clone, Subcommand)]
pub enum QueueAction {
    /// Show runs, waiting attempts and workers
    Status(QueueTargetArgs),
    /// Stop starting attempts; attempts in progress are finished
    Pause(QueueTargetArgs),
    /// Start attempts again after a pause or cancellation
    Resume(QueueTargetArgs),
    /// Stop starting attempts; attempts in progress are dropped, or returned to the queue with
    /// --worker
    Cancel(QueueTargetArgs),
}

/// Flags of the actions of `rlm-eval queue`.
#[derive(Debug, Clone, Args)]
pub struct QueueTargetArgs {
    /// Id or folder of the run; without it, `status` shows all runs
    #[arg(value_name = "RUN")]
    pub run: Option<String>,

    /// URL of the queue's NATS server; required, because a run's folder must not choose the server
    #[arg(long, value_name = "URL")]
    pub queue: Option<String>,

    /// Apply only to attempts at this sample
    #[arg(long, value_name = "ID", conflicts_with = "worker")]
    pub sample: Option<String>,

    /// Apply only to this worker
    #[arg(long, value_name = "NAME")]
    pub worker: Option<String>,

    /// Print JSON
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,

    /// Access to the queue's server.
    #[command(flatten)]
    pub access: QueueAccessArgs,
}

const WORKER_DETAILS: &str = "\
Runs attempts that `rlm-eval run --queue` put into the queue, if this build and its data match the \
run. Keys come from this machine's environment.

Examples:
  rlm-eval worker nats://queue.example:4222 --concurrency 8
  rlm-eval worker nats://localhost:4222 --idle-exit 60";
