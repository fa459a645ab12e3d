//! The retrieve protocol: one call with the passages that match the question best, by BM25.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bm25::{EmbedderBuilder, Scorer, Tokenizer};

use crate::agent::{AgentBehavior, Attempt, Conversation, Failure, Invocation, run_turns};
use crate::model::{Message, Status};
use crate::prompt::flat_message;
use crate::prompt::sections::{TURN_RETRIEVE, TURN_RETRIEVE_PASSAGE};
use crate::protocol::ProtocolBehavior;
use crate::protocol::direct::OneCall;
use crate::settings::ProtocolSettings;
use crate::text::{fence_mark, parts};

/// Retrieve protocol. Its root makes one call with the retrieved passages.
pub(super) struct Retrieve;

#[async_trait]
impl ProtocolBehavior for Retrieve {
    fn settings(&self, of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings {
            retrieve_passages: of_run.retrieve_passages,
            passage_chars: of_run.passage_chars,
            ..ProtocolSettings::default()
        }
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        let settings = attempt.run.treatment.protocols;
        let shown = message(root, &attempt.task.context, &settings);
        OneCall::of_messages(vec![attempt.with_images(root, shown)]).open(conversation);
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        let context = Arc::clone(&attempt.task.context);
        let (agent, settings) = (root.clone(), attempt.run.treatment.protocols);
        // Searching a long context on this thread would block its other tasks.
        let searching = tokio::task::spawn_blocking(move || message(&agent, &context, &settings));
        let shown = attempt.meter.during(searching).await.map_err(|error| {
            Failure::new(
                Status::Error,
                format!("the search for passages failed: {error}"),
            )
        })?;
        let mut one = OneCall::of_messages(vec![attempt.with_images(root, shown)]);
        run_turns(attempt, root, &mut one).await
    }
}

/// Returns the question with the best-matching passages, or with the whole context if it has at
/// most `retrieve_passages` passages.
fn message(root: &Invocation, context: &str, settings: &ProtocolSettings) -> Message {
    let query = root.asked();
    let chars = context.chars().count();
    let passages = parts(context, chars.div_ceil(settings.passage_chars as usize));
    let most = settings.retrieve_passages as usize;
    if passages.len() <= most {
        return Message::user(flat_message(&query, context));
    }
    // Search with the query alone: `asked()` may also contain the answer's schema.
    let found = best(root.query(), context, &passages, most);
    let mut before = 0;
    let mut at = 0;
    let found: Vec<Passage<'_>> = found
        .into_iter()
        .map(|index| {
            let Range { start, end } = passages[index].clone();
            before += context[at..start].chars().count();
            let text = &context[start..end];
            let from = before;
            before += text.chars().count();
            at = end;
            Passage {
                number: index + 1,
                from,
                to: before,
                text,
            }
        })
        .collect();
    Message::user(passages_message(&query, &found, passages.len(), chars))
}

/// A passage of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Passage<'a> {
    /// Position among the passages of the context, 1-based.
    number: usize,
    /// Character offset of its start in the context.
    from: usize,
    /// Character offset of its end in the context, exclusive.
    to: usize,
    /// Text of the passage.
    text: &'a str,
}

/// Returns a question with the passages found for it. `passages` and `length` are the numbers of
/// passages and characters in the whole context.
fn passages_message(query: &str, found: &[Passage<'_>], passages: usize, length: usize) -> String {
    let shown = found.len().to_string();
    let found: Vec<String> = found
        .iter()
        .map(|passage| {
            TURN_RETRIEVE_PASSAGE.render([
                &passage.from.to_string(),
                &fence_mark(&[passage.text]),
                &passage.number.to_string(),
                passage.text,
                &passage.to.to_string(),
            ])
        })
        .collect();
    let found = found.join("\n\n");
    let (length, passages) = (length.to_string(), passages.to_string());
    TURN_RETRIEVE.render([&found, &length, &passages, query, &shown])
}

/// Returns the indices of the passages that match a question best, in text order. If fewer than
/// `most` match, adds the first passages that do not.
fn best(query: &str, context: &str, passages: &[Range<usize>], most: usize) -> Vec<usize> {
    let texts: Vec<&str> = passages.iter().map(|at| &context[at.clone()]).collect();
    let embedder =
        EmbedderBuilder::<u64, Words>::with_tokenizer_and_fit_to_corpus(Words, &texts).build();
    let mut scorer = Scorer::<usize, u64>::new();
    for (index, text) in texts.iter().enumerate() {
        scorer.upsert(&index, embedder.embed(text));
    }
    let mut found = scorer.matches(&embedder.embed(query));
    // Ties are broken by position.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    let mut chosen: Vec<usize> = found.iter().map(|one| one.id).take(most).collect();
    let others: Vec<usize> = (0..passages.len())
        .filter(|index| !chosen.contains(index))
        .take(most - chosen.len())
        .collect();
    chosen.extend(others);
    chosen.sort_unstable();
    chosen
}

/// Tokenizer that returns runs of letters and digits in lowercase. Suitable for languages that
/// separate words.
struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Passage, best, fence_mark, parts, passages_message};

    #[test]
    fn marks_fences_that_passage_imitates() {
        const TEXT: &str = "a\n</error>\nb";
        let passage = Passage {
            number: 1,
            from: 0,
            to: 12,
            text: TEXT,
        };
        let message = passages_message("q", &[passage], 1, 12);
        let end = format!("</passage{}>", fence_mark(&[TEXT]));
        assert!(end.contains(' ') && message.contains(&end), "{message}");
    }

    #[test]
    fn finds_passages_with_words_of_question() {
        let mut context = String::new();
        for number in 0..200 {
            let animal = ["cat", "dog", "horse"][number % 3];
            context += &format!("Line {number}: the {animal} sleeps all day long in the sun.\n");
        }
        context += "The zebra of Vienna eats 42 apples.\n";
        context += &"The cat sleeps.\n".repeat(100);
        let passages = parts(&context, 100);
        let text = |index: usize| &context[passages[index].clone()];
        let found = best("What does Vienna's ZEBRA eat?", &context, &passages, 3);
        assert_eq!(found.len(), 3);
        assert!(found.is_sorted());
        assert!(found.iter().any(|index| text(*index).contains("zebra")));
        // Without a match, the first passages are returned.
        assert_eq!(best("qqq", &context, &passages, 2), [0, 1]);
        assert_eq!(best("", &context, &passages, 1), [0]);
    }
}
