//! Page functions in an agent's REPL, and the tabs that agents pass to their children.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use sandbox::HostFunctions;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Halt;
use crate::model::lenient_json;
use crate::model::web::{Action, Dump, DumpExtensions, DumpSettings, Page, PageError, PageProblem};
use crate::model::{EventKind, Image, WebEvent};
use crate::prompt::blocked_addresses;

/// Names of the page functions in a REPL.
const NAMES: [&str; 10] = [
    "page.dump",
    "page.text",
    "page.goto",
    "page.click",
    "page.fill",
    "page.select",
    "page.press",
    "page.scrollTo",
    "page.answerDialog",
    "page.open",
];

/// Page functions of one agent. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PageFunctions {
    page: Arc<dyn Page>,
    tabs: Arc<Tabs>,
    /// Additions to the dump format.
    also: DumpExtensions,
}

/// Creates the event for a page dump. `shown` is the text that the model reads.
pub(crate) fn seen(dump: Dump, shown: &str) -> EventKind {
    EventKind::Web {
        event: WebEvent::Page {
            at: Some(Timestamp::now().to_string()),
            chars: shown.chars().count() as u64,
            bytes: shown.len() as u64,
            dump,
        },
    }
}

/// Result of a page function.
pub(crate) struct PageResult {
    /// Value that the function returns.
    pub value: Value,
    /// Page dump to record, if the function created one.
    pub dump: Option<Dump>,
    /// Blocked addresses that pages requested, to record. `value` also lists them.
    pub refused: Vec<String>,
}

/// Named tabs of an attempt. Any agent of the attempt may pass them to a child.
#[derive(Default)]
pub(crate) struct Tabs {
    named: Mutex<BTreeMap<String, Arc<dyn Page>>>,
    /// Failure of the browser, as opposed to a problem of a page.
    broken: Halt<PageError>,
}

/// Arguments of all page functions; each function uses some of them.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Arguments {
    url: Option<String>,
    selector: Option<Selector>,
    value: Option<String>,
    key: Option<String>,
    accept: Option<bool>,
    text: Option<String>,
    max_chars: Option<usize>,
}

/// Selector of an element. Many models write an id as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Selector {
    Number(u64),
    Text(String),
}

impl PageFunctions {
    /// Creates the root's functions, for the page on which the task begins.
    pub(crate) fn of_root(page: Arc<dyn Page>, also: DumpExtensions) -> Self {
        Self {
            page,
            tabs: Arc::default(),
            also,
        }
    }

