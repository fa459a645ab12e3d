//! Complete attempts with scripted models, one for each file `cases/*.case.yaml`. Snapshots contain
//! the events and outcomes.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::hook::HookRegistry;
use harness::model::{Event, EventKind, EventSink, Stats};
use harness::prompt::AnswerSchema;
use harness::prompt::definition::ToolStrategy;
use harness::provider::{CallSink, Forecast, Provider, ProviderError, Request, Response, Scripted};
use harness::settings::{
    Compact, CompactionSettings, CompactionSize, IterationSettings, PromptMode, PromptSettings,
    ProtocolSettings, Seconds,
};
use harness::{
    AgentSettings, Budget, Compaction, Conduct, Engine, Model, ModelMap, ModelSlot, Protocol,
    Treatment,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::recorder::task;

/// A case: task and settings. The rules of its scripted model are in `<case>.model.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the file of a case names each"
)]
struct Case {
    query: String,
    context: String,
    mode: PromptMode,
    protocol: Protocol,
    max_depth: u32,
    max_iterations: u32,
    max_blocks: u32,
    confirm_first_return: bool,
    settings: ProtocolSettings,
    cell_time_ms: u64,
    attempt_time_ms: u64,
    aliases: Vec<String>,
    child_model: Option<String>,
    llm_model: Option<String>,
    model_at_depth: BTreeMap<u32, String>,
    answer_schema: Option<Value>,
    compaction: Compact,
    compaction_at: Option<u64>,
    compaction_keep: u32,
    compaction_model: Option<String>,
    attempt_calls: Option<u64>,
    attempt_tokens: Option<u64>,
    attempt_cost: Option<f64>,
    run_calls: Option<u64>,
    /// Names of the root's tools: bundled tools, scripts in `tools/scripts`, definitions in
    /// `tools/prompts`, and page tools, whose names have a dot. Some need the secret variable
    /// `KEY`.
    functions: Vec<String>,
    /// Definition whose tools the root gets.
    definition: Option<String>,
    /// Bundled hooks for all agents.
    hooks: Vec<String>,
    tool_choice: ToolStrategy,
    parallel_tool_calls: bool,
    exclude_reasoning: bool,
    include_reasoning: bool,
    holds: Vec<Hold>,
}

/// Delays a reply until an event has been emitted. Used where the order would otherwise depend on
/// the scheduler.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Hold {
    agent: String,
    /// Number of the agent's request, 1-based.
    turn: u32,
    /// Fields that the event must have; `invocation` may be one of them.
    until: Map<String, Value>,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            query: "the question".to_owned(),
            context: "the context".to_owned(),
            mode: PromptMode::Solver,
            protocol: Protocol::Rlm,
            max_depth: 2,
            max_iterations: 5,
            max_blocks: 1,
            confirm_first_return: false,
            settings: ProtocolSettings::default(),
            cell_time_ms: 60_000,
            attempt_time_ms: 60_000,
            aliases: Vec::new(),
            child_model: None,
            llm_model: None,
            model_at_depth: BTreeMap::new(),
            answer_schema: None,
            compaction: Compact::Outputs,
            compaction_at: None,
            compaction_keep: 4,
            compaction_model: None,
            attempt_calls: None,
            attempt_tokens: None,
            attempt_cost: None,
            run_calls: None,
            functions: Vec::new(),
            definition: None,
            hooks: Vec::new(),
            tool_choice: ToolStrategy::Auto,
            parallel_tool_calls: false,
            exclude_reasoning: false,
            include_reasoning: false,
            holds: Vec::new(),
        }
    }
}

impl Case {
    fn models(&self) -> ModelMap<String> {
        let mut models = ModelMap::new("scripted:model".to_owned());
        for alias in &self.aliases {
            models.insert_alias(alias.parse().unwrap());
        }
        let at_depth = self.model_at_depth.iter();
        let at_depth = at_depth.map(|(depth, model)| (ModelSlot::Depth(*depth), Some(model)));
        let others = [
            (ModelSlot::Child, self.child_model.as_ref()),
            (ModelSlot::Llm, self.llm_model.as_ref()),
            (ModelSlot::Summaries, self.compaction_model.as_ref()),
        ];
        for (slot, model) in others.into_iter().chain(at_depth) {
            if let Some(model) = model {
                models.insert(slot, model.clone());
            }
        }
        models
    }

