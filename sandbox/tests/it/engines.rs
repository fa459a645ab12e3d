//! Differences between the engines. The table in `README.md` must list all of them.

use sandbox::ENGINE;

const README: &str = include_str!("../../README.md");

/// Messages of V8, each with the corresponding message of `QuickJS`.
const WORDS: &[(&str, &str)] = &[
    (
        "Converting circular structure to JSON\n    --> starting at object with constructor 'Object'\n    --- property 'ring' closes the circle",
        "circular reference",
    ),
    (
        "Do not know how to serialize a BigInt",
        "BigInt are forbidden in JSON.stringify",
    ),
    (
        "Invalid or unexpected token",
        "unexpected token in expression: '@'",
    ),
];

/// Returns the step between the cases of a corpus to run; 1 runs all cases. The step is larger on
/// V8, where all cases would take minutes and differ only as listed in the table.
/// `scripts/test-v8.sh --full` runs all.
pub fn every() -> usize {
    if cfg!(feature = "v8") {
        every_in_full()
    } else {
        1
    }
}

/// Like [`every`], but on any engine, for a corpus that only `./test.sh --full` and
/// `scripts/test-v8.sh --full` run completely.
pub fn every_in_full() -> usize {
    let is_whole = ["SANDBOX_TEST_WHOLE", "EVAL_TEST_FULL"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    if is_whole { 1 } else { 8 }
}

/// Asserts that the first column of the table contains `row`.
pub fn assert_row(row: &str) {
    assert!(
        table().any(|line| line.starts_with(&format!("| {row} |"))),
        "README.md has no difference {row:?}"
    );
}

/// Replaces messages of this engine in `text` by those of `QuickJS`.
pub fn with_quickjs_messages(mut text: String) -> String {
    if ENGINE == "v8" {
        for (v8, quickjs) in WORDS {
            text = text.replace(v8, quickjs);
        }
    }
    text
}

#[test]
fn readme_lists_engine_differences() {
    for (v8, quickjs) in WORDS {
        let first = v8.lines().next().unwrap_or_default();
        let told = |line: &str| line.contains(first) && line.contains(quickjs);
        assert!(table().any(told), "README.md lacks {first:?}");
    }
}

fn table() -> impl Iterator<Item = &'static str> {
    let (_, rest) = README
        .split_once("## What differs between the engines")
        .expect("README.md has the section");
    let (section, _) = rest.split_once("\n## ").expect("another section follows");
    section.lines()
}
