//! Inspection and cancellation of pending calls, and calls that several agents share because the
//! calls are equal.

use sandbox::message::{CallId, Context};
use sandbox::{Config, Event, Repl};
use serde_json::json;

use crate::driver::{isolations, root_info, root_of, run, sandbox};

/// Runs a cell without answering its calls. Returns a short description of each event before the
/// end of the cell, and the output.
async fn events(repl: &mut Repl, cell: &str) -> (Vec<String>, String) {
    repl.run(cell, 1);
    let mut seen = Vec::new();
    loop {
        match repl.next().await.unwrap() {
            Event::Called(call) => seen.push(format!("called {}", call.query)),
            Event::StatusRequested { call, of } => {
                seen.push(format!("status of {}", of.0));
                repl.settle_function(call, Ok(json!({ "state": "running", "iteration": 3 })));
            }
            Event::Cancelled(CallId(call)) => seen.push(format!("cancelled {call}")),
            Event::Finished(outcome) => {
                let error = outcome.error.map_or(String::new(), |error| error.message);
                return (seen, outcome.output + &error);
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inspects_and_cancels_pending_calls() {
    let cell = "
        const stop = new AbortController();
        const call = rlm('slow', '', { signal: stop.signal });
        const caught = call.catch((error) => console.log(error.name));
        console.log((await call.status()).iteration);
        stop.abort();
        console.log((await call.status()).state, await Promise.all([]));
        await llm('late', '', { signal: stop.signal }).catch((error) => console.log('late', error.name));
        const soon = AbortSignal.timeout(5);
        await llm.map(['a', 'b', 'c'], (query) => query, { concurrency: 2, signal: soon }).catch((error) => console.log(error.name));
    ";
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        let mut root = root_of(&sandbox, "").await;
        let (seen, output) = events(&mut root, cell).await;
        let wanted = [
            "called slow",
            "status of 1",
            // Calls of a turn are reported before its cancellations.
            "called a",
            "called b",
            "cancelled 1",
            "cancelled 3",
            "cancelled 4",
        ];
        assert_eq!(seen, wanted);
        assert_eq!(
            output,
            "3\nAbortError\nfailed []\nlate AbortError\nTimeoutError"
        );
    }
}

/// Waiting for another agent's call does not count against the timer timeout.
#[tokio::test(flavor = "multi_thread")]
async fn agents_share_equal_calls() {
    let mut config = Config::default();
    config.limits.timer_timeout = std::time::Duration::from_millis(50);
    for isolation in isolations() {
        let sandbox = sandbox(config.clone(), isolation);
        let session = sandbox.session().await.unwrap();
        let root = session.open(None, Context::text(""), root_info());
        let mut both = [
            session.open(Some(&root), Context::text(""), root_info()),
            session.open(Some(&root), Context::text(""), root_info()),
        ];
        for repl in &both {
            repl.run("return(await llm('equal', { a: 1 }, { memo: true }))", 1);
        }
        let Event::Called(call) = both[0].next().await.unwrap() else {
            panic!("expected a call");
        };
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        both[0].settle(call.id, Ok("once".to_owned()));
        for repl in &mut both {
            let Event::Finished(outcome) = repl.next().await.unwrap() else {
                panic!("expected the end of the cell");
            };
            assert_eq!(outcome.value.as_deref(), Some("once"), "{outcome:?}");
        }
        // If the agent that called first has ended, a shared call fails, and the next agent makes a
        // new call.
        both[0].run("await Promise.race([llm('gone', '', { memo: true }), new Promise((r) => { globalThis.asked = r })])", 2);
        let Event::Called(_) = both[0].next().await.unwrap() else {
            panic!("expected a call");
        };
        both[1].run(
            "const again = llm('gone', '', { memo: true }); asked(); return(await again.catch((error) => error.message))",
            2,
        );
        let Event::Finished(outcome) = both[1].next().await.unwrap() else {
            panic!("expected the end of the cell");
        };
        assert_eq!(
            outcome.value.as_deref(),
            Some("the cell that made this call ended before it was answered")
        );
    }
}

/// A signal ends a shared call only for its caller, until no caller is left.
#[tokio::test(flavor = "multi_thread")]
async fn signal_does_not_abort_equal_calls() {
    let start = "
        const stops = [new AbortController(), new AbortController()];
        const calls = stops.map(({ signal }) => llm('equal', '', { memo: true, signal }));
        const names = calls.map((call) => call.catch((error) => error.name));
        stops[0].abort();
    ";
    let answered = "
        const third = llm('equal', '', { memo: true });
        stops[1].abort();
        console.log(await names[0], await names[1], (await calls[0].status()).state, await third);
    ";
    let aborted = "
        stops[1].abort();
        console.log(await Promise.all(names));
    ";
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        let mut root = root_of(&sandbox, "").await;
        let outcome = run(&mut root, &format!("{start}{answered}")).await;
        assert_eq!(
            (outcome.output.as_str(), outcome.error),
            ("AbortError AbortError failed answer to equal", None)
        );
        let mut root = root_of(&sandbox, "").await;
        let (seen, output) = events(&mut root, &format!("{start}{aborted}")).await;
        assert_eq!(seen, ["called equal", "cancelled 1"]);
        assert_eq!(output, "[ 'AbortError', 'AbortError' ]");
    }
}

/// A call that ended with its cell must not be subtracted twice from the number of pending calls.
#[tokio::test(flavor = "multi_thread")]
async fn abort_after_end_of_cell_does_not_change_call_count() {
    let mut config = Config::default();
    config.limits.pending_calls = 1;
    let sandbox = sandbox(config, sandbox::Isolation::Thread);
    let mut root = root_of(&sandbox, "").await;
    let lost = "const stop = new AbortController(); const lost = llm('lost', '', { signal: stop.signal });";
    events(&mut root, lost).await;
    let cell = "stop.abort(); const one = llm('one'); console.log(await llm('two').catch((error) => error.message));";
    let (seen, output) = events(&mut root, cell).await;
    assert_eq!(seen, ["called one"]);
    assert!(
        output.starts_with("llm(): 1 calls are pending, which is the limit"),
        "{output}"
    );
}
