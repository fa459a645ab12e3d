//! Flags of `rlm-eval view`.

use std::env;
use std::path::PathBuf;

use clap::Args;
use view::Subject;

use crate::process::env_vars;
use crate::settings::Granted;
use crate::settings::flags::NotFromFile;

/// The flags of `rlm-eval view`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS)]
pub struct ViewArgs {
    /// A folder of run directories, or one run directory
    #[arg(default_value = "results", value_name = "DIR")]
    pub dir: PathBuf,

    /// Use the scores that `rlm-eval score --scorer NAME` computed, instead of those of the run;
    /// NAME with or without version
    #[arg(long, value_name = "NAME")]
    pub scores: Option<String>,

    /// Port on 127.0.0.1; 0 for any free port
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub port: u16,

    /// Host name, with or without a port, by which browsers reach the viewer through a forwarded
    /// port, such as localhost:8080; repeatable
    #[arg(long, value_name = "HOST", conflicts_with = "export")]
    pub allow_host: Vec<Granted<String>>,

    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,

    /// Write one self-contained page instead of starting a server; DIR must be one run directory
    #[arg(long, value_name = "FILE.html", conflicts_with = "port", add = NotFromFile)]
    pub export: Option<PathBuf>,

    /// Export only this sample [default: the whole run]
    #[arg(long, value_name = "ID", requires = "export")]
    pub sample: Option<String>,

    /// Export only this attempt of the sample [default: 1]
    #[arg(long, value_name = "N", requires = "sample")]
    pub attempt: Option<u32>,
}

impl ViewArgs {
    /// Returns the host names under which the server responds, in addition to its own.
    pub fn hosts(&self) -> Vec<String> {
        let hosts = self.allow_host.iter();
        hosts.map(|host| (**host).to_owned()).collect()
    }

    /// Whether to open a browser that shows the runs.
    pub fn opens_browser(&self) -> bool {
        !self.no_open && has_browser()
    }

    /// Returns the run or attempt that an exported page shows.
    pub fn subject(&self) -> Subject {
        match &self.sample {
            None => Subject::Run,
            Some(sample) => Subject::Attempt {
                sample: sample.clone(),
                attempt: self.attempt.unwrap_or(1),
            },
        }
    }
}

/// Whether there is a display on which a browser can open.
fn has_browser() -> bool {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set(env_vars::DISPLAY) || set(env_vars::WAYLAND_DISPLAY)
}

const DETAILS: &str = "\
Prints the viewer's address on stdout and serves until Ctrl-C, on this machine only. Runs may \
still be in progress; they are read and never changed.

Examples:
  rlm-eval view
  rlm-eval view results/s-niah-solver-20261121-092406-5f3a
  rlm-eval view RUN --export page.html --sample s-niah-8k-1";
