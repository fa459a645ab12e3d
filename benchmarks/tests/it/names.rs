//! Sources may name a benchmark only in the benchmark's folder and on the line that registers it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use benchmarks::catalog;

/// Sources of the program, relative to the workspace's root.
const SOURCES: [&str; 12] = [
    "sandbox/src",
    "sandbox/js",
    "model/src",
    "harness/src",
    "harness/drivers",
    "harness/prompts",
    "harness/tools",
    "benchmarks/src",
    "browser/src",
    "browser/js",
    "eval/src",
    "perf/src",
];

#[test]
fn benchmarks_are_named_only_where_registered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for folder in SOURCES {
        collect(&root.join(folder), &mut files);
    }
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut found = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_string_lossy();
        let Ok(text) = fs::read_to_string(&file) else {
            continue; // Images are not sources.
        };
        for (line, number) in lines_to_check(&path, &text) {
            found.extend(
                names_in(line)
                    .filter(|name| !may_name_benchmark(&path, line, name))
                    .map(|name| format!("{path}:{number}: {name}: {}", line.trim())),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Returns the numbered lines of a file, except tests, comments, and example commands in help
/// texts. Doc comments of flags are included, because they are help texts.
fn lines_to_check<'a>(path: &str, text: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
    let extension = Path::new(path).extension().and_then(OsStr::to_str);
    let is_data = matches!(extension, Some("yaml" | "txt"));
    let is_help = ["/cli.rs", "/settings.rs", "/settings/"];
    let is_help = path.starts_with("eval/src/") && is_help.iter().any(|part| path.contains(part));
    let is_test = ["/tests.rs", "/cases.json", "fixture"];
    let is_test = is_test.iter().any(|part| path.contains(part)) || extension == Some("snap");
    text.lines()
        .zip(1..)
        .take_while(move |(line, _)| {
            let examples = is_help && (line.starts_with("Examples:") || *line == "A matrix file:");
            !is_test && !examples && line.trim() != "#[cfg(test)]"
        })
        .filter(move |(line, _)| {
            let line = line.trim_start();
            let comment = if is_data { "#" } else { "//" };
            !line.starts_with(comment) || (is_help && line.starts_with("///"))
        })
}

/// Returns the benchmarks whose name or module name occurs in a line.
fn names_in(line: &str) -> impl Iterator<Item = &'static str> {
    catalog()
        .iter()
        .map(|entry| entry.name)
        .filter(move |name| has_word(line, name) || has_word(line, &name.replace('-', "_")))
}

/// Whether a text contains a name as a whole word. The id `arc-1` contains the name `arc`, but the
/// scorer `arc-grid` and the format version `arc/1` do not.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars();
        let (first, second) = (after.next(), after.next());
        let goes_on = match first {
            Some('-') => second.is_some_and(char::is_alphabetic),
            Some('/') => second.is_some_and(|c| c.is_ascii_digit()),
            first => first.is_some_and(is_part),
        };
        !goes_on && !before.is_some_and(|c| is_part(c) || c == '-')
    })
}

/// Whether a benchmark may be named here: in its folder, or where it is registered.
fn may_name_benchmark(path: &str, line: &str, name: &str) -> bool {
    let module = name.replace('-', "_");
    path.starts_with(&format!("benchmarks/src/{module}/"))
        || (path == "benchmarks/src/lib.rs" && line == format!("mod {module};"))
}

#[test]
fn matches_names_as_words() {
    let cases = [
        ("scripted/s-niah", true),
        ("crate::s_niah::tasks", true),
        ("s-niah-8k-1", true),
        ("id.starts_with(\"s-niah-\")", true),
        ("s-niah/1", false),
        ("s-niahs", false),
        ("mod as_niah;", false),
        ("s-niah-flawed", false),
    ];
    for (text, found) in cases {
        assert_eq!(names_in(text).any(|name| name == "s-niah"), found, "{text}");
    }
}
