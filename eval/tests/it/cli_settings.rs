//! Flags as typed become settings: what each flag changes.

use std::collections::BTreeMap;

use eval::cli::{self, Command};
use eval::settings::{EngineSettings, Resolved, RunSettings};
use serde::Deserialize;
use serde_json::{Value, json};

/// One row of `cli_settings.json`: what these flags change of a run without them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    args: Vec<String>,
    changes: BTreeMap<String, Value>,
}

#[test]
fn flags_become_settings() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("cli_settings.json")).expect("the rows are JSON");
    let plain = resolve(&[]);
    insta::assert_snapshot!(
        "a_run_without_optional_flags",
        serde_json::to_string_pretty(&plain).expect("a value is JSON")
    );
    for row in rows {
        let changed = resolve(&row.args);
        let changes: BTreeMap<String, Value> = changed
            .into_iter()
            .filter(|(name, value)| plain[name] != *value)
            .collect();
        assert_eq!(changes, row.changes, "{:?}", row.args);
    }
}

/// The settings of a run with these flags, flat.
fn resolve(args: &[String]) -> BTreeMap<String, Value> {
    let mut start = vec!["eval", "run"];
    for default in ["--benchmark=s-niah", "--model=scripted"] {
        let flag = default.split('=').next().unwrap_or_default();
        if !args.iter().any(|given| given == flag) {
            start.push(default);
        }
    }
    let args = start.into_iter().chain(args.iter().map(String::as_str));
    let Command::Run(args) = cli::parse(args).expect("the flags are right").command else {
        panic!("not a run");
    };
    let Resolved {
        settings,
        notes,
        warnings,
    } = RunSettings::resolve(&args).expect("the settings are right");
    let RunSettings {
        benchmark,
        benchmark_options: options,
        selection,
        grader,
        attempts,
        concurrency,
        seed,
        log_dir,
        min_score,
        fail_on_error,
        json,
        dry_run,
        check_key,
        engine,
        flags: _,
    } = settings;
    let EngineSettings {
        model,
        models,
        aliases,
        protocol,
        prompt_mode,
        drivers,
        profile,
        max_depth,
        max_iterations,
        max_blocks_per_iteration,
        confirm_first_return,
        equipment,
        sandbox,
        isolation: _,
        attempt_time,
        budget,
        traffic,
        store,
        record_goes_on: _,
        agent_turn,
        screenshots,
        layers,
        hooks,
        effective,
        sent: _,
    } = engine;
    let hooks: Vec<&str> = hooks.hooks.iter().map(|hook| hook.name()).collect();
    let servers: BTreeMap<&str, &str> = models
        .servers
        .iter()
        .map(|(prefix, server)| (prefix.as_str(), server.base_url.as_str()))
        .collect();
    let drivers: Vec<&str> = drivers.iter().map(|driver| driver.name.as_str()).collect();
    let all = [
        ("benchmark", json!(benchmark)),
        ("data_dir", json!(options.data_dir)),
        ("labels", json!(options.labels)),
        ("split", json!(options.split)),
        ("skip_malformed", json!(options.skip_malformed)),
        ("scorer", json!(options.scorer)),
        ("benchmark_seed", json!(options.seed)),
        ("context_lengths", json!(options.context_lengths)),
        ("tasks_per_length", json!(options.tasks_per_length)),
        (
            "outside_scorer",
            json!(grader.given.as_ref().map(ToString::to_string)),
        ),
        (
            "judge",
            json!(
                grader
                    .judge
                    .map(|judge| (judge.model, judge.prompt.name, judge.asked))
            ),
        ),
        ("scorer_time", json!(grader.limits.time.as_secs_f64())),
        ("scorer_heap", json!(grader.limits.heap_bytes)),
        ("max_tasks", json!(selection.max_tasks)),
        ("partition", json!(selection.partition)),
        ("ids", json!(selection.ids)),
        ("filters", json!(selection.filters)),
        ("sample_seed", json!(selection.sample_seed)),
        ("attempts", json!(attempts)),
        ("concurrency", json!(concurrency)),
        ("seed", json!(seed)),
        ("log_dir", json!(log_dir)),
        ("min_score", json!(min_score)),
        (
            "fail_on_error",
            json!(fail_on_error.map(|gate| gate.allowed(100))),
        ),
        ("json", json!(json)),
        ("dry_run", json!(dry_run)),
        ("check_key", json!(check_key)),
        ("agent_name", json!(agent_turn.agent_name)),
        ("screenshots", json!(screenshots)),
        ("model", json!(model)),
        ("sampling", json!(models.sampling)),
        ("stream", json!(models.stream)),
        (
            "connect_timeout",
            json!(models.timeouts.connect.as_secs_f64()),
        ),
        ("idle_timeout", json!(models.timeouts.idle.as_secs_f64())),
        (
            "request_timeout",
            json!(models.timeouts.request.as_secs_f64()),
        ),
        ("servers", json!(servers)),
        ("aliases", json!(aliases)),
        ("protocol", json!(protocol)),
        ("prompt_mode", json!(prompt_mode)),
        ("effective_prompt_mode", json!(effective.prompt_mode)),
        ("effective_max_depth", json!(effective.max_depth)),
        ("effective_max_iterations", json!(effective.max_iterations)),
        ("drivers", json!(drivers)),
        ("hooks", json!(hooks)),
        ("profile", json!(profile)),
        ("definition", json!(layers.definition.map(|own| own.name))),
        ("agent_name", json!(layers.layers.agent_name)),
        ("site", json!(layers.layers.site)),
        ("persona", json!(layers.layers.persona)),
        ("append", json!(layers.layers.append)),
        (
            "tools",
            json!(
                equipment
                    .root
                    .iter()
                    .map(|given| &given.spec().name)
                    .collect::<Vec<_>>()
            ),
        ),
        ("max_depth", json!(max_depth)),
        ("max_iterations", json!(max_iterations)),
        ("max_blocks_per_iteration", json!(max_blocks_per_iteration)),
        ("confirm_first_return", json!(confirm_first_return)),
        ("attempt_time", json!(attempt_time.as_secs_f64())),
        ("budget_of_run", json!(budget.budgets.run)),
        ("budget_of_attempt", json!(budget.budgets.attempt)),
        ("prices", json!(budget.prices.origins().len())),
        ("max_retries", json!(traffic.max_retries)),
        ("call_time", json!(traffic.call_timeout)),
        (
            "rate",
            json!(
                traffic
                    .pace()
                    .rate
                    .map(|rate| (rate.per_second, rate.burst))
            ),
        ),
        ("connections", json!(traffic.max_connections)),
        ("adaptive", json!(traffic.adaptive)),
        ("cache", json!(store.cache)),
        ("record", json!(store.record)),
        ("console", json!(sandbox.console)),
        ("cell_time", json!(sandbox.limits.cell_time.as_secs_f64())),
        ("cell_wait", json!(sandbox.limits.cell_wait.as_secs_f64())),
        ("output_chars", json!(sandbox.limits.output_chars)),
        ("heap_bytes", json!(sandbox.limits.heap_bytes)),
        ("notes", json!(notes)),
        ("warnings", json!(warnings)),
    ];
    all.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[test]
fn every_flag_has_a_variable() {
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
