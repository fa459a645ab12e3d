//! Continues attempts that ended in an error of the infrastructure.
//!
//! The failures that ended the attempt are left out, and their requests are sent again. Steps of
//! sandboxes after the first of these failures are left out as well, because they follow from it.
//! Responses that other agents received after the first failure are kept, but are reused only for
//! identical requests.

use std::collections::HashSet;
use std::io;

use super::JournalStore;
use super::entry::{Entry, JournaledResponse, Matching, ROOT};
use super::seal::{Chain, read_checked};
use crate::provider::ProviderError;

/// Marks the journal of an attempt that ended in an error, so that the attempt continues with the
/// responses that it received. Returns `false` if there is no journal or if it has version 1.
///
/// # Errors
/// Returns an error if the journal is invalid, or the error of the system.
pub fn continue_after_error(
    store: &dyn JournalStore,
    run_id: &str,
    sample: &str,
    attempt: u32,
) -> io::Result<bool> {
    let (entries, mut chain) = read_checked(store, run_id, sample, attempt)?;
    if entries.is_empty() {
        return Ok(false);
    }
    // Programs that write version 1 cannot read this line.
    if chain == Chain::Unsealed {
        return Ok(false);
    }
    let line = chain.line(&Entry::Continued {})?;
    store.append(sample, attempt, &line)?;
    Ok(true)
}

/// Takes the entries above an [`Entry::Continued`]. Returns those from which the attempt continues,
/// and the failures that are left out.
pub(super) fn without_failures(entries: Vec<Entry>) -> (Vec<Entry>, Vec<JournaledResponse>) {
    let failed = failures_that_ended(&entries);
    let first = failed.iter().position(|failed| *failed);
    let (mut left, mut failures) = (Vec::new(), Vec::new());
    for (place, (entry, failed)) in entries.into_iter().zip(failed).enumerate() {
        let is_after = first.is_some_and(|first| place > first);
        match entry {
            Entry::Response(kept) if failed => failures.push(*kept),
            Entry::Did { .. } if is_after => {}
            Entry::Response(mut kept) if is_after => {
                kept.matching = Matching::Lenient;
                left.push(Entry::Response(kept));
            }
            other => left.push(other),
        }
    }
    (left, failures)
}

/// Returns for each entry whether it is a failure after which neither its agent nor an agent above
/// it received a response.
fn failures_that_ended(entries: &[Entry]) -> Vec<bool> {
    // Agents with a response after the current entry.
    let mut answered = HashSet::new();
    let mut ended = vec![false; entries.len()];
    for (place, entry) in entries.iter().enumerate().rev() {
        let Entry::Response(kept) = entry else {
            continue;
        };
        if kept.result.is_ok() {
            answered.insert(kept.invocation.as_str());
        } else if is_failure(kept) {
            let mut agents = with_ancestors(&kept.invocation);
            ended[place] = !agents.any(|agent| answered.contains(agent));
        }
    }
    ended
}

/// Whether the request failed for a reason other than a response or conversation that was too long.
fn is_failure(kept: &JournaledResponse) -> bool {
    !matches!(
        kept.result,
        Ok(_) | Err(ProviderError::Truncated { .. } | ProviderError::ContextOverflow { .. })
    )
}

/// Returns an invocation id and those of its ancestors, nearest first. The root is the last of
/// them.
fn with_ancestors(invocation: &str) -> impl Iterator<Item = &str> {
    let above = invocation
        .rmatch_indices('.')
        .map(|(at, _)| &invocation[..at]);
    std::iter::once(invocation).chain(above).chain([ROOT])
}
