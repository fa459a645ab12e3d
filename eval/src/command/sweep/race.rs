//! `rlm-eval sweep --race`: runs the cells on blocks of samples, until the race is decided.
//!
//! A log records every decision, so that a resumed race does not decide again.

use std::collections::BTreeMap;
use std::path::Path;

use ::report::compare::RunScores;
use ::report::race::{
    RACE_LOG, RACE_VERSION, RaceHeader, RaceLog, RaceOpponents, Rules, block_lines, race_table,
};
use harness::SharedBudget;
use records::run_dir::RunDir;
use sha2::{Digest, Sha256};

use super::cell::{failed_attempts, resume_advice, run_cell};
use super::conclusion::conclude;
use super::spending;
use crate::command::run::{self, CellStart, RunContext};
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::{RunSettings, SettingsError};
use crate::sweep::{Cell, Plan, RaceAgainst, SweepArgs};

/// Log file of a race replayed over finished runs.
const REPLAY_LOG: &str = "race-replay.jsonl";

/// Returns the header of a race: its rules and the random order of the samples. `None` if no sample
/// matches.
///
/// # Errors
/// [`Error`] for a race with one cell and for unavailable samples.
pub(super) fn header(
    plan: &Plan,
    against: RaceAgainst,
    args: &SweepArgs,
) -> Result<Option<RaceHeader>, Error> {
    let Some(first) = plan.cells.first().filter(|_| plan.cells.len() > 1) else {
        return Err(SettingsError::new(
            "--race: the matrix has only one cell; expected at least two",
        )
        .into());
    };
    let settings = RunSettings::resolve(&first.flags)?.settings;
    let Some(clusters) = run::clusters(&settings)? else {
        return Ok(None);
    };
    Ok(Some(RaceHeader {
        v: RACE_VERSION,
        rules: rules(plan, against, args),
        cells: plan.cells.iter().map(|cell| cell.name.clone()).collect(),
        block: args.race.block,
        attempts: first.flags.attempts,
        order: shuffle_clusters(clusters, args),
    }))
}

fn rules(plan: &Plan, against: RaceAgainst, args: &SweepArgs) -> Rules {
    Rules {
        alpha: args.race.alpha,
        min_difference: args.race.min_difference,
        against: match against {
            RaceAgainst::Best => RaceOpponents::Best,
            RaceAgainst::Baseline => RaceOpponents::Baselines(plan.baselines()),
        },
    }
}

/// Shuffles the clusters and keeps as many as fit into the requested number of samples, at least
/// one.
fn shuffle_clusters(clusters: Vec<Vec<String>>, args: &SweepArgs) -> Vec<Vec<String>> {
    let seed = args.race.order_seed;
    let mut ranked: Vec<_> = clusters
        .into_iter()
        .map(|cluster| {
            let name = cluster.first().map(String::as_str).unwrap_or_default();
            (Sha256::digest(format!("{seed}\0{name}")), cluster)
        })
        .collect();
    ranked.sort_unstable();
    let most = args.race.max_samples.unwrap_or(usize::MAX);
    let mut samples = 0;
    let within = ranked.into_iter().map(|(_, cluster)| cluster);
    within
        .enumerate()
        .take_while(|(place, cluster)| {
            samples += cluster.len();
            *place == 0 || samples <= most
        })
        .map(|(_, cluster)| cluster)
        .collect()
}

