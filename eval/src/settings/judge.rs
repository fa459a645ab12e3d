//! Settings of a model that scores answers.

use super::{Keys, ModelSettings, SettingsError, models};
use crate::cli::{ModelArgs, ScorerArgs};
use crate::grader::JudgePrompt;
use crate::providers::ModelRef;

/// A model that scores answers.
#[derive(Debug, Clone)]
pub struct JudgeSettings {
    /// Reference to the model.
    pub model: ModelRef,
    /// Sampling and servers of the model.
    pub models: ModelSettings,
    /// System prompt of the judge.
    pub prompt: JudgePrompt,
    /// Maximum calls until a verdict for one answer; at least 1.
    pub asked: u32,
}

/// Resolves the flags of a judge if a model is named; `--judge-prompt` without a model is an error.
/// `given` are the command's model flags.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag, an unreadable prompt, or a missing key.
pub(super) fn resolve(
    args: &ScorerArgs,
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
    let references = [("--judge-model".to_owned(), model.clone())];
    let thinking = ModelArgs {
        effort: prompt.effort.or(given.effort),
        reasoning_tokens: prompt.reasoning_tokens.or(given.reasoning_tokens),
        ..given.clone()
    };
    let models = models::resolve(&thinking, &references, false, 1, keys)?;
    models::check_read(given, &models, model)?;
    Ok(Some(JudgeSettings {
        model: model.clone(),
        models,
        prompt,
        asked: args.judge_attempts,
    }))
}

/// Returns the model flags of a run that also apply to its judge: servers and timeouts, but no
/// sampling.
pub(super) fn beside_agents(
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
    ModelArgs {
        base_url: agents.base_url.clone().filter(|_| same_server),
        header: agents
            .header
            .iter()
            .filter(|_| same_server)
            .cloned()
            .collect(),
        temperature: None,
        model_seed: None,
        max_output_tokens: None,
        stop: Vec::new(),
        effort: None,
        reasoning_tokens: None,
        model_args: Vec::new(),
        stop_early: false,
        ..agents.clone()
    }
}
