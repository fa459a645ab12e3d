//! Which properties of a definition do nothing in a protocol.

use super::properties::{Definition, RECENT_IMAGE_THRESHOLD, ToolStrategy};
use crate::protocol::Protocol;

impl Definition {
    /// The properties that it sets and that do nothing for an agent that runs under it in this protocol, by name.
    pub fn idle_properties(&self, protocol: Protocol) -> Vec<&'static str> {
        let native = protocol == Protocol::Tools;
        let reasoning = self.reasoning.unwrap_or_default();
        let of_model = reasoning.effort.is_some() || reasoning.max_tokens.is_some();
        let set = [
            ("includeChat", self.include_chat),
            ("includePastTools", self.include_past_tools),
            ("parallelToolCalls", self.parallel_tool_calls && !native),
            (
                "toolChoice",
                self.tool_choice != ToolStrategy::Auto && !native,
            ),
            ("tools", !self.tools.is_empty() && !native),
            ("variables", !self.variables.is_empty()),
            ("env", !self.env.is_empty()),
            ("reasoning", self.reasoning.is_some() && !native),
            ("reasoning.effort, reasoning.maxTokens", of_model && native),
            (
                "recentImageThreshold",
                self.recent_image_threshold != RECENT_IMAGE_THRESHOLD && !native,
            ),
            ("hooks", self.hooks.is_some()),
        ];
        set.iter()
            .filter(|(_, idle)| *idle)
            .map(|(name, _)| *name)
            .collect()
    }
}