/// Starts or resumes a race.
///
/// # Errors
/// [`Error`] for a run that fails and for files that cannot be read or written. The log keeps
/// earlier decisions.
pub(super) fn execute(
    folder: &Path,
    plan: &Plan,
    header: &RaceHeader,
    args: &SweepArgs,
    budget: Option<&SharedBudget>,
) -> Result<Outcome, Error> {
    let path = folder.join(RACE_LOG);
    let mut log = if let Some(log) = RaceLog::read(folder)? {
        log
    } else {
        let log = RaceLog::new(header.clone());
        log.begin(&path)?;
        log
    };
    if let Some(last) = log.blocks.last() {
        terminal::note(&format!(
            "blocks decided so far: {} ({} samples)",
            last.block, last.samples
        ));
    }
    let to_retry = failed_attempts(folder, plan, args)?;
    // A cell may fail in every block, for example because its server rejects all requests. A
    // resume without --retry-errors excludes its missing scores.
    let accepts_failures = args.resume.is_some() && !args.policy.retry_errors;
    while let Some(block) = log.next() {
        let earlier = log.header.order.iter().flatten();
        let before = log.blocks.last().map_or(0, |block| block.samples);
        let until = before + block.iter().map(Vec::len).sum::<usize>();
        let samples: Vec<String> = earlier.take(until).cloned().collect();
        let running = log.running();
        let cells = cheapest_first(
            folder,
            running.iter().filter_map(|cell| plan.cells.get(*cell)),
        );
        for cell in cells {
            if budget.and_then(SharedBudget::exhausted).is_some() && !has(folder, cell, &samples)? {
                return Ok(stopped(folder, plan, &log, budget, args));
            }
            if has(folder, cell, &samples)? && !args.policy.retry_errors {
                continue;
            }
            terminal::note(&format!("block {}: {}", log.blocks.len() + 1, cell.name));
            let run_context = RunContext::SweepCell(CellStart {
                budget: budget.cloned(),
                samples: None,
                failed: to_retry.get(&cell.name).cloned().unwrap_or_default(),
            });
            let outcome = run_cell(folder, plan, cell, Some(&samples), args, &run_context)?;
            let undecided = || {
                terminal::note(&format!(
                    "block {} is undecided; {}",
                    log.blocks.len() + 1,
                    resume_advice(folder, plan, args, "")
                ));
            };
            let is_whole = has(folder, cell, &samples)?;
            match outcome {
                // Whether the cell has a score is checked below.
                Outcome::InfrastructureFailed if is_whole => {}
                Outcome::Interrupted | Outcome::InfrastructureFailed => {
                    undecided();
                    return Ok(outcome);
                }
                _ if !is_whole => {
                    if budget.and_then(SharedBudget::exhausted).is_some() {
                        return Ok(stopped(folder, plan, &log, budget, args));
                    }
                    undecided();
                    return Ok(Outcome::Incomplete);
                }
                _ => {}
            }
        }
        let scores = scores(folder, plan, &running)?;
        let silent = running.iter().find(|cell| {
            let mut of_block = block.iter().flatten();
            !of_block.any(|id| scores.get(id).is_some_and(|row| row[**cell].is_some()))
        });
        if let Some(cell) = silent.filter(|_| !accepts_failures) {
            terminal::note(&format!(
                "{} has no score in block {}, which is undecided; {}, or without --retry-errors to go \
                 on without these scores",
                plan.cells[*cell].name,
                log.blocks.len() + 1,
                resume_advice(folder, plan, args, " --retry-errors")
            ));
            return Ok(Outcome::InfrastructureFailed);
        }
        let Some(decided) = log.decide(&scores) else {
            break;
        };
        log.append(&path)?;
        for line in block_lines(&log.header, &decided) {
            terminal::progress(&line);
        }
    }
    conclude(folder, plan, args.json)?;
    terminal::note(&format!("sweep: {}", folder.display()));
    Ok(Outcome::Complete)
}

/// Reports that the budget stopped the race, and how to resume it.
fn stopped(
    folder: &Path,
    plan: &Plan,
    log: &RaceLog,
    budget: Option<&SharedBudget>,
    args: &SweepArgs,
) -> Outcome {
    let mut how = resume_advice(folder, plan, args, "");
    if let Some((budget, error)) = budget.and_then(|budget| Some((budget, budget.exhausted()?))) {
        terminal::note(&format!("the race was stopped: {error}"));
        how = spending::higher_budget_advice(folder, plan, budget, args);
    }
    terminal::note(&format!(
        "block {} is undecided; {how}",
        log.blocks.len() + 1
    ));
    Outcome::Incomplete
}

/// Whether a cell has a record of every attempt at these samples.
fn has(folder: &Path, cell: &Cell, samples: &[String]) -> Result<bool, Error> {
    let dir = folder.join(&cell.name);
    if !RunDir::is_whole(&dir) {
        return Ok(false);
    }
    let run = RunDir::open(&dir)?;
    let mut made: BTreeMap<&str, u32> = BTreeMap::new();
    for record in &run.records {
        *made.entry(record.id.as_str()).or_default() += 1;
    }
    let mut samples = samples.iter();
    Ok(samples.all(|id| {
        made.get(id.as_str())
            .is_some_and(|n| *n >= cell.flags.attempts)
    }))
}

