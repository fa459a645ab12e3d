//! Text representation of a page.

use serde::{Deserialize, Serialize};

/// Settings of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DumpSettings {
    /// Maximum characters (code points) of the text, including `[...truncated]`.
    pub max_chars: usize,
    /// Style of the element ids.
    pub ids: IdStyle,
    /// JavaScript predicate, such as `(el) => !el.matches("footer")`. Elements for which it returns
    /// `false` are omitted with all their descendants.
    pub filter: Option<String>,
    /// Extensions of the format to include.
    pub also: DumpExtensions,
}

/// Extensions of the dump format. The format itself numbers interactive elements without descending
/// into them, and omits loose text and frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct DumpExtensions {
    /// Whether to include text directly inside elements that have no line of their own, such as a
    /// `div`, a `span` or a section.
    pub text: bool,
    /// Whether interactive elements inside interactive elements get ids.
    pub nested: bool,
    /// Whether editable elements other than fields get ids: `contenteditable`.
    pub editable: bool,
    /// Whether to include the contents of `iframe`s. Frames that could not be loaded, and those
    /// beyond the first 50 of other origins, are shown by address.
    pub frames: bool,
}

impl Default for DumpSettings {
    /// Returns 12,000 characters, numeric ids and no filter.
    fn default() -> Self {
        Self {
            max_chars: 12_000,
            ids: IdStyle::Numbers,
            filter: None,
            also: DumpExtensions::default(),
        }
    }
}

impl DumpExtensions {
    /// Whether a dump has the standard format.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Style of the ids in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdStyle {
    /// 1, 2, 3, … in page order, reassigned in each dump.
    #[default]
    Numbers,
    /// Four hex digits that an element keeps for the lifetime of its document.
    Hashes,
}

/// A page as text, with a list of the elements that have ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dump {
    /// Address as shown to agents: without the origin if the environment has only one origin.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Pixels above the viewport, inside it and below it.
    pub viewport: [u64; 3],
    /// Elements, one per line, without the header. Ends in `[...truncated]` if `truncated` is set.
    pub tree: String,
    /// Elements with ids in the tree, in order.
    pub elements: Vec<DumpElement>,
    /// Whether the tree was truncated.
    pub truncated: bool,
    /// Milliseconds taken to create the dump.
    pub millis: f64,
}

/// An element with an id in a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpElement {
    /// Id without brackets.
    pub id: String,
    /// Short form of the element: its tag with its id or name, such as `input[name=q]`.
    pub element: String,
}

impl Dump {
    /// Returns the whole dump: three header lines, then the tree.
    pub fn text(&self) -> String {
        let [above, visible, below] = self.viewport;
        format!(
            "URL: {}\nTITLE: {}\nVIEWPORT: {above}px above · {visible}px visible · {below}px below\n{}",
            self.url, self.title, self.tree
        )
    }
}
