//! Settings of an agent's iterations.

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::whole;

/// Default of `max_iterations`.
pub const DEFAULT_MAX_ITERATIONS: u32 = 15;

/// Settings of the iterations of agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "Agent"))]
#[serde(default, deny_unknown_fields)]
pub struct IterationSettings {
    /// Maximum iterations of the root, each one model response plus the execution of its code;
    /// children get at most 15, 4, 3, 3, … by depth
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=10_000),
            default_value_t = DEFAULT_MAX_ITERATIONS,
            value_name = "N"
        )
    )]
    pub max_iterations: u32,

    /// Maximum code blocks of one response that are run; further blocks are dropped, and the model
    /// is notified
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=1_000),
            default_value_t = Self::default().max_blocks_per_iteration,
            value_name = "N"
        )
    )]
    pub max_blocks_per_iteration: u32,

    /// Whether the model must confirm a return in its first iteration: the model is shown the value
    /// once and must return it again
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            default_value_t = Self::default().confirm_first_return,
            action = clap::ArgAction::Set,
            value_name = "BOOL"
        )
    )]
    pub confirm_first_return: bool,

    /// Make clocks, timers and random numbers in cells deterministic, derived from SEED, so that a
    /// run with the same model responses can be repeated exactly [default: off; without a SEED, 0]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u64>(0..=u64::MAX),
            num_args = 0..=1,
            default_missing_value = "0",
            value_name = "SEED"
        )
    )]
    pub deterministic: Option<u64>,
}

impl Default for IterationSettings {
    fn default() -> Self {
        Self {
            max_iterations: DEFAULT_MAX_ITERATIONS,
            max_blocks_per_iteration: 1,
            confirm_first_return: true,
            deterministic: None,
        }
    }
}

impl SettingsGroup for IterationSettings {
    const LIMITS: &'static [&'static str] = &["max_iterations", "max_blocks_per_iteration"];
}
