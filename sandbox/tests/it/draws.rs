//! `Math.random()` in different sessions: draws are independent in every isolation mode, regardless
//! of the process that created the engine's snapshot.

use std::collections::BTreeSet;

use sandbox::Config;
use sandbox::message::Context;

use crate::driver::{isolations, root_info, root_of, run, sandbox};

const SESSIONS: usize = 24;
const CELL: &str = "return([1, 2, 3, 4].map(() => Math.random()))";

#[tokio::test(flavor = "multi_thread")]
async fn sessions_draw_independent_numbers() {
    let mut seen = BTreeSet::new();
    let mut drawn = Vec::new();
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        for _ in 0..SESSIONS {
            let mut repl = root_of(&sandbox, "").await;
            let outcome = run(&mut repl, CELL).await;
            let numbers: Vec<f64> = serde_json::from_str(&outcome.value.unwrap()).unwrap();
            seen.extend(numbers.iter().map(|number| number.to_bits()));
            drawn.extend(numbers);
        }
    }
    assert_eq!((drawn.len(), seen.len()), (3 * SESSIONS * 4, drawn.len()));
    assert!(drawn.iter().all(|number| (0.0..1.0).contains(number)));
    // The mean of these draws has a standard deviation of 0.017 and leaves the range once in 10^9
    // times.
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    assert!((0.39..0.61).contains(&mean), "{mean}");
}

#[tokio::test(flavor = "multi_thread")]
async fn children_continue_the_session_generator() {
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        let session = sandbox.session().await.unwrap();
        let mut root = session.open(None, Context::text(""), root_info());
        let mut seen = BTreeSet::new();
        seen.insert(run(&mut root, CELL).await.value);
        for _ in 0..8 {
            let mut child = session.open(Some(&root), Context::text(""), root_info());
            seen.insert(run(&mut child, CELL).await.value);
        }
        assert_eq!(seen.len(), 9);
    }
}
