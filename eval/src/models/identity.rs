//! The models' part of a run's fingerprint: everything about them that can change an answer.

use std::collections::BTreeMap;
use std::path::Path;

use harness::{Model, ModelMap};
use serde_json::{Value, json};

use crate::providers::{ModelRef, Named, SCRIPTED_JUDGE};
use crate::settings::{EngineSettings, JudgeSettings, ModelSettings};

/// Returns the models' parts of the fingerprint by name. If the main model replays a cassette,
/// these are the parts of the recorded run.
pub fn parts(
    settings: &EngineSettings,
    benchmark: &str,
    models: &ModelMap<Model>,
) -> BTreeMap<String, Value> {
    let recording = models.main().provider.recording();
    if let Some(header) = recording.and_then(|recording| recording.cassette) {
        return header.identity;
    }
    new_parts(settings, benchmark)
}

/// Returns the identity of the main model, for comparing runs before they start. A missing file is
/// identified by its name; the error is reported when the file is opened.
pub fn main_identity(reference: &ModelRef, benchmark: &str) -> String {
    match reference.named() {
        Named::Offline(_, rest)
            if rest
                .strip_prefix(':')
                .is_some_and(|file| !Path::new(file).exists()) =>
        {
            reference.to_string()
        }
        Named::Offline(..) => reference.identity(benchmark),
        Named::OnServer(endpoint, model) => format!("{}/{model}", endpoint.plain(model).name),
    }
}

/// Returns everything about a judge's model that can change a verdict.
pub fn judge_identity(settings: &JudgeSettings) -> Value {
    let mut all = json!({
        "model": settings.model.identity(SCRIPTED_JUDGE),
        "sampling": settings.models.sampling,
        "servers": servers(&settings.models),
    });
    if let Some(headers) = headers(&settings.models) {
        all["headers"] = headers;
    }
    all
}

/// Returns the user's headers in recorded form, with the variable's name in place of a secret
/// value. `None` without headers, so that older fingerprints stay valid.
fn headers(settings: &ModelSettings) -> Option<Value> {
    let headers = settings.headers();
    (!headers.is_empty()).then(|| json!(headers))
}

/// Returns the parts of models that are not replayed.
pub(super) fn new_parts(settings: &EngineSettings, benchmark: &str) -> BTreeMap<String, Value> {
    let models = &settings.references;
    let aliases = models.aliases();
    let aliases: Vec<Value> = aliases
        .map(|(name, model)| json!([name, model.identity(benchmark), models.tags(name)]))
        .collect();
    let parts = [
        ("model", json!(models.main().identity(benchmark))),
        ("model_aliases", json!(aliases)),
        ("sampling", json!(settings.models.sampling)),
        ("servers", json!(servers(&settings.models))),
    ];
    let headers = headers(&settings.models).map(|headers| ("headers", headers));
    // Omitted if no model is assigned, so that older fingerprints stay valid.
    let assignments = models.assignments();
    let assignments =
        assignments.map(|(slot, model)| (slot.key(), json!(model.identity(benchmark))));
    parts
        .into_iter()
        .chain(headers)
        .map(|(name, value)| (name.to_owned(), value))
        .chain(assignments)
        .collect()
}

/// Returns the servers' addresses without ports, because a port does not change the model.
fn servers(settings: &ModelSettings) -> BTreeMap<&str, String> {
    let without_port = |url: &str| {
        let digits = |part: &str| {
            part.trim_start_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        };
        match url.rsplit_once(':') {
            Some((origin, rest)) if !rest.starts_with("//") => origin.to_owned() + &digits(rest),
            _ => url.to_owned(),
        }
    };
    let servers = settings.servers.iter();
    servers
        .map(|(prefix, server)| (prefix.as_str(), without_port(&server.base_url)))
        .collect()
}
