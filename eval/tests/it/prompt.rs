//! `rlm-eval prompt`: selection of the agent whose prompt is shown. Tests of the harness cover the
//! text of prompts.

use std::sync::LazyLock;

use harness::model::{Protocol, Role};
use harness::prompt::{
    AgentPrompt, Driver, DriverLibrary, PromptConfig, PromptOverrides, iterations_for_depth,
    parse_aliases, system_prompt,
};
use harness::settings::PromptMode;
use serde_json::Value;

use crate::binary::{Binary, Ran};

const MINE: &str = "---\nname: mine\ndescription: Mine.\nmodes: [solver]\n---\nBe brief.\n";
const PROFILES: &str = "profiles:\n  - {name: p, models: ['acme/*'], drivers: [mine]}\n";

static LAYERS: LazyLock<PromptOverrides> = LazyLock::new(|| PromptOverrides {
    date: "2026-01-31".to_owned(),
    ..PromptOverrides::default()
});

fn binary() -> Binary {
    Binary::new()
        .variable("EVAL_DATE", "2026-01-31")
        .file("drivers/mine.md", MINE)
        .file("profiles.yaml", PROFILES)
}

/// Returns an agent of a run with `max_iterations` and no optional features.
fn agent(depth: u32, max_depth: u32, max_iterations: u32) -> AgentPrompt<'static> {
    AgentPrompt {
        role: if depth == 0 {
            Role::Root(Protocol::Rlm)
        } else {
            Role::Child
        },
        config: PromptConfig {
            depth,
            max_depth,
            mode: PromptMode::Solver,
            child_budget: iterations_for_depth(depth + 1, max_iterations),
        },
        iterations: iterations_for_depth(depth, max_iterations),
        invocation_id: ["root", "d1-c0", "d1-c0.d2-c0"][depth as usize],
        lineage: &[],
        system_prompt: None,
        models: &[],
        drivers: &[],
        tools: &[],
        code_via_tool: false,
        is_alone: false,
        overrides: &LAYERS,
    }
}

fn coordinator(max_depth: u32) -> AgentPrompt<'static> {
    let mut agent = agent(0, max_depth, 15);
    agent.config.mode = PromptMode::Coordinator;
    agent
}

/// Returns a bundled driver and a user-supplied one.
fn drivers() -> Vec<Driver> {
    let binary = binary();
    let library = DriverLibrary::bundled().with_dir(&binary.path().join("drivers"));
    let library = library.expect("the driver is valid");
    library
        .resolve(&["exact-format", "mine"])
        .expect("both drivers exist")
}

