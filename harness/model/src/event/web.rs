//! What happens in an attempt's world on the web, as its trajectory holds it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::web::{ActionResult, Dump, Envelope, LoggedTurn};
use crate::{Image, Message};

/// Something that happened in a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum WebEvent {
    /// The page was read for the next turn.
    Page {
        /// When, in UTC: `2026-01-31T12:00:00.123Z`. Older programs did not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        /// The page, with what its ids stand for and the time that it took.
        dump: Dump,
        /// Characters (code points) of what the model was shown of it.
        chars: u64,
        /// Bytes of that in UTF-8.
        bytes: u64,
    },
    /// The page could not be read, and the model was shown why.
    NoPage {
        /// Why.
        problem: String,
    },
    /// Pages asked for addresses that are out of reach, and got nothing. The agent is told with what it sees next.
    Refused {
        /// The addresses, in their order.
        addresses: Vec<String>,
    },
    /// The code of an agent called a function of its page, which has come to its end.
    PageCall {
        /// The function: `page.click`.
        function: String,
        /// Its arguments, as the code gave them: JSON.
        arguments: String,
        /// What it gave; of a text its beginning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// What it took, in milliseconds.
        ms: f64,
    },
    /// A picture of the page, or of the newest app, taken for the trajectory.
    Screenshot {
        /// The picture.
        image: Image,
    },
    /// A response of the agent-turn protocol was read.
    Envelope {
        /// What it says; none where it was malformed.
        envelope: Option<Envelope>,
        /// What had to be put right, one protocol fault each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repairs: Vec<String>,
        /// What made it malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// The actions of an envelope were walked.
    ActionResults {
        /// What came of each, in order.
        results: Vec<ActionResult>,
    },
    /// What a web agent's conversation was at its end.
    TurnLog {
        /// The messages that were sent last, and what followed them; the system prompt stands where the agent began, and pictures
        /// where they were sent.
        last_messages: Vec<Message>,
        /// The page as it was sent last, after those messages but for what followed.
        last_page: Option<Message>,
        /// The last fifty turns.
        turns: Vec<LoggedTurn>,
    },
    /// A response of the JSON action protocol was read.
    JsonAction {
        /// The action that was chosen: `answer`, `launch_app`, `list_apps`, `list_docs`; none where the response was malformed.
        action: Option<String>,
        /// What had to be overlooked, one protocol fault each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repairs: Vec<String>,
        /// What made it malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// An app asked for a document. What it held is not recorded.
    DocumentRead {
        /// The document, as the app named it.
        uri: String,
        /// Whether it is open.
        found: bool,
        /// Characters that the app was given.
        chars: u64,
    },
    /// The state by which the attempt is judged.
    State {
        /// As its environment reports it.
        state: Value,
    },
}
