//! Flags and the settings that they produce.

use std::collections::BTreeMap;

use eval::cli::{self, Command};
use eval::settings::{Resolved, RunSettings};
use serde::Deserialize;
use serde_json::{Value, json};

/// One row of `cli_settings.json`: flags, and their changes to the settings of a default run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    args: Vec<String>,
    changes: BTreeMap<String, Value>,
}

#[test]
fn resolves_flags_to_settings() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("cli_settings.json")).expect("the rows are JSON");
    let plain = resolve(&[]);
    insta::assert_snapshot!(
        "a_run_without_optional_flags",
        serde_json::to_string_pretty(&plain).expect("a value is JSON")
    );
    let mut wrong = Vec::new();
    for row in rows {
        let changed = resolve(&row.args);
        let changes: BTreeMap<String, Value> = changed
            .into_iter()
            .filter(|(name, value)| plain.get(name) != Some(value))
            .collect();
        if changes != row.changes {
            wrong.push(json!({ "args": row.args, "changes": changes }).to_string());
        }
    }
    assert!(
        wrong.is_empty(),
        "wrong rows, as resolved:\n{}",
        wrong.join("\n")
    );
}

/// Returns the flattened settings of a run with these flags.
fn resolve(args: &[String]) -> BTreeMap<String, Value> {
    let mut start = vec!["eval", "run"];
    for default in ["--benchmark=s-niah", "--model=scripted"] {
        let flag = default.split('=').next().unwrap_or_default();
        if !args.iter().any(|given| given == flag) {
            start.push(default);
        }
    }
    let args = start.into_iter().chain(args.iter().map(String::as_str));
    let Command::Run(args) = cli::parse(args).expect("the flags are valid").command else {
        panic!("not a run");
    };
    let Resolved {
        settings,
        notes,
        warnings,
    } = RunSettings::resolve(&args).expect("the settings are valid");
    let mut all = BTreeMap::new();
    flatten("", Value::Object(settings.recorded()), &mut all);
    let RunSettings {
        log_dir,
        conduct,
        start,
        benchmark_options,
        ..
    } = settings;
    let others = json!({
        "benchmark.scorer": benchmark_options.scorer,
        "log_dir": log_dir,
        "fail_on_error": conduct.fail_on_error.map(|gate| gate.allowed(100)),
        "json": start.json,
        "dry_run": start.estimate.dry_run,
        "check_key": start.check_key,
        "notes": notes,
        "warnings": warnings,
    });
    flatten("", others, &mut all);
    // Ignore the current date.
    all.remove("engine.date");
    all
}

/// Adds each leaf of a value under its path.
fn flatten(path: &str, value: Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                flatten(&path, value, into);
            }
        }
        value => {
            let shown = without_digests(&value.to_string());
            into.insert(path.to_owned(), shown);
        }
    }
}

/// Replaces digests, which also change for unrelated reasons.
fn without_digests(json: &str) -> Value {
    let is_digest = |text: &&str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let parts = json.split('"');
    let shown: Vec<&str> = parts
        .map(|part| {
            Some(part)
                .filter(|part| !is_digest(part))
                .unwrap_or("DIGEST")
        })
        .collect();
    let shown = shown.join("\"");
    serde_json::from_str(&shown).expect("the result is JSON")
}

#[test]
fn every_flag_has_environment_variable() {
    fn check(command: &clap::Command) {
        for argument in command.get_arguments() {
            let Some(flag) = argument.get_long() else {
                continue;
            };
            if matches!(flag, "help" | "version") {
                continue;
            }
            let expected = format!("EVAL_{}", flag.to_uppercase().replace('-', "_"));
            let variable = argument
                .get_env()
                .map(|name| name.to_string_lossy().into_owned());
            assert_eq!(variable, Some(expected), "{} --{flag}", command.get_name());
        }
        command.get_subcommands().for_each(check);
    }
    let mut command = cli::command();
    command.build();
    check(&command);
    command.debug_assert();
}
