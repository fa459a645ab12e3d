//! Sessions that are begun explicitly and repeat recorded steps, in every isolation mode.

use sandbox::message::{CellOutcome, Context, Reading, RecordedSteps, SessionStart, Step};
use sandbox::{Config, Event, Isolation, Recorder, Repl, SessionLostCause};

use crate::driver::{isolations, root_info, sandbox};

/// A cell whose output depends on everything that differs between sessions: times, random numbers,
/// the order of answers and of timers.
const CELL: &str = "
    const times = [Date.now(), new Date().getTime(), Date().length, performance.now(), performance.timeOrigin];
    const drawn = [Math.random(), crypto.randomUUID(), Array.from(crypto.getRandomValues(new Uint8Array(4)))];
    const order = [];
    const after = (ms) => new Promise((resolve) => setTimeout(() => { order.push(ms); resolve(); }, ms));
    const asked = ['a', 'b', 'c'].map((name) => llm(name).then((answer) => order.push(answer, Date.now())));
    await Promise.all([...asked, after(3), after(1), after(2)]);
    while (performance.now() % 5 > 1);
    console.log(JSON.stringify([times, drawn, order, budget().timeMs, performance.now()]));
";

fn beginning(course: RecordedSteps) -> SessionStart {
    SessionStart {
        seed: 7,
        epoch_ms: 1_700_000_000_000,
        pinned: false,
        course,
    }
}

fn budget() -> sandbox::message::Budget {
    sandbox::message::Budget {
        time: Some(std::time::Duration::from_mins(1)),
        ..Default::default()
    }
}

async fn begun(isolation: Isolation, beginning: SessionStart) -> (Recorder, Repl) {
    let sandbox = sandbox(Config::default(), isolation);
    let session = sandbox.session().await.unwrap();
    let recorder = session.recorder();
    session.begin(beginning);
    session.set_budget(budget());
    let root = session.open(None, Context::text("the context"), root_info());
    (recorder, root)
}

/// Runs a cell and answers its calls in the order in which `order` lists the first letters of their
/// queries.
async fn answer_in(root: &mut Repl, cell: &str, order: &str) -> CellOutcome {
    root.run(cell, 1);
    let mut calls = Vec::new();
    loop {
        match root.next().await.unwrap() {
            Event::Called(call) => calls.push(call),
            Event::Finished(outcome) => return outcome,
            _ => {}
        }
        if calls.len() == order.len() {
            for name in order.chars() {
                let call = calls.iter().find(|call| call.query.starts_with(name));
                root.settle(call.unwrap().id, Ok(name.to_string()));
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            calls.clear();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeats_recorded_steps() {
    for isolation in isolations() {
        let (recorder, mut root) =
            begun(isolation.clone(), beginning(RecordedSteps::default())).await;
        let first = answer_in(&mut root, CELL, "cab").await;
        assert_eq!(first.error, None);
        let course = recorder.take();
        let timers = course
            .steps
            .iter()
            .filter(|step| matches!(step, Step::Fired(_)));
        assert_eq!(timers.count(), 3, "{course:?}");

        let (recorder, mut root) = begun(isolation.clone(), beginning(course.clone())).await;
        let second = answer_in(&mut root, CELL, "bca").await;
        assert_eq!(second.output, first.output);
        recorder.caught_up().await;
        assert_eq!(
            recorder.take(),
            RecordedSteps::default(),
            "no step is recorded twice"
        );
        // After the recorded steps, the session continues normally.
        let third = answer_in(
            &mut root,
            "console.log(Date.now() >= order.at(-1), order.length)",
            "",
        )
        .await;
        assert_eq!(third.output, "true 9");
        let more = recorder.take().steps;
        assert!(
            more.iter().any(|step| matches!(step, Step::Ran(_))),
            "{more:?}"
        );

        // Without recorded steps, the result is different.
        let (_session, mut root) = begun(isolation, beginning(RecordedSteps::default())).await;
        let other = answer_in(&mut root, CELL, "bca").await;
        assert_ne!(other.output, first.output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn handles_held_requests_after_last_step() {
    let (recorder, mut root) = begun(Isolation::Thread, beginning(RecordedSteps::default())).await;
    answer_in(&mut root, "globalThis.n = await llm('a')", "a").await;
    let mut course = recorder.take();
    // Simulates that the process ended before the answer.
    let settled = course
        .steps
        .iter()
        .position(|step| matches!(step, Step::Settled(_)));
    course.steps.truncate(settled.unwrap());
    let (_again, mut root) = begun(Isolation::Thread, beginning(course)).await;
    let outcome = answer_in(
        &mut root,
        "globalThis.n = await llm('a'); console.log(n)",
        "a",
    )
    .await;
    assert_eq!(outcome.output, "a");
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_session_on_divergence() {
    let (recorder, mut root) = begun(Isolation::Thread, beginning(RecordedSteps::default())).await;
    answer_in(&mut root, "await llm('a')", "a").await;
    let course = recorder.take();
    let rows = [
        ("1", "the recording settles call 1, which was not made"),
        (
            "setTimeout(() => 1, 60_000); await new Promise(() => 1)",
            "the recording settles call 1, which was not made",
        ),
    ];
    for (cell, why) in rows {
        let (_again, mut root) = begun(Isolation::Thread, beginning(course.clone())).await;
        root.run(cell, 1);
        let lost = loop {
            match root.next().await {
                Ok(_) => {}
                Err(lost) => break lost,
            }
        };
        assert_eq!(lost.cause, SessionLostCause::Diverged);
        assert_eq!(lost.detail, why);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pinned_sessions_are_identical() {
    let pinned = SessionStart {
        pinned: true,
        ..beginning(RecordedSteps::default())
    };
    let cell = "
        const began = Date.now();
        const order = [];
        const after = (ms) => new Promise((resolve) => setTimeout(() => { order.push(ms, Date.now() - began); resolve(); }, ms));
        const slow = after(5);
        for (let i = 0; i < 100_000; i++) Math.sqrt(i);
        await Promise.all([slow, after(2), after(9)]);
        return([Math.random(), new Date().toISOString(), order, performance.now()]);
    ";
    let mut all = Vec::new();
    for isolation in isolations() {
        for _ in 0..2 {
            let (_session, mut root) = begun(isolation.clone(), pinned.clone()).await;
            all.push(answer_in(&mut root, cell, "").await.value.unwrap());
        }
    }
    assert!(all.iter().all(|one| *one == all[0]), "{all:#?}");
    assert!(all[0].contains("2023-11-14T22:13:20."), "{}", all[0]);
    assert!(all[0].contains("[2,2,5,5,9,9]"), "{}", all[0]);
}

#[test]
fn recorded_steps_serialize_compactly() {
    let course = RecordedSteps {
        steps: vec![
            Step::Opened(sandbox::message::AgentId(1), "root".to_owned()),
            Step::Settled(sandbox::message::CallId(3)),
        ],
        clock: vec![Reading(5, 2)],
    };
    let text = serde_json::to_string(&course).unwrap();
    assert_eq!(
        text,
        r#"{"steps":[{"open":[1,"root"]},{"settle":3}],"clock":[[5,2]]}"#
    );
    assert_eq!(
        serde_json::from_str::<RecordedSteps>(&text).unwrap(),
        course
    );
}
