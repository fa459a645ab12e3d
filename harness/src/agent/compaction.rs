//! What is done about a conversation that grows long: a summary takes the place of its older turns, or their outputs are left out.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::conversation::tokens_of;
use super::{Attempt, Conversation, Failure, Instances, Invocation};
use crate::model::{EventKind, Message, Role, Sampling, Summary};
use crate::prompt::{
    compacted_message, compaction_request, compaction_system, compaction_turn, image_left_out,
    past_call, past_result,
};
use crate::tool::ToolSet;

/// Turns that a summary leaves whole, where a run does not say.
pub const DEFAULT_KEPT_TURNS: u32 = 4;
/// At what share of the model's window a conversation is summarised, where a run does not say; in percent.
pub const DEFAULT_SHARE: u32 = 75;

/// How a run keeps the conversations of its agents short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// What gives way.
    pub how: Compact,
    /// From what size on; none: only when the model refuses the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<CompactAt>,
    /// The newest turns that a summary leaves whole.
    pub keep: u32,
}

/// What gives way where a conversation is too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compact {
    /// Nothing: the agent fails.
    None,
    /// The outputs of older turns.
    #[default]
    Outputs,
    /// Older turns, in whose place there is a summary.
    Summary,
}

/// From what size on a conversation is made shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactAt {
    /// From so many tokens on.
    Tokens(u64),
    /// From a share of the model's window on.
    Share {
        /// In percent.
        percent: u32,
        /// The windows of the run's models in tokens, by their references.
        windows: BTreeMap<String, u64>,
    },
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            how: Compact::default(),
            at: None,
            keep: DEFAULT_KEPT_TURNS,
        }
    }
}

impl Compaction {
    /// Whether a run does what every run did before it could be chosen.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What of it agents meet: only a summary leaves turns whole, and where nothing gives way, no size matters.
    pub(crate) fn met(&self) -> Self {
        Self {
            how: self.how,
            at: (self.at.clone()).filter(|_| self.how != Compact::None),
            keep: match self.how {
                Compact::Summary => self.keep,
                _ => DEFAULT_KEPT_TURNS,
            },
        }
    }

    /// Tokens from which on the conversation of an agent of this model is made shorter.
    fn limit(&self, reference: &str) -> Option<u64> {
        match self.at.as_ref()? {
            CompactAt::Tokens(tokens) => Some(*tokens),
            CompactAt::Share { percent, windows } => {
                Some(windows.get(reference)? * u64::from(*percent) / 100)
            }
        }
    }
}

impl Compact {
    /// The words of flags and files.
    pub const WORDS: [&'static str; 3] = ["none", "outputs", "summary"];

    /// The word of flags and files.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

impl std::fmt::Display for Compact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Compact {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::None, Self::Outputs, Self::Summary]
            .into_iter()
            .find(|how| how.as_str() == word)
            .ok_or_else(|| format!("expected {}", Self::WORDS.join(", ")))
    }
}