/// Sorts the cells by cost per attempt, so that a limited budget finishes as many cells as
/// possible. Cells with an unknown cost come last; cells with equal costs stay in plan order.
fn cheapest_first<'a>(folder: &Path, cells: impl Iterator<Item = &'a Cell>) -> Vec<&'a Cell> {
    let mean = |cell: &Cell| {
        let run = RunDir::open(&folder.join(&cell.name)).ok()?;
        let costs: Option<Vec<f64>> = run.records.iter().map(|record| record.cost_usd).collect();
        let costs = costs.filter(|costs| !costs.is_empty())?;
        Some(costs.iter().sum::<f64>() / costs.len() as f64)
    };
    let mut ranked: Vec<(f64, &Cell)> = cells
        .map(|cell| (mean(cell).unwrap_or(f64::INFINITY), cell))
        .collect();
    ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
    ranked.into_iter().map(|(_, cell)| cell).collect()
}

/// Returns the mean score of each sample in each of the given cells, over the attempts that have a
/// score. The value is `None` for samples without scores and for all other cells.
fn scores(
    folder: &Path,
    plan: &Plan,
    cells: &[usize],
) -> Result<BTreeMap<String, Vec<Option<f64>>>, Error> {
    let mut all: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for cell in cells {
        let run = RunScores::of_run(&RunDir::open(&folder.join(&plan.cells[*cell].name))?);
        let mut of_run: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for attempt in run.attempts {
            of_run
                .entry(attempt.sample)
                .or_default()
                .extend(attempt.score);
        }
        for (sample, mut scores) in of_run {
            // Sort first, because the order in which attempts finish would change the
            // floating-point sum.
            scores.sort_by(f64::total_cmp);
            let row = all
                .entry(sample)
                .or_insert_with(|| vec![None; plan.cells.len()]);
            row[*cell] =
                (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
        }
    }
    Ok(all)
}

/// Simulates a race over the finished runs of a sweep, without running attempts.
///
/// # Errors
/// [`Error`] for a folder without a sweep, for a sweep that was a race, and for incomplete cells.
pub(super) fn replay(folder: &Path, args: &SweepArgs) -> Result<Outcome, Error> {
    let plan = Plan::read(folder)?;
    if plan.race.is_some() {
        let problem = format!(
            "--replay-race: {} is already a race, in which some cells stopped early",
            folder.display()
        );
        return Err(SettingsError::new(problem).into());
    }
    let all: Vec<usize> = (0..plan.cells.len()).collect();
    let mut clusters: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut attempts = 1;
    for (place, cell) in plan.cells.iter().enumerate() {
        let run = RunDir::open(&folder.join(&cell.name))?;
        if (run.records.len() as u64) < run.attempts_total() {
            let problem = format!("--replay-race: the run of {} is not finished", cell.name);
            return Err(SettingsError::new(problem).into());
        }
        if place == 0 {
            attempts = cell.flags.attempts;
            for record in run.records.iter().filter(|record| record.attempt == 1) {
                let cluster = record.cluster.as_ref();
                // Prefixes keep the id of a sample without a cluster apart from an equal cluster
                // name.
                let key =
                    cluster.map_or_else(|| format!("s{}", record.id), |name| format!("c{name}"));
                clusters.entry(key).or_default().push(record.id.clone());
            }
        }
    }
    let mut clusters: Vec<Vec<String>> = clusters.into_values().collect();
    for cluster in &mut clusters {
        cluster.sort();
    }
    let scores = scores(folder, &plan, &all)?;
    let taken = |cell: usize| scores.values().filter(|row| row[cell].is_some()).count();
    let samples: usize = clusters.iter().map(Vec::len).sum();
    if let Some(cell) = all
        .iter()
        .find(|cell| taken(**cell) == 0 || taken(**cell) * 2 < samples)
    {
        let problem = format!(
            "--replay-race: {} has scores for {} of {samples} samples; replaying a race requires \
             complete runs",
            plan.cells[*cell].name,
            taken(*cell)
        );
        return Err(SettingsError::new(problem).into());
    }
    let against = args.race.race.unwrap_or(RaceAgainst::Best);
    let mut log = RaceLog::new(RaceHeader {
        v: RACE_VERSION,
        rules: rules(&plan, against, args),
        cells: plan.cells.iter().map(|cell| cell.name.clone()).collect(),
        block: args.race.block,
        attempts,
        order: shuffle_clusters(clusters, args),
    });
    let path = folder.join(REPLAY_LOG);
    log.begin(&path)?;
    while let Some(decided) = log.decide(&scores) {
        log.append(&path)?;
        for line in block_lines(&log.header, &decided) {
            terminal::progress(&line);
        }
    }
    let result = log.result();
    if args.json {
        stdout::write_json(&result)?;
    } else {
        stdout::write_table(|width| race_table(&result, width))?;
    }
    terminal::note(&format!("decisions: {}", path.display()));
    Ok(Outcome::Complete)
}
