//! A report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere.

use askama::Template;
use model::{Protocol, ProtocolNature};

use super::compared::{Compared, compared};
use super::plot::{Plot, PlotError, TIME_PARTS, colour_of, css, plots};
use super::text::{behaviour, by, facts, grouped};
use super::{Failure, Report, RunReport, spending};
use crate::differences;
use crate::summary::{
    NONE, context_lengths, cost, cost_of_all_tries, cost_per_right_answer, interval_notes,
    length_label, score_text, tokens,
};

/// Why a report cannot be made. Nothing outside of the program can cause that.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The template fails.
    #[error("cannot create the report: {0}")]
    Template(#[from] askama::Error),
}

/// The page. Texts are escaped by the template engine, for models wrote some of them; only the plots' drawings, which
/// hold nothing but numbers and the program's own words, go in as they are.
#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    runs: Vec<Run<'a>>,
    /// The parts that differ, and for each run what is in effect.
    differing: Vec<(String, Vec<String>)>,
    sentences: Vec<String>,
    scorers: Option<String>,
    sweeps: Vec<Compared<'a>>,
    tables: Vec<Table>,
    plots: Vec<Plot>,
    time_parts: Vec<(&'static str, String)>,
    /// What is to know of the intervals, a sentence each.
    interval_notes: Vec<String>,
    failing: Vec<Failing<'a>>,
    shown: usize,
}

struct Run<'a> {
    colour: String,
    report: &'a RunReport,
    fingerprint: &'a str,
}

impl Run<'_> {
    /// The prompt mode; a dash where the protocol has none.
    fn mode(&self) -> &str {
        let identity = &self.report.identity;
        let nature = Protocol::nature_of(&identity.protocol);
        if nature.is_some_and(ProtocolNature::has_repl) {
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

    /// A limit of agents; a dash for a direct call, which has none.
    fn of_agents(&self, limit: u32) -> String {
        let nature = Protocol::nature_of(&self.report.identity.protocol);
        if nature.is_some_and(|nature| nature.one_call) {
            NONE.to_owned()
        } else {
            limit.to_string()
        }
    }
}

/// Names and, for each run, what stands there.
struct Table {
    title: String,
    rows: Vec<(String, Vec<String>)>,
}

struct Failing<'a> {
    name: &'a str,
    label: &'a str,
    all: usize,
    failures: Vec<(&'a Failure, String)>,
}

/// Failures of one run that a page shows.
const SHOWN: usize = 20;

/// The page of a report.
///
/// # Errors
/// [`HtmlError`].
pub fn html(report: &Report) -> Result<String, HtmlError> {
    let reports = &report.runs;
    let runs = reports.iter().enumerate().map(|(index, report)| Run {
        colour: colour_of(index),
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
    let failing = reports.iter().map(|report| Failing {
        name: &report.name,
        label: &report.label,
        all: report.failures.len(),
        failures: report
            .failures
            .iter()
            .take(SHOWN)
            .map(|failure| (failure, score(failure)))
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
        scorers: report.scorers(report.names()),
        sweeps: compared(report),
        tables,
        plots: plots(reports)?,
        time_parts: TIME_PARTS.map(|(name, colour)| (name, css(colour))).into(),
        interval_notes: interval_notes(shown.chain(grouped(reports))),
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
    let has_cost = |run: &RunReport| run.summary.spent().cost_usd.is_some();
    if reports.iter().any(has_cost) {
        rows.push(row("cost per right answer".to_owned(), &|run| {
            cost_per_right_answer(&run.summary)
        }));
    }
    rows.push(row("seconds per attempt".to_owned(), &|run| {
        let seconds = run.seconds_per_attempt();
        seconds.map_or_else(|| NONE.to_owned(), |seconds| format!("{seconds:.1}"))
    }));
    Table {
        title: "Scores".to_owned(),
        rows,
    }
}
