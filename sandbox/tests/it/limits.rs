//! The limits of a cell: exceeding a limit is an error that the model reads, and the session
//! continues.

use std::time::Duration;

use sandbox::message::CellErrorKind;
use sandbox::{Config, Isolation, Limits};

use crate::driver::{isolations, root, root_of, root_with, run, sandbox};

fn limits(limits: Limits) -> Config {
    Config {
        limits,
        ..Config::default()
    }
}

#[tokio::test]
async fn stops_endless_cells() {
    let config = limits(Limits {
        cell_time: Duration::from_millis(100),
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    run(&mut repl, "let kept = [1]; var n = 0").await;
    for code in [
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch {} finally {} }",
        "await null; for (;;) n++",
        "for (;;) await null",
        "(function loop() { Promise.resolve().then(loop) })(); await new Promise(() => {})",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "console.log({ toString() { for (;;) {} } } + '')",
        "console.log({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } })",
        "console.log(`${new Proxy({}, { get() { for (;;) {} }, ownKeys() { for (;;) {} } })}`)",
        "Object.defineProperty({}, 'x', { get() { for (;;) {} } }).x",
        "return { toJSON() { for (;;) {} } }",
        "throw { get message() { for (;;) {} } }",
        "setTimeout(() => { for (;;) {} }, 1); await new Promise((r) => setTimeout(r, 500))",
        "await rlm({ toJSON() { for (;;) {} } })",
    ] {
        let outcome = run(&mut repl, code).await;
        let kind = outcome.error.map(|error| error.kind);
        assert_eq!(kind, Some(CellErrorKind::TimedOut), "for {code}");
        let after = run(
            &mut repl,
            "kept.push(1); console.log(kept.length > 1, await rlm('still'))",
        )
        .await;
        assert_eq!(after.output, "true answer to still", "after {code}");
    }
}

/// No single turn exceeds the remaining time, but all turns together do.
#[tokio::test]
async fn short_turns_add_up_to_the_time_limit() {
    let config = limits(Limits {
        cell_time: Duration::from_millis(200),
        timer_timeout: Duration::from_secs(600),
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    let outcome = run(
        &mut repl,
        "setInterval(() => { for (let i = 0; i < 1e4; i++); }, 0); await new Promise(() => {})",
    )
    .await;
    let kind = outcome.error.map(|error| error.kind);
    assert_eq!(kind, Some(CellErrorKind::TimedOut));
    assert!(
        outcome.executed < Duration::from_secs(2),
        "{:?}",
        outcome.executed
    );
}

#[tokio::test]
async fn clock_stops_while_cell_waits() {
    let cell_time = Duration::from_millis(100);
    let config = limits(Limits {
        cell_time,
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    let slept = run(
        &mut repl,
        "await new Promise((r) => setTimeout(r, 200)); console.log('slept')",
    )
    .await;
    assert_eq!((slept.output.as_str(), slept.error), ("slept", None));
    assert!(slept.executed < cell_time, "{:?}", slept.executed);
}

#[tokio::test]
async fn stops_cells_that_wait_too_long() {
    let config = limits(Limits {
        timer_timeout: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    let waited = run(
        &mut repl,
        "await new Promise((r) => setTimeout(r, 3_600_000))",
    )
    .await;
    assert_eq!(
        waited.error.map(|error| error.kind),
        Some(CellErrorKind::WaitedTooLong)
    );
    assert_eq!(run(&mut repl, "console.log('on')").await.output, "on");
}

#[tokio::test]
async fn truncates_output_over_the_limit() {
    let config = limits(Limits {
        output_chars: 100,
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    let outcome = run(
        &mut repl,
        "for (let i = 0; i < 100_000; i++) console.log('line ' + i)",
    )
    .await;
    assert!(
        outcome.output.starts_with("line 0\nline 1\n"),
        "{}",
        outcome.output
    );
    assert!(
        outcome.output.ends_with("\nline 99999"),
        "{}",
        outcome.output
    );
    assert!(
        outcome.output.contains("of 1088889 characters omitted"),
        "{}",
        outcome.output
    );
    let one = run(&mut repl, "console.log('x'.repeat(5_000_000))").await;
    assert!(
        one.output.chars().count() < 300 && one.output.contains("5000000"),
        "{}",
        one.output
    );
}

#[tokio::test]
async fn limits_recursion_depth() {
    let mut repl = root(Config::default(), "").await;
    let deep = run(
        &mut repl,
        "const down = (n) => n === 0 ? 0 : 1 + down(n - 1); console.log(down(8000))",
    )
    .await;
    assert_eq!((deep.output.as_str(), &deep.error), ("8000", &None));
    for code in [
        "(function f() { return f() + 1 })()",
        "const o = { get x() { return this.x } }; o.x",
        "let nested = []; for (let i = 0; i < 300_000; i++) nested = [nested]; String(nested)",
    ] {
        let outcome = run(&mut repl, code).await;
        let message = outcome.error.map(|error| error.message).unwrap_or_default();
        assert!(
            message.contains("RangeError") || message.contains("stack"),
            "{code}: {message}"
        );
    }
    assert_eq!(run(&mut repl, "console.log(down(10))").await.output, "10");
}

#[tokio::test]
async fn limits_calls_and_timers() {
    let config = limits(Limits {
        pending_calls: 3,
        total_calls: 5,
        argument_chars: 10,
        timers: 2,
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    for (code, output) in [
        (
            "const many = await Promise.allSettled([1, 2, 3, 4].map((n) => rlm(`q${n}`))); console.log(many.map((r) => r.value ?? r.reason.message))",
            "[\n  'answer to q1',\n  'answer to q2',\n  'answer to q3',\n  'rlm(): 3 calls are pending, which is the limit; await some of them first'\n]",
        ),
        (
            "console.log(await rlm('x'.repeat(11)).catch((e) => e.message))",
            "rlm(): the query has 11 characters; at most 10 are allowed",
        ),
        (
            "console.log(await rlm('4'), await rlm('5'), await llm('6').catch((e) => e.message))",
            "answer to 4 answer to 5 llm(): this attempt has made 5 calls, which is the limit; finish without more",
        ),
        (
            "setTimeout(() => {}, 1); setTimeout(() => {}, 1); try { setTimeout(() => {}, 1) } catch (e) { console.log(e.message) }",
            "2 timers are pending, which is the limit",
        ),
    ] {
        assert_eq!(run(&mut repl, code).await.output, output, "for {code}");
    }
}

#[tokio::test]
async fn host_functions_count_as_calls() {
    let config = limits(Limits {
        pending_calls: 2,
        total_calls: 5,
        argument_chars: 12,
        ..Limits::default()
    });
    let mut repl = root_with(&sandbox(config, Isolation::Thread), &["f", "o.m"]).await;
    for (code, output) in [
        (
            "const many = await Promise.allSettled([f(), rlm('q'), o.m()]); console.log(many.map((r) => r.reason?.message))",
            "[\n  undefined,\n  undefined,\n  'o.m(): 2 calls are pending, which is the limit; await some of them first'\n]",
        ),
        (
            "console.log(await f({ a: 'x'.repeat(5) }).catch((e) => e.message), (await f({ a: 'xxxx' })).with)",
            "f(): the arguments have 13 characters; at most 12 are allowed { a: 'xxxx' }",
        ),
        (
            "await f(); await o.m(); console.log(await o.m().catch((e) => e.message))",
            "o.m(): this attempt has made 5 calls, which is the limit; finish without more",
        ),
    ] {
        assert_eq!(run(&mut repl, code).await.output, output, "for {code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_contexts_larger_than_the_heap() {
    let small_heap = limits(Limits {
        heap_bytes: 64 << 20,
        ..Limits::default()
    });
    for isolation in isolations() {
        let sandbox = sandbox(small_heap.clone(), isolation);
        for (unit, times, end) in [
            ("0123456789 the fox\n", 100_000_000 / 19, ""),
            ("0123456789 the fox\n", 60_000_000 / 19, "😀"),
            ("aż😀", 300_000, "aż"),
            ("x", 256 << 10, ""),
            ("x", 256 << 10, "y"),
        ] {
            let context = unit.repeat(times) + end;
            let mut repl = root_of(&sandbox, &context).await;
            let (unit, end) = (serde_json::json!(unit), serde_json::json!(end));
            let code = format!(
                "let whole = context.length === {unit}.length * {times} + {end}.length && context.endsWith({end});
                 for (let i = 0; i < {times}; i += 9973) whole &&= context.startsWith({unit}, i * {unit}.length);
                 const u = {unit};
                 for (let i = 0; i < 400_000 && i < context.length; i++) {{
                   if (i < {times} * u.length && context[i] !== u[i % u.length]) whole = false;
                 }}
                 console.log(whole)"
            );
            let outcome = run(&mut repl, &code).await;
            assert_eq!(outcome.output, "true", "{unit}: {:?}", outcome.error);
        }
    }
}

/// A model that knows the place of a long search can limit the search.
#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(feature = "v8", ignore = "the engine does not report where it was")]
async fn timeout_error_reports_location_of_long_search() {
    let config = limits(Limits {
        cell_time: Duration::from_secs(10),
        ..Limits::default()
    });
    let mut repl = root(config, "").await;
    let search = "let n = 0;
        function search(depth) {
            if (depth === 0) for (;;)
                n += 1;
            return search(depth - 1);
        }
        search(1)";
    let error = run(&mut repl, search).await.error.unwrap();
    let place = ". It was at search (cell 1:3), called at search (cell 1:5), called at cell 1:7";
    assert!(error.message.ends_with(place), "{error:?}");
}
