//! The request of the JSON action protocol: one JSON object, whose optional fields are there when they were asked for.

use serde::Serialize;

use super::response::List;
use crate::agent::Failure;
use crate::model::web::AppHost;
use crate::prompt::json_action::{apps_entry, apps_note, docs_entry, docs_note, malformed_entry};

/// What the model reads. The order of fields is that of the protocol, and puts first what stays the same.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    system: &'a str,
    history: Vec<Entry>,
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

/// A list that the model asked for, as it was then.
#[derive(Debug)]
pub(super) struct Listed {
    items: Items,
    /// How often it was asked for since the user's last message, and how often it still may be, if not for the first time.
    repeated: Option<(u32, u32)>,
}

#[derive(Debug)]
enum Items {
    Apps(Vec<String>),
    Docs {
        /// The URIs of the open documents.
        open: Vec<String>,
        active: Option<String>,
    },
}

impl Listed {
    /// Makes the list.
    ///
    /// # Errors
    /// The apps cannot be reached.
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

    /// Which of the lists it is.
    pub fn list(&self) -> List {
        match self.items {
            Items::Apps(_) => List::Apps,
            Items::Docs { .. } => List::Docs,
        }
    }
}

/// One message of the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    role: Speaker,
    content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Speaker {
    User,
    Assistant,
}

impl Entry {
    /// What the user, or the harness in the user's place, said.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Speaker::User,
            content: content.into(),
        }
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: Speaker::Assistant,
            content: content.into(),
        }
    }
}

impl<'a> ChatRequest<'a> {
    /// A request without any list.
    pub fn new(system: &'a str, history: &[Entry], latest_user: &'a str) -> Self {
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

    /// Adds a list, its note, and the entry of the history that says that it was asked for. No text of a document is ever part
    /// of a request.
    pub fn with_list(mut self, listed: &Listed) -> Self {
        match &listed.items {
            Items::Apps(apps) => {
                self.history.push(Entry::assistant(apps_entry()));
                self.apps = Some(apps.clone());
                self.apps_note = Some(apps_note(listed.repeated));
            }
            Items::Docs { open, active } => {
                self.history.push(Entry::assistant(docs_entry()));
                self.open_documents = Some(open.clone());
                self.active_document.clone_from(active);
                self.docs_note = Some(docs_note(listed.repeated));
            }
        }
        self
    }

    /// Adds an entry that says what was wrong with the last response, for this request alone.
    pub fn with_problem(mut self, problem: &str) -> Self {
        self.history.push(Entry::user(malformed_entry(problem)));
        self
    }

    /// The object as it is sent.
    ///
    /// # Errors
    /// None in practice: every field is text.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}

/// How often each list was asked for since the user's last message.
#[derive(Debug, Default)]
pub(super) struct Asked {
    apps: u32,
    docs: u32,
}

/// How often each list may be asked for between two messages of the user.
pub(super) const MOST_REQUESTS: u32 = 3;

impl Asked {
    /// Counts a request: what its note says besides, if it is not the first of its kind.
    ///
    /// # Errors
    /// There were [`MOST_REQUESTS`] already.
    pub fn again(&mut self, list: List) -> Result<Option<(u32, u32)>, String> {
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
