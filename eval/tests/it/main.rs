//! Integration tests of the program: its binary and its library.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod any_server;
mod binary;
mod cli;
mod cli_settings;
mod programs;
mod prompt;
mod prompt_cases;
mod repl;
mod quickstart;
mod readme;
mod report;

mod data;
mod env_file;
mod clients;
mod continue_inside;
mod data_server;

mod fork;
mod import;
mod judge;
mod known_names;
mod long_answers;
mod system_packages;
mod merge;

mod compaction;
mod compare;

mod reporter;
mod reporter_screen;
mod survival;

mod baselines;
mod budget_simulation;
mod budgets;
mod cassette;
mod faults;
mod folder_powers;
mod power_table;
mod fetch_v8;
mod flag_reference;
mod images;
mod partition;
mod peers;
mod program;
mod script_files;
mod secrets;
mod serve;
mod servers;
mod traffic;

mod further_scorers;
mod scorer_file;
mod race;
mod sweep;
mod sweep_cells;
mod sweep_resume;
mod manifests;
mod mcp;
mod mcp_clients;
mod mcp_servers;
mod snapshot;
mod workflow;

mod queue;
mod real_model;
mod resume;
mod resume_inside;
mod resume_killed;

mod run;
mod run_apps;
mod run_ask;
mod run_benchmarks;
mod run_own;
mod run_replay;
mod run_runner;
mod run_selection;
mod run_stop;
mod run_trajectory;
mod run_web;
mod run_worlds;
mod run_wrong;

mod treatments;
mod view;
mod view_browser;
mod view_server;
