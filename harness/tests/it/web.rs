//! Attempts in worlds on the web, with scripted models: a case is a file, what was sent and what came of it a snapshot.

mod host;

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::event::{Event, EventKind, EventSink, Role};
use harness::prompt::PromptMode;
use harness::provider::{CallSink, Provider, ProviderError, Request, Response, Scripted};
use harness::web::{AppCall, AppHost, Browser, Page, PageError, PageProblem};
use harness::{Budget, Budgets, Engine, EngineConfig, Model, Models, Protocol, Task, sandbox};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use host::{FakeHost, HostScript};

/// A case. The model's rules stand beside it in `<case>.model.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    query: String,
    protocol: Protocol,
    #[serde(default = "ten")]
    max_iterations: u32,
    #[serde(default)]
    calls: Option<u64>,
    #[serde(default)]
    host: HostScript,
    /// Texts that no request of the root may hold, and that some request of an app must.
    #[serde(default)]
    canaries: Vec<String>,
}

fn ten() -> u32 {
    10
}

#[test]
fn worlds_go_as_recorded() {
    insta::glob!("web/cases/*.case.yaml", |path| {
        let case: Case = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let model = path.with_extension("").with_extension("model.yaml");
        let report = tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(run(case, &model));
        insta::with_settings!({ snapshot_path => "web/snapshots", omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(report);
        });
    });
}

struct World(Case);

#[async_trait]
impl Browser for World {
    async fn open(&self, _task: &Task) -> Result<Arc<dyn Page>, PageError> {
        Err(PageError::new(PageProblem::Broken, "this case has no page"))
    }

    async fn open_apps(
        &self,
        _task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError> {
        Ok(FakeHost::new(self.0.host.clone(), calls))
    }
}

/// A model that keeps what it was asked.
struct Kept {
    model: Scripted,
    requests: Mutex<Vec<Request>>,
}

#[async_trait]
impl Provider for Kept {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        self.requests.lock().unwrap().push(request.clone());
        self.model.complete(request, calls).await
    }
}

#[derive(Default)]
struct Collected(Mutex<Vec<Event>>);

impl EventSink for Collected {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

async fn run(case: Case, model: &Path) -> String {
    let kept = Arc::new(Kept {
        model: Scripted::from_file(model).unwrap(),
        requests: Mutex::default(),
    });
    let models = Models {
        main: Model {
            reference: "scripted:model".to_owned(),
            sampling: Arc::default(),
            name: "model".to_owned(),
            provider: Arc::clone(&kept) as Arc<dyn Provider>,
        },
        aliases: Vec::new(),
    };
    let config = EngineConfig {
        protocol: case.protocol,
        prompt_mode: PromptMode::Solver,
        drivers: Vec::new(),
        max_depth: 2,
        max_iterations: case.max_iterations,
        max_blocks_per_iteration: 1,
        confirm_first_return: false,
        sandbox: sandbox::Config::default(),
        isolation: sandbox::Isolation::Thread,
        attempt_time: std::time::Duration::from_mins(1),
        budgets: Budgets {
            attempt: Budget {
                calls: case.calls,
                ..Budget::default()
            },
            ..Budgets::default()
        },
    };
    let task = Task {
        run_id: "run".to_owned(),
        sample: "sample".to_owned(),
        attempt: 1,
        query: case.query.clone(),
        context: "".into(),
    };
    let canaries = case.canaries.clone();
    let engine = Engine::new(config, models, |_| ())
        .unwrap()
        .with_browser(Arc::new(World(case)));
    let sink = Arc::new(Collected::default());
    let outcome = engine
        .run(&task, Arc::clone(&sink) as Arc<dyn EventSink>)
        .await;
    let events = std::mem::take(&mut *sink.0.lock().unwrap());
    let requests = std::mem::take(&mut *kept.requests.lock().unwrap());
    check_canaries(&canaries, &requests);
    let mut report: Vec<String> = events.iter().filter_map(line).collect();
    report.push(format!(
        "status {} answer {:?} error {:?}\niterations {} agents {} calls {} faults {}\nstate {}",
        outcome.status,
        outcome.answer,
        outcome.error,
        outcome.stats.iterations,
        outcome.stats.agents,
        outcome.stats.llm_calls,
        outcome.stats.protocol_faults,
        outcome
            .state
            .map_or_else(|| "none".to_owned(), |state| state.to_string()),
    ));
    report.join("\n")
}

/// What a document holds goes to apps alone.
fn check_canaries(canaries: &[String], requests: &[Request]) {
    for canary in canaries {
        let holds = |request: &Request| {
            let in_messages = request
                .messages
                .iter()
                .any(|message| message.content.contains(canary));
            in_messages || request.system.contains(canary)
        };
        let mut reached_app = false;
        for request in requests {
            match request.caller.role {
                Role::App => reached_app |= holds(request),
                _ => assert!(!holds(request), "{canary} reached the main agent"),
            }
        }
        assert!(reached_app, "{canary} reached no app");
    }
}

/// An event in short: messages as they were sent, without the system prompt.
fn line(event: &Event) -> Option<String> {
    let text = match &event.kind {
        EventKind::LlmRequest { new_messages, .. } => new_messages
            .iter()
            .map(|message| format!("{:?} {}", message.role, without_system(&message.content)))
            .collect::<Vec<_>>()
            .join("\n"),
        EventKind::LlmResponse { text, .. } => format!("says {text}"),
        EventKind::Web { event } => serde_json::to_string(event).unwrap(),
        EventKind::IterationStart { iteration } => format!("iteration {iteration}"),
        EventKind::InvocationStart {
            role,
            system_prompt,
            ..
        } => {
            let chars = system_prompt.as_deref().unwrap_or_default().chars().count();
            format!(
                "starts as {role} with {}",
                if chars == 0 {
                    "no system prompt"
                } else {
                    "a system prompt"
                }
            )
        }
        EventKind::InvocationEnd { status, error, .. } => {
            format!("ends {status} {}", error.as_deref().unwrap_or_default())
        }
        EventKind::LlmError { error, .. } => format!("error {error}"),
        _ => return None,
    };
    Some(format!("{} {text}", event.invocation))
}

/// A request of the JSON action protocol on one line, its system prompt told by its place alone.
fn without_system(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut object)) if object.contains_key("latest_user") => {
            assert_eq!(object.keys().next().map(String::as_str), Some("system"));
            object.insert("system".to_owned(), "…".into());
            Value::Object(object).to_string()
        }
        _ => text.to_owned(),
    }
}
