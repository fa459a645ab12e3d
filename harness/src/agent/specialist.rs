//! A prompt definition that agents can call.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use super::AgentSettings;
use crate::model::Role;
use crate::prompt::definition::{Side, ToolStrategy};
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
    /// Its sides, if it is two agents that talk, or one with a person.
    pub talk: Option<Arc<Talk>>,
}

/// How the sides of an agent talk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Talk {
    /// The specialist of side A.
    pub side_a: String,
    /// Side B.
    pub side_b: Other,
    /// Whether side B stands for a person.
    pub with_person: bool,
    /// The side that gets the messages of the agent's caller, and whose last words are the answer.
    pub receives: Side,
    /// How many messages the sides say, both together, to one of their caller.
    pub max_messages: NonZeroU32,
    /// What ends a talk once it is said.
    pub stop_phrase: Option<String>,
}

/// Who is side B of a talk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Other {
    /// The specialist of this name.
    Agent(String),
    /// A person, who is there while the program runs.
    Person,
}

impl Specialist {
    /// What kind of agent it is: without tools it answers in one call, with tools it has a REPL, unless it must call one. That a
    /// model calls a tool can be asked of it in a request, and not of the code that it writes.
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

    /// What of it can change an answer, as a hash.
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
