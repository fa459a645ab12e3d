//! Finds what a run describes otherwise and no agent has.

use crate::agent_turn::{AgentTurnSettings, WebAgent};
use crate::equipment::Equipment;
use crate::prompt::ActionOverrides;
use crate::protocol::Protocol;
use crate::tools_agent::CONTEXT_TOOLS;

/// The overridden names that no agent knows: of actions in the `agent-turn` protocol, else of tools.
pub fn idle_overrides<'a>(
    overrides: &'a ActionOverrides,
    protocol: Protocol,
    equipment: &Equipment,
    web: &AgentTurnSettings,
) -> Vec<&'a str> {
    if overrides.0.is_empty() {
        return Vec::new();
    }
    let web_agent = WebAgent::new(web.clone());
    let is_known = |name: &str| match protocol {
        Protocol::AgentTurn => web_agent.as_ref().is_ok_and(|agent| agent.has_action(name)),
        protocol => {
            equipment.has_tool(name) || protocol == Protocol::Tools && CONTEXT_TOOLS.contains(&name)
        }
    };
    let names = overrides.0.keys().map(String::as_str);
    names.filter(|name| !is_known(name)).collect()
}
