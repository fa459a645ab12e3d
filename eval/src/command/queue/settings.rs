//! Flags of `rlm-eval queue`, and the runs that they select.

use clap::{Args, Subcommand};
use queue::Access;
use queue::name::RunKey;

use crate::process::invocation::quoted;
use crate::settings::queue::{access, key};
use crate::settings::{QueueAccessArgs, SettingsError};

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
    #[arg(long)]
    pub json: bool,

    /// Access to the queue's server.
    #[command(flatten)]
    pub access: QueueAccessArgs,
}

/// Target of `rlm-eval queue`.
#[derive(Debug, Clone)]
pub struct QueueTarget {
    /// URL and credentials of the queue server.
    pub access: Access,
    /// Run to show or change; `None` for all.
    pub run: Option<RunKey>,
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
        })
    }
}
