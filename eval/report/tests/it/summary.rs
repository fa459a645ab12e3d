//! Summaries of runs, alone and side by side.

use std::collections::BTreeMap;

use model::{Status, Usage};
use records::{AttemptRecord, Wasted};
use report::columns::WIDTH;
use report::summary::{
    ContextLength, PerAttempt, Statuses, Summary, cost_per_right_answer, headline, table,
};
use run_fixture::{failed, record};
use serde_json::json;
use statistics::{Estimate, Interval, Method};

/// Returns the expected estimate of answers that score 0 or 1. The values are rounded to six
/// decimal places.
fn of_answers(
    mean: f64,
    standard_error: Option<f64>,
    clusters: u64,
    interval: Option<[f64; 2]>,
) -> Estimate {
    Estimate {
        mean,
        standard_error,
        clusters,
        method: interval.map(|_| Method::Wilson),
        interval: interval.map(|[low, high]| Interval { low, high }),
    }
}

fn cut(estimate: Option<Estimate>) -> Option<Estimate> {
    let cut = |value: f64| (value * 1e6).round() / 1e6;
    estimate.map(|estimate| Estimate {
        mean: cut(estimate.mean),
        standard_error: estimate.standard_error.map(cut),
        interval: estimate.interval.map(|interval| Interval {
            low: cut(interval.low),
            high: cut(interval.high),
        }),
        ..estimate
    })
}

fn rounded(mut summary: Summary) -> Summary {
    summary.score = cut(summary.score);
    summary.score_errors_as_zero = cut(summary.score_errors_as_zero);
    for group in &mut summary.by_context_length {
        group.score = cut(group.score);
    }
    summary
}

fn at(length: u64, score: f64, id: &str) -> AttemptRecord {
    AttemptRecord {
        score: Some(score),
        metadata: [("context_length".to_owned(), json!(length))].into(),
        ..record(id, 1)
    }
}

fn mixed() -> Vec<AttemptRecord> {
    vec![
        at(8000, 1.0, "a"),
        at(8000, 1.0, "b"),
        AttemptRecord {
            status: Status::Limit,
            iterations: 15,
            delegations: Some(0),
            agents: Some(1),
            returned_early: Some(true),
            continued: false,
            cost_usd: Some(0.25),
            ..at(128_000, 0.0, "c")
        },
        AttemptRecord {
            metadata: [("context_length".to_owned(), json!(128_000))].into(),
            iterations: 0,
            ..failed("d", 1, "refused")
        },
        AttemptRecord {
            status: Status::Cancelled,
            score: None,
            ..record("e", 1)
        },
    ]
}

#[test]
fn computes_every_figure() {
    // Standard errors were computed with `scipy.stats.sem` of SciPy 1.17.1.
    let wanted = Summary {
        v: 3,
        attempts_total: 6,
        attempts: 5,
        samples: 5,
        scored: 3,
        right: 2,
        coverage: 0.5,
        statuses: Statuses {
            ok: 2,
            limit: 1,
            error: 1,
            cancelled: 1,
        },
        score: Some(of_answers(
            0.666_667,
            Some(0.333_333),
            3,
            Some([0.207_66, 0.938_508]),
        )),
        score_errors_as_zero: Some(of_answers(
            0.5,
            Some(0.288_675),
            4,
            Some([0.150_039, 0.849_961]),
        )),
        scores: BTreeMap::new(),
        repeated: None,
        by_context_length: vec![
            ContextLength {
                context_length: 8000,
                is_in_own_unit: false,
                attempts: 2,
                scored: 2,
                score: Some(of_answers(1.0, Some(0.0), 2, None)),
            },
            ContextLength {
                context_length: 128_000,
                is_in_own_unit: false,
                attempts: 2,
                scored: 1,
                score: Some(of_answers(0.0, None, 1, None)),
            },
        ],
        per_attempt: Some(PerAttempt {
            attempts: 3,
            iterations: 7.0,
            delegation_rate: Some(2.0 / 3.0),
            agents: Some(5.0 / 3.0),
            llm_calls: Some(4.0),
            total_time_s: 2.5,
            overhead_ms: Some(12.5),
            most_overhead_ms: Some(12.5),
            overhead_share: Some(0.005),
        }),
        returned_early: Some(1),
        context_trimmed: 0,
        cut_prompts: 0,
        unreadable: 0,
        refused: 0,
        judge: None,
        usage: Some(Usage {
            input_tokens: 5000,
            cached_input_tokens: 3000,
            cache_write_tokens: 0,
            output_tokens: 250,
            reasoning_tokens: 100,
            estimated: false,
        }),
        usage_unknown: 0,
        retries: Some(0),
        llm_calls: 20,
        cached_calls: 0,
        cost_usd: Some(0.25),
        cost_unknown: 4,
        total_time_s: 12.5,
        wasted: Wasted::default(),
    };
    let summary = rounded(Summary::new(&mixed(), 6));
    assert_eq!(summary, wanted);
    let json = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), wanted);
}

