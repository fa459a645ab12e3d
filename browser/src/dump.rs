//! The page as text: settings of a dump, and what comes with it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a dump is made.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// What is inside of `iframe`s; of those that could not be loaded, and beyond the first 50 of other origins, the addresses.
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

/// The form of the ids in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdStyle {
    /// 1, 2, 3, … down the page, anew in each dump.
    Numbers,
    /// Four hexadecimal digits that an element keeps for as long as its document lives.
    Hashes,
}

/// A page as text, with what the ids in it stand for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dump {
    /// What an agent reads: three lines of header, then the tree.
    pub text: String,
    /// The page's address.
    pub url: String,
    /// The page's title, cut after 120 characters.
    pub title: String,
    /// Pixels above, in and below what is visible.
    pub viewport: [u64; 3],
    /// The ids of the text in its order.
    pub elements: Vec<Indexed>,
    /// Whether the text was cut.
    pub truncated: bool,
    /// Characters (code points) of the text.
    pub chars: usize,
    /// Bytes of the text in UTF-8.
    pub bytes: usize,
    /// Milliseconds that the page took to make it; the way to the browser and back is not counted.
    pub millis: f64,
}

/// An id of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// The id without brackets.
    pub id: String,
    /// The element in short: its tag with its id or name, such as `input[name=q]`.
    pub element: String,
}

impl DumpSettings {
    /// The argument of `dump` in `js/dump.js`. The filter is code of the caller's, and stands there as code: the policy of a page
    /// may forbid `eval`.
    /// `at` and `inner` are for a document with others around or inside of it, as `js/dump.js` has them.
    pub(crate) fn to_javascript(&self, at: Option<&Value>, inner: &Value) -> String {
        let ids = match self.ids {
            IdStyle::Numbers => "numbers",
            IdStyle::Hashes => "hashes",
        };
        let filter = self
            .filter
            .as_deref()
            .map_or_else(|| "null".to_owned(), |code| format!("(\n{code}\n)"));
        let DumpAlso {
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
    /// Reads what `js/dump.js` gives; `None` where it is not of its form.
    pub(crate) fn read(value: Value) -> Option<Self> {
        #[derive(Deserialize)]
        struct Raw {
            text: String,
            url: String,
            title: String,
            viewport: [u64; 3],
            elements: Vec<Indexed>,
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

    /// The text without its header; empty where the cut left only that.
    pub fn tree(&self) -> &str {
        self.text.splitn(4, '\n').nth(3).unwrap_or_default()
    }
}
