//! The command line: its help, its lists, and its errors for invalid input.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::known_names::filled;

#[test]
fn prints_help_pages() {
    let pages: [&[&str]; 15] = [
        &["--help"],
        &["run", "--help"],
        &["ask", "--help"],
        &["prompt", "--help"],
        &["fork", "--help"],
        &["compare", "--help"],
        &["list", "--help"],
        &["list", "drivers", "--help"],
        &["import", "node-rlm", "--help"],
        &["merge", "--help"],
        &["score", "--help"],
        &["report", "--help"],
        &["sweep", "--help"],
        &["view", "--help"],
        &["repl", "--help"],
    ];
    for page in pages {
        let Ran {
            code,
            stdout,
            stderr,
        } = Binary::new().run(page, "");
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{page:?}");
        insta::assert_snapshot!(page.join("_").replace('-', ""), stdout);
    }
}

#[test]
fn prints_help_without_arguments() {
    let asked = Binary::new().run(&["--help"], "");
    let unasked = Binary::new().run(&[""; 0], "");
    assert_eq!(
        unasked,
        Ran {
            code: Some(2),
            stdout: String::new(),
            stderr: asked.stdout
        }
    );
}

/// Names in each list that the snapshots contain, so that a new benchmark, scorer or driver does
/// not change them; an empty list selects all names.
const LISTED: [(&str, &[&str]); 5] = [
    ("benchmarks", &["arc", "s-niah"]),
    ("scorers", &["exact", "arc-grid", "file:PATH", "judge"]),
    ("drivers", &["deadline-return", "delegation-first"]),
    ("profiles", &[]),
    ("models", &[]),
];

#[test]
fn prints_lists() {
    for (what, names) in LISTED {
        let json = listed(&["list", what, "--json"]);
        let mut items: Vec<Value> = serde_json::from_str(&json).unwrap();
        let all = items.len();
        let is_shown = |name: &str| match what {
            // All reference forms, and one of the bundled scripted models.
            "models" => !name.starts_with("scripted/") || name.ends_with("/s-niah"),
            _ => names.is_empty() || names.contains(&name),
        };
        let name_of = |item: &Value| {
            let name = item.get("name").or_else(|| item.get("model"));
            name.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let shown: Vec<String> = items.iter().map(&name_of).collect();
        items.retain(|item| is_shown(&name_of(item)));
        insta::with_settings!({filters => vec![("[0-9a-f]{64}", "[digest]")]}, {
            insta::assert_snapshot!(format!("list_{what}_json"), format!("{:#}", Value::from(items)));
        });

        let table = listed(&["list", what]);
        let (header, rows) = table.split_once('\n').unwrap();
        let rows: Vec<&str> = rows.lines().collect();
        assert_eq!(rows.len(), all, "{table}");
        let rows = rows.into_iter().zip(&shown);
        let rows = rows.filter(|(_, name)| is_shown(name)).map(|(row, _)| row);
        let lines: Vec<&str> = std::iter::once(header).chain(rows).collect();
        // The omitted rows affect the column widths.
        insta::with_settings!({filters => vec![(" {2,}", "  ")]}, {
            insta::assert_snapshot!(format!("list_{what}"), lines.join("\n"));
        });
    }
}

fn listed(args: &[&str]) -> String {
    let Ran {
        code,
        stdout,
        stderr,
    } = Binary::new().run(args, "");
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{args:?}");
    stdout
}

#[test]
fn lists_user_files_without_control_characters() {
    let driver = "---\nname: mine\ndescription: \"red \\e[31m\"\nmodes: [solver]\n---\nBe brief.\n";
    let profiles = "profiles:\n  - {name: mine, models: ['acme/*'], drivers: [mine]}\n";
    let binary = Binary::new()
        .file("drivers/mine.md", driver)
        .file("profiles.yaml", profiles);
    let listed = |args: &[&str], name: &str| {
        let ran = binary.run(args, "");
        let line = ran.stdout.lines().find(|line| line.starts_with(name));
        line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        listed(&["list", "drivers", "--drivers-dir", "drivers"], "mine").as_deref(),
        Some("mine rlm solver drivers/mine.md red \\u{1b}[31m")
    );
    assert_eq!(
        listed(
            &["list", "profiles", "--profiles-file", "profiles.yaml"],
            "mine"
        )
        .as_deref(),
        Some("mine mine acme/*")
    );
}

/// One row of `cli_errors.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    args: Vec<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    stdin: String,
    code: i32,
    stderr: Vec<String>,
}

