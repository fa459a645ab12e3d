//! Formats summaries of runs side by side as text.

use std::collections::BTreeSet;

use model::Usage;
use statistics::Estimate;

use super::attempt_rows::{attempt_figures, is_pass_at_1};
use super::{PerAttempt, Statuses, Summary, interval_notes};
use crate::columns::{in_columns, side_by_side};

/// Formats a run on one line: `score 0.925 [0.80, 0.97] (errors as zero 0.902), 40/41 scored: 40
/// ok, 1 error; 12.3 s of attempts`.
pub fn headline(summary: &Summary) -> String {
    let score = score_text(summary.score.as_ref());
    let with_errors = match &summary.score_errors_as_zero {
        Some(all) if summary.statuses.error > 0 => format!(" (errors as zero {:.3})", all.mean),
        _ => String::new(),
    };
    let Summary {
        scored,
        attempts_total,
        total_time_s,
        ..
    } = summary;
    let statuses = statuses_text(&summary.statuses);
    format!(
        "score {score}{with_errors}, {scored}/{attempts_total} scored: {statuses}; {total_time_s:.1} s of attempts"
    )
}

/// Formats one or more runs side by side, one line per figure, at most `width` columns wide and
/// without colors.
///
/// Labels are sanitized. The text ends with a newline, unless there are no runs. Notes about the
/// intervals follow below the table.
pub fn table(runs: &[(&str, &Summary)], width: u16) -> String {
    let blocks = runs.chunks(side_by_side(width));
    let blocks: Vec<String> = blocks.map(|runs| block(runs, width)).collect();
    let estimates = runs.iter().flat_map(|(_, run)| run.estimates());
    blocks.join("\n") + &below(&interval_notes(estimates))
}

/// Formats sentences as lines below a table, after an empty line.
fn below(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    format!("\n{}\n", notes.join("\n"))
}

fn block(runs: &[(&str, &Summary)], width: u16) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut row = |name: String, cell: &dyn Fn(&Summary) -> String| {
        let cells = runs.iter().map(|(_, summary)| cell(summary));
        rows.push((name, cells.collect()));
    };
    let name = if is_pass_at_1(runs) {
        "score, pass@1"
    } else {
        "score"
    };
    row(name.to_owned(), &|run| score_text(run.score.as_ref()));
    if runs.iter().any(|(_, run)| run.statuses.error > 0) {
        row("  errors as zero".to_owned(), &|run| {
            score_text(run.score_errors_as_zero.as_ref())
        });
    }
    for scorer in further_scorers(runs.iter().map(|(_, summary)| *summary)) {
        row(format!("score, {scorer}"), &|run| further(run, scorer));
    }
    row("coverage".to_owned(), &|run| {
        format!(
            "{}/{} ({})",
            run.scored,
            run.attempts_total,
            percent(run.coverage)
        )
    });
    row("status".to_owned(), &|run| statuses_text(&run.statuses));
    for length in context_lengths(runs.iter().map(|(_, summary)| *summary)) {
        row(format!("score, {} chars", label(length)), &|run| {
            let group = run
                .by_context_length
                .iter()
                .find(|group| group.context_length == length);
            group.map_or_else(none, |group| score_text(group.score.as_ref()))
        });
    }
    for figure in attempt_figures(runs) {
        row(figure.name.clone(), &|run| figure.cell(run));
    }
    row("iterations".to_owned(), &|run| {
        mean(run, |per| format!("{:.1}", per.iterations))
    });
    row("returned early".to_owned(), &|run| {
        run.returned_early
            .map_or_else(none, |early| early.to_string())
    });
    row("delegated".to_owned(), &|run| {
        mean_if_known(run, |per| per.delegation_rate.map(percent))
    });
    row("agents".to_owned(), &|run| {
        mean_if_known(run, |per| Some(format!("{:.1}", per.agents?)))
    });
    row("llm calls".to_owned(), &|run| {
        mean_if_known(run, |per| Some(format!("{:.1}", per.llm_calls?)))
    });
    if runs.iter().any(|(_, run)| run.context_trimmed > 0) {
        row("context trimmed".to_owned(), &|run| {
            format!("in {} attempts", run.context_trimmed)
        });
    }
    if runs.iter().any(|(_, run)| run.cut_prompts > 0) {
        row("prompts cut by server".to_owned(), &|run| {
            format!("in {} attempts", run.cut_prompts)
        });
    }
    if runs.iter().any(|(_, run)| run.unreadable > 0) {
        row("unreadable answers".to_owned(), &|run| {
            format!("{}, scored 0", run.unreadable)
        });
    }
    if runs.iter().any(|(_, run)| run.refused > 0) {
        row("refused".to_owned(), &|run| {
            format!("{}, scored 0", run.refused)
        });
    }
    row("tokens in".to_owned(), &|run| {
        tokens(run, |usage| usage.input_tokens)
    });
    row("tokens out".to_owned(), &|run| {
        tokens(run, |usage| usage.output_tokens)
    });
    row("cost".to_owned(), &cost);
    if runs.iter().any(|(_, run)| run.cached_calls > 0) {
        row("calls from the cache".to_owned(), &|run| {
            format!("{} of {}, at no cost", run.cached_calls, run.llm_calls)
        });
    }
    if runs.iter().any(|(_, run)| run.has_wasted()) {
        row("tokens of all tries".to_owned(), &|run| {
            let usage = run.spent().usage;
            match usage.total() {
                0 => none(),
                all => format!("{}{}", about(Some(&usage)), amount(all)),
            }
        });
        row("cost of all tries".to_owned(), &cost_of_all_tries);
    }
    if runs.iter().any(|(_, run)| run.spent().cost_usd.is_some()) {
        row("cost per right answer".to_owned(), &cost_per_right_answer);
    }
    if runs.iter().any(|(_, run)| run.judge.is_some()) {
        row("judge, calls".to_owned(), &|run| {
            let judge = run.judge.as_ref();
            judge.map_or_else(none, |judge| judge.calls.to_string())
        });
        row("judge, cost".to_owned(), &|run| {
            let judge = run.judge.as_ref();
            judge.map_or_else(none, |judge| {
                dollars(judge.cost_usd, judge.cost_unknown, "")
            })
        });
    }
    row("time".to_owned(), &|run| {
        mean(run, |per| format!("{:.1} s", per.total_time_s))
    });
    row("overhead".to_owned(), &|run| {
        mean_if_known(run, |per| {
            let share = per.overhead_share? * 100.0;
            Some(format!("{:.0} ms ({share:.1} %)", per.overhead_ms?))
        })
    });
    in_columns("", runs.iter().map(|(label, _)| *label), rows, width)
}

