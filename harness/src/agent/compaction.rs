//! Shortens long conversations by replacing older turns with a summary or by omitting their
//! outputs.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::conversation::tokens_of;
use super::{AgentPlan, Attempt, Conversation, Failure, Invocation, ModelSlot};
use crate::model::{EventKind, Message, Role, Sampling, Summary};
use crate::prompt::{
    compacted_message, compaction_request, compaction_system, compaction_turn, image_left_out,
    past_call, past_result,
};
use crate::settings::Compact;

impl Attempt<'_> {
    /// Returns the method of shortening an agent's conversation. The run's setting applies only to
    /// agents whose conversations keep their turns; the others use [`Compact::Outputs`].
    fn compaction(&self, invocation: &Invocation) -> Compact {
        if invocation.plan.role.action_surface().keeps_turns() {
            self.run.treatment.compaction.settings.compaction
        } else {
            Compact::Outputs
        }
    }

    /// Shortens a conversation if it has reached the configured size.
    pub(super) async fn compact_if_due(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<(), Failure> {
        let compaction = &self.run.treatment.compaction;
        if !invocation.plan.role.action_surface().keeps_turns() {
            return Ok(());
        }
        let limit = compaction.limit(&invocation.model.reference);
        let Some(limit) = limit.filter(|limit| conversation.tokens() >= *limit) else {
            return Ok(());
        };
        let event = match compaction.settings.compaction {
            Compact::None => None,
            Compact::Outputs => self.omit_outputs(invocation, conversation, limit).await?,
            // Saving less than a tenth of the limit is not worth an additional call.
            Compact::Summary => {
                self.summarize_turns(invocation, conversation, limit / 10, false)
                    .await?
            }
        };
        if let Some(event) = event {
            self.records.count(|stats| stats.context_trims += 1);
            self.records.emit(invocation, event);
        }
        Ok(())
    }

    /// Shortens a conversation that the model has rejected as too long. Returns the event to
    /// record, or `None` if nothing can be shortened. The next request counts as another call.
    pub(super) async fn shorten(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<Option<EventKind>, Failure> {
        let how = self.compaction(invocation);
        if how == Compact::None {
            return Ok(None);
        }
        if how == Compact::Summary {
            let summarized = self
                .summarize_turns(invocation, conversation, 0, true)
                .await?;
            if summarized.is_some() {
                return Ok(summarized);
            }
        }
        let Some(trimmed) = conversation.trim() else {
            return Ok(None);
        };
        self.hook_replaced_messages(invocation, conversation, &trimmed.messages)
            .await?;
        Ok(Some(EventKind::ContextTrimmed {
            messages: trimmed.messages,
            chars: trimmed.chars,
            cut: trimmed.cut,
        }))
    }

    /// Omits outputs until the conversation has fewer than `limit` tokens. Returns the event to
    /// record if any output was omitted.
    async fn omit_outputs(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
        limit: u64,
    ) -> Result<Option<EventKind>, Failure> {
        let tokens_before = conversation.tokens();
        let (mut messages, mut chars) = (Vec::new(), 0);
        while conversation.tokens() >= limit {
            let Some(trimmed) = conversation.trim() else {
                break;
            };
            self.hook_replaced_messages(invocation, conversation, &trimmed.messages)
                .await?;
            messages.extend(trimmed.messages);
            chars += trimmed.chars;
        }
        if messages.is_empty() {
            return Ok(None);
        }
        Ok(Some(EventKind::ContextCompacted {
            messages,
            chars,
            tokens_before,
            tokens_after: conversation.tokens(),
            summary: None,
            sent_again: false,
        }))
    }

    /// Replaces older turns with a summary. Returns the event to record, or `None` if the turns
    /// have fewer than `least` tokens or cannot be summarized.
    async fn summarize_turns(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
        least: u64,
        sent_again: bool,
    ) -> Result<Option<EventKind>, Failure> {
        let keep = self.run.treatment.compaction.settings.compaction_keep as usize;
        let Some(older) = conversation.older_turns(keep) else {
            return Ok(None);
        };
        let cut = &conversation.messages()[older.clone()];
        if cut.iter().map(|message| tokens_of(message)).sum::<u64>() < least {
            return Ok(None);
        }
        let chars = cut
            .iter()
            .map(|message| message.all_text().chars().count() as u64);
        let chars = chars.sum();
        let transcript: Vec<String> = cut.iter().map(|message| as_text(message)).collect();
        let tokens_before = conversation.tokens();
        conversation.compactions += 1;
        let child = self.summarizer(invocation, conversation.compactions);
        let transcript = transcript.join("\n\n");
        let asked = self.ask_for_summary(&child, invocation.query(), &transcript);
        let Some(text) = asked.await? else {
            return Ok(None);
        };
        let listing = match &conversation.lister {
            Some(lister) => Some(lister.list().await),
            None => None,
        };
        let shown = compacted_message(older.len() as u64, listing.as_ref());
        let text = self
            .hook_message(invocation, Message::assistant(text))
            .await?;
        let shown = self.hook_message(invocation, Message::user(shown)).await?;
        let summary = Summary {
            child: child.id,
            text: text.content.clone(),
            shown: shown.content.clone(),
        };
        let places = older
            .clone()
            .map(|place| u32::try_from(place).unwrap_or(u32::MAX));
        let messages = places.collect();
        conversation.replace(older, [text, shown]);
        Ok(Some(EventKind::ContextCompacted {
            messages,
            chars,
            tokens_before,
            tokens_after: conversation.tokens(),
            summary: Some(summary),
            sent_again,
        }))
    }

    /// Creates the agent that writes an agent's `number`-th summary.
    fn summarizer(&self, of: &Invocation, number: u32) -> Invocation {
        let assigned = self.run.models.get(&ModelSlot::Summaries);
        let mut model = assigned.unwrap_or(&of.model).clone();
        // A summary is text: code blocks in it must not end the response.
        model.sampling = Arc::new(Sampling {
            code_via_tool: false,
            stop_after_blocks: None,
            ..Sampling::clone(&model.sampling)
        });
        let plan = AgentPlan::one_call(Role::Compaction, of.plan.depth + 1);
        let query = "a summary of older turns".to_owned();
        of.child(of.summary_id(number), plan, query, model)
    }

    /// Requests a summary. Returns `None` if the turns are too long for the model or the response
    /// is blank.
    ///
    /// Boxed because of the recursion: a request may require another summary.
    fn ask_for_summary<'b>(
        &'b self,
        child: &'b Invocation,
        query: &'b str,
        transcript: &'b str,
    ) -> BoxFuture<'b, Result<Option<String>, Failure>> {
        Box::pin(async move {
            let mut conversation = Conversation::new(compaction_system());
            self.records.begin(child, &conversation.system);
            conversation.push(Message::user(compaction_request(query, transcript)));
            // A truncated summary is still useful.
            let asked = self.ask(child, &mut conversation).await;
            let result = asked.map(|reply| reply.response.text);
            self.records.end(child, &result, 1);
            match result {
                Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
                Err(_) if conversation.overflowed => Ok(None),
                // A refusal by the summarizer is not a refusal by the agent.
                Err(failure) => Err(Failure {
                    refusal: None,
                    ..failure
                }),
            }
        })
    }
}

/// Formats a message for the transcript to summarize.
fn as_text(message: &Message) -> String {
    let mut parts: Vec<String> = Vec::new();
    let results = message.tool_results.iter();
    parts.extend(results.map(|result| past_result(&result.content)));
    parts.extend((!message.content.is_empty()).then(|| message.content.clone()));
    let calls = message.tool_calls.iter();
    parts.extend(calls.map(|call| past_call(&call.name, &call.arguments)));
    let images = message.images.iter();
    parts.extend(images.map(|image| image_left_out(&image.media_type, image.bytes())));
    compaction_turn(message.role, &parts.join("\n"))
}
