//! Prompt definitions that agents can call.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use super::AgentSettings;
use crate::model::Role;
use crate::prompt::definition::{Side, ToolStrategy};
use crate::text::sha256_hex;
use crate::tool::{BoundTool, ToolSet};

/// Callable prompts, by name.
pub type Specialists = BTreeMap<String, Arc<Specialist>>;

/// A prompt definition that is ready to run as a child.
#[derive(Debug, Clone)]
pub struct Specialist {
    /// Name of the prompt.
    pub name: String,
    /// Prompt text with resolved includes.
    pub prompt: String,
    /// Model: an alias, `default`, or a reference.
    pub model: String,
    /// Tools that it may call.
    pub tools: ToolSet,
    /// Folder of its attachments, if there is one.
    pub files: Option<Arc<Path>>,
    /// Its request settings.
    pub settings: Arc<AgentSettings>,
    /// Settings of its dialogue, if it is a dual agent.
    pub talk: Option<Arc<Dialogue>>,
}

/// Dialogue between the two sides of a dual agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialogue {
    /// Name of the specialist of side A.
    pub side_a: String,
    /// Side B.
    pub side_b: Counterpart,
    /// Whether side B represents a person.
    pub with_person: bool,
    /// Side that receives the caller's messages, and whose last message is the answer.
    pub receives: Side,
    /// Maximum messages of both sides together per message of their caller.
    pub max_messages: NonZeroU32,
    /// Phrase that ends the conversation.
    pub stop_phrase: Option<String>,
}

/// Side B of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counterpart {
    /// Specialist with this name.
    Agent(String),
    /// The person at the terminal.
    Person,
}

impl Specialist {
    /// Returns the role of the agent. Without tools, it answers in one call. With tools, it has a
    /// REPL, unless it must call a tool, which can be enforced in a request but not in code.
    pub fn role(&self) -> Role {
        if let Some(talk) = &self.talk {
            if talk.with_person {
                Role::AiHuman
            } else {
                Role::DualAi
            }
        } else if self.tools.is_empty() {
            Role::OneShot
        } else if self.settings.tool_choice == ToolStrategy::Required {
            Role::ToolSpecialist
        } else {
            Role::Specialist
        }
    }

    /// Returns a hash of everything that can change an answer.
    pub fn digest(&self) -> String {
        let tools: Vec<String> = self.tools.iter().map(BoundTool::digest).collect();
        let Self {
            prompt,
            model,
            settings,
            talk,
            ..
        } = self;
        let mut settings = settings.version();
        if let Some(talk) = talk {
            settings += &format!("{talk:?}");
        }
        sha256_hex(&format!(
            "{prompt}\n{model}\n{}\n{settings}",
            tools.join(" ")
        ))
    }
}
