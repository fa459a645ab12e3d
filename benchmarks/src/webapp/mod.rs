//! `webapp`: tasks in which the agent builds a web app, checked by operating the app in a browser.
//!
//! The tasks are in a bundled file. The runner opens a task's documents and apps before an attempt,
//! and afterward runs the task's check in the app that the agent launched.

mod scorer;

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::dataset::{SampleMetadata, sample_metadata};
use crate::entry::Entry;
use crate::{
    AppEnvironment, Dataset, DatasetError, NamedScorer, OpenError, Options, Sample, Scorer,
};
use scorer::AppState;

pub(crate) const ENTRY: Entry = Entry {
    name: "webapp",
    summary: "web apps: build an app that passes a check in a real browser, with documents that only apps may read",
    scorer: AppState::NAME,
    source: "part of this program",
    size: "19",
    reads: &[],
    own_scorer: Some(NamedScorer {
        name: "app-state",
        summary: "the result of a task's check in the launched web app, instead of the answer",
        make: || Arc::new(AppState),
    }),
    ..Entry::generated(open)
};

/// Version of the samples, which is part of the digest. Increase it when a code change alters a
/// sample.
const FORMAT: &str = "webapp/1";

const SOURCE: &str = include_str!("tasks.yaml");

#[expect(
    clippy::expect_used,
    reason = "the file is bundled, and a test reads it"
)]
static TASKS: LazyLock<Vec<Task>> =
    LazyLock::new(|| serde_saphyr::from_str(SOURCE).expect("tasks.yaml is well-formed"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    id: String,
    family: String,
    query: String,
    #[serde(default)]
    documents: Map<String, Value>,
    #[serde(default)]
    active: Option<String>,
    #[serde(default)]
    running: Vec<String>,
    #[serde(default)]
    follow_ups: Vec<String>,
    #[serde(default)]
    first: Vec<String>,
    check: String,
    shows: Value,
}

struct WebApp {
    ids: Vec<String>,
    digest: String,
}

/// Opens `webapp`, which uses no options.
///
/// # Errors
///
/// Never returns an error; all benchmarks share this signature.
#[expect(
    clippy::unnecessary_wraps,
    reason = "all benchmarks share this signature"
)]
fn open(_options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let digest = Sha256::new().chain_update(format!("{FORMAT}\0{SOURCE}"));
    Ok(Box::new(WebApp {
        ids: TASKS
            .iter()
            .map(|task| format!("{}-{}", ENTRY.name, task.id))
            .collect(),
        digest: hex::encode(digest.finalize()),
    }))
}

impl Dataset for WebApp {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn metadata(&self, index: usize) -> SampleMetadata {
        let task = TASKS.get(index);
        sample_metadata(task.map(|task| ("family", json!(task.family))))
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let missing = || DatasetError::out_of_range(index, &self.ids);
        let task = TASKS.get(index).ok_or_else(missing)?;
        Ok(Sample {
            id: self.ids[index].clone(),
            query: task.query.trim().to_owned(),
            follow_ups: task.follow_ups.clone(),
            expected: json!({ "shows": task.shows, "first": task.first }),
            metadata: self.metadata(index),
            ..Sample::default()
        })
    }

    fn app_world(&self, id: &str) -> Option<AppEnvironment> {
        let index = self.ids.iter().position(|own| own == id)?;
        let task = TASKS.get(index)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let documents = task.documents.iter();
        Some(AppEnvironment {
            documents: documents
                .map(|(uri, held)| (uri.clone(), text(held)))
                .collect(),
            active: task.active.clone(),
            running: task.running.clone(),
            check: Some(task.check.clone()),
            checks: Vec::new(),
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(AppState)
    }
}
