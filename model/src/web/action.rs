//! Actions on a page, and their results.

use serde::{Deserialize, Serialize};

/// An action on a page. A selector is an id in the newest dump (`5`, `[5]`, `↓[5]`) or a CSS
/// selector, which selects its first match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Opens an address: absolute, or relative to the page's origin (`/orders`).
    Navigate {
        /// Address to open.
        url: String,
    },
    /// Clicks an element.
    Click {
        /// Selector of the element.
        selector: String,
    },
    /// Brings an element into view.
    ScrollTo {
        /// Selector of the element.
        selector: String,
    },
    /// Highlights an element and removes any other highlight.
    Border {
        /// Selector of the element; `None` removes the highlight.
        selector: Option<String>,
    },
    /// Replaces the text of a field.
    FillInput {
        /// Selector of the field.
        selector: String,
        /// New text.
        value: String,
    },
    /// Selects an option of a `select` element.
    Select {
        /// Selector of the `select` element.
        selector: String,
        /// Value or label of the option.
        value: String,
    },
    /// Presses a key.
    Press {
        /// Selector of the element that receives the key; `None` for the focused element.
        selector: Option<String>,
        /// Name of the key, such as `Enter`, `ArrowDown`, `a` or `Control+a`.
        key: String,
    },
    /// Answers the open dialog (alert, confirm, prompt).
    AnswerDialog {
        /// Whether to accept the dialog.
        accept: bool,
        /// Text entered in a prompt.
        text: Option<String>,
    },
}

/// Result of a successful action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "then", rename_all = "snake_case")]
pub enum ActionEffect {
    /// The same document is still loaded, although its content may have changed.
    SamePage,
    /// Another document or address was loaded, or another tab came to the front. The ids of the
    /// last dump are invalid.
    PageChanged {
        /// Address, in the form of [`Dump::url`](super::Dump::url).
        url: String,
    },
    /// The page is waiting for an answer to a dialog.
    DialogOpened {
        /// Kind of the dialog: `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Text of the dialog.
        message: String,
    },
}
