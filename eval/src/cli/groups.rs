//! Groups of flags with the same rules for recording, environment variables and answers. The struct
//! that declares a flag determines its group.

use std::collections::BTreeSet;

use clap::{Args, Command};

use super::{
    ConductArgs, PowerArgs, QueueAccessArgs, RunPowerArgs, ServerArgs, StartArgs, StoreArgs,
    TrafficArgs,
};
use crate::settings::BudgetArgs;

/// Ids of flags.
pub(super) type Ids = BTreeSet<String>;

fn ids<A: Args>() -> Ids {
    let command = A::augment_args(Command::new("group"));
    let arguments = command.get_arguments();
    arguments
        .map(|argument| argument.get_id().to_string())
        .collect()
}

fn union<const N: usize>(groups: [Ids; N]) -> Ids {
    groups.into_iter().flatten().collect()
}

/// Returns the permissions, which must be granted at every start.
pub(super) fn powers() -> Ids {
    union([ids::<PowerArgs>(), ids::<RunPowerArgs>()])
}

/// Returns the flags that are never recorded and never read from a file: permissions, and flags
/// that apply to a single start.
pub(super) fn unrecorded() -> Ids {
    union([powers(), ids::<StartArgs>()])
}

/// Returns the flags whose environment variables apply to a resumed run. For other flags, the
/// folder takes precedence over the environment, which may be meant for another run.
pub(super) fn from_environment() -> Ids {
    union([unrecorded(), ids::<ConductArgs>(), ids::<QueueAccessArgs>()])
}

/// Returns the flags of [`super::EngineArgs`] that cannot change an answer.
pub(super) fn engine_conduct() -> Ids {
    union([
        ids::<BudgetArgs>(),
        ids::<TrafficArgs>(),
        ids::<StoreArgs>(),
        ids::<ServerArgs>(),
    ])
}
