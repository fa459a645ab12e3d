//! Checks that plans match the requests that the engine sends.

use std::sync::Arc;

use async_trait::async_trait;
use harness::prompt::definition::Library;
use harness::prompt::{DriverLibrary, PromptOverrides, Replacement, RootDefinition};
use harness::provider::{CallSink, Provider, ProviderError, Request, Response};
use harness::settings::{CodeFormat, IterationSettings, PromptMode, PromptSettings};
use harness::tool::{ToolRegistry, ToolSet};
use harness::treatment::{Effective, ExplicitSetting, Treatment};
use harness::{AgentTools, Conduct, Engine, Model, ModelMap, Protocol};

use crate::prompt_drivers::folder;
use crate::recorder::task;
use crate::tools::resolver;

struct Silent;

#[async_trait]
impl Provider for Silent {
    async fn complete(&self, _: &Request, _: &dyn CallSink) -> Result<Response, ProviderError> {
        Ok(Response::default())
    }
}

/// Returns the engine's first request for a task whose context is too long for a message of the
/// `tools` protocol.
fn first_request(run: &Treatment) -> Request {
    let sampling = harness::provider::Sampling {
        code_via_tool: run.prompts.code_via_tool(),
        ..harness::provider::Sampling::default()
    };
    let models = ModelMap::new(Model {
        reference: "test/silent".to_owned(),
        name: "silent".to_owned(),
        sampling: Arc::new(sampling),
        provider: Arc::new(Silent),
    });
    let engine = Engine::new(run.clone(), Conduct::default(), models, |_| ()).unwrap();
    engine.first_request(&task("Count.", &"x".repeat(30_000)))
}

fn variants() -> Vec<(&'static str, Treatment)> {
    let driver = "---\nname: own\ndescription: d\nmodes: [solver, coordinator]\n\
                  protocols: [rlm, direct, tools, agent-turn, json-action]\n---\n## Own\n\nText.";
    let folder = folder(&[("own.md", driver)]);
    let library = DriverLibrary::bundled().with_dir(folder.path()).unwrap();
    let drivers = library.resolve(&["own"]).unwrap();
    let layers = PromptOverrides {
        date: "2026-01-31".to_owned(),
        agent_name: "Ada".to_owned(),
        persona: "We.".to_owned(),
        append: "End.".to_owned(),
        ..PromptOverrides::default()
    };
    let whole = PromptOverrides {
        replacement: Some(Replacement::Whole("Only this.".to_owned())),
        ..layers.clone()
    };
    let registry = ToolRegistry::bundled();
    let tools = AgentTools {
        root: ToolSet::of_tools([registry.get("read_context").unwrap()]).unwrap(),
        ..AgentTools::default()
    };
    let via_tool = PromptSettings {
        code_format: CodeFormat::Tool,
        ..PromptSettings::default()
    };
    let plain = Treatment::default();
    vec![
        ("plain", plain.clone()),
        (
            "drivers",
            Treatment {
                drivers: drivers.clone(),
                ..plain.clone()
            },
        ),
        (
            "layers",
            Treatment {
                overrides: layers,
                drivers: drivers.clone(),
                ..plain.clone()
            },
        ),
        (
            "whole",
            Treatment {
                overrides: whole,
                drivers,
                ..plain.clone()
            },
        ),
        (
            "depth 1",
            Treatment {
                prompts: PromptSettings {
                    max_depth: 1,
                    ..PromptSettings::default()
                },
                iterations: IterationSettings {
                    max_iterations: 4,
                    ..IterationSettings::default()
                },
                ..plain.clone()
            },
        ),
        (
            "tools",
            Treatment {
                tools,
                ..plain.clone()
            },
        ),
        (
            "code via a tool",
            Treatment {
                prompts: via_tool,
                ..plain.clone()
            },
        ),
        (
            "stop early",
            Treatment {
                stop_early: true,
                ..plain.clone()
            },
        ),
        (
            "stop early, code via a tool",
            Treatment {
                stop_early: true,
                prompts: via_tool,
                ..plain
            },
        ),
    ]
}

