//! Settings of an agent's iterations.

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::whole;

/// Default of `max_iterations`.
pub const DEFAULT_MAX_ITERATIONS: u32 = 15;

settings_group! {
    /// Settings of the iterations of agents.
    pub struct IterationSettings under "Agent" {
        /// Maximum iterations of the root, each one model response plus the execution of its code;
        /// children get at most 15, 4, 3, 3, … by depth
        pub max_iterations: u32 = DEFAULT_MAX_ITERATIONS
            => (value_parser = whole::<u32>(1..=10_000), value_name = "N"),

        /// Maximum code blocks of one response that are run; further blocks are dropped, and the
        /// model is notified
        pub max_blocks_per_iteration: u32 = 1
            => (value_parser = whole::<u32>(1..=1_000), value_name = "N"),

        /// Whether the model must confirm a return in its first iteration: the model is shown the
        /// value once and must return it again
        pub confirm_first_return: bool = true
            => (action = clap::ArgAction::Set, value_name = "BOOL"),

        /// Make clocks, timers and random numbers in cells deterministic, derived from SEED, so
        /// that a run with the same model responses can be repeated exactly [default: off; without
        /// a SEED, 0]
        pub deterministic: Option<u64> => (
            value_parser = whole::<u64>(0..=u64::MAX),
            num_args = 0..=1,
            default_missing_value = "0",
            value_name = "SEED"
        ),
    }
}

impl SettingsGroup for IterationSettings {
    const LIMITS: &'static [&'static str] = &["max_iterations", "max_blocks_per_iteration"];
    const RECORDED: &'static [&'static str] = &[
        "max_iterations",
        "max_blocks_per_iteration",
        "confirm_first_return",
    ];
}
