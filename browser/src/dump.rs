//! Settings of a dump as JavaScript, and its result: the page as text.

use model::web::{DumpElement, DumpExtensions, DumpSettings, IdStyle};
use serde::Deserialize;
use serde_json::Value;

/// A page as text, and the elements that its ids refer to: the result of `js/dump.js`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// Time in milliseconds for creating the dump in the page, without the round trip to the
    /// browser.
    pub millis: f64,
}

/// Returns the argument of `dump` in `js/dump.js`. The caller's filter is inserted as code,
/// because a page's content security policy may forbid `eval`. `at` and `inner` describe the
/// documents around and inside this one; see `js/dump.js`.
pub(crate) fn to_javascript(settings: &DumpSettings, at: Option<&Value>, inner: &Value) -> String {
    let ids = match settings.ids {
        IdStyle::Numbers => "numbers",
        IdStyle::Hashes => "hashes",
    };
    let filter = settings
        .filter
        .as_deref()
        .map_or_else(|| "null".to_owned(), |code| format!("(\n{code}\n)"));
    let DumpExtensions {
        text,
        nested,
        editable,
        frames,
    } = settings.also;
    format!(
        "{{ maxLength: {}, ids: {ids:?}, filter: {filter}, also: {{ text: {text}, nested: {nested}, editable: {editable}, frames: {frames} }}, \
         at: {}, inner: {inner} }}",
        settings.max_chars,
        at.unwrap_or(&Value::Null)
    )
}

impl Dump {
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
                elements: Vec::new(),
                millis: 0.0,
            };
            assert_eq!(dump.tree(), tree, "{text}");
        }
    }
}
