//! Data types shared by the engine, the benchmarks, the browser and the readers of records:
//! samples, messages, tool calls, usage, outcomes, the events of an attempt, and the interfaces of
//! pages and apps.
//!
//! This crate contains only data and traits: it does no I/O, and does not query models, assemble
//! prompts or run code.

mod event;
mod excerpt;
pub mod lenient_json;
pub mod long_answer;
mod message;
mod outcome;
mod sample;
mod task;

mod protocol;
mod role;
mod sampling;
mod tool_call;

pub mod web;

pub use event::{
    EVENT_VERSION, Estimate, Event, EventKind, EventSink, NoEvents, Summary, WaitReason, WebEvent,
    ms,
};
pub use excerpt::excerpt;
pub use message::{Image, Message, MessageRole};
pub use outcome::{AttemptOutcome, Stats, Status, Usage, settled};
pub use protocol::{
    ActionSurface, Capabilities, InputKind, Protocol, UnknownProtocol, protocol_help,
    protocol_words,
};
pub use role::Role;
pub use sample::Sample;
pub use sampling::{Effort, Sampling};
pub use task::{Budget, Task};
pub use tool_call::{ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse};
