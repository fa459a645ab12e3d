//! Validation of a web agent's settings, and their combination with the prompt overrides of a run.

use serde_json::{Value, json};

use super::WebAgent;
use super::catalog::{AgentTurnError, Catalog};
use crate::model::web::{DumpExtensions, DumpSettings};
use crate::prompt::{AgentTurnSettings, PromptOverrides};
use crate::script_file::call_function;

impl AgentTurnSettings {
    /// Validates the settings.
    ///
    /// # Errors
    /// Returns an [`AgentTurnError`] that names the invalid field.
    pub fn check(&self) -> Result<(), AgentTurnError> {
        if self.dom_max_length == 0 {
            let problem = "is 0: expected at least 1";
            return Err(AgentTurnError::new("domMaxLength", problem));
        }
        if let Some(template) = &self.system_prompt_template
            && !template.contains("{default}")
        {
            return Err(AgentTurnError::new(
                "systemPromptTemplate",
                "does not contain `{default}`; use `systemPrompt` to replace the default prompt",
            ));
        }
        if self.system_prompt_function.is_some()
            && (self.system_prompt.is_some() || self.system_prompt_template.is_some())
        {
            return Err(AgentTurnError::new(
                "systemPromptFunction",
                "cannot be combined with `systemPrompt` or `systemPromptTemplate`",
            ));
        }
        Catalog::new(self).map(drop)
    }

    /// Returns the system prompt of an agent with these settings and the prompt overrides of a run.
    ///
    /// # Errors
    /// Returns an [`AgentTurnError`] for invalid actions, or the error of `systemPromptFunction`.
    pub fn system_text(&self, overrides: &PromptOverrides) -> Result<String, AgentTurnError> {
        Ok(WebAgent::new(self, overrides)?.system()?.text())
    }

    /// Applies `systemPromptFunction`, whose code is `source`, to the default prompt.
    ///
    /// # Errors
    /// Returns an [`AgentTurnError`] if the function fails, with its error message and line, or
    /// does not return a string.
    pub(super) fn prompt_by_function(
        &self,
        source: &str,
        default: &str,
        actions: &[&str],
    ) -> Result<String, AgentTurnError> {
        let wrong = |problem: String| AgentTurnError::new("systemPromptFunction", problem);
        let ctx = json!({
            "agentName": self.agent_name,
            "siteName": self.site_name,
            "date": self.date,
            "persona": self.persona,
            "actions": actions,
            "settings": self,
        });
        match call_function(source, "systemPrompt", &[ctx, json!(default)]) {
            Ok(Value::String(text)) => Ok(text),
            Ok(other) => Err(wrong(format!("returned {other}: expected a string"))),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    /// Applies the prompt overrides of a run, except a replacement of the whole prompt.
    pub(super) fn apply_overrides(&mut self, overrides: &PromptOverrides) {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        if let Some(name) = given(&overrides.agent_name) {
            self.agent_name = name;
        }
        if let Some(site) = given(&overrides.site) {
            self.site_name = site;
        }
        self.date = given(&overrides.date).or_else(|| self.date.take());
        self.persona = given(&overrides.persona).or_else(|| self.persona.take());
        self.append_system_prompt =
            given(&overrides.append).or_else(|| self.append_system_prompt.take());
        for (name, wanted) in &overrides.actions.0 {
            self.action_overrides.insert(name.clone(), wanted.clone());
        }
    }

    pub(super) fn dump(&self, also: DumpExtensions) -> DumpSettings {
        DumpSettings {
            max_chars: self.dom_max_length,
            ids: self.dom_ids,
            filter: self.dom_filter.clone(),
            also,
        }
    }
}
