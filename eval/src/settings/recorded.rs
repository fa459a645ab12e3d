//! The settings recorded in `config.json`, except values that are known only when a run starts.
//! They contain no secrets.

use serde_json::{Map, Value, json};

use super::values::fields;
use super::{EngineSettings, JudgeSettings, RunSettings};

impl RunSettings {
    /// Returns the settings in the form recorded in `config.json`.
    pub fn recorded(&self) -> Map<String, Value> {
        let engine = &self.engine;
        let options = &self.benchmark_options;
        let selection = &self.selection;
        let (retry, pace) = (engine.traffic.retry(), engine.traffic.pace());
        let mut all = fields(&json!({
            "benchmark": {
                "name": self.benchmark,
                "data_dir": options.data_dir,
                "labels": options.labels,
                "split": options.split,
                "skip_malformed": options.skip_malformed,
                "seed": options.seed,
                "context_lengths": options.context_lengths,
                "tasks_per_length": options.tasks_per_length,
                "max_tasks": selection.max_samples,
                "selected_problems": selection.ids,
                "filters": selection.filters,
                "sample_seed": selection.sample_seed,
                "partition": selection.partition,
                "partition_rule": selection.partition.map(|_| selection.shard_assignment.rule()),
                "partition_samples": null,
                "attempts": self.attempts,
            },
            "scorer": {
                "given": self.grader.given.as_ref().map(ToString::to_string),
                "judge": self.grader.judge.as_ref().map(judge),
                "timeout_s": self.grader.limits.time.as_secs_f64(),
                "memory_limit_bytes": self.grader.limits.heap_bytes,
            },
            "engine": agents(engine),
            "budget": {
                "run": engine.conduct.budget,
                "attempt": engine.treatment.attempt_budget,
                "prices": engine.prices.origins(),
            },
            "traffic": {
                "max_retries": retry.max_retries,
                "call_timeout_s": retry.call_time.as_secs_f64(),
                "requests_per_second": pace.rate.map(|rate| rate.per_second),
                "rate_burst": pace.rate.map(|rate| rate.burst),
                "max_connections": pace.connections,
                "adaptive": pace.adaptive,
            },
            "cache": engine.store.cache,
            "record": engine.store.record,
            "concurrency": self.conduct.concurrency,
            "min_score": self.conduct.min_score,
        }));
        if !self.grader.further.is_empty()
            && let Some(scorer) = all.get_mut("scorer")
        {
            scorer["further"] = json!(self.grader.further);
        }
        all
    }
}

/// Returns the settings of the agents: treatment, conduct and models. New fields of treatment and
/// conduct are included automatically.
pub(crate) fn agents(engine: &EngineSettings) -> Value {
    let treatment = &engine.treatment;
    let mut all = fields(treatment);
    // Recorded under other names below.
    let prompt = all.remove("prompt_layers");
    for name in ["attempt_budget", "sandbox", "web_agent"] {
        all.remove(name);
    }
    let limits = &treatment.repl.config().limits;
    let timeouts = &engine.models.timeouts;
    all.extend(fields(&engine.effective));
    all.extend(fields(&engine.conduct));
    all.extend(fields(&json!({
        "model": engine.references.main(),
        "aliases": treatment.models.described_aliases(),
        "sampling": engine.models.sampling,
        "base_urls": engine.models.base_urls(),
        "headers": engine.models.headers(),
        "stream": engine.models.stream,
        "connect_timeout_s": timeouts.connect.as_secs_f64(),
        "idle_timeout_s": timeouts.idle.as_secs_f64(),
        "request_timeout_s": timeouts.request.as_secs_f64(),
        "profile": engine.profile,
        "prompt": prompt,
        "date": treatment.overrides.date,
        "cell_timeout_s": limits.cell_time.as_secs_f64(),
        "cell_wait_s": limits.timer_timeout.as_secs_f64(),
        "output_limit_chars": limits.output_chars,
        "console": treatment.repl.console,
        "memory_limit_bytes": limits.heap_bytes,
        "stack_limit_bytes": limits.stack_bytes,
        "pending_calls": limits.pending_calls,
        "total_calls": limits.total_calls,
        "argument_limit_chars": limits.argument_chars,
        "timer_limit": limits.timers,
        "agent_turn": treatment.web,
    })));
    let assignments = engine.references.assignments();
    all.extend(assignments.map(|(slot, model)| (slot.key(), json!(model))));
    Value::Object(all)
}

fn judge(settings: &JudgeSettings) -> Value {
    json!({
        "model": settings.model,
        "sampling": settings.models.sampling,
        "prompt": settings.prompt.name,
        "prompt_sha256": settings.prompt.digest,
        "attempts": settings.asked,
    })
}
