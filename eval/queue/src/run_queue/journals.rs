//! Journals of attempts, each written by one worker at a time.

use super::RunQueue;
use crate::message::PIECE;
use crate::{Expect, QueueError};

impl RunQueue {
    /// Takes over the journal of an attempt. Returns its complete lines, and the sequence number
    /// that the next [`journal`](Self::journal) call needs. Later writes of the previous owner are
    /// rejected.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the journal cannot be read or written.
    pub async fn take_journal(
        &self,
        sample: &str,
        attempt: u32,
    ) -> Result<(Vec<u8>, u64), QueueError> {
        let place = self.data("jrn", sample, attempt);
        loop {
            let (mut bytes, mut last, mut from) = (Vec::new(), 0, 1);
            while let Some(stored) = self.next(&place, from).await? {
                (last, from) = (stored.sequence, stored.sequence + 1);
                if stored.bytes == TAKEOVER_MARK {
                    whole_lines(&mut bytes);
                } else {
                    bytes.extend(stored.bytes);
                }
            }
            whole_lines(&mut bytes);
            match self.put(&place, TAKEOVER_MARK, after(last)).await {
                Ok(own) => return Ok((bytes, own)),
                // Read again: the previous owner has written meanwhile, or the server that
                // responded was not up to date.
                Err(QueueError::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Appends lines to the journal of an attempt. `last` is the sequence number of its last
    /// message, or 0 for an empty journal. Returns the new sequence number.
    ///
    /// # Errors
    /// Returns [`QueueError::Conflict`] if another worker has taken over the journal.
    pub async fn journal(
        &self,
        sample: &str,
        attempt: u32,
        lines: &[u8],
        mut last: u64,
    ) -> Result<u64, QueueError> {
        let place = self.data("jrn", sample, attempt);
        for piece in lines.chunks(PIECE) {
            last = match self.put(&place, piece, after(last)).await {
                // An earlier try may have succeeded although its reply was lost. A takeover begins
                // with [`TAKEOVER_MARK`], so its first message is never equal to this piece.
                Err(QueueError::Conflict) => {
                    let next = self.next(&place, last + 1).await?;
                    let own = next.filter(|stored| stored.bytes == piece);
                    own.ok_or(QueueError::Conflict)?.sequence
                }
                put => put?,
            };
        }
        Ok(last)
    }

    /// Returns the sequence number of the last message of an attempt's journal, or 0 if there is
    /// none.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn journal_end(&self, sample: &str, attempt: u32) -> Result<u64, QueueError> {
        let place = self.data("jrn", sample, attempt);
        let last = self.last(&place).await?;
        Ok(last.map_or(0, |stored| stored.sequence))
    }

    /// Removes the journal of an attempt.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the journal cannot be removed.
    pub async fn drop_journal(&self, sample: &str, attempt: u32) -> Result<(), QueueError> {
        let place = self.data("jrn", sample, attempt);
        self.broker.purge(&place).await.map(|_| ())
    }
}

/// Journal message that marks a takeover. Readers drop an incomplete line before it.
const TAKEOVER_MARK: &[u8] = &[0];

const fn after(last: u64) -> Expect {
    if last == 0 {
        Expect::Nothing
    } else {
        Expect::Last(last)
    }
}

/// Removes a truncated last line.
fn whole_lines(bytes: &mut Vec<u8>) {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
}
