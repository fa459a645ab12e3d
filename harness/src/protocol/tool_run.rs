//! One call of a tool by an agent: from its arguments to its result and its record.

use std::sync::Arc;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::agent::{Attempt, Invocation, LoggedCall, Specialist};
use crate::model::{EventKind, ToolCall, ToolResult, ms};
use crate::protocol::subprompt::Prepared;
use crate::tool::{Runs, ToolError, ToolScope};

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolRun {
    /// What the record calls it.
    pub id: String,
    /// The tool, by its name in a REPL or on the wire.
    pub name: String,
    /// JSON text, as the caller wrote it.
    pub arguments: String,
    /// The invocation that it has if a prompt is called.
    pub child: String,
    began: Instant,
}

impl ToolRun {
    pub fn new(id: String, name: String, arguments: String, child: String) -> Self {
        Self {
            id,
            name,
            arguments,
            child,
            began: Instant::now(),
        }
    }
}

impl Attempt<'_> {
    /// Runs a call of one of the agent's tools to its end, and records it.
    ///
    /// # Errors
    /// The message that the agent reads.
    pub async fn run_tool(&self, caller: &Invocation, run: ToolRun) -> Result<Value, String> {
        let result = self.tool_result(caller, &run).await;
        self.end_tool(caller, run, result).await
    }

    /// Shows what came of a call to the agent's hooks, and records it.
    ///
    /// # Errors
    /// The message that the agent reads.
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

    /// Shows what a tool gave to the agent's hooks. Where one of them fails, nothing of it passes.
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
        let call = ToolCall {
            id: run.id.clone(),
            name: run.name.clone(),
            arguments: run.arguments.clone(),
        };
        let shown = ToolResult {
            call: run.id.clone(),
            content: content.clone(),
            is_error,
        };
        let hooked = self.hook_tool_result(caller, &call, shown).await;
        let hooked = hooked.map_err(|error| format!("{}(): {error}", run.name))?;
        match result {
            Err(_) => Err(hooked.content),
            Ok(value) if hooked.content == content => Ok(value),
            Ok(Value::String(_)) => Ok(Value::String(hooked.content)),
            // A hook changes the text of a value, which may be JSON still.
            Ok(_) => Ok(serde_json::from_str(&hooked.content)
                .unwrap_or_else(|_| Value::String(hooked.content))),
        }
    }

    /// The child of a call that its caller does not wait for, checked and not started. None if the caller waits.
    pub fn prepare_beside(
        &self,
        caller: &Invocation,
        run: &ToolRun,
    ) -> Option<Result<Prepared, ToolError>> {
        let given = caller.tools.get(&run.name).ok()?;
        match &given.runs {
            Runs::Specialist { name, settings } if !settings.blocks() => {
                let arguments = given.accept(&run.arguments);
                Some(arguments.and_then(|input| {
                    self.prepare(caller, &run.child, self.specialist(name)?, settings, input)
                }))
            }
            _ => None,
        }
    }

    /// Starts such a child. What comes of it is what its caller reads later.
    pub fn start_beside<'b>(
        &'b self,
        caller: &Invocation,
        run: ToolRun,
        child: Prepared,
    ) -> BoxFuture<'b, Result<String, String>> {
        let started = self.start_prepared(caller, child);
        let caller = caller.clone();
        Box::pin(async move {
            let answer = self.run_started(&caller, started).await;
            let result = Ok(Value::String(answer));
            let result = self.end_tool(&caller, run, result).await;
            result.map(|value| text_of(&value))
        })
    }

    fn specialist(&self, name: &str) -> Result<&Arc<Specialist>, ToolError> {
        let known = &self.run.treatment.tools.specialists;
        known
            .get(name)
            .ok_or_else(|| ToolError(format!("{name}(): the prompt is not there")))
    }

    /// Runs a call to its end, and records nothing of it.
    ///
    /// # Errors
    /// What the agent reads.
    pub async fn tool_result(
        &self,
        caller: &Invocation,
        run: &ToolRun,
    ) -> Result<Value, ToolError> {
        let given = caller.tools.get(&run.name)?;
        let arguments = given.accept(&run.arguments)?;
        let (tool, values, options) = match &given.runs {
            Runs::Tool {
                tool,
                values,
                options,
            } => (tool, values, options),
            Runs::Specialist { name, settings } => {
                let specialist = self.specialist(name)?;
                let child = self.prepare(caller, &run.child, specialist, settings, arguments)?;
                let child = self.start_prepared(caller, child);
                return Ok(Value::String(self.run_started(caller, child).await));
            }
        };
        let scope = ToolScope {
            sample: self.task.sample.clone(),
            attempt: self.task.attempt,
            invocation: caller.id.clone(),
            context: self.task.context.clone(),
            env: values.revealed(),
            options: options.as_ref().clone(),
        };
        let value = match tool.call(arguments, &scope).await {
            Ok(value) => values.strike_out_of(value),
            Err(ToolError(reason)) => return Err(ToolError(values.strike_out(&reason))),
        };
        let most = self.run.treatment.repl.config.limits.argument_chars as usize;
        let bytes = value.to_string().len();
        if bytes > most {
            return Err(ToolError(format!(
                "{}(): the result has {bytes} bytes; at most {most} are allowed",
                run.name
            )));
        }
        Ok(value)
    }

    /// Records a call that ended, or whose caller ended before it.
    pub fn record_tool(&self, caller: &Invocation, run: ToolRun, shown: Result<String, String>) {
        let is_error = shown.is_err();
        if let Some(log) = &caller.log {
            log.push(LoggedCall {
                name: run.name.clone(),
                arguments: run.arguments.clone(),
                shown: shown.clone(),
            });
        }
        self.records.emit(
            caller,
            EventKind::ToolCall {
                call: run.id,
                name: run.name,
                arguments: run.arguments,
                result: shown.unwrap_or_else(|error| error),
                is_error,
                ms: ms(run.began.elapsed()),
            },
        );
    }
}

/// What a call gives whose child runs beside its caller.
pub(crate) fn started(child: &str) -> String {
    format!("started {child}")
}

/// A value as an agent reads it: a text as it is, anything else as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
