//! Every environment variable that the program reads.
//!
//! The variables of keys and base URLs (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …) are named in the table of endpoints,
//! `harness/endpoints.yaml`.
//!
//! Each flag has one, named after it: `--max-depth` is `EVAL_MAX_DEPTH`. A flag on the command line wins.

/// Declares the variables of flags.
macro_rules! flags {
    ($($name:ident = $value:literal, $flag:literal;)*) => {
        $(
            #[doc = concat!("Stands for `", $flag, "`.")]
            pub const $name: &str = $value;
        )*

        /// The variables of all flags.
        pub const FLAGS: &[&str] = &[$($value),*];
    };
}

flags! {
    ACTION_OVERRIDES = "EVAL_ACTION_OVERRIDES", "--action-overrides";
    ADAPTIVE = "EVAL_ADAPTIVE", "--adaptive";
    AGENT_NAME = "EVAL_AGENT_NAME", "--agent-name";
    ALLOW_MISMATCH = "EVAL_ALLOW_MISMATCH", "--allow-mismatch";
    ALLOW_PROGRAM_CHANGE = "EVAL_ALLOW_PROGRAM_CHANGE", "--allow-program-change";
    ALL_PAIRS = "EVAL_ALL_PAIRS", "--all-pairs";
    APPEND_SYSTEM_PROMPT = "EVAL_APPEND_SYSTEM_PROMPT", "--append-system-prompt";
    APPEND_SYSTEM_PROMPT_FILE = "EVAL_APPEND_SYSTEM_PROMPT_FILE", "--append-system-prompt-file";
    ARGUMENT_LIMIT = "EVAL_ARGUMENT_LIMIT", "--argument-limit";
    ATTEMPT = "EVAL_ATTEMPT", "--attempt";
    ATTEMPTS = "EVAL_ATTEMPTS", "--attempts";
    ATTEMPT_MAX_COST = "EVAL_ATTEMPT_MAX_COST", "--attempt-max-cost";
    ATTEMPT_MAX_LLM_CALLS = "EVAL_ATTEMPT_MAX_LLM_CALLS", "--attempt-max-llm-calls";
    ATTEMPT_MAX_TOKENS = "EVAL_ATTEMPT_MAX_TOKENS", "--attempt-max-tokens";
    ATTEMPTS_PER_WORKER = "EVAL_ATTEMPTS_PER_WORKER", "--attempts-per-worker";
    ATTEMPT_TIMEOUT = "EVAL_ATTEMPT_TIMEOUT", "--attempt-timeout";
    BASE_URL = "EVAL_BASE_URL", "--base-url";
    BENCHMARK = "EVAL_BENCHMARK", "--benchmark";
    CACHE = "EVAL_CACHE", "--cache";
    ENV = "EVAL_ENV", "--env";
    FILES_DIR = "EVAL_FILES_DIR", "--files-dir";
    TOOLS = "EVAL_TOOLS", "--tools";
    TOOLS_DIR = "EVAL_TOOLS_DIR", "--tools-dir";
    WEB_AGENT = "EVAL_WEB_AGENT", "--web-agent";
    SCREENSHOTS = "EVAL_SCREENSHOTS", "--screenshots";
    CALL_TIMEOUT = "EVAL_CALL_TIMEOUT", "--call-timeout";
    CELL_TIMEOUT = "EVAL_CELL_TIMEOUT", "--cell-timeout";
    CELL_WAIT = "EVAL_CELL_WAIT", "--cell-wait";
    CHECK = "EVAL_CHECK", "--check";
    CHECK_KEY = "EVAL_CHECK_KEY", "--check-key";
    CODE_VIA = "EVAL_CODE_VIA", "--code-via";
    CONCURRENCY = "EVAL_CONCURRENCY", "--concurrency";
    CONFIRM_FIRST_RETURN = "EVAL_CONFIRM_FIRST_RETURN", "--confirm-first-return";
    CONNECT_TIMEOUT = "EVAL_CONNECT_TIMEOUT", "--connect-timeout";
    CONSOLE = "EVAL_CONSOLE", "--console";
    CONTEXT_DIR = "EVAL_CONTEXT_DIR", "--context-dir";
    CONTEXT_FILE = "EVAL_CONTEXT_FILE", "--context-file";
    CONTEXT_LEN = "EVAL_CONTEXT_LEN", "--context-len";
    CSV = "EVAL_CSV", "--csv";
    DATA_DIR = "EVAL_DATA_DIR", "--data-dir";
    DATE = "EVAL_DATE", "--date";
    DEPTH = "EVAL_DEPTH", "--depth";
    DEPTHS = "EVAL_DEPTHS", "--depths";
    DIFF = "EVAL_DIFF", "--diff";
    DRIVERS = "EVAL_DRIVERS", "--drivers";
    DRIVERS_DIR = "EVAL_DRIVERS_DIR", "--drivers-dir";
    DRIVER_SETS = "EVAL_DRIVER_SETS", "--driver-sets";
    DRY_RUN = "EVAL_DRY_RUN", "--dry-run";
    EFFORT = "EVAL_EFFORT", "--effort";
    EXPORT = "EVAL_EXPORT", "--export";
    FAIL_ON_ERROR = "EVAL_FAIL_ON_ERROR", "--fail-on-error";
    IDLE_TIMEOUT = "EVAL_IDLE_TIMEOUT", "--idle-timeout";
    FILTER = "EVAL_FILTER", "--filter";
    IMAGE = "EVAL_IMAGE", "--image";
    ISOLATION = "EVAL_ISOLATION", "--isolation";
    HOOKS = "EVAL_HOOKS", "--hooks";
    HOOKS_DIR = "EVAL_HOOKS_DIR", "--hooks-dir";
    JUDGE_ATTEMPTS = "EVAL_JUDGE_ATTEMPTS", "--judge-attempts";
    JUDGE_MODEL = "EVAL_JUDGE_MODEL", "--judge-model";
    JUDGE_PROMPT = "EVAL_JUDGE_PROMPT", "--judge-prompt";
    HTML = "EVAL_HTML", "--html";
    ITERATIONS = "EVAL_ITERATIONS", "--iterations";
    JSON = "EVAL_JSON", "--json";
    LABELS = "EVAL_LABELS", "--labels";
    LIMIT = "EVAL_LIMIT", "--limit";
    LINEAGE = "EVAL_LINEAGE", "--lineage";
    LOG_DIR = "EVAL_LOG_DIR", "--log-dir";
    MATRIX = "EVAL_MATRIX", "--matrix";
    MAX_BLOCKS_PER_ITERATION = "EVAL_MAX_BLOCKS_PER_ITERATION", "--max-blocks-per-iteration";
    MAX_CONNECTIONS = "EVAL_MAX_CONNECTIONS", "--max-connections";
    MAX_COST = "EVAL_MAX_COST", "--max-cost";
    MAX_DEPTH = "EVAL_MAX_DEPTH", "--max-depth";
    MAX_ITERATIONS = "EVAL_MAX_ITERATIONS", "--max-iterations";
    MAX_LLM_CALLS = "EVAL_MAX_LLM_CALLS", "--max-llm-calls";
    MAX_RETRIES = "EVAL_MAX_RETRIES", "--max-retries";
    MAX_OUTPUT_TOKENS = "EVAL_MAX_OUTPUT_TOKENS", "--max-output-tokens";
    MAX_TASKS = "EVAL_MAX_TASKS", "--max-tasks";
    MAX_TOKENS = "EVAL_MAX_TOKENS", "--max-tokens";
    MEMORY_LIMIT = "EVAL_MEMORY_LIMIT", "--memory-limit";
    MIN_SCORE = "EVAL_MIN_SCORE", "--min-score";
    MIRROR = "EVAL_MIRROR", "--mirror";
    MODEL = "EVAL_MODEL", "--model";
    MODELS = "EVAL_MODELS", "--models";
    MODEL_ALIAS = "EVAL_MODEL_ALIAS", "--model-alias";
    OUT = "EVAL_OUT", "--out";
    MODEL_ARGS = "EVAL_MODEL_ARGS", "--model-args";
    MODEL_SEED = "EVAL_MODEL_SEED", "--model-seed";
    NO_OPEN = "EVAL_NO_OPEN", "--no-open";
    OUTPUT_LIMIT = "EVAL_OUTPUT_LIMIT", "--output-limit";
    PENDING_CALLS = "EVAL_PENDING_CALLS", "--pending-calls";
    PERSONA = "EVAL_PERSONA", "--persona";
    PERSONA_FILE = "EVAL_PERSONA_FILE", "--persona-file";
    PORT = "EVAL_PORT", "--port";
    PRICES = "EVAL_PRICES", "--prices";
    PARTITION = "EVAL_PARTITION", "--partition";
    PROFILE = "EVAL_PROFILE", "--profile";
    PROFILES_FILE = "EVAL_PROFILES_FILE", "--profiles-file";
    PROMPT = "EVAL_PROMPT", "--prompt";
    PROMPTS_DIR = "EVAL_PROMPTS_DIR", "--prompts-dir";
    PROMPT_MODE = "EVAL_PROMPT_MODE", "--prompt-mode";
    PROMPT_MODES = "EVAL_PROMPT_MODES", "--prompt-modes";
    PROTOCOL = "EVAL_PROTOCOL", "--protocol";
    PROTOCOLS = "EVAL_PROTOCOLS", "--protocols";
    QUERY = "EVAL_QUERY", "--query";
    QUERY_FILE = "EVAL_QUERY_FILE", "--query-file";
    PROVIDER = "EVAL_PROVIDER", "--provider";
    RATE_BURST = "EVAL_RATE_BURST", "--rate-burst";
    RATE_LIMIT = "EVAL_RATE_LIMIT", "--rate-limit";
    REASONING_TOKENS = "EVAL_REASONING_TOKENS", "--reasoning-tokens";
    RECORD = "EVAL_RECORD", "--record";
    REQUEST_TIMEOUT = "EVAL_REQUEST_TIMEOUT", "--request-timeout";
    RESUME = "EVAL_RESUME", "--resume";
    RETRY_ERRORS = "EVAL_RETRY_ERRORS", "--retry-errors";
    SAMPLE = "EVAL_SAMPLE", "--sample";
    SAMPLE_SEED = "EVAL_SAMPLE_SEED", "--sample-seed";
    SCORER = "EVAL_SCORER", "--scorer";
    SCORER_MEMORY_LIMIT = "EVAL_SCORER_MEMORY_LIMIT", "--scorer-memory-limit";
    SCORER_TIMEOUT = "EVAL_SCORER_TIMEOUT", "--scorer-timeout";
    SEED = "EVAL_SEED", "--seed";
    SELECTED_PROBLEMS = "EVAL_SELECTED_PROBLEMS", "--selected-problems";
    SITE = "EVAL_SITE", "--site";
    SIZES = "EVAL_SIZES", "--sizes";
    SKIP_MALFORMED = "EVAL_SKIP_MALFORMED", "--skip-malformed";
    SPLIT = "EVAL_SPLIT", "--split";
    STACK_LIMIT = "EVAL_STACK_LIMIT", "--stack-limit";
    STOP = "EVAL_STOP", "--stop";
    STOP_EARLY = "EVAL_STOP_EARLY", "--stop-early";
    STREAM = "EVAL_STREAM", "--stream";
    SYSTEM_PROMPT = "EVAL_SYSTEM_PROMPT", "--system-prompt";
    SYSTEM_PROMPT_FILE = "EVAL_SYSTEM_PROMPT_FILE", "--system-prompt-file";
    TASKS_PER_LENGTH = "EVAL_TASKS_PER_LENGTH", "--tasks-per-length";
    TEMPERATURE = "EVAL_TEMPERATURE", "--temperature";
    TIMER_LIMIT = "EVAL_TIMER_LIMIT", "--timer-limit";
    TIME_LIMIT = "EVAL_TIME_LIMIT", "--time-limit";
    TOTAL_CALLS = "EVAL_TOTAL_CALLS", "--total-calls";
}

/// The user's folder for state that outlives a run but matters little; see the XDG Base Directory
/// Specification.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// Variables that begin like those of flags, and stand for none.
pub const NOT_FLAGS: &[&str] = &[PARTITION_COUNT];

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

/// Set where there is an X11 screen.
pub const DISPLAY: &str = "DISPLAY";

/// Set where there is a Wayland screen.
pub const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";

/// The user's home folder.
pub const HOME: &str = "HOME";
