//! Settings of scorers that no benchmark defines: a judge, which needs a model, and scorer files,
//! which run in the sandbox.

use std::time::Duration;

use benchmarks::OutsideScorer;
use clap::Args;
use harness::sandbox::Isolation;
use serde::Serialize;

use super::values::{Seconds, whole};
use super::{Keys, ModelArgs, ModelSettings, SamplingArgs, SettingsError, models};
use crate::grader::{JUDGE_ATTEMPTS, JudgePrompt};
use crate::providers::ModelRef;

/// Flag that names the judge's model.
pub(crate) const JUDGE_MODEL: &str = "--judge-model";

/// Flags for judges and scorer files.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Scorer")]
pub struct ScorerArgs {
    /// Model for --scorer judge, in the same forms as --model
    #[arg(long, value_name = "REF")]
    pub judge_model: Option<ModelRef>,

    /// Prompt of the judge: the name of a bundled prompt, or your own definition file, Markdown
    /// with front matter [default: judge]
    #[arg(long, value_name = "NAME|FILE")]
    pub judge_prompt: Option<String>,

    /// Maximum calls to the judge for one answer; if no call returns a verdict, the attempt ends in
    /// an error
    #[arg(
        long,
        value_parser = whole::<u32>(1..=20),
        default_value_t = JUDGE_ATTEMPTS,
        value_name = "N"
    )]
    pub judge_attempts: u32,

    /// CPU time limit of a scorer file in seconds, for loading and for each answer
    #[arg(long, default_value_t = Seconds::of(10), value_name = "SECONDS")]
    pub scorer_timeout: Seconds,

    /// Maximum heap of a scorer file in megabytes
    #[arg(
        long,
        value_parser = whole::<u64>(16..=1_000_000),
        default_value_t = 256,
        value_name = "MB"
    )]
    pub scorer_memory_limit: u64,
}

/// Scorers of a run, and the settings of judges and scorer files.
#[derive(Debug, Clone)]
pub struct GraderSettings {
    /// Judge or scorer file that replaces the benchmark's scorer; `None` if neither does.
    pub given: Option<OutsideScorer>,
    /// Names of additional scorers, whose scores are only recorded: rules, or [`OutsideScorer`]s.
    pub further: Vec<String>,
    /// Settings of the judge, if `--judge-model` is given.
    pub judge: Option<JudgeSettings>,
    /// Limits of scorer files.
    pub limits: ScorerLimits,
    /// Isolation of scorer files.
    pub isolation: Isolation,
}

impl GraderSettings {
    /// Returns the flag that names the judge's model, for messages.
    pub fn judge_flag(&self) -> &'static str {
        self.judge.as_ref().map_or(JUDGE_MODEL, |judge| judge.flag)
    }
}

/// CPU and heap limits of a scorer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScorerLimits {
    /// CPU time for loading the file and for each answer.
    pub time: Duration,
    /// Heap size in bytes.
    pub heap_bytes: u64,
}

/// Resolves the flags; `models` are the judge's model flags. `judge_flag` is the flag that names
/// the judge's model, for messages.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag.
pub(crate) fn resolve(
    args: &ScorerArgs,
    judge_flag: &'static str,
    models: &ModelArgs,
    keys: Keys,
    scorer: Option<&str>,
    isolation: Isolation,
) -> Result<GraderSettings, SettingsError> {
    let judge = resolve_judge(args, judge_flag, models, keys)?;
    Ok(GraderSettings {
        judge,
        further: Vec::new(),
        given: scorer.map(str::trim).and_then(OutsideScorer::parse),
        limits: ScorerLimits {
            time: *args.scorer_timeout,
            heap_bytes: args.scorer_memory_limit << 20,
        },
        isolation,
    })
}

/// Settings of a model that scores answers.
#[derive(Debug, Clone)]
pub struct JudgeSettings {
    /// Flag that names the model, for messages.
    pub flag: &'static str,
    /// Reference to the model.
    pub model: ModelRef,
    /// Sampling and servers of the model.
    pub models: ModelSettings,
    /// System prompt of the judge.
    pub prompt: JudgePrompt,
    /// Maximum calls to the judge for one answer, until one returns a verdict; at least 1.
    pub asked: u32,
}

/// Resolves the judge's flags if `--judge-model` is given. `given` are the command's model flags,
/// whose reasoning settings the judge's prompt overrides.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag, an unreadable prompt, a missing key, or
/// `--judge-prompt` without `--judge-model`.
fn resolve_judge(
    args: &ScorerArgs,
    flag: &'static str,
    given: &ModelArgs,
    keys: Keys,
) -> Result<Option<JudgeSettings>, SettingsError> {
    let prompt = args.judge_prompt.as_deref().map(str::trim);
    let Some(model) = &args.judge_model else {
        return match prompt {
            Some(_) => Err(SettingsError::new("--judge-prompt requires --judge-model")),
            None => Ok(None),
        };
    };
    let prompt = JudgePrompt::open(prompt.unwrap_or("judge"))
        .map_err(|problem| SettingsError::new(format!("--judge-prompt: {problem}")))?;
    let references = std::iter::once((flag, model));
    let mut thinking = given.clone();
    let sampling = &mut thinking.sampling;
    sampling.effort = prompt.effort.or(sampling.effort);
    sampling.reasoning_tokens = prompt.reasoning_tokens.or(sampling.reasoning_tokens);
    let models = models::resolve(&thinking, references, false, 1, keys)?;
    models::check_sampling_is_used(given, &models, model)?;
    Ok(Some(JudgeSettings {
        flag,
        model: model.clone(),
        models,
        prompt,
        asked: args.judge_attempts,
    }))
}

/// Returns the model flags of a run that also apply to its judge: all except sampling. The base URL
/// and headers apply only if both models are on the same server.
pub(super) fn judge_flags(
    agents: &ModelArgs,
    main: &ModelRef,
    judge: Option<&ModelRef>,
) -> ModelArgs {
    let server = |model: &ModelRef| {
        model
            .on_server()
            .map(|(endpoint, _)| endpoint.name.as_str())
    };
    let same_server = judge.and_then(server) == server(main);
    let mut given = agents.clone();
    given.sampling = SamplingArgs::default();
    if !same_server {
        given.server.base_url = None;
        given.header.clear();
    }
    given
}
