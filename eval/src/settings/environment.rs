//! Flags set by variables from the environment or a `.env` file.
//!
//! A typed flag overrides the variables of flags that exclude it, and an error about a variable's
//! value names the variable.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::builder::{BoolishValueParser, Resettable, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::env_file;
use super::flags::{TypedFlags, names};
use crate::process::env_vars;

/// A parsed command line.
pub(crate) struct Parsed {
    /// Values of the flags.
    pub(crate) matches: ArgMatches,
    /// Flags that were typed, as opposed to set by variables.
    pub(crate) typed: TypedFlags,
    /// Definition that parsed the command line, for formatting further errors.
    pub(crate) command: Command,
}

/// Parses a command line, including the program's name, with the variables from the environment and
/// the file.
///
/// # Errors
/// The error with a suggestion, or the requested help or version text.
pub(crate) fn parse(command: Command, arguments: Vec<OsString>) -> Result<Parsed, clap::Error> {
    let typed = TypedFlags::in_arguments(&arguments);
    let mut command = without_excluded(with_variables(command), &typed);
    let arguments = with_file_values(arguments, &command, &typed)?;
    let matches = command
        .try_get_matches_from_mut(arguments)
        .map_err(|error| name_variable(error, &command, &typed))?;
    Ok(Parsed {
        matches,
        typed,
        command,
    })
}

/// Assigns each flag its environment variable.
pub(crate) fn with_variables(command: Command) -> Command {
    command
        .mut_args(with_variable)
        .mut_subcommands(with_variables)
}

/// Assigns a flag its environment variable. Help states the naming rule once instead of listing
/// every variable. The variables of switches accept the same words as a file, such as `1` and
/// `yes`.
pub(super) fn with_variable(argument: Arg) -> Arg {
    let Some(variable) = variable(&argument) else {
        return argument;
    };
    let argument = argument.env(variable).hide_env(true);
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        argument.value_parser(BoolishValueParser::new())
    } else {
        argument
    }
}

/// Returns the variable of a flag's current name, or that of an earlier name if only the latter is
/// set.
fn variable(argument: &Arg) -> Option<String> {
    let mut variables = names(argument).map(env_vars::of_flag);
    let first = variables.next()?;
    if env::var_os(&first).is_some() {
        return Some(first);
    }
    let earlier = variables.find(|variable| env::var_os(variable).is_some());
    Some(earlier.unwrap_or(first))
}

/// Removes the variables of flags that exclude a typed flag.
fn without_excluded(command: Command, typed: &TypedFlags) -> Command {
    let mut excluded_flags = Vec::new();
    for mut group in command.get_groups().cloned() {
        if group.is_multiple() {
            continue;
        }
        let is_typed = |id: &&clap::Id| {
            command
                .get_arguments()
                .any(|argument| argument.get_id() == *id && typed.has(argument))
        };
        let (given, others): (Vec<_>, Vec<_>) = group.get_args().partition(is_typed);
        if !given.is_empty() {
            excluded_flags.extend(others.into_iter().cloned());
        }
    }
    excluded_flags
        .into_iter()
        .fold(command, |command, id| {
            command.mut_arg(id, |argument| argument.env(Resettable::Reset))
        })
        .mut_subcommands(|command| without_excluded(command, typed))
}

/// Inserts the values of the file after the subcommand, as if they were typed. Skips a flag if it,
/// or a flag that excludes it, is typed or set in the environment.
///
/// # Errors
/// Returns an error if the value of a switch is neither true nor false.
fn with_file_values(
    mut arguments: Vec<OsString>,
    command: &Command,
    typed: &TypedFlags,
) -> Result<Vec<OsString>, clap::Error> {
    let Some(file) = env_file::flags() else {
        return Ok(arguments);
    };
    let (mut command, mut at) = (command, 1);
    for (place, word) in arguments.iter().enumerate().skip(1) {
        // Flags of a command with subcommands take no value: `list --json benchmarks`.
        if word.as_encoded_bytes().starts_with(b"-") {
            continue;
        }
        let Some(within) = command.find_subcommand(word) else {
            break;
        };
        (command, at) = (within, place + 1);
    }
    if command.has_subcommands() {
        return Ok(arguments);
    }
    let is_given = |argument: &Arg| {
        let mut variables = names(argument).map(env_vars::of_flag);
        typed.has(argument) || variables.any(|variable| env::var_os(variable).is_some())
    };
    let mut words = Vec::new();
    for argument in command.get_arguments() {
        let mut variables = names(argument).map(env_vars::of_flag);
        let found = variables.find_map(|variable| file.get_key_value(&variable));
        let (Some(long), Some((variable, value))) = (argument.get_long(), found) else {
            continue;
        };
        if is_given(argument) || excluded_flags(command, argument).any(is_given) {
            continue;
        }
        if argument.get_action().takes_values() {
            words.push(OsString::from(format!("--{long}={value}")));
        } else if BoolishValueParser::new()
            .parse_ref(command, None, OsStr::new(value))
            .map_err(|_| invalid_boolean(variable, long, value))?
        {
            words.push(OsString::from(format!("--{long}")));
        }
    }
    arguments.splice(at..at, words);
    Ok(arguments)
}

/// Returns the flags that exclude `argument`.
fn excluded_flags<'a>(command: &'a Command, argument: &'a Arg) -> impl Iterator<Item = &'a Arg> {
    let id = argument.get_id();
    let groups = command.get_groups().filter(move |group| {
        // `is_multiple` requires a mutable group, hence the clone.
        !(*group).clone().is_multiple() && group.get_args().any(|member| member == id)
    });
    let members = groups.flat_map(clap::ArgGroup::get_args);
    let others = members.filter(move |member| *member != id);
    others.filter_map(|other| {
        command
            .get_arguments()
            .find(|found| found.get_id() == other)
    })
}

fn invalid_boolean(variable: &str, long: &str, value: &str) -> clap::Error {
    clap::Error::raw(
        ErrorKind::InvalidValue,
        format!(
            "invalid value '{value}' for '{variable} (for --{long})': value was not a boolean\n"
        ),
    )
}

/// Adds the name of the variable to an error about an invalid value that comes from a variable.
fn name_variable(mut error: clap::Error, command: &Command, typed: &TypedFlags) -> clap::Error {
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    // Written as `--max-depth <DEPTH>`.
    let long = shown.split([' ', '=']).next().unwrap_or_default();
    let long = long.trim_start_matches('-');
    let variable = command
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter(|argument| argument.get_long() == Some(long) && !typed.has(argument))
        // An invalid value that was not typed comes from a variable, because defaults are valid.
        .find_map(Arg::get_env);
    if let Some(variable) = variable {
        let named = format!("{} (for {shown})", variable.to_string_lossy());
        error.insert(ContextKind::InvalidArg, ContextValue::String(named));
    }
    error
}