/// Returns all context lengths of the runs, shortest first.
pub fn context_lengths<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> BTreeSet<u64> {
    let groups = summaries
        .into_iter()
        .flat_map(|summary| &summary.by_context_length);
    groups.map(|group| group.context_length).collect()
}

/// Returns the names of all additional scorers of the runs.
pub fn further_scorers<'a>(
    summaries: impl IntoIterator<Item = &'a Summary>,
) -> BTreeSet<&'a String> {
    let scorers = summaries.into_iter();
    scorers.flat_map(|summary| summary.scores.keys()).collect()
}

/// Formats the score by an additional scorer; if its number of scored attempts differs from the
/// main scorer's, that number follows.
pub fn further(run: &Summary, scorer: &str) -> String {
    let Some(further) = run.scores.get(scorer) else {
        return none();
    };
    let score = score_text(further.score.as_ref());
    if further.scored == run.scored {
        score
    } else {
        format!("{score} of {} attempts", further.scored)
    }
}

/// Placeholder for a missing figure.
pub const NONE: &str = "-";

pub(super) fn none() -> String {
    NONE.to_owned()
}

/// Formats a mean, with its interval if it has one.
pub fn score_text(estimate: Option<&Estimate>) -> String {
    match estimate {
        None => none(),
        Some(Estimate {
            mean,
            interval: None,
            ..
        }) => format!("{mean:.3}"),
        Some(Estimate {
            mean,
            interval: Some(interval),
            ..
        }) => {
            format!("{mean:.3} [{:.2}, {:.2}]", interval.low, interval.high)
        }
    }
}

/// Formats a share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Formats the counts of attempts by status, without zeros.
pub fn statuses_text(statuses: &Statuses) -> String {
    let counts = [
        (statuses.ok, "ok"),
        (statuses.limit, "limit"),
        (statuses.error, "error"),
        (statuses.cancelled, "cancelled"),
    ];
    let shown: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if shown.is_empty() {
        none()
    } else {
        shown.join(", ")
    }
}

fn mean(run: &Summary, text: impl Fn(&PerAttempt) -> String) -> String {
    run.per_attempt.as_ref().map_or_else(none, text)
}

/// Formats a mean, or a placeholder if it is unknown.
fn mean_if_known(run: &Summary, text: impl Fn(&PerAttempt) -> Option<String>) -> String {
    run.per_attempt.as_ref().and_then(text).unwrap_or_else(none)
}

/// Returns `~` for an estimated usage, or an empty string.
fn about(usage: Option<&Usage>) -> &'static str {
    if usage.is_some_and(|usage| usage.estimated) {
        "~"
    } else {
        ""
    }
}

/// Formats the input or output tokens of a run, with `~` before an estimate and the number of
/// attempts with an unknown count.
pub fn tokens(run: &Summary, count: fn(&Usage) -> u64) -> String {
    let Some(usage) = &run.usage else {
        return none();
    };
    let about = about(Some(usage));
    let counted = amount(count(usage));
    match run.usage_unknown {
        // Known counts of zero are not informative if other counts are unknown.
        1.. if usage.total() == 0 => none(),
        0 => format!("{about}{counted}"),
        unknown => format!("{about}{counted} and {unknown} unknown"),
    }
}

