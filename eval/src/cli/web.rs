//! Flags of agents on web pages.

use std::path::PathBuf;

use clap::Args;
use harness::model::web::DumpAlso;
use serde::{Deserialize, Serialize};

use super::Granted;
use super::word::one_of;

/// Settings of web agents, and what is recorded of their pages.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// YAML file with the prompt and permissions of a web agent for `--protocol agent-turn`: persona,
    /// appendSystemPrompt, customActions and so on, see docs/guides/web-agents.md
    #[arg(long, value_name = "FILE")]
    pub web_agent: Option<Granted<PathBuf>>,

    /// Take a screenshot of the page in every turn with `--protocol agent-turn`, after every call of a function of `page`
    /// with `rlm`, and of the last app with `json-action`, and keep it beside the trajectory
    #[arg(long)]
    pub screenshots: bool,

    /// Text of a page that its dumps hold: in the elements that the format lists alone, or also what stands directly in
    /// a `div`, a `span` or a section
    #[arg(
        long,
        default_value = "listed",
        value_name = "WHICH",
        value_parser = one_of::<DumpText>(["listed", "all"])
    )]
    pub dump_text: DumpText,

    /// What dumps hold beyond their format: ids inside of links and buttons, ids for what is `contenteditable`, what is
    /// inside of iframes
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WHAT,…",
        value_parser = one_of::<Beyond>(["nested", "editable", "frames"])
    )]
    pub dump_also: Vec<Beyond>,
}

/// Text that a dump holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DumpText {
    /// In the elements that the format lists.
    #[default]
    Listed,
    /// In any element.
    All,
}

/// What a dump may hold beyond its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Beyond {
    /// Ids for what can be acted on inside of something that can be acted on.
    Nested,
    /// Ids for what can be written in without being a field.
    Editable,
    /// What is inside of iframes.
    Frames,
}

impl WebArgs {
    /// Returns what page dumps contain in addition to their format.
    pub(super) fn dump(&self) -> DumpAlso {
        DumpAlso {
            text: self.dump_text == DumpText::All,
            nested: self.dump_also.contains(&Beyond::Nested),
            editable: self.dump_also.contains(&Beyond::Editable),
            frames: self.dump_also.contains(&Beyond::Frames),
        }
    }
}