#[test]
fn plans_match_first_requests() {
    for (name, variant) in variants() {
        for protocol in Protocol::ALL {
            let run = Treatment {
                protocol,
                ..variant.clone()
            };
            let sent = run.plan();
            let root = &sent.agents[0];
            let asked = first_request(&run);
            if protocol == Protocol::JsonAction {
                let told = &asked.messages[0].content;
                let json: serde_json::Value = serde_json::from_str(told).unwrap();
                assert!(
                    json.to_string()
                        .contains(&serde_json::to_string(&root.system).unwrap()),
                    "{name}: {told}"
                );
            } else {
                assert_eq!(asked.system, root.system, "{name} {protocol}");
            }
            assert_eq!(asked.tools, root.tools, "{name} {protocol}");
        }
    }
}

#[test]
fn app_prompt_has_date_only_with_agent_name() {
    let text = include_str!("../../src/protocol/json_action/json-action.md");
    let overrides = PromptOverrides {
        date: "2026-01-02".to_owned(),
        ..PromptOverrides::default()
    };
    let mut run = Treatment {
        protocol: Protocol::JsonAction,
        overrides,
        ..Treatment::default()
    };
    assert_eq!(run.plan().agents[0].system, text.trim_end());
    run.overrides.agent_name = "Ada".to_owned();
    let named = &run.plan().agents[0].system;
    assert!(
        named.contains("Ada") && named.contains("2026-01-02"),
        "{named}"
    );
}

#[test]
fn recorded_settings_match_requests() {
    for (name, variant) in variants() {
        for protocol in Protocol::ALL {
            let run = Treatment {
                protocol,
                ..variant.clone()
            };
            let is_rlm = protocol == Protocol::Rlm;
            let is_whole = name == "whole";
            let has_drivers = ["drivers", "layers"].contains(&name)
                // In a web agent's prompt, drivers follow the replacement.
                || is_whole && protocol == Protocol::AgentTurn;
            let expected = Effective {
                prompt_mode: (is_rlm && !is_whole).then_some(PromptMode::Solver),
                drivers: has_drivers.then(|| "own".to_owned()).into_iter().collect(),
                max_depth: if protocol.capabilities().calls_children() {
                    run.prompts.max_depth
                } else {
                    0
                },
                max_iterations: match protocol {
                    Protocol::Workflow => run.protocols.workflow_runs,
                    one_call if one_call.capabilities().one_call => 1,
                    _ => run.iterations.max_iterations,
                },
            };
            assert_eq!(run.effective(), expected, "{name} {protocol}");
        }
    }
}

