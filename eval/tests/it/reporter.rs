//! Terminal output for a run in progress.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use eval::reporter::{BarReporter, LineReporter};
use eval::run::event::{Reporter, RunEvent, RunPlan};
use harness::model::web::{Envelope, Step};
use harness::model::{EventKind, Protocol, Role, Status, WebEvent};
use indicatif::ProgressDrawTarget;
use records::AttemptRecord;
use report::summary::Summary;
use run_fixture::{event, failed, identity, record};

use crate::reporter_screen::Screen;

const HOSTILE: &str = "x\u{1b}[2J\n\u{202e}y";

fn plan(attempts_total: u64, attempts_done: u64, concurrency: usize) -> RunPlan {
    RunPlan {
        scores_done: Vec::new(),
        budget: harness::Budget::default(),
        dir: "results/run".into(),
        identity: identity("run"),
        attempts_total,
        attempts_done,
        concurrency,
    }
}

fn started(sample: &str) -> RunEvent {
    RunEvent::AttemptStarted {
        sample: sample.to_owned(),
        attempt: 1,
    }
}

fn finished(record: AttemptRecord) -> RunEvent {
    RunEvent::AttemptFinished(Arc::new(record))
}

fn run_finished(records: &[AttemptRecord], total: u64) -> RunEvent {
    RunEvent::RunFinished(Arc::new(Summary::new(records, total)))
}

fn invocation(sample: &str, invocation: &str, depth: u32) -> RunEvent {
    let kind = EventKind::InvocationStart {
        role: if depth == 0 {
            Role::Root(Protocol::Rlm)
        } else {
            Role::Child
        },
        query: Some("?".to_owned()),
        model: "scripted/x".to_owned(),
        max_iterations: 15,
        system_prompt: None,
    };
    RunEvent::Engine(event(sample, invocation, depth, kind))
}

fn engine(sample: &str, invocation: &str, depth: u32, kind: EventKind) -> RunEvent {
    RunEvent::Engine(event(sample, invocation, depth, kind))
}

#[test]
fn log_has_one_line_per_attempt() {
    let wrong = AttemptRecord {
        status: Status::Limit,
        score: Some(0.0),
        iterations: 1,
        agents: Some(1),
        total_time_s: 0.125,
        error: Some("no iteration left".to_owned()),
        ..record("b", 2)
    };
    let records = [record("s-niah-8k-1", 1), wrong, failed(HOSTILE, 1, HOSTILE)];
    // Sample `b` has an attempt with score 1 from an earlier start, which counts in the sample's
    // mean.
    let plan = RunPlan {
        scores_done: vec![("b".to_owned(), 1.0)],
        ..plan(4, 1, 8)
    };
    let mut events = vec![RunEvent::RunStarted(plan), started("s-niah-8k-1")];
    events.push(invocation("s-niah-8k-1", "root", 0));
    events.extend(records.iter().cloned().map(finished));
    events.push(run_finished(&records, 4));

    let mut lines = Vec::new();
    let mut reporter = LineReporter::new(&mut lines, false);
    for event in &events {
        reporter.report(event);
    }
    assert_eq!(
        String::from_utf8(lines).unwrap(),
        "4 attempts (1 done before) at s-niah by scripted/needle (rlm, coordinator, drivers no-tables+verify), 8 \
         concurrent, in results/run\n\
         [2/4] s-niah-8k-1 ok score 1.00 (mean 1.00) 3 iterations 2 agents 2.5 s\n\
         [3/4] b#2 limit score 0.00 (mean 0.75) 1 iteration 1 agent 0.1 s: no iteration left\n\
         [4/4] x�[2J �y error no score 3 iterations 2 agents 2.5 s: x�[2J �y\n\
         score 0.500 (errors as zero 0.333), 2/4 scored: 1 ok, 1 limit, 1 error; 5.1 s of attempts\n"
    );
}

#[test]
fn verbose_log_shows_iterations_and_responses() {
    let envelope = Envelope {
        memory: HOSTILE.to_owned(),
        todos_remaining: vec!["price".to_owned()],
        actions: vec![Step::Narrate {
            narrate: "Hello".to_owned(),
        }],
    };
    let turn = |envelope: Option<Envelope>, problem: Option<&str>| EventKind::Web {
        event: WebEvent::Envelope {
            envelope,
            repairs: Vec::new(),
            problem: problem.map(str::to_owned),
        },
    };
    let response = |text: &str| EventKind::LlmResponse {
        text: text.to_owned(),
        reasoning: Some("thought".to_owned()),
        tool_calls: Vec::new(),
        code: None,
        truncated: false,
        usage: None,
        cost_usd: None,
        served_model: None,
        request_id: None,
        finish_reason: None,
        ms: None,
    };
    let long = "é".repeat(501);
    let kinds = [
        EventKind::IterationStart { iteration: 3 },
        response(HOSTILE),
        response(" "),
        response(&long),
        turn(Some(envelope), None),
        EventKind::IterationStart { iteration: 4 },
        turn(None, Some("no JSON")),
        EventKind::LlmCached,
    ];
    let mut lines = Vec::new();
    let mut reporter = LineReporter::new(&mut lines, true);
    for kind in kinds {
        reporter.report(&engine("a", "root", 0, kind));
    }
    assert_eq!(
        String::from_utf8(lines).unwrap().replace(&long[4..], "ÉÉÉ"),
        "a root: iteration 3\n\
         a root: got a response: x\u{fffd}[2J \u{fffd}y\n\
         a root: got a response\n\
         a root: got a response: ÉÉÉ…\n\
         a root: [dddk webagent] turn 3 {\"memory\":\"x\\u001b[2J\\n\u{fffd}y\",\"todos_remaining\":[\"price\"],\
         \"actions\":[{\"narrate\":\"Hello\"}]}\n\
         a root: iteration 4\n\
         a root: [dddk webagent] turn 4 {\"problem\":\"no JSON\"}\n"
    );
}

