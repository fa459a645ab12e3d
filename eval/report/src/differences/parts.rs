//! Collects the recorded settings of a run, grouped into parts.

use std::collections::{BTreeMap, BTreeSet};

use model::Protocol;
use records::RunIdentity;
use records::program_versions::ProgramVersions;
use records::run_dir::{RunDir, unfingerprinted_settings};
use serde_json::{Map, Value, json};

use super::value::NOT_RECORDED;

/// Parts by name; `None` for a part that the run's protocol does not use.
pub(super) type Parts = BTreeMap<String, Option<Value>>;

/// Columns of `results.csv` that are also parts of a fingerprint.
const COLUMNS: [&str; 9] = [
    "benchmark",
    "model",
    "protocol",
    "prompt_mode",
    "drivers",
    "max_depth",
    "max_iterations",
    "dataset_digest",
    "scorer",
];

/// Name of the part that identifies the program versions that made the attempts.
pub(super) const PROGRAM: &str = "program";

/// Name of the part that identifies the JavaScript engine.
pub(super) const ENGINE: &str = "javascript_engine";

/// Recorded settings of a run: the parts of its fingerprint, and the subset that CSV files also
/// contain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunParts {
    fingerprint: Option<String>,
    parts: Parts,
    columns: Parts,
    /// Settings outside the fingerprint; `None` for a CSV file, which does not have them.
    beside: Option<Parts>,
    /// Settings outside the fingerprint that changed during the run, with all their values.
    pub(super) mixed: Vec<(&'static str, Value)>,
    pub(super) program_versions: ProgramVersions,
}

impl RunParts {
    /// Reads the parts of a run directory: the fingerprint's parts in `lock.json`, and the settings
    /// outside the fingerprint in `config.json`.
    pub fn of_run(run: &RunDir) -> Self {
        let identity = &run.lock.run;
        let program_versions = ProgramVersions::of(&run.lock, &run.records);
        let program = programs(&program_versions).or_else(|| {
            let begun_with = run.lock.fingerprint.program()?;
            Some(json!([begun_with.digest()]))
        });
        let recorded = run.lock.fingerprint.parts();
        let all = unfingerprinted_settings(&run.config);
        let several = all.iter().filter(|(_, values)| values.len() > 1);
        let mixed = several
            .map(|(name, values)| (*name, json!(values)))
            .collect();
        let beside: Parts = all
            .into_iter()
            .map(|(name, values)| match <[Value; 1]>::try_from(values) {
                Ok([value]) => (name.to_owned(), Some(value)),
                Err(values) => (name.to_owned(), Some(values.into())),
            })
            .collect();
        let mut parts: Parts = recorded
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.clone())))
            .collect();
        if !recorded.is_empty() {
            named(&mut parts, "model", &identity.model);
            named(&mut parts, "scorer", &identity.scorer);
            if let Some(Some(Value::Object(tools))) = parts.get("tools") {
                let tools = with_digests(tools);
                parts.insert("tools".to_owned(), Some(tools));
            }
            parts.extend(beside.clone());
            parts.remove(PROGRAM);
            let engines: BTreeSet<String> = run
                .lock
                .programs()
                .iter()
                .filter_map(|program| program.engine().map(str::to_owned))
                .collect();
            if !engines.is_empty() {
                let names: Vec<String> = engines.into_iter().collect();
                parts.insert(ENGINE.to_owned(), Some(names.join(" + ").into()));
            }
            parts.extend(
                program
                    .clone()
                    .map(|program| (PROGRAM.to_owned(), Some(program))),
            );
            // Only some runs have these parts; in all others, they are unused rather than
            // unrecorded.
            for name in ["web_agent", "answer_schema", "origin"] {
                parts.entry(name.to_owned()).or_insert(None);
            }
            clear_unused(&mut parts, &identity.protocol);
        }
        let known = constant_columns(identity);
        Self {
            fingerprint: Some(identity.fingerprint.clone()),
            parts,
            columns: columns(|name| known.get(name).map(String::as_str), program),
            beside: Some(beside),
            mixed,
            program_versions,
        }
    }

    /// Returns the settings that a CSV file contains. `column` returns the value of a column by
    /// name; `program_versions` are those in the rows.
    pub fn of_columns<'a>(
        column: impl Fn(&str) -> Option<&'a str>,
        program_versions: ProgramVersions,
    ) -> Self {
        Self {
            fingerprint: column("fingerprint").map(str::to_owned),
            parts: Parts::new(),
            columns: columns(column, programs(&program_versions)),
            beside: None,
            mixed: Vec::new(),
            program_versions,
        }
    }

    /// Whether both runs have the same fingerprint, program versions and, if both record them,
    /// settings outside the fingerprint. Returns `None` if a fingerprint is unknown.
    pub fn same_fingerprint(&self, other: &Self) -> Option<bool> {
        let same = self.fingerprint()? == other.fingerprint()?;
        let (one, two) = (self.beside.as_ref(), other.beside.as_ref());
        let alike = one.zip(two).is_none_or(|(one, two)| one == two);
        Some(same && alike && self.program_versions.agree(&other.program_versions))
    }

    pub(super) fn fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_deref().filter(|text| !text.is_empty())
    }

    pub(super) fn has_fingerprint_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Returns all parts of the fingerprint, or only those that CSV files contain.
    pub(super) fn get(&self, all_parts: bool) -> &Parts {
        if all_parts {
            &self.parts
        } else {
            &self.columns
        }
    }
}

