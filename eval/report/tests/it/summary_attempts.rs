//! The summary of a run with several attempts at each sample.

use records::AttemptRecord;
use report::columns::WIDTH;
use report::summary::{Attempts, Summary, table};
use run_fixture::{failed, record};
use statistics::Estimate;

/// Returns the records of samples whose attempts are given as letters: `r`ight, `w`rong, `h`alf
/// right, or any other letter for an error.
fn records(samples: &[(&str, &str)]) -> Vec<AttemptRecord> {
    let attempt = |id: &str, number, letter| {
        let score = match letter {
            'r' => 1.0,
            'w' => 0.0,
            'h' => 0.5,
            _ => return failed(id, number, "refused"),
        };
        AttemptRecord {
            score: Some(score),
            ..record(id, number)
        }
    };
    samples
        .iter()
        .flat_map(|(id, letters)| {
            (1..)
                .zip(letters.chars())
                .map(move |(number, letter)| attempt(id, number, letter))
        })
        .collect()
}

/// Best of n, and for each k the number of samples, pass@k and pass^k; scores in thousandths.
type Figures = (Option<i64>, Vec<(u32, u64, Option<i64>, Option<i64>)>);

fn figures(attempts: &Attempts) -> Figures {
    #[expect(clippy::cast_possible_truncation, reason = "a share in thousandths")]
    let cut =
        |estimate: &Option<Estimate>| estimate.map(|found| (found.mean * 1000.0).round() as i64);
    let pass = attempts.pass.iter();
    (
        cut(&attempts.best_of_n),
        pass.map(|pass| {
            (
                pass.k,
                pass.samples,
                cut(&pass.pass_at_k),
                cut(&pass.pass_hat_k),
            )
        })
        .collect(),
    )
}

#[test]
fn computes_pass_at_k_and_related_figures() {
    /// Name, samples, n, figures with errors excluded, and figures with errors as zero.
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], u32, Figures, Figures);
    // Computed by hand: pass@k is 1 − C(n−c, k)/C(n, k) and pass^k is C(c, k)/C(n, k), averaged
    // over samples with at least k scores.
    let rows: [Row; 4] = [
        (
            "two of four right; all; none",
            &[("a", "rwrw"), ("b", "rrrr"), ("c", "wwww")],
            4,
            (
                Some(667),
                vec![
                    (1, 3, Some(500), Some(500)),
                    (2, 3, Some(611), Some(389)),
                    (4, 3, Some(667), Some(333)),
                ],
            ),
            (
                Some(667),
                vec![
                    (1, 3, Some(500), Some(500)),
                    (2, 3, Some(611), Some(389)),
                    (4, 3, Some(667), Some(333)),
                ],
            ),
        ),
        (
            "errors reduce a sample's attempts, or count as wrong",
            &[("a", "rxw"), ("b", "rrr"), ("c", "xxx")],
            3,
            (
                Some(1000),
                vec![
                    (1, 2, Some(750), Some(750)),
                    (2, 2, Some(1000), Some(500)),
                    (3, 1, Some(1000), Some(1000)),
                ],
            ),
            (
                Some(667),
                vec![
                    (1, 3, Some(444), Some(444)),
                    (2, 3, Some(556), Some(333)),
                    (3, 3, Some(667), Some(333)),
                ],
            ),
        ),
        (
            "half right counts for the best of n, but not as correct",
            &[("a", "hw"), ("b", "rh")],
            2,
            (
                Some(750),
                vec![(1, 2, Some(250), Some(250)), (2, 2, Some(500), Some(0))],
            ),
            (
                Some(750),
                vec![(1, 2, Some(250), Some(250)), (2, 2, Some(500), Some(0))],
            ),
        ),
        (
            "only errors",
            &[("a", "xx")],
            2,
            (None, vec![(1, 0, None, None), (2, 0, None, None)]),
            (
                Some(0),
                vec![(1, 1, Some(0), Some(0)), (2, 1, Some(0), Some(0))],
            ),
        ),
    ];
    for (name, samples, n, excluded, as_zero) in rows {
        let records = records(samples);
        let repeated = Summary::new(&records, records.len() as u64)
            .repeated
            .unwrap();
        assert_eq!(
            (
                repeated.attempts_per_sample,
                figures(&repeated.errors_excluded),
                figures(&repeated.errors_as_zero)
            ),
            (n, excluded, as_zero),
            "{name}"
        );
    }
    assert_eq!(
        Summary::new(&records(&[("a", "r"), ("b", "w")]), 2).repeated,
        None
    );
}

#[test]
fn figures_ignore_finishing_order() {
    let mut records = records(&[
        ("a", "rhwxr"),
        ("b", "hhwwr"),
        ("c", "rrwhx"),
        ("d", "wwhhr"),
        ("e", "hrrhw"),
    ]);
    let summary = Summary::new(&records, 25);
    records.reverse();
    records.rotate_left(7);
    assert_eq!(Summary::new(&records, 25), summary);
}

#[test]
fn formats_repeated_attempts_as_table() {
    let four = records(&[("a", "rwrw"), ("b", "rrrr"), ("c", "wwxw")]);
    let one = records(&[("a", "r")]);
    let runs = [Summary::new(&four, 12), Summary::new(&one, 1)];
    let text = table(&[("four", &runs[0]), ("one", &runs[1])], WIDTH);
    let wanted = "\
\x20                  four                one
─────────────────────────────────────────────────────
 score, pass@1     0.500 [0.04, 0.96]  1.000
   errors as zero  0.500 [0.04, 0.96]  1.000
 coverage          11/12 (92 %)        1/1 (100 %)
 status            11 ok, 1 error      1 ok
 pass@2            0.611 [0.05, 0.98]  -
   errors as zero  0.611 [0.05, 0.98]  -
 pass@4            1.000 of 2 samples  -
   errors as zero  0.667 [0.21, 0.94]  -
 pass^2            0.389 [0.02, 0.95]  -
   errors as zero  0.389 [0.02, 0.95]  -
 pass^4            0.500 of 2 samples  -
   errors as zero  0.333 [0.06, 0.79]  -
 best of attempts  1.000 of 2 samples  -
   errors as zero  0.667 [0.21, 0.94]  -
";
    assert!(text.starts_with(wanted), "{text}");
    let note = "No interval: 1 to 2 independent samples are too few; 3 are needed.\nMore attempts do not help.\n\
         Warning: intervals of fewer than 10 independent samples may be too narrow.\n";
    assert!(text.ends_with(note), "{text}");

    // Equal figures share a row, and no attempt ended in an error.
    let right = records(&[("a", "rwrw"), ("b", "rrrr"), ("c", "wwrw")]);
    let run = Summary::new(&right, 12);
    let text = table(&[("right", &run), ("one", &runs[1])], WIDTH);
    let names = text.lines().skip(2).map(str::trim_start);
    let names: Vec<&str> = names.filter_map(|line| line.split("  ").next()).collect();
    let wanted = [
        "score, pass@1",
        "coverage",
        "status",
        "pass@2",
        "pass@4, best of attempts",
        "pass^2",
        "pass^4",
    ];
    assert_eq!(names[..7], wanted, "{text}");
}
