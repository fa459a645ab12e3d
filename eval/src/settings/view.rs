//! Settings of `rlm-eval view`.

use std::env;
use std::path::PathBuf;

use view::Subject;

use crate::cli::ViewArgs;
use crate::env_vars;

/// Runs to show, and the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSettings {
    /// A folder of run directories, or one run directory.
    pub dir: PathBuf,
    /// Scorer whose scores from `rlm-eval score` are shown instead of those of the runs.
    pub scores: Option<String>,
    /// Output of the viewer.
    pub output: ViewOutput,
}

/// Output of the viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewOutput {
    /// Serve the runs.
    Serve {
        /// Port; 0 for any free port.
        port: u16,
        /// Further host names under which the server responds.
        hosts: Vec<String>,
        /// Whether to open a browser.
        open: bool,
    },
    /// Write one page.
    Export {
        /// File of the page.
        file: PathBuf,
        /// Run or sample to show.
        subject: Subject,
    },
}

impl ViewSettings {
    /// Resolves the flags. Nothing can be invalid before the folder is read.
    pub fn resolve(args: &ViewArgs) -> Self {
        let output = match &args.export {
            None => ViewOutput::Serve {
                port: args.port,
                hosts: args
                    .allow_host
                    .iter()
                    .map(|host| (**host).to_owned())
                    .collect(),
                open: !args.no_open && has_browser(),
            },
            Some(file) => ViewOutput::Export {
                file: file.clone(),
                subject: match &args.sample {
                    None => Subject::Run,
                    Some(sample) => Subject::Attempt {
                        sample: sample.clone(),
                        attempt: args.attempt.unwrap_or(1),
                    },
                },
            },
        };
        Self {
            dir: args.dir.clone(),
            scores: args.scores.clone(),
            output,
        }
    }
}

/// Whether there is a display on which a browser can open.
fn has_browser() -> bool {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set(env_vars::DISPLAY) || set(env_vars::WAYLAND_DISPLAY)
}
