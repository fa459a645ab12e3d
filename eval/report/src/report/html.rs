//! Formats a report as a single HTML file without external scripts, fonts or images.

use std::path::Path;

use askama::Template;
use model::{Capabilities, Protocol};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::drawn_grid::{self, Grid};
use super::plot::{Plot, PlotError, TIME_PARTS, color_of, css, plots};
use super::sweep_tables::{SweepTables, compared};
use super::text::{agent_tables, behaviour, by, facts, grouped};
use super::{Failure, Report, RunReport};
use crate::columns::{Row, row};
use crate::differences;
use crate::sanitize::show_bidi_controls;
use crate::summary::{
    NONE, context_lengths, cost, cost_of_all_tries, cost_per_right_answer, further,
    further_scorers, interval_notes, none, score_text, statuses_text, tokens,
};

/// Reason why a report cannot be created. Only a bug in the program can cause it.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The template failed.
    #[error("cannot create the report: {0}")]
    Template(#[from] askama::Error),
}

/// Input of the page's template. The template engine escapes all strings, because some come from
/// models. The only exceptions are drawings of plots and grids, which contain only numbers and
/// fixed words. Characters that change the text direction are replaced on the rendered page.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    runs: Vec<Run<'a>>,
    /// Parts that differ, with the effective value in each run.
    differing: Vec<Row>,
    sentences: Vec<String>,
    /// Reasons why the scores are not comparable, or why comparisons are invalid.
    warnings: Vec<String>,
    sweeps: Vec<SweepTables<'a>>,
    tables: Vec<Table>,
    plots: Vec<Plot>,
    time_parts: Vec<(&'static str, String)>,
    interval_notes: Vec<String>,
    failing: Vec<RunFailures<'a>>,
    shown: usize,
    /// First samples with different scores in the runs, with a mark and its CSS class for each run.
    differing_samples: Vec<(&'a str, Vec<(String, &'static str)>)>,
    differing_all: usize,
}

struct Run<'a> {
    color: String,
    report: &'a RunReport,
    fingerprint: &'a str,
}

impl Run<'_> {
    /// Returns the prompt mode, or a dash if the protocol has none.
    fn mode(&self) -> &str {
        let identity = &self.report.identity;
        let capabilities = Protocol::capabilities_of(&identity.protocol);
        if capabilities.is_some_and(Capabilities::has_modes) {
            identity.prompt_mode.as_deref().unwrap_or("not recorded")
        } else {
            NONE
        }
    }

    fn depth(&self) -> String {
        self.of_agents(self.report.identity.max_depth)
    }

    fn iterations(&self) -> String {
        self.of_agents(self.report.identity.max_iterations)
    }

    /// Formats a limit on agents, or a dash for a protocol with a single call.
    fn of_agents(&self, limit: u32) -> String {
        let capabilities = Protocol::capabilities_of(&self.report.identity.protocol);
        if capabilities.is_some_and(|capabilities| capabilities.one_call) {
            none()
        } else {
            limit.to_string()
        }
    }
}

/// A table whose rows have a name and a value for each run.
struct Table {
    title: String,
    rows: Vec<Row>,
}

struct RunFailures<'a> {
    name: &'a str,
    label: &'a str,
    all: usize,
    failures: Vec<FailureRow<'a>>,
}

struct FailureRow<'a> {
    failure: &'a Failure,
    score: String,
    /// SVG of the grids in the answer; empty without grids.
    got: String,
    /// SVG of the expected grids; empty without grids.
    expected: String,
    /// Link to the trajectory, relative to the page's folder.
    link: Option<String>,
}

/// Maximum number of differing samples on the page.
const DIFFERING: usize = 60;

/// Maximum number of failures of one run on the page.
const SHOWN: usize = 20;

/// Returns the HTML page of a report; links are relative to `page_folder`, where the page will be
/// stored.
///
/// # Errors
/// Returns [`HtmlError`] if a plot or the template fails.
pub fn html(report: &Report, page_folder: &Path) -> Result<String, HtmlError> {
    let reports = &report.runs;
    let runs = reports.iter().enumerate().map(|(index, report)| Run {
        color: color_of(index),
        report,
        fingerprint: report.identity.fingerprint.get(..12).unwrap_or_default(),
    });
    let mut tables = vec![scores(reports)];
    tables.push(Table {
        title: "Behavior".to_owned(),
        rows: behaviour(reports),
    });
    for (title, rows) in agent_tables(reports) {
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
    let failing = reports.iter().map(|report| RunFailures {
        name: &report.name,
        label: &report.label,
        all: report.failures.len(),
        failures: report
            .failures
            .iter()
            .take(SHOWN)
            .map(|failure| failed(failure, page_folder))
            .collect(),
    });
    let shown = reports.iter().flat_map(|report| report.summary.estimates());
    let page = Page {
        runs: runs.collect(),
        differing: differences::rows(&report.differences),
        sentences: differences::sentences(&report.differences, reports.len())
            .into_iter()
            .chain(report.not_begun())
            .collect(),
        warnings: report
            .scorers(report.names())
            .into_iter()
            .chain(report.not_compared())
            .chain(report.race_warnings(report.names()))
            .collect(),
        sweeps: compared(report),
        tables,
        plots: plots(report)?,
        time_parts: TIME_PARTS.map(|(name, color)| (name, css(color))).into(),
        interval_notes: interval_notes(shown.chain(grouped(reports))),
        failing: failing.filter(|run| run.all > 0).collect(),
        shown: SHOWN,
        differing_samples: report
            .differing
            .iter()
            .take(DIFFERING)
            .map(|sample| {
                let marks = sample.scores.iter().map(|score| mark(*score));
                (sample.id.as_str(), marks.collect())
            })
            .collect(),
        differing_all: report.differing.len(),
    };
    Ok(show_bidi_controls(&page.render()?))
}

fn failed<'a>(failure: &'a Failure, page_folder: &Path) -> FailureRow<'a> {
    let draw = |grids: Option<&Vec<Grid>>, name, others: Option<&Vec<Grid>>| {
        let grids = grids.into_iter().flatten().enumerate();
        let drawings = grids.map(|(place, grid)| {
            let other = others.and_then(|others| others.get(place));
            drawn_grid::svg(grid, name, other)
        });
        drawings.collect::<String>()
    };
    let (got, expected) = (failure.got_grids.as_ref(), failure.expected_grids.as_ref());
    FailureRow {
        failure,
        score: score(failure),
        got: draw(got, "answered", expected),
        expected: draw(expected, "expected", None),
        link: failure
            .trajectory
            .as_deref()
            .and_then(|path| relative(path, page_folder)),
    }
}

