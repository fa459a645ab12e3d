//! Formats single figures of runs as text.

use model::Usage;
use statistics::Estimate;

use super::{Statuses, Summary};

/// Placeholder for a missing figure.
pub const NONE: &str = "-";

/// Returns the placeholder for a missing figure.
pub(crate) fn none() -> String {
    NONE.to_owned()
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

/// Returns `~` for an estimated usage, or an empty string.
pub(super) fn about(usage: Option<&Usage>) -> &'static str {
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

/// Formats a cost, with `about` before it and the number of unknown costs.
pub(super) fn dollars(known: Option<f64>, unknown: u64, about: &str) -> String {
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
pub fn length_label(length: u64) -> String {
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
