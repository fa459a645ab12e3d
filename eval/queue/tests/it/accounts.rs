//! Budgets and request rates that several workers share through the queue.

use queue::accounts::{Amounts, BudgetAccounts, Call, Claim, LeaseReply};
use queue::name::{StreamKind, SubjectAddress};
use queue::rate::Pace;
use queue::{Expect, QueueError, RunQueue};

use crate::queued_run::{QueuedRun, in_time};

fn calls(number: f64) -> Amounts<f64> {
    Amounts {
        calls: number,
        ..Amounts::default()
    }
}

/// Maximum number of calls of a run.
const LIMIT: f64 = 60.0;

/// Number of calls that were made before the run was submitted.
const BEFORE: f64 = 3.0;

/// Makes calls as a worker until the budget is used up. Returns the number of calls.
async fn make_calls(queue: RunQueue, worker: &str) -> f64 {
    let limits = Amounts {
        cost_usd: None,
        tokens: None,
        calls: Some(LIMIT),
    };
    let one = Call {
        likely: calls(1.0),
        most: calls(1.0),
    };
    let mut made = 0.0;
    loop {
        let claim = Claim {
            used: calls(made),
            next: Some(one),
            ..Claim::default()
        };
        let reply = queue.change("books", |accounts: &mut BudgetAccounts| {
            accounts.raise_to(calls(BEFORE));
            accounts.report(worker, claim, limits, 1000, 1)
        });
        match reply.await.unwrap() {
            LeaseReply::Granted(granted) => {
                assert!(granted.calls > made, "{granted:?} {made}");
                made = granted.calls;
            }
            LeaseReply::Wait => {}
            LeaseReply::Exhausted(2, spent) => {
                assert_eq!(calls(spent), calls(LIMIT));
                break;
            }
            reply => panic!("{reply:?}"),
        }
        let accounts = queue.accounts().await.unwrap().unwrap();
        assert!(accounts.total().calls <= LIMIT, "{accounts:?}");
    }
    assert!(queue.accounts().await.unwrap().is_some());
    let end = |accounts: &mut BudgetAccounts| accounts.end(worker);
    queue.change("books", end).await.unwrap();
    made
}

#[tokio::test]
async fn workers_share_one_budget() {
    for workers in [2, 6] {
        let Some(run) = QueuedRun::start().await else {
            return;
        };
        assert_eq!(run.queue.accounts().await.unwrap(), None);
        let mut tasks = Vec::new();
        for worker in 0..workers {
            let queue = run.client().await;
            tasks.push(tokio::spawn(async move {
                make_calls(queue, &worker.to_string()).await
            }));
        }
        let mut made = 0.0;
        for task in tasks {
            made += in_time("a worker ends", task).await.unwrap();
        }
        assert_eq!(calls(made), calls(LIMIT - BEFORE), "{workers} workers");
        let accounts = run.queue.accounts().await.unwrap().unwrap();
        let expected = BudgetAccounts {
            spent: calls(LIMIT),
            ..BudgetAccounts::default()
        };
        assert_eq!(accounts, expected);
    }
}

#[tokio::test]
async fn workers_share_one_request_rate() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let queue = run.client().await;
        tasks.push(tokio::spawn(async move {
            let mut starts = Vec::new();
            for number in 1..=10 {
                let slots = queue.change("pace.endpoint", |pace: &mut Pace| {
                    pace.take(500.0, 1, number, 0.0)
                });
                starts.extend(slots.await.unwrap());
            }
            starts
        }));
    }
    let mut starts = Vec::new();
    for task in tasks {
        starts.extend(in_time("a worker ends", task).await.unwrap());
    }
    starts.sort_by(f64::total_cmp);
    let wanted: Vec<f64> = (0..110).map(|n| f64::from(n) * 2.0).collect();
    assert_eq!(starts, wanted);
    // Another endpoint has another rate.
    let slots = run.queue.change("pace.other", |pace: &mut Pace| {
        assert_eq!(*pace, Pace::default());
        pace.take(500.0, 1, 1, 0.0)
    });
    assert_eq!(slots.await.unwrap(), [0.0]);
}

#[tokio::test]
async fn invalid_accounts_are_not_overwritten() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let place = SubjectAddress::of(run.queue.key(), StreamKind::State, "books");
    for (text, problem) in [
        (
            r#"{"v":2}"#,
            "version 2 is not supported; this program reads version 1",
        ),
        (r#"{"v":1}"#, "missing field `spent` at line 1 column 7"),
        ("junk", "expected value at line 1 column 1"),
    ] {
        let put = run
            .queue
            .broker()
            .put(&place, text.into(), Expect::Anything);
        let sequence = put.await.unwrap();
        let read = run.queue.accounts().await.unwrap_err();
        let change = |_: &mut BudgetAccounts| ();
        let changed = run.queue.change("books", change).await.unwrap_err();
        for error in [read, changed] {
            assert!(matches!(error, QueueError::Message { .. }), "{error:?}");
            assert_eq!(error.to_string(), format!("{}: {problem}", place.subject));
        }
        let stored = run.queue.broker().last(&place).await.unwrap().unwrap();
        assert_eq!((stored.sequence, stored.bytes), (sequence, text.into()));
    }
}
