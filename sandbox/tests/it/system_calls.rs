//! Tries every system call of the platform from inside a confined process and compares the outcomes
//! with the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use sandbox::COMPILES;
use sandbox::system_calls::{CallPolicy, Check, EXEMPT_FROM_FILTERS, NEWER, TABLE, fatal_call};

/// Returns the outcomes that the worker's test command prints for these lines.
fn run_calls(lines: &[String]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sandbox-worker"))
        .arg("system-calls")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = lines.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len(), "{answers:?}");
    answers
}

/// Calls whose outcome is only defined for the kernel's own use. `rt_sigreturn` restores registers
/// from arbitrary stack contents, so the signal that ends the process is random.
const UNDEFINED: [i64; 1] = [libc::SYS_rt_sigreturn];

const NOT_PERMITTED: &str = "error 1";
const NO_SUCH_CALL: &str = "error 38";

/// Tries all valid numbers and some invalid ones, with invalid arguments, so that a call that
/// passes the filter fails in the kernel as it would without a filter.
#[test]
fn system_calls_behave_as_in_table() {
    let numbers = 0..NEWER + 100;
    let lines = |how: &str| -> Vec<String> {
        numbers
            .clone()
            .map(|number| format!("{how} {number}"))
            .collect()
    };
    let answers = run_calls(&lines("confined"));
    let table: BTreeMap<i64, _> = TABLE.iter().map(|call| (call.number, call)).collect();
    assert_eq!(table.len(), TABLE.len(), "duplicate number in the table");

    let mut wrong = Vec::new();
    let mut passing = Vec::new();
    for (number, answer) in numbers.zip(&answers) {
        let call = table.get(&number).copied();
        let expected = match call.map(|call| call.answer) {
            Some(CallPolicy::Allowed([], [])) => {
                passing.push((number, answer));
                continue;
            }
            Some(CallPolicy::OnlyV8 | CallPolicy::OnlyCompiler) if COMPILES => {
                passing.push((number, answer));
                continue;
            }
            // The outcome depends on the arguments, which a separate test varies.
            Some(CallPolicy::Allowed(..)) => continue,
            Some(CallPolicy::Fatal) => {
                let code: Option<i32> = answer
                    .strip_prefix("exit ")
                    .and_then(|code| code.parse().ok());
                if code.and_then(fatal_call) != call.map(|call| call.name) {
                    wrong.push(format!("{number} {call:?}: {answer}"));
                }
                continue;
            }
            Some(CallPolicy::Missing) => NO_SUCH_CALL,
            None if EXEMPT_FROM_FILTERS.contains(&number) => continue,
            None if number >= NEWER => NO_SUCH_CALL,
            Some(CallPolicy::Server | CallPolicy::OnlyV8 | CallPolicy::OnlyCompiler) | None => {
                NOT_PERMITTED
            }
        };
        if answer != expected {
            wrong.push(format!("{number} {call:?}: {answer}"));
        }
    }
    let free: Vec<String> = passing
        .iter()
        .map(|(number, _)| format!("free {number}"))
        .collect();
    for ((number, answer), free) in passing.iter().zip(run_calls(&free)) {
        if **answer != free && !UNDEFINED.contains(number) {
            wrong.push(format!("{number}: {answer}, without the filter {free}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(passing.len() > 30);
}

/// Calls with argument checks: the name, the arguments, and whether the call is allowed.
#[rustfmt::skip]
const BY_ARGUMENTS: &[(&str, &str, bool)] = &[
    // With length 0, no memory is mapped or changed.
    ("mmap", "0 0 3 34 -1 0", true),
    ("mmap", "0 0 7 34 -1 0", COMPILES),
    ("mmap", "0 0 4 34 -1 0", COMPILES),
    ("mprotect", "0 0 3", true),
    ("mprotect", "0 0 5", COMPILES),
    ("fcntl", "-1 1", true),
    ("fcntl", "-1 3", true),
    ("fcntl", "-1 1030 3", true),
    ("fcntl", "-1 0", false),
    ("fcntl", "-1 4", false),
    ("fcntl", "-1 8 1", false),
    ("fcntl", "-1 10 9", false),
    ("rt_sigaction", "10 0 0 8", true),
    ("rt_sigaction", "31 0 0 8", false),
    ("prlimit64", "0 7 0 0", true),
    ("prlimit64", "0 7 1 0", false),
    ("prlimit64", "0 7 4294967296 0", false),
    ("prlimit64", "1 7 0 0", false),
    ("clone", "65536", true),
    ("clone", "17", false),
    ("clone", "268500992", false),
    ("clone", "1073807360", false),
    ("prctl", "15 -1", true),
    ("prctl", "1 9", false),
    ("prctl", "4 1", false),
    ("prctl", "22 1", false),
    ("prctl", "38 1 0 0 0", false),
    ("tgkill", "self -1 0", true),
    ("tgkill", "1 1 0", false),
];

#[test]
fn checks_arguments_of_system_calls() {
    let number = |name: &str| TABLE.iter().find(|call| call.name == name).unwrap().number;
    let line = |(name, arguments, _): &(&str, &str, bool)| format!("{} {arguments}", number(name));
    let lines = |how: &str| -> Vec<String> {
        BY_ARGUMENTS
            .iter()
            .map(|case| format!("{how} {}", line(case)))
            .collect()
    };
    let (confined, free) = (run_calls(&lines("confined")), run_calls(&lines("free")));
    for (case, (confined, free)) in BY_ARGUMENTS.iter().zip(confined.iter().zip(&free)) {
        let expected = if case.2 { free } else { NOT_PERMITTED };
        assert_eq!(confined, expected, "{case:?}");
    }
    for call in TABLE {
        let looks = matches!(call.answer, CallPolicy::Allowed(server, worker) if server.len() + worker.len() > 0);
        let both = [true, false].map(|allowed| {
            BY_ARGUMENTS
                .iter()
                .any(|(name, _, is)| *name == call.name && *is == allowed)
        });
        assert!(!looks || both[1] || COMPILES, "{} has no case", call.name);
        assert!(!looks || both[0], "{} has no case", call.name);
    }
}

/// Tries each call that could make memory executable, for an engine that generates no machine code.
#[test]
fn blocks_executable_memory_without_compiler() {
    let protections = [
        ("mmap", "0 0 7 34 -1 0"),
        ("mmap", "0 0 4 34 -1 0"),
        ("mprotect", "0 0 5"),
        ("pkey_mprotect", "0 0 5 0"),
    ];
    let number = |name: &str| TABLE.iter().find(|call| call.name == name).unwrap().number;
    let line = |(name, arguments): (&str, &str)| format!("jitless {} {arguments}", number(name));
    assert_eq!(run_calls(&protections.map(line)), [NOT_PERMITTED; 4]);
    // The kernel itself rejects length 0 in the first call.
    let plain = run_calls(&[line(("mmap", "0 0 3 34 -1 0")), line(("mprotect", "0 0 3"))]);
    assert_eq!(plain, ["error 22", "done"]);
}

/// x32 is a second interface of the same processor, whose call numbers have one additional bit.
#[test]
#[cfg(target_arch = "x86_64")]
fn blocks_x32_system_calls() {
    let lines: Vec<String> = (0..=550)
        .map(|number| format!("confined {}", 0x4000_0000 + number))
        .collect();
    assert!(
        run_calls(&lines)
            .iter()
            .all(|answer| answer == NOT_PERMITTED)
    );
}

#[test]
#[cfg_attr(
    any(feature = "v8", not(target_arch = "x86_64")),
    ignore = "the table differs on other platforms"
)]
fn documentation_matches_table() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/system-calls.md");
    let text = document();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&file).unwrap_or_default(),
        text,
        "to rewrite it: UPDATE_DOCS=1 cargo test --package sandbox --test it documentation_matches_table"
    );
}

