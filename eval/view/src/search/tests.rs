//! Tests the index of a folder of runs: what it finds, how it grows with the files, and that
//! nothing else is written.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Kind, SearchRequest, TextIndex};

fn event(sample: &str, kind: &Value) -> String {
    let event = json!({"v": 1, "run_id": "r", "sample": sample, "attempt": 1, "at_ms": 1.0, "invocation": "root",
        "parent": null, "depth": 0, "kind": kind});
    format!("{event}\n")
}

fn write(folder: &Path, run: &str, sample: &str, kinds: &[Value]) -> PathBuf {
    let folder = folder.join(run).join("trajectories");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{sample}.1.jsonl"));
    let lines: String = kinds.iter().map(|kind| event(sample, kind)).collect();
    fs::write(&path, lines).unwrap();
    path
}

/// Updates the index from the runs of a folder and waits until it is complete.
fn indexed(index: &TextIndex, folder: &Path, runs: &[&str]) {
    let all = || {
        let all = runs.iter();
        all.map(|id| ((*id).to_owned(), folder.join(id))).collect()
    };
    while index.builder.status().running {
        sleep(Duration::from_millis(5));
    }
    index.refresh(all());
    while index.builder.status().running {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(index.builder.status().problem, None);
}

/// Searches the index and formats each hit as `run/sample iteration kind: snippet`.
fn found(
    index: &TextIndex,
    folder: &Path,
    words: &[&str],
    kinds: &[Kind],
    run: Option<&str>,
) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let asked = SearchRequest {
        words: &words,
        kinds,
        run,
        offset: 0,
        limit: 50,
    };
    let answer = index.search(
        &asked,
        |_| true,
        |one| Some(folder.join(&one.run).join("trajectories").join(&one.name)),
    );
    let answer = answer.unwrap();
    assert_eq!((answer.hits.len(), answer.more), (answer.total, false));
    let hits = answer.hits.iter().map(|hit| {
        let (run, sample, kind) = (&hit.run, &hit.sample, hit.kind.name());
        let parts = hit.parts.join("|");
        format!("{run}/{sample} {} {kind}: {parts}", hit.iteration)
    });
    hits.collect()
}

fn cell(iteration: u32, code: &str, output: &str, error: Option<&str>) -> Value {
    json!({"type": "iteration_end", "iteration": iteration, "code": code, "output": output, "error": error,
        "returned": null})
}

