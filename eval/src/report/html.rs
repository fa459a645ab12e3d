//! A report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere.

use askama::Template;

use super::plot::{Plot, PlotError, SERIES, TIME_PARTS, css, plots};
use super::text::{behaviour, by, facts};
use super::{Failure, RunReport, spending};
use crate::summary::{context_lengths, cost, cost_of_all_tries, length_label, score_text, tokens};

/// Why a report cannot be made. Nothing outside of the program can cause that.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The template fails.
    #[error("the report cannot be made: {0}")]
    Template(#[from] askama::Error),
}

/// The page. Texts are escaped by the template engine, for models wrote some of them; only the plots' drawings, which
/// hold nothing but numbers and the program's own words, go in as they are.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    runs: Vec<Run<'a>>,
    tables: Vec<Table>,
    plots: Vec<Plot>,
    time_parts: Vec<(&'static str, String)>,
    failing: Vec<Failing<'a>>,
    shown: usize,
}

struct Run<'a> {
    number: usize,
    colour: String,
    report: &'a RunReport,
    fingerprint: &'a str,
}

/// Names and, for each run, what stands there.
struct Table {
    title: String,
    rows: Vec<(String, Vec<String>)>,
}

struct Failing<'a> {
    number: usize,
    label: &'a str,
    all: usize,
    failures: Vec<(&'a Failure, String)>,
}

/// Failures of one run that a page shows.
const SHOWN: usize = 20;

/// The page of these runs.
///
/// # Errors
/// [`HtmlError`].
pub fn html(reports: &[RunReport]) -> Result<String, HtmlError> {
    let runs = reports.iter().enumerate().map(|(index, report)| Run {
        number: index + 1,
        colour: css(SERIES[index % SERIES.len()]),
        report,
        fingerprint: report.identity.fingerprint.get(..12).unwrap_or_default(),
    });
    let mut tables = vec![scores(reports)];
    tables.push(Table {
        title: "Behaviour".to_owned(),
        rows: behaviour(reports),
    });
    for (title, rows) in spending::tables(reports) {
        tables.push(Table {
            title: title.to_owned(),
            rows,
        });
    }
    for name in facts(reports) {
        tables.push(Table {
            title: format!("Score by {name}"),
            rows: by(name, reports),
        });
    }
    let failing = reports.iter().zip(1..).map(|(report, number)| Failing {
        number,
        label: &report.label,
        all: report.failures.len(),
        failures: report
            .failures
            .iter()
            .take(SHOWN)
            .map(|failure| (failure, score(failure)))
            .collect(),
    });
    let page = Page {
        runs: runs.collect(),
        tables,
        plots: plots(reports)?,
        time_parts: TIME_PARTS.map(|(name, colour)| (name, css(colour))).into(),
        failing: failing.filter(|run| run.all > 0).collect(),
        shown: SHOWN,
    };
    Ok(page.render()?)
}

fn score(failure: &Failure) -> String {
    failure
        .score
        .map_or_else(|| "-".to_owned(), |score| format!("{score:.2}"))
}

fn scores(reports: &[RunReport]) -> Table {
    let row = |name: String, cell: &dyn Fn(&RunReport) -> String| {
        (name, reports.iter().map(cell).collect::<Vec<_>>())
    };
    let mut rows = vec![row("score".to_owned(), &|run| {
        score_text(run.summary.score.as_ref())
    })];
    for length in context_lengths(reports.iter().map(|run| &run.summary)) {
        rows.push(row(
            format!("at {} characters", length_label(length)),
            &|run| {
                let groups = run.summary.by_context_length.iter();
                let group = groups
                    .into_iter()
                    .find(|group| group.context_length == length);
                score_text(group.and_then(|group| group.score.as_ref()))
            },
        ));
    }
    rows.push(row("errors as zero".to_owned(), &|run| {
        score_text(run.summary.score_errors_as_zero.as_ref())
    }));
    rows.push(row("coverage".to_owned(), &|run| {
        format!("{}/{}", run.summary.scored, run.summary.attempts_total)
    }));
    rows.push(row("status".to_owned(), &|run| {
        let statuses = &run.summary.statuses;
        format!(
            "{} ok, {} limit, {} error",
            statuses.ok, statuses.limit, statuses.error
        )
    }));
    rows.push(row("iterations".to_owned(), &|run| {
        let mean = run.summary.per_attempt.as_ref();
        mean.map_or_else(|| "-".to_owned(), |mean| format!("{:.1}", mean.iterations))
    }));
    rows.push(row(
        "tokens in, out".to_owned(),
        &|run| match run.summary.usage {
            None => "-".to_owned(),
            Some(_) => format!(
                "{}, {}",
                tokens(&run.summary, |usage| usage.input_tokens),
                tokens(&run.summary, |usage| usage.output_tokens)
            ),
        },
    ));
    rows.push(row("cost".to_owned(), &|run| cost(&run.summary)));
    if reports.iter().any(|run| run.summary.has_wasted()) {
        rows.push(row("cost of all tries".to_owned(), &|run| {
            cost_of_all_tries(&run.summary)
        }));
    }
    rows.push(row("seconds per attempt".to_owned(), &|run| {
        let mean = run.summary.per_attempt.as_ref();
        mean.map_or_else(
            || "-".to_owned(),
            |mean| format!("{:.1}", mean.total_time_s),
        )
    }));
    Table {
        title: "Scores".to_owned(),
        rows,
    }
}
