//! Results: bodies in pieces, the first result of an attempt, and forged messages.

use queue::message::{MOST_BYTES, PIECE, ResultHeader, write};
use queue::name::{self, StreamKind, SubjectAddress};
use queue::{Expect, QueueError, RunQueue};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::queued_run::{QueuedRun, header, next};

async fn put(queue: &RunQueue, kind: StreamKind, rest: &str, bytes: &[u8]) {
    let place = SubjectAddress::of(queue.key(), kind, rest);
    let put = queue.broker().put(&place, bytes.to_vec(), Expect::Anything);
    put.await.unwrap();
}

#[tokio::test]
async fn results_of_any_size_arrive_whole() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let worker = run.client().await;
    let mut arrivals = run.queue.arrivals().await.unwrap();
    let mut attempt = 0;
    for wasted in [None, Some("trajectory"), Some("journal")] {
        for (size, pieces) in [
            (0, 0),
            (1, 0),
            (PIECE, 0),
            (PIECE + 1, 2),
            (3 * PIECE + 7, 4),
        ] {
            attempt += 1;
            let body: Vec<u8> = (0..=250).cycle().take(size).collect();
            let sent = ResultHeader {
                attempt,
                wasted: wasted.map(str::to_owned),
                ..header("w", &format!("nonce{size}"))
            };
            worker.send(sent.clone(), &body).await.unwrap();
            let has_result = run.queue.has_result("a", attempt).await.unwrap();
            assert_eq!(has_result, wasted.is_none());
            let stored = next(&mut arrivals).await;
            let (received, content) = run.queue.open(&stored).await.unwrap().unwrap();
            assert!(content == body, "{size} bytes, wasted: {wasted:?}");
            let wanted = ResultHeader {
                pieces,
                bytes: size as u64,
                sha256: name::hash(&body),
                ..sent
            };
            assert_eq!(received, wanted);
        }
    }
}

#[tokio::test]
async fn only_first_result_of_an_attempt_counts() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let (a, b) = (run.client().await, run.client().await);
    for (attempt, size) in [(1, 10), (2, PIECE + 10)] {
        let of = |worker: &str, nonce: &str| ResultHeader {
            attempt,
            ..header(worker, nonce)
        };
        let body = |byte| vec![byte; size];
        let bodies = (body(b'a'), body(b'b'));
        let (first, second) = tokio::join!(
            a.send(of("a", "1"), &bodies.0),
            b.send(of("b", "2"), &bodies.1),
        );
        let (winner, loser) = match (&first, &second) {
            (Ok(()), Err(QueueError::Conflict)) => (("a", "1"), ("b", "2")),
            (Err(QueueError::Conflict), Ok(())) => (("b", "2"), ("a", "1")),
            both => panic!("{both:?}"),
        };
        // If the reply was lost, a worker sends its result again.
        a.send(of(winner.0, winner.1), &body(b'x')).await.unwrap();
        for (worker, nonce) in [
            loser,
            // Another delivery to the same worker, and a copied nonce.
            (winner.0, "3"),
            (loser.0, winner.1),
        ] {
            let late = b.send(of(worker, nonce), &body(b'y')).await;
            assert!(matches!(late, Err(QueueError::Conflict)), "{late:?}");
        }
        let place = format!("rec.{}", name::attempt("a", attempt));
        let place = SubjectAddress::of(run.queue.key(), StreamKind::Data, &place);
        let stored = run.queue.broker().last(&place).await.unwrap().unwrap();
        let (header, _) = run.queue.open(&stored).await.unwrap().unwrap();
        assert_eq!((&*header.worker, &*header.nonce), winner);
    }
}

