//! `rlm-eval ask`: only the answer on stdout, everything else on stderr.

use std::process::Command;

use crate::binary::{Binary, Ran};
use crate::run::only;

fn asker() -> Binary {
    Binary::new()
        .file("reader.yaml", include_str!("run/reader.yaml"))
        .file("notes/b.txt", "second file")
        .file("notes/a.txt", "first file\n")
        .file("notes/.hidden", "no")
        .file("question.md", "\nHow long?\n")
}

/// Flags, stdin, expected exit code, and expected stdout.
type Row = (&'static [&'static str], &'static str, i32, &'static str);

const QUESTIONS: &[Row] = &[
    (
        &["--query", "How long?"],
        "",
        0,
        "How long? 0 characters: \n",
    ),
    (
        &["--query", "How long?", "--context-file", "notes/b.txt"],
        "",
        0,
        "How long? 11 characters: second file\n",
    ),
    (
        &["--query", "How long?", "--context-dir", "notes"],
        "",
        0,
        "How long? 52 characters: ==> a.txt <==\nfirst file\n\n==> b.txt <==\nsecond file\n\n",
    ),
    (&["--query", "-"], "Stdin?", 0, "Stdin? 0 characters: \n"),
    (
        &["--query-file", "question.md"],
        "",
        0,
        "How long? 0 characters: \n",
    ),
    (&["--query", "fail"], "", 1, ""),
    (&["--query", "loop", "--max-iterations", "3"], "", 106, ""),
    (
        &["--query", "q", "--protocol", "direct"],
        "",
        0,
        "one call\n",
    ),
];

#[test]
fn prints_only_answer_to_stdout() {
    for (flags, stdin, code, stdout) in QUESTIONS {
        let args = [&["ask", "--model", "scripted:reader.yaml"], *flags].concat();
        let ran = asker().run(&args, *stdin);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(*code), *stdout),
            "{flags:?}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.is_empty(), "{flags:?}");
    }
}

#[test]
fn prints_progress_and_failures_to_stderr() {
    let ask = |query: &str| {
        let args = [
            "ask",
            "--model",
            "scripted:reader.yaml",
            "--max-iterations",
            "3",
            "--query",
            query,
        ];
        asker().run(&args, "").stderr
    };
    assert_eq!(
        ask("How long?"),
        "root: iteration 1\nroot: iteration 2\nroot: ended ok after 2 iterations\n"
    );
    assert_eq!(
        ask("fail"),
        "root: iteration 1\nroot: model failed: the scripted model reader.yaml failed: Error: no power\n\
         root: ended error after 1 iteration\nerror: no answer: the scripted model reader.yaml failed: Error: no power\n"
    );
    assert_eq!(
        ask("loop"),
        "root: iteration 1\nroot: iteration 2\nroot: iteration 3\nroot: ended limit after 3 iterations\n\
         note: no answer: reached max iterations (3) without returning an answer\n"
    );
}

#[test]
fn hides_control_characters_of_answers_on_terminal() {
    let ask = [
        "ask",
        "--query",
        "escape",
        "--model",
        "scripted:reader.yaml",
    ];
    let binary = asker();
    let Ran { code, stdout, .. } = binary.run(&ask, "");
    assert_eq!((code, stdout.as_str()), (Some(0), "\u{1b}[2Jred\u{7}\n"));
    // util-linux's program `script` runs the command in a terminal.
    let command = format!(
        "{} {} 2>/dev/null",
        env!("CARGO_BIN_EXE_eval"),
        ask.join(" ")
    );
    let typed = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(binary.path())
        .stdin(std::process::Stdio::null())
        .output();
    let Ok(typed) = typed else {
        println!("skipped: `script` is not installed");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&typed.stdout), "[2Jred\r\n");
}

