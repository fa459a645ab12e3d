//! Generates the cells of a matrix.
//!
//! Each combination occurs once, axes that a protocol lacks are omitted, and all cells send
//! different requests.

use clap::Args as _;
use harness::prompt::warnings;
use harness::treatment::{ExperimentPlan, ExplicitSetting, MaskedBy, NoEffect};

use super::combination::{Combination, combinations};
use super::matrix::{MODEL, Matrix};
use super::plan::{Cell, Plan, SWEEP_VERSION, Skipped, SweepError};
use super::settings::SweepBudgetArgs;
use crate::models::main_identity;
use crate::providers::ModelRef;
use crate::settings::{
    EngineSettings, RunArgs, RunMode, RunSettings, SettingsError, clear_flag, reset_flags,
};

/// Builds the plan of a matrix: a `direct` cell for each model and its sampling settings, followed
/// by every meaningful combination.
///
/// # Errors
/// [`SweepError`] for flags that are invalid in any cell, shared flags without effect in every
/// cell, and two cells that would send the same requests.
pub fn plan_cells(matrix: &Matrix) -> Result<Plan, SweepError> {
    let mut cells = Cells::default();
    for combination in combinations(matrix) {
        cells.add(matrix, combination)?;
    }
    cells.plan()
}

/// Cells collected for a plan.
#[derive(Default)]
struct Cells<'m> {
    runs: Vec<Cell>,
    skipped: Vec<Skipped>,
    left_out: Vec<Skipped>,
    /// Combination, plan and model identity of each cell.
    made: Vec<(Combination<'m>, ExperimentPlan, String)>,
    /// For each cell: the shared flags without effect.
    masked: Vec<Vec<NoEffect>>,
}

/// Returns the identity of the main model, independent of its alias; for a model on a server, this
/// includes the URL of its requests.
fn identify_main_model(engine: &EngineSettings, benchmark: &str) -> String {
    let main = engine.references.main();
    let on_server = main.on_server().and_then(|(endpoint, model)| {
        let server = engine.models.servers.get(&endpoint.name)?;
        let path = endpoint.requests_path(model);
        Some(format!("{}{path} {model}", server.base_url))
    });
    on_server.unwrap_or_else(|| main_identity(main, benchmark))
}

/// Returns the agents' plan with each model replaced by its identity. An alias of the root's model
/// counts as the root's model.
fn plan_with_identities(engine: &EngineSettings, benchmark: &str) -> ExperimentPlan {
    let main = main_identity(engine.references.main(), benchmark);
    let mut plan = engine.plan.clone();
    for agent in &mut plan.agents {
        let model = agent.model.take();
        let model = model.and_then(|model| model.parse::<ModelRef>().ok());
        let identity = model.map(|model| main_identity(&model, benchmark));
        agent.model = identity.filter(|identity| *identity != main);
    }
    plan
}

impl<'m> Cells<'m> {
    /// Adds a combination. Records it as skipped if it is not meaningful, and ignores it if it
    /// equals an earlier one without the axes that have no effect.
    ///
    /// # Errors
    /// [`SweepError`] for invalid flags and for a cell that would send the same requests as
    /// another.
    fn add(
        &mut self,
        matrix: &'m Matrix,
        mut combination: Combination<'m>,
    ) -> Result<(), SweepError> {
        let mut masked = Vec::new();
        let (flags, engine) = match resolve(matrix, &mut combination, &mut masked)? {
            Ok(resolved) => resolved,
            Err(reason) => {
                let cell = combination.to_string();
                self.skipped.push(Skipped { cell, reason });
                return Ok(());
            }
        };
        combination.omit_defaults(&engine);
        if self.made.iter().any(|(made, ..)| made.equals(&combination)) {
            return Ok(());
        }
        let name = format!("{:02}-{}", self.runs.len() + 1, combination.name());
        // A model with different sampling settings counts as a different model.
        let of_model = combination.given().filter(|(axis, _)| axis.of_model);
        let sampled = of_model.filter(|(axis, _)| axis.flag != MODEL);
        let sampled: String = sampled
            .map(|(axis, value)| format!(" {}={value}", axis.flag))
            .collect();
        let identity = identify_main_model(&engine, &flags.benchmark) + &sampled;
        let plan = plan_with_identities(&engine, &flags.benchmark);
        for (cell, (made, earlier, model)) in self.runs.iter().zip(&self.made) {
            if *model != identity {
                continue;
            }
            let first = &cell.name;
            if *earlier == plan {
                return Err(SweepError::Invalid(format!(
                    "cells `{first}` and `{name}` would send the same requests to the same model; \
                     remove one of them"
                )));
            }
            let is_replay = engine.references.main().played_back().is_some();
            if is_replay && made.has_same_structure(&combination) {
                return Err(SweepError::Invalid(format!(
                    "cells `{first}` and `{name}` replay the same recording, which prompts cannot \
                     change; remove one of them"
                )));
            }
        }
        self.left_out.extend(masked.iter().map(|masked| Skipped {
            cell: name.clone(),
            reason: masked.to_string(),
        }));
        self.made.push((combination, plan, identity));
        self.masked.push(masked);
        self.runs.push(Cell { name, flags });
        Ok(())
    }