fn document() -> String {
    let mut text = include_str!("system_calls/before.md").to_owned();
    for (title, is) in [
        (
            "Allowed",
            (|answer| {
                matches!(
                    answer,
                    CallPolicy::Allowed(..) | CallPolicy::OnlyV8 | CallPolicy::OnlyCompiler
                )
            }) as fn(&CallPolicy) -> bool,
        ),
        ("Allowed in a server, refused in its copies", |answer| {
            matches!(answer, CallPolicy::Server)
        }),
        ("Answered with `ENOSYS`", |answer| {
            matches!(answer, CallPolicy::Missing)
        }),
        ("Fatal", |answer| matches!(answer, CallPolicy::Fatal)),
    ] {
        let _ = write!(
            text,
            "\n## {title}\n\n| call | engine | only if | why |\n|---|---|---|---|\n"
        );
        for call in TABLE.iter().filter(|call| is(&call.answer)) {
            let engine = if matches!(call.answer, CallPolicy::OnlyV8 | CallPolicy::OnlyCompiler) {
                "V8"
            } else {
                "both"
            };
            let checks = match call.answer {
                CallPolicy::Allowed(server, worker) => [("", server), ("in a worker ", worker)],
                _ => [("", [].as_slice()), ("", &[])],
            };
            let checks = checks.iter().flat_map(|(place, checks)| {
                checks
                    .iter()
                    .map(move |check| format!("{place}{}", shown(check)))
            });
            let checks: Vec<String> = checks.collect();
            let _ = writeln!(
                text,
                "| `{}` | {engine} | {} | {} |",
                call.name,
                checks.join("; "),
                call.reason
            );
        }
    }
    text
}

/// Formats a condition in words, with 1-based argument numbers.
fn shown(check: &Check) -> String {
    match *check {
        Check::IsOne(place, values) => format!("argument {} is one of {values:?}", place + 1),
        Check::Not(place, value) => format!("argument {} is not {value}", place + 1),
        Check::IsZero(place) => format!("argument {} is 0", place + 1),
        Check::Has(place, bits) => format!("argument {} has the bits {bits:#x}", place + 1),
        Check::LacksAll(place, bits) => {
            format!("argument {} has none of the bits {bits:#x}", place + 1)
        }
        Check::NotExecutable(place) => {
            format!(
                "argument {} has none of the bits {:#x}, or V8 compiles",
                place + 1,
                libc::PROT_EXEC
            )
        }
        Check::IsOwnProcess(place) => {
            format!("argument {} is the id of the calling process", place + 1)
        }
    }
}
