//! Settings of the JavaScript REPL.

use sandbox::{BEYOND_HEAP_MEGABYTES, Config, Console, Limits};
use serde::{Deserialize, Serialize};

use super::{Seconds, SettingsGroup};
#[cfg(feature = "clap")]
use super::{one_of, whole};

settings_group! {
    /// Limits and printing of the REPL.
    pub struct ReplSettings under "REPL" {
        /// How console.log prints values: like Node.js (node), or String(value) of each argument,
        /// joined by spaces (plain)
        pub console: Console => (
            default_value = "node",
            value_name = "STYLE",
            value_parser = one_of::<Console>(["node", "plain"])
        ),

        /// CPU time limit of one cell in seconds; time spent waiting for children and models does
        /// not count
        pub cell_timeout: Seconds = Seconds(Limits::default().cell_time)
            => (value_name = "SECONDS"),

        /// Seconds that one cell may wait for timers
        #[serde(rename = "cell_wait")]
        pub timer_timeout: Seconds = Seconds(Limits::default().timer_timeout)
            => (alias = "cell-wait", value_name = "SECONDS"),

        /// Maximum characters of a cell's output; the middle of longer output is removed
        pub output_limit: usize = Limits::default().output_chars
            => (value_parser = whole::<usize>(1..=100_000_000), value_name = "CHARS"),

        /// Maximum heap of one attempt in megabytes, not counting its context
        pub memory_limit: u64 = Limits::default().heap_bytes >> 20
            => (value_parser = whole::<u64>(16..=1_000_000), value_name = "MB"),

        /// Maximum native stack for recursion in a cell, in megabytes; 8 MB are about 12,000 frames
        pub stack_limit: u64 = Limits::default().stack_bytes >> 20
            => (value_parser = whole::<u64>(1..=sandbox::MAX_STACK_BYTES >> 20), value_name = "MB"),

        /// Maximum concurrent calls from one attempt to children and models
        pub pending_calls: u32 = Limits::default().pending_calls
            => (value_parser = whole::<u32>(1..=100_000), value_name = "N"),

        /// Maximum total calls from one attempt to children and models
        pub total_calls: u32 = Limits::default().total_calls
            => (value_parser = whole::<u32>(0..=10_000_000), value_name = "N"),

        /// Maximum characters of the query in a call to a child or model, and of the context if the
        /// child has no REPL
        pub argument_limit: u32 = Limits::default().argument_chars
            => (value_parser = whole::<u32>(1..=500_000_000), value_name = "CHARS"),

        /// Maximum pending timers of one agent
        pub timer_limit: u32 = Limits::default().timers
            => (value_parser = whole::<u32>(1..=1_000_000), value_name = "N"),

        /// Make V8 interpret cells instead of compiling them, so that a worker needs no executable
        /// memory; for hostile models. Numeric loops take about ten times the CPU time
        pub jitless: bool => (),
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
    const RECORDED: &'static [&'static str] = &[
        "console",
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
    const RENAMED: &'static [(&'static str, &'static str)] = &[("cell_wait", "timer-timeout")];
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