    /// Builds the plan.
    ///
    /// # Errors
    /// [`SweepError::NoEffectAnywhere`] for a shared flag without effect in every cell.
    fn plan(self) -> Result<Plan, SweepError> {
        if let [first, others @ ..] = self.masked.as_slice() {
            let is_everywhere = |setting: &ExplicitSetting| {
                let mut others = others.iter();
                others.all(|masked| {
                    masked
                        .iter()
                        .any(|masked| masked.settings.contains(setting))
                })
            };
            let found = first
                .iter()
                .find(|masked| masked.settings.iter().any(is_everywhere));
            if let Some(masked) = found {
                return Err(SweepError::NoEffectAnywhere(Box::new(masked.clone())));
            }
        }
        Ok(Plan {
            v: SWEEP_VERSION,
            id: String::new(),
            cells: self.runs,
            skipped: self.skipped,
            left_out: self.left_out,
            budget: SweepBudgetArgs::default(),
            race: None,
        })
    }
}

/// Resolves the flags of a combination, or returns the reason why it is not meaningful. Removes
/// axes that the protocol lacks, and moves shared flags without effect to `left_out`.
fn resolve(
    matrix: &Matrix,
    combination: &mut Combination<'_>,
    left_out: &mut Vec<NoEffect>,
) -> Result<Result<(RunArgs, EngineSettings), String>, SweepError> {
    loop {
        let wrong =
            |problem: String| SweepError::Invalid(format!("cell `{combination}`: {problem}"));
        let mut flags = flags(matrix, combination).map_err(wrong)?;
        for setting in left_out
            .iter()
            .flat_map(|masked: &NoEffect| &masked.settings)
        {
            flags.engine = clear_flag(&flags.engine, setting).map_err(wrong)?;
        }
        let problem = match RunSettings::at(&flags, RunMode::Cell) {
            Ok(resolved) => {
                let engine = resolved.settings.engine;
                let reasons = warnings(engine.effective.prompt_mode, &engine.treatment.drivers);
                return Ok(if reasons.is_empty() {
                    Ok((flags, engine))
                } else {
                    Err(reasons.join("; "))
                });
            }
            Err(problem) => problem,
        };
        match problem {
            SettingsError::DriverProtocolMismatch(unfit) => {
                return Ok(Err(unfit.to_string()));
            }
            SettingsError::NoEffect(masked)
                if !masked
                    .settings
                    .iter()
                    .any(|setting| combination.varies(setting)) =>
            {
                left_out.push(*masked);
            }
            SettingsError::NoEffect(masked) if masked.by != MaskedBy::Other => {
                let is_by_protocol = masked.by == MaskedBy::Protocol;
                if !(is_by_protocol && combination.omit(&masked.settings)) {
                    return Ok(Err(masked.to_string()));
                }
            }
            // Any other problem ends the sweep, such as an axis value that changes no request.
            problem => {
                return Err(SweepError::Settings {
                    cell: combination.to_string(),
                    problem: Box::new(problem),
                });
            }
        }
    }
}

/// Returns a flag with its values as command-line arguments. The values are joined in one argument
/// if the flag allows that, and a switch that is `true` has no value.
fn shared(command: &clap::Command, name: &str, values: &[String]) -> Vec<String> {
    let known = command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(name));
    let is_switch = known.is_some_and(|argument| !argument.get_action().takes_values());
    let delimiter = known.and_then(clap::Arg::get_value_delimiter);
    match (values, delimiter) {
        ([], _) => vec![format!("--{name}")],
        ([value], _) if is_switch && value == "true" => vec![format!("--{name}")],
        ([value], _) if is_switch && value == "false" => Vec::new(),
        (values, Some(delimiter)) => {
            vec![format!("--{name}={}", values.join(&delimiter.to_string()))]
        }
        (values, None) => values
            .iter()
            .map(|value| format!("--{name}={value}"))
            .collect(),
    }
}

/// Parses the flags of a cell like those of `rlm-eval run`.
fn flags(matrix: &Matrix, combination: &Combination<'_>) -> Result<RunArgs, String> {
    let command = RunArgs::augment_args(clap::Command::new("run"));
    let mut words = Vec::new();
    for (name, values) in &matrix.run {
        if name == MODEL && combination.has_model() {
            continue;
        }
        words.extend(shared(&command, name, values));
    }
    if !matrix.run.contains_key("profile") {
        // An auto-matched profile would add an unrequested difference between cells.
        words.push("--profile=none".to_owned());
    }
    let own = combination.given();
    words.extend(own.map(|(axis, value)| format!("--{}={value}", axis.flag)));
    let mut args = RunArgs::of_words(words)?;
    args.start.estimate.dry_run = matrix.dry_run;
    // The environment must not set an axis that the cell lacks.
    let lacking: Vec<&str> = combination.lacking().collect();
    if !lacking.is_empty() {
        args.engine = reset_flags(&args.engine, &lacking)?;
    }
    Ok(args)
}
