//! How the program was called: commands that it prints for people to paste begin with that.
//!
//! The sources write every command as `rlm-eval …`; what is printed passes [`as_called`].

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// The name that the program is installed under and that the sources write. `eval` is the same program, and in a shell the name of
/// a builtin.
pub const NAME: &str = "rlm-eval";

static FORM: OnceLock<String> = OnceLock::new();

/// Notes how the program was called, once: by its first argument, and whether Cargo started it.
pub fn note(first: Option<OsString>, by_cargo: bool) {
    FORM.get_or_init(|| form(&first.unwrap_or_default().to_string_lossy(), by_cargo));
}

/// What calls the program again: `rlm-eval`, `cargo eval`, or a path.
pub fn called() -> &'static str {
    FORM.get().map_or(NAME, String::as_str)
}

/// A text in which commands begin as the program was called.
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
        // Not within a path or a longer name.
        let begins = !before.ends_with(is_part);
        // Help is wrapped.
        let ends = after.starts_with([' ', '\n']);
        out.push_str(before);
        out.push_str(if begins && ends { form } else { NAME });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A text as a shell takes it for one word.
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
    fn commands_begin_as_the_program_was_called() {
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
        let text = "go on with `rlm-eval run`, rlm-eval list\nrlm-eval run x; /opt/rlm-eval run, my-rlm-eval run, rlm-eval: no, see `rlm-eval\n list`";
        let said = "go on with `./e run`, ./e list\n./e run x; /opt/rlm-eval run, my-rlm-eval run, rlm-eval: no, see `./e\n list`";
        assert_eq!(replaced(text, "./e"), said);
    }
}
