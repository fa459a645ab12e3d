//! `eval prompt`: which agent's prompt it shows. The texts themselves are the engine's.

use harness::prompt::{
    AgentKind, AgentPrompt, PromptConfig, PromptMode, iterations_for_depth, system_prompt,
};
use serde_json::Value;

use crate::binary::{Binary, Ran};

/// The names of the sections, and the text of the last one that is no driver.
fn shown(binary: &Binary, args: &[&str]) -> String {
    let args: Vec<&str> = ["prompt", "--json"].iter().chain(args).copied().collect();
    let Ran {
        code,
        stdout,
        stderr,
    } = binary.run(&args, "");
    assert_eq!(code, Some(0), "{args:?}: {stderr}");
    let prompt: Value = serde_json::from_str(&stdout).expect("the output is JSON");
    let sections = prompt["sections"].as_array().expect("sections");
    let text = |key: &str, section: &Value| section[key].as_str().expect("a text").to_owned();
    let names: Vec<String> = sections.iter().map(|section| text("name", section)).collect();
    let own = sections.iter().filter(|section| !text("name", section).starts_with("driver"));
    let last = text("text", own.last().expect("a section"));
    format!("{stderr}{}\n\n{last}", names.join(" "))
}

#[test]
fn agents() {
    let driver = "---\nname: mine\ndescription: Mine.\nmodes: [solver]\n---\nBe brief.\n";
    let binary = Binary::new()
        .file("drivers/mine.md", driver)
        .file("profiles.yaml", "profiles:\n  - {name: p, models: ['acme/*'], drivers: [mine]}\n");
    let cases: [(&str, &[&str]); 12] = [
        ("root", &[]),
        ("coordinator", &["--prompt-mode", "coordinator", "--max-depth", "3"]),
        ("lone_root", &["--max-depth", "1", "--iterations", "3"]),
        ("short_run", &["--iterations", "2"]),
        ("child", &["--depth", "1", "--lineage", "Find it.", "--prompt-mode", "coordinator"]),
        ("grandchild", &["--depth", "2", "--max-depth", "4", "--lineage", "a", "--lineage", "b"]),
        ("flat", &["--depth", "2"]),
        ("specialist", &["--depth", "1", "--system-prompt", "You check proofs."]),
        ("direct", &["--protocol", "direct"]),
        (
            "aliases",
            &["--model-alias", "fast=openai/small:cheap;best=acme/large", "--model-alias", "x=a/b"],
        ),
        (
            "drivers_in_their_order",
            &["--drivers", "exact-format, mine,exact-format", "--drivers-dir", "drivers"],
        ),
        (
            "profile_by_model",
            &[
                "--model=acme/large",
                "--profiles-file=profiles.yaml",
                "--drivers-dir=drivers",
                "--prompt-mode=coordinator",
            ],
        ),
    ];
    for (name, args) in cases {
        insta::assert_snapshot!(name, shown(&binary, args));
    }
}

#[test]
fn the_text_is_what_a_model_reads() {
    let root = AgentPrompt {
        kind: AgentKind::Agent,
        config: PromptConfig {
            depth: 0,
            max_depth: 2,
            mode: PromptMode::Solver,
            child_budget: iterations_for_depth(1, 15),
        },
        iterations: 15,
        invocation_id: "root",
        lineage: &[],
        system_prompt: None,
        models: &[],
        drivers: &[],
    };
    let ran = Binary::new().run(&["prompt"], "");
    assert_eq!(
        ran,
        Ran {
            code: Some(0),
            stdout: system_prompt(&root).text() + "\n",
            stderr: String::new()
        }
    );
}

#[test]
fn variables_stand_for_flags_and_flags_win() {
    let mode = |binary: &Binary, args: &[&str]| {
        let names = shown(binary, args);
        names.split_whitespace().next().unwrap_or_default().to_owned()
    };
    let binary = Binary::new().variable("EVAL_PROMPT_MODE", "coordinator");
    assert_eq!(mode(&binary, &[]), "identity-coordinator");
    assert_eq!(mode(&binary, &["--prompt-mode", "solver"]), "identity-solver");
    let binary = Binary::new().file(".env", "# mine\nEVAL_PROMPT_MODE=coordinator\n");
    assert_eq!(mode(&binary, &[]), "identity-coordinator");
    let binary = binary.variable("EVAL_PROMPT_MODE", "solver");
    assert_eq!(mode(&binary, &[]), "identity-solver");
}
