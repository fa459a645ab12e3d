//! `rlm-eval mcp`: offers agents and recorded runs as tools of the Model Context Protocol.

mod settings;
mod arguments;
mod compare_runs;
mod llm_map;
mod read_run;
mod rlm;
mod roots;
mod state;
mod tools;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcp::{HttpServer, HttpSettings, Toolbox, serve_stdio};

use super::runtime::{StopSignal, runtime};
use super::serve::service::Service;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::invocation::quoted;
use crate::process::terminal;
use crate::settings::mcp_not_built;
use roots::Roots;
use settings::McpSettings;
use tools::Tools;

pub(crate) use settings::McpArgs;

/// Maximum time for recording calls that are in progress when the server stops.
const LAST_RECORDS: Duration = Duration::from_secs(2);

/// Serves until stdin ends or a signal stops the server; both are a normal exit.
///
/// # Errors
/// [`Error`] for invalid settings, an address that cannot be bound, or trajectories that cannot be
/// written.
pub(super) fn execute(args: &McpArgs) -> Result<Outcome, Error> {
    if !mcp::IS_BUILT {
        return Err(mcp_not_built().into());
    }
    let settings = McpSettings::resolve(args)?.announce();
    let runtime = runtime()?;
    let service = {
        let _context = runtime.enter();
        Arc::new(Service::open(&settings.served)?)
    };
    let (stop, again) = (StopSignal::catch(&runtime)?, StopSignal::catch(&runtime)?);
    let log_dir = settings.served.log_dir.clone();
    let roots = Roots::new(settings.roots.clone(), settings.readable_runs());
    let tools = Tools::new(&settings, Arc::clone(&service), roots);
    let toolbox: Arc<dyn Toolbox> = Arc::new(tools);
    let served: Result<(), Error> = match settings.http {
        None => {
            note_view(&log_dir);
            let most = settings.load.max_request_bytes();
            let served = runtime.block_on(serve_stdio(toolbox, most, stop.received()));
            served.map_err(Error::Mcp)
        }
        Some((address, clients)) => {
            let how = HttpSettings {
                address,
                clients,
                max_message_bytes: settings.load.max_request_bytes(),
                shutdown_timeout: *settings.load.shutdown_timeout,
            };
            let server = runtime.block_on(HttpServer::bind(how, toolbox))?;
            stdout::write(&format!("{}\n", server.url()))?;
            note_view(&log_dir);
            let served = runtime.block_on(server.serve(stop.received(), again.received_twice()));
            served.map_err(Error::from)
        }
    };
    // Cancel and record calls in progress before the run directories are finished.
    runtime.shutdown_timeout(LAST_RECORDS);
    for folder in service.finish()? {
        terminal::note(&format!("run directory: {}", folder.display()));
    }
    served?;
    Ok(Outcome::Complete)
}

fn note_view(log_dir: &Path) {
    let shown = quoted(&log_dir.display().to_string());
    terminal::note(&format!(
        "serving the Model Context Protocol; `rlm-eval view {shown}` shows the agents' work"
    ));
}
