//! What of an agent's prompt definition shapes its requests.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::definition::ToolStrategy;
use crate::hook::Hook;
use crate::tool::Tool;

/// How an agent uses tools, reasoning and images. By default: no tools, one call at a time, reasoning recorded and not
/// sent back, images kept.
#[derive(Clone, Default)]
pub struct AgentSettings {
    /// What it may call, in the order in which a request lists them.
    pub tools: Vec<BoundTool>,
    /// Whether it may, must not or must call one. `Required` holds until it has called one: after that it may answer.
    pub tool_choice: ToolStrategy,
    /// Whether one response may hold several calls, which then run at once.
    pub parallel_tool_calls: bool,
    /// Whether its reasoning is used and left out of what is recorded.
    pub exclude_reasoning: bool,
    /// Whether its reasoning stays in the conversation.
    pub include_reasoning: bool,
    /// The newest messages whose images are sent; those of older ones are told by a line of text. All if none.
    pub recent_images: Option<NonZeroU32>,
    /// Its hooks, and no others; those of the run if none are listed.
    pub hooks: Option<Vec<Arc<dyn Hook>>>,
}

/// A tool, and what an agent's prompt sets for it.
#[derive(Clone)]
pub struct BoundTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Its variables, resolved.
    pub env: BTreeMap<String, String>,
    /// Its options.
    pub options: Map<String, Value>,
}

impl BoundTool {
    /// A tool for which nothing is set.
    pub fn plain(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            env: BTreeMap::new(),
            options: Map::new(),
        }
    }
}