/// Formats the cost of the recorded attempts, with `~` before an estimate and the number of
/// attempts with unknown cost.
pub fn cost(run: &Summary) -> String {
    dollars(run.cost_usd, run.cost_unknown, about(run.usage.as_ref()))
}

/// Formats the cost of all attempts, including abandoned and superseded ones, with the number of
/// calls with unknown cost.
pub fn cost_of_all_tries(run: &Summary) -> String {
    let spent = run.spent();
    let known = dollars(spent.cost_usd, run.cost_unknown, about(Some(&spent.usage)));
    match spent.unknown_calls {
        0 => known,
        1 => format!("{known} and 1 call unknown"),
        calls => format!("{known} and {calls} calls unknown"),
    }
}

/// Formats the cost of a correct answer, with `~` before an estimate, or the reason why it is
/// unknown. The number of calls that a cache answered at no cost follows.
pub fn cost_per_right_answer(run: &Summary) -> String {
    match run.cost_per_right_answer() {
        Ok(cost) => {
            let known = format!("{}{}", about(Some(&run.spent().usage)), usd(cost));
            match run.cached_calls {
                0 => known,
                cached => format!("{known} ({cached} of {} calls cached)", run.llm_calls),
            }
        }
        Err(why) => format!("n/a: {why}"),
    }
}

fn dollars(known: Option<f64>, unknown: u64, about: &str) -> String {
    match (known, unknown) {
        // A known cost of zero is not informative if other costs are unknown.
        (None, _) | (Some(0.0), 1..) => none(),
        (Some(cost), 0) => format!("{about}{}", usd(cost)),
        (Some(cost), unknown) => format!("{about}{} and {unknown} unknown", usd(cost)),
    }
}

/// Formats US dollars with four decimals, or with more if three significant digits require it:
/// `$0.1600`, `$0.0000123`. Zero is `$0`.
pub fn usd(cost: f64) -> String {
    /// Maximum decimals of a cost.
    const MOST: u8 = 20;
    if cost == 0.0 {
        return "$0".to_owned();
    }
    let has_three_digits =
        |decimals: &u8| cost.abs() * 10_f64.powi(i32::from(*decimals) - 2) >= 1.0;
    let decimals = (4..=MOST).find(has_three_digits).unwrap_or(MOST);
    format!("${cost:.*}", usize::from(decimals))
}

/// Formats a context length: `8k`, `1m`, or the plain number if it is not round, so that each
/// length has a unique label.
fn label(length: u64) -> String {
    match length {
        0 => "0".to_owned(),
        _ if length.is_multiple_of(1_000_000) => format!("{}m", length / 1_000_000),
        _ if length.is_multiple_of(1_000) => format!("{}k", length / 1_000),
        _ => length.to_string(),
    }
}

/// Formats a count in at most five characters: `950`, `8.2k`, `128k`, `1.5M`.
pub fn amount(count: u64) -> String {
    let count = count as f64;
    match count {
        ..1e3 => format!("{count}"),
        ..9.95e3 => format!("{:.1}k", count / 1e3),
        ..999.5e3 => format!("{:.0}k", count / 1e3),
        ..9.95e6 => format!("{:.1}M", count / 1e6),
        ..999.5e6 => format!("{:.0}M", count / 1e6),
        _ => format!("{:.1}G", count / 1e9),
    }
}

/// Formats a table with the labels of the runs, and rows that have a name and a cell for each run.
/// Like [`table`], splits runs that do not fit side by side into several tables. All texts are
/// sanitized.
pub fn rows_table(
    title: &str,
    labels: &[&str],
    rows: &[(String, Vec<String>)],
    width: u16,
) -> String {
    let many = side_by_side(width);
    let blocks = (0..labels.len()).step_by(many).map(|from| {
        let to = (from + many).min(labels.len());
        let rows = rows
            .iter()
            .map(|(name, cells)| (name.clone(), cells[from..to].to_vec()));
        in_columns(title, labels[from..to].iter().copied(), rows, width)
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Formats a context length for tables: `8k`.
pub fn length_label(length: u64) -> String {
    label(length)
}

#[cfg(test)]
mod tests {
    use super::usd;

    #[test]
    fn never_rounds_costs_to_zero() {
        let rows = [
            (0.0, "$0"),
            (1234.5, "$1234.5000"),
            (0.16, "$0.1600"),
            (0.024, "$0.0240"),
            (0.01, "$0.0100"),
            (0.00123, "$0.00123"),
            (0.001, "$0.00100"),
            (0.000_012_34, "$0.0000123"),
            (0.000_000_001, "$0.00000000100"),
        ];
        for (cost, text) in rows {
            assert_eq!(usd(cost), text);
        }
    }
}