#[test]
fn loads_tools_from_several_files() {
    let tool = |body: &str| {
        format!(
            "module.exports = {{ description: 'd', parameters: {{ type: 'object' }}, run() {{ return {body} }} }};\n"
        )
    };
    let binary = Binary::new()
        .file("tools/one.js", tool("1"))
        .file("tools/two.js", tool("2"))
        .file(
            "m.yaml",
            "description: d\nrules:\n  - reply: \"```js\\nreturn(await one({}) + await two({}))\\n```\"\n",
        );
    let args = [
        "ask",
        "--query",
        "q",
        "--model",
        "scripted:m.yaml",
        "--tools-dir",
        "tools",
        "--tools",
        "one,two",
    ];
    let ran = binary.run(&args, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "3\n"), "{ran:?}");
    let typo = binary.run(&[&args[..], &["--env", "TYPO=1"]].concat(), "");
    assert_eq!(
        (typo.code, typo.stderr.as_str()),
        (
            Some(2),
            "error: --env TYPO: no tool or prompt reads this variable\n"
        )
    );
}

/// Runs the examples of the prompt specification with `--model-alias`, also with `--model`, and
/// without an alias, which is an error.
#[test]
fn specification_examples_run_in_every_protocol() {
    const FOLDER: &[(&str, &str)] = &[
        (
            "prompts/assistant.ts",
            "import { definePrompt } from '@standardagents/spec';\n\n\
             export default definePrompt({\n  name: 'assistant',\n  toolDescription: 'General purpose assistant',\n  \
             model: 'conversational',\n  prompt: 'You are a helpful assistant. Be concise and accurate.',\n});\n",
        ),
        (
            "prompts/customer_support.ts",
            "import { definePrompt } from '@standardagents/spec';\nimport { z } from 'zod';\n\n\
             export default definePrompt({\n  name: 'customer_support',\n  toolDescription: 'Handle customer support inquiries',\n  \
             model: 'conversational',\n  prompt: `You are a customer support agent.`,\n  \
             tools: ['search_knowledge_base', 'create_ticket'],\n  includeChat: true,\n  \
             hooks: ['limit_to_20_messages', 'log_tool_calls', 'redact_credit_cards'],\n  \
             requiredSchema: z.object({\n    query: z.string().describe('The customer inquiry'),\n  }),\n});\n",
        ),
        (
            "prompts/sales_agent.ts",
            "import { definePrompt } from '@standardagents/spec';\n\n\
             export default definePrompt({\n  name: 'sales_agent',\n  toolDescription: 'Handle sales inquiries',\n  \
             model: 'conversational',\n  prompt: [\n    { type: 'text', content: 'You are a sales representative.\\n\\n' },\n    \
             { type: 'include', prompt: 'company_info' },\n  ],\n  tools: ['create_ticket'],\n});\n",
        ),
        (
            "prompts/code_reviewer.ts",
            "import { definePrompt } from '@standardagents/spec';\n\n\
             export default definePrompt({\n  name: 'code_reviewer',\n  toolDescription: 'Review code for issues',\n  \
             model: 'heavy',\n  prompt: 'You are an expert code reviewer.',\n  \
             reasoning: { effort: 'high', maxTokens: 4096, exclude: false },\n});\n",
        ),
        ("prompts/company_info.md", "We sell lamps.\n"),
        ("tools/search_knowledge_base.js", TOOL),
        ("tools/create_ticket.js", TOOL),
        (
            "any.yaml",
            "description: Says 1.\nrules:\n- {when: {roles: [root]}, reply: \"```js\\nreturn(1)\\n```\"}\n- reply: '1'\n",
        ),
        (
            "other.yaml",
            "description: Says 2.\nrules:\n- {when: {roles: [root]}, reply: \"```js\\nreturn(2)\\n```\"}\n- reply: '2'\n",
        ),
    ];
    const TOOL: &str =
        "module.exports = { description: 'D', parameters: { type: 'object' }, run: () => 'x' };\n";
    let binary = || {
        let files = FOLDER.iter();
        files.fold(Binary::new(), |binary, (name, text)| {
            binary.file(name, text)
        })
    };
    let alias = ["--model-alias", "conversational=scripted:any.yaml"];
    let heavy = ["--model-alias", "heavy=scripted:any.yaml"];
    let prompts = [
        "assistant",
        "customer_support",
        "sales_agent",
        "code_reviewer",
    ];
    for protocol in ["rlm", "direct", "tools"] {
        for prompt in prompts {
            let own = if prompt == "code_reviewer" {
                heavy
            } else {
                alias
            };
            let fixed = [
                "ask",
                "--query",
                "hi",
                "--prompts-dir",
                "prompts",
                "--tools-dir",
                "tools",
            ];
            let ask = |more: &[&str]| {
                let all = ["--prompt", prompt, "--protocol", protocol];
                binary().run(&[&fixed, &all[..], more].concat(), "")
            };
            let ran = ask(&own);
            let row = format!("{prompt} in {protocol}: {}", ran.stderr);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "1\n"), "{row}");
            assert!(!ran.stderr.contains("overrides the model"), "{row}");
            if prompt != "assistant" {
                continue;
            }

            let ran = ask(&[&own[..], &["--model", "scripted:other.yaml"]].concat());
            let note = "note: --model scripted:other.yaml overrides the model `conversational` of the definition `assistant`\n";
            assert_eq!(
                (ran.code, ran.stdout.as_str()),
                (Some(0), "2\n"),
                "{}",
                ran.stderr
            );
            assert!(ran.stderr.contains(note), "{}", ran.stderr);

            for more in [&[][..], &["--model", "scripted:other.yaml"]] {
                let ran = ask(more);
                let hint =
                    "hint: define the name with --model-alias conversational=PROVIDER/MODEL\n";
                assert_eq!(ran.code, Some(2), "{}", ran.stderr);
                assert!(ran.stderr.contains(hint), "{}", ran.stderr);
            }
        }
    }
}

