//! Names of the environment variables that the program reads.
//!
//! Every flag has a variable, whose name [`of_flag`] derives from the flag; a flag on the command
//! line overrides it. The variables for API keys and base URLs (`OPENAI_API_KEY`,
//! `OPENAI_BASE_URL`, …) are defined in the table of endpoints, `harness/endpoints.yaml`.

/// Prefix of the variables that set flags.
pub const PREFIX: &str = "EVAL_";

/// Returns the variable of a flag: `EVAL_MAX_DEPTH` for `--max-depth` or `max-depth`.
pub fn of_flag(flag: &str) -> String {
    let name = flag.trim_start_matches('-').replace('-', "_");
    format!("{PREFIX}{}", name.to_ascii_uppercase())
}

/// Folder for the user's state files, as defined by the XDG Base Directory Specification.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Variables that start with [`PREFIX`] but do not set a flag.
pub const NOT_FLAGS: &[&str] = &[PARTITION_COUNT, CLIENT_KEY];

/// Key of the only client of `rlm-eval serve` and `rlm-eval mcp`, used if no file of client keys is
/// given. Not a flag, because it is a secret.
pub const CLIENT_KEY: &str = "EVAL_CLIENT_KEY";

/// Number of pods that share the run, for `--partition auto` in a Kubernetes Indexed Job.
pub const PARTITION_COUNT: &str = "EVAL_PARTITION_COUNT";

/// Index of this pod in a Kubernetes Indexed Job, starting at 0.
pub const JOB_COMPLETION_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Id of this task in a Slurm array.
pub const SLURM_ARRAY_TASK_ID: &str = "SLURM_ARRAY_TASK_ID";

/// Number of tasks in the Slurm array.
pub const SLURM_ARRAY_TASK_COUNT: &str = "SLURM_ARRAY_TASK_COUNT";

/// Lowest task id in the Slurm array.
pub const SLURM_ARRAY_TASK_MIN: &str = "SLURM_ARRAY_TASK_MIN";

/// Difference between consecutive task ids in the Slurm array.
pub const SLURM_ARRAY_TASK_STEP: &str = "SLURM_ARRAY_TASK_STEP";

/// Disables progress bars if set to a value other than `false`.
pub const CI: &str = "CI";

/// Disables colors if set; see <https://no-color.org>.
pub const NO_COLOR: &str = "NO_COLOR";

/// Width of tables in characters, overriding the terminal's width.
pub const COLUMNS: &str = "COLUMNS";

/// Set if an X11 display is available.
pub const DISPLAY: &str = "DISPLAY";

/// Set if a Wayland display is available.
pub const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";

/// Home folder of the user.
pub const HOME: &str = "HOME";
