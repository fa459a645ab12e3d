//! Settings that determine the built-in prompts of agents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::{one_of, whole};
use crate::text::{did_you_mean, nearest};

/// Default of `max_depth`.
pub const DEFAULT_MAX_DEPTH: u32 = 2;

/// Maximum of `max_depth`. Larger numbers are probably typos, because agents below depth 2 have
/// only 3 iterations.
pub const MOST_DEPTH: u32 = 16;

settings_group! {
    /// Settings that determine which of the built-in prompts the agents receive.
    #[derive(Copy)]
    pub struct PromptSettings under "Agent" {
        /// Whether the root solves the task itself (solver) or delegates to children and reviews
        /// their results (coordinator). Children always solve. Applies to the `rlm` protocol only
        pub prompt_mode: PromptMode = PromptMode::Solver => (
            value_parser = one_of::<PromptMode>(PromptMode::ALL.map(PromptMode::as_str)),
            value_name = "MODE"
        ),

        /// How a response contains code: in fenced blocks, or in required calls of the tool
        /// `execute_code`
        #[serde(rename = "code_via")]
        pub code_format: CodeFormat => (
            alias = "code-via",
            default_value = "fenced",
            value_name = "WAY",
            value_parser = one_of::<CodeFormat>(["fenced", "tool"])
        ),

        /// Agents at this depth answer in one call, without a REPL. The root has depth 0, so with
        /// 1, its children have no REPL
        pub max_depth: u32 = DEFAULT_MAX_DEPTH
            => (value_parser = whole::<u32>(1..=MOST_DEPTH), value_name = "DEPTH"),
    }
}

impl SettingsGroup for PromptSettings {
    const LIMITS: &'static [&'static str] = &["max_depth"];
    const RECORDED: &'static [&'static str] = &["prompt_mode", "code_via", "max_depth"];
    const RENAMED: &'static [(&'static str, &'static str)] = &[("code_via", "code-format")];
}

impl PromptSettings {
    /// Whether models send code in tool calls.
    pub fn code_via_tool(&self) -> bool {
        self.code_format == CodeFormat::Tool
    }
}

/// How the root solves its task. The mode does not affect children, which always act as solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptMode {
    /// The root solves the task itself, and may delegate parts of it.
    #[default]
    Solver,
    /// The root analyzes the task, delegates to children in parallel and judges their results.
    Coordinator,
}

impl PromptMode {
    /// All modes, in display order.
    pub const ALL: [Self; 2] = [Self::Solver, Self::Coordinator];

    /// Returns the name used in flags, files and CSV columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Solver => "solver",
            Self::Coordinator => "coordinator",
        }
    }
}

impl fmt::Display for PromptMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PromptMode {
    type Err = String;

    /// Parses `solver` or `coordinator`.
    fn from_str(word: &str) -> Result<Self, String> {
        let mode = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        mode.ok_or_else(|| {
            let nearest = nearest(word, Self::ALL.map(Self::as_str));
            let hint = did_you_mean(nearest.as_deref(), &[]);
            format!("unknown prompt mode `{word}`, expected `solver` or `coordinator`{hint}")
        })
    }
}

/// How a response contains code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeFormat {
    /// In fenced blocks.
    #[default]
    Fenced,
    /// In calls of the tool `execute_code`.
    Tool,
}
