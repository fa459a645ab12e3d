//! Request settings of agents, as given in prompt definitions.

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::hook::{Hook, HookRegistry, HookRegistryError};
use crate::model::{ActionSurface, Effort, Protocol, Sampling};
use crate::prompt::definition::{Definition, ToolStrategy};

/// Settings for an agent's tool calls, reasoning, images and hooks. By default, an agent makes one
/// tool call at a time, its reasoning is recorded but not sent back, and all images are kept.
// `version` contains the output of `Debug`, so a change of a name or of the order of the fields
// changes the digests of prompts.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a definition names each")]
pub struct AgentSettings {
    /// Whether the agent may, must not or must call a tool. `Required` applies until the first
    /// call; then the agent may answer.
    pub tool_choice: ToolStrategy,
    /// Whether a response may contain several tool calls, which then run concurrently.
    pub parallel_tool_calls: bool,
    /// Whether the model's reasoning is omitted from the records.
    pub exclude_reasoning: bool,
    /// Whether the model's reasoning is sent back with the conversation.
    pub include_reasoning: bool,
    /// Whether the agent sees the messages of its caller's conversation.
    pub include_chat: bool,
    /// Whether the agent sees the tool calls of its caller's conversation, with their results.
    pub include_past_tools: bool,
    /// Reasoning effort, unless the run sets one.
    pub effort: Option<Effort>,
    /// Maximum reasoning tokens, unless the run sets a maximum.
    pub reasoning_tokens: Option<u32>,
    /// Number of newest messages that keep their images; in older messages, a line of text replaces
    /// each image. `None` keeps all images.
    pub recent_images: Option<NonZeroU32>,
    /// Hooks that replace the run's hooks; `None` to use the run's hooks.
    pub hooks: Option<Vec<Arc<dyn Hook>>>,
}

impl AgentSettings {
    /// Reads the request settings of a prompt definition. Its tools belong to
    /// [`AgentTools`](crate::AgentTools).
    ///
    /// # Errors
    /// Returns [`HookRegistryError::Unknown`] for an unknown hook.
    pub fn of(definition: &Definition, hooks: &HookRegistry) -> Result<Self, HookRegistryError> {
        let reasoning = definition.reasoning.as_ref();
        let listed = definition.hooks.as_deref();
        Ok(Self {
            tool_choice: definition.tool_choice,
            parallel_tool_calls: definition.parallel_tool_calls,
            exclude_reasoning: reasoning.is_some_and(|reasoning| reasoning.exclude),
            include_reasoning: reasoning.is_some_and(|reasoning| reasoning.include),
            include_chat: definition.include_chat,
            include_past_tools: definition.include_past_tools,
            effort: reasoning.and_then(|reasoning| reasoning.effort),
            reasoning_tokens: reasoning
                .and_then(|reasoning| reasoning.max_tokens)
                .map(NonZeroU32::get),
            recent_images: Some(definition.recent_image_threshold),
            hooks: listed.map(|names| hooks.resolve(names)).transpose()?,
        })
    }

    /// Returns a string that identifies these settings in the digest of a callable prompt.
    pub(crate) fn version(&self) -> String {
        let hooks = self.hooks.iter().flatten();
        let hooks: Vec<&str> = hooks.map(|hook| hook.digest()).collect();
        format!("{self:?} {}", hooks.join(" "))
    }

    /// Adds these reasoning settings to a run's sampling settings, which take precedence.
    #[must_use]
    pub fn reasoning_over(&self, sampling: &Sampling) -> Sampling {
        Sampling {
            effort: sampling.effort.or(self.effort),
            reasoning_tokens: sampling.reasoning_tokens.or(self.reasoning_tokens),
            ..sampling.clone()
        }
    }
}

