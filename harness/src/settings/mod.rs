//! Settings of agents, declared once: type, default, bounds and help.
//!
//! With the feature `clap`, each group is a group of command-line flags. The serialized form of a
//! group has one key for each flag, and is what a run records as its flags. Here are only settings
//! whose values need no lookup; everything else is in
//! [`Treatment`](crate::treatment::Treatment), which contains these groups.

/// Declares a group of settings, each as `NAME: TYPE = DEFAULT => (FLAG)`, where `FLAG` are
/// attributes of the command-line flag. Without `= DEFAULT`, the default is that of the type, and
/// the attributes must repeat it if the flag has a default.
macro_rules! settings_group {
    (
        $(#[$group:meta])*
        pub struct $Group:ident under $heading:literal {
            $(
                $(#[$setting:meta])*
                pub $name:ident: $Value:ty $(= $default:expr)? => ($($flag:tt)*),
            )*
        }
    ) => {
        $(#[$group])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        #[cfg_attr(feature = "clap", command(next_help_heading = $heading))]
        #[serde(default, deny_unknown_fields)]
        pub struct $Group {
            $(
                $(#[$setting])*
                #[cfg_attr(feature = "clap", arg(long, $($flag)*))]
                $(#[cfg_attr(feature = "clap", arg(default_value_t = $default))])?
                pub $name: $Value,
            )*
        }

        impl Default for $Group {
            fn default() -> Self {
                Self {
                    $($name: settings_group!(@default $($default)?),)*
                }
            }
        }
    };
    (@default) => {
        Default::default()
    };
    (@default $default:expr) => {
        $default
    };
}

mod compaction;
mod iterations;
mod pages;
mod prompts;
mod protocols;
mod repl;
mod values;

pub use compaction::{Compact, CompactionSettings, CompactionSize};
pub use iterations::{DEFAULT_MAX_ITERATIONS, IterationSettings};
pub use pages::{DumpAddition, DumpText, PageSettings};
pub use prompts::{CodeFormat, DEFAULT_MAX_DEPTH, MOST_DEPTH, PromptMode, PromptSettings};
pub use protocols::{Overflow, ProtocolSettings};
pub use repl::ReplSettings;
pub use values::{Seconds, whole};
#[cfg(feature = "clap")]
pub use values::{decimal, one_of};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A group of settings in which each field is a flag.
pub trait SettingsGroup: Default + Serialize + DeserializeOwned {
    /// Keys of the settings that only limit agents.
    const LIMITS: &'static [&'static str] = &[];
    /// Keys of the settings that runs record in a form of their own. All others are recorded, and
    /// are part of the fingerprint, under their key if they differ from their default.
    const RECORDED: &'static [&'static str] = &[];
    /// Keys that are not the name of their flag, each with that name.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    /// Returns the settings that differ from their defaults, by key.
    fn changed(&self) -> Map<String, Value> {
        changed_keys(self)
    }

    /// Returns the changed settings that are not recorded in a form of their own, by key.
    fn others(&self) -> Map<String, Value> {
        let mut changed = self.changed();
        changed.retain(|key, _| !Self::RECORDED.contains(&key.as_str()));
        changed
    }

    /// Resets a setting to its default.
    fn reset(&mut self, key: &str) {
        let mut all = self.changed();
        all.remove(key);
        // A group can be read from any subset of its own keys.
        if let Ok(group) = serde_json::from_value(Value::Object(all)) {
            *self = group;
        }
    }

    /// Returns the name of the flag that is recorded under this key, without dashes in front.
    fn flag(key: &str) -> String {
        let renamed = Self::RENAMED.iter().find(|(renamed, _)| *renamed == key);
        renamed.map_or_else(|| key.replace('_', "-"), |(_, flag)| (*flag).to_owned())
    }
}

fn changed_keys<G: SettingsGroup>(group: &G) -> Map<String, Value> {
    let defaults = fields(&G::default());
    let mut changed = fields(group);
    changed.retain(|key, value| defaults.get(key) != Some(value));
    changed
}

/// Returns the serialized fields of a part of the settings.
pub fn fields(group: &impl Serialize) -> Map<String, Value> {
    match json!(group) {
        Value::Object(keys) => keys,
        other => unreachable!("settings are serialized as an object, not as {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        CompactionSettings, IterationSettings, PageSettings, PromptSettings, ProtocolSettings,
        ReplSettings, Seconds, SettingsGroup,
    };

    #[test]
    fn resets_only_given_setting() {
        let changed = ReplSettings {
            timer_timeout: Seconds::of(1),
            total_calls: 7,
            jitless: true,
            ..ReplSettings::default()
        };
        let mut reset = changed.clone();
        reset.reset("cell_wait");
        let expected = ReplSettings {
            timer_timeout: ReplSettings::default().timer_timeout,
            ..changed
        };
        assert_eq!(reset, expected);
    }

    #[test]
    fn limits_and_recorded_settings_are_keys() {
        fn check<G: SettingsGroup>() {
            let fields = super::fields(&G::default());
            for key in G::LIMITS.iter().chain(G::RECORDED) {
                assert!(fields.contains_key(*key), "{key}");
            }
        }
        check::<CompactionSettings>();
        check::<IterationSettings>();
        check::<PageSettings>();
        check::<PromptSettings>();
        check::<ProtocolSettings>();
        check::<ReplSettings>();
    }
}
