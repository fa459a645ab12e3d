//! What `config.json` and the fingerprint of a run hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use benchmarks::Dataset;
use harness::agent_turn::AgentTurnSettings;
use harness::hook::Hook;
use harness::prompt::definition::Definition;
use harness::prompt::{Replacement, template_digests};
use harness::sandbox::Isolation;
use harness::{Protocol, sha256_hex};
use serde_json::{Value, json};

use crate::record::RunIdentity;
use crate::run_dir::{CONFIG_VERSION, Fingerprint};
use crate::settings::{EngineSettings, JudgeSettings, RunSettings};

/// The drivers' names in their order, joined by `+`.
pub(super) fn driver_names(engine: &EngineSettings) -> String {
    let names: Vec<&str> = engine
        .drivers
        .iter()
        .map(|driver| driver.name.as_str())
        .collect();
    names.join("+")
}

/// The resolved settings as `config.json` shows them. They hold no secret. `samples` are the ids of those that the run takes.
pub(super) fn config(
    settings: &RunSettings,
    identity: &RunIdentity,
    attempts_total: u64,
    attempts_of_all_shares: u64,
    samples: &[String],
) -> Value {
    let engine = &settings.engine;
    let options = &settings.benchmark_options;
    let selection = &settings.selection;
    let share = selection.partition;
    json!({
        "v": CONFIG_VERSION,
        "eval_version": env!("CARGO_PKG_VERSION"),
        "run": identity,
        "attempts_total": attempts_total,
        "attempts_of_all_shares": attempts_of_all_shares,
        "benchmark": {
            "name": settings.benchmark,
            "data_dir": options.data_dir,
            "labels": options.labels,
            "split": options.split,
            "skip_malformed": options.skip_malformed,
            "seed": options.seed,
            "context_lengths": options.context_lengths,
            "tasks_per_length": options.tasks_per_length,
            "max_tasks": settings.selection.max_tasks,
            "selected_problems": settings.selection.ids,
            "filters": settings.selection.filters,
            "sample_seed": settings.selection.sample_seed,
            "partition": share,
            "partition_rule": share.map(|_| selection.deal.rule()),
            "partition_samples": share.map(|_| samples),
            "attempts": settings.attempts,
        },
        "scorer": {
            "given": settings.grader.given.as_ref().map(ToString::to_string),
            "judge": settings.grader.judge.as_ref().map(judge),
            "timeout_s": settings.grader.limits.time.as_secs_f64(),
            "memory_limit_bytes": settings.grader.limits.heap_bytes,
        },
        "engine": agents(engine),
        "budget": {
            "run": engine.budget.budgets.run,
            "attempt": engine.budget.budgets.attempt,
            "prices": engine.budget.prices.origins(),
        },
        "traffic": {
            "max_retries": engine.traffic.max_retries,
            "call_timeout_s": engine.traffic.call_timeout,
            "requests_per_second": engine.traffic.pace().rate.map(|rate| rate.per_second),
            "rate_burst": engine.traffic.pace().rate.map(|rate| rate.burst),
            "max_connections": engine.traffic.max_connections,
            "adaptive": engine.traffic.adaptive,
        },
        "cache": engine.store.cache,
        "record": engine.store.record,
        "concurrency": settings.concurrency,
        "min_score": settings.min_score,
        "flags": settings.flags,
    })
}

/// What shapes the agents.
fn agents(engine: &EngineSettings) -> Value {
    let limits = &engine.sandbox.limits;
    json!({
        "model": engine.model,
        "aliases": engine.aliases,
        "sampling": engine.models.sampling,
        "base_urls": engine.models.base_urls(),
        "earlier_base_urls": engine.models.earlier_addresses,
        "stream": engine.models.stream,
        "connect_timeout_s": engine.models.timeouts.connect.as_secs_f64(),
        "idle_timeout_s": engine.models.timeouts.idle.as_secs_f64(),
        "request_timeout_s": engine.models.timeouts.request.as_secs_f64(),
        "protocol": engine.protocol,
        "prompt_mode": engine.effective.prompt_mode,
        "profile": engine.profile,
        "drivers": drivers(engine),
        "prompt": prompt(engine),
        "date": engine.layers.layers.date,
        "hooks": hooks(engine),
        "tools": engine.equipment.digests(),
        "max_depth": engine.effective.max_depth,
        "max_iterations": engine.effective.max_iterations,
        "max_blocks_per_iteration": engine.max_blocks_per_iteration,
        "confirm_first_return": engine.confirm_first_return,
        "attempt_timeout_s": engine.attempt_time.as_secs_f64(),
        "cell_timeout_s": limits.cell_time.as_secs_f64(),
        "cell_wait_s": limits.cell_wait.as_secs_f64(),
        "output_limit_chars": limits.output_chars,
        "console": engine.sandbox.console,
        "memory_limit_bytes": limits.heap_bytes,
        "stack_limit_bytes": limits.stack_bytes,
        "pending_calls": limits.pending_calls,
        "total_calls": limits.total_calls,
        "argument_limit_chars": limits.argument_chars,
        "timer_limit": limits.timers,
        "isolation": isolation(engine),
        "attempts_per_worker": attempts_per_worker(engine),
        "agent_turn": engine.agent_turn,
        "screenshots": engine.screenshots,
    })
}

