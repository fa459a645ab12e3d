//! Generates the cells of a matrix.
//!
//! Each combination occurs once, axes that a protocol lacks are omitted, and all cells send
//! different requests.

use std::fmt;

use clap::Args as _;
use harness::prompt::{PromptMode, warnings};
use harness::treatment::{DEFAULT_MAX_DEPTH, ExperimentPlan, ExplicitSetting, MaskedBy, NoEffect};

use super::{Cell, Plan, SWEEP_VERSION, Skipped, SweepError, safe};
use crate::cli::{self, Command};
use crate::models::main_identity;
use crate::providers::{ModelRef, Named};
use crate::settings::flags;
use crate::settings::{
    BASELINE, EngineSettings, Matrix, RunArgs, RunSettings, SAME_MODEL, SettingsError,
    SweepBudgetArgs, Varied, clear_flag,
};

/// Maximum characters of a cell's name, so that number and name fit into a file name.
const MAX_NAME_CHARS: usize = 100;

/// Cells collected for a plan.
#[derive(Default)]
pub(super) struct Cells {
    runs: Vec<Cell>,
    skipped: Vec<Skipped>,
    left_out: Vec<Skipped>,
    /// Combination, plan and model identity of each cell.
    made: Vec<(Combination, ExperimentPlan, String)>,
    /// For each cell: the shared flags without effect.
    masked: Vec<Vec<NoEffect>>,
}

/// Returns the identity of the main model, independent of its alias; for a model on a server, this
/// includes the URL of its requests.
fn identify_main_model(engine: &EngineSettings, benchmark: &str) -> String {
    let on_server = engine.model.on_server().and_then(|(endpoint, model)| {
        let server = engine.models.servers.get(&endpoint.name)?;
        let path = endpoint.requests_path(model);
        Some(format!("{}{path} {model}", server.base_url))
    });
    on_server.unwrap_or_else(|| main_identity(&engine.model, benchmark))
}

/// Returns the agents' plan with each model replaced by its identity. An alias of the root's model
/// counts as the root's model.
fn plan_with_identities(engine: &EngineSettings, benchmark: &str) -> ExperimentPlan {
    let main = main_identity(&engine.model, benchmark);
    let mut plan = engine.plan.clone();
    for agent in &mut plan.agents {
        let model = agent.model.take();
        let model = model.and_then(|model| model.parse::<ModelRef>().ok());
        let identity = model.map(|model| main_identity(&model, benchmark));
        agent.model = identity.filter(|identity| *identity != main);
    }
    plan
}

fn plays_back(model: &ModelRef) -> bool {
    matches!(model.named(), Named::Offline(provider, _) if provider.plays_back)
}

/// Result of resolving a combination.
enum Resolution {
    /// The combination can run with these flags.
    Runs(Box<RunArgs>, Box<EngineSettings>),
    /// The combination is not meaningful; contains the reason.
    Skipped(String),
}

