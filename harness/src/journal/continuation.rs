//! Continues attempts that ended in an error of the infrastructure.
//!
//! The failures that ended the attempt are left out, and their requests are sent again. Steps of
//! sandboxes after the first of these failures are left out as well, because they follow from it.
//! Responses that other agents received after the first failure are kept, but are reused only for
//! identical requests.

use std::io;

use super::JournalStore;
use super::attempt_journal::checked;
use super::entry::{Entry, JournaledResponse, Matching, ROOT};
use super::seal::Chain;
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
    let (entries, mut chain) = checked(store, run_id, sample, attempt)?;
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
    let failed: Vec<bool> = (0..entries.len())
        .map(|place| ended_attempt(&entries, place))
        .collect();
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

/// Whether this entry is a failure after which neither its agent nor an agent above it received a
/// response.
fn ended_attempt(entries: &[Entry], place: usize) -> bool {
    let Entry::Response(failure) = &entries[place] else {
        return false;
    };
    if !is_failure(failure) {
        return false;
    }
    let mut later = entries[place + 1..].iter();
    !later.any(|entry| match entry {
        Entry::Response(kept) => {
            kept.result.is_ok() && is_or_is_above(&kept.invocation, &failure.invocation)
        }
        _ => false,
    })
}

/// Whether the request failed for a reason other than a response or conversation that was too long.
fn is_failure(kept: &JournaledResponse) -> bool {
    !matches!(
        kept.result,
        Ok(_) | Err(ProviderError::Truncated { .. } | ProviderError::ContextOverflow { .. })
    )
}

/// Whether invocation `one` is `other` or an ancestor of `other`.
fn is_or_is_above(one: &str, other: &str) -> bool {
    one == ROOT
        || other
            .strip_prefix(one)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
