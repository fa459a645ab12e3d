//! Large answers that are deeply nested or designed to be slow to parse. Every scorer must handle
//! each of them quickly.

use std::sync::Arc;
use std::time::Duration;

use benchmarks::{PairF1, Scorer, scorer, scorers};
use serde_json::{Value, json};

use crate::cpu_time::cpu_time;
use crate::{cases, score};

const MEGABYTE: usize = 1_000_000;

/// Parts of each hostile answer: the beginning, the part to repeat, and the end.
const PARTS: [(&str, &str, &str); 61] = [
    ("", "(", ""),
    ("", "(1,", ""),
    ("", "(1, 2), ", ""),
    ("", "\\boxed{", ""),
    ("", "\\boxed{1}", ""),
    ("", "\\frac{1}{", ""),
    ("", "The correct answer is ", ""),
    ("", "Answer: ", ""),
    ("", "answer is ", ""),
    ("", "A, ", ""),
    ("", "1\\,000", ""),
    ("", "1.", ""),
    ("", "-", ""),
    ("", "1,234", ""),
    ("", "Exact Answer:\n", ""),
    ("", "[", ""),
    ("", "{", ""),
    ("", "[[", "]]"),
    ("", "[]", ""),
    ("", "[[]]", ""),
    ("", "[[1],", ""),
    ("", "[[1]],", ""),
    ("", "[1,", ""),
    ("", "1,", ""),
    ("", "[{", ""),
    ("", "{\"a\":", ""),
    ("", "{\"a\":[", ""),
    ("", "\"", ""),
    ("", "[\"", ""),
    ("", "[\"\n", ""),
    ("", "[\"\\\"", ""),
    ("", "\\\"[", ""),
    ("", "[\"a", ""),
    ("", "[\"a\",", ""),
    ("", "[\"\\", ""),
    ("", "]", ""),
    ("", "}", ""),
    ("", "[}", ""),
    ("", "[\n", ""),
    ("", "1", ""),
    ("", "[-", ""),
    ("", "[[1]]", ""),
    ("", "[[1]] ", ""),
    ("", "[true,", ""),
    ("", "{\"output\":[[1]]}", ""),
    ("", "1234567890 ", ""),
    ("", "é[", ""),
    ("", "\u{a0}", ""),
    ("", "“", ""),
    ("[", "1", "]"),
    ("[[", "1,", "1]]"),
    ("[", "[1],", "[1]]"),
    ("[", "[[1]],", "[[1]]]"),
    ("[", "[],", "[]]"),
    ("{\"a\":", "1", "}"),
    ("{\"a\":1", ",\"a\":[[1]]", "}"),
    ("[\"", "[", "\"]"),
    ("[\"", "[\\\"", ""),
    ("[\"", "\\\"[", ""),
    ("[\"", "[[1],", ""),
    ("[[[[[[[[[[[[", "[],", ""),
];

fn answer((beginning, part, end): (&str, &str, &str), size: usize) -> String {
    let part = part.repeat(size / part.len());
    format!("{beginning}{part}{end}")
}

/// Returns each scorer with an expected value that no answer here matches.
fn all_expected() -> Vec<(Arc<dyn Scorer>, Value)> {
    let own: Vec<_> = cases::all()
        .filter_map(|(entry, cases)| Some((entry.own_scorer?.name, cases.hostile?)))
        .collect();
    let expected = |scorer: &dyn Scorer, name: &str| {
        let own = own.iter().find(|(own, _)| *own == name);
        match (own, scorer.name()) {
            (Some((_, expected)), _) => expected.clone(),
            (None, PairF1::NAME) => json!([[1_234_567_899, 2]]),
            (None, "choice/2") => json!("B"),
            (None, _) => json!("1_234_567_899"),
        }
    };
    let named = |name: &str| {
        let scorer = scorer(name).unwrap();
        let expected = expected(&*scorer, name);
        (scorer, expected)
    };
    scorers().map(|scorer| named(scorer.name)).collect()
}

/// Scores an answer, checks that it is wrong, and returns the CPU time used.
fn time(scorer: &dyn Scorer, expected: &Value, parts: (&str, &str, &str), size: usize) -> Duration {
    let answer = answer(parts, size);
    let (score, took) = cpu_time(|| score(scorer, &answer, expected));
    assert_eq!(
        (score.value > 0.0, score.explanation.len() < 500),
        (false, true),
        "{parts:?}: {score:?}"
    );
    took
}

/// Unoptimized code takes a few milliseconds for 62.5 kB; a quadratic search would take more than
/// half a minute.
#[test]
fn scores_hostile_answers_in_linear_time() {
    let all = all_expected();
    let rows = PARTS
        .iter()
        .flat_map(|parts| all.iter().map(|scorer| (scorer, *parts)));
    let times = rows.map(|((scorer, expected), parts)| {
        let took = time(&**scorer, expected, parts, MEGABYTE / 16);
        (took, scorer.name(), parts)
    });
    let slowest = times.max_by_key(|(took, ..)| *took);
    println!("slowest: {slowest:?}");
    assert!(
        slowest.is_some_and(|(took, ..)| took < Duration::from_secs(10)),
        "{slowest:?}"
    );
}

#[test]
fn scores_ten_megabytes_in_seconds() {
    let grid = scorer("arc-grid").unwrap();
    for parts in [
        PARTS[0], PARTS[3], PARTS[5], PARTS[18], PARTS[40], PARTS[42],
    ] {
        let took = time(&*grid, &json!([[2]]), parts, 10 * MEGABYTE);
        println!("{took:?} for {parts:?}");
        assert!(took < Duration::from_secs(20), "{took:?} for {parts:?}");
    }
}

/// Text before a grid must not hide it.
#[test]
fn finds_grid_after_hostile_text() {
    let grid = scorer("arc-grid").unwrap();
    for parts in PARTS {
        let answer = format!("{}\n[[2]]", answer(parts, MEGABYTE));
        let score = score(&*grid, &answer, &json!([[2]]));
        assert_eq!(score.explanation, "the grid matches", "behind {parts:?}");
    }
}
