//! Shows progress as plain lines, for logs and when stderr is not a terminal.

use std::fmt::Arguments;
use std::io::Write;

use records::AttemptRecord;
use report::summary::headline;

use crate::process::terminal::counted;
use crate::run::event::{Reporter, RunEvent, RunPlan};

use super::Narrator;
use super::tally::{Tally, error, label};

/// Writes a line when the run starts, when an attempt finishes, and at the end. In verbose mode,
/// also writes a line for each event that [`Narrator`] describes.
#[derive(Debug)]
pub struct LineReporter<W> {
    to: W,
    tally: Tally,
    /// Present in verbose mode.
    narrator: Option<Narrator>,
}

impl<W: Write + Send> LineReporter<W> {
    /// Creates a reporter that writes to `to`.
    pub fn new(to: W, verbose: bool) -> Self {
        Self {
            to,
            tally: Tally::default(),
            narrator: verbose.then(Narrator::default),
        }
    }

    fn line(&mut self, line: Arguments) {
        // The run continues even if its progress cannot be written.
        let _ = writeln!(self.to, "{line}").and_then(|()| self.to.flush());
    }

    fn started(&mut self, plan: &RunPlan) {
        self.tally = Tally::of(plan);
        let attempts = counted(plan.attempts_total, "attempt");
        let done = match plan.attempts_done {
            0 => String::new(),
            done => format!(" ({done} done before)"),
        };
        let run = &plan.identity;
        let mode = run.prompt_mode.as_deref();
        let mode = mode.map_or_else(String::new, |mode| format!(", {mode}"));
        let drivers = match run.drivers.as_deref() {
            None | Some("") => String::new(),
            Some(drivers) => format!(", drivers {drivers}"),
        };
        self.line(format_args!(
            "{attempts}{done} at {} by {} ({}{mode}{drivers}), {} concurrent, in {}",
            run.benchmark,
            run.model,
            run.protocol,
            plan.concurrency,
            plan.dir.display(),
        ));
    }

    fn finished(&mut self, record: &AttemptRecord) {
        self.tally.add(record);
        let (done, total) = (self.tally.done, self.tally.total);
        let score = match (record.score, self.tally.mean()) {
            (Some(score), Some(mean)) => format!("score {score:.2} (mean {mean:.2})"),
            _ => "no score".to_owned(),
        };
        let agents = record.agents.map_or_else(String::new, |agents| {
            format!(" {}", counted(agents, "agent"))
        });
        let spending = self.tally.spending();
        let spending = spending.map_or_else(String::new, |spent| format!("; run: {spent}"));
        self.line(format_args!(
            "[{done}/{total}] {} {} {score} {}{} {:.1} s{}{spending}",
            label(&record.id, record.attempt),
            record.status,
            counted(record.iterations, "iteration"),
            agents,
            record.total_time_s,
            error(record),
        ));
    }
}

impl<W: Write + Send> Reporter for LineReporter<W> {
    fn report(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(plan) => self.started(plan),
            RunEvent::AttemptStarted { .. } => {}
            RunEvent::Engine(event) => {
                let narrator = self.narrator.as_mut();
                if let Some(line) = narrator.and_then(|narrator| narrator.line(event)) {
                    self.line(format_args!("{line}"));
                }
            }
            RunEvent::Spending(spent) => self.tally.spent = *spent,
            RunEvent::AttemptFinished(record) => self.finished(record),
            RunEvent::RunFinished(summary) => self.line(format_args!("{}", headline(summary))),
        }
    }
}
