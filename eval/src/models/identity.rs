//! What of the models of a run can change an answer: their part of its fingerprint.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use harness::Models;
use harness::provider::scripted_digest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::settings::{EngineSettings, JudgeSettings, ModelSettings};

/// The parts by their names. For a cassette they are those of the run that it was recorded in.
pub fn parts(
    settings: &EngineSettings,
    benchmark: &str,
    models: &Models,
) -> BTreeMap<String, Value> {
    let recording = models.main.provider.recording();
    if let Some(header) = recording.and_then(|recording| recording.cassette) {
        return header.identity;
    }
    new_parts(settings, benchmark)
}

/// What `scripted` alone stands for where a judge is named.
pub(super) const SCRIPTED_JUDGE: &str = "judge";

/// What of the model of a judge can change a verdict.
pub fn judge_identity(settings: &JudgeSettings) -> Value {
    json!({
        "model": of(&settings.model, SCRIPTED_JUDGE),
        "sampling": settings.models.sampling,
        "servers": servers(&settings.models),
    })
}

/// The parts of models that run anew.
pub(super) fn new_parts(settings: &EngineSettings, benchmark: &str) -> BTreeMap<String, Value> {
    let aliases: Vec<Value> = settings
        .aliases
        .iter()
        .map(|alias| json!([alias.alias, of(&alias.model, benchmark), alias.tags]))
        .collect();
    let parts = [
        ("model", json!(of(&settings.model, benchmark))),
        ("model_aliases", json!(aliases)),
        ("sampling", json!(settings.models.sampling)),
        ("servers", json!(servers(&settings.models))),
    ];
    parts
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The servers without their ports: the same model behind another port is the same model.
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

/// What of a model reference can change an answer: of a file or a bundled script, its content and not its
/// name.
fn of(reference: &str, benchmark: &str) -> String {
    let bundled = if reference == "scripted" {
        Some(benchmark)
    } else {
        reference.strip_prefix("scripted/")
    };
    if let Some(digest) = bundled.and_then(scripted_digest) {
        return format!("scripted:sha256:{digest}");
    }
    let file = reference
        .split_once(':')
        .filter(|(provider, _)| matches!(*provider, "scripted" | "replay"));
    let Some((provider, path)) = file else {
        return reference.to_owned();
    };
    let mut hash = Sha256::new();
    for file in files(Path::new(path)) {
        if let Ok(bytes) = std::fs::read(&file) {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    let hex: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{provider}:sha256:{hex}")
}

/// The file itself, or the trajectories of a run directory.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path.join("trajectories"))
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}