    fn agent(&self) -> AgentSettings {
        AgentSettings {
            tool_choice: self.tool_choice,
            parallel_tool_calls: self.parallel_tool_calls,
            exclude_reasoning: self.exclude_reasoning,
            include_reasoning: self.include_reasoning,
            ..AgentSettings::default()
        }
    }

    fn attempt_budget(&self) -> Budget {
        Budget {
            cost_usd: self.attempt_cost,
            tokens: self.attempt_tokens,
            calls: self.attempt_calls,
            time: None,
        }
    }
}

#[derive(Default)]
struct Collected {
    events: Mutex<Vec<Event>>,
    count: watch::Sender<usize>,
}

impl EventSink for Collected {
    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event);
        self.count.send_modify(|count| *count += 1);
    }
}

impl Collected {
    /// Waits until an event with these fields has been emitted.
    async fn happened(&self, wanted: &Map<String, Value>) {
        let matches = |event: &Event| {
            let mut fields = serde_json::to_value(&event.kind).unwrap();
            fields["invocation"] = event.invocation.clone().into();
            wanted.iter().all(|(name, value)| fields[name] == *value)
        };
        let happened = |_: &usize| self.events.lock().unwrap().iter().any(matches);
        let mut count = self.count.subscribe();
        count.wait_for(happened).await.unwrap();
    }
}

/// Scripted model with delayed replies.
struct Held {
    scripted: Scripted,
    holds: Vec<Hold>,
    events: Arc<Collected>,
}

#[async_trait]
impl Provider for Held {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let caller = &request.caller;
        for hold in &self.holds {
            if hold.agent == caller.invocation && hold.turn == caller.turn {
                self.events.happened(&hold.until).await;
            }
        }
        self.scripted.complete(request, calls).await
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        self.scripted.forecast(request)
    }
}

#[test]
fn attempts_match_snapshots() {
    insta::glob!("cases/*.case.yaml", |path| {
        let case: Case = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let model = path.with_extension("").with_extension("model.yaml");
        let report = tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(run(case, &model));
        let report = report.replace(env!("CARGO_MANIFEST_DIR"), "HARNESS");
        insta::with_settings!({ filters => vec![("e{100,}", "[e…]"), ("x{100,}", "[x…]")], snapshot_path => "snapshots/engine", omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(report);
        });
    });
}

