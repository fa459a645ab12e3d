//! What `config.json` has beside the fingerprint: two runs of one fingerprint may differ in it, so tables show where they do.
//!
//! A run that went on with another value, or that was merged of runs with several, keeps the others in `other_values`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A setting beside the fingerprint.
struct Setting {
    /// The name that it is shown under.
    name: &'static str,
    /// Where it is in `config.json`.
    place: &'static str,
    /// Whether it says which attempts a run makes. Of such a setting only the last value counts, for the run's attempts are
    /// those that it asks for.
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
    // Another port may be another server.
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

/// A setting that had other values before.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The name that it is shown under.
    pub name: &'static str,
    /// What it was.
    pub before: Value,
    /// What it is.
    pub now: Value,
}

/// What a run's `config.json` has beside the fingerprint, by name: all values that the run has had, the last one at the end.
pub fn beside(config: &Value) -> BTreeMap<&'static str, Vec<Value>> {
    let known = SETTINGS.iter().filter_map(|setting| {
        let now = config.pointer(setting.place)?;
        let mut values = others(config, setting.name);
        values.push(now.clone());
        Some((setting.name, values))
    });
    known.collect()
}

/// Keeps in `config` what other settings had that `before` shows, of an earlier start or of another share of the run.
/// Gives those that differ.
pub fn keep_others(config: &mut Value, before: &Value) -> Vec<Changed> {
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

/// What a setting was in earlier starts or other shares of the run, in the order in which they came to it.
fn others(config: &Value, name: &str) -> Vec<Value> {
    let kept = match config.get("other_values").and_then(|all| all.get(name)) {
        // As programs wrote it that kept addresses alone.
        None if name == "address" => config.pointer("/engine/earlier_base_urls"),
        kept => kept,
    };
    kept.and_then(Value::as_array).cloned().unwrap_or_default()
}