#[test]
fn suggests_commands_under_called_name() {
    let wrong = |program: &str, first: &str, by_cargo: bool| {
        let mut command = Command::new(program);
        command.arg0(first).args(["run", "--benchmark", "s-nia"]);
        command.args(["--model", "scripted"]).env_clear();
        if by_cargo {
            command.envs([("CARGO", "cargo"), ("CARGO_PKG_NAME", "eval")]);
        }
        let ran = command.output().unwrap();
        assert_eq!(ran.status.code(), Some(2));
        String::from_utf8(ran.stderr).unwrap()
    };
    let (short, long) = (env!("CARGO_BIN_EXE_eval"), env!("CARGO_BIN_EXE_rlm-eval"));
    let rows = [
        (short, "eval", false, "rlm-eval"),
        (long, "rlm-eval", false, "rlm-eval"),
        (short, "./my tools/eval", false, "'./my tools/eval'"),
        (short, "target/release/eval", true, "cargo eval"),
        (long, "bin/rlm-eval", false, "bin/rlm-eval"),
    ];
    for (program, first, by_cargo, called) in rows {
        let hint = format!("hint: `{called} list benchmarks` lists the valid names\n");
        let said = wrong(program, first, by_cargo);
        assert!(said.ends_with(&hint), "{first}: {said}");
    }
    let help = Command::new(long).arg("--help").env_clear().output();
    let help = help.unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains(&format!("Usage: {long} <COMMAND>")), "{help}");
    assert!(
        help.contains(&format!("\n  {long} list drivers\n")),
        "{help}"
    );
}

/// The short name is a small program of its own.
#[test]
fn copy_of_short_name_is_not_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("rlm-eval");
    fs::copy(env!("CARGO_BIN_EXE_eval"), &copy).unwrap();
    let ran = Command::new(&copy).arg("--help").output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("this file is a copy of `eval`"), "{said}");
}

#[test]
fn explains_invalid_input() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("cli_errors.json")).expect("the rows are JSON");
    let mut wrong = Vec::new();
    for row in rows {
        let mut binary = Binary::new();
        for (name, content) in &row.files {
            binary = binary.file(name, content);
        }
        for (name, value) in &row.variables {
            binary = binary.variable(name, value);
        }
        let Ran {
            code,
            stdout,
            stderr,
        } = binary.run(&row.args, row.stdin);
        let folder = binary.path().to_string_lossy();
        let stderr = stderr.replace(&*folder, "DIR");
        let lines: Vec<String> = stderr.lines().map(str::to_owned).collect();
        let told = (code, stdout.as_str(), lines);
        let expected: Vec<String> = row.stderr.iter().map(|line| filled(line)).collect();
        if told != (Some(row.code), "", expected) {
            wrong.push(format!("{:?} {:?}: {told:#?}", row.args, row.variables));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn closed_stdout_is_not_an_error() {
    for args in [&["list", "drivers"][..], &["prompt"], &["repl", "--json"]] {
        let binary = Binary::new();
        let mut child = binary
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = {
            use std::io::Write as _;
            let mut pipe = child.stdin.take().expect("stdin is a pipe");
            // The binary may have exited before it reads its input.
            let _ = pipe.write_all(b"{\"code\": \"\"}\n{\"code\": \"\"}\n");
            drop(pipe);
            child.wait_with_output().expect("the binary ends")
        };
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), stderr.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}