#[test]
fn summarizes_run_without_attempts() {
    let summary = Summary::new(&[], 0);
    assert_eq!(
        (
            summary.score,
            summary.score_errors_as_zero,
            summary.per_attempt,
            summary.cost_usd
        ),
        (None, None, None, None)
    );
    assert_eq!(
        (summary.attempts, summary.samples, summary.cost_unknown),
        (0, 0, 0)
    );
    assert!(summary.coverage.abs() < f64::EPSILON);
    assert_eq!(
        headline(&summary),
        "score -, 0/0 scored: -; 0.0 s of attempts"
    );
}

/// Rows: name, attempts by sample, number and cluster, and the effective number of independent
/// draws.
#[test]
fn clustered_attempts_are_not_independent() {
    let fraction = |id: &str, attempt, cluster: Option<&str>, score| AttemptRecord {
        cluster: cluster.map(str::to_owned),
        score: Some(score),
        ..record(id, attempt)
    };
    // Computed by hand: with mean 1/2 and deviations of ±1/4, √(G/(G−1) Σ_g (Σ d)²) / n.
    let rows = [
        (
            "four samples",
            [
                ("a", 1, None),
                ("b", 1, None),
                ("c", 1, None),
                ("d", 1, None),
            ],
            Some(4.0),
        ),
        (
            "two samples twice",
            [
                ("a", 1, None),
                ("a", 2, None),
                ("b", 1, None),
                ("b", 2, None),
            ],
            Some(2.0),
        ),
        (
            "two clusters",
            [
                ("a", 1, Some("x")),
                ("b", 1, Some("x")),
                ("c", 1, Some("y")),
                ("d", 1, Some("y")),
            ],
            Some(2.0),
        ),
        // A cluster is distinct from a sample with the same name.
        (
            "names apart",
            [
                ("a", 1, None),
                ("a", 2, None),
                ("b", 1, Some("a")),
                ("c", 1, Some("a")),
            ],
            Some(1.9),
        ),
        (
            "one cluster",
            [
                ("a", 1, Some("x")),
                ("b", 1, Some("x")),
                ("c", 1, Some("x")),
                ("d", 1, Some("x")),
            ],
            None,
        ),
    ];
    for (name, attempts, draws) in rows {
        let records: Vec<_> = attempts
            .iter()
            .zip([0.25, 0.25, 0.75, 0.75])
            .map(|(&(id, attempt, cluster), score)| fraction(id, attempt, cluster, score))
            .collect();
        let error = Summary::new(&records, 4).score.unwrap().standard_error;
        let wanted = draws.map(|draws: f64| 0.25 / (draws - 1.0).sqrt());
        assert_eq!(
            error.map(|e| (e * 1e9).round()),
            wanted.map(|e| (e * 1e9).round()),
            "{name}"
        );
    }
}

#[test]
fn formats_run_as_table() {
    let summary = Summary::new(&mixed(), 6);
    let wanted = "\
\x20                       mixed
────────────────────────────────────────────────────────────
 score                  0.667 [0.21, 0.94]
   errors as zero       0.500 [0.15, 0.85]
 coverage               3/6 (50 %)
 status                 2 ok, 1 limit, 1 error, 1 cancelled
 score, 8k chars        1.000
 score, 128k chars      0.000
 iterations             7.0
 returned early         1
 delegated              67 %
 agents                 1.7
 llm calls              4.0
 tokens in              5.0k
 tokens out             250
 cost                   $0.2500 and 4 unknown
 cost per right answer  n/a: price unknown
 time                   2.5 s
 overhead               12 ms (0.5 %)

No interval: 1 to 2 independent samples are too few; 3 are needed.
More attempts do not help.
Warning: intervals of fewer than 10 independent samples may be too narrow.
";
    assert_eq!(table(&[("mixed", &summary)], WIDTH), wanted);
    assert_eq!(
        headline(&summary),
        "score 0.667 [0.21, 0.94] (errors as zero 0.500), 3/6 scored: 2 ok, 1 limit, 1 error, 1 cancelled; 12.5 s of attempts"
    );
}

