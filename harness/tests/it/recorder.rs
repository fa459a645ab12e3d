//! Tasks, and a scripted model that records the requests and events of attempts.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::model::{AttemptOutcome, Event, EventSink};
use harness::provider::{CallSink, Provider, ProviderError, Request, Response, Scripted};
use harness::{Engine, Model, ModelMap, Task};

/// Returns a task without follow-ups and images.
pub fn task(query: &str, context: &str) -> Task {
    Task {
        run_id: "run".to_owned(),
        sample: "sample".to_owned(),
        attempt: 1,
        query: query.to_owned(),
        context: context.to_owned().into(),
        follow_ups: Vec::new(),
        images: Vec::new(),
    }
}

/// Scripted model that stores the requests it receives and the events of its attempts.
pub struct Recorder {
    model: Scripted,
    requests: Mutex<Vec<Request>>,
    events: Mutex<Vec<Event>>,
}

#[async_trait]
impl Provider for Recorder {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        self.requests.lock().unwrap().push(request.clone());
        self.model.complete(request, calls).await
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

impl Recorder {
    /// Reads the rules of the model from a file.
    pub fn of(file: &Path) -> Arc<Self> {
        Arc::new(Self {
            model: Scripted::from_file(file).unwrap(),
            requests: Mutex::default(),
            events: Mutex::default(),
        })
    }

    /// Returns this model for all agents.
    pub fn models(self: &Arc<Self>) -> ModelMap<Model> {
        ModelMap::new(Model {
            reference: "scripted:model".to_owned(),
            name: "model".to_owned(),
            sampling: Arc::default(),
            provider: Arc::clone(self) as Arc<dyn Provider>,
        })
    }

    /// Runs an attempt. Returns its outcome, requests and events.
    pub async fn run(
        self: &Arc<Self>,
        engine: &Engine,
        task: &Task,
    ) -> (AttemptOutcome, Vec<Request>, Vec<Event>) {
        let sink = Arc::clone(self) as Arc<dyn EventSink>;
        let outcome = engine.run(task, sink).await;
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        let events = std::mem::take(&mut *self.events.lock().unwrap());
        (outcome, requests, events)
    }
}
