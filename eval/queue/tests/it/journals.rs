//! Journals, each written by one worker at a time.

use queue::QueueError;
use queue::message::PIECE;
use serde::Deserialize;

use crate::queued_run::QueuedRun;

/// Writes of the successive owners of a journal, and the lines that the next owner reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    owners: Vec<Vec<String>>,
    lines: String,
}

#[tokio::test]
async fn next_owner_reads_complete_lines() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let rows: Vec<Written> = serde_json::from_str(include_str!("journals.json")).unwrap();
    for row in rows {
        let sample = row.name.as_str();
        for writes in &row.owners {
            let (_, mut last) = run.queue.take_journal(sample, 1).await.unwrap();
            for lines in writes {
                let written = run.queue.journal(sample, 1, lines.as_bytes(), last).await;
                last = written.unwrap();
            }
            assert_eq!(run.queue.journal_end(sample, 1).await.unwrap(), last);
        }
        let (lines, last) = run.queue.take_journal(sample, 1).await.unwrap();
        assert_eq!(String::from_utf8(lines).unwrap(), row.lines, "{sample}");
        // Other attempts have other journals.
        assert_eq!(run.queue.journal_end(sample, 2).await.unwrap(), 0);
        assert_eq!(run.queue.journal_end(sample, 1).await.unwrap(), last);
        run.queue.drop_journal(sample, 1).await.unwrap();
        assert_eq!(run.queue.journal_end(sample, 1).await.unwrap(), 0);
        assert_eq!(run.queue.take_journal(sample, 1).await.unwrap().0, b"");
    }
}

#[tokio::test]
async fn takeover_ends_writes_of_previous_owner() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let (a, b) = (run.client().await, run.client().await);
    // A worker that runs an attempt for the first time writes without a takeover.
    let own = a.journal("a", 1, b"one\n", 0).await.unwrap();
    let (lines, others) = b.take_journal("a", 1).await.unwrap();
    assert_eq!(lines, b"one\n");
    for last in [own, 0] {
        let late = a.journal("a", 1, b"two\n", last).await;
        assert!(matches!(late, Err(QueueError::Conflict)), "{late:?}");
    }
    let others = b.journal("a", 1, b"three\n", others).await.unwrap();
    let late = a.journal("a", 1, b"two\n", own).await;
    assert!(matches!(late, Err(QueueError::Conflict)), "{late:?}");
    assert_eq!(a.journal_end("a", 1).await.unwrap(), others);
    let (lines, _) = a.take_journal("a", 1).await.unwrap();
    assert_eq!(lines, b"one\nthree\n");
}

#[tokio::test]
async fn one_of_concurrent_takeovers_wins() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let (a, b) = (run.client().await, run.client().await);
    a.journal("a", 1, b"one\n", 0).await.unwrap();
    for round in 0..20 {
        let (first, second) = tokio::join!(a.take_journal("a", 1), b.take_journal("a", 1));
        let (first, second) = (first.unwrap(), second.unwrap());
        assert_eq!((&first.0, round), (&second.0, first.0.len() / 4 - 1));
        let (first, second) = tokio::join!(
            a.journal("a", 1, b"own\n", first.1),
            b.journal("a", 1, b"new\n", second.1),
        );
        let one_wins = matches!(
            (&first, &second),
            (Ok(_), Err(QueueError::Conflict)) | (Err(QueueError::Conflict), Ok(_))
        );
        assert!(one_wins, "{first:?} {second:?}");
    }
}

#[tokio::test]
async fn repeats_write_whose_reply_was_lost() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    // The second size takes three messages.
    for (attempt, size) in [(1, 100), (2, 2 * PIECE + 100)] {
        let mut lines = vec![b'x'; size];
        lines.push(b'\n');
        let (_, own) = run.queue.take_journal("a", attempt).await.unwrap();
        let end = run.queue.journal("a", attempt, &lines, own).await.unwrap();
        let again = run.queue.journal("a", attempt, &lines, own).await.unwrap();
        assert_eq!(again, end);
        let (read, _) = run.queue.take_journal("a", attempt).await.unwrap();
        assert!(read == lines, "{size}");
    }
}