    /// Creates the functions for a child that receives the tab `name`.
    ///
    /// # Errors
    /// Returns a message for the calling agent that lists the existing tabs.
    pub(crate) fn tab_for_child(&self, name: &str) -> Result<Self, String> {
        let named = self.tabs.named.lock();
        let page = named.get(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = named.keys().map(String::as_str).collect();
            let known = match names.as_slice() {
                [] => "page.open() opens one".to_owned(),
                names => format!("open ones are {}", names.join(", ")),
            };
            format!("rlm(): there is no tab {name:?}; {known}")
        })?;
        Ok(Self {
            page,
            tabs: Arc::clone(&self.tabs),
            also: self.also,
        })
    }

    /// Returns the functions to add to an agent's REPL; none if the agent has no page.
    pub(crate) fn functions(page: Option<&Self>) -> HostFunctions {
        let names = page.map(|_| NAMES.into_iter().map(str::to_owned));
        // Cannot fail, because the names are constant and valid.
        let functions = names.and_then(|names| HostFunctions::new(names).ok());
        functions.unwrap_or_default()
    }

    /// Calls a page function. `arguments` is a JSON object.
    ///
    /// # Errors
    /// Returns a message for the calling agent.
    pub(crate) async fn call(&self, name: &str, arguments: &str) -> Result<PageResult, String> {
        let arguments = lenient_json::from_str(arguments)
            .map_err(|error| format!("{name}(): wrong arguments: {error}"))?;
        let result = self.run(name, arguments).await;
        result.map_err(|error| {
            let message = format!("{name}(): {error}");
            if error.problem == PageProblem::Broken {
                self.tabs.broken.raise(error);
            }
            message
        })
    }

    /// Notifies the page that a user message has been answered.
    ///
    /// # Errors
    /// Returns the errors of the page.
    pub(crate) async fn answered(&self, answer: &str) -> Result<(), PageError> {
        self.page.answered(answer).await
    }

    /// Returns a screenshot of the agent's page.
    ///
    /// # Errors
    /// Returns the errors of the page.
    pub(crate) async fn screenshot(&self) -> Result<Image, PageError> {
        self.page.screenshot().await
    }

    /// Waits until the browser fails. The failure ends the attempt, because a model cannot fix it.
    pub(crate) async fn broken(&self) -> PageError {
        self.tabs.broken.raised().await
    }

    async fn run(&self, name: &str, arguments: Arguments) -> Result<PageResult, PageError> {
        let selector = arguments.selector.map(|selector| match selector {
            Selector::Number(id) => id.to_string(),
            Selector::Text(text) => text,
        });
        let action = match name {
            "page.dump" => {
                let dump = self.dump(arguments.max_chars).await?;
                return Ok(dump.with_refused(self.page.drain_blocked_requests()));
            }
            "page.text" => {
                let text = PageResult::value(self.page.text().await?);
                return Ok(text.with_refused(self.page.drain_blocked_requests()));
            }
            "page.open" => return self.open(arguments.url).await.map(PageResult::value),
            "page.goto" => Action::Navigate {
                url: require_argument("url", arguments.url)?,
            },
            "page.click" => Action::Click {
                selector: require_argument("selector", selector)?,
            },
            "page.fill" => Action::FillInput {
                selector: require_argument("selector", selector)?,
                value: require_argument("value", arguments.value)?,
            },
            "page.select" => Action::Select {
                selector: require_argument("selector", selector)?,
                value: require_argument("value", arguments.value)?,
            },
            "page.press" => Action::Press {
                selector,
                key: require_argument("key", arguments.key)?,
            },
            "page.scrollTo" => Action::ScrollTo {
                selector: require_argument("selector", selector)?,
            },
            "page.answerDialog" => Action::AnswerDialog {
                accept: require_argument("accept", arguments.accept)?,
                text: arguments.text,
            },
            _ => {
                let message = "there is no such function".to_owned();
                return Err(PageError::new(PageProblem::Malformed, message));
            }
        };
        Ok(PageResult::value(json!(self.page.act(&action).await?)))
    }

    async fn dump(&self, max_chars: Option<usize>) -> Result<PageResult, PageError> {
        let mut settings = DumpSettings {
            also: self.also,
            ..DumpSettings::default()
        };
        settings.max_chars = max_chars.unwrap_or(settings.max_chars);
        let dump = self.page.dump(&settings).await?;
        Ok(PageResult {
            value: dump.text().into(),
            dump: Some(dump),
            refused: Vec::new(),
        })
    }

    async fn open(&self, url: Option<String>) -> Result<String, PageError> {
        let tab = self.page.new_tab().await?;
        if let Some(url) = url {
            tab.act(&Action::Navigate { url }).await?;
        }
        let mut named = self.tabs.named.lock();
        let name = format!("tab-{}", named.len() + 1);
        named.insert(name.clone(), tab);
        Ok(name)
    }
}

impl PageResult {
    fn value(value: impl Into<Value>) -> Self {
        Self {
            value: value.into(),
            dump: None,
            refused: Vec::new(),
        }
    }

    /// Appends the blocked addresses to the value if it is a string.
    fn with_refused(mut self, refused: Vec<String>) -> Self {
        if let Value::String(text) = &mut self.value
            && !refused.is_empty()
        {
            *text = format!("{text}\n\n{}", blocked_addresses(&refused));
            self.refused = refused;
        }
        self
    }
}

fn require_argument<T>(name: &str, value: Option<T>) -> Result<T, PageError> {
    value.ok_or_else(|| {
        let message = format!("the argument `{name}` is missing");
        PageError::new(PageProblem::Malformed, message)
    })
}
