//! Results of races, as shown in tables.

use std::collections::BTreeMap;

use report::columns::WIDTH;
use report::compare::p_text;
use report::race::{RACE_VERSION, RaceHeader, RaceLog, RaceOpponents, Rules, Verdict, race_table};

/// Returns a race that has not begun: 20 samples in blocks of 10, with 2 attempts each. `scores`
/// are the cells' scores of every sample.
fn race(
    scores: &[f64],
    against: RaceOpponents,
    min_difference: f64,
) -> (RaceLog, BTreeMap<String, Vec<Option<f64>>>) {
    let samples: Vec<String> = (10..30).map(|n| format!("q{n}")).collect();
    let log = RaceLog::new(RaceHeader {
        v: RACE_VERSION,
        rules: Rules {
            alpha: 0.05,
            min_difference,
            against,
        },
        cells: (0..scores.len()).map(|n| format!("cell-{n}")).collect(),
        block: 10,
        attempts: 2,
        order: samples.iter().map(|id| vec![id.clone()]).collect(),
    });
    let row: Vec<Option<f64>> = scores.iter().copied().map(Some).collect();
    let rows = samples.into_iter().map(|id| (id, row.clone()));
    (log, rows.collect())
}

#[test]
fn counts_saved_attempts_only_of_finished_races() {
    let (mut log, scores) = race(&[0.5, 0.5], RaceOpponents::Best, 0.0);
    assert_eq!(
        race_table(&log.result(), WIDTH),
        "The race has not ended: no block is decided.\n"
    );
    for expected in [
        "The race has not ended: 1 block is decided, with 40 of the full sweep's 80 attempts.",
        "80 of the full sweep's 80 attempts were made: 0 % saved.",
    ] {
        log.decide(&scores).unwrap();
        let text = race_table(&log.result(), WIDTH);
        assert!(text.lines().any(|line| line == expected), "{text}");
    }
}

#[test]
fn shows_p_values_of_verdicts() {
    let baseline = || RaceOpponents::Baselines(vec![0, 0, 0]);
    for (scores, against, min_difference, verdicts) in [
        (
            [0.0, 0.5, 1.0],
            RaceOpponents::Best,
            0.1,
            [Verdict::NotBetter, Verdict::NotBetter, Verdict::Won],
        ),
        (
            [0.0, 0.0, 1.0],
            RaceOpponents::Best,
            0.0,
            [Verdict::Worse, Verdict::Worse, Verdict::Won],
        ),
        (
            [0.5, 0.5, 0.5],
            baseline(),
            0.9,
            [Verdict::Won, Verdict::Alike, Verdict::Alike],
        ),
        (
            [0.5, 1.0, 0.0],
            baseline(),
            0.0,
            [Verdict::Won, Verdict::Better, Verdict::Worse],
        ),
    ] {
        let (mut log, scores) = race(&scores, against, min_difference);
        while log.decide(&scores).is_some() {}
        let cells = log.result().cells;
        let found: Vec<Option<Verdict>> = cells.iter().map(|cell| cell.verdict).collect();
        assert_eq!(found, verdicts.map(Some));
        for cell in cells {
            let why = cell.why.unwrap();
            match cell.p {
                Some(p) => assert!(why.contains(&format!("(p {}", p_text(p))), "{why}: {p}"),
                None => assert_eq!(cell.verdict, Some(Verdict::Won), "{why}"),
            }
        }
    }
}
