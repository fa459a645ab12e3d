//! Shows progress as bars on a terminal: one for the run and a line for each attempt in progress.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{
    HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};
use records::AttemptRecord;
use report::summary::headline;

use crate::process::terminal::counted;
use crate::run::event::{Reporter, RunEvent, RunPlan};

use super::activity::Activity;
use super::tally::{Tally, error, label};

/// Maximum lines for attempts. A terminal with fewer rows shows fewer lines, because indicatif does
/// not draw below the last row.
const MOST_LINES: usize = 20;

/// Update interval of clocks and spinners between events.
const TICK: Duration = Duration::from_millis(200);

/// Draws a bar for the run and, below it, a line for each attempt in progress.
#[derive(Debug)]
pub struct BarReporter {
    bars: MultiProgress,
    run: ProgressBar,
    running: Vec<Running>,
    lines: usize,
    tally: Tally,
    color: bool,
}

#[derive(Debug)]
struct Running {
    sample: String,
    attempt: u32,
    activity: Activity,
    /// `None` while all lines are in use.
    line: Option<ProgressBar>,
}

impl BarReporter {
    /// Creates a reporter that draws on `target`. Draws nothing before the run starts.
    pub fn new(target: ProgressDrawTarget, color: bool) -> Self {
        Self {
            bars: MultiProgress::with_draw_target(target),
            run: ProgressBar::hidden(),
            running: Vec::new(),
            lines: 0,
            tally: Tally::default(),
            color,
        }
    }

    fn started(&mut self, plan: &RunPlan) {
        self.tally = Tally::of(plan);
        self.lines = plan.concurrency.min(MOST_LINES);
        let bar = ProgressBar::new(plan.attempts_total)
            .with_position(plan.attempts_done)
            .with_style(run_style(self.color, plan.attempts_done));
        self.run = self.bars.add(bar);
        // Estimate the remaining time from this start only.
        self.run.reset_eta();
        self.run.enable_steady_tick(TICK);
    }

    fn attempt_started(&mut self, sample: &str, attempt: u32) {
        self.running.push(Running {
            sample: sample.to_owned(),
            attempt,
            activity: Activity::new(sample, attempt),
            line: None,
        });
        self.fill_lines();
    }

    fn attempt_finished(&mut self, record: &AttemptRecord) {
        self.tally.add(record);
        if let Some(place) = self.place(&record.id, record.attempt) {
            if let Some(line) = self.running.remove(place).line {
                line.finish_and_clear();
                self.bars.remove(&line);
            }
            self.fill_lines();
        }
        self.show_tally();
        self.run.set_position(self.tally.done);
        if record.status == harness::model::Status::Error {
            let label = label(&record.id, record.attempt);
            self.say(format!("{label} error{}", error(record)));
        }
    }

    fn show_tally(&self) {
        let score = self.tally.mean().map(|mean| format!("score {mean:.2}"));
        let errors = (self.tally.errors > 0).then(|| counted(self.tally.errors, "error"));
        let spending = self.tally.spending();
        let parts: Vec<String> = score.into_iter().chain(errors).chain(spending).collect();
        self.run.set_message(parts.join(", "));
    }

    /// Assigns free lines to the attempts that have waited longest for one.
    fn fill_lines(&mut self) {
        let taken = self
            .running
            .iter()
            .filter(|attempt| attempt.line.is_some())
            .count();
        let waiting = self
            .running
            .iter_mut()
            .filter(|attempt| attempt.line.is_none());
        for attempt in waiting.take(self.lines.saturating_sub(taken)) {
            let line = ProgressBar::no_length()
                .with_style(attempt_style(self.color))
                .with_message(attempt.activity.line());
            let line = self.bars.add(line);
            line.enable_steady_tick(TICK);
            attempt.line = Some(line);
        }
    }

    fn place(&self, sample: &str, attempt: u32) -> Option<usize> {
        self.running
            .iter()
            .position(|running| running.attempt == attempt && running.sample == sample)
    }

    /// Prints a permanent line above the bars.
    fn say(&self, line: String) {
        // The run continues even if its progress cannot be written.
        let _ = self.bars.println(line);
    }
}

impl Reporter for BarReporter {
    fn report(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(plan) => self.started(plan),
            RunEvent::AttemptStarted { sample, attempt } => self.attempt_started(sample, *attempt),
            RunEvent::Engine(event) => {
                let Some(place) = self.place(&event.sample, event.attempt) else {
                    return;
                };
                let running = &mut self.running[place];
                running.activity.apply(event);
                if let Some(line) = &running.line {
                    line.set_message(running.activity.line());
                }
            }
            RunEvent::Spending(spent) => {
                self.tally.spent = *spent;
                self.show_tally();
            }
            RunEvent::AttemptFinished(record) => self.attempt_finished(record),
            RunEvent::RunFinished(summary) => {
                for line in self.running.drain(..).filter_map(|attempt| attempt.line) {
                    line.finish_and_clear();
                    self.bars.remove(&line);
                }
                self.run.finish_and_clear();
                self.say(headline(summary));
            }
        }
    }
}

/// Returns the style of the run's bar:
/// `━━━━━━━━──────────── 12/40 3m, 7m left  score 0.92, 1 error, $0.52 of $2, 120k tokens`.
fn run_style(color: bool, done_before: u64) -> ProgressStyle {
    let template = if color {
        "{bar:20.cyan} {pos}/{len} {elapsed}, {left} left  {wide_msg}"
    } else {
        "{bar:20} {pos}/{len} {elapsed}, {left} left  {wide_msg}"
    };
    style(template).progress_chars("━╸─").with_key(
        "left",
        move |state: &ProgressState, to: &mut dyn Write| {
            // There is no estimate before this start has finished an attempt. Writing to a string
            // cannot fail.
            let _ = if state.pos() > done_before {
                write!(to, "{:#}", HumanDuration(state.eta()))
            } else {
                write!(to, "?")
            };
        },
    )
}

fn attempt_style(color: bool) -> ProgressStyle {
    let template = if color {
        "{spinner:.cyan} {elapsed:>4} {wide_msg}"
    } else {
        "{spinner} {elapsed:>4} {wide_msg}"
    };
    style(template)
}

/// Parses a template from this file, or returns the default style if the template is malformed.
fn style(template: &'static str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
