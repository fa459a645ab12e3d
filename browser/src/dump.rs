//! Settings and result of a dump: the page as text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Whether elements with `contenteditable` get ids, as fields do.
    pub editable: bool,
    /// Whether to include the contents of `iframe`s. Frames that could not be loaded, and frames of
    /// other origins after the first 50, are shown by address.
    pub frames: bool,
}

impl Default for DumpSettings {
    /// Default settings: 12,000 characters, numbers, no filter, no extensions.
    fn default() -> Self {
        Self {
            max_chars: 12_000,
            ids: IdStyle::Numbers,
            filter: None,
            also: DumpExtensions::default(),
        }
    }
}

/// Style of the element ids in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdStyle {
    /// 1, 2, 3, … down the page, assigned anew in each dump.
    Numbers,
    /// Four hexadecimal digits that an element keeps as long as its document exists.
    Hashes,
}

/// A page as text, and the elements that its ids refer to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dump {
    /// Text for an agent: a header of three lines, followed by the tree.
    pub text: String,
    /// Address of the page.
    pub url: String,
    /// Title of the page, truncated to 120 characters.
    pub title: String,
    /// Height of the page in pixels above, inside and below the visible area.
    pub viewport: [u64; 3],
    /// Elements with their ids, in the order of the text.
    pub elements: Vec<DumpElement>,
    /// Whether the text was truncated.
    pub truncated: bool,
    /// Number of characters (code points) in the text.
    pub chars: usize,
    /// Number of bytes of the text in UTF-8.
    pub bytes: usize,
    /// Time in milliseconds for creating the dump in the page, without the round trip to the
    /// browser.
    pub millis: f64,
}

/// An element in a dump, with its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpElement {
    /// Id without brackets.
    pub id: String,
    /// Short description of the element: its tag with its id or name, such as `input[name=q]`.
    pub element: String,
}

impl DumpSettings {
    /// Returns the argument of `dump` in `js/dump.js`. The caller's filter is inserted as code,
    /// because a page's content security policy may forbid `eval`. `at` and `inner` describe the
    /// documents around and inside this one; see `js/dump.js`.
    pub(crate) fn to_javascript(&self, at: Option<&Value>, inner: &Value) -> String {
        let ids = match self.ids {
            IdStyle::Numbers => "numbers",
            IdStyle::Hashes => "hashes",
        };
        let filter = self
            .filter
            .as_deref()
            .map_or_else(|| "null".to_owned(), |code| format!("(\n{code}\n)"));
        let DumpExtensions {
            text,
            nested,
            editable,
            frames,
        } = self.also;
        format!(
            "{{ maxLength: {}, ids: {ids:?}, filter: {filter}, also: {{ text: {text}, nested: {nested}, editable: {editable}, frames: {frames} }}, \
             at: {}, inner: {inner} }}",
            self.max_chars,
            at.unwrap_or(&Value::Null)
        )
    }
}

impl Dump {
    /// Parses the result of `js/dump.js`; `None` if its format is unknown.
    pub(crate) fn read(value: Value) -> Option<Self> {
        #[derive(Deserialize)]
        struct Raw {
            text: String,
            url: String,
            title: String,
            viewport: [u64; 3],
            elements: Vec<DumpElement>,
            truncated: bool,
            millis: f64,
        }
        let raw: Raw = serde_json::from_value(value).ok()?;
        Some(Self {
            chars: raw.text.chars().count(),
            bytes: raw.text.len(),
            text: raw.text,
            url: raw.url,
            title: raw.title,
            viewport: raw.viewport,
            elements: raw.elements,
            truncated: raw.truncated,
            millis: raw.millis,
        })
    }

    /// Returns the text without its header. If truncation left only a part of the header, returns
    /// the truncation marker.
    pub fn tree(&self) -> &str {
        let tree = self.text.splitn(4, '\n').nth(3).unwrap_or_default();
        if self.truncated && !tree.ends_with(TRUNCATED) {
            return TRUNCATED;
        }
        tree
    }
}

/// Last line of a truncated dump.
const TRUNCATED: &str = "[...truncated]";

#[cfg(test)]
mod tests {
    use super::Dump;

    #[test]
    fn tree_is_the_marker_if_the_header_is_truncated() {
        let rows = [
            ("URL: u\nTITLE: t\nVIEWPORT: v\n<p>x</p>", false, "<p>x</p>"),
            ("URL: u\nTITLE: t\nVIEWPORT: v", false, ""),
            (
                "URL: u\nTITLE: t\nVIEWPORT: v\n[...truncated]",
                true,
                "[...truncated]",
            ),
            ("URL: u\n[...truncated]", true, "[...truncated]"),
            ("URL: u\nTIT\n[...truncated]", true, "[...truncated]"),
            ("[...trun", true, "[...truncated]"),
        ];
        for (text, truncated, tree) in rows {
            let dump = Dump {
                text: text.to_owned(),
                truncated,
                url: String::new(),
                title: String::new(),
                viewport: [0; 3],
                chars: 0,
                bytes: 0,
                elements: Vec::new(),
                millis: 0.0,
            };
            assert_eq!(dump.tree(), tree, "{text}");
        }
    }
}
