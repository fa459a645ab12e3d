//! Trajectories of real runs: delegation, prompts, timing, and reproducibility.

use std::fs;

use harness::model::{Event, EventKind, Protocol, Role};
use serde_json::Value;

use crate::binary::Binary;
use crate::run::{Finished, finish, s_niah};

#[test]
fn coordinator_delegates_to_parallel_solvers() {
    let binary = Binary::new();
    let run = finish(&binary, &s_niah(&["--prompt-mode", "coordinator"]));
    let prompt = |args: &[&str]| {
        let base = ["prompt", "--prompt-mode", "coordinator"];
        binary.run(&[&base, args].concat(), "").stdout
    };
    for record in &run.dir.records {
        let events = run.events(&record.id, 1);
        let mut children = Vec::new();
        let mut query = String::new();
        for event in &events {
            if let EventKind::InvocationStart {
                role,
                system_prompt,
                query: asked,
                ..
            } = &event.kind
            {
                let shown = format!("{}\n", system_prompt.as_deref().unwrap());
                if event.depth == 0 {
                    assert_eq!((*role, shown), (Role::Root(Protocol::Rlm), prompt(&[])));
                    query = asked.clone().unwrap();
                } else {
                    assert_eq!(*role, Role::Child);
                    children.push((event.invocation.as_str(), event.at_ms.unwrap(), shown));
                }
            }
        }
        // A child gets the prompt of a solver; the prompts of siblings differ only in the child's
        // id.
        let solver = prompt(&["--depth", "1", "--lineage", &query]);
        let ids = ["d1-c0", "d1-c1", "d1-c2", "d1-c3"];
        assert_eq!(children.len(), ids.len(), "{}", record.id);
        for ((id, _, shown), expected) in children.iter().zip(ids) {
            assert_eq!(*id, expected);
            assert_eq!(*shown, solver.replace("d1-c0", id));
        }
        // The children ran in parallel: the last child started before the first one ended.
        let began = children
            .iter()
            .map(|(_, at, _)| *at)
            .fold(f64::MIN, f64::max);
        let ended = events
            .iter()
            .filter(|event| {
                event.depth == 1 && matches!(event.kind, EventKind::InvocationEnd { .. })
            })
            .map(|event| event.at_ms.unwrap())
            .fold(f64::MAX, f64::min);
        assert!(
            began < ended,
            "{}: began at {began}, ended at {ended}",
            record.id
        );
    }
}

#[test]
fn children_share_one_sandbox() {
    let binary = Binary::new().file("shared.yaml", include_str!("run/shared.yaml"));
    let ask = ["ask", "--query", "q", "--model", "scripted:shared.yaml"];
    let ran = binary.run(&[&ask[..], &["--prompt-mode", "coordinator"]].concat(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        answer,
        serde_json::json!({
            "answers": ["part 0", "part 1", "part 2"],
            "board": {"d1-c0": "part 0 under the root's tag", "d1-c1": "part 1 under the root's tag",
                      "d1-c2": "part 2 under the root's tag"},
            "tag": "the root's tag",
            "context": "",
        })
    );
}

#[test]
fn events_identify_attempt_and_agent() {
    let binary = Binary::new();
    let args = ["--prompt-mode", "coordinator", "--attempts", "2"];
    let run = finish(&binary, &s_niah(&args));
    assert_eq!(run.dir.records.len(), 4);
    for record in &run.dir.records {
        let events = run.events(&record.id, record.attempt);
        let (first, last) = (events.first().unwrap(), events.last().unwrap());
        assert!(matches!(first.kind, EventKind::AttemptStart { .. }));
        assert!(matches!(last.kind, EventKind::AttemptEnd { .. }));
        for event in &events {
            let (parent, depth) = match event.invocation.rsplit_once('.') {
                _ if event.invocation == "root" => (None, 0),
                None => (Some("root"), 1),
                Some((parent, _)) => (Some(parent), event.invocation.matches('.').count() + 1),
            };
            assert_eq!(
                (
                    event.v,
                    event.run_id.as_str(),
                    event.sample.as_str(),
                    event.attempt
                ),
                (
                    1,
                    run.dir.lock.run.run_id.as_str(),
                    record.id.as_str(),
                    record.attempt
                ),
            );
            assert_eq!(
                (event.parent.as_deref(), event.depth as usize),
                (parent, depth)
            );
        }
        let begun = count(&events, |kind| {
            matches!(kind, EventKind::InvocationStart { .. })
        });
        let ended = count(&events, |kind| {
            matches!(kind, EventKind::InvocationEnd { .. })
        });
        let asked = count(&events, |kind| matches!(kind, EventKind::LlmRequest { .. }));
        assert_eq!((Some(begun), Some(ended)), (record.agents, record.agents));
        assert_eq!(Some(asked), record.llm_calls);
    }
}

fn count(events: &[Event], is: fn(&EventKind) -> bool) -> u32 {
    u32::try_from(events.iter().filter(|event| is(&event.kind)).count()).unwrap()
}

#[test]
fn trajectory_grows_linearly() {
    let size = |iterations: &str| {
        let binary = Binary::new().file("talkative.yaml", include_str!("run/talkative.yaml"));
        let args = [
            "--model",
            "scripted:talkative.yaml",
            "--max-iterations",
            iterations,
        ];
        let run = finish(&binary, &s_niah(&args));
        fs::metadata(run.dir.trajectory("s-niah-8k-1", 1))
            .unwrap()
            .len()
    };
    let (short, long) = (size("10"), size("40"));
    assert!(
        long <= 4 * short,
        "10 iterations: {short} bytes, 40: {long} bytes"
    );
}

/// Returns the lines of a run's trajectories without times and run id. The lines are sorted,
/// because siblings end in any order.
fn timeless(run: &Finished) -> Vec<String> {
    let mut all = Vec::new();
    for record in &run.dir.records {
        let events = run.events(&record.id, record.attempt);
        let lines = events.into_iter().map(|mut event| {
            event.run_id.clear();
            event.at_ms = None;
            match &mut event.kind {
                EventKind::LlmResponse { ms, .. }
                | EventKind::LlmError { ms, .. }
                | EventKind::IterationEnd {
                    executed_ms: ms, ..
                } => *ms = None,
                _ => {}
            }
            serde_json::to_string(&event).unwrap()
        });
        all.extend(lines);
    }
    all.sort();
    all
}

#[test]
fn same_seed_reproduces_run() {
    for mode in ["solver", "coordinator"] {
        let binary = Binary::new();
        let run = |seed: &str| finish(&binary, &s_niah(&["--prompt-mode", mode, "--seed", seed]));
        let expected = |run: &Finished| {
            let records = run.records().into_values();
            records
                .map(|record| record.expected.clone())
                .collect::<Vec<_>>()
        };
        let (first, again, other) = (run("7"), run("7"), run("8"));
        assert_eq!(timeless(&first), timeless(&again), "{mode}");
        assert_eq!(first.dir.lock.fingerprint, again.dir.lock.fingerprint);
        assert_ne!(first.dir.lock.run.run_id, again.dir.lock.run.run_id);
        assert_ne!(expected(&first), expected(&other));
        assert_ne!(first.dir.lock.fingerprint, other.dir.lock.fingerprint);
    }
}