impl Cells {
    /// Adds a combination. Records it as skipped if it is not meaningful, and ignores it if it
    /// equals an earlier one without the axes that have no effect.
    ///
    /// # Errors
    /// [`SweepError`] for invalid flags and for a cell that would send the same requests as
    /// another.
    pub(super) fn add(
        &mut self,
        matrix: &Matrix,
        mut combination: Combination,
    ) -> Result<(), SweepError> {
        let mut masked = Vec::new();
        let (flags, engine) = match resolve(matrix, &mut combination, &mut masked)? {
            Resolution::Runs(flags, engine) => (*flags, *engine),
            Resolution::Skipped(reason) => {
                let cell = combination.to_string();
                self.skipped.push(Skipped { cell, reason });
                return Ok(());
            }
        };
        combination.remove_default_axes(matrix, &engine);
        if self.made.iter().any(|(made, ..)| *made == combination) {
            return Ok(());
        }
        let name = format!("{:02}-{}", self.runs.len() + 1, combination.name(matrix));
        // A model with different sampling settings counts as a different model.
        let sampled = combination.varied(matrix).filter(|(axis, _)| axis.of_model);
        let sampled: String = sampled
            .map(|(axis, value)| format!(" {}={value}", axis.flag))
            .collect();
        let identity = identify_main_model(&engine, &flags.benchmark) + &sampled;
        let plan = plan_with_identities(&engine, &flags.benchmark);
        for (cell, (made, earlier, model)) in self.runs.iter().zip(&self.made) {
            let (first, second) = (cell.name.clone(), name.clone());
            if *model != identity {
                continue;
            }
            if *earlier == plan {
                return Err(SweepError::SameCells { first, second });
            }
            let alike =
                (&made.protocol, &made.depth) == (&combination.protocol, &combination.depth);
            if alike && plays_back(&engine.model) {
                return Err(SweepError::SameRecording { first, second });
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
    pub(super) fn plan(self) -> Result<Plan, SweepError> {
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

/// Resolves the flags of a combination. Removes axes that the protocol lacks, and moves shared
/// flags without effect to `left_out`.
fn resolve(
    matrix: &Matrix,
    combination: &mut Combination,
    left_out: &mut Vec<NoEffect>,
) -> Result<Resolution, SweepError> {
    loop {
        let wrong = |problem| SweepError::Flags {
            cell: combination.to_string(),
            problem,
        };
        let mut flags = flags(matrix, combination).map_err(wrong)?;
        for setting in left_out
            .iter()
            .flat_map(|masked: &NoEffect| &masked.settings)
        {
            flags.engine = clear_flag(&flags.engine, setting).map_err(wrong)?;
        }
        let problem = match RunSettings::of_cell(&flags) {
            Ok(resolved) => {
                let engine = resolved.settings.engine;
                let reasons = warnings(engine.effective.prompt_mode, &engine.treatment.drivers);
                return Ok(if reasons.is_empty() {
                    Resolution::Runs(Box::new(flags), Box::new(engine))
                } else {
                    Resolution::Skipped(reasons.join("; "))
                });
            }
            Err(problem) => problem,
        };
        match problem {
            SettingsError::DriverProtocolMismatch(unfit) => {
                return Ok(Resolution::Skipped(unfit.to_string()));
            }
            SettingsError::NoEffect(masked)
                if !masked
                    .settings
                    .iter()
                    .any(|setting| is_axis(matrix, setting)) =>
            {
                left_out.push(*masked);
            }
            SettingsError::NoEffect(masked) if masked.by != MaskedBy::Other => {
                let is_by_protocol = masked.by == MaskedBy::Protocol;
                if !(is_by_protocol && combination.without_axes(matrix, &masked.settings)) {
                    return Ok(Resolution::Skipped(masked.to_string()));
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

/// Whether a setting belongs to an axis of the matrix, not to the shared flags.
fn is_axis(matrix: &Matrix, setting: &ExplicitSetting) -> bool {
    let varies = |flag| matrix.varied.iter().any(|axis| axis.flag == flag);
    match setting.flag {
        "--prompt-mode" | "--max-depth" | "--child-model" | "--drivers" => true,
        flag => varies(flag.trim_start_matches('-')),
    }
}

/// One combination of values of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combination {
    model: Option<String>,
    protocol: String,
    /// `None` if the protocol's prompt does not have modes.
    mode: Option<String>,
    /// `None` if the root cannot have children.
    depth: Option<String>,
    /// `None` if children use the model of the cell.
    child_model: Option<String>,
    /// Values of the matrix's varied flags, in order; `None` if the protocol lacks the flag.
    varied: Vec<Option<String>>,
    drivers: Vec<String>,
}

/// Returns all combinations, baselines first. The values of each axis must be distinct.
pub(super) fn combinations(matrix: &Matrix) -> Vec<Combination> {
    let models: Vec<Option<String>> = if matrix.models.is_empty() {
        vec![None]
    } else {
        matrix.models.iter().cloned().map(Some).collect()
    };
    let varied = products(matrix);
    // A baseline keeps the axes that belong to the model.
    let mut of_baselines: Vec<Vec<Option<String>>> = Vec::new();
    for values in &varied {
        let axes = matrix.varied.iter().zip(values);
        let own: Vec<_> = axes
            .map(|(axis, value)| value.clone().filter(|_| axis.of_model))
            .collect();
        if !of_baselines.contains(&own) {
            of_baselines.push(own);
        }
    }
    let mut all: Vec<Combination> = Vec::new();
    for model in &models {
        all.extend(of_baselines.iter().map(|varied| Combination {
            model: model.clone(),
            protocol: BASELINE.to_owned(),
            mode: None,
            depth: None,
            child_model: None,
            varied: varied.clone(),
            drivers: Vec::new(),
        }));
    }
    for model in &models {
        for protocol in &matrix.protocols {
            for mode in &matrix.prompt_modes {
                for depth in &matrix.depths {
                    for child in &matrix.child_models {
                        for varied in &varied {
                            all.extend(matrix.driver_sets.iter().map(|drivers| Combination {
                                model: model.clone(),
                                protocol: protocol.clone(),
                                mode: Some(mode.clone()),
                                depth: Some(depth.clone()),
                                child_model:
                                    Some(child.clone()).filter(|child| child != SAME_MODEL),
                                varied: varied.clone(),
                                drivers: drivers.clone(),
                            }));
                        }
                    }
                }
            }
        }
    }
    all
}

/// Returns all combinations of the varied flags' values; without varied flags, a single empty one.
fn products(matrix: &Matrix) -> Vec<Vec<Option<String>>> {
    let mut all = vec![Vec::new()];
    for axis in &matrix.varied {
        let longer = all.iter().flat_map(|values: &Vec<Option<String>>| {
            axis.values.iter().map(|value| {
                let mut values = values.clone();
                values.push(Some(value.clone()));
                values
            })
        });
        all = longer.collect();
    }
    all
}

impl Combination {
    /// Returns the varied flags of the combination with their values.
    fn varied<'a>(&'a self, matrix: &'a Matrix) -> impl Iterator<Item = (&'a Varied, &'a String)> {
        let axes = matrix.varied.iter().zip(&self.varied);
        axes.filter_map(|(axis, value)| Some((axis, value.as_ref()?)))
    }

    /// Returns the combination's flags for `rlm-eval run`, each followed by its value. Shared and
    /// varied flags are not included.
    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut add = |name: &str, value: &str| {
            flags.extend([name.to_owned(), value.to_owned()]);
        };
        if let Some(model) = &self.model {
            add("--model", model);
        }
        add("--protocol", &self.protocol);
        if let Some(mode) = &self.mode {
            add("--prompt-mode", mode);
        }
        if let Some(depth) = &self.depth {
            add("--max-depth", depth);
        }
        if let Some(model) = &self.child_model {
            add("--child-model", model);
        }
        add("--drivers", &self.drivers.join(","));
        flags
    }

    /// Removes the axes of these settings and returns whether the combination had any of them.
    fn without_axes(&mut self, matrix: &Matrix, settings: &[ExplicitSetting]) -> bool {
        let before = self.clone();
        for setting in settings {
            match setting.flag {
                "--prompt-mode" => self.mode = None,
                "--max-depth" => self.depth = None,
                "--child-model" => self.child_model = None,
                flag => self.without(matrix, flag.trim_start_matches('-')),
            }
        }
        *self != before
    }

    fn without(&mut self, matrix: &Matrix, flag: &str) {
        for (axis, value) in matrix.varied.iter().zip(&mut self.varied) {
            if axis.flag == flag {
                *value = None;
            }
        }
    }

    /// Removes axes that do not apply to these agents but were accepted because their values are
    /// defaults.
    fn remove_default_axes(&mut self, matrix: &Matrix, engine: &EngineSettings) {
        if engine.effective.prompt_mode.is_none() {
            self.mode = None;
            self.without(matrix, "repl-api");
        }
        if engine.effective.max_depth == 0 {
            self.depth = None;
        }
    }

    /// Returns the folder name, built from the values that distinguish the cell.
    fn name(&self, matrix: &Matrix) -> String {
        let mut parts = Vec::new();
        if matrix.models.len() > 1 {
            parts.extend(self.model.clone());
        }
        if matrix.protocols.len() > 1 || self.mode.is_none() {
            parts.push(self.protocol.clone());
        }
        parts.extend(self.mode.clone());
        if matrix.depths.len() > 1 {
            parts.extend(self.depth.as_ref().map(|depth| format!("depth{depth}")));
        }
        if matrix.child_models.len() > 1 {
            let child = self.child_model.as_ref();
            parts.extend(child.map(|child| format!("child-{child}")));
        }
        for (axis, value) in self.varied(matrix) {
            if axis.values.len() > 1 {
                parts.push(format!("{}{value}", axis.label));
            }
        }
        parts.extend((!self.drivers.is_empty()).then(|| self.drivers.join("+")));
        safe(&parts.join("-"))
            .chars()
            .take(MAX_NAME_CHARS)
            .collect()
    }
}

/// Formats the combination for messages: `--protocol rlm --prompt-mode coordinator --max-depth 1`.
impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = self.flags();
        let pairs = flags.chunks_exact(2).filter(|pair| !pair[1].is_empty());
        let pairs: Vec<String> = pairs.map(|pair| pair.join(" ")).collect();
        f.write_str(&pairs.join(" "))
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
fn flags(matrix: &Matrix, combination: &Combination) -> Result<RunArgs, String> {
    let command = RunArgs::augment_args(clap::Command::new("run"));
    let mut words = vec!["eval".to_owned(), "run".to_owned()];
    for (name, values) in &matrix.run {
        if name == "model" && combination.model.is_some() {
            continue;
        }
        words.extend(shared(&command, name, values));
    }
    if !matrix.run.contains_key("profile") {
        // An auto-matched profile would add an unrequested difference between cells.
        words.push("--profile=none".to_owned());
    }
    let own = combination.flags();
    words.extend(own.chunks_exact(2).map(|pair| pair.join("=")));
    let varied = combination.varied(matrix);
    words.extend(varied.map(|(axis, value)| format!("--{}={value}", axis.flag)));
    match cli::parse(words) {
        Ok(cli) => match cli.command {
            Command::Run(mut args) => {
                args.start.dry_run = matrix.dry_run;
                let guidance = &mut args.engine.guidance;
                // The environment must not set an axis that the cell lacks.
                if combination.mode.is_none() {
                    guidance.prompt_mode = PromptMode::default();
                }
                if combination.depth.is_none() {
                    guidance.max_depth = DEFAULT_MAX_DEPTH;
                }
                if combination.child_model.is_none() {
                    guidance.child_model = None;
                }
                Ok(*args)
            }
            _ => Err("these are not flags of a new run".to_owned()),
        },
        Err(error) => Err(flags::one_line(&error)),
    }
}
