//! Hostile cells, one per file of `tests/hostile`: each must end in a way that its header allows,
//! leave its session usable, and not affect others.
//!
//! A file begins with its header, comment lines of the form `// key: value`; the rest is the cell.
//!
//! | key | value |
//! |---|---|
//! | `expect` | the allowed ends, separated by commas: `ok`, or an error's kind such as `timed_out`; `memory` for the heap's limit; `lost` if only the end of its process stops the cell |
//! | `on-v8` | the ends allowed on V8 instead, and after a semicolon the row of "What differs between the engines" (`README.md`) that explains why |
//! | `output`, `error` | contents of the output or the error's message; `*` matches any text |
//! | `value` | the whole text of the returned value |
//! | `keeps` | `no` if the session may be unusable afterward |
//! | `slow` | `yes` if the case takes seconds: it runs only in the full tests |
//! | `why` | the purpose of the case, if its name does not explain it |
//!
//! In a cell, `@repeat(n, "text")` is replaced by `n` copies of a JSON string, in each of which
//! `$n` is the number of the copy.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt as _};
use sandbox::message::{CellErrorKind, CellOutcome};
use sandbox::{Config, ENGINE, Isolation, Sandbox};

use crate::driver::{in_process, root_of, sandbox, try_run};
use crate::engines;

/// Number of concurrent sessions.
const AT_A_TIME: usize = 2;
/// Time limit for one case with all its cells.
const CASE_TIME: Duration = Duration::from_secs(120);

struct Case {
    name: String,
    expect: Vec<String>,
    output: Option<String>,
    error: Option<String>,
    value: Option<String>,
    keeps: bool,
    slow: bool,
    cell: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn contains_hostile_cells_in_processes() {
    run_cases(cases(engines::every()), in_process()).await;
}

/// Runs every eighth case in threads, because each case starts its own engine; the full tests run
/// all cases. Skips cases that only the end of a process stops.
#[tokio::test(flavor = "multi_thread")]
async fn contains_hostile_cells_in_threads() {
    let survivable = |case: &Case| case.expect.iter().all(|end| end != "lost");
    let cases = cases(engines::every_in_full());
    let cases = cases.into_iter().filter(survivable).collect();
    run_cases(cases, Isolation::Thread).await;
}

#[expect(
    clippy::print_stdout,
    reason = "the test reports failed and slow cases"
)]
async fn run_cases(cases: Vec<Case>, isolation: Isolation) {
    let with_cell_time = |milliseconds| {
        let mut config = Config::default();
        config.limits.cell_time = Duration::from_millis(milliseconds);
        config.limits.timer_timeout = Duration::from_millis(300);
        config.limits.heap_bytes = 64 << 20;
        config.limits.process_bytes = 1 << 30;
        sandbox(config, isolation.clone())
    };
    let (hasty, patient) = (with_cell_time(150), with_cell_time(9000));

    let count = cases.len();
    let began = Instant::now();
    let failures: Vec<String> = stream::iter(cases)
        .map(|case| {
            // On a slow machine, the time limit must not stop a case that should end in another
            // way.
            let sandbox = if case.expects("timed_out") || case.expects("lost") {
                hasty.clone()
            } else {
                patient.clone()
            };
            let patient = patient.clone();
            async move {
                let began = Instant::now();
                let result = tokio::time::timeout(CASE_TIME, check(&case, &sandbox)).await;
                let result =
                    result.unwrap_or_else(|_| Err("the session hangs or does not start".into()));
                let result = match result {
                    // On a slow machine, the short limit may stop a case before it reaches its
                    // purpose.
                    Err(why) if case.expects("timed_out") => {
                        println!("{}: {why}; retrying with more time", case.name);
                        let again = tokio::time::timeout(CASE_TIME, check(&case, &patient)).await;
                        again.unwrap_or(Err(why))
                    }
                    result => result,
                };
                if result.is_err() || began.elapsed() > Duration::from_secs(5) {
                    println!("{}: {result:?} in {:?}", case.name, began.elapsed());
                }
                result.err().map(|why| format!("{}: {why}", case.name))
            }
        })
        .buffer_unordered(AT_A_TIME)
        .filter_map(std::future::ready)
        .collect()
        .await;
    println!("{count} cases in {:?}", began.elapsed());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for sandbox in [hasty, patient] {
        let mut fresh = root_of(&sandbox, "the context").await;
        let after = plain(&mut fresh, "let kept = 'kept';").await;
        assert!(after.is_ok(), "after all cases: {after:?}");
    }
}

/// Runs the case between plain cells. Returns how the case ended, or the first problem. The first
/// plain cell also shows that earlier cases left the sandbox usable for a new session.
async fn check(case: &Case, sandbox: &Sandbox) -> Result<String, String> {
    let mut repl = root_of(sandbox, "the context").await;
    try_run(&mut repl, "let kept = 'kept'")
        .await
        .map_err(|lost| format!("before the case, {lost}"))?;
    let (end, after) = match try_run(&mut repl, &case.cell).await {
        Err(lost) => {
            case.allows("lost", &lost.detail)?;
            (format!("lost: {}", lost.detail), None)
        }
        Ok(outcome) => {
            let end = kind(&outcome);
            let message = outcome.error.as_ref().map_or("", |error| &error.message);
            case.allows(end, message)?;
            Case::wants("output", case.output.as_ref(), &outcome.output)?;
            if end != "ok" {
                Case::wants("error", case.error.as_ref(), message)?;
            } else if case.value.is_some() && outcome.value != case.value {
                return Err(format!("returned {:?}", outcome.value));
            }
            (end.to_owned(), case.keeps.then_some(repl))
        }
    };
    if let Some(mut repl) = after {
        plain(&mut repl, "")
            .await
            .map_err(|why| format!("after the case, {why}"))?;
    }
    Ok(end)
}

