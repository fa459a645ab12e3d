//! Settings of `rlm-eval view`.

use std::env;
use std::path::PathBuf;

use view::Subject;

use crate::cli::ViewArgs;
use crate::env_vars;

/// What is shown, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewSettings {
    /// A folder of run directories, or one run directory.
    pub dir: PathBuf,
    /// What is done with it.
    pub output: ViewOutput,
}

/// What becomes of the runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewOutput {
    /// They are served.
    Serve {
        /// The port; 0 for any that is free.
        port: u16,
        /// Whether a browser is opened.
        open: bool,
    },
    /// One page is written.
    Export {
        /// The page.
        file: PathBuf,
        /// What it shows.
        subject: Subject,
    },
}

impl ViewSettings {
    /// Resolves the flags. Nothing can be wrong with them before the folder is read.
    pub fn resolve(args: &ViewArgs) -> Self {
        let output = match &args.export {
            None => ViewOutput::Serve {
                port: args.port,
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
            output,
        }
    }
}

/// Whether there is a screen that a browser could open on.
fn has_browser() -> bool {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set(env_vars::DISPLAY) || set(env_vars::WAYLAND_DISPLAY)
}
