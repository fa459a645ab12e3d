//! A prompt definition that agents can call.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::AgentSettings;
use crate::model::Role;
use crate::prompt::definition::ToolStrategy;
use crate::text::sha256_hex;
use crate::tool::{BoundTool, ToolSet};

/// Prompts that can be called, by name.
pub type Specialists = BTreeMap<String, Arc<Specialist>>;

/// A prompt definition that is ready to run as a child.
#[derive(Debug, Clone)]
pub struct Specialist {
    /// Its name.
    pub name: String,
    /// Its prompt, includes resolved.
    pub prompt: String,
    /// An alias, `default`, or a model's reference.
    pub model: String,
    /// What it may call.
    pub tools: ToolSet,
    /// The folder that attachments are read from, if there is one.
    pub files: Option<Arc<Path>>,
    /// What it says of its requests.
    pub settings: Arc<AgentSettings>,
}

impl Specialist {
    /// What kind of agent it is: without tools it answers in one call, with tools it has a REPL, unless it must call one. That a
    /// model calls a tool can be asked of it in a request, and not of the code that it writes.
    pub fn role(&self) -> Role {
        if self.tools.is_empty() {
            Role::OneShot
        } else if self.settings.tool_choice == ToolStrategy::Required {
            Role::ToolSpecialist
        } else {
            Role::Specialist
        }
    }

    /// What of it can change an answer, as a hash.
    pub fn digest(&self) -> String {
        let tools: Vec<String> = self.tools.iter().map(BoundTool::digest).collect();
        let Self {
            prompt,
            model,
            settings,
            ..
        } = self;
        let settings = settings.version();
        sha256_hex(&format!(
            "{prompt}\n{model}\n{}\n{settings}",
            tools.join(" ")
        ))
    }
}
