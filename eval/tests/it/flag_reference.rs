//! Checks that `docs/reference/flags.md`, the reference of all flags, matches the command line.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command};

/// Compares the reference with the command line. `UPDATE_DOCS=1` rewrites the file.
#[test]
fn flag_reference_matches_command_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/flags.md");
    let made = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(stored.lines()).find(|(a, b)| a != b);
    assert!(
        made == stored,
        "docs/reference/flags.md does not match the command line; first difference: {differs:?}\n\
         to rewrite it: UPDATE_DOCS=1 cargo test --package eval --test it flag_reference"
    );
}

fn reference() -> String {
    let mut command = eval::cli::command();
    command.build();
    let mut text = "# Flags\n\n\
        Every flag of every command; the program generates this page. Each flag can also be set by an\n\
        environment variable: `--max-depth 3` is `EVAL_MAX_DEPTH=3`. A file [`.env`](env-file.md) can set\n\
        flags that grant no power. Flags take precedence over the environment, and the environment over\n\
        `.env`.\n"
        .to_owned();
    let mut told: Vec<(String, Arg)> = Vec::new();
    for subcommand in described(&command) {
        section(&mut text, "eval", subcommand, &mut told);
    }
    text
}

/// Appends the section of a command and its subcommands. `told` contains the flags described so
/// far, each with its command.
fn section(text: &mut String, above: &str, command: &Command, told: &mut Vec<(String, Arg)>) {
    let name = format!("{above} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string);
    let _ = write!(text, "\n## {name}\n\n{}.\n", about.unwrap_or_default());
    let mut groups: Vec<(&str, String)> = Vec::new();
    let mut as_above: Vec<(String, Vec<String>)> = Vec::new();
    let listed = |argument: &&Arg| !argument.is_hide_set() && argument.get_id() != "help";
    for argument in command.get_arguments().filter(listed) {
        let heading = argument.get_help_heading().unwrap_or_default();
        let is_same = |other: &Arg| {
            let other_heading = other.get_help_heading().unwrap_or_default();
            // The heading of a limit names what it limits.
            let is_same_limit = !heading.starts_with("Budget") || other_heading == heading;
            row(other) == row(argument) && is_same_limit
        };
        let Some((above, _)) = told.iter().find(|(_, other)| is_same(other)) else {
            match groups.iter_mut().find(|(known, _)| *known == heading) {
                Some((_, rows)) => rows.push_str(&row(argument)),
                None => groups.push((heading, row(argument))),
            }
            told.push((name.clone(), argument.clone()));
            continue;
        };
        let flag = format!("`{}`", shown(argument));
        match as_above.iter_mut().find(|(other, _)| other == above) {
            Some((_, flags)) => flags.push(flag),
            None => as_above.push((above.clone(), vec![flag])),
        }
    }
    if !groups.is_empty() {
        text.push_str("\n| flag | default | what it does |\n|---|---|---|\n");
    }
    for (heading, rows) in groups {
        if !heading.is_empty() {
            let _ = writeln!(text, "| **{heading}** | | |");
        }
        text.push_str(&rows);
    }
    for (command, flags) in as_above {
        let _ = write!(
            text,
            "\nThe same as in `{command}`: {}.\n",
            flags.join(", ")
        );
    }
    for subcommand in described(command) {
        section(text, &name, subcommand, told);
    }
}

/// Returns all subcommands except `help`.
fn described(command: &Command) -> impl Iterator<Item = &Command> {
    let commands = command.get_subcommands();
    commands.filter(|command| command.get_name() != "help")
}

/// Returns a flag's table row.
fn row(argument: &Arg) -> String {
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
    let default = match defaults.join(",") {
        none if none.is_empty() || none == "false" => String::new(),
        default => format!("`{default}`"),
    };
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = help.replace('|', "\\|").replace('<', "&lt;");
    format!(
        "| `{}` | {default} | {escaped} |\n",
        shown(argument).replace('|', "\\|")
    )
}

/// Returns the syntax of a flag, such as `--max-depth <DEPTH>` or `[DIR]`.
fn shown(argument: &Arg) -> String {
    argument.to_string()
}
