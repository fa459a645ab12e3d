//! Adapts printed commands to how the program was called, so that users can paste them.
//!
//! Source texts write every command as `rlm-eval …`; [`as_called`] replaces the name before
//! printing.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// Installed name of the program, used in source texts. `eval` is the same program, but most shells
/// shadow it with a builtin.
pub const NAME: &str = "rlm-eval";

static FORM: OnceLock<String> = OnceLock::new();

/// Records how the program was called: the name or path in its first argument, and whether Cargo
/// started it. Only the first call has an effect.
pub fn note(first: Option<OsString>, by_cargo: bool) {
    FORM.get_or_init(|| form(&first.unwrap_or_default().to_string_lossy(), by_cargo));
}

/// Returns the words that call the program again: `rlm-eval`, `cargo eval`, or a path.
pub fn called() -> &'static str {
    FORM.get().map_or(NAME, String::as_str)
}

/// Returns the text with its commands written as the program was called.
pub fn as_called(text: &str) -> Cow<'_, str> {
    replaced(text, called())
}

fn form(first: &str, by_cargo: bool) -> String {
    let is_path = Path::new(first).components().count() > 1;
    if by_cargo {
        "cargo eval".to_owned()
    } else if is_path {
        quoted(first)
    } else {
        NAME.to_owned()
    }
}

fn replaced<'a>(text: &'a str, form: &str) -> Cow<'a, str> {
    if form == NAME || !text.contains(NAME) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (before, after) = (&rest[..at], &rest[at + NAME.len()..]);
        let is_part = |c: char| c.is_alphanumeric() || "/-_.".contains(c);
        // Skip matches inside a path or a longer name.
        let begins = !before.ends_with(is_part);
        // Help texts may wrap after the name.
        let ends = after.starts_with([' ', '\n']);
        out.push_str(before);
        out.push_str(if begins && ends { form } else { NAME });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Quotes text so that a shell reads it as one word.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{form, replaced};

    #[test]
    fn commands_start_with_the_called_name() {
        let rows = [
            ("rlm-eval", false, "rlm-eval"),
            ("eval", false, "rlm-eval"),
            ("", false, "rlm-eval"),
            ("target/release/eval", true, "cargo eval"),
            ("./target/release/eval", false, "./target/release/eval"),
            ("/opt/my tools/rlm-eval", false, "'/opt/my tools/rlm-eval'"),
        ];
        for (first, by_cargo, called) in rows {
            assert_eq!(form(first, by_cargo), called, "{first}");
        }
        let text = "continue with `rlm-eval run`, rlm-eval list\nrlm-eval run x; /opt/rlm-eval \
            run, my-rlm-eval run, rlm-eval: no, see `rlm-eval\n list`";
        let said = "continue with `./e run`, ./e list\n./e run x; /opt/rlm-eval run, my-rlm-eval \
            run, rlm-eval: no, see `./e\n list`";
        assert_eq!(replaced(text, "./e"), said);
    }
}