impl Attempt<'_> {
    /// What gives way where an agent's conversation is too long. One that answers in one call has no turns, and those at pages and
    /// apps shorten by themselves what they show.
    fn compaction(&self, invocation: &Invocation) -> Compact {
        if invocation.role.workplace().keeps_turns() {
            self.run.treatment.compaction.how
        } else {
            Compact::Outputs
        }
    }

    /// Makes a conversation shorter that has reached the size which the run says.
    pub(super) async fn compact_if_due(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<(), Failure> {
        let compaction = &self.run.treatment.compaction;
        if !invocation.role.workplace().keeps_turns() {
            return Ok(());
        }
        let limit = compaction.limit(&invocation.model.reference);
        let Some(limit) = limit.filter(|limit| conversation.tokens() >= *limit) else {
            return Ok(());
        };
        let event = match compaction.how {
            Compact::None => None,
            Compact::Outputs => leave_outputs_out(conversation, limit),
            // What is shorter than a tenth of the limit is not worth a call.
            Compact::Summary => {
                self.summarise(invocation, conversation, limit / 10, false)
                    .await?
            }
        };
        if let Some(event) = event {
            self.records.count(|stats| stats.context_trims += 1);
            self.records.emit(invocation, event);
        }
        Ok(())
    }

    /// Makes a conversation shorter that its model has refused. Gives the event, which stands for another call; none if there is
    /// nothing that may give way.
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
            let summarised = self.summarise(invocation, conversation, 0, true).await?;
            if summarised.is_some() {
                return Ok(summarised);
            }
        }
        Ok(conversation
            .trim()
            .map(|trimmed| EventKind::ContextTrimmed {
                messages: trimmed.messages,
                chars: trimmed.chars,
                cut: trimmed.cut,
            }))
    }

    /// Puts a summary in the place of older turns, if they have at least so many tokens and somebody summarises them. Gives the
    /// event.
    async fn summarise(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
        least: u64,
        sent_again: bool,
    ) -> Result<Option<EventKind>, Failure> {
        let keep = self.run.treatment.compaction.keep as usize;
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
        let child = self.summariser(invocation, conversation.compactions);
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
        let places = older
            .clone()
            .map(|place| u32::try_from(place).unwrap_or(u32::MAX));
        let messages = places.collect();
        let instead = [Message::assistant(&text), Message::user(&shown)];
        conversation.replace(older, instead);
        Ok(Some(EventKind::ContextCompacted {
            messages,
            chars,
            tokens_before,
            tokens_after: conversation.tokens(),
            summary: Some(Summary {
                child: child.id,
                text,
                shown,
            }),
            sent_again,
        }))
    }

    /// Who writes an agent's `number`-th summary.
    fn summariser(&self, of: &Invocation, number: u32) -> Invocation {
        let mut lineage = of.lineage.clone();
        lineage.push("a summary of older turns".to_owned());
        let assigned = self.run.models.assigned.summaries.as_ref();
        let mut model = assigned.unwrap_or(&of.model).clone();
        // It writes text: code in it is not run, and must not end it.
        model.sampling = Arc::new(Sampling {
            code_via_tool: false,
            stop_after_blocks: None,
            ..Sampling::clone(&model.sampling)
        });
        Invocation {
            id: of.summary_id(number),
            parent: Some(of.id.clone()),
            depth: of.depth + 1,
            role: Role::Compaction,
            lineage,
            model,
            system_prompt: None,
            iterations: 1,
            page: None,
            tools: ToolSet::default(),
            inherited_tools: ToolSet::default(),
            log: None,
            settings: None,
            heard: Arc::default(),
            instances: Instances::default(),
            schema: None,
            ledger: Arc::clone(&of.ledger),
            progress: Arc::default(),
            outbox: None,
        }
    }

    /// Asks for a summary. None if the turns are too long for whoever is asked, or the response is blank.
    ///
    /// Boxed, for asking is what may lead to it.
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
            // One that was cut off lacks its end, and says what it says.
            let asked = self.ask(child, &mut conversation).await;
            let result = asked.map(|reply| reply.response.text);
            self.records.end(child, &result, 1);
            match result {
                Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
                Err(_) if conversation.overflowed => Ok(None),
                Err(failure) => Err(failure),
            }
        })
    }
}

/// Leaves outputs out until the conversation is below this size. Gives the event, if any could be left out.
fn leave_outputs_out(conversation: &mut Conversation, limit: u64) -> Option<EventKind> {
    let tokens_before = conversation.tokens();
    let (mut messages, mut chars) = (Vec::new(), 0);
    while conversation.tokens() >= limit {
        let Some(trimmed) = conversation.trim() else {
            break;
        };
        messages.extend(trimmed.messages);
        chars += trimmed.chars;
    }
    if messages.is_empty() {
        return None;
    }
    Some(EventKind::ContextCompacted {
        messages,
        chars,
        tokens_before,
        tokens_after: conversation.tokens(),
        summary: None,
        sent_again: false,
    })
}

/// A message for the transcript that is summarised.
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
