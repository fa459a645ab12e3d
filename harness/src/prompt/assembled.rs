//! System prompts, split into named sections.

use super::overrides::PromptOverrides;
use super::sections::{
    IDENTITY_COORDINATOR, IDENTITY_SOLVER, PAGE, WORKFLOW_COORDINATOR, WORKFLOW_SOLVER,
};
use super::template::Template;
use crate::settings::PromptMode;
use serde::Serialize;

/// Prefix of the names of driver sections.
pub(super) const DRIVER: &str = "driver:";

/// Name of the section about an agent's position.
pub(super) const POSITION: &str = "position";

/// A named section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Name of the bundled text (`environment`), `system-prompt` for the caller's prompt, or
    /// `driver:NAME`.
    pub name: String,
    /// Text as the model reads it.
    pub text: String,
    /// Name of the bundled text that the section was rendered from, if any.
    #[serde(skip)]
    pub(super) template: Option<&'static str>,
    /// Slots of the bundled text with the values that filled them.
    #[serde(skip)]
    pub(super) values: Vec<(&'static str, String)>,
}

impl Section {
    /// Creates a section called `name` from a bundled text.
    pub(super) fn of<const N: usize>(
        template: &Template<N>,
        name: &str,
        values: [&str; N],
    ) -> Self {
        Self {
            name: name.to_owned(),
            text: template.render(values),
            template: Some(template.name),
            values: template.pairs(values),
        }
    }

    /// Creates a section with a text that is not bundled.
    pub(crate) fn of_text(name: impl Into<String>, text: String) -> Self {
        Self {
            name: name.into(),
            text,
            template: None,
            values: Vec::new(),
        }
    }
}

/// A complete system prompt, split into sections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Assembled {
    /// Sections in order; none is empty.
    pub sections: Vec<Section>,
}

impl Assembled {
    /// Returns the prompt as sent: the sections, separated by blank lines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .sections
            .iter()
            .map(|section| section.text.as_str())
            .collect();
        texts.join("\n\n")
    }

    /// Returns the prompt mode whose sections the prompt contains, or `None` if it contains no
    /// section of either mode.
    pub fn mode(&self) -> Option<PromptMode> {
        let of = |section: &Section| match section.template {
            Some(name) if [IDENTITY_SOLVER.name, WORKFLOW_SOLVER.name].contains(&name) => {
                Some(PromptMode::Solver)
            }
            Some(name)
                if [IDENTITY_COORDINATOR.name, WORKFLOW_COORDINATOR.name].contains(&name) =>
            {
                Some(PromptMode::Coordinator)
            }
            _ => None,
        };
        self.sections.iter().find_map(of)
    }

    /// Returns the names of the drivers in the prompt, in order.
    pub fn drivers(&self) -> impl Iterator<Item = &str> {
        self.sections
            .iter()
            .filter_map(|section| section.name.strip_prefix(DRIVER))
    }

    /// Inserts the section about the agent's page before the position section.
    pub(crate) fn add_page(&mut self, overrides: &PromptOverrides) {
        let page = match overrides.sections.get(PAGE.name) {
            Some(own) => Section::of_text(PAGE.name, own.clone()),
            None => Section::of(&PAGE, PAGE.name, []),
        };
        let is_position = |section: &Section| section.name == POSITION;
        let at = self.sections.iter().position(is_position);
        self.sections
            .insert(at.unwrap_or(self.sections.len()), page);
    }

    pub(super) fn push<const N: usize>(&mut self, template: &Template<N>, values: [&str; N]) {
        self.sections
            .push(Section::of(template, template.name, values));
    }

    pub(super) fn push_text(&mut self, name: impl Into<String>, text: String) {
        self.sections.push(Section::of_text(name, text));
    }
}
