//! Calls hooks for the messages, requests, responses and tool results of an agent.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::{Attempt, Conversation, Failure, Invocation};
use crate::hook::{Hook, HookError, HookEvent, ToolStage};
use crate::model::{EventKind, Message, Status, ToolCall, ToolResult};
use crate::provider::{ProviderError, Request, Response};

impl Attempt<'_> {
    /// Passes the new messages of a conversation to the agent's hooks.
    pub async fn hook_new_messages(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<(), Failure> {
        if self.hooks(invocation).is_empty() {
            return Ok(());
        }
        for message in conversation.new_messages_mut() {
            *message = self.hook_message(invocation, message.clone()).await?;
        }
        if let Some(tail) = conversation.tail.take() {
            conversation.tail = Some(self.hook_message(invocation, tail).await?);
        }
        Ok(())
    }

    /// Passes the messages at these places to the agent's hooks, because they replaced others.
    pub async fn hook_replaced_messages(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
        places: &[u32],
    ) -> Result<(), Failure> {
        if self.hooks(invocation).is_empty() {
            return Ok(());
        }
        for place in places {
            let message = conversation.message_mut(*place as usize);
            *message = self.hook_message(invocation, message.clone()).await?;
        }
        Ok(())
    }

    /// Passes a new message of the conversation to the agent's hooks.
    pub async fn hook_message(
        &self,
        invocation: &Invocation,
        message: Message,
    ) -> Result<Message, HookError> {
        match self
            .run_hooks(invocation, HookEvent::BeforeMessage { message })
            .await?
        {
            HookEvent::BeforeMessage { message } => Ok(message),
            // Unreachable: neither `HookEvent::changed` nor a bundled hook changes the kind of an
            // event.
            _ => Ok(Message::user("")),
        }
    }

    /// Passes a request to the agent's hooks before it is sent.
    pub async fn hook_request(
        &self,
        invocation: &Invocation,
        mut request: Request,
    ) -> Result<Request, HookError> {
        if !self.hooks(invocation).is_empty() {
            let event = HookEvent::BeforeRequest {
                system: std::mem::take(&mut request.system),
                messages: std::mem::take(&mut request.messages)
                    .into_iter()
                    .map(Arc::unwrap_or_clone)
                    .collect(),
            };
            if let HookEvent::BeforeRequest { system, messages } =
                self.run_hooks(invocation, event).await?
            {
                request.system = system;
                request.messages = messages.into_iter().map(Arc::new).collect();
            }
        }
        Ok(request)
    }

    /// Passes a response to the agent's hooks.
    pub async fn hook_response(
        &self,
        invocation: &Invocation,
        mut response: Response,
    ) -> Result<Response, HookError> {
        if self.hooks(invocation).is_empty() {
            return Ok(response);
        }
        let event = HookEvent::AfterResponse {
            text: response.text.clone(),
            reasoning: response.reasoning.clone(),
            tool_calls: response.tool_calls.clone(),
        };
        if let HookEvent::AfterResponse {
            text,
            reasoning,
            tool_calls,
        } = self.run_hooks(invocation, event).await?
        {
            response.text = text;
            response.reasoning = reasoning;
            response.tool_calls = tool_calls;
        }
        Ok(response)
    }

    /// Passes a tool's result to the agent's hooks, once as the outcome of the call and once as the
    /// result to store.
    pub async fn hook_tool_result(
        &self,
        invocation: &Invocation,
        call: &ToolCall,
        mut result: ToolResult,
    ) -> Result<ToolResult, HookError> {
        if self.hooks(invocation).is_empty() {
            return Ok(result);
        }
        let answered = if result.is_error {
            ToolStage::Failed
        } else {
            ToolStage::Succeeded
        };
        for stage in [answered, ToolStage::ToBeStored] {
            let event = HookEvent::Tool {
                stage,
                tool: call.name.clone(),
                arguments: call.arguments.clone(),
                content: result.content.clone(),
            };
            if let HookEvent::Tool { content, .. } = self.run_hooks(invocation, event).await? {
                result.content = content;
            }
        }
        Ok(result)
    }

    /// Returns the hooks listed by the agent's prompt, or else the hooks of the run.
    fn hooks<'b>(&'b self, invocation: &'b Invocation) -> &'b [Arc<dyn Hook>] {
        invocation.plan.hooks(&self.run.treatment)
    }

    /// Passes an event through the hooks of an agent, one after another.
    async fn run_hooks(
        &self,
        invocation: &Invocation,
        mut event: HookEvent,
    ) -> Result<HookEvent, HookError> {
        for hook in self.hooks(invocation) {
            let work = {
                let mut at_work = self.running_hooks.lock().await;
                let begin = || Arc::new(Mutex::new(hook.begin()));
                Arc::clone(at_work.entry(hook.name().to_owned()).or_insert_with(begin))
            };
            let notes = work.lock().await.handle(&mut event).await?;
            for note in notes {
                let hook = hook.name().to_owned();
                self.records
                    .emit(invocation, EventKind::HookNote { hook, note });
            }
        }
        Ok(event)
    }
}

impl From<HookError> for Failure {
    fn from(error: HookError) -> Self {
        Self::new(Status::Error, error.to_string())
    }
}

impl From<HookError> for ProviderError {
    fn from(error: HookError) -> Self {
        Self::Hook {
            message: error.to_string(),
        }
    }
}