#[test]
fn shows_agent_described_by_flags() {
    let aliases = parse_aliases(&["fast=openai/small:cheap", "best=acme/large", "x=a/b"])
        .expect("the aliases are valid");
    let drivers = drivers();
    let lineage = ["a".to_owned(), "b".to_owned()];
    let cases: [(&[&str], AgentPrompt<'_>); 13] = [
        (&[], agent(0, 2, 15)),
        (&["--max-depth=1", "--iterations=3"], agent(0, 1, 3)),
        (&["--iterations=2"], agent(0, 2, 2)),
        (&["--depth=1", "--prompt-mode=coordinator"], agent(1, 2, 15)),
        (
            &["--depth=1", "--iterations=2"],
            AgentPrompt {
                iterations: 2,
                ..agent(1, 2, 15)
            },
        ),
        (
            &["--depth=2", "--max-depth=4", "--lineage=a", "--lineage=b"],
            AgentPrompt {
                lineage: &lineage,
                ..agent(2, 4, 15)
            },
        ),
        (&["--depth=2"], agent(2, 2, 15)),
        (
            &["--prompt-mode=coordinator", "--max-depth=3"],
            coordinator(3),
        ),
        (
            &["--depth=1", "--system-prompt=You check proofs."],
            AgentPrompt {
                system_prompt: Some("You check proofs."),
                ..agent(1, 2, 15)
            },
        ),
        (
            &["--protocol=direct"],
            AgentPrompt {
                role: Role::Root(Protocol::Direct),
                ..agent(0, 2, 15)
            },
        ),
        (
            &[
                "--model-alias=fast=openai/small:cheap;best=acme/large",
                "--model-alias=x=a/b",
            ],
            AgentPrompt {
                models: &aliases,
                ..agent(0, 2, 15)
            },
        ),
        (
            &[
                "--drivers=exact-format, mine,exact-format",
                "--drivers-dir=drivers",
            ],
            AgentPrompt {
                drivers: &drivers,
                ..agent(0, 2, 15)
            },
        ),
        (
            &[
                "--model=acme/large",
                "--profiles-file=profiles.yaml",
                "--drivers-dir=drivers",
            ],
            AgentPrompt {
                drivers: &drivers[1..],
                ..agent(0, 2, 15)
            },
        ),
    ];
    for (flags, expected) in cases {
        let expected = system_prompt(&expected);
        let run = |flags: &[&str]| {
            let args: Vec<&str> = ["prompt"].iter().chain(flags).copied().collect();
            let Ran {
                code,
                stdout,
                stderr,
            } = binary().run(&args, "");
            assert_eq!(code, Some(0), "{args:?}: {stderr}");
            stdout
        };
        assert_eq!(run(flags), expected.text() + "\n", "{flags:?}");
        let mut json: Value =
            serde_json::from_str(&run(&[flags, &["--json"]].concat())).expect("the output is JSON");
        for section in json["sections"].as_array_mut().expect("sections") {
            let section = section.as_object_mut().expect("a section");
            let tokens = section.remove("tokens").and_then(|tokens| tokens.as_u64());
            assert!(tokens > Some(0), "{flags:?}");
        }
        assert_eq!(
            json["sections"],
            serde_json::to_value(&expected).expect("sections are JSON")["sections"],
            "{flags:?}"
        );
    }
}

#[test]
fn order_of_flags_does_not_affect_tools() {
    let shown = |tools: &str| binary().run(&["prompt", "--tools", tools], "").stdout;
    let one = shown("run_javascript,context_length");
    assert!(one.contains("context_length"), "{one}");
    assert_eq!(one, shown("context_length,run_javascript"));
}

#[test]
fn prints_notes_and_warnings_to_stderr() {
    let args = [
        "prompt",
        "--model=acme/large",
        "--profiles-file=profiles.yaml",
        "--drivers-dir=drivers",
        "--prompt-mode=coordinator",
    ];
    let expected = "note: profile `p` matches the model and adds the drivers mine; --profile none \
                    omits them\n\
                    warning: driver `mine` is written for solver mode, but the run is in coordinator mode\n";
    assert_eq!(binary().run(&args, "").stderr, expected);
}

#[test]
fn flags_override_variables_which_override_env_file() {
    let coordinates = |binary: &Binary, args: &[&str]| {
        let args: Vec<&str> = ["prompt"].iter().chain(args).copied().collect();
        let prompt = binary.run(&args, "").stdout;
        prompt == system_prompt(&coordinator(2)).text() + "\n"
    };
    let binary = Binary::new()
        .variable("EVAL_DATE", "2026-01-31")
        .variable("EVAL_PROMPT_MODE", "coordinator");
    assert!(coordinates(&binary, &[]));
    assert!(!coordinates(&binary, &["--prompt-mode", "solver"]));
    let binary = Binary::new()
        .variable("EVAL_DATE", "2026-01-31")
        .file(".env", "# mine\nEVAL_PROMPT_MODE=coordinator\n");
    assert!(coordinates(&binary, &[]));
    let binary = binary.variable("EVAL_PROMPT_MODE", "solver");
    assert!(!coordinates(&binary, &[]));
}

const DESK: &str =
    "---\nname: desk\ntoolDescription: D\nmodel: default\n---\nYou sit at the desk.\n";

#[test]
fn definitions_and_layers_shape_the_root() {
    let binary = binary()
        .file("prompts/desk.md", DESK)
        .file("prompts/identity-solver.md", "You are a pirate.")
        .file("faulty/a.yaml", "name: a\nmodel: gpt\nprompt: x\n")
        .file(
            "faulty/b.md",
            "---\nname: b\ntoolDescription: B\nmodel: gpt\n---\nText.\n",
        )
        .file("around.md", "First.\n{{default}}\nLast.\n")
        .file("actions.yaml", "click: {descriptoin: x}\n");
    let names = |args: &[&str]| {
        let args = [&["prompt", "--json", "--prompts-dir=prompts"], args].concat();
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
        let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let sections = json["sections"].as_array().expect("sections").clone();
        let names = sections
            .iter()
            .map(|section| section["name"].as_str().unwrap_or_default().to_owned());
        (names.collect::<Vec<_>>().join(" "), ran.stdout)
    };
    let core = "environment delegation workflow-solver delegation-tips position";
    let (sections, text) = names(&[]);
    assert_eq!(sections, format!("identity-solver identity-line {core}"));
    assert!(text.contains("You are a pirate."));
    let (sections, text) = names(&[
        "--prompt=desk",
        "--persona=We.",
        "--append-system-prompt=End.",
    ]);
    let specialist = "environment delegation delegation-tips position";
    let expected = format!("system-prompt identity-line persona child-repl {specialist} append");
    assert_eq!(sections, expected);
    assert!(text.contains("You sit at the desk."));
    let (sections, _) = names(&["--protocol=direct", "--system-prompt-file=around.md"]);
    assert_eq!(
        sections,
        "replacement-before identity-line direct replacement-after"
    );

    let rows: [(&[&str], u8, &str); 8] = [
        (&["--sizes"], 0, "the whole prompt"),
        (
            &[
                "--diff",
                "--prompt-mode solver",
                "--prompt-mode coordinator",
            ],
            0,
            "+++ --prompt-mode coordinator",
        ),
        (&["--diff", "desk", "--prompt 'desk'"], 0, ""),
        (&["--prompt=desk2"], 2, "did you mean `desk`?"),
        (
            &["--date=2026-02-30"],
            2,
            "invalid date `2026-02-30`: expected YYYY-MM-DD",
        ),
        (&["--action-overrides=actions.yaml"], 2, "actions.yaml: "),
        (&["--check=prompts"], 0, ""),
        (
            &["--check=faulty"],
            2,
            "faulty/a.yaml:1: field `toolDescription`: missing, expected a non-empty string\n\
             faulty/a.yaml:2: field `model`: unknown model `gpt`; known: default, ",
        ),
    ];
    for (args, code, says) in rows {
        let args = [&["prompt", "--prompts-dir=prompts"], args].concat();
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(code.into()), "{args:?}: {}", ran.stderr);
        let told = if code == 0 || args[2].starts_with("--check") {
            &ran.stdout
        } else {
            &ran.stderr
        };
        assert!(told.contains(says), "{args:?}: {told}");
    }
}
