//! Whole sessions: each file contains cells, separated by lines that begin with `// ----`, and a
//! snapshot contains their results. If the first line is `// functions: a b.c`, the REPL has these
//! host functions.

use sandbox::{Config, Isolation};

use crate::driver::{isolations, root, root_with, run, sandbox};
use crate::engines::with_quickjs_messages;

#[test]
fn sessions_match_transcripts() {
    insta::glob!("sessions/*.js", |path| {
        let source = std::fs::read_to_string(path).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let [thread, process, sharing] =
            isolations().map(|isolation| runtime.block_on(transcript(&source, isolation)));
        assert_eq!(thread, process, "thread and process differ");
        assert_eq!(process, sharing, "separate and shared processes differ");
        let transcript = with_quickjs_messages(process);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(transcript);
        });
    });
}

async fn transcript(source: &str, isolation: Isolation) -> String {
    let sandbox = sandbox(Config::default(), isolation);
    let functions = source
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// functions: "));
    let functions: Vec<&str> = functions.unwrap_or("").split_whitespace().collect();
    let mut repl = root_with(&sandbox, &functions).await;
    let mut out = String::new();
    let mut cell = String::new();
    let mut cells = Vec::new();
    for line in source.lines() {
        if line.starts_with("// ----") {
            cells.push(std::mem::take(&mut cell));
        } else {
            cell.push_str(line);
            cell.push('\n');
        }
    }
    cells.push(cell);
    for cell in cells {
        let outcome = run(&mut repl, cell.trim_end()).await;
        for line in cell.lines() {
            out.push_str(&format!("> {line}\n"));
        }
        if !outcome.output.is_empty() {
            out.push_str(&format!("{}\n", outcome.output));
        }
        if let Some(error) = outcome.error {
            out.push_str(&format!("! {:?}: {}\n", error.kind, error.message));
            for frame in error.stack {
                out.push_str(&format!("!     {frame}\n"));
            }
        }
        if let Some(value) = outcome.value {
            out.push_str(&format!("= {value}\n"));
        }
        out.push('\n');
    }
    out
}

#[tokio::test]
async fn engine_syntax_errors_contain_line() {
    let mut repl = root(Config::default(), "").await;
    for (code, error) in [
        (
            "// one\n\n@decorated class A {}",
            "SyntaxError: unexpected token in expression: '@' (line 3)",
        ),
        (
            "class A { accessor x = 1 }",
            "SyntaxError: Unexpected identifier 'x' (line 1)",
        ),
    ] {
        let outcome = run(&mut repl, code).await;
        let said = outcome
            .error
            .map(|error| with_quickjs_messages(error.message));
        assert_eq!(said.as_deref(), Some(error), "{code}");
    }
}
