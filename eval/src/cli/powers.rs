//! What a file `.env` may set: every flag is a power, which has to be typed or exported, or a setting.
//!
//! A power runs commands or code of others, chooses a server, passes on values, writes files, weakens isolation or takes a
//! safeguard away. A flag that stands in neither list counts as a power.

use std::any::TypeId;
use std::path::PathBuf;

use clap::Arg;

/// Flags that only the command line and the environment of the process can set.
const POWERS: [&str; 36] = [
    // Commands and code.
    "allow_commands",
    "hooks_dir",
    "prompts_dir",
    "tools_dir",
    "trust_pages",
    // Servers and keys.
    "agents",
    "allow",
    "base_url",
    "client_keys",
    "header",
    "host",
    "mirror",
    "queue",
    "queue_ca",
    "queue_cert",
    "queue_creds",
    "queue_key",
    "queue_nkey",
    "url",
    "values",
    // Isolation.
    "attempts_per_worker",
    "isolation",
    // Files that are written.
    "cache",
    "csv",
    "export",
    "html",
    "log_dir",
    "out",
    "record",
    "save",
    // Folders of runs, which hold flags.
    "matrix",
    "replay_race",
    "resume",
    "run",
    // Safeguards.
    "allow_mismatch",
    "allow_program_change",
];

/// Flags that describe an experiment, or how it is shown.
const SETTINGS: [&str; 167] = [
    "action_overrides",
    "adaptive",
    "agent_name",
    "all_pairs",
    "alpha",
    "also_model",
    "answer_schema",
    "append_system_prompt",
    "append_system_prompt_file",
    "argument_limit",
    "attempt",
    "attempt_max_cost",
    "attempt_max_llm_calls",
    "attempt_max_tokens",
    "attempt_timeout",
    "attempts",
    "benchmark",
    "block",
    "call_timeout",
    "cell_timeout",
    "cell_wait",
    "check",
    "check_key",
    "child_model",
    "child_models",
    "code_via",
    "compaction",
    "compaction_at",
    "compaction_keep",
    "compaction_model",
    "concurrency",
    "confirm_first_return",
    "connect_timeout",
    "console",
    "context_dir",
    "context_file",
    "context_len",
    "data_dir",
    "date",
    "depth",
    "depths",
    "detach",
    "deterministic",
    "diff",
    "document",
    "drain",
    "driver_sets",
    "drivers",
    "drivers_dir",
    "dry_run",
    "dump_also",
    "dump_text",
    "effort",
    "efforts",
    "fail_on_error",
    "files_dir",
    "filter",
    "hooks",
    "idle_exit",
    "idle_timeout",
    "image",
    "iterations",
    "jitless",
    "json",
    "judge_attempts",
    "judge_model",
    "judge_prompt",
    "labels",
    "limit",
    "lineage",
    "llm_model",
    "long_text",
    "max_blocks_per_iteration",
    "max_concurrency",
    "max_connections",
    "max_cost",
    "max_depth",
    "max_iterations",
    "max_llm_calls",
    "max_output_tokens",
    "max_queue",
    "max_request_size",
    "max_retries",
    "max_samples",
    "max_tasks",
    "max_tokens",
    "memory_limit",
    "min_difference",
    "min_score",
    "model",
    "model_aliases",
    "model_args",
    "model_at_depth",
    "model_seed",
    "models",
    "name",
    "no_open",
    "notes_chars",
    "order_seed",
    "output_limit",
    "overflow",
    "partition",
    "passage_chars",
    "pending_calls",
    "persona",
    "persona_file",
    "piece_chars",
    "port",
    "prices",
    "profile",
    "profiles_file",
    "prompt",
    "prompt_mode",
    "prompt_modes",
    "protocol",
    "protocols",
    "provider",
    "query",
    "query_file",
    "queue_lease",
    "queue_max_mb",
    "queue_order_by",
    "queue_replicas",
    "queue_tries",
    "race",
    "rate_burst",
    "rate_limit",
    "ready",
    "reasoning_tokens",
    "repl_api",
    "repl_apis",
    "request_timeout",
    "retrieve_passages",
    "retry_errors",
    "sample",
    "sample_seed",
    "scorer",
    "scorer_memory_limit",
    "scorer_timeout",
    "screenshots",
    "seed",
    "selected_problems",
    "selection",
    "show",
    "shutdown_timeout",
    "site",
    "sizes",
    "skip_malformed",
    "split",
    "stack_limit",
    "stop",
    "stop_early",
    "stream",
    "system_prompt",
    "system_prompt_file",
    "tasks_per_length",
    "temperature",
    "temperatures",
    "time_limit",
    "timer_limit",
    "tools",
    "total_calls",
    "verbose",
    "web_agent",
    "windows",
    "worker",
    "workflow_runs",
];

/// Settings whose text may name a file. Those whose value is a path do so by their type.
const NAMES_FILES: [&str; 14] = [
    "also_model",
    "benchmark",
    "child_model",
    "child_models",
    "compaction_model",
    "driver_sets",
    "judge_model",
    "judge_prompt",
    "llm_model",
    "model",
    "model_aliases",
    "model_at_depth",
    "models",
    "scorer",
];

/// Whether a file `.env` may set a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FromFile {
    /// Any value.
    Any,
    /// A value that names no file outside the folder of `.env`.
    Inside,
    /// No value.
    Never,
}

/// Whether a file `.env` may set this flag.
pub(super) fn from_file(argument: &Arg) -> FromFile {
    let id = argument.get_id().as_str();
    if POWERS.contains(&id) || !SETTINGS.contains(&id) {
        return FromFile::Never;
    }
    let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    if is_path || NAMES_FILES.contains(&id) {
        FromFile::Inside
    } else {
        FromFile::Any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::command;

    fn collect(command: &clap::Command, into: &mut BTreeSet<String>) {
        let flags = command
            .get_arguments()
            .filter(|argument| argument.get_long().is_some());
        into.extend(flags.map(|argument| argument.get_id().to_string()));
        for command in command.get_subcommands() {
            collect(command, into);
        }
    }

    #[test]
    fn every_flag_is_a_power_or_a_setting() {
        let mut flags = BTreeSet::new();
        collect(&command(), &mut flags);
        let listed: Vec<String> = POWERS
            .iter()
            .chain(&SETTINGS)
            .map(ToString::to_string)
            .collect();
        let once: BTreeSet<String> = listed.iter().cloned().collect();
        assert_eq!(listed.len(), once.len(), "a flag is listed twice");
        assert_eq!(flags, once);
        for name in NAMES_FILES {
            assert!(SETTINGS.contains(&name), "{name} is not a setting");
        }
    }
}
