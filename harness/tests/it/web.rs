//! Attempts in web environments with scripted models, one for each file `web/cases/*.case.yaml`.
//! Snapshots contain the requests and outcomes.

mod host;
mod page;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use harness::agent_turn::AgentTurnSettings;
use harness::hook::HookRegistry;
use harness::model::web::{AppCall, AppHost, Browser, Page, PageError};
use harness::model::{Event, EventKind, Image, Message, Role};
use harness::prompt::{PromptOverrides, Replacement};
use harness::provider::Request;
use harness::settings::IterationSettings;
use harness::{Budget, Conduct, Engine, Protocol, Task, ToolChoice, Treatment};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use crate::recorder::{Recorder, task};
use host::{FakeHost, HostScript};
use page::{FakePage, PageScript};

/// A case: task, environment and settings. The rules of its scripted model are in
/// `<case>.model.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    query: String,
    /// Further messages of the user.
    #[serde(default)]
    follow_ups: Vec<String>,
    protocol: Protocol,
    #[serde(default = "ten")]
    max_iterations: u32,
    #[serde(default)]
    calls: Option<u64>,
    #[serde(default)]
    host: HostScript,
    #[serde(default)]
    page: PageScript,
    #[serde(default)]
    agent: AgentTurnSettings,
    /// Bundled hooks for all agents.
    #[serde(default)]
    hooks: Vec<String>,
    /// Replacement of the root's whole prompt. Its requests must have this prompt.
    #[serde(default)]
    system_prompt: Option<String>,
    #[serde(default)]
    screenshots: bool,
    /// Number of images attached by the user.
    #[serde(default)]
    images: usize,
    /// Texts that requests of apps must contain, and requests of the root must not contain.
    #[serde(default)]
    canaries: Vec<String>,
}

fn ten() -> u32 {
    10
}

#[test]
fn web_attempts_match_snapshots() {
    insta::glob!("web/cases/*.case.yaml", |path| {
        let case: Case = harness::yaml::read(&std::fs::read_to_string(path).unwrap()).unwrap();
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
        Ok(FakePage::new(self.0.page.clone()))
    }

    async fn open_apps(
        &self,
        _task: &Task,
        calls: UnboundedSender<AppCall>,
    ) -> Result<Arc<dyn AppHost>, PageError> {
        Ok(FakeHost::new(self.0.host.clone(), calls))
    }
}

async fn run(case: Case, model: &Path) -> String {
    let recorder = Recorder::of(model);
    let models = recorder.models();
    let picture = Image {
        media_type: "image/png".to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
    };
    let treatment = Treatment {
        protocol: case.protocol,
        iterations: IterationSettings {
            max_iterations: case.max_iterations,
            ..IterationSettings::default()
        },
        attempt_budget: Budget {
            calls: case.calls,
            ..Budget::default()
        },
        web: case.agent.clone(),
        overrides: PromptOverrides {
            replacement: case.system_prompt.clone().map(Replacement::Whole),
            ..PromptOverrides::default()
        },
        hooks: HookRegistry::bundled().resolve(&case.hooks).unwrap(),
        ..Treatment::default()
    };
    let conduct = Conduct {
        screenshots: case.screenshots,
        ..Conduct::default()
    };
    let task = Task {
        follow_ups: case.follow_ups.clone(),
        images: vec![picture; case.images],
        ..task(&case.query, "")
    };
    let canaries = case.canaries.clone();
    let system_prompt = case.system_prompt.clone();
    let engine = Engine::new(treatment, conduct, models, |_| ())
        .unwrap()
        .with_browser(Arc::new(World(case)));
    let (outcome, requests, events) = recorder.run(&engine, &task).await;
    check_canaries(&canaries, &requests);
    check_web_turns(&requests);
    for (request, system) in requests.iter().zip(system_prompt.iter().cycle()) {
        assert_eq!(request.system, *system);
    }
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

/// Checks that canaries, which are content of documents, are sent only to apps.
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
        assert!(reached_app, "{canary} did not reach any app");
    }
}

/// Checks a web agent's requests: the system prompt is constant, the only tool is `agent_turn`, the
/// history grows unless it was shortened, and only the last message contains a page.
fn check_web_turns(requests: &[Request]) {
    let turns: Vec<&Request> = requests
        .iter()
        .filter(|request| request.caller.role == Role::Root(Protocol::AgentTurn))
        .collect();
    for request in &turns {
        let specs = request.tools.specs.iter();
        let names: Vec<&str> = specs.map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["agent_turn"]);
        let forced = ToolChoice::Forced("agent_turn".to_owned());
        assert_eq!(request.tools.choice, forced);
        let (last, history) = request.messages.split_last().unwrap();
        assert!(last.content.starts_with("# Current page\n- URL: "));
        let is_page = |message: &Arc<Message>| message.all_text().contains("# Page DOM");
        assert!(!history.iter().any(is_page));
    }
    for pair in turns.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(before.system, after.system);
        let history = &before.messages[..before.messages.len() - 1];
        let grows = after.messages.starts_with(history);
        let trimmed = after.messages.len() <= before.messages.len();
        assert!(grows || trimmed && after.messages[0] == history[0]);
    }
}

/// Formats an event, or returns `None` for kinds that snapshots omit. Messages are shown as sent,
/// but without the system prompt.
fn line(event: &Event) -> Option<String> {
    let text = match &event.kind {
        EventKind::LlmRequest { new_messages, .. } => new_messages
            .iter()
            .map(|message| {
                let images = "[image] ".repeat(message.images.len());
                let text = without_system(&message.all_text());
                format!("{:?} {images}{text}", message.role)
            })
            .collect::<Vec<_>>()
            .join("\n"),
        EventKind::LlmResponse {
            text, tool_calls, ..
        } => {
            let calls = tool_calls.iter();
            let calls: Vec<_> = calls
                .map(|call| format!("{}({})", call.name, call.arguments))
                .collect();
            format!("says {text}{}", calls.join(", "))
        }
        EventKind::Web { event } => {
            let mut event = serde_json::to_value(event).unwrap();
            // The time is from the system clock.
            if let Some(at) = event.get_mut("at") {
                assert!(at.as_str().unwrap().ends_with('Z'), "{at}");
                *at = "TIME".into();
            }
            if event["what"] == "page_call" {
                assert!(event["ms"].take().as_f64().unwrap() >= 0.0);
            }
            event.to_string()
        }
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

/// Formats a request of the JSON action protocol on one line, with a placeholder for its system
/// prompt.
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