/// Returns the properties of a prompt definition that have no effect for a root agent of this
/// protocol.
pub fn properties_without_effect(definition: &Definition, protocol: Protocol) -> Vec<&'static str> {
    let capabilities = protocol.capabilities();
    let calls = capabilities.action_surface == ActionSurface::NativeTools;
    let goes_on = !capabilities.one_call;
    let has_tools = capabilities.calls_tools();
    let reasoning = definition.reasoning.as_ref();
    let rows = [
        ("includeChat", definition.include_chat, false),
        ("includePastTools", definition.include_past_tools, false),
        ("parallelToolCalls", definition.parallel_tool_calls, calls),
        (
            "toolChoice",
            definition.tool_choice != ToolStrategy::Auto,
            // For an agent with tools, `none` removes the tools.
            calls || has_tools && definition.tool_choice == ToolStrategy::None,
        ),
        ("tools", !definition.tools.is_empty(), has_tools),
        ("variables", !definition.variables.is_empty(), has_tools),
        ("env", !definition.env.is_empty(), has_tools),
        (
            "reasoning.include",
            reasoning.is_some_and(|reasoning| reasoning.include),
            goes_on,
        ),
        (
            "recentImageThreshold",
            definition.recent_image_threshold.get() != 10,
            has_tools,
        ),
    ];
    rows.into_iter()
        .filter(|(_, is_set, works)| *is_set && !works)
        .map(|(name, ..)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{AgentSettings, properties_without_effect};
    use crate::hook::HookRegistry;
    use crate::model::{Effort, Protocol};
    use crate::prompt::definition::{Library, Reasoning, ToolStrategy};

    #[test]
    fn reads_settings_of_definition() {
        let folder = tempfile::tempdir().unwrap();
        let file = "---\nname: mine\ntoolDescription: d\nmodel: default\nincludeChat: true\nparallelToolCalls: true\n\
            toolChoice: required\nreasoning: {exclude: true, include: true}\nrecentImageThreshold: 3\n\
            hooks: [redact_secrets]\n---\nBe brief.\n";
        std::fs::write(folder.path().join("mine.md"), file).unwrap();
        let library = Library::bundled().with_dir(folder.path()).unwrap();
        let definition = library.get("mine").unwrap();
        let settings = AgentSettings::of(definition, &HookRegistry::bundled()).unwrap();
        assert_eq!(settings.tool_choice, ToolStrategy::Required);
        assert!(settings.parallel_tool_calls);
        assert!(settings.exclude_reasoning && settings.include_reasoning);
        assert!(settings.include_chat && !settings.include_past_tools);
        assert_eq!(
            settings.recent_images.map(std::num::NonZeroU32::get),
            Some(3)
        );
        let hooks = settings.hooks.unwrap();
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name()).collect();
        assert_eq!(names, ["redact_secrets"]);
        for effort in [Effort::Low, Effort::Medium, Effort::High] {
            let mut definition = definition.clone();
            definition.reasoning = Some(Reasoning {
                effort: Some(effort),
                ..Reasoning::default()
            });
            let settings = AgentSettings::of(&definition, &HookRegistry::bundled()).unwrap();
            assert_eq!(settings.effort, Some(effort));
        }
        let rows: [(Protocol, &[&str]); 3] = [
            (Protocol::Tools, &["includeChat"]),
            (
                Protocol::Rlm,
                &["includeChat", "parallelToolCalls", "toolChoice"],
            ),
            (
                Protocol::Direct,
                &[
                    "includeChat",
                    "parallelToolCalls",
                    "toolChoice",
                    "reasoning.include",
                    "recentImageThreshold",
                ],
            ),
        ];
        for (protocol, expected) in rows {
            assert_eq!(
                properties_without_effect(definition, protocol),
                expected,
                "{protocol}"
            );
        }
        let choices = [
            (Protocol::Tools, ToolStrategy::None, true),
            (Protocol::Rlm, ToolStrategy::None, true),
            (Protocol::Rlm, ToolStrategy::Required, false),
            (Protocol::Direct, ToolStrategy::None, false),
            (Protocol::JsonAction, ToolStrategy::None, false),
        ];
        for (protocol, tool_choice, works) in choices {
            let mut definition = definition.clone();
            definition.tool_choice = tool_choice;
            let idle = properties_without_effect(&definition, protocol);
            assert_eq!(
                !idle.contains(&"toolChoice"),
                works,
                "{protocol} {tool_choice:?}"
            );
        }
    }
}
