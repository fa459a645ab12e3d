//! Environment of child processes: only listed variables, because the whole environment may include
//! API keys.

use std::env;
use std::ffi::OsString;

/// Variables that every child process receives.
const INHERITED: [&str; 7] = ["HOME", "LANG", "LANGUAGE", "PATH", "TMPDIR", "TZ", "USER"];
/// Prefix of the locale variables, which every child process also receives.
const LOCALE: &str = "LC_";
/// Additional variables for programs with windows, which need the screen and the user's session.
const OF_DESKTOP: [&str; 16] = [
    "BROWSER",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_CURRENT_DESKTOP",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_DESKTOP",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
    "WSL_DISTRO_NAME",
];

/// Returns the environment of a child process, to set after `env_clear`.
pub fn of_child() -> impl Iterator<Item = (OsString, OsString)> {
    chosen(env::vars_os(), is_inherited)
}

/// Returns the environment of a child process that shows a window, to set after `env_clear`.
pub fn of_desktop_child() -> impl Iterator<Item = (OsString, OsString)> {
    of_child().chain(chosen(env::vars_os(), |name| OF_DESKTOP.contains(&name)))
}

fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name) || name.starts_with(LOCALE)
}

fn chosen(
    all: impl Iterator<Item = (OsString, OsString)>,
    is_chosen: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(move |(name, _)| name.to_str().is_some_and(&is_chosen))
}

#[cfg(test)]
mod tests {
    use super::is_inherited;

    #[test]
    fn hides_keys_and_loader_variables_from_children() {
        for (name, expected) in [
            ("PATH", true),
            ("LC_ALL", true),
            ("TMPDIR", true),
            ("OPENAI_API_KEY", false),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("LD_PRELOAD", false),
            ("LD_LIBRARY_PATH", false),
            ("ENV", false),
            ("BASH_ENV", false),
            ("EVAL_ALLOW_COMMANDS", false),
        ] {
            assert_eq!(is_inherited(name), expected, "{name}");
        }
    }
}
