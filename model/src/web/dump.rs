//! Text representation of a page.

use serde::{Deserialize, Serialize};

/// Settings of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DumpSettings {
    /// Maximum characters (code points) of the text, including `[...truncated]`.
    pub max_chars: usize,
    /// Style of ids.
    pub ids: IdStyle,
    /// JavaScript predicate for elements, such as `(el) => !el.matches("footer")`. Elements for
    /// which it returns `false` are omitted with their content.
    pub filter: Option<String>,
    /// Additions to the standard format.
    pub also: DumpAlso,
}

/// Additions to the standard format of a dump. The standard format numbers actionable elements
/// without descending into them, and omits frames and text in elements without a line of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct DumpAlso {
    /// Whether to add text in elements that have no line of their own, such as `div`, `span` and
    /// `section`.
    pub text: bool,
    /// Whether to add ids of actionable elements inside other actionable elements.
    pub nested: bool,
    /// Whether to add ids of `contenteditable` elements.
    pub editable: bool,
    /// Whether to add the content of same-origin `iframe`s and the addresses of other `iframe`s.
    pub frames: bool,
}

impl Default for DumpSettings {
    /// Returns 12,000 characters, numeric ids and no filter.
    fn default() -> Self {
        Self {
            max_chars: 12_000,
            ids: IdStyle::Numbers,
            filter: None,
            also: DumpAlso::default(),
        }
    }
}

impl DumpAlso {
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
    /// Short description of the element, such as `input[name=q]`.
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
