//! Flags of agents on web pages.

use std::path::PathBuf;

use clap::Args;
use harness::model::web::DumpAlso;
use serde::{Deserialize, Serialize};

use super::Granted;
use super::word::one_of;

/// Settings of web agents, and of the records of their pages.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// YAML file with the prompt and permissions of a web agent for `--protocol agent-turn`:
    /// persona, appendSystemPrompt, customActions and others; see docs/guides/web-agents.md
    #[arg(long, value_name = "FILE")]
    pub web_agent: Option<Granted<PathBuf>>,

    /// Store screenshots next to the trajectory: of the page in every turn with
    /// `--protocol agent-turn`, after every call of a function of `page` with `rlm`, and of the
    /// last app with `json-action`
    #[arg(long)]
    pub screenshots: bool,

    /// Text of a page that its dumps contain: only text of the elements that the dump format lists
    /// (listed), or also text directly in a `div`, a `span` or a section (all)
    #[arg(
        long,
        default_value = "listed",
        value_name = "WHICH",
        value_parser = one_of::<DumpText>(["listed", "all"])
    )]
    pub dump_text: DumpText,

    /// Additions to page dumps: ids inside links and buttons (nested), ids for `contenteditable`
    /// elements (editable), and the contents of iframes (frames)
    #[arg(
        long = "dump-include",
        alias = "dump-also",
        value_delimiter = ',',
        value_name = "WHAT,…",
        value_parser = one_of::<DumpAddition>(["nested", "editable", "frames"])
    )]
    #[serde(rename = "dump_also")]
    pub dump_include: Vec<DumpAddition>,
}

/// Text that a page dump contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DumpText {
    /// Text in the elements that the dump format lists.
    #[default]
    Listed,
    /// Text in any element.
    All,
}

/// Optional addition to a page dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DumpAddition {
    /// Ids for interactive elements inside interactive elements.
    Nested,
    /// Ids for editable elements that are not form fields.
    Editable,
    /// Contents of iframes.
    Frames,
}

impl WebArgs {
    /// Returns the optional contents of page dumps.
    pub(super) fn dump(&self) -> DumpAlso {
        DumpAlso {
            text: self.dump_text == DumpText::All,
            nested: self.dump_include.contains(&DumpAddition::Nested),
            editable: self.dump_include.contains(&DumpAddition::Editable),
            frames: self.dump_include.contains(&DumpAddition::Frames),
        }
    }
}
