//! Calls to prompt definitions as tools: creates the child, runs it, and assembles the text for the
//! caller.

mod first_message;
mod inherited;

use std::sync::Arc;

use futures::future::BoxFuture;
use sandbox::message::Context;
use serde_json::Value;

use crate::agent::{
    AgentPlan, Attempt, Failure, Invocation, LoggedCall, Model, Specialist, ToolLog, run_turns,
};
use crate::model::{EventKind, Message, Role};
use crate::prompt::first_message;
use crate::prompt::sections::{SUBPROMPT_CALL, SUBPROMPT_ERROR};
use crate::protocol::direct::OneCall;
use crate::protocol::rlm::{ReplAgent, kind_of};
use crate::protocol::tools::ToolsAgent;
use crate::tool::{CallSettings, ToolError};

pub(crate) use first_message::{FirstMessage, first};
pub(crate) use inherited::inherited_by;

impl Attempt<'_> {
    /// Starts a child as [`Attempt::start_with`] does, with the first message of a call with these
    /// arguments.
    ///
    /// # Errors
    /// Returns the error for the caller: invalid arguments, the depth limit, or an unknown model.
    pub fn start_child<'b>(
        &'b self,
        caller: &Invocation,
        child_id: &str,
        specialist: &Arc<Specialist>,
        settings: &CallSettings,
        input: Value,
    ) -> Result<BoxFuture<'b, String>, ToolError> {
        let first = first(specialist, settings, &input)?;
        self.start_with(caller, child_id, specialist, settings, first, input)
    }

    /// Records the start of a child with this first message. The returned future runs the child
    /// and returns the text for its caller, which includes errors if the settings ask for them.
    /// Running is a separate step, so that the events of background children are in the order of
    /// the caller's calls.
    ///
    /// # Errors
    /// Returns the error for the caller: the depth limit, or an unknown model.
    pub fn start_with<'b>(
        &'b self,
        caller: &Invocation,
        child_id: &str,
        specialist: &Arc<Specialist>,
        settings: &CallSettings,
        first: FirstMessage,
        input: Value,
    ) -> Result<BoxFuture<'b, String>, ToolError> {
        let query = match &first.name {
            Some(name) => format!("{name}: {}", first.text),
            None => first.text.clone(),
        };
        let child = self.specialist_child(caller, child_id, specialist, query)?;
        self.records.count(|stats| stats.delegations += 1);
        let spawn = EventKind::DelegationSpawn {
            child: child.id.clone(),
            role: child.plan.role,
        };
        self.records.emit(caller, spawn);
        // Messages that the child inherits from its caller.
        let earlier = inherited_by(specialist, caller);
        let (caller, specialist) = (caller.clone(), Arc::clone(specialist));
        let settings = settings.clone();
        Ok(Box::pin(async move {
            let child_id = child.id.clone();
            let log = child.log.clone();
            let result = match child.plan.role {
                Role::Specialist => self.run_in_repl(child, earlier, first, &input).await,
                Role::ToolSpecialist => {
                    let agent = ToolsAgent::of_child(self, &child, first.after(earlier));
                    agent.run().await
                }
                Role::DualAi | Role::AiHuman => {
                    let first = first.into_message();
                    self.serve_once(child, &specialist, first).await
                }
                _ => {
                    let mut agent = OneCall::of_messages(first.after(earlier));
                    run_turns(self, &child, &mut agent).await
                }
            };
            self.emit_answered(&caller, &child_id, &result);
            let calls = log.map(|log| std::mem::take(&mut *log.lock()));
            let calls = calls.unwrap_or_default();
            let error = result.as_ref().err().map(|failure| failure.reason.as_str());
            result_text(&settings, result.as_deref().ok(), &calls, error)
        }))
    }

    /// Creates a specialist as a child of `caller`.
    ///
    /// # Errors
    /// Returns the error for the caller: the depth limit, or an unknown model.
    pub fn specialist_child(
        &self,
        caller: &Invocation,
        child_id: &str,
        specialist: &Specialist,
        query: String,
    ) -> Result<Invocation, ToolError> {
        let config = &self.run.treatment;
        let depth = caller.plan.depth + 1;
        let name = &specialist.name;
        let most = config.prompts.max_depth;
        if depth > most {
            return Err(ToolError(format!(
                "{name}(): no agent may be deeper than {most}"
            )));
        }
        let role = specialist.role();
        let needs_repl = role.has_repl();
        if needs_repl && depth == most {
            return Err(ToolError(format!(
                "{name}(): its tools require a REPL, but agents at depth {depth} do not have one (the limit is --max-depth)"
            )));
        }
        let model = self
            .run
            .model_of_definition(&specialist.model, depth)
            .map_err(ToolError)?;
        let model = Model {
            sampling: Arc::new(specialist.settings.reasoning_over(&model.sampling)),
            ..model
        };
        let plan = AgentPlan::specialist(config, specialist, depth);
        let mut child = caller.child(child_id.to_owned(), plan, query, model);
        if !specialist.settings.include_chat {
            child.lineage.drain(..child.lineage.len() - 1);
        }
        child.inherited_tools = specialist.tools.clone();
        child.log = Some(ToolLog::default());
        if let Some(talk) = &specialist.talk {
            self.sides(&child, talk)?;
        }
        Ok(child)
    }

    /// Runs a child in a separate session, so that it does not share variables with its caller. The
    /// child's `context` is the input as JSON.
    async fn run_in_repl(
        &self,
        child: Invocation,
        earlier: Vec<Message>,
        first: FirstMessage,
        input: &Value,
    ) -> Result<String, Failure> {
        let session = self.open_session(&child).await?;
        let subscription = self.subscribe_to_budget(&session);
        let text = input.to_string();
        let kind = kind_of(&text);
        let repl = session.open_with(
            None,
            Context::text(text),
            self.info(&child),
            child.plan.tools.functions(),
        );
        let text = first_message(child.query(), &kind, child.plan.iterations);
        let shown = FirstMessage { text, ..first }.after(earlier);
        let agent = ReplAgent::new(self, child, &session, repl, shown);
        let result = Box::pin(agent.run()).await;
        drop(subscription);
        result
    }
}

