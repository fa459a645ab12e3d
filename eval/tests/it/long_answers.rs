//! Answers that are too long for a record: they are stored in a separate file of the run, scored
//! from there, and copied by later commands.

use std::fs;

use crate::binary::{Binary, is_full};
use crate::run::{Finished, finish};

/// End of every answer. Records of long answers are truncated before it.
const END: &str = "the end is 42";

/// Runs one sample whose answer is `chars` characters followed by [`END`].
fn run(chars: usize, more: &[&str]) -> (Binary, Finished) {
    let model = format!(
        "description: d\nrules:\n  - reply: |\n      ```javascript\n      return(\"ä\".repeat({chars}) + \"{END}\");\n      ```\n"
    );
    let row = format!(r#"{{"id": "../q", "query": "How does it end?", "expected": ["{END}"]}}"#);
    let binary = Binary::new().file("q.jsonl", row).file("m.yaml", model);
    let args = [
        "run",
        "--benchmark",
        "q.jsonl",
        "--scorer",
        "string-match-part",
        "--model",
        "scripted:m.yaml",
    ];
    let run = finish(&binary, &[&args, more].concat());
    assert_eq!(run.ran.code, Some(0), "{:?}", run.ran);
    (binary, run)
}

#[test]
fn stores_long_answer_in_separate_file() {
    let fits = 50_000 - END.chars().count();
    for (chars, has_file) in [(fits, false), (fits + 1, true)] {
        let (binary, run) = run(chars, &[]);
        let whole = format!("{}{END}", "ä".repeat(chars));
        let record = &run.dir.records[0];
        assert_eq!(record.score, Some(1.0), "{chars}");
        assert_eq!(record.answer_file.is_some(), has_file, "{chars}");
        assert_eq!(run.dir.answer(record).unwrap().unwrap(), whole);
        let path = run.dir.path.join("answers/%2E.%2Fq.1.txt");
        assert_eq!(path.exists(), has_file, "{chars}");
        let shown = record.answer.as_deref().unwrap();
        assert_eq!(shown == whole, !has_file);
        let events = fs::metadata(run.dir.trajectory("../q", 1)).unwrap();
        assert_eq!(
            events.len() < 100_000,
            has_file,
            "{chars}: {}",
            events.len()
        );
        if !has_file {
            continue;
        }
        let note = format!(
            "[the first 1000 of {} characters; answers/%2E.%2Fq.1.txt has all of them]",
            chars + END.len()
        );
        assert!(shown.ends_with(&note), "{shown}");

        let folder = run.dir.path.to_string_lossy().into_owned();
        let scored = binary.run(&["score", &folder, "--scorer", "string-match-part"], "");
        assert_eq!(scored.code, Some(0), "{scored:?}");
        let scores = fs::read_dir(run.dir.path.join("scores"))
            .unwrap()
            .next()
            .unwrap();
        let again = fs::read_to_string(scores.unwrap().path()).unwrap();
        assert!(again.contains("\"score\":1.0"), "{again}");

        let merged = binary.run(&["merge", "merged", &folder], "");
        assert_eq!(merged.code, Some(0), "{merged:?}");
        let copied = fs::read_to_string(binary.path().join("merged/answers/%2E.%2Fq.1.txt"));
        assert_eq!(copied.unwrap(), whole);

        fs::remove_file(&path).unwrap();
        let scored = binary.run(&["score", &folder, "--scorer", "string-match-part"], "");
        assert_ne!(scored.code, Some(0));
        assert!(
            scored
                .stderr
                .contains("cannot read the answer of attempt 1 at \"../q\""),
            "{scored:?}"
        );
    }
}

/// Uses 50 MB, which take about a second to produce. The quick suite uses a tenth of that size.
#[test]
fn scores_very_long_answer() {
    let chars = if is_full() { 25_000_000 } else { 2_500_000 };
    let (_folder, run) = run(chars, &[]);
    let record = &run.dir.records[0];
    assert_eq!(record.score, Some(1.0));
    let answer = run.dir.answer(record).unwrap().unwrap();
    assert_eq!(answer.len(), 2 * chars + END.len());
    let samples = fs::metadata(run.dir.path.join("samples.jsonl")).unwrap();
    assert!(samples.len() < 10_000);
}
