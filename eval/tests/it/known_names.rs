//! Lists of names that expected errors contain. In a row, `{BENCHMARKS}` stands for the list of all
//! benchmarks.

use std::fs;

use benchmarks::{Entry, catalog};
use harness::model::{InputKind, Protocol, protocol_words};

/// Replaces placeholders by the lists that they stand for.
pub fn filled(text: &str) -> String {
    text.replace("{BENCHMARKS}", &names(|_| true).join(", "))
        .replace("{FETCHED}", &names(|entry| entry.needs_data).join(", "))
        .replace("{SCRIPTED}", &scripted().join(", "))
        .replace("{DRIVERS}", &drivers().join(", "))
        .replace(
            "{PROTOCOLS}",
            &Protocol::ALL.map(Protocol::as_str).join(", "),
        )
        .replace(
            "{TEXT_PROTOCOLS}",
            &protocol_words(&Protocol::supporting(InputKind::Texts)),
        )
}

fn names(is_listed: fn(&Entry) -> bool) -> Vec<String> {
    let listed = catalog().iter().filter(|entry| is_listed(entry));
    listed.map(|entry| entry.name.to_owned()).collect()
}

/// Returns the sorted names of the scripted models of all benchmarks and of the judge.
fn scripted() -> Vec<String> {
    let mut names = Vec::new();
    for entry in catalog() {
        for (model, _) in entry.models {
            let suffix = model.strip_prefix(entry.name).expect(model);
            assert!(suffix.is_empty() || suffix.starts_with('-'), "{model}");
            names.push((*model).to_owned());
        }
    }
    names.push("judge".to_owned());
    names.sort();
    names
}

/// Returns the sorted names of the driver files, without `.md`.
pub fn drivers() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/drivers");
    let files = fs::read_dir(folder).unwrap();
    let stem = |name: String| name.trim_end_matches(".md").to_owned();
    let mut names: Vec<String> = files
        .map(|file| stem(file.unwrap().file_name().into_string().unwrap()))
        .collect();
    names.sort();
    names
}
