//! Reasoning settings of models, from the table `harness/reasoning.yaml`: accepted efforts, and the
//! format of Anthropic's `thinking`.

use std::sync::LazyLock;

use globset::GlobSet;
use serde::Deserialize;

use super::settings::Unsupported;
use crate::model::{Effort, Sampling};
use crate::provider::price::globs;

/// API whose reasoning parameters a server accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Api {
    Openai,
    Google,
    Anthropic,
}

/// Format of `thinking` that a model of Anthropic's API accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Thinking {
    /// A token budget.
    #[default]
    Budget,
    /// Adaptive if an effort is set, otherwise a token budget.
    Either,
    /// Adaptive only.
    Adaptive,
}

/// Reasoning settings of the models that match an entry of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    api: Api,
    models: Vec<String>,
    efforts: Vec<Effort>,
    #[serde(default)]
    pub thinking: Thinking,
    #[serde(default)]
    pub none_as: Option<String>,
    #[serde(default)]
    pub refuses_forced_tools: bool,
}

/// The bundled table. A test of this module checks that it parses.
static TABLE: LazyLock<Vec<(GlobSet, Rules)>> = LazyLock::new(|| {
    let table: Vec<Rules> =
        serde_saphyr::from_str(include_str!("../../../reasoning.yaml")).unwrap_or_default();
    let compiled = table
        .into_iter()
        .filter_map(|rules| Some((globs(&rules.models).ok()?, rules)));
    compiled.collect()
});

/// Returns the rules for a model, or `None` if the table does not contain the model.
pub(super) fn rules(api: Api, model: &str) -> Option<&'static Rules> {
    let mut table = TABLE.iter();
    let found = table.find(|(models, rules)| rules.api == api && models.is_match(model));
    found.map(|(_, rules)| rules)
}

/// Checks that a model accepts the effort.
pub(super) fn check(api: Api, model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
    let Some(effort) = sampling.effort else {
        return Ok(());
    };
    let efforts = rules(api, model).map_or(api.efforts(), |rules| rules.efforts.as_slice());
    if efforts.contains(&effort) {
        return Ok(());
    }
    let known: Vec<&str> = efforts.iter().map(|effort| effort.as_str()).collect();
    let (effort, known) = (effort.as_str(), known.join(", "));
    Err(Unsupported {
        setting: "effort",
        reason: format!("`{model}` does not support the effort {effort}; expected {known}"),
    })
}

impl Api {
    /// Efforts that the API accepts for models that the table does not contain.
    const fn efforts(self) -> &'static [Effort] {
        use Effort::{High, Low, Max, Medium, Minimal, None, Xhigh};
        match self {
            Self::Openai => &Effort::ALL,
            Self::Google => &[None, Minimal, Low, Medium, High, Xhigh],
            Self::Anthropic => &[None, Low, Medium, High, Xhigh, Max],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, Rules, Thinking, globs, rules};

    #[test]
    fn table_is_valid() {
        let table: Vec<Rules> =
            serde_saphyr::from_str(include_str!("../../../reasoning.yaml")).unwrap();
        assert!(!table.is_empty());
        for entry in &table {
            assert!(!entry.efforts.is_empty(), "{entry:?}");
            assert!(globs(&entry.models).is_ok(), "{entry:?}");
        }
    }

    #[test]
    fn finds_rules_of_models() {
        for (model, thinking) in [
            ("claude-3-7-sonnet-20250219", Thinking::Budget),
            ("claude-opus-4-1-20250805", Thinking::Budget),
            ("claude-opus-4-5", Thinking::Budget),
            ("claude-sonnet-4-6", Thinking::Either),
            ("claude-opus-4-8", Thinking::Adaptive),
            ("claude-fable-5-2", Thinking::Adaptive),
            ("claude-opus-6", Thinking::Adaptive),
        ] {
            let found = rules(Api::Anthropic, model).map(|rules| rules.thinking);
            assert_eq!(found, Some(thinking), "{model}");
        }
        for (model, refuses) in [
            ("claude-fable-5", false),
            ("claude-fable-5-20260609", false),
            ("claude-fable-5-1", true),
            ("claude-opus-5", false),
            ("claude-opus-5-5", true),
        ] {
            let found = rules(Api::Anthropic, model).map(|rules| rules.refuses_forced_tools);
            assert_eq!(found, Some(refuses), "{model}");
        }
        assert!(rules(Api::Anthropic, "glm-5.2").is_none());
        assert!(rules(Api::Openai, "claude-opus-4-8").is_none());
    }
}
