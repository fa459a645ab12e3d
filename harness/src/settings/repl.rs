//! Settings of the JavaScript REPL.

use sandbox::{BEYOND_HEAP_MEGABYTES, Config, Console, Limits};
use serde::{Deserialize, Serialize};

use super::{Seconds, SettingsGroup};
#[cfg(feature = "clap")]
use super::{one_of, whole};

/// Limits and printing of the REPL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "REPL"))]
#[serde(default, deny_unknown_fields)]
pub struct ReplSettings {
    /// How console.log prints values: like Node.js (node), or String(value) of each argument,
    /// joined by spaces (plain)
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            default_value = "node",
            value_name = "STYLE",
            value_parser = one_of::<Console>(["node", "plain"])
        )
    )]
    pub console: Console,

    /// CPU time limit of one cell in seconds; time spent waiting for children and models does not
    /// count
    #[cfg_attr(
        feature = "clap",
        arg(long, default_value_t = Self::default().cell_timeout, value_name = "SECONDS")
    )]
    pub cell_timeout: Seconds,

    /// Seconds that one cell may wait for timers
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "timer-timeout",
            alias = "cell-wait",
            default_value_t = Self::default().timer_timeout,
            value_name = "SECONDS"
        )
    )]
    #[serde(rename = "cell_wait")]
    pub timer_timeout: Seconds,

    /// Maximum characters of a cell's output; the middle of longer output is removed
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<usize>(1..=100_000_000),
            default_value_t = Self::default().output_limit,
            value_name = "CHARS"
        )
    )]
    pub output_limit: usize,

    /// Maximum heap of one attempt in megabytes, not counting its context
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u64>(16..=1_000_000),
            default_value_t = Self::default().memory_limit,
            value_name = "MB"
        )
    )]
    pub memory_limit: u64,

    /// Maximum native stack for recursion in a cell, in megabytes; 8 MB are about 12,000 frames
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u64>(1..=sandbox::MAX_STACK_BYTES >> 20),
            default_value_t = Self::default().stack_limit,
            value_name = "MB"
        )
    )]
    pub stack_limit: u64,

    /// Maximum concurrent calls from one attempt to children and models
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=100_000),
            default_value_t = Self::default().pending_calls,
            value_name = "N"
        )
    )]
    pub pending_calls: u32,

    /// Maximum total calls from one attempt to children and models
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(0..=10_000_000),
            default_value_t = Self::default().total_calls,
            value_name = "N"
        )
    )]
    pub total_calls: u32,

    /// Maximum characters of the query in a call to a child or model, and of the context if the
    /// child has no REPL
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=500_000_000),
            default_value_t = Self::default().argument_limit,
            value_name = "CHARS"
        )
    )]
    pub argument_limit: u32,

    /// Maximum pending timers of one agent
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=1_000_000),
            default_value_t = Self::default().timer_limit,
            value_name = "N"
        )
    )]
    pub timer_limit: u32,

    /// Make V8 interpret cells instead of compiling them, so that a worker needs no executable
    /// memory; for hostile models. Numeric loops take about ten times the CPU time
    #[cfg_attr(feature = "clap", arg(long))]
    pub jitless: bool,
}

impl Default for ReplSettings {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            console: Console::default(),
            cell_timeout: Seconds(limits.cell_time),
            timer_timeout: Seconds(limits.timer_timeout),
            output_limit: limits.output_chars,
            memory_limit: limits.heap_bytes >> 20,
            stack_limit: limits.stack_bytes >> 20,
            pending_calls: limits.pending_calls,
            total_calls: limits.total_calls,
            argument_limit: limits.argument_chars,
            timer_limit: limits.timers,
            jitless: false,
        }
    }
}

impl SettingsGroup for ReplSettings {
    const LIMITS: &'static [&'static str] = &[
        "cell_timeout",
        "cell_wait",
        "output_limit",
        "memory_limit",
        "stack_limit",
        "pending_calls",
        "total_calls",
        "argument_limit",
        "timer_limit",
    ];

    fn flag(key: &str) -> String {
        match key {
            "cell_wait" => "timer-timeout".to_owned(),
            key => key.replace('_', "-"),
        }
    }
}

impl ReplSettings {
    /// Returns the limits and the print style in the units of the sandbox.
    pub fn config(&self) -> Config {
        Config {
            limits: Limits {
                cell_time: *self.cell_timeout,
                timer_timeout: *self.timer_timeout,
                heap_bytes: self.memory_limit << 20,
                process_bytes: (self.memory_limit + BEYOND_HEAP_MEGABYTES) << 20,
                stack_bytes: self.stack_limit << 20,
                pending_calls: self.pending_calls,
                total_calls: self.total_calls,
                argument_chars: self.argument_limit,
                timers: self.timer_limit,
                output_chars: self.output_limit,
            },
            console: self.console,
        }
    }
}