#[test]
fn marks_cost_saved_by_cache() {
    let mut right = at(8000, 1.0, "a");
    right.llm_calls = Some(4);
    right.cached_calls = Some(3);
    right.cost_usd = Some(0.25);
    let summary = Summary::new(&[right], 1);
    assert_eq!(
        cost_per_right_answer(&summary),
        "$0.2500 (3 of 4 calls cached)"
    );
    let shown = table(&[("mixed", &summary)], WIDTH);
    assert!(
        shown.contains(" calls from the cache   3 of 4, at no cost\n"),
        "{shown}"
    );
}

#[test]
fn labels_lengths_in_unit_of_data() {
    let in_tokens = AttemptRecord {
        metadata: BTreeMap::from([("context_len".to_owned(), json!(8000))]),
        ..at(8000, 1.0, "b")
    };
    let summary = Summary::new(&[at(8000, 0.5, "a"), in_tokens], 2);
    let shown = table(&[("mixed", &summary)], WIDTH);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = shown.lines().map(words).collect();
    for row in ["score, 8k chars 0.500", "score, length 8k 1.000"] {
        assert!(rows.iter().any(|one| one == row), "{shown}");
    }
}

#[test]
fn runs_side_by_side_fit_80_columns() {
    let mut big = at(1_000_000, 1.0, "a");
    let usage = big.usage.as_mut().unwrap();
    usage.input_tokens = 123_456_789;
    usage.estimated = true;
    big.cost_usd = Some(12.5);
    let runs = [
        Summary::new(&mixed(), 6),
        Summary::new(&[big], 1),
        Summary::new(&[], 0),
        Summary::new(&[at(8040, 0.5, "a"), at(8040, 0.25, "b")], 2),
    ];
    let labels = [
        "s-niah-coordinator-20261121-092406-ab12",
        "s-niah-solver-20261121-092406-cd34",
        "\u{1b}[31mred\u{1b}[0m\n\u{202e}label",
        "last",
    ];
    let all: Vec<_> = labels.into_iter().zip(&runs).collect();
    let wanted = "\
\x20                    s-niah-coordinator  s-niah-solver-2026  �[31mred�[0m
                     -20261121-092406-a  1121-092406-cd34    �label
                     b12
────────────────────────────────────────────────────────────────────────────────
 score               0.667 [0.21, 0.94]  1.000               -
   errors as zero    0.500 [0.15, 0.85]  1.000               -
 coverage            3/6 (50 %)          1/1 (100 %)         0/0 (0 %)
 status              2 ok, 1 limit, 1    1 ok                -
                     error, 1 cancelled
 score, 8k chars     1.000               -                   -
 score, 128k chars   0.000               -                   -
 score, 1m chars     -                   1.000               -
 iterations          7.0                 3.0                 -
 returned early      1                   0                   0
 delegated           67 %                100 %               -
 agents              1.7                 2.0                 -
 llm calls           4.0                 4.0                 -
 tokens in           5.0k                ~123M               -
 tokens out          250                 ~50                 -
 cost                $0.2500 and 4       ~$12.5000           -
                     unknown
 cost per right      n/a: price unknown  ~$12.5000           n/a: price unknown
 answer
 time                2.5 s               2.5 s               -
 overhead            12 ms (0.5 %)       12 ms (0.5 %)       -

                    last
──────────────────────────────────
 score              0.375
 coverage           2/2 (100 %)
 status             2 ok
 score, 8040 chars  0.375
 iterations         3.0
 returned early     0
 delegated          100 %
 agents             2.0
 llm calls          4.0
 tokens in          2.0k
 tokens out         100
 cost               -
 time               2.5 s
 overhead           12 ms (0.5 %)

No interval: 1 to 2 independent samples are too few; 3 are needed.
More attempts do not help.
Warning: intervals of fewer than 10 independent samples may be too narrow.
";
    let text = table(&all, WIDTH);
    assert_eq!(text, wanted);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(table(&[], WIDTH), "");
    // At other widths, as many runs as fit are side by side, and no line exceeds the width.
    for (width, tables) in [(40, all.len()), (60, all.len().div_ceil(2)), (120, 1)] {
        let text = table(&all, width);
        let longest = text.lines().filter(|line| !line.ends_with('.'));
        let longest = longest.map(|line| line.chars().count()).max();
        assert!(
            longest.is_some_and(|most| most <= usize::from(width)),
            "{text}"
        );
        assert_eq!(text.matches(" coverage ").count(), tables, "{text}");
    }
}
