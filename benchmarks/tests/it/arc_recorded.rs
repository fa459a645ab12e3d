//! Recorded answers of a real model to ARC-AGI-2 tasks must get their recorded scores.

use std::fs;
use std::path::Path;

use benchmarks::Options;
use serde_json::Value;

use crate::open;

#[test]
fn reproduces_recorded_scores() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !data.is_dir() {
        println!("skipped: no data in {}", data.display());
        return;
    }
    let options = Options {
        data_dir: Some(data.join("arc-agi-2")),
        ..Options::default()
    };
    let dataset = open("arc", &options).unwrap();
    assert_eq!(dataset.ids().len(), 120);
    let scorer = dataset.scorer();
    for (run, right) in [("run-026-drivers.json", 13), ("run-027-baseline.json", 8)] {
        let text = fs::read_to_string(data.join("node-rlm").join(run)).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        let mut total = 0.0;
        let results = recorded["results"].as_array().unwrap();
        for result in results {
            let id = result["taskId"].as_str().unwrap();
            let index = dataset.ids().iter().position(|known| known == id).unwrap();
            let sample = dataset.sample(index).unwrap();
            let score = scorer.score(result["answer"].as_str().unwrap(), &sample);
            println!("{run} {id} {}: {}", score.value, score.explanation);
            assert_eq!(
                Some(score.value),
                result["score"].as_f64(),
                "{run} {id}: {}",
                score.explanation
            );
            total += score.value;
        }
        assert_eq!((results.len(), total), (20, f64::from(right)), "{run}");
    }
}
