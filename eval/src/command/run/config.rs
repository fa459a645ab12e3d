//! Contents of a run's `config.json` and fingerprint.

use std::collections::BTreeMap;

use benchmarks::Dataset;
use harness::Engine;
use harness::prompt::template_digests;
use records::RunIdentity;
use records::run_dir::{CONFIG_VERSION, Fingerprint};
use serde_json::{Value, json};

use crate::process::program;
use crate::settings::{EngineSettings, RunSettings, recorded_fields};

/// Returns the identity of a run without a dataset and a scorer: the values that all its records
/// share.
pub(in crate::command) fn identity(
    settings: &EngineSettings,
    engine: &Engine,
    run_id: &str,
    benchmark: &str,
    fingerprint: &Fingerprint,
) -> RunIdentity {
    let effective = &settings.effective;
    let drivers = settings.treatment.drivers.iter();
    let drivers: Vec<&str> = drivers.map(|driver| driver.name.as_str()).collect();
    RunIdentity {
        run_id: run_id.to_owned(),
        benchmark: benchmark.to_owned(),
        model: engine.main_model().reference.clone(),
        protocol: settings.treatment.protocol.to_string(),
        prompt_mode: effective.prompt_mode.map(|mode| mode.to_string()),
        drivers: Some(drivers.join("+")),
        max_depth: effective.max_depth,
        max_iterations: effective.max_iterations,
        dataset_digest: String::new(),
        scorer: "none".to_owned(),
        fingerprint: fingerprint.as_str().to_owned(),
    }
}

/// Builds `config.json`. `samples` are the ids of the selected samples.
pub(super) fn config(
    settings: &RunSettings,
    identity: &RunIdentity,
    attempts_total: u64,
    attempts_of_all_shards: u64,
    samples: &[String],
) -> Value {
    let mut config = json!({
        "v": CONFIG_VERSION,
        "eval_version": env!("CARGO_PKG_VERSION"),
        "javascript_engine": program::this().engine(),
        "run": identity,
        "attempts_total": attempts_total,
        "attempts_of_all_shares": attempts_of_all_shards,
    });
    for (name, value) in settings.recorded() {
        config[name] = value;
    }
    if settings.selection.partition.is_some() {
        config["benchmark"]["partition_samples"] = json!(samples);
    }
    if let Some(origin) = &settings.origin {
        config["origin"] = origin.clone();
    }
    config["flags"] = settings.flags.clone();
    config
}

/// Returns the fingerprint, which covers everything that can change an answer, including this
/// program; `models` are the entries that describe the models. Excludes paths, concurrency, time
/// limits and sample selection.
pub(super) fn fingerprint(
    settings: &RunSettings,
    dataset: &dyn Dataset,
    scorer: &Value,
    models: BTreeMap<String, Value>,
) -> Fingerprint {
    let engine = &settings.engine;
    let templates: BTreeMap<_, _> = template_digests().into_iter().collect();
    let mut treatment = recorded_fields(&engine.treatment);
    if !engine.treatment.is_web() {
        // Only web protocols read this setting.
        treatment.remove("web_agent");
    }
    let others = json!({
        "benchmark": dataset.name(),
        "dataset_digest": dataset.digest(),
        "scorer": scorer,
        "prompt_templates": templates,
    });
    let origin = settings.origin.iter();
    let origin = origin.map(|origin| ("origin".to_owned(), origin.clone()));
    let parts = treatment
        .into_iter()
        .chain(recorded_fields(&engine.effective));
    Fingerprint::of_treatment(
        parts
            .chain(recorded_fields(&others))
            .chain(models)
            .chain(origin)
            .collect(),
        program::this(),
    )
}