async fn run(case: Case, model: &Path) -> String {
    let sink = Arc::new(Collected::default());
    let provider = Held {
        scripted: Scripted::from_file(model).unwrap(),
        holds: case.holds.clone(),
        events: Arc::clone(&sink),
    };
    let model = Model {
        reference: "scripted:model".to_owned(),
        sampling: Arc::default(),
        name: "model".to_owned(),
        provider: Arc::new(provider),
    };
    let references = case.models();
    let models = references.try_map(|slot, reference| {
        let mut model = model.clone();
        if !matches!(slot, ModelSlot::Alias(_)) {
            model.reference.clone_from(reference);
        }
        Ok::<_, Infallible>(model)
    });
    let Ok(models) = models;
    let agent = case.agent();
    let hooks = HookRegistry::bundled().resolve(&case.hooks).unwrap();
    let mut treatment = Treatment {
        protocol: case.protocol,
        prompts: PromptSettings {
            prompt_mode: case.mode,
            max_depth: case.max_depth,
            ..PromptSettings::default()
        },
        hooks,
        tools: crate::tools::tools(&case.functions, case.definition.as_deref()).await,
        root: agent,
        iterations: IterationSettings {
            max_iterations: case.max_iterations,
            max_blocks_per_iteration: case.max_blocks,
            confirm_first_return: case.confirm_first_return,
            ..IterationSettings::default()
        },
        protocols: case.settings,
        attempt_time: std::time::Duration::from_millis(case.attempt_time_ms),
        attempt_budget: case.attempt_budget(),
        compaction: Compaction {
            settings: CompactionSettings {
                compaction: case.compaction,
                compaction_at: case.compaction_at.map(CompactionSize::Tokens),
                compaction_keep: case.compaction_keep,
            },
            ..Compaction::default()
        },
        answer_schema: (case.answer_schema).map(|schema| AnswerSchema::new(schema).unwrap()),
        models: references,
        ..Treatment::default()
    };
    treatment.repl.cell_timeout = Seconds::of_millis(case.cell_time_ms);
    let conduct = Conduct {
        budget: Budget {
            calls: case.run_calls,
            ..Budget::default()
        },
        ..Conduct::default()
    };
    let engine = Engine::new(treatment, conduct, models, |_| ()).unwrap();
    let task = task(&case.query, &case.context);
    let outcome = engine
        .run(&task, Arc::clone(&sink) as Arc<dyn EventSink>)
        .await;
    let mut events = std::mem::take(&mut *sink.events.lock().unwrap());
    for Hold { agent, turn, .. } in &case.holds {
        let requests = events.iter().filter(|event| {
            event.invocation == *agent && matches!(event.kind, EventKind::LlmRequest { .. })
        });
        assert!(
            requests.count() >= *turn as usize,
            "`holds` delays request {turn} of {agent}, which was never sent"
        );
    }
    let records = serde_json::to_string(&events).unwrap();
    assert!(
        !records.contains(crate::tools::CANARY),
        "a secret value is in the records"
    );
    // Omit the events of stopped children, because their progress is random.
    let ended: HashSet<String> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::InvocationEnd { .. }))
        .map(|event| event.invocation.clone())
        .collect();
    events.retain(|event| ended.contains(&event.invocation));
    // Children run in parallel, so sort the events by agent.
    events.sort_by(|a, b| a.invocation.cmp(&b.invocation).reverse());
    // Sort consecutive delegation events of one agent by child.
    for told in events.chunk_by_mut(|a, b| child(a).is_some() && child(b).is_some()) {
        told.sort_by_key(|event| child(event).map(str::to_owned));
    }
    let lines: Vec<String> = events.iter().map(line).collect();
    let stats = &outcome.stats;
    format!(
        "{}\n\nstatus {} answer {:?} error {:?}\niterations {} agents that ended {} depth {} faults {} delegations {} unawaited {} failed_cells {} early {}{}",
        lines.join("\n"),
        outcome.status,
        outcome.answer,
        outcome.error,
        stats.iterations,
        ended.len(),
        stats.depth_reached,
        stats.protocol_faults,
        stats.delegations,
        stats.unawaited,
        stats.failed_cells,
        stats.returned_early,
        spent(stats),
    )
}

/// Returns the child of a delegation event, or `None` for other events.
fn child(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::DelegationSpawn { child, .. }
        | EventKind::DelegationReturn { child, .. }
        | EventKind::DelegationError { child, .. } => Some(child),
        _ => None,
    }
}

/// Formats the usage, if known, and the number of times that conversations were shortened.
fn spent(stats: &Stats) -> String {
    let mut text = String::new();
    if let Some(usage) = stats.usage {
        text += &format!(
            "\ncalls {} tokens {} cost {:?}",
            stats.llm_calls,
            usage.total(),
            stats.cost_usd()
        );
    }
    if stats.context_trims > 0 {
        text += &format!("\ntrims {}", stats.context_trims);
    }
    text
}

/// Formats an event without times and without fields that other tests cover.
fn line(event: &Event) -> String {
    let mut kind = serde_json::to_value(&event.kind).unwrap();
    let fields = kind.as_object_mut().unwrap();
    for name in [
        "ms",
        "executed_ms",
        "usage",
        "reasoning",
        "served_model",
        "text",
        "code",
    ] {
        fields.remove(name);
    }
    if let EventKind::InvocationStart { system_prompt, .. } = &event.kind {
        let headings: Vec<&str> = system_prompt
            .as_deref()
            .unwrap_or_default()
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        fields.insert("system_prompt".to_owned(), headings.join(" | ").into());
    }
    format!(
        "{}{} {}",
        "  ".repeat(event.depth as usize),
        event.invocation,
        kind
    )
}
