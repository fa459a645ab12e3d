//! Compares races and their bets with manually computed figures.

use statistics::{
    ClusterSum, Race, RaceOpponents, Rules, SampleCluster, Verdict, Wealth, confidence_sequence,
};

/// Stakes and the part of the initial wealth that bets each, as documented for `Wealth`.
const STAKES: [(f64, f64); 7] = [
    (0.05, 0.06),
    (0.12, 0.14),
    (0.22, 0.22),
    (0.36, 0.22),
    (0.52, 0.18),
    (0.7, 0.12),
    (0.88, 0.06),
];

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn wealth_does_not_depend_on_order() {
    let draws = [1.0, -1.0, 0.5, 0.0, 1.0, -0.25];
    let by_hand: f64 = STAKES
        .iter()
        .map(|(stake, part)| part * draws.iter().map(|gain| 1.0 + stake * gain).product::<f64>())
        .sum();
    for order in [[0, 1, 2, 3, 4, 5], [5, 3, 1, 4, 2, 0]] {
        let mut wealth = Wealth::default();
        for place in order {
            wealth.add(draws[place]);
        }
        assert!(near(wealth.log(), by_hand.ln()), "{order:?}");
    }
    let parts: f64 = STAKES.iter().map(|(_, part)| part).sum();
    assert!(near(parts, 1.0));
}

#[test]
fn interval_ends_where_wealth_is_forty() {
    let groups: Vec<ClusterSum> = [1.0, 0.0, 1.0, 1.0, 0.5, 1.0, 1.0, 0.0, 1.0, 1.0]
        .map(|sum| ClusterSum { sum, size: 1.0 })
        .into();
    let [low, high] = confidence_sequence(&groups, [0.0, 1.0], 1.0, 0.05).unwrap();
    let wealth = |end: f64, sign: f64, room: f64| {
        let mut wealth = Wealth::default();
        for group in &groups {
            wealth.add(sign * (group.sum - end) / room);
        }
        wealth.log().exp()
    };
    assert!((wealth(low, 1.0, low) - 40.0).abs() < 1e-3, "{low}");
    assert!(
        (high - 1.0).abs() < 1e-6 || (wealth(high, -1.0, 1.0 - high) - 40.0).abs() < 1e-3,
        "{high}"
    );
    assert!(low < 0.75 && 0.75 < high);
    assert_eq!(confidence_sequence(&[], [0.0, 1.0], 1.0, 0.05), None);
}

/// Checks the verdicts of a race in blocks of 10 samples, in which each cell has a constant score.
fn check(
    scores: &[f64],
    against: RaceOpponents,
    min_difference: f64,
    expected: &[Option<Verdict>],
) {
    let rules = Rules {
        alpha: 0.05,
        min_difference,
        against,
    };
    let mut race = Race::new(rules, scores.len(), 1);
    for _ in 0..10 {
        let running = race.running();
        let row = || {
            let cells = scores.iter().enumerate();
            cells
                .map(|(cell, score)| Some(*score).filter(|_| running.contains(&cell)))
                .collect()
        };
        race.add((0..10).map(|_| SampleCluster(vec![row()])).collect());
    }
    let last = race.add(Vec::new());
    let found: Vec<Option<Verdict>> = last.iter().map(|standing| standing.verdict).collect();
    assert_eq!(found, expected, "{scores:?}");
}

#[test]
fn race_decides_by_its_rules() {
    use Verdict::{Alike, Better, NotBetter, Won, Worse};
    let (best, baseline) = (RaceOpponents::Best, RaceOpponents::Baselines(vec![0, 0, 0]));
    check(
        &[0.0, 0.0, 1.0],
        best.clone(),
        0.0,
        &[Some(Worse), Some(Worse), Some(Won)],
    );
    // Equal cells do not stop as worse, but with a minimum difference, only the first cell remains.
    check(&[0.5, 0.5, 0.5], best.clone(), 0.0, &[None, None, None]);
    check(
        &[0.5, 0.5, 0.5],
        best,
        0.5,
        &[Some(Won), Some(NotBetter), Some(NotBetter)],
    );
    check(
        &[0.5, 1.0, 0.0],
        baseline.clone(),
        0.0,
        &[Some(Won), Some(Better), Some(Worse)],
    );
    check(
        &[0.5, 0.5, 0.5],
        baseline,
        0.5,
        &[Some(Won), Some(Alike), Some(Alike)],
    );
}

#[test]
fn correction_stops_resamples_as_alike() {
    let rules = Rules {
        alpha: 0.05,
        min_difference: 0.9,
        against: RaceOpponents::Baselines(vec![0, 0]),
    };
    let mut race = Race::new(rules, 2, 1);
    let unit = |place: i32| {
        let score = if place < 6 { 1.0 } else { 0.0 };
        SampleCluster(vec![vec![Some(0.0), Some(score)]])
    };
    let standings = race.add((0..20).map(unit).collect());
    assert_eq!(standings[1].verdict, Some(Verdict::Alike));
    let difference = race.estimate(1, 0, 100, 1).unwrap();
    assert!(near(difference.seen, 0.3));
    // If resamples stopped only as better or worse, the bias would be 0.03.
    let bias = difference.seen - difference.corrected;
    assert!(bias.abs() < 0.015, "{difference:?}");
}
