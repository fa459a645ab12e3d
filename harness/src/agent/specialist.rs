//! Prompt definitions that agents can call (specialists).

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use super::AgentSettings;
use crate::model::Role;
use crate::prompt::DefinitionPiece;
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
    /// Prompt text with resolved includes, in pieces.
    pub prompt: Arc<[DefinitionPiece]>,
    /// Model: `default`, an alias, or a reference to one of the run's models.
    pub model: String,
    /// Tools that the agent may call.
    pub tools: ToolSet,
    /// Folder of attachments, if any.
    pub files: Option<Arc<Path>>,
    /// Request settings.
    pub settings: Arc<AgentSettings>,
    /// Dialogue settings, if this is a dual agent.
    pub talk: Option<Arc<Dialogue>>,
}

/// Dialogue between the two sides of a dual agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialogue {
    /// Name of the specialist that plays side A.
    pub side_a: String,
    /// Side B.
    pub side_b: Counterpart,
    /// Whether side B is a person or an agent that represents one.
    pub with_person: bool,
    /// Side that receives the caller's messages. Its last message is the answer.
    pub receives: Side,
    /// Maximum messages of both sides together for each message of the caller.
    pub max_messages: NonZeroU32,
    /// Phrase in a message that ends the dialogue.
    pub stop_phrase: Option<String>,
}

/// Side B of a dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counterpart {
    /// Specialist with this name.
    Agent(String),
    /// The person at the terminal.
    Person,
}

impl Specialist {
    /// Returns the role of the agent. An agent without tools answers in one call. An agent with
    /// tools has a REPL, unless `toolChoice` is `required`, because only requests with native tools
    /// can force a call.
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
        // Slots are filled only in sections.
        let marked = |piece: &DefinitionPiece| {
            let mark = if piece.of_section { "\0" } else { "" };
            format!("{mark}{}", piece.text)
        };
        let prompt: String = prompt.iter().map(marked).collect();
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
