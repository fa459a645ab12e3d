//! A page as text.

use serde::{Deserialize, Serialize};

/// How a dump is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DumpSettings {
    /// The most characters (code points) of the text, `[...truncated]` among them.
    pub max_chars: usize,
    /// The form of ids.
    pub ids: IdStyle,
    /// A JavaScript function of an element, such as `(el) => !el.matches("footer")`: `false` leaves it out with all inside it.
    pub filter: Option<String>,
    /// What it holds beyond the format.
    pub also: DumpAlso,
}

/// What a dump holds beyond its format, which numbers what can be acted on without descending into it, and drops loose text and frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct DumpAlso {
    /// Text that stands directly in an element without a line of its own, such as a `div`, a `span` or a section.
    pub text: bool,
    /// Ids for what can be acted on inside of something that can be acted on.
    pub nested: bool,
    /// Ids for what can be written in without being a field: `contenteditable`.
    pub editable: bool,
    /// What is inside of `iframe`s of the page's own origin, and the addresses of those of others.
    pub frames: bool,
}

impl Default for DumpSettings {
    /// 12,000 characters, numbers, no filter.
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
    /// Whether a dump is as its format says.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// The form of the ids in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdStyle {
    /// 1, 2, 3, … down the page, anew in each dump.
    #[default]
    Numbers,
    /// Four hexadecimal digits that an element keeps for as long as its document lives.
    Hashes,
}

/// A page as text, with what the ids in it stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dump {
    /// The address as agents read and give it: without the origin where the world has but one.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// Pixels above, in and below what is visible.
    pub viewport: [u64; 3],
    /// The elements, one a line, `[...truncated]` at the end where it was cut; the header is not part of it.
    pub tree: String,
    /// The ids of the tree in its order.
    pub elements: Vec<Indexed>,
    /// Whether it was cut.
    pub truncated: bool,
    /// Milliseconds that it took the page.
    pub millis: f64,
}

/// An id of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// The id without brackets.
    pub id: String,
    /// The element in short, such as `input[name=q]`.
    pub element: String,
}

impl Dump {
    /// The whole dump: its three header lines, then the tree.
    pub fn text(&self) -> String {
        let [above, visible, below] = self.viewport;
        format!(
            "URL: {}\nTITLE: {}\nVIEWPORT: {above}px above · {visible}px visible · {below}px below\n{}",
            self.url, self.title, self.tree
        )
    }
}
