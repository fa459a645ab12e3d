//! `rlm-eval repl`: JSON conversations and scripts.
//!
//! A conversation in `repl/*.jsonl` starts with a line that contains the flags as a JSON array.
//! Each following input line is followed by its expected answer.

use std::fs;
use std::path::Path;

use crate::binary::{Binary, Ran};

fn cases(extension: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/repl");
    let mut cases: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the folder of cases exists")
        .map(|entry| entry.expect("a folder entry can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(path).expect("a case can be read"))
        })
        .collect();
    cases.sort();
    cases
}

#[test]
fn answers_json_conversations() {
    let cases = cases("jsonl");
    assert!(!cases.is_empty());
    for (name, text) in cases {
        let mut lines = text.lines();
        let flags: Vec<String> = serde_json::from_str(lines.next().expect("a line of flags"))
            .expect("flags are a JSON array");
        let lines: Vec<&str> = lines.collect();
        let input: Vec<&str> = lines.iter().step_by(2).copied().collect();
        let mut args = vec!["repl".to_owned(), "--json".to_owned()];
        args.extend(flags);
        let binary = Binary::new().file("context.txt", "line one\nline two\n");
        let ran = binary.run(&args, input.join("\n"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        let answers: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(
            answers.len(),
            input.len(),
            "{name}: expected one answer per line"
        );
        let transcript: Vec<&str> = input
            .into_iter()
            .zip(answers)
            .flat_map(<[_; 2]>::from)
            .collect();
        assert_eq!(transcript.join("\n"), lines.join("\n"), "{name}");
    }
}

#[test]
fn scripts_print_expected_output() {
    for (name, script) in cases("js") {
        let binary = Binary::new().file("context.txt", "line one\nline two\n");
        let Ran {
            code,
            stdout,
            stderr,
        } = binary.run(&["repl", "--context-file", "context.txt"], script);
        assert_eq!(code, Some(0), "{name}");
        insta::assert_snapshot!(name, format!("{stdout}--- stderr\n{stderr}"));
    }
}

#[test]
fn accepts_large_context_on_one_line() {
    let context = "0123456789".repeat(1_000_000);
    let input = format!(
        "{{\"set\": {{\"context\": \"{context}\"}}}}\n{{\"code\": \"return(context.length + context.slice(-3))\"}}\n"
    );
    let ran = Binary::new().run(&["repl", "--json"], input);
    assert_eq!(
        ran,
        Ran {
            code: Some(0),
            stdout: "{\"ok\":true}\n{\"output\":\"\",\"error\":null,\"value\":\"10000000789\"}\n"
                .to_owned(),
            stderr: String::new()
        }
    );
}

#[test]
fn code_runs_in_utc_and_english() {
    let code = "console.log(String(new Date(0)), new Date(2026, 0, 1).toISOString(), new Date(0).toLocaleString(), \
                (1234.5).toLocaleString(), \
                Intl.DateTimeFormat().resolvedOptions().timeZone, 'I'.toLocaleLowerCase())";
    let [process, thread] = ["process", "thread"].map(|isolation| {
        let ran = Binary::new()
            .variable("TZ", "Asia/Kolkata")
            .variable("LC_ALL", "tr_TR.UTF-8")
            .run(&["repl", "--isolation", isolation], code);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    });
    assert_eq!(process, thread);
    let zone = "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)";
    assert!(process.starts_with(zone), "{process}");
    assert!(process.contains("2026-01-01T00:00:00.000Z"), "{process}");
    assert!(process.trim_end().ends_with(" UTC i"), "{process}");
}
