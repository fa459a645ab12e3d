//! Protocols, which define how models interact with the harness. Each has a folder.
//!
//! A protocol is a row of the table in `model/src/protocol.rs`, which declares its name and its
//! capabilities, and a type that implements [`ProtocolBehavior`]. [`protocol_behavior`] connects
//! them. The Markdown files of a folder are texts of prompts; the file with the protocol's name is
//! the prompt of its root.

mod rlm;
mod direct;
pub(crate) mod tools;
pub mod agent_turn;
mod json_action;
mod workflow;
mod codeact;
mod retrieve;
mod summary;

mod behavior;

mod background;
mod dialogue;
mod immediate;
mod instance;
mod malformed;
pub(crate) mod subprompt;
mod tool_run;

use crate::model::Protocol;

pub(crate) use behavior::ProtocolBehavior;

/// Returns the behavior of the root agent under a protocol.
pub(crate) const fn protocol_behavior(protocol: Protocol) -> &'static dyn ProtocolBehavior {
    match protocol {
        Protocol::Rlm => &rlm::Rlm,
        Protocol::Direct => &direct::Direct,
        Protocol::Tools => &tools::Tools,
        Protocol::AgentTurn => &agent_turn::AgentTurn,
        Protocol::JsonAction => &json_action::JsonAction,
        Protocol::Workflow => &workflow::Workflow,
        Protocol::Codeact => &codeact::Codeact,
        Protocol::Retrieve => &retrieve::Retrieve,
        Protocol::Summary => &summary::Summary,
    }
}
