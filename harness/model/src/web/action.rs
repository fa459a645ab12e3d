//! What can be done to a page, and what comes of it.

use serde::{Deserialize, Serialize};

/// One thing to do. A selector is an id of the newest dump (`5`, `[5]`, `↓[5]`) or CSS, which means its first match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Opens an address: whole, or from the page's own on (`/orders`).
    Navigate {
        /// The address.
        url: String,
    },
    /// Clicks an element.
    Click {
        /// Which.
        selector: String,
    },
    /// Brings an element into view.
    ScrollTo {
        /// Which.
        selector: String,
    },
    /// Highlights an element and no other.
    Border {
        /// Which; none takes the highlight away.
        selector: Option<String>,
    },
    /// Replaces the text of a field.
    FillInput {
        /// Which.
        selector: String,
        /// The new text.
        value: String,
    },
    /// Chooses an option of a list.
    Select {
        /// Which list.
        selector: String,
        /// The option's value or label.
        value: String,
    },
    /// Presses a key: `Enter`, `ArrowDown`, `a`, `Control+a`.
    Press {
        /// The element to press it on; none for where the focus is.
        selector: Option<String>,
        /// The key.
        key: String,
    },
    /// Answers the dialog (alert, confirm, prompt) for which the page waits.
    AnswerDialog {
        /// Yes or no.
        accept: bool,
        /// What a prompt asks for.
        text: Option<String>,
    },
}

/// What came of an action that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "then", rename_all = "snake_case")]
pub enum Acted {
    /// The same page is there, whatever has changed on it.
    SamePage,
    /// Another document or address is there, or another tab is in front: the ids of the last dump mean nothing on it.
    PageChanged {
        /// The address, in the form that [`Dump::url`](super::Dump::url) has.
        url: String,
    },
    /// The page waits for an answer to a dialog.
    DialogOpened {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
    },
}
