//! Settings in `config.json` outside the fingerprint. Runs with the same fingerprint may differ in
//! these settings, so tables show the differences.
//!
//! If a run was resumed with another value, or merged from runs with different values,
//! `other_values` in `config.json` has the other values.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A setting outside the fingerprint.
struct Setting {
    /// Name shown to users.
    name: &'static str,
    /// JSON pointer to the value in `config.json`.
    place: &'static str,
    /// Whether the setting selects the run's attempts. The other values of these settings are not
    /// kept, because only the last value matters.
    selects: bool,
}

const fn shapes(name: &'static str, place: &'static str) -> Setting {
    Setting {
        name,
        place,
        selects: false,
    }
}

const fn selects(name: &'static str, place: &'static str) -> Setting {
    Setting {
        name,
        place,
        selects: true,
    }
}

const SETTINGS: [Setting; 13] = [
    // The whole address, because a different port may be a different server.
    shapes("address", "/engine/base_urls"),
    shapes("date", "/engine/date"),
    shapes("profile", "/engine/profile"),
    shapes("files_dir", "/flags/engine/tools/files_dir"),
    shapes("prices", "/budget/prices"),
    selects("attempts", "/benchmark/attempts"),
    selects("partition", "/benchmark/partition"),
    selects("selected_problems", "/benchmark/selected_problems"),
    selects("max_tasks", "/benchmark/max_tasks"),
    selects("filters", "/benchmark/filters"),
    selects("sample_seed", "/benchmark/sample_seed"),
    selects("context_lengths", "/benchmark/context_lengths"),
    selects("tasks_per_length", "/benchmark/tasks_per_length"),
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
    let known = SETTINGS.iter().filter_map(|setting| {
        let now = config.pointer(setting.place)?;
        let mut values = others(config, setting.name);
        values.push(now.clone());
        Some((setting.name, values))
    });
    known.collect()
}

/// Adds to `other_values` in `config` the values that differ in `before`, which are the settings of
/// an earlier start or another shard. Returns the settings that differ.
pub fn merge_history(config: &mut Value, before: &Value) -> Vec<Changed> {
    let mut changed = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| !setting.selects) {
        let Some(now) = config.pointer(setting.place).cloned() else {
            continue;
        };
        let mut kept = others(config, setting.name);
        let was = before.pointer(setting.place).cloned();
        for value in others(before, setting.name).into_iter().chain(was.clone()) {
            if value != now && !kept.contains(&value) {
                kept.push(value);
            }
        }
        if let Some(was) = was
            && was != now
        {
            changed.push(Changed {
                name: setting.name,
                before: was,
                now,
            });
        }
        if !kept.is_empty() {
            config["other_values"][setting.name] = json!(kept);
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