#[test]
fn finds_texts_at_their_location() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (code, output) = ("const apples = find(\"Ärger\");", "x".repeat(300));
    let first = [
        json!({"type": "invocation_start", "query": "How many apples?", "system_prompt": "You are an agent."}),
        json!({"type": "iteration_start", "iteration": 1}),
        json!({"type": "llm_response", "text": format!("I look.\n```js\n{code}\n```"), "reasoning": null}),
        cell(1, code, &output, Some("TypeError: find is no function")),
        json!({"type": "llm_request", "new_messages": [{"role": "user", "content": format!("Output: {output}")}]}),
        json!({"type": "invocation_end", "answer": "seven apples"}),
    ];
    let path = write(folder, "one", "s-1", &first);
    write(folder, "two", "s-1", &first[..1]);
    let index = TextIndex::of(folder);
    indexed(&index, folder, &["two", "one"]);
    let find = |words: &[&str], kinds: &[Kind], run: Option<&str>| {
        found(&index, folder, words, kinds, run)
    };
    assert_eq!(
        find(&["apples"], &[], None),
        [
            "two/s-1 0 message: How many |apples|?",
            "one/s-1 0 message: How many |apples|?",
            "one/s-1 1 code: const |apples| = find(\"Ärger\");",
            "one/s-1 1 answer: seven |apples|",
        ]
    );
    assert_eq!(find(&["apples"], &[Kind::Code], None).len(), 1);
    assert_eq!(
        find(&["apples"], &[Kind::Code, Kind::Answer], Some("one")).len(),
        2
    );
    assert_eq!(find(&["apples"], &[], Some("three")), [""; 0]);
    // Words match regardless of case, by prefix and as phrases, but not across texts.
    assert_eq!(find(&["ärger"], &[], None).len(), 1);
    assert_eq!(find(&["app", "many"], &[], Some("one")).len(), 1);
    assert_eq!(
        find(&["is no function"], &[], None),
        ["one/s-1 1 error: TypeError: find |is no function|"]
    );
    assert_eq!(find(&["function no is"], &[], None), [""; 0]);
    assert_eq!(find(&["find(\"ärger\")"], &[], None).len(), 1);
    assert_eq!(find(&["seven", "many"], &[], None), [""; 0]);
    assert_eq!(find(&["agent"], &[Kind::Prompt], Some("one")).len(), 1);
    // An output that a message repeats is indexed only once, and so is the code of a reply.
    assert_eq!(find(&[&output], &[], None).len(), 1);
    assert_eq!(
        find(&["look"], &[], None),
        ["one/s-1 1 message: I |look|.\n```js\nconst apples = find(\"Ärger\");\n```"]
    );

    // The index grows with the file; the file's last line may be truncated.
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(&event("s-1", &cell(2, "later()", "", None)));
    text.push_str("{\"torn");
    fs::write(&path, &text).unwrap();
    indexed(&index, folder, &["two", "one"]);
    assert_eq!(find(&["later"], &[], None), ["one/s-1 2 code: |later|()"]);
    assert_eq!(find(&["apples"], &[], Some("one")).len(), 3);
    // The search finds only the new content of a replaced file, even if it is longer.
    let longer = [
        json!({"type": "invocation_start", "query": "How many pears?"}),
        cell(1, &format!("pears({})", "9".repeat(text.len())), "", None),
        cell(2, "again()", "", None),
    ];
    write(folder, "one", "s-1", &longer);
    indexed(&index, folder, &["two", "one"]);
    assert_eq!(find(&["later"], &[], None), [""; 0]);
    assert_eq!(find(&["pears"], &[], None).len(), 2);
    assert_eq!(find(&["again"], &[], None), ["one/s-1 2 code: |again|()"]);
    write(folder, "one", "s-1", &first[..1]);
    indexed(&index, folder, &["two", "one"]);
    assert_eq!(find(&["pears"], &[], None), [""; 0]);
    assert_eq!(find(&["apples"], &[], Some("one")).len(), 1);
    // So is new content that is as long.
    let mut as_long = first[0].clone();
    as_long["query"] = "How many grapes?".into();
    let path = write(folder, "one", "s-1", &[as_long]);
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    indexed(&index, folder, &["two", "one"]);
    assert_eq!(find(&["apples"], &[], Some("one")), [""; 0]);
    assert_eq!(find(&["grapes"], &[], Some("one")).len(), 1);
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".eval-index", "one", "two"]);
    assert_eq!(fs::read_dir(folder.join("one")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn skips_symlinks_and_reports_unwritable_folder() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let secret = write(
        outside.path(),
        "x",
        "s",
        &[json!({"type": "note", "text": "secret"})],
    );
    write(
        folder.path(),
        "one",
        "s-1",
        &[json!({"type": "note", "text": "public"})],
    );
    let link = folder.path().join("one/trajectories/s-2.1.jsonl");
    std::os::unix::fs::symlink(secret, link).unwrap();
    let index = TextIndex::of(folder.path());
    indexed(&index, folder.path(), &["one"]);
    assert_eq!(
        found(&index, folder.path(), &["secret"], &[], None),
        [""; 0]
    );
    assert_eq!(
        found(&index, folder.path(), &["public"], &[], None).len(),
        1
    );

    let file = folder.path().join("a-file");
    fs::write(&file, "").unwrap();
    let index = TextIndex::of(&file);
    index.refresh(vec![("one".to_owned(), folder.path().join("one"))]);
    while index.builder.status().running {
        sleep(Duration::from_millis(5));
    }
    let problem = index.builder.status().problem.unwrap();
    assert!(problem.contains("a-file/.eval-index"), "{problem}");
}
