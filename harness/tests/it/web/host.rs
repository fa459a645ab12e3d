//! Scripted host of apps. Each app makes a list of fetches. The host's state contains the results
//! of each app's fetches.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::model::Image;
use harness::model::web::{AppCall, AppHost, PageError, PageProblem};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Apps and documents of a case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostScript {
    documents: BTreeMap<String, String>,
    active: Option<String>,
    running: Vec<String>,
    /// Fetches of each launched app: `document URI` or `inference PROMPT`. `{last}` is replaced by
    /// the previous result.
    fetches: Vec<Vec<String>>,
}

pub struct FakeHost {
    script: HostScript,
    calls: UnboundedSender<AppCall>,
    launched: Mutex<usize>,
    apps: tokio::sync::Mutex<JoinSet<(usize, Vec<String>)>>,
}

impl FakeHost {
    pub fn new(script: HostScript, calls: UnboundedSender<AppCall>) -> Arc<Self> {
        Arc::new(Self {
            script,
            calls,
            launched: Mutex::default(),
            apps: tokio::sync::Mutex::default(),
        })
    }
}

#[async_trait]
impl AppHost for FakeHost {
    async fn launch(&self, _html: &str) -> Result<(), PageError> {
        let number = {
            let mut launched = self.launched.lock().unwrap();
            *launched += 1;
            *launched
        };
        let fetches = self.script.fetches.get(number - 1).cloned();
        let calls = self.calls.clone();
        self.apps
            .lock()
            .await
            .spawn(async move { (number, app(fetches.unwrap_or_default(), calls).await) });
        Ok(())
    }

    async fn running(&self) -> Result<Vec<String>, PageError> {
        let launched = *self.launched.lock().unwrap();
        let mut all = self.script.running.clone();
        all.extend((1..=launched).map(|number| format!("launched app {number}")));
        Ok(all)
    }

    fn documents(&self) -> Vec<String> {
        self.script.documents.keys().cloned().collect()
    }

    fn active_document(&self) -> Option<String> {
        self.script.active.clone()
    }

    fn document(&self, uri: &str) -> Option<String> {
        self.script.documents.get(uri).cloned()
    }

    async fn screenshot(&self) -> Result<Image, PageError> {
        Err(PageError::new(PageProblem::Inapplicable, "no picture"))
    }

    async fn state(&self, _answer: Option<&str>) -> Result<Option<Value>, PageError> {
        let mut ended = std::mem::take(&mut *self.apps.lock().await)
            .join_all()
            .await;
        ended.sort();
        let got: Vec<_> = ended.into_iter().map(|(_, got)| got).collect();
        Ok(Some(json!({ "got": got })))
    }
}

async fn app(fetches: Vec<String>, calls: UnboundedSender<AppCall>) -> Vec<String> {
    let mut got: Vec<String> = Vec::new();
    for fetch in fetches {
        let last = got.last().cloned().unwrap_or_default();
        let (what, body) = fetch.split_once(' ').unwrap();
        let (reply, replied) = oneshot::channel();
        let body = body.replace("{last}", &last);
        let call = if what == "document" {
            AppCall::Document { uri: body, reply }
        } else {
            AppCall::Inference {
                prompt: body,
                reply,
            }
        };
        calls.send(call).unwrap();
        got.push(replied.await.unwrap_or_else(|_| "fetch failed".to_owned()));
    }
    got
}