/// A setting is accepted exactly if resetting it changes the plan.
#[test]
fn settings_take_effect_or_are_rejected() {
    let settings = |name: &str, run: &Treatment| {
        let (listed, flags): (_, &[&str]) = match name {
            "drivers" => (Some(ExplicitSetting::driver("own")), &[]),
            "layers" | "whole" => (
                Some(ExplicitSetting::driver("own")),
                &["--agent-name", "--persona", "--append-system-prompt"],
            ),
            "depth 1" => (None, &["--max-depth", "--max-iterations"]),
            "tools" => (Some(ExplicitSetting::tool("read_context")), &[]),
            "code via a tool" => (None, &["--code-format"]),
            "stop early" | "stop early, code via a tool" => (None, &["--stop-early"]),
            _ => (None, &[]),
        };
        let explicit = run.explicit().into_iter();
        let named = explicit.filter(|setting| flags.contains(&&*setting.flag));
        listed.into_iter().chain(named).collect::<Vec<_>>()
    };
    let mut all = String::new();
    for (name, variant) in variants() {
        for protocol in Protocol::ALL {
            let run = Treatment {
                protocol,
                ..variant.clone()
            };
            for setting in settings(name, &run) {
                let verdict = match run.check(std::slice::from_ref(&setting)) {
                    Ok(()) => "accepted".to_owned(),
                    Err(no_effect) => {
                        assert_eq!(no_effect.settings, std::slice::from_ref(&setting));
                        format!("rejected: {}; hint: {}", no_effect.reason, no_effect.hint)
                    }
                };
                all += &format!("{name}, {protocol}: {setting}: {verdict}\n");
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn keeps_own_sections_of_any_agent() {
    let rows = [
        (Protocol::Rlm, 2, None, "delegation", true),
        (Protocol::Rlm, 1, None, "delegation", false),
        (Protocol::Rlm, 2, None, "workflow-coordinator", false),
        (Protocol::Rlm, 2, None, "child-repl", true),
        (Protocol::Rlm, 1, None, "child-repl", false),
        (Protocol::Workflow, 2, None, "child-repl", true),
        (Protocol::Direct, 2, None, "child-repl", false),
        (Protocol::Rlm, 1, None, "page", true),
        (Protocol::Rlm, 1, Some("Only this."), "page", false),
        (Protocol::Rlm, 1, Some("This.\n{{default}}"), "page", true),
        // A child may get a page.
        (Protocol::Rlm, 2, Some("Only this."), "page", true),
    ];
    for (protocol, max_depth, replacement, section, is_kept) in rows {
        let mut run = Treatment {
            protocol,
            prompts: PromptSettings {
                max_depth,
                ..PromptSettings::default()
            },
            ..Treatment::default()
        };
        run.overrides.replacement = replacement.map(|text| Replacement::parse(text).unwrap());
        let sections = &mut run.overrides.sections;
        sections.insert(section.to_owned(), "Own text.".to_owned());
        let removed = run.remove_unused_sections();
        assert_eq!(
            removed.is_empty(),
            is_kept,
            "{protocol} {max_depth} {replacement:?} {section}"
        );
        assert_eq!(run.overrides.sections.is_empty(), !is_kept);
    }
}

/// The root and a called prompt run with the same definition, without tools and model aliases.
#[test]
fn fills_slots_of_included_sections() {
    let names = [
        "environment",
        "delegation",
        "identity-line",
        "tools",
        "models",
    ];
    let includes = names.map(|name| format!("{{type: include, prompt: {name}}}"));
    let definition = format!(
        "toolDescription: Checks\nmodel: default\nprompt: [{{type: text, content: You check.}}, {}]\n",
        includes.join(", ")
    );
    let checker = format!("name: checker\n{definition}");
    let caller = format!("name: caller\n{definition}tools: [checker]\n");
    let folder = folder(&[
        ("checker.yaml", checker.as_str()),
        ("caller.yaml", caller.as_str()),
    ]);
    let library = Library::bundled().with_dir(folder.path()).unwrap();
    let registry = ToolRegistry::bundled();
    let checker = library.get("checker").unwrap();
    let called = resolver(&registry, &library)
        .of_definition(library.get("caller").unwrap())
        .unwrap();
    for (tools, agent) in [
        (AgentTools::default(), "root"),
        (called, "specialist checker"),
    ] {
        let run = Treatment {
            tools,
            overrides: PromptOverrides {
                date: "2026-01-31".to_owned(),
                agent_name: "Ada".to_owned(),
                definition: Some(RootDefinition {
                    pieces: library.resolve(checker).unwrap().into_pieces(&library),
                    ..RootDefinition::default()
                }),
                ..PromptOverrides::default()
            },
            ..Treatment::default()
        };
        let plan = run.plan();
        let mut agents = plan.agents.iter();
        let system = &agents
            .find(|one| one.agent.starts_with(agent))
            .unwrap()
            .system;
        // The identity line is included, and in the root's prompt also the default one.
        for text in [
            "You check.",
            "## Environment",
            "## Delegation",
            "2026-01-31",
        ] {
            assert!(system.contains(text), "{agent} lacks {text}: {system}");
        }
        for slot in [
            "{writing}",
            "{child_iterations}",
            "{who}",
            "{date}",
            "{tools}",
            "{models}",
        ] {
            assert!(!system.contains(slot), "{agent} has {slot}: {system}");
        }
        assert!(!system.contains("## Models"), "{agent}: {system}");
    }
}
