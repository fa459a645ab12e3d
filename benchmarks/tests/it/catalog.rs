//! The catalog, and errors when a benchmark is opened.

use benchmarks::{Options, catalog};

use crate::open;

#[test]
fn rejects_invalid_options() {
    let lengths = |lengths: &[usize]| Options {
        context_lengths: lengths.into(),
        ..Options::default()
    };
    let tasks = |tasks_per_length| Options {
        tasks_per_length,
        ..Options::default()
    };
    let rows = [
        (
            "sniah",
            Options::default(),
            "unknown benchmark `sniah`; expected one of KNOWN",
        ),
        (
            "gsm8k",
            Options::default(),
            "unknown benchmark `gsm8k`; expected one of KNOWN",
        ),
        (
            "",
            Options::default(),
            "unknown benchmark ``; expected one of KNOWN",
        ),
        (
            "arc",
            Options::default(),
            "benchmark `arc` needs a data folder: a folder of ARC-AGI task files (*.json), or one with evaluation/ or \
             training/ in it",
        ),
        (
            "s-niah",
            lengths(&[8_000, 1_999]),
            "benchmark `s-niah`: invalid context length 1999: expected 2000 to 100000000 characters",
        ),
        (
            "s-niah",
            lengths(&[usize::MAX]),
            "benchmark `s-niah`: invalid context length 18446744073709551615: expected 2000 to \
             100000000 characters",
        ),
        (
            "s-niah",
            lengths(&[8_000, 16_000, 8_000]),
            "benchmark `s-niah`: invalid context length 8000: expected each length only once",
        ),
        (
            "s-niah",
            tasks(0),
            "benchmark `s-niah`: invalid samples per length 0: expected 1 to 10000",
        ),
        (
            "s-niah",
            tasks(10_001),
            "benchmark `s-niah`: invalid samples per length 10001: expected 1 to 10000",
        ),
    ];
    let known: Vec<_> = catalog().iter().map(|entry| entry.name).collect();
    for (name, options, error) in rows {
        assert_eq!(
            open(name, &options).err(),
            Some(error.replace("KNOWN", &known.join(", "))),
            "{name} {options:?}"
        );
    }
}

#[test]
fn catalog_matches_opened_benchmarks() {
    let names = catalog().iter().map(|entry| entry.name).collect::<Vec<_>>();
    assert!(names.is_sorted());
    for entry in catalog().iter().filter(|entry| !entry.needs_data) {
        let dataset = open(entry.name, &Options::default()).unwrap();
        assert_eq!(
            (entry.name, entry.scorer),
            (dataset.name(), dataset.scorer().name())
        );
    }
}