/// Runs a cell that is typical of models, and checks its output and value.
async fn plain(repl: &mut sandbox::Repl, first: &str) -> Result<(), String> {
    let code = format!(
        "{first} console.log(kept, [{{ depth: __rlm.depth }}]); const still = await rlm('still'); \
         return `${{kept}}, ${{still}}, ${{context}}`"
    );
    let outcome = try_run(repl, &code)
        .await
        .map_err(|lost| lost.to_string())?;
    let right = outcome.output.ends_with("kept [ { depth: 0 } ]")
        && outcome.value.as_deref() == Some("kept, answer to still, the context")
        && outcome.error.is_none();
    if right { Ok(()) } else { Err(shown(&outcome)) }
}

fn kind(outcome: &CellOutcome) -> &'static str {
    let Some(error) = &outcome.error else {
        return "ok";
    };
    match error.kind {
        CellErrorKind::Thrown => "thrown",
        CellErrorKind::Syntax => "syntax",
        CellErrorKind::TimedOut => "timed_out",
        CellErrorKind::OutOfMemory => "memory",
        CellErrorKind::WaitedTooLong => "waited_too_long",
        CellErrorKind::NeverSettles => "never_settles",
        CellErrorKind::Unawaited => "unawaited",
    }
}

/// Formats an outcome and truncates it to 600 characters.
fn shown(outcome: &CellOutcome) -> String {
    let text = format!("{outcome:?}");
    let end = text
        .char_indices()
        .nth(600)
        .map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}

impl Case {
    fn expects(&self, end: &str) -> bool {
        self.expect.iter().any(|expected| expected == end)
    }

    fn allows(&self, end: &str, detail: &str) -> Result<(), String> {
        // A model must not receive longer messages.
        if detail.len() > 20_000 {
            return Err(format!("{end}, with a message of {} bytes", detail.len()));
        }
        if self.expects(end) {
            return Ok(());
        }
        Err(format!(
            "ended with {end}, expected one of {:?}: {detail}",
            self.expect
        ))
    }

    fn wants(what: &str, pattern: Option<&String>, text: &str) -> Result<(), String> {
        let mut rest = Some(text);
        for part in pattern.map_or("", String::as_str).split('*') {
            rest = rest
                .and_then(|rest| rest.split_once(part))
                .map(|(_, rest)| rest);
        }
        let shown: String = text.chars().take(300).collect();
        rest.map(drop)
            .ok_or_else(|| format!("the {what} is {shown:?}"))
    }
}

/// Reads every `stride`-th case. Skips slow cases except in the full tests.
fn cases(stride: usize) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 700, "only {} cases", files.len());
    files
        .iter()
        .map(|file| case(file))
        .filter(|case| !case.slow || engines::every_in_full() == 1)
        .step_by(stride)
        .collect()
}

fn case(file: &Path) -> Case {
    let mut case = Case {
        name: file.file_stem().unwrap().to_string_lossy().into_owned(),
        expect: Vec::new(),
        output: None,
        error: None,
        value: None,
        keeps: true,
        slow: false,
        cell: String::new(),
    };
    let text = std::fs::read_to_string(file).unwrap();
    let mut rest = text.as_str();
    let mut differs = false;
    while let Some((line, below)) = rest.split_once('\n')
        && let Some((key, value)) = line
            .strip_prefix("// ")
            .and_then(|line| line.split_once(':'))
    {
        let value = value.trim();
        match key {
            "expect" => case.expect = value.split(", ").map(str::to_owned).collect(),
            "on-v8" => {
                let (ends, row) = value.split_once("; ").expect("ends and a row");
                engines::assert_row(row);
                if ENGINE == "v8" {
                    case.expect = ends.split(", ").map(str::to_owned).collect();
                    differs = true;
                }
            }
            _ if ENGINE == "v8" && differs && matches!(key, "output" | "error") => {}
            "output" => case.output = Some(value.to_owned()),
            "error" => case.error = Some(value.to_owned()),
            "value" => case.value = Some(value.to_owned()),
            "keeps" => case.keeps = value != "no",
            "slow" => case.slow = value == "yes",
            "why" => {}
            _ => panic!("{}: unknown key {key}", case.name),
        }
        rest = below;
    }
    assert!(
        !case.expect.is_empty(),
        "{}: missing key `expect`",
        case.name
    );
    case.cell = expand(rest.trim_end_matches('\n'));
    case
}

/// Expands every `@repeat(n, "text")`.
fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, call)) = rest.split_once("@repeat(") {
        out.push_str(before);
        let (count, argument) = call.split_once(", ").expect("two arguments");
        let mut strings = serde_json::Deserializer::from_str(argument).into_iter::<String>();
        let repeated = strings.next().expect("a text").expect("a JSON string");
        for n in 0..count.parse().expect("a number") {
            let n: u32 = n;
            out.push_str(&repeated.replace("$n", &n.to_string()));
        }
        rest = argument[strings.byte_offset()..]
            .strip_prefix(')')
            .expect("a closing bracket");
    }
    out + rest
}
