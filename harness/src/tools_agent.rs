//! The loop of one agent that works by native tool calls: ask, run what it calls, tell it the results, until a response
//! calls nothing and is the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures::future::try_join_all;
use serde_json::Value;

use crate::agent_settings::AgentSettings;
use crate::attempt::Attempt;
use crate::conversation::Conversation;
use crate::cut::two_ends;
use crate::definition::ToolStrategy;
use crate::event::{EventKind, Message, ms};
use crate::failure::Failure;
use crate::hook::HookError;
use crate::invocation::Invocation;
use crate::model_call::Said;
use crate::outcome::Status;
use crate::prompt::{ToolsNote, flat_message, large_context_message, output_left_out, tools_note};
use crate::tool::{ToolRegistry, Toolbox};
use crate::tool_call::{ToolCall, ToolChoice, ToolResult, ToolUse};
use crate::tool_run::ToolRun;

/// Contexts up to this many characters stand in the first message; longer ones are read with tools.
const INLINE_CONTEXT: usize = 20_000;

/// The tools that read a context which does not stand in the first message.
pub(crate) const CONTEXT_TOOLS: [&str; 3] = ["context_length", "read_context", "search_context"];

/// How often a model that has to call a tool and does not is asked again.
const RETRIES: u32 = 2;

/// An agent at work.
pub(crate) struct ToolsAgent<'a> {
    attempt: &'a Attempt<'a>,
    /// The agent, with the tools that it needs to read its context.
    invocation: Invocation,
    settings: &'a AgentSettings,
    context: Arc<String>,
    /// Prompts called so far.
    children: AtomicU32,
}

impl<'a> ToolsAgent<'a> {
    /// An agent with its tools, and those that it needs to read its context.
    pub fn new(
        attempt: &'a Attempt<'a>,
        invocation: &Invocation,
        settings: &'a AgentSettings,
        context: Arc<String>,
    ) -> Self {
        let mut invocation = invocation.clone();
        if !stands_in_message(&context, settings) {
            let bundled = ToolRegistry::bundled();
            let missing = CONTEXT_TOOLS
                .iter()
                .filter(|name| invocation.tools.get(name).is_err())
                .filter_map(|name| bundled.get(name).ok());
            // They are right together; a tool of the agent's own that collides with one stays.
            let readers = Toolbox::of_tools(missing).unwrap_or_default();
            invocation.tools = readers.under(&invocation.tools);
        }
        Self {
            attempt,
            invocation,
            settings,
            context,
            children: AtomicU32::new(0),
        }
    }

    /// The first message: the task, with the context or with how to read it.
    pub fn first_message(&self) -> Message {
        let query = self.invocation.query();
        Message::user(if stands_in_message(&self.context, self.settings) {
            flat_message(query, &self.context)
        } else {
            large_context_message(query, self.context.chars().count() as u64)
        })
    }

    /// What its requests offer.
    pub fn tool_use(&self) -> ToolUse {
        let actions = &self.attempt.engine.layers.actions;
        ToolUse {
            specs: self.invocation.tools.offered(actions).into(),
            choice: match self.settings.tool_choice {
                ToolStrategy::Auto => ToolChoice::Auto,
                ToolStrategy::None => ToolChoice::None,
                ToolStrategy::Required => ToolChoice::Required,
            },
            parallel: self.settings.parallel_tool_calls,
        }
    }

    /// Runs to the answer or to the reason why there is none. `earlier` is what it sees of another conversation.
    pub async fn run(&self, earlier: Vec<Message>) -> Result<String, Failure> {
        let mut conversation = self.attempt.begin(&self.invocation);
        conversation.tools = self.tool_use();
        for message in earlier {
            conversation.push(message);
        }
        let mut first = self.first_message();
        if self.invocation.iterations == 1 && !conversation.tools.is_off() {
            first.content = format!("{}\n\n{}", first.content, tools_note(ToolsNote::Last));
        }
        conversation.push(self.attempt.with_images(&self.invocation, first));
        let mut used = 0;
        let result = self.iterate(&mut conversation, &mut used).await;
        self.attempt.end(&self.invocation, &result, used);
        result
    }