/// Everything that can change an answer, this program among it; `models` are the parts of the models. Paths, concurrency,
/// times and the choice of samples are left out.
pub(super) fn fingerprint(
    settings: &RunSettings,
    dataset: &dyn Dataset,
    scorer: &Value,
    models: BTreeMap<String, Value>,
) -> Fingerprint {
    let engine = &settings.engine;
    let templates: BTreeMap<_, _> = template_digests().into_iter().collect();
    let parts = [
        ("benchmark", json!(dataset.name())),
        ("dataset_digest", json!(dataset.digest())),
        ("scorer", json!(scorer)),
        ("protocol", json!(engine.protocol)),
        ("prompt_mode", json!(engine.effective.prompt_mode)),
        ("drivers", json!(drivers(engine))),
        ("hooks", json!(hooks(engine))),
        ("tools", json!(engine.equipment.digests())),
        ("prompt_templates", json!(templates)),
        ("prompt_layers", prompt(engine)),
        ("max_depth", json!(engine.effective.max_depth)),
        ("max_iterations", json!(engine.effective.max_iterations)),
        (
            "max_blocks_per_iteration",
            json!(engine.max_blocks_per_iteration),
        ),
        ("confirm_first_return", json!(engine.confirm_first_return)),
        (
            "attempt_timeout_s",
            json!(engine.attempt_time.as_secs_f64()),
        ),
        ("attempt_budget", json!(engine.budget.budgets.attempt)),
        ("sandbox", json!(engine.sandbox)),
    ];
    // Other protocols read nothing of it.
    let web_agent = (engine.protocol == Protocol::AgentTurn).then(|| {
        let undated = AgentTurnSettings {
            date: None,
            ..engine.agent_turn.clone()
        };
        ("web_agent", json!(undated))
    });
    let parts = parts
        .into_iter()
        .chain(web_agent)
        .map(|(name, value)| (name.to_owned(), value));
    Fingerprint::of_treatment(parts.chain(models).collect())
}

/// A judge's settings.
fn judge(settings: &JudgeSettings) -> Value {
    json!({
        "model": settings.model,
        "sampling": settings.models.sampling,
        "prompt": settings.prompt.name,
        "prompt_sha256": settings.prompt.digest,
        "attempts": settings.asked,
    })
}

fn isolation(engine: &EngineSettings) -> &'static str {
    match &engine.isolation {
        Isolation::Thread => "thread",
        Isolation::Process(command) if command.strict => "strict",
        Isolation::Process(_) => "process",
    }
}

fn attempts_per_worker(engine: &EngineSettings) -> Option<u32> {
    match &engine.isolation {
        Isolation::Thread => None,
        Isolation::Process(command) => Some(command.sessions),
    }
}

/// What is laid over the prompts, texts by their hashes, without the day.
fn prompt(engine: &EngineSettings) -> Value {
    let layers = &engine.layers.layers;
    let hash = |text: &str| (!text.trim().is_empty()).then(|| sha256_hex(text));
    let sections: BTreeMap<_, _> = layers
        .sections
        .iter()
        .map(|(name, text)| (name, sha256_hex(text)))
        .collect();
    let definition = engine.layers.definition.as_ref().map(|definition| {
        let text: String = layers
            .definition
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        json!({
            "name": definition.name,
            "sha256": definition.digest,
            "text_sha256": sha256_hex(&text),
            "hooks": hooks_listed(engine, definition),
        })
    });
    let replacement = layers
        .replacement
        .as_ref()
        .map(|replacement| match replacement {
            Replacement::Whole(text) => json!({ "whole": sha256_hex(text) }),
            Replacement::Around { before, after } => {
                json!({ "before": sha256_hex(before), "after": sha256_hex(after) })
            }
        });
    json!({
        "definition": definition,
        "sections": sections,
        "agent_name": layers.agent_name,
        "site": layers.site,
        "persona": hash(&layers.persona),
        "append": hash(&layers.append),
        "replacement": replacement,
        "action_overrides": layers.actions,
    })
}

/// The hooks that the root's definition lists, in place of the run's.
fn hooks_listed(engine: &EngineSettings, definition: &Definition) -> Option<Value> {
    let names = definition.hooks.as_ref()?;
    let hooks = engine.hooks.registry.resolve(names).unwrap_or_default();
    Some(identities(&hooks))
}

fn identities(hooks: &[Arc<dyn Hook>]) -> Value {
    hooks
        .iter()
        .map(|hook| json!({ "name": hook.name(), "version": hook.digest() }))
        .collect()
}

fn hooks(engine: &EngineSettings) -> Value {
    identities(&engine.hooks.hooks)
}

fn drivers(engine: &EngineSettings) -> Vec<Value> {
    engine
        .drivers
        .iter()
        .map(|driver| json!({ "name": driver.name, "sha256": driver.digest }))
        .collect()
}
