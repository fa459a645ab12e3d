//! Formats summaries of runs side by side as text.

use std::collections::BTreeSet;

use super::attempt_rows::{attempt_figures, is_pass_at_1};
use super::figures::{
    about, amount, cost, cost_of_all_tries, cost_per_right_answer, dollars, further, none, percent,
    score_text, statuses_text, tokens,
};
use super::{ContextLength, Length, PerAttempt, Summary, interval_notes};
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
        row(format!("score, {}", length.label("chars")), &|run| {
            let group = run
                .by_context_length
                .iter()
                .find(|group| group.length() == length);
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
pub(crate) fn context_lengths<'a>(
    summaries: impl IntoIterator<Item = &'a Summary>,
) -> BTreeSet<Length> {
    let groups = summaries
        .into_iter()
        .flat_map(|summary| &summary.by_context_length);
    groups.map(ContextLength::length).collect()
}

/// Returns the names of all additional scorers of the runs.
pub fn further_scorers<'a>(
    summaries: impl IntoIterator<Item = &'a Summary>,
) -> BTreeSet<&'a String> {
    let scorers = summaries.into_iter();
    scorers.flat_map(|summary| summary.scores.keys()).collect()
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

fn mean(run: &Summary, text: impl Fn(&PerAttempt) -> String) -> String {
    run.per_attempt.as_ref().map_or_else(none, text)
}

/// Formats a mean, or a placeholder if it is unknown.
fn mean_if_known(run: &Summary, text: impl Fn(&PerAttempt) -> Option<String>) -> String {
    run.per_attempt.as_ref().and_then(text).unwrap_or_else(none)
}
