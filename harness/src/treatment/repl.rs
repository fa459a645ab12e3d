//! REPL settings as explicit settings: their flags and which agents they affect.

use std::fmt;

use sandbox::{Config, Limits};

use super::ReplTreatment;

/// A setting of the REPL.
#[derive(Clone, Copy)]
pub struct ReplSetting {
    /// Flag of the setting.
    pub flag: &'static str,
    /// Whether it is a limit of time, memory or counts.
    pub is_limit: bool,
    reset: fn(&mut ReplTreatment),
}

/// All settings of the REPL.
pub static REPL_SETTINGS: [ReplSetting; 14] = [
    setting("--console", |repl| {
        repl.config.console = Config::default().console;
    }),
    limit("--cell-timeout", |repl| {
        limits(repl).cell_time = Limits::default().cell_time;
    }),
    limit("--timer-timeout", |repl| {
        limits(repl).timer_timeout = Limits::default().timer_timeout;
    }),
    limit("--output-limit", |repl| {
        limits(repl).output_chars = Limits::default().output_chars;
    }),
    limit("--memory-limit", |repl| {
        let Limits {
            heap_bytes,
            process_bytes,
            ..
        } = Limits::default();
        (limits(repl).heap_bytes, limits(repl).process_bytes) = (heap_bytes, process_bytes);
    }),
    limit("--stack-limit", |repl| {
        limits(repl).stack_bytes = Limits::default().stack_bytes;
    }),
    limit("--pending-calls", |repl| {
        limits(repl).pending_calls = Limits::default().pending_calls;
    }),
    limit("--total-calls", |repl| {
        limits(repl).total_calls = Limits::default().total_calls;
    }),
    limit("--argument-limit", |repl| {
        limits(repl).argument_chars = Limits::default().argument_chars;
    }),
    limit("--timer-limit", |repl| {
        limits(repl).timers = Limits::default().timers;
    }),
    limit("--max-blocks-per-iteration", |repl| {
        repl.max_blocks_per_iteration = ReplTreatment::default().max_blocks_per_iteration;
    }),
    setting("--confirm-first-return", |repl| {
        repl.confirm_first_return = ReplTreatment::default().confirm_first_return;
    }),
    setting("--deterministic", |repl| repl.deterministic = None),
    setting("--jitless", |repl| repl.jitless = false),
];

const fn setting(flag: &'static str, reset: fn(&mut ReplTreatment)) -> ReplSetting {
    ReplSetting {
        flag,
        is_limit: false,
        reset,
    }
}

const fn limit(flag: &'static str, reset: fn(&mut ReplTreatment)) -> ReplSetting {
    ReplSetting {
        flag,
        is_limit: true,
        reset,
    }
}

fn limits(repl: &mut ReplTreatment) -> &mut Limits {
    &mut repl.config.limits
}

impl ReplSetting {
    /// Returns the settings that differ from their defaults.
    pub fn given(repl: &ReplTreatment) -> impl Iterator<Item = Self> {
        REPL_SETTINGS
            .into_iter()
            .filter(|setting| setting.removed(repl) != *repl)
    }

    /// Returns the settings with this one reset to its default.
    pub(super) fn removed(&self, from: &ReplTreatment) -> ReplTreatment {
        let mut repl = from.clone();
        (self.reset)(&mut repl);
        repl
    }
}

impl ReplTreatment {
    /// Returns the settings that affect agents with native tools and no REPL. The output limit also
    /// applies to results of tools, and the argument limit to prompts that are called as tools.
    pub(super) fn of_tools(&self) -> Self {
        let mut met = Self::default();
        limits(&mut met).output_chars = self.config.limits.output_chars;
        limits(&mut met).argument_chars = self.config.limits.argument_chars;
        met
    }
}

impl fmt::Debug for ReplSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.flag)
    }
}

impl PartialEq for ReplSetting {
    fn eq(&self, other: &Self) -> bool {
        self.flag == other.flag
    }
}

impl Eq for ReplSetting {}