/// Returns the digests of the program versions that made the attempts, or `None` if none is known.
/// Records, CSV files and `--version` show the same digests.
fn programs(program_versions: &ProgramVersions) -> Option<Value> {
    program_versions.digests().next()?;
    let unknown = program_versions.any_unknown().then_some(NOT_RECORDED);
    Some(program_versions.digests().chain(unknown).collect())
}

/// Returns the parts that a CSV file contains, given the values of its columns by name.
fn columns<'a>(column: impl Fn(&str) -> Option<&'a str>, program: Option<Value>) -> Parts {
    let known = COLUMNS.iter().filter_map(|name| {
        let value = Some(Value::from(column(name)?));
        Some(((*name).to_owned(), value))
    });
    let mut columns: Parts = known.collect();
    columns.extend(program.map(|program| (PROGRAM.to_owned(), Some(program))));
    clear_unused(&mut columns, column("protocol").unwrap_or_default());
    columns
}

/// Returns the columns of `results.csv` that are the same in every row, with their values, except
/// unknown ones.
pub(crate) fn constant_columns(identity: &RunIdentity) -> BTreeMap<String, String> {
    // The run's identity is a flat object whose field names are column names.
    let Ok(Value::Object(identity)) = serde_json::to_value(identity) else {
        return BTreeMap::new();
    };
    let known = identity.into_iter().filter_map(|(name, value)| {
        let text = match value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        // In a CSV file, an empty field means unknown.
        (!text.is_empty()).then_some((name, text))
    });
    known.collect()
}

/// Adds the display name to a part that contains a digest or an object.
fn named(parts: &mut Parts, part: &str, name: &str) {
    if let Some(Some(value)) = parts.get_mut(part)
        && value.as_str() != Some(name)
    {
        *value = json!({ "name": name, "identity": value.take() });
    }
}

/// Converts `{name: digest}` to a list of named values.
fn with_digests(tools: &Map<String, Value>) -> Value {
    tools
        .iter()
        .map(|(name, digest)| json!({ "name": name, "sha256": digest }))
        .collect()
}

/// Marks parts as unused if the run's protocol does not use them. Earlier versions recorded the
/// REPL settings in every run.
fn clear_unused(parts: &mut Parts, protocol: &str) {
    const REPL_PARTS: [&str; 6] = [
        "max_depth",
        "max_iterations",
        "max_blocks_per_iteration",
        "confirm_first_return",
        "sandbox",
        ENGINE,
    ];
    /// Columns that are marked as unused even if they were not recorded.
    const COLUMNS: [&str; 3] = ["prompt_mode", "max_depth", "max_iterations"];
    let mut unused = |part: &str| {
        if COLUMNS.contains(&part) || parts.contains_key(part) {
            parts.insert(part.to_owned(), None);
        }
    };
    let capabilities = Protocol::capabilities_of(protocol);
    let Some(capabilities) = capabilities.filter(|capabilities| !capabilities.has_modes()) else {
        return;
    };
    if capabilities.one_call {
        REPL_PARTS.into_iter().for_each(&mut unused);
    }
    unused("prompt_mode");
}
