//! Settings of the text that agents see of web pages.

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::one_of;
use crate::model::web::DumpExtensions;

settings_group! {
    /// Additions to the dumps of web pages.
    pub struct PageSettings under "Web pages" {
        /// Text of a page that its dumps contain: only text of the elements that the dump format
        /// lists (listed), or also text directly in a `div`, a `span` or a section (all)
        pub dump_text: DumpText => (
            default_value = "listed",
            value_name = "WHICH",
            value_parser = one_of::<DumpText>(["listed", "all"])
        ),

        /// Additions to page dumps: ids inside links and buttons (nested), ids for
        /// `contenteditable` elements (editable), and the contents of iframes (frames)
        #[serde(rename = "dump_also")]
        pub dump_include: Vec<DumpAddition> => (
            alias = "dump-also",
            value_delimiter = ',',
            value_name = "WHAT,…",
            value_parser = one_of::<DumpAddition>(["nested", "editable", "frames"])
        ),
    }
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
    const RECORDED: &'static [&'static str] = &["dump_text", "dump_also"];
    const RENAMED: &'static [(&'static str, &'static str)] = &[("dump_also", "dump-include")];
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
