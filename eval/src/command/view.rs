//! `rlm-eval view`: shows runs in a browser, or writes a run as a page to a file.

mod settings;
mod inputs;

use std::process::{Command, Stdio};

use inputs::OfBenchmarks;
use records::run_dir::RunDir;
use view::{Library, Server, export};

use super::runtime::{StopSignal, runtime};
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;

pub(crate) use settings::ViewArgs;

/// Writes a page, or serves until a signal stops the viewer, which is a normal exit.
///
/// # Errors
/// [`Error::View`] for a folder that cannot be read, a port in use, or a page that cannot be
/// written; or [`Error::Stdout`].
pub(super) fn execute(args: &ViewArgs) -> Result<Outcome, Error> {
    let mut library = Library::open(&args.dir)?;
    library.inputs = Some(Box::new(OfBenchmarks::default()));
    if let Some(scorer) = &args.scores {
        // Checked only for a single run: if the folder contains several, some may lack these
        // scores.
        if RunDir::is_begun(&args.dir) {
            RunDir::open(&args.dir)?.with_scores(scorer)?;
        }
        library.scores = Some(scorer.clone());
    }
    let Some(file) = &args.export else {
        return serve(library, args);
    };
    export(&library, &args.subject(), file)?;
    stdout::write(&format!("{}\n", file.display()))?;
    Ok(Outcome::Complete)
}

fn serve(library: Library, args: &ViewArgs) -> Result<Outcome, Error> {
    let is_empty = library.runs()?.is_empty();
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let server = runtime.block_on(Server::bind(library, args.port, &args.hosts()))?;
    stdout::write(&format!("{}\n", server.address()))?;
    if is_empty {
        terminal::note(
            "there are no runs yet; new runs written by `rlm-eval run` will appear automatically",
        );
    }
    terminal::note("Ctrl-C stops the viewer");
    if args.opens_browser() {
        open_browser(&server.address());
    }
    let served = runtime.block_on(server.serve(stop.received()));
    // Do not wait for a file that is still being read.
    runtime.shutdown_background();
    served?;
    Ok(Outcome::Complete)
}

/// Asks the desktop to open an address. A failure is only a note, because the address is also on
/// stdout.
fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(program)
        .arg(address)
        .env_clear()
        .envs(browser::environment::of_desktop_child())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        terminal::note(&format!("cannot open a browser: {program}: {error}"));
    }
}