    async fn iterate(
        &self,
        conversation: &mut Conversation,
        used: &mut u32,
    ) -> Result<String, Failure> {
        let iterations = self.invocation.iterations;
        let mut refusals = 0;
        for iteration in 1..=iterations {
            *used = iteration;
            if self.invocation.parent.is_none() {
                self.attempt.count(|stats| stats.iterations = iteration);
            }
            self.attempt
                .emit(&self.invocation, EventKind::IterationStart { iteration });
            let said = self.attempt.ask(&self.invocation, conversation).await?;
            let calls = &said.response.tool_calls;
            let text = &said.response.text;
            let must_call = conversation.tools.choice == ToolChoice::Required;
            let note = if said.truncated {
                self.fault();
                Some(ToolsNote::CutOff)
            } else if !calls.is_empty() {
                if must_call {
                    conversation.tools.choice = ToolChoice::Auto;
                }
                None
            } else if must_call {
                self.fault();
                refusals += 1;
                if refusals > RETRIES {
                    return Err(no_call(refusals));
                }
                Some(ToolsNote::Required)
            } else if text.trim().is_empty() {
                self.fault();
                Some(ToolsNote::Empty)
            } else {
                return Ok(text.clone());
            };
            let mut notes: Vec<String> = note.map(tools_note).into_iter().collect();
            if iteration + 1 == iterations && !must_call {
                notes.push(tools_note(ToolsNote::Last));
            }
            let results = self.results(&said).await?;
            let chars = results
                .iter()
                .map(|result| result.content.chars().count() as u64);
            let chars = chars.sum();
            let told = |tool_results| Message {
                tool_results,
                ..Message::user(notes.join("\n"))
            };
            let stub = results.iter().map(|result| ToolResult {
                content: output_left_out(result.content.chars().count() as u64),
                ..result.clone()
            });
            let stub = told(stub.collect());
            conversation.push_output(told(results), stub, chars);
        }
        Err(Failure {
            status: Status::Limit,
            reason: format!("reached max iterations ({iterations}) without an answer"),
        })
    }

    /// A result for every call of a response.
    async fn results(&self, said: &Said) -> Result<Vec<ToolResult>, HookError> {
        let calls = &said.response.tool_calls;
        if said.truncated {
            let cut = "error: the response was cut off, so this call was not made";
            let results = calls
                .iter()
                .map(|call| ToolResult {
                    call: call.id.clone(),
                    content: cut.to_owned(),
                    is_error: true,
                })
                .collect();
            return Ok(results);
        }
        if self.settings.parallel_tool_calls {
            return try_join_all(calls.iter().map(|call| self.answer(call))).await;
        }
        if calls.len() > 1 {
            self.fault();
        }
        let mut results = Vec::new();
        for call in calls {
            results.push(self.answer(call).await?);
        }
        Ok(results)
    }

    /// Makes one call, and says what came of it.
    async fn answer(&self, call: &ToolCall) -> Result<ToolResult, HookError> {
        let began = Instant::now();
        let work = self.attempt.meter.begin();
        let outcome = self.call(call).await;
        drop(work);
        let limit = self.attempt.engine.config.sandbox.limits.output_chars;
        let (content, is_error) = match outcome {
            Ok(Value::String(text)) => (text, false),
            Ok(value) => (value.to_string(), false),
            Err(reason) => (format!("error: {reason}"), true),
        };
        let result = ToolResult {
            call: call.id.clone(),
            content: two_ends(&content, limit),
            is_error,
        };
        let hooked = self
            .attempt
            .hook_tool_result(&self.invocation, call, result);
        let result = hooked.await?;
        self.attempt.emit(
            &self.invocation,
            EventKind::ToolCall {
                call: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                result: result.content.clone(),
                is_error,
                ms: ms(began.elapsed()),
            },
        );
        Ok(result)
    }

    async fn call(&self, call: &ToolCall) -> Result<Value, String> {
        let counts = u32::from(self.invocation.tools.calls_prompt(&call.name));
        let number = self.children.fetch_add(counts, Ordering::Relaxed);
        let run = ToolRun::new(
            call.id.clone(),
            call.name.clone(),
            call.arguments.clone(),
            self.invocation.child_id(number),
        );
        let result = self.attempt.tool_result(&self.invocation, &run).await;
        result.map_err(|error| error.to_string())
    }

    fn fault(&self) {
        self.attempt.count(|stats| stats.protocol_faults += 1);
    }
}

/// Whether the context is in the first message: a short one, and any where nothing can be called to read it.
fn stands_in_message(context: &str, settings: &AgentSettings) -> bool {
    settings.tool_choice == ToolStrategy::None || context.chars().nth(INLINE_CONTEXT).is_none()
}

fn no_call(times: u32) -> Failure {
    Failure {
        status: Status::Limit,
        reason: format!("the model has to call a tool and did not, {times} times in a row"),
    }
}
