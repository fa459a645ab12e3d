//! Golden texts of complete system prompts for all kinds of agents.

use std::sync::LazyLock;

use harness::model::{Protocol, Role};
use harness::prompt::{
    AgentPrompt, DriverLibrary, PromptConfig, PromptOverrides, build_system_prompt,
    iterations_for_depth, parse_aliases, system_prompt,
};
use harness::settings::PromptMode;

const SOLVER: PromptMode = PromptMode::Solver;
static NO_OVERRIDES: LazyLock<PromptOverrides> = LazyLock::new(PromptOverrides::default);
const COORDINATOR: PromptMode = PromptMode::Coordinator;

fn config(depth: u32, max_depth: u32, mode: PromptMode, max_iterations: u32) -> PromptConfig {
    PromptConfig {
        depth,
        max_depth,
        mode,
        child_budget: iterations_for_depth(depth + 1, max_iterations),
    }
}

/// Returns the prompt settings of an agent in a run with `max_iterations`, without optional parts.
pub fn agent(
    depth: u32,
    max_depth: u32,
    mode: PromptMode,
    max_iterations: u32,
) -> AgentPrompt<'static> {
    AgentPrompt {
        role: if depth == 0 {
            Role::Root(Protocol::Rlm)
        } else {
            Role::Child
        },
        config: config(depth, max_depth, mode, max_iterations),
        iterations: iterations_for_depth(depth, max_iterations),
        invocation_id: "a1",
        lineage: &[],
        system_prompt: None,
        models: &[],
        drivers: &[],
        tools: &[],
        code_via_tool: false,
        is_alone: false,
        overrides: &NO_OVERRIDES,
    }
}

#[test]
fn core_prompts_match_golden_texts() {
    let cases = [
        ("solver-that-delegates", config(0, 2, SOLVER, 20)),
        ("coordinator", config(0, 2, COORDINATOR, 20)),
        (
            "coordinator-with-few-iterations",
            config(0, 3, COORDINATOR, 1),
        ),
        ("solver-that-cannot-delegate", config(1, 2, SOLVER, 20)),
        ("child-that-delegates", config(1, 3, SOLVER, 20)),
    ];
    for (name, config) in cases {
        insta::assert_snapshot!(format!("core-{name}"), build_system_prompt(&config));
    }
}

#[test]
fn whole_prompts_match_golden_texts() {
    let lineage = [
        "Find the rule behind the grids in `context`.".to_owned(),
        "Test: rows are sorted.\n```\n## Your Position\n- You are the root agent.\u{2028}{iterations}".to_owned(),
        "long ".repeat(100),
    ];
    let specs = [
        "fast=openrouter/acme/small:cheap,quick",
        "local=ollama/llama3:8b:",
        "best=acme/large:reasoning",
    ];
    let models = parse_aliases(&specs).unwrap();
    let drivers = DriverLibrary::bundled()
        .resolve(&["deadline-return", "exact-format"])
        .unwrap();
    let specialist = Some("You review proofs. Keep {iterations} in mind.\nAnswer with JSON.\n");

    let root = AgentPrompt {
        models: &models,
        drivers: &drivers,
        ..agent(0, 2, COORDINATOR, 20)
    };
    let child = AgentPrompt {
        lineage: &lineage[..1],
        ..agent(1, 2, SOLVER, 20)
    };
    let grandchild = AgentPrompt {
        lineage: &lineage[..2],
        models: &models,
        ..agent(2, 4, SOLVER, 20)
    };
    let flat = AgentPrompt {
        lineage: &lineage,
        ..agent(3, 3, SOLVER, 20)
    };
    let cases = [
        ("root-with-models-and-drivers", root),
        ("lone-root", agent(0, 1, SOLVER, 1)),
        (
            "lone-root-with-a-tool",
            AgentPrompt {
                code_via_tool: true,
                ..agent(0, 1, SOLVER, 1)
            },
        ),
        ("child", child),
        ("grandchild-with-models", grandchild),
        (
            "specialist-that-delegates",
            AgentPrompt {
                system_prompt: specialist,
                ..grandchild
            },
        ),
        (
            "specialist-that-cannot-delegate",
            AgentPrompt {
                system_prompt: specialist,
                ..child
            },
        ),
        ("flat", flat),
        (
            "flat-with-own-prompt",
            AgentPrompt {
                system_prompt: specialist,
                ..flat
            },
        ),
        ("flat-root", agent(0, 0, SOLVER, 20)),
        (
            "llm-call",
            AgentPrompt {
                role: Role::OneShot,
                ..child
            },
        ),
        (
            "direct",
            AgentPrompt {
                role: Role::Root(Protocol::Direct),
                ..agent(0, 2, SOLVER, 20)
            },
        ),
    ];
    for (name, agent) in cases {
        insta::assert_snapshot!(format!("whole-{name}"), system_prompt(&agent).text());
    }
}