/// Returns the path of a file relative to a folder, or `None` if either does not exist.
fn relative(file: &Path, page_folder: &Path) -> Option<String> {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    let page_folder = if page_folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        page_folder
    };
    let (file, page_folder) = (file.canonicalize().ok()?, page_folder.canonicalize().ok()?);
    let (file, page_folder): (Vec<_>, Vec<_>) = (
        file.components().collect(),
        page_folder.components().collect(),
    );
    let common = file
        .iter()
        .zip(&page_folder)
        .take_while(|(one, other)| one == other)
        .count();
    let up = page_folder.iter().skip(common).map(|_| "..".to_owned());
    let down = file
        .iter()
        .skip(common)
        .map(|part| utf8_percent_encode(&part.as_os_str().to_string_lossy(), PLAIN).to_string());
    let parts: Vec<String> = up.chain(down).collect();
    Some(parts.join("/"))
}

/// Returns the mark for a mean score and the mark's CSS class.
fn mark(score: Option<f64>) -> (String, &'static str) {
    match score {
        None => ("–".to_owned(), "none"),
        Some(score) if score >= 1.0 => ("✓".to_owned(), "right"),
        Some(score) if score <= 0.0 => ("✗".to_owned(), "wrong"),
        Some(score) => (format!("{score:.2}"), "partly"),
    }
}

fn score(failure: &Failure) -> String {
    failure
        .score
        .map_or_else(none, |score| format!("{score:.2}"))
}

fn scores(reports: &[RunReport]) -> Table {
    let mut rows = vec![row(reports, "score", |run| {
        score_text(run.summary.score.as_ref())
    })];
    for scorer in further_scorers(reports.iter().map(|run| &run.summary)) {
        rows.push(row(reports, format!("score, {scorer}"), |run| {
            further(&run.summary, scorer)
        }));
    }
    for length in context_lengths(reports.iter().map(|run| &run.summary)) {
        rows.push(row(
            reports,
            format!("at {}", length.label("characters")),
            |run| {
                let groups = run.summary.by_context_length.iter();
                let group = groups.into_iter().find(|group| group.length() == length);
                score_text(group.and_then(|group| group.score.as_ref()))
            },
        ));
    }
    if reports.iter().any(|run| run.summary.statuses.error > 0) {
        rows.push(row(reports, "errors as zero", |run| {
            score_text(run.summary.score_errors_as_zero.as_ref())
        }));
    }
    rows.push(row(reports, "coverage", |run| {
        format!("{}/{}", run.summary.scored, run.summary.attempts_total)
    }));
    rows.push(row(reports, "status", |run| {
        statuses_text(&run.summary.statuses)
    }));
    rows.push(row(reports, "iterations", |run| {
        let mean = run.summary.per_attempt.as_ref();
        mean.map_or_else(none, |mean| format!("{:.1}", mean.iterations))
    }));
    rows.push(row(reports, "tokens in, out", |run| {
        match run.summary.usage {
            None => none(),
            Some(_) => format!(
                "{}, {}",
                tokens(&run.summary, |usage| usage.input_tokens),
                tokens(&run.summary, |usage| usage.output_tokens)
            ),
        }
    }));
    rows.push(row(reports, "cost", |run| cost(&run.summary)));
    if reports.iter().any(|run| run.summary.has_wasted()) {
        rows.push(row(reports, "cost of all tries", |run| {
            cost_of_all_tries(&run.summary)
        }));
    }
    let has_cost = |run: &RunReport| run.summary.spent().cost_usd.is_some();
    if reports.iter().any(has_cost) {
        rows.push(row(reports, "cost per right answer", |run| {
            cost_per_right_answer(&run.summary)
        }));
    }
    rows.push(row(reports, "seconds per attempt", |run| {
        let seconds = run.seconds_per_attempt();
        seconds.map_or_else(none, |seconds| format!("{seconds:.1}"))
    }));
    Table {
        title: "Scores".to_owned(),
        rows,
    }
}