#[tokio::test]
async fn arrivals_exclude_pieces_and_journals() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    put(&run.queue, StreamKind::Data, "part.x.1.y", &[0; 100]).await;
    let own = run.queue.take_journal("a", 1).await.unwrap().1;
    run.queue.journal("a", 1, b"one\n", own).await.unwrap();
    let body = vec![1; PIECE + 1];
    run.queue.send(header("w", "n"), &body).await.unwrap();
    // Results stored before and after the call arrive.
    let mut arrivals = run.queue.arrivals().await.unwrap();
    let wasted = ResultHeader {
        wasted: Some("journal".to_owned()),
        ..header("w", "m")
    };
    run.queue.send(wasted, b"one\n").await.unwrap();
    let attempt = name::attempt("a", 1);
    let data = format!("eval.{}.data", run.queue.key());
    for kind in [format!("rec.{attempt}"), format!("waste.{attempt}.m")] {
        assert_eq!(next(&mut arrivals).await.subject, format!("{data}.{kind}"));
    }
    for rest in ["part.x.1.y".to_owned(), format!("jrn.{attempt}")] {
        let place = SubjectAddress::of(run.queue.key(), StreamKind::Data, &rest);
        let stored = run.queue.broker().last(&place).await.unwrap().unwrap();
        assert_eq!(run.queue.open(&stored).await.unwrap(), None, "{rest}");
    }
}

/// A forged result and the error that opening it causes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Forged {
    name: String,
    /// End of the subject; `ATTEMPT` stands for the tokens of the first attempt at sample `a`.
    #[serde(default = "record")]
    subject: String,
    /// The whole message, instead of a header and a body.
    message: Option<String>,
    /// Changed fields of a valid header. A number instead of a text is the length of the text.
    #[serde(default)]
    header: Map<String, Value>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    pieces: Vec<String>,
    error: String,
}

fn record() -> String {
    "rec.ATTEMPT".to_owned()
}

impl Forged {
    fn bytes(&self) -> Vec<u8> {
        if let Some(message) = &self.message {
            return message.clone().into_bytes();
        }
        let whole = if self.pieces.is_empty() {
            self.body.clone()
        } else {
            self.pieces.concat()
        };
        let valid = ResultHeader {
            pieces: self.pieces.len() as u64,
            bytes: whole.len() as u64,
            sha256: name::hash(whole),
            ..header("evil", "n")
        };
        let mut header: Map<String, Value> = serde_json::from_slice(&write(&valid)).unwrap();
        for (field, value) in &self.header {
            let length = value
                .as_u64()
                .and_then(|length| usize::try_from(length).ok());
            let value = match (header.get(field), length) {
                (Some(Value::String(_)), Some(length)) => Value::from("x".repeat(length)),
                _ => value.clone(),
            };
            header.insert(field.clone(), value);
        }
        let mut bytes = serde_json::to_vec(&header).unwrap();
        assert!(bytes.len() < MOST_BYTES);
        bytes.push(b'\n');
        bytes.extend(self.body.as_bytes());
        bytes
    }
}

/// Stores and opens each forged result, and sends a valid one after it was rejected.
#[tokio::test]
async fn rejects_forged_results() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let rows: Vec<Forged> = serde_json::from_str(include_str!("results.json")).unwrap();
    let queue = &run.queue;
    let mut arrivals = queue.arrivals().await.unwrap();
    let attempt = name::attempt("a", 1);
    for row in rows {
        for piece in &row.pieces {
            let rest = format!("part.{attempt}.n");
            put(queue, StreamKind::Data, &rest, piece.as_bytes()).await;
        }
        let rest = row.subject.replace("ATTEMPT", &attempt);
        put(queue, StreamKind::Data, &rest, &row.bytes()).await;
        let stored = next(&mut arrivals).await;
        let subject = format!("eval.{}.data.{rest}", queue.key());
        assert_eq!(stored.subject, subject);
        let error = queue.open(&stored).await.unwrap_err();
        assert!(matches!(error, QueueError::Message { .. }), "{error:?}");
        assert!(!error.is_temporary());
        let text = error.to_string();
        let wanted = format!("{subject}: {}", row.error);
        assert!(text.starts_with(&wanted), "{}: {text}", row.name);

        queue.reject(&stored).await.unwrap();
        assert!(!queue.has_result("a", 1).await.unwrap(), "{}", row.name);
        queue.send(header("w", "m"), b"valid").await.unwrap();
        let stored = next(&mut arrivals).await;
        let (_, body) = queue.open(&stored).await.unwrap().unwrap();
        assert_eq!(body, b"valid", "{}", row.name);
        queue.forget("a", 1).await.unwrap();
    }
}
