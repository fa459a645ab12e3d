//! Executes tool calls of agents: validates arguments, runs the tool and hooks, and records the
//! result.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::agent::{Attempt, Invocation, LoggedCall, Specialist};
use crate::model::lenient_json;
use crate::model::{EventKind, ToolCall, ToolResult, ms};
use crate::tool::{
    BoundTool, CallSettings, CallTarget, InstanceArguments, InstanceCall, InstanceNames, ToolError,
    ToolScope,
};

/// A tool call that is being executed.
#[derive(Debug, Clone)]
pub(crate) struct ToolRun {
    /// The call, with the REPL name of the tool if the caller has a REPL, else the native name.
    pub call: ToolCall,
    /// Invocation id for the child, if the call creates one.
    pub child: String,
    began: Instant,
}

impl ToolRun {
    pub fn new(call: ToolCall, child: String) -> Self {
        let began = Instant::now();
        Self { call, child, began }
    }
}

impl Attempt<'_> {
    /// Runs a tool call, and records its result.
    ///
    /// # Errors
    /// If the call fails, returns the error message for the agent.
    pub async fn run_tool(&self, caller: &Invocation, run: ToolRun) -> Result<Value, String> {
        let result = self.tool_result(caller, &run).await;
        self.end_tool(caller, run, result).await
    }

    /// Passes the result of a call through the agent's hooks, and records it.
    ///
    /// # Errors
    /// If the call fails, returns the error message for the agent.
    pub async fn end_tool(
        &self,
        caller: &Invocation,
        run: ToolRun,
        result: Result<Value, ToolError>,
    ) -> Result<Value, String> {
        let result = self.hook_value(caller, &run, result).await;
        let shown = match &result {
            Ok(value) => Ok(text_of(value)),
            Err(error) => Err(error.clone()),
        };
        self.record_tool(caller, run, shown);
        result
    }

    /// Passes the result of a tool through the agent's hooks. If a hook fails, the result is
    /// replaced by an error.
    async fn hook_value(
        &self,
        caller: &Invocation,
        run: &ToolRun,
        result: Result<Value, ToolError>,
    ) -> Result<Value, String> {
        let (content, is_error) = match &result {
            Ok(value) => (text_of(value), false),
            Err(error) => (error.to_string(), true),
        };
        let shown = ToolResult {
            call: run.call.id.clone(),
            content: content.clone(),
            is_error,
        };
        let hooked = self.hook_tool_result(caller, &run.call, shown).await;
        let hooked = hooked.map_err(|error| format!("{}(): {error}", run.call.name))?;
        match result {
            Err(_) => Err(hooked.content),
            Ok(value) if hooked.content == content => Ok(value),
            Ok(Value::String(_)) => Ok(Value::String(hooked.content)),
            // Hooks change values as text. The changed text may be JSON.
            Ok(_) => Ok(lenient_json::from_str(&hooked.content)
                .unwrap_or_else(|_| Value::String(hooked.content))),
        }
    }

    /// Starts the part of a call that runs in the background. Returns `None` if the caller waits
    /// for the whole call.
    pub fn start_background_part<'b>(
        &'b self,
        caller: &Invocation,
        run: &ToolRun,
    ) -> Option<Result<BackgroundPart<'b>, ToolError>> {
        let given = find_tool(caller, &run.call.name).ok()?;
        let arguments = || given.accept(&run.call.name, &run.call.arguments);
        match &given.runs {
            CallTarget::Specialist { name, settings } if !settings.blocking => {
                Some(arguments().and_then(|input| {
                    self.start_background_child(caller, run, name, settings, input)
                }))
            }
            CallTarget::Instance(tool) => match &tool.call {
                InstanceCall::Create(kinds) => Some(arguments().and_then(|arguments| {
                    let arguments = InstanceArguments::read(arguments)?;
                    let kind = kinds.get(&arguments.agent);
                    // The schema has already validated the name.
                    let kind = kind.ok_or_else(|| ToolError("no such agent".to_owned()))?;
                    let name = &arguments.name;
                    let created = self.create_instance(caller, &run.child, kind, name)?;
                    Ok(BackgroundPart::Agent(created))
                })),
                InstanceCall::Send => {
                    let input = arguments().and_then(InstanceArguments::read);
                    let input = input.ok()?;
                    let kind = caller.instances.kind(names(caller).send, &input.id).ok()?;
                    if kind.settings.blocking {
                        return None;
                    }
                    let posted = self.post(caller, &input.id, input.message);
                    Some(posted.map(|(kind, answered)| {
                        let (attempt, id) = (self, input.id);
                        let (caller, run, of) = (caller.clone(), run.clone(), id.clone());
                        let work = Box::pin(async move {
                            let answer = attempt.await_reply(&caller, &of, &kind, answered).await;
                            let result = answer.map(Value::String);
                            let result = attempt.end_tool(&caller, run, result).await;
                            result.map(|value| text_of(&value))
                        });
                        BackgroundPart::Answer {
                            shown: format!("sent to {id}"),
                            child: id,
                            work,
                        }
                    }))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Starts a child whose answer reaches the caller later, as a note.
    ///
    /// # Errors
    /// Returns the errors of [`Attempt::start_child`].
    fn start_background_child<'b>(
        &'b self,
        caller: &Invocation,
        run: &ToolRun,
        specialist: &str,
        settings: &CallSettings,
        input: Value,
    ) -> Result<BackgroundPart<'b>, ToolError> {
        let specialist = self.specialist(specialist)?;
        let running = self.start_child(caller, &run.child, specialist, settings, input)?;
        let (caller, run) = (caller.clone(), run.clone());
        let child = run.child.clone();
        Ok(BackgroundPart::Answer {
            shown: format!("started {child}"),
            child,
            work: Box::pin(async move {
                let result = Ok(Value::String(running.await));
                let result = self.end_tool(&caller, run, result).await;
                result.map(|value| text_of(&value))
            }),
        })
    }

    /// Returns the run's specialist with this name.
    ///
    /// # Errors
    /// Returns an error for an unknown name.
    pub fn specialist(&self, name: &str) -> Result<&Arc<Specialist>, ToolError> {
        let known = &self.run.treatment.tools.specialists;
        known
            .get(name)
            .ok_or_else(|| ToolError(format!("{name}(): the prompt is not there")))
    }

    /// Runs a tool call without hooks and without recording it.
    ///
    /// # Errors
    /// Returns an error if the arguments are invalid, the tool fails or its result is too large.
    pub async fn tool_result(
        &self,
        caller: &Invocation,
        run: &ToolRun,
    ) -> Result<Value, ToolError> {
        let given = find_tool(caller, &run.call.name)?;
        let arguments = given.accept(&run.call.name, &run.call.arguments)?;
        let (tool, values, options) = match &given.runs {
            CallTarget::Tool {
                tool,
                values,
                options,
            } => (tool, values, options),
            CallTarget::Specialist { name, settings } => {
                let specialist = self.specialist(name)?;
                let running =
                    self.start_child(caller, &run.child, specialist, settings, arguments)?;
                return Ok(Value::String(running.await));
            }
            CallTarget::Instance(tool) => {
                let arguments = InstanceArguments::read(arguments)?;
                return self.instance_result(caller, &tool.call, arguments).await;
            }
        };
        let scope = ToolScope {
            invocation: caller.id.clone(),
            context: self.task.context.clone(),
            env: values.revealed(),
            options: options.as_ref().clone(),
        };
        let value = match tool.call(arguments, &scope).await {
            Ok(value) => values.redact_value(value),
            Err(ToolError(reason)) => return Err(ToolError(values.redact(&reason))),
        };
        let most = self.run.treatment.repl.argument_limit as usize;
        let bytes = value.to_string().len();
        if bytes > most {
            return Err(ToolError(format!(
                "{}(): the result has {bytes} bytes; at most {most} are allowed",
                run.call.name
            )));
        }
        Ok(value)
    }

    /// Runs an instance function and waits for its result.
    async fn instance_result(
        &self,
        caller: &Invocation,
        call: &InstanceCall,
        arguments: InstanceArguments,
    ) -> Result<Value, ToolError> {
        let InstanceArguments { id, message, .. } = arguments;
        match call {
            InstanceCall::Get => caller.instances.show(names(caller).get, &id),
            InstanceCall::Send => {
                let (kind, answered) = self.post(caller, &id, message)?;
                let answer = self.await_reply(caller, &id, &kind, answered).await?;
                Ok(Value::String(answer))
            }
            InstanceCall::Close => {
                caller.instances.close(names(caller).close, &id)?;
                Ok(Value::String(format!("closed {id}")))
            }
            InstanceCall::TellCaller => {
                let function = names(caller).tell_caller;
                let nobody = || ToolError(format!("{function}(): nobody hears it"));
                let outbox = caller.outbox.as_ref().ok_or_else(nobody)?;
                outbox.lock().push(text_of(&message));
                Ok(Value::String("sent".to_owned()))
            }
            InstanceCall::Create(_) => {
                Err(ToolError(format!("{}(): not here", names(caller).create)))
            }
        }
    }

    /// Records a call that has completed, or that was stopped together with its caller.
    pub fn record_tool(&self, caller: &Invocation, run: ToolRun, shown: Result<String, String>) {
        let is_error = shown.is_err();
        let ToolCall {
            id: call,
            name,
            arguments,
        } = run.call;
        if let Some(log) = &caller.log {
            log.lock().push(LoggedCall {
                name: name.clone(),
                arguments: arguments.clone(),
                shown: shown.clone(),
            });
        }
        self.records.emit(
            caller,
            EventKind::ToolCall {
                call,
                name,
                arguments,
                result: shown.unwrap_or_else(|error| error),
                is_error,
                ms: ms(run.began.elapsed()),
            },
        );
    }
}

/// Work that continues after the call has returned to its caller.
pub(crate) enum BackgroundPart<'a> {
    /// A child that answers later.
    Answer {
        child: String,
        /// Immediate result of the call.
        shown: String,
        work: BoxFuture<'a, Result<String, String>>,
    },
    /// A new instance. The call itself is complete.
    Agent(Created<'a>),
}

/// An instance that has been created and recorded, but not started.
pub(crate) struct Created<'a> {
    /// Return value for the caller: id, kind and name of the instance.
    pub value: Value,
    pub serving: BoxFuture<'a, ()>,
}

/// Returns the tool with this name: the REPL name for agents with a REPL, else the native name.
fn find_tool<'c>(caller: &'c Invocation, name: &str) -> Result<&'c BoundTool, ToolError> {
    if caller.plan.role.has_repl() {
        caller.plan.tools.get(name)
    } else {
        caller.plan.tools.get_native(name)
    }
}

/// Returns the names of the instance functions in this caller's REPL or native tools.
pub(crate) const fn names(caller: &Invocation) -> &'static InstanceNames {
    InstanceNames::of(caller.plan.role.has_repl())
}

/// Formats a value for an agent: strings unchanged, other values as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
