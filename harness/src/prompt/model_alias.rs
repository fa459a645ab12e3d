//! Model aliases: short names by which agents can call other models, and their table in prompts.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::PromptError;

/// Alias by which `rlm()` and `llm()` can call a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelAlias {
    /// Name as written by agents.
    pub alias: String,
    /// Model, as `PROVIDER/MODEL`.
    pub model: String,
    /// Tags that describe the model's purpose.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl FromStr for ModelAlias {
    type Err = PromptError;

    /// Parses `ALIAS=PROVIDER/MODEL[:TAG,TAG…]`, as in `fast=openrouter/acme/small:cheap,quick`.
    ///
    /// The tags always follow the last colon. If the model's name contains a colon, it must
    /// therefore be followed by another colon, with or without tags after it:
    /// `local=ollama/llama3:8b:` and `local=ollama/llama3:8b:cheap`. Tags begin with a letter, so
    /// that `ollama/llama3:8b` without the final colon is an error, not the model `ollama/llama3`
    /// with the tag `8b`. The colon of `PROVIDER:FILE` does not start tags:
    /// `fast=scripted:small.yaml`, `fast=scripted:small.yaml:cheap`.
    ///
    /// # Errors
    /// Returns [`PromptError::Invalid`] with the problem and the valid form.
    fn from_str(spec: &str) -> Result<Self, PromptError> {
        parse(spec).map_err(|problem| {
            PromptError::Invalid(format!(
                "model alias `{spec}`: {problem}; expected ALIAS=PROVIDER/MODEL or \
                 ALIAS=PROVIDER/MODEL:TAG,TAG; a model name that contains a colon must be followed \
                 by another colon"
            ))
        })
    }
}

/// Parses several aliases, which must have different names.
///
/// # Errors
/// Returns the error of [`ModelAlias::from_str`] for the first invalid alias, or an error for two
/// aliases with the same name.
pub fn parse_aliases<S: AsRef<str>>(specs: &[S]) -> Result<Vec<ModelAlias>, PromptError> {
    let aliases: Vec<ModelAlias> = specs
        .iter()
        .map(|spec| spec.as_ref().parse())
        .collect::<Result<_, _>>()?;
    let mut models = HashMap::new();
    for ModelAlias { alias, model, .. } in &aliases {
        if let Some(first) = models.insert(alias, model) {
            return Err(PromptError::Invalid(format!(
                "model alias `{alias}` is given twice, for `{first}` and `{model}`"
            )));
        }
    }
    Ok(aliases)
}

/// Returns the rows of the model table.
pub(super) fn table(models: &[ModelAlias]) -> String {
    let rows: Vec<String> = models
        .iter()
        .map(|ModelAlias { alias, model, tags }| {
            format!("| `{alias}` | {model} | {} |", tags.join(", "))
        })
        .collect();
    rows.join("\n")
}

fn parse(spec: &str) -> Result<ModelAlias, String> {
    let (alias, target) = spec.split_once('=').ok_or("no `=`")?;
    if !is_word(alias) {
        return Err(format!(
            "invalid alias `{alias}`: expected a letter, then letters, digits, `.`, `_` or `-`"
        ));
    }
    let (model, tags) = match target.rsplit_once(':') {
        // The colon in `scripted:small.yaml` is part of the model.
        Some((provider, _)) if !provider.contains([':', '/']) => (target, ""),
        Some(split) => split,
        None => (target, ""),
    };
    if tags.contains('/') {
        return Err("unexpected colon before the model's last `/`".to_owned());
    }
    check_model(model)?;
    let tags: Vec<String> = match tags {
        "" => Vec::new(),
        tags => tags.split(',').map(|tag| tag.trim().to_owned()).collect(),
    };
    if let Some(bad) = tags.iter().find(|tag| !is_word(tag)) {
        return Err(format!(
            "invalid tag `{bad}`: expected a letter, then letters, digits, `.`, `_` or `-`"
        ));
    }
    Ok(ModelAlias {
        alias: alias.to_owned(),
        model: model.to_owned(),
        tags,
    })
}

fn check_model(model: &str) -> Result<(), String> {
    match model.split_once(['/', ':']) {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => {}
        _ => {
            return Err(format!(
                "the model `{model}` is not of the form PROVIDER/MODEL"
            ));
        }
    }
    // The table is Markdown, and names are printed unescaped.
    match model
        .chars()
        .find(|c| c.is_whitespace() || c.is_control() || matches!(c, '|' | '`'))
    {
        Some(bad) => Err(format!("the model's name contains {bad:?}")),
        None => Ok(()),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
