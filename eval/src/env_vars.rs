//! Every environment variable that the program reads.
//!
//! The variables of keys and base URLs (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …) are named in the table of endpoints,
//! `harness/endpoints.yaml`.
//!
//! Each flag has one, named after it by [`of_flag`]: nothing but the flag is declared. A flag on the command line wins.

/// How the variables of flags begin.
pub const PREFIX: &str = "EVAL_";

/// The variable of a flag: of `--max-depth`, or `max-depth`, it is `EVAL_MAX_DEPTH`.
pub fn of_flag(flag: &str) -> String {
    let name = flag.trim_start_matches('-').replace('-', "_");
    format!("{PREFIX}{}", name.to_ascii_uppercase())
}

/// The user's folder for state that outlives a run but matters little; see the XDG Base Directory
/// Specification.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Variables that begin like those of flags, and stand for none.
pub const NOT_FLAGS: &[&str] = &[PARTITION_COUNT, CLIENT_KEY];

/// The key of the one client of `rlm-eval serve` and `rlm-eval mcp`, where no file lists several. A secret, and so no flag.
pub const CLIENT_KEY: &str = "EVAL_CLIENT_KEY";

/// For `--partition auto` in a Kubernetes Indexed Job: how many pods share the run.
pub const PARTITION_COUNT: &str = "EVAL_PARTITION_COUNT";

/// Which pod of a Kubernetes Indexed Job this is, from 0.
pub const JOB_COMPLETION_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Which task of a Slurm array this is.
pub const SLURM_ARRAY_TASK_ID: &str = "SLURM_ARRAY_TASK_ID";

/// How many tasks a Slurm array has.
pub const SLURM_ARRAY_TASK_COUNT: &str = "SLURM_ARRAY_TASK_COUNT";

/// The lowest task of a Slurm array.
pub const SLURM_ARRAY_TASK_MIN: &str = "SLURM_ARRAY_TASK_MIN";

/// By how much the tasks of a Slurm array differ.
pub const SLURM_ARRAY_TASK_STEP: &str = "SLURM_ARRAY_TASK_STEP";

/// Set to something other than `false` where no person watches: no progress bars.
pub const CI: &str = "CI";

/// Set to something: no colours, see <https://no-color.org>.
pub const NO_COLOR: &str = "NO_COLOR";

/// How many columns the terminal has, for who wants tables to be of another width.
pub const COLUMNS: &str = "COLUMNS";

/// Set where there is an X11 screen.
pub const DISPLAY: &str = "DISPLAY";

/// Set where there is a Wayland screen.
pub const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";

/// The user's home folder.
pub const HOME: &str = "HOME";