/// Returns the lines on the screen without spinners, elapsed times and remaining times.
fn seen(screen: &Screen) -> Vec<String> {
    let clock = |word: &str| {
        word.strip_suffix(['s', 'm'])
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let shown = |word: &&str| {
        !clock(word.trim_end_matches(','))
            && !word.chars().all(|c| ('\u{2800}'..='\u{28ff}').contains(&c))
    };
    screen
        .lines()
        .iter()
        .map(|line| {
            line.split_whitespace()
                .filter(shown)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

/// Waits at most a minute until the lines satisfy the condition, because indicatif draws in a
/// separate thread. Returns the lines seen last.
fn settled(screen: &Screen, hold: impl Fn(&Vec<String>) -> bool) -> Vec<String> {
    let start = Instant::now();
    loop {
        let seen = seen(screen);
        if hold(&seen) || start.elapsed() > Duration::from_secs(60) {
            return seen;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn bars(screen: &Screen) -> BarReporter {
    BarReporter::new(
        ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255),
        false,
    )
}

#[test]
fn progress_bars_show_running_attempts() {
    let failure = failed("b", 1, HOSTILE);
    let steps = [
        (
            RunEvent::RunStarted(plan(4, 1, 2)),
            vec!["━━━━━╸────────────── 1/4 ? left"],
        ),
        (
            started("a"),
            vec!["━━━━━╸────────────── 1/4 ? left", "a starts"],
        ),
        (
            invocation("a", "root", 0),
            vec!["━━━━━╸────────────── 1/4 ? left", "a iteration 0/15 starts"],
        ),
        (
            started("b"),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 0/15 starts",
                "b starts",
            ],
        ),
        // A third attempt is shown once a line is free.
        (
            started("c"),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 0/15 starts",
                "b starts",
            ],
        ),
        (
            engine("a", "root", 0, EventKind::IterationStart { iteration: 2 }),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 2/15 starts",
                "b starts",
            ],
        ),
        (
            engine(
                "a",
                "root",
                0,
                EventKind::DelegationSpawn {
                    child: "d1-c0".to_owned(),
                    role: Role::Child,
                },
            ),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 2/15 calls d1-c0",
                "b starts",
            ],
        ),
        (
            invocation("a", "d1-c0", 1),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 2/15 depth 1, 1 child calls d1-c0",
                "b starts",
            ],
        ),
        (
            engine(
                "a",
                "d1-c0",
                1,
                EventKind::LlmError {
                    error: HOSTILE.to_owned(),
                    ms: Some(1.0),
                },
            ),
            vec![
                "━━━━━╸────────────── 1/4 ? left",
                "a iteration 2/15 depth 1, 1 child d1-c0 got no response: x�[2J �y",
                "b starts",
            ],
        ),
        (
            finished(failure.clone()),
            vec![
                "b error: x�[2J �y",
                "━━━━━━━━━━╸───────── 2/4 left 1 error",
                "a iteration 2/15 depth 1, 1 child d1-c0 got no response: x�[2J �y",
                "c starts",
            ],
        ),
        (
            finished(record("a", 1)),
            vec![
                "b error: x�[2J �y",
                "━━━━━━━━━━━━━━━╸──── 3/4 left score 1.00, 1 error",
                "c starts",
            ],
        ),
        (
            run_finished(&[failure, record("a", 1)], 4),
            vec![
                "b error: x�[2J �y",
                "score 1.000 (errors as zero 0.500), 1/4 scored: 1 ok, 1 error; 5.0 s of attempts",
            ],
        ),
    ];
    let screen = Screen::new(120, 30);
    let mut reporter = bars(&screen);
    for (event, wanted) in steps {
        reporter.report(&event);
        assert_eq!(
            settled(&screen, |seen| *seen == wanted),
            wanted,
            "after {event:?}"
        );
    }
}

#[test]
fn progress_bars_fit_terminal_height() {
    let rows = [
        ((80, 24), 64, 21),
        ((80, 6), 64, 6),
        ((80, 24), 3, 4),
        ((20, 6), 64, 6),
        ((200, 100), 64, 21),
    ];
    for ((width, height), concurrency, most) in rows {
        let screen = Screen::new(width, height);
        let mut reporter = bars(&screen);
        reporter.report(&RunEvent::RunStarted(plan(100, 0, concurrency)));
        let samples: Vec<_> = (0..concurrency)
            .map(|i| format!("sample-{i}-{}", "数".repeat(50)))
            .collect();
        for sample in &samples {
            reporter.report(&started(sample));
            reporter.report(&invocation(sample, "root", 0));
        }
        let lines = settled(&screen, |seen| seen.len() == most).len();
        assert_eq!(lines, most, "{width}×{height}, {concurrency} concurrent");
        for sample in &samples {
            reporter.report(&finished(record(sample, 1)));
        }
        reporter.report(&run_finished(&[], 100));
        assert!(
            screen.highest() <= usize::from(height),
            "{:?}",
            screen.lines()
        );
    }
}
