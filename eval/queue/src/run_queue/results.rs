//! Results of attempts, stored in pieces if they are long.

use tokio::sync::mpsc;

use super::RunQueue;
use crate::message::{self, MOST_BODY, PIECE, ResultHeader};
use crate::name::{self, StreamKind, SubjectAddress};
use crate::{Expect, Follow, QueueError, Stored};

impl RunQueue {
    /// Whether an attempt has a result that counts.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn has_result(&self, sample: &str, attempt: u32) -> Result<bool, QueueError> {
        let place = self.data("rec", sample, attempt);
        Ok(self.broker.last(&place).await?.is_some())
    }

    /// Stores the result of an attempt: first the pieces of its body, if it is long, then its
    /// header. Only the first header of an attempt is accepted, except for results marked as
    /// wasted. Temporary errors are retried.
    ///
    /// # Errors
    /// Returns [`QueueError::Conflict`] if the attempt already has a result from another delivery,
    /// or another [`QueueError`] if the result cannot be stored.
    pub async fn send(&self, mut header: ResultHeader, body: &[u8]) -> Result<(), QueueError> {
        header.bytes = body.len() as u64;
        header.sha256 = name::hash(body);
        let (sample, attempt) = (header.sample.as_str(), header.attempt);
        let mut place = match &header.wasted {
            None => self.data("rec", sample, attempt),
            Some(_) => self.data("waste", sample, attempt),
        };
        if header.wasted.is_some() {
            place.subject = format!("{}.{}", place.subject, header.nonce);
        }
        header.pieces = 0;
        if body.len() > PIECE {
            let mut pieces = self.data("part", sample, attempt);
            pieces.subject = format!("{}.{}", pieces.subject, header.nonce);
            for piece in body.chunks(PIECE) {
                header.pieces += 1;
                self.put(&pieces, piece, Expect::Anything).await?;
            }
        }
        let mut bytes = message::write(&header);
        bytes.push(b'\n');
        if header.pieces == 0 {
            bytes.extend_from_slice(body);
        }
        match self.put(&place, &bytes, Expect::Nothing).await {
            // An earlier try may have succeeded although its reply was lost.
            Err(QueueError::Conflict) if self.is_own(&place, &header).await? => Ok(()),
            sent => sent.map(|_| ()),
        }
    }

    async fn is_own(
        &self,
        place: &SubjectAddress,
        header: &ResultHeader,
    ) -> Result<bool, QueueError> {
        let stored = self.last(place).await?;
        let is_own = |own: &ResultHeader| own.nonce == header.nonce && own.worker == header.worker;
        Ok(stored.is_some_and(|stored| head(&stored).is_ok_and(|(own, _)| is_own(&own))))
    }

    /// Returns a receiver for the headers of all results, starting with the first.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    pub async fn arrivals(&self) -> Result<mpsc::Receiver<Stored>, QueueError> {
        // Exclude journals and pieces, which would double the submitter's traffic for no benefit.
        let subject = |kind| SubjectAddress::of(&self.key, StreamKind::Data, kind).subject;
        let subjects = ["rec.>", "waste.>"].map(subject).to_vec();
        let stream = name::stream(&self.key, StreamKind::Data);
        self.broker.follow(&stream, subjects, Follow::Start).await
    }

    /// Reads the header and body of a result. Returns `None` for a message that is not a header,
    /// such as a piece.
    ///
    /// # Errors
    /// Returns [`QueueError::Message`] if the header is invalid, or if the body is incomplete or
    /// damaged.
    pub async fn open(
        &self,
        stored: &Stored,
    ) -> Result<Option<(ResultHeader, Vec<u8>)>, QueueError> {
        let mut parts = stored.subject.split('.').skip(3);
        let kind = parts.next().unwrap_or_default();
        if !["rec", "waste"].contains(&kind) {
            return Ok(None);
        }
        let (header, inline) = head(stored)?;
        let wrong = |problem: String| QueueError::Message {
            place: stored.subject.clone(),
            problem,
        };
        let mut place = self.data(kind, &header.sample, header.attempt);
        if kind == "waste" {
            place.subject = format!("{}.{}", place.subject, header.nonce);
        }
        if place.subject != stored.subject || (kind == "waste") != header.wasted.is_some() {
            return Err(wrong("the attempt does not match the subject".to_owned()));
        }
        let mut body = inline.to_vec();
        if header.pieces > 0 {
            if header.bytes > MOST_BODY || header.nonce.contains(['.', '*', '>', ' ']) {
                return Err(wrong(format!(
                    "invalid body of {} bytes in pieces",
                    header.bytes
                )));
            }
            let mut pieces = self.data("part", &header.sample, header.attempt);
            pieces.subject = format!("{}.{}", pieces.subject, header.nonce);
            let mut from = 1;
            while (body.len() as u64) < header.bytes {
                let Some(piece) = self.next(&pieces, from).await? else {
                    return Err(wrong(format!(
                        "only {} of {} bytes were received",
                        body.len(),
                        header.bytes
                    )));
                };
                from = piece.sequence + 1;
                body.extend(piece.bytes);
            }
        }
        if body.len() as u64 != header.bytes || name::hash(&body) != header.sha256 {
            return Err(wrong("wrong checksum".to_owned()));
        }
        Ok(Some((header, body)))
    }

    /// Removes an invalid result, so that the attempt can be rerun. Temporary errors are retried.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the result cannot be removed.
    pub async fn reject(&self, stored: &Stored) -> Result<(), QueueError> {
        let place = SubjectAddress {
            stream: name::stream(&self.key, StreamKind::Data),
            subject: stored.subject.clone(),
        };
        self.retry_temporary_errors(|| self.broker.purge(&place))
            .await
            .map(|_| ())
    }
}

/// Splits the message of a result into the header and the body.
fn head(stored: &Stored) -> Result<(ResultHeader, &[u8]), QueueError> {
    let end = stored.bytes.iter().position(|byte| *byte == b'\n');
    let end = end.unwrap_or(stored.bytes.len());
    let header = message::read(&stored.subject, &stored.bytes[..end])?;
    Ok((header, stored.bytes.get(end + 1..).unwrap_or_default()))
}
