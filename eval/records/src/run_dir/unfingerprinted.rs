//! Settings in `config.json` outside the fingerprint. Runs with the same fingerprint may differ in
//! these settings, so tables show the differences.
//!
//! If a run was resumed with another value, or merged from runs with different values,
//! `other_values` in `config.json` has the other values.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Settings that shape the run's attempts: the name shown to users, and the JSON pointer to the
/// value in `config.json`.
const SHAPING: [(&str, &str); 5] = [
    // The whole address, because a different port may be a different server.
    ("address", "/engine/base_urls"),
    ("date", "/engine/date"),
    ("profile", "/engine/profile"),
    ("files_dir", "/flags/engine/tools/files_dir"),
    ("prices", "/budget/prices"),
];

/// Settings that select the run's attempts. Their other values are not kept, because only the last
/// value matters.
const SELECTING: [(&str, &str); 8] = [
    ("attempts", "/benchmark/attempts"),
    ("partition", "/benchmark/partition"),
    ("selected_problems", "/benchmark/selected_problems"),
    ("max_tasks", "/benchmark/max_tasks"),
    ("filters", "/benchmark/filters"),
    ("sample_seed", "/benchmark/sample_seed"),
    ("context_lengths", "/benchmark/context_lengths"),
    ("tasks_per_length", "/benchmark/tasks_per_length"),
];

/// A setting whose value differs from an earlier start or from another shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Name shown to users.
    pub name: &'static str,
    /// Value in the earlier start or the other shard.
    pub before: Value,
    /// Current value.
    pub now: Value,
}

/// Returns all values that each setting outside the fingerprint has had in a run, by name. The
/// current value is last.
pub fn unfingerprinted_settings(config: &Value) -> BTreeMap<&'static str, Vec<Value>> {
    let settings = SHAPING.into_iter().chain(SELECTING);
    let known = settings.filter_map(|(name, place)| {
        let now = config.pointer(place)?;
        let mut values = others(config, name);
        values.push(now.clone());
        Some((name, values))
    });
    known.collect()
}

/// Adds to `other_values` in `config` the values that differ in `before`, which are the settings of
/// an earlier start or another shard. Returns the settings that differ.
pub fn merge_history(config: &mut Value, before: &Value) -> Vec<Changed> {
    let mut changed = Vec::new();
    for (name, place) in SHAPING {
        let Some(now) = config.pointer(place).cloned() else {
            continue;
        };
        let mut kept = others(config, name);
        let was = before.pointer(place).cloned();
        for value in others(before, name).into_iter().chain(was.clone()) {
            if value != now && !kept.contains(&value) {
                kept.push(value);
            }
        }
        if let Some(was) = was
            && was != now
        {
            changed.push(Changed {
                name,
                before: was,
                now,
            });
        }
        if !kept.is_empty() {
            config["other_values"][name] = json!(kept);
        }
    }
    changed
}

/// Returns the values of a setting from earlier starts or other shards, oldest first.
fn others(config: &Value, name: &str) -> Vec<Value> {
    let kept = match config.get("other_values").and_then(|all| all.get(name)) {
        // Earlier versions kept only addresses, under this key.
        None if name == "address" => config.pointer("/engine/earlier_base_urls"),
        kept => kept,
    };
    kept.and_then(Value::as_array).cloned().unwrap_or_default()
}
