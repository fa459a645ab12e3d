//! Events of an attempt's web environment, as recorded in trajectories.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::web::{ActionResult, Dump, Envelope, LoggedTurn};
use crate::{Image, Message};

/// An event of a web environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum WebEvent {
    /// The page was read for the next turn.
    Page {
        /// Time of reading, in UTC: `2026-01-31T12:00:00.123Z`. `None` in older trajectories.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        /// The page as text, with its elements by id and the time taken to read it.
        dump: Dump,
        /// Number of characters (code points) shown to the model.
        chars: u64,
        /// Number of UTF-8 bytes shown to the model.
        bytes: u64,
    },
    /// The page could not be read. The model was shown the reason instead.
    NoPage {
        /// Reason for the failure.
        problem: String,
    },
    /// Pages requested addresses outside the environment. The requests were blocked, and the next
    /// page lists the addresses for the agent.
    Refused {
        /// Blocked addresses, in order.
        addresses: Vec<String>,
    },
    /// A call to a page function from an agent's code ended.
    PageCall {
        /// Name of the function: `page.click`.
        function: String,
        /// Arguments as JSON, as the code passed them.
        arguments: String,
        /// Return value. The middle of a string with more than 100,000 characters is omitted, with
        /// a note; that of a dump, which has an event of its own, with more than 200. Earlier
        /// versions kept only the first 200 characters of all strings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Reason for the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Duration in milliseconds.
        ms: f64,
    },
    /// A screenshot of the page or of the newest app, taken for the trajectory.
    Screenshot {
        /// The screenshot.
        image: Image,
    },
    /// A response of the agent-turn protocol was parsed.
    Envelope {
        /// Parsed envelope; `None` if it was malformed.
        envelope: Option<Envelope>,
        /// Descriptions of the repaired mistakes, each of which counts as a protocol fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repairs: Vec<String>,
        /// Reason why the envelope was malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// The actions of an envelope were executed.
    ActionResults {
        /// Results of the actions, in order.
        results: Vec<ActionResult>,
    },
    /// The final state of a web agent's conversation.
    TurnLog {
        /// Messages of the last request and those that followed. The system prompt and images are
        /// omitted, because earlier events contain them.
        last_messages: Vec<Message>,
        /// The last page that was sent; it followed the messages of the last request.
        last_page: Option<Message>,
        /// The last 50 turns.
        turns: Vec<LoggedTurn>,
    },
    /// A response of the JSON action protocol was parsed.
    JsonAction {
        /// The chosen action: `answer`, `launch_app`, `list_apps` or `list_docs`; `None` if the
        /// response was malformed.
        action: Option<String>,
        /// Descriptions of the tolerated deviations, each of which counts as a protocol fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repairs: Vec<String>,
        /// Reason why the response was malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// An app requested a document. Its content is not recorded.
    DocumentRead {
        /// URI of the document, as the app wrote it.
        uri: String,
        /// Whether the document is open.
        found: bool,
        /// Number of characters returned to the app.
        chars: u64,
    },
    /// The final state of the environment, which determines the score.
    State {
        /// State as reported by the environment.
        state: Value,
    },
}
