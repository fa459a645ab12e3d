//! Loads sample rows in the formats of published datasets, and rejects invalid rows.

use benchmarks::Options;
use insta::{Settings, assert_snapshot};

use crate::cases::{self, InvalidRow};
use crate::open;
use crate::user_dataset::described;

fn fixture(benchmark: &str) -> Options {
    Options {
        data_dir: Some(cases::folder(benchmark).join("fixture")),
        ..Options::default()
    }
}

fn validation(options: Options) -> Options {
    Options {
        split: Some("validation".to_owned()),
        ..options
    }
}

/// Compares complete samples with snapshots. Other file formats with the same rows must yield the
/// same samples.
#[test]
fn loads_published_datasets() {
    for (entry, cases) in cases::all() {
        let folder = cases::folder(entry.name);
        for (row, number) in cases.load.iter().zip(1..) {
            let load = |data: &str| {
                let options = Options {
                    data_dir: Some(folder.join(data)),
                    split: row.split.clone(),
                    ..Options::default()
                };
                described(&*open(entry.name, &options).unwrap())
            };
            let found = load(&row.data);
            let mut settings = Settings::clone_current();
            settings.set_snapshot_path(&folder);
            settings.set_prepend_module_to_snapshot(false);
            settings.bind(|| assert_snapshot!(format!("loaded-{number}"), format!("{found:#}")));
            if let Some(same) = &row.same {
                assert_eq!(load(same), found, "{}", entry.name);
            }
        }
    }
}

#[test]
fn options_select_rows_and_contexts() {
    let ids = |benchmark, options: &Options| {
        let dataset = open(benchmark, options).unwrap();
        dataset.ids().to_vec()
    };
    assert_eq!(ids("oolong", &fixture("oolong")), ["oolong-17005"]);
    let long = Options {
        context_lengths: vec![2048],
        ..fixture("oolong")
    };
    assert_eq!(ids("oolong", &long), ["oolong-17005"]);
    assert!(ids("oolong", &validation(long.clone())).is_empty());
    assert!(ids("oolong-pairs", &long).is_empty());
    let labels = Options {
        labels: true,
        ..fixture("oolong")
    };
    for benchmark in ["oolong", "oolong-pairs"] {
        let with = open(benchmark, &labels).unwrap();
        let without = open(benchmark, &fixture("oolong")).unwrap();
        assert!(with.sample(0).unwrap().context.contains("|| Label: "));
        assert!(!without.sample(0).unwrap().context.contains("|| Label: "));
        assert_ne!(with.digest(), without.digest());
    }
    let order = |seed| {
        let options = Options {
            seed,
            ..fixture("browsecomp-plus")
        };
        open("browsecomp-plus", &options)
            .unwrap()
            .sample(0)
            .unwrap()
            .context
    };
    assert!(order(0) == order(0) && (1..9).any(|seed| order(seed) != order(0)));
}

/// The expected answers of BrowseComp-Plus must stay encrypted in samples and explanations but
/// still be usable for scoring.
#[test]
fn scores_against_encrypted_expected_answers() {
    let dataset = open("browsecomp-plus", &fixture("browsecomp-plus")).unwrap();
    let scorer = dataset.scorer();
    let sample = dataset.sample(0).unwrap();
    let score = |answer: &str| scorer.score(answer, &sample);
    assert_eq!(
        (
            score("Ira Quist").value,
            score("Exact Answer: ira quist.").value
        ),
        (1.0, 1.0)
    );
    let wrong = score("Änne Brook");
    assert!(wrong.value < 0.1, "{wrong:?}");
    assert!(!format!("{wrong:?} {:?}", sample.expected).contains("Quist"));
}

#[test]
fn rejects_invalid_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (entry, cases) in cases::all() {
        for InvalidRow { row, problem } in cases.odd_rows {
            let path = folder.path().join("rows.jsonl");
            std::fs::write(&path, &row).unwrap();
            let options = Options {
                data_dir: Some(path.clone()),
                ..Options::default()
            };
            assert_eq!(
                open(entry.name, &options).err(),
                Some(format!("{}:1: {problem}", path.display())),
                "{}: {row}",
                entry.name
            );
        }
    }
}
