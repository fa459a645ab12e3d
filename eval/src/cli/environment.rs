//! Flags that come from variables: a flag that is typed wins over the variable of another that excludes it, and an error
//! about a variable's value names the variable.

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

use crate::env_vars;

/// The long flags on the command line, without their dashes.
pub(super) struct Typed(HashSet<String>);

impl Typed {
    pub(super) fn in_arguments(arguments: &[OsString]) -> Self {
        let flag = |argument: &OsString| {
            let flag = argument.to_str()?.strip_prefix("--")?;
            let name = flag.split_once('=').map_or(flag, |(name, _)| name);
            Some(name.to_owned())
        };
        Self(arguments.iter().filter_map(flag).collect())
    }

    fn has(&self, argument: &Arg) -> bool {
        names(argument).any(|name| self.0.contains(name))
    }
}

/// The name of a flag, and then those that it had earlier, which are its hidden aliases.
pub(super) fn names(argument: &Arg) -> impl Iterator<Item = &str> {
    let shown = argument.get_visible_aliases().unwrap_or_default();
    let all = argument.get_all_aliases().unwrap_or_default();
    let earlier = all.into_iter().filter(move |alias| !shown.contains(alias));
    argument.get_long().into_iter().chain(earlier)
}

/// The variable of a flag: that of its name, or that of an earlier name if only this one is set.
pub(super) fn variable(argument: &Arg) -> Option<String> {
    let mut variables = names(argument).map(env_vars::of_flag);
    let first = variables.next()?;
    if env::var_os(&first).is_some() {
        return Some(first);
    }
    let earlier = variables.find(|variable| env::var_os(variable).is_some());
    Some(earlier.unwrap_or(first))
}

/// Takes their variables from flags that exclude one that is typed.
pub(super) fn without_rivals(command: Command, typed: &Typed) -> Command {
    let mut rivals = Vec::new();
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
            rivals.extend(others.into_iter().cloned());
        }
    }
    rivals
        .into_iter()
        .fold(command, |command, id| {
            command.mut_arg(id, |argument| argument.env(Resettable::Reset))
        })
        .mut_subcommands(|command| without_rivals(command, typed))
}

/// Makes an error about the value of a flag that is not typed say which variable the value is of.
pub(super) fn name_variable(
    mut error: clap::Error,
    command: &Command,
    typed: &Typed,
) -> clap::Error {
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    // As in `--max-depth <DEPTH>`.
    let long = shown.split([' ', '=']).next().unwrap_or_default();
    let long = long.trim_start_matches('-');
    let variable = command
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter(|argument| argument.get_long() == Some(long) && !typed.has(argument))
        // What is not typed and not by default right is of the variable.
        .find_map(Arg::get_env);
    if let Some(variable) = variable {
        let named = format!("{} (for {shown})", variable.to_string_lossy());
        error.insert(ContextKind::InvalidArg, ContextValue::String(named));
    }
    error
}
