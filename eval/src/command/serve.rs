//! `rlm-eval serve`: serves agents through an `OpenAI`-compatible API.

mod settings;
pub(super) mod recorder;
pub(super) mod service;
mod steps;

use std::sync::Arc;

use serve::{Agents as _, Server};

use super::runtime::{StopSignal, runtime};
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::invocation::quoted;
use crate::process::{open_files, terminal};
use service::Service;
use settings::ServeSettings;

pub(crate) use settings::ServeArgs;
pub(super) use settings::{LoadArgs, ServedArgs, ServedSettings, clients};

/// Serves until a signal stops the server, which is a normal exit.
///
/// # Errors
/// [`Error`] for invalid settings, an address that cannot be bound, or trajectories that cannot be
/// written.
pub(super) fn execute(args: &ServeArgs) -> Result<Outcome, Error> {
    let settings = ServeSettings::resolve(args)?.announce();
    let runtime = runtime()?;
    let service = {
        let _context = runtime.enter();
        Arc::new(Service::open(&settings.served)?)
    };
    let (stop, again) = (StopSignal::catch(&runtime)?, StopSignal::catch(&runtime)?);
    if let Some(remark) =
        open_files::fd_limit_warning(settings.server.max_concurrency, "--max-concurrency")
    {
        terminal::warning(&remark);
    }
    let agents = Arc::clone(&service);
    let server = runtime.block_on(Server::bind(settings.server, agents))?;
    stdout::write(&format!("{}\n", server.base_url()))?;
    for offer in service.offers() {
        terminal::note(&format!("model `{}`: {}", offer.name, offer.description));
    }
    let log_dir = quoted(&settings.served.log_dir.display().to_string());
    terminal::note(&format!(
        "Ctrl-C stops the server; `rlm-eval view {log_dir}` shows the agents' work"
    ));
    let served = runtime.block_on(server.serve(stop.received(), again.received_twice()));
    // Cancel and record questions in progress before the run directories are finished.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    for folder in service.finish()? {
        terminal::note(&format!("run directory: {}", folder.display()));
    }
    served?;
    Ok(Outcome::Complete)
}
