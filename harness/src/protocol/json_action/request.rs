//! The request of the JSON action protocol: one JSON object, whose optional fields are the lists
//! that the model requested.

use serde::Serialize;

use super::response::List;
use crate::agent::Failure;
use crate::model::MessageRole;
use crate::model::web::AppHost;
use crate::prompt::sections::{
    JSON_ACTION_APPS_ENTRY, JSON_ACTION_APPS_NOTE, JSON_ACTION_DOCS_ENTRY, JSON_ACTION_DOCS_NOTE,
    JSON_ACTION_MALFORMED, JSON_ACTION_REPEATED,
};

/// Request that the model reads, with fields in the order of the protocol: stable fields come
/// first.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    system: &'a str,
    history: Vec<ChatEntry>,
    latest_user: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    apps: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apps_note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_documents: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs_note: Option<String>,
}

/// A list that the model requested, with its content at that time.
#[derive(Debug)]
pub(super) struct RequestedList {
    items: Items,
    /// For a repeated request: number of requests since the user's last message, and number of
    /// remaining requests.
    repeated: Option<(u32, u32)>,
}

#[derive(Debug)]
enum Items {
    Apps(Vec<String>),
    Docs {
        /// URIs of the open documents.
        open: Vec<String>,
        active: Option<String>,
    },
}

impl RequestedList {
    /// Creates the list from the current state of the host.
    ///
    /// # Errors
    /// Returns the error of the apps' host.
    pub async fn new(
        list: List,
        repeated: Option<(u32, u32)>,
        host: &dyn AppHost,
    ) -> Result<Self, Failure> {
        let items = match list {
            List::Apps => Items::Apps(host.running().await?),
            List::Docs => Items::Docs {
                open: host.documents(),
                active: host.active_document(),
            },
        };
        Ok(Self { items, repeated })
    }

    pub fn list(&self) -> List {
        match self.items {
            Items::Apps(_) => List::Apps,
            Items::Docs { .. } => List::Docs,
        }
    }

    /// Appends the numbers of requests to the note next to the list if it was requested repeatedly.
    fn note(&self, note: String) -> String {
        match self.repeated {
            None => note,
            Some((count, left)) => {
                let more = JSON_ACTION_REPEATED.render([&count.to_string(), &left.to_string()]);
                format!("{note} {more}")
            }
        }
    }
}

/// A message of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChatEntry {
    role: MessageRole,
    content: String,
}

impl ChatEntry {
    /// Creates a message of the user, or of the harness with the user's role.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: MessageRole::User,
            content: content.into(),
        }
    }

    /// Creates a message of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: MessageRole::Assistant,
            content: content.into(),
        }
    }
}

impl<'a> ChatRequest<'a> {
    /// Creates a request without lists.
    pub fn new(system: &'a str, history: &[ChatEntry], latest_user: &'a str) -> Self {
        Self {
            system,
            history: history.to_vec(),
            latest_user,
            apps: None,
            apps_note: None,
            open_documents: None,
            active_document: None,
            docs_note: None,
        }
    }

    /// Adds a list, its note, and a history entry about the model's request. Documents are listed
    /// without their content.
    pub fn with_list(mut self, listed: &RequestedList) -> Self {
        let entry = match &listed.items {
            Items::Apps(apps) => {
                self.apps = Some(apps.clone());
                self.apps_note = Some(listed.note(JSON_ACTION_APPS_NOTE.render([])));
                JSON_ACTION_APPS_ENTRY.render([])
            }
            Items::Docs { open, active } => {
                self.open_documents = Some(open.clone());
                self.active_document.clone_from(active);
                self.docs_note = Some(listed.note(JSON_ACTION_DOCS_NOTE.render([])));
                JSON_ACTION_DOCS_ENTRY.render([])
            }
        };
        self.history.push(ChatEntry::assistant(entry));
        self
    }

    /// Adds a history entry about the problem with the last response. Later requests do not contain
    /// it.
    pub fn with_problem(mut self, problem: &str) -> Self {
        let entry = JSON_ACTION_MALFORMED.render([problem]);
        self.history.push(ChatEntry::user(entry));
        self
    }

    /// Returns the JSON text of the request.
    ///
    /// # Errors
    /// Never fails in practice, because all values are strings.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}

/// Number of requests for each list since the user's last message.
#[derive(Debug, Default)]
pub(super) struct ListRequestCounts {
    apps: u32,
    docs: u32,
}

/// Maximum requests for the same list between two messages of the user.
pub(super) const MOST_REQUESTS: u32 = 3;

impl ListRequestCounts {
    /// Counts a request. For a repeated one, returns the number of requests so far and the number
    /// left.
    ///
    /// # Errors
    /// Returns a message if there have already been [`MOST_REQUESTS`].
    pub fn count_request(&mut self, list: List) -> Result<Option<(u32, u32)>, String> {
        let count = match list {
            List::Apps => &mut self.apps,
            List::Docs => &mut self.docs,
        };
        if *count == MOST_REQUESTS {
            return Err(format!(
                "the model asked for the same list more than {MOST_REQUESTS} times for one message"
            ));
        }
        *count += 1;
        Ok((*count > 1).then(|| (*count, MOST_REQUESTS - *count)))
    }
}
