//! Scripted pages: the dump of each address and the effects of actions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::model::Image;
use harness::model::web::{Action, ActionEffect, Dump, DumpSettings, Page, PageError, PageProblem};
use serde::Deserialize;
use serde_json::{Value, json};

/// Pages of a case, by address.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageScript {
    start: String,
    pages: BTreeMap<String, OnePage>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OnePage {
    tree: String,
    /// Effects of actions such as `click 5` or `fill_input 5 text`; other actions fail with an
    /// unknown id. The key of a script is `run` followed by its text; a script without an entry has
    /// no effect.
    does: BTreeMap<String, Effect>,
    /// Blocked addresses that the page requests each time it is read.
    refused: Vec<String>,
    /// Problem with which reading the page fails.
    unreadable: Option<PageProblem>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Effect {
    Nothing,
    Goto(String),
    Dialog(String),
    Problem(PageProblem),
}

pub struct FakePage {
    script: PageScript,
    at: Mutex<String>,
    done: Mutex<Vec<String>>,
}

impl FakePage {
    pub fn new(script: PageScript) -> Arc<Self> {
        Arc::new(Self {
            at: Mutex::new(script.start.clone()),
            done: Mutex::default(),
            script,
        })
    }

    fn here(&self) -> OnePage {
        let at = self.at.lock().unwrap().clone();
        self.script.pages.get(&at).cloned().unwrap_or_default()
    }

    fn follow(&self, key: String, effect: Option<Effect>) -> Result<ActionEffect, PageError> {
        let acted = match effect {
            Some(Effect::Nothing) => ActionEffect::SamePage,
            Some(Effect::Goto(url)) => {
                self.at.lock().unwrap().clone_from(&url);
                ActionEffect::PageChanged { url }
            }
            Some(Effect::Dialog(message)) => ActionEffect::DialogOpened {
                kind: "confirm".to_owned(),
                message,
            },
            Some(Effect::Problem(problem)) => {
                return Err(PageError::new(
                    problem,
                    format!("{key}: {}", problem.as_str()),
                ));
            }
            None => {
                return Err(PageError::new(
                    PageProblem::UnknownId,
                    format!("{key}: no dump has shown it"),
                ));
            }
        };
        self.done.lock().unwrap().push(key);
        Ok(acted)
    }
}

fn key(action: &Action) -> String {
    match action {
        Action::Navigate { url } => format!("navigate {url}"),
        Action::Click { selector } => format!("click {selector}"),
        Action::ScrollTo { selector } => format!("scroll_to {selector}"),
        Action::Border { selector } => format!("border {}", selector.as_deref().unwrap_or("-")),
        Action::FillInput { selector, value } => format!("fill_input {selector} {value}"),
        Action::Select { selector, value } => format!("select {selector} {value}"),
        Action::Press { selector, key } => {
            format!("press {} {key}", selector.as_deref().unwrap_or("-"))
        }
        Action::AnswerDialog { accept, .. } => format!("answer_dialog {accept}"),
    }
}

#[async_trait]
impl Page for FakePage {
    async fn dump(&self, settings: &DumpSettings) -> Result<Dump, PageError> {
        let here = self.here();
        if let Some(problem) = here.unreadable {
            return Err(PageError::new(
                problem,
                format!("no dump: {}", problem.as_str()),
            ));
        }
        Ok(Dump {
            url: self.at.lock().unwrap().clone(),
            title: "a title".to_owned(),
            viewport: [0, 900, 100],
            tree: here.tree.chars().take(settings.max_chars).collect(),
            elements: Vec::new(),
            truncated: false,
            millis: 1.0,
        })
    }

    async fn act(&self, action: &Action) -> Result<ActionEffect, PageError> {
        let key = key(action);
        let effect = self.here().does.get(&key).cloned();
        self.follow(key, effect)
    }

    async fn text(&self) -> Result<String, PageError> {
        Ok(self.here().tree)
    }

    async fn run_script(&self, script: &str) -> Result<(ActionEffect, Option<Value>), PageError> {
        let key = format!("run {script}");
        let effect = self.here().does.get(&key).cloned();
        let acted = self.follow(key, effect.or(Some(Effect::Nothing)))?;
        // A script that a dialog interrupts has no result.
        let ended = !matches!(acted, ActionEffect::DialogOpened { .. });
        Ok((acted, ended.then(|| json!({ "ran": script.len() }))))
    }

    async fn screenshot(&self) -> Result<Image, PageError> {
        Ok(Image {
            media_type: "image/png".to_owned(),
            data: "iVBORw0KGgo=".to_owned(),
        })
    }

    async fn new_tab(&self) -> Result<Arc<dyn Page>, PageError> {
        Ok(Self::new(self.script.clone()))
    }

    fn drain_blocked_requests(&self) -> Vec<String> {
        let at = self.at.lock().unwrap().clone();
        let pages = self.script.pages.get(&at);
        pages.map(|page| page.refused.clone()).unwrap_or_default()
    }

    async fn answered(&self, answer: &str) -> Result<(), PageError> {
        self.done.lock().unwrap().push(format!("answered {answer}"));
        Ok(())
    }

    async fn state(&self, _answer: Option<&str>) -> Result<Option<Value>, PageError> {
        let (url, done) = (self.at.lock().unwrap(), self.done.lock().unwrap());
        Ok(Some(json!({ "url": *url, "done": *done })))
    }
}
