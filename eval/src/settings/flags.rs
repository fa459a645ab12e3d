//! Flags: the marks that declare their rules, their ids, names and errors, and which are typed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;

use clap::builder::ArgExt;
use clap::{Arg, Args, Command};

/// Heading of permissions in help texts.
pub(super) const PERMISSIONS: &str =
    "Permissions (for this invocation only: not recorded, so pass them again with --resume)";

/// Marks a flag that no file `.env` may set, although it is not a permission: it chooses a server,
/// writes files, reads flags from a folder, or disables a safeguard. Declared with
/// `#[arg(add = NotFromFile)]`, like the other marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotFromFile;

/// Marks a flag of `rlm-eval run` that a fork does not accept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunOnly;

/// Marks a flag whose value can name a file or server, although its type is not that of a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct MayNamePlace;

/// Marks a flag of `rlm-eval run` that the cells of a sweep cannot share, because the sweep sets
/// it. The text is advice. Flags that the matrix sets need no mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotShared(pub &'static str);

impl NotShared {
    /// Advice about a flag that `rlm-eval sweep` has as well.
    pub(super) const OF_SWEEP: Self = Self("pass it to the sweep, before `--`");
}

impl ArgExt for NotFromFile {}
impl ArgExt for RunOnly {}
impl ArgExt for MayNamePlace {}
impl ArgExt for NotShared {}

/// Ids of flags.
pub(crate) type Ids = BTreeSet<String>;

/// Returns the ids of the flags in a group. The struct that declares a flag determines its group.
pub(crate) fn ids<A: Args>() -> Ids {
    let command = A::augment_args(Command::new("group"));
    let arguments = command.get_arguments();
    arguments
        .map(|argument| argument.get_id().to_string())
        .collect()
}

/// Returns the ids of the flags in several groups.
pub(super) fn union<const N: usize>(groups: [Ids; N]) -> Ids {
    groups.into_iter().flatten().collect()
}

/// Returns the name of a flag, followed by its earlier names, which are hidden aliases.
pub(crate) fn names(argument: &Arg) -> impl Iterator<Item = &str> {
    let shown = argument.get_visible_aliases().unwrap_or_default();
    let all = argument.get_all_aliases().unwrap_or_default();
    let earlier = all.into_iter().filter(move |alias| !shown.contains(alias));
    argument.get_long().into_iter().chain(earlier)
}

/// Flags on the command line, without dashes: long flags by name, short flags by letter.
#[derive(Debug, Clone)]
pub(crate) struct TypedFlags(HashSet<String>);

impl TypedFlags {
    pub(crate) fn in_arguments(arguments: &[OsString]) -> Self {
        let flag = |argument: &OsString| {
            let flag = argument.to_str()?.strip_prefix('-')?;
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            let name = flag.split_once('=').map_or(flag, |(name, _)| name);
            Some(name.to_owned())
        };
        Self(arguments.iter().filter_map(flag).collect())
    }

    /// Whether a flag is on the command line under this name, which may be an alias.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(crate) fn has(&self, argument: &Arg) -> bool {
        let short = argument.get_short();
        names(argument).any(|name| self.0.contains(name))
            || short.is_some_and(|letter| self.0.contains(letter.to_string().as_str()))
    }
}

/// Returns clap's error message as one line.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}
