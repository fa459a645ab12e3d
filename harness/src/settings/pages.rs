//! Settings of the text that agents see of web pages.

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::one_of;
use crate::model::web::DumpExtensions;

/// Additions to the dumps of web pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "Web pages"))]
#[serde(default, deny_unknown_fields)]
pub struct PageSettings {
    /// Text of a page that its dumps contain: only text of the elements that the dump format lists
    /// (listed), or also text directly in a `div`, a `span` or a section (all)
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            default_value = "listed",
            value_name = "WHICH",
            value_parser = one_of::<DumpText>(["listed", "all"])
        )
    )]
    pub dump_text: DumpText,

    /// Additions to page dumps: ids inside links and buttons (nested), ids for `contenteditable`
    /// elements (editable), and the contents of iframes (frames)
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "dump-include",
            alias = "dump-also",
            value_delimiter = ',',
            value_name = "WHAT,…",
            value_parser = one_of::<DumpAddition>(["nested", "editable", "frames"])
        )
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

impl SettingsGroup for PageSettings {
    const LIMITS: &'static [&'static str] = &[];

    fn flag(key: &str) -> String {
        match key {
            "dump_also" => "dump-include".to_owned(),
            key => key.replace('_', "-"),
        }
    }
}

impl PageSettings {
    /// Returns the extensions of the dump format that these settings select.
    pub fn extensions(&self) -> DumpExtensions {
        let includes = |addition| self.dump_include.contains(&addition);
        DumpExtensions {
            text: self.dump_text == DumpText::All,
            nested: includes(DumpAddition::Nested),
            editable: includes(DumpAddition::Editable),
            frames: includes(DumpAddition::Frames),
        }
    }

    /// Whether dumps have the standard format.
    pub fn is_plain(&self) -> bool {
        self.extensions().is_plain()
    }
}