/// Assembles the text for the caller from the parts that the settings include.
pub(crate) fn result_text(
    settings: &CallSettings,
    text: Option<&str>,
    calls: &[LoggedCall],
    error: Option<&str>,
) -> String {
    let mut parts = Vec::new();
    if settings.include_text {
        parts.extend(text.map(str::to_owned));
    }
    if settings.include_calls {
        parts.extend(calls.iter().map(|call| {
            let (outcome, shown) = match &call.shown {
                Ok(result) => ("result", result.as_str()),
                Err(error) if settings.include_errors => ("failed", error.as_str()),
                Err(_) => ("failed", ""),
            };
            let call = SUBPROMPT_CALL.render([&call.arguments, &call.name, outcome, shown]);
            call.trim_end_matches(' ').to_owned()
        }));
    } else if settings.include_errors {
        let failed = calls.iter().filter_map(|call| {
            let error = call.shown.as_ref().err()?;
            let error = error.strip_prefix("error: ").unwrap_or(error);
            Some(if error.starts_with(&format!("{}(", call.name)) {
                SUBPROMPT_ERROR.render([error])
            } else {
                SUBPROMPT_ERROR.render([&format!("{}: {error}", call.name)])
            })
        });
        parts.extend(failed);
    }
    if settings.include_errors {
        parts.extend(error.map(|error| SUBPROMPT_ERROR.render([error])));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::{CallSettings, LoggedCall, result_text};
    use crate::prompt::definition::SubpromptSettings;

    const T: &str = "The answer.";
    const C: &str = "[tool call] search({\"q\":1})\n[result] found\n\n[tool call] search({\"q\":1})\n[failed] broke";
    /// [`C`] without the error.
    const F: &str =
        "[tool call] search({\"q\":1})\n[result] found\n\n[tool call] search({\"q\":1})\n[failed]";
    /// Error of [`C`] without the calls.
    const B: &str = "[error] search: broke";
    const E: &str = "[error] out of iterations";

    fn settings(text: bool, calls: bool, errors: bool) -> CallSettings {
        CallSettings::from(&SubpromptSettings {
            include_text_response: text,
            include_tool_calls: calls,
            include_errors: errors,
            ..SubpromptSettings::default()
        })
    }

    #[test]
    fn result_contains_only_what_settings_include() {
        let call = |shown: Result<&str, &str>| LoggedCall {
            name: "search".to_owned(),
            arguments: "{\"q\":1}".to_owned(),
            shown: shown.map(str::to_owned).map_err(str::to_owned),
        };
        let calls = [call(Ok("found")), call(Err("broke"))];
        for (text, tools, errors, answered, failed) in [
            (
                true,
                true,
                true,
                format!("{T}\n\n{C}"),
                format!("{C}\n\n{E}"),
            ),
            (true, true, false, format!("{T}\n\n{F}"), F.to_owned()),
            (
                true,
                false,
                true,
                format!("{T}\n\n{B}"),
                format!("{B}\n\n{E}"),
            ),
            (true, false, false, T.to_owned(), String::new()),
            (false, true, true, C.to_owned(), format!("{C}\n\n{E}")),
            (false, true, false, F.to_owned(), F.to_owned()),
            (false, false, true, B.to_owned(), format!("{B}\n\n{E}")),
            (false, false, false, String::new(), String::new()),
        ] {
            let settings = settings(text, tools, errors);
            let row = format!("text {text}, calls {tools}, errors {errors}");
            let error = Some("out of iterations");
            assert_eq!(
                result_text(&settings, Some(T), &calls, None),
                answered,
                "{row}"
            );
            assert_eq!(result_text(&settings, None, &calls, error), failed, "{row}");
        }
    }
}