#[test]
fn reports_cost_and_keeps_trajectory_on_request() {
    let priced = "description: d\nrules:\n  - tokens: { input: 90, output: 10 }\n    cost_usd: 0.01\n    \
                  reply: \"```js\\nreturn(1)\\n```\"\n";
    let binary = Binary::new().file("priced.yaml", priced);
    let ask = |more: &[&str]| {
        let args = [
            "ask",
            "--model",
            "scripted:priced.yaml",
            "--query",
            "How many?",
        ];
        let ran = binary.run(&[&args[..], more].concat(), "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "1\n"), "{ran:?}");
        ran.stderr
    };
    let stderr = ask(&[]);
    assert!(
        stderr.ends_with("2 calls, 200 tokens, cost $0.0200\n"),
        "{stderr}"
    );
    assert!(!binary.path().join("kept").exists());

    // An attempt at its limit has no score, because questions have no scorer.
    let mut limited = vec!["ask", "--model", "scripted:priced.yaml", "--query", "?"];
    limited.extend(["--attempt-max-llm-calls", "1", "--log-dir", "limited"]);
    binary.run(&limited, "");
    let run = only(&binary.path().join("limited"));
    let record = std::fs::read_to_string(run.join("samples.jsonl")).unwrap();
    let record: serde_json::Value = serde_json::from_str(record.trim_end()).unwrap();
    assert_eq!(record["status"], "limit", "{record}");
    assert!(record["score"].is_null(), "{record}");

    let stderr = ask(&["--log-dir", "kept"]);
    assert!(
        stderr.contains("note: run directory: kept/asked-solver-"),
        "{stderr}"
    );
    let run = only(&binary.path().join("kept"));
    let events = std::fs::read_to_string(run.join("trajectories/request-000001.1.jsonl")).unwrap();
    assert!(events.contains("\"type\":\"attempt_end\""), "{events}");
    let page = ["view", run.to_str().unwrap(), "--export", "page.html"];
    let ran = binary.run(&page, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
