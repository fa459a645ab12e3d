//! Assembles the system prompt of an agent from named sections in a fixed order.

use super::agent_prompt::AgentPrompt;
use super::apply_overrides::{definition_text, identity_line, layered, with_own_sections};
use super::assembled::{Assembled, DRIVER, Section};
use super::config::PromptConfig;
use super::model_alias::table;
use super::overrides::{DefinitionPiece, ReplApi};
use super::position::{flat_position, iterations_phrase, repl_position};
use super::sections::{
    AGENTS_FLAT, AGENTS_REPL, CHILD_REPL, DELEGATION, DELEGATION_TIPS, DRIVERS, ENVIRONMENT, FLAT,
    IDENTITY_COORDINATOR, IDENTITY_SOLVER, MANY_CALLS, MODELS, NATIVE_TOOLS, PROGRAM_MODELS, TOOLS,
    WORKFLOW_COORDINATOR, WORKFLOW_SOLVER, WRITING_FENCED, WRITING_TOOL, section_texts,
};
use super::template::fill;
use super::tool_reference::tool_reference;
use crate::model::{ActionSurface, Protocol, Role};
use crate::settings::PromptMode;

/// Name of the section with the prompt from an agent's caller.
const OWN_PROMPT: &str = "system-prompt";

/// Returns the core prompt of an ordinary agent: identity, environment, delegation (if it can
/// delegate), workflow, and delegation tips (if it can delegate), separated by blank lines. The
/// model writes code in fenced blocks.
pub fn build_system_prompt(config: &PromptConfig) -> String {
    core(config, false).text()
}

/// Assembles the system prompt of any agent. It is the same in every turn.
///
/// - An ordinary agent: the sections of [`build_system_prompt`], then tools, models and position.
/// - A specialist: its own prompt, the REPL, delegation with its tips (if it can delegate), tools,
///   models, position.
/// - A specialist with native tools: its own prompt and the section about native tools.
/// - A flat agent: its own prompt or the flat one, then its position.
/// - The root of a protocol other than `rlm` that has a REPL: its own prompt, if any, the
///   protocol's section, tools, models.
/// - The root of a protocol without a REPL: its own prompt or the protocol's section. With native
///   tools: its own prompt, if any, and the section about native tools.
///
/// Every root's prompt ends with the drivers.
pub fn system_prompt(agent: &AgentPrompt<'_>) -> Assembled {
    let of_root = agent.overrides.definition.as_ref();
    let of_root = of_root.filter(|_| agent.is_root());
    let of_definition = of_root.map(|own| definition_prompt(&own.pieces, agent));
    let own_prompt = agent
        .system_prompt
        .or(of_definition.as_deref())
        .map(str::trim)
        .filter(|text| !text.is_empty());
    layered(
        with_own_sections(default(agent, own_prompt), agent.overrides),
        agent,
    )
}

/// Returns the text of an agent's prompt definition. Slots of included sections are filled with the
/// same values as in the agent's default prompt. Sections without values are left out, such as
/// `tools` for an agent without tools.
pub(crate) fn definition_prompt(pieces: &[DefinitionPiece], agent: &AgentPrompt<'_>) -> String {
    let child_budget = agent.config.child_budget;
    let mut values = vec![
        ("writing", writing(agent.code_via_tool)),
        ("child_iterations", iterations_phrase(child_budget)),
        ("pair_iterations", (u64::from(child_budget) * 2).to_string()),
    ];
    let default = default(agent, None).sections;
    let line = identity_line(agent.overrides, agent.is_root());
    let sections = default.into_iter().chain(line);
    values.extend(sections.flat_map(|section| section.values));
    definition_text(pieces, &values)
}

/// Returns the prompt before the run's overrides are applied.
fn default(agent: &AgentPrompt<'_>, own_prompt: Option<&str>) -> Assembled {
    let mut prompt = match agent.role {
        Role::App | Role::Judge => own(own_prompt),
        Role::OneShot => flat(agent, own_prompt),
        Role::ToolSpecialist => tools(agent, own_prompt),
        Role::Root(protocol) if !agent.role.has_repl() => match agent.role.action_surface() {
            ActionSurface::NativeTools => tools(agent, own_prompt),
            _ if own_prompt.is_some() => own(own_prompt),
            _ => Assembled {
                sections: of_protocol(protocol, Vec::new()).into_iter().collect(),
            },
        },
        _ if agent.config.is_flat() && agent.role.action_surface() != ActionSurface::LoneRepl => {
            flat(agent, own_prompt)
        }
        Role::Root(protocol) if agent.role.action_surface() != ActionSurface::Repl => {
            of_own_repl(agent, protocol, own_prompt)
        }
        _ => repl(agent, own_prompt),
    };
    if agent.config.depth == 0 && !agent.drivers.is_empty() {
        prompt.push(&DRIVERS, []);
        for driver in agent.drivers {
            prompt.push_text(format!("{DRIVER}{}", driver.name), driver.body.clone());
        }
    }
    prompt
}

fn core(config: &PromptConfig, code_via_tool: bool) -> Assembled {
    let mut prompt = Assembled::default();
    let child_iterations = iterations_phrase(config.child_budget);
    let coordinates = config.effective_mode() == PromptMode::Coordinator;
    prompt.push(
        if coordinates {
            &IDENTITY_COORDINATOR
        } else {
            &IDENTITY_SOLVER
        },
        [],
    );
    prompt.push(&ENVIRONMENT, [&writing(code_via_tool)]);
    if config.can_delegate() {
        prompt.push(&DELEGATION, [&child_iterations]);
    }
    if coordinates {
        let pair_iterations = (u64::from(config.child_budget) * 2).to_string();
        prompt.push(&WORKFLOW_COORDINATOR, [&child_iterations, &pair_iterations]);
    } else {
        prompt.push(&WORKFLOW_SOLVER, []);
    }
    if config.can_delegate() {
        prompt.push(&DELEGATION_TIPS, []);
    }
    prompt
}

fn repl(agent: &AgentPrompt<'_>, own_prompt: Option<&str>) -> Assembled {
    let mut prompt = own_prompt.map_or_else(
        || core(&agent.config, agent.code_via_tool),
        |own| specialist(agent, own),
    );
    if agent.overrides.repl_api == ReplApi::Extended && agent.config.can_delegate() {
        prompt.push(&MANY_CALLS, []);
    }
    if !agent.tools.is_empty() {
        let tools = agent.overrides.actions.apply(agent.tools.to_vec());
        prompt.push(&TOOLS, [&tool_reference(&tools)]);
    }
    if !agent.models.is_empty() {
        prompt.push(&MODELS, [&table(agent.models)]);
    }
    if !agent.is_alone {
        prompt.sections.push(repl_position(agent));
    }
    prompt
}

/// Returns the prompt of a root whose protocol has a REPL and its own instructions: the caller's
/// prompt, the protocol's section, tools, and models if its code can choose one.
fn of_own_repl(agent: &AgentPrompt<'_>, protocol: Protocol, own_prompt: Option<&str>) -> Assembled {
    let mut prompt = own(own_prompt);
    let agents = if agent.config.can_delegate() {
        AGENTS_REPL.render([&iterations_phrase(agent.config.child_budget)])
    } else {
        AGENTS_FLAT.render([])
    };
    let values = vec![
        ("agents", agents),
        ("iterations", iterations_phrase(agent.iterations)),
        ("writing", writing(agent.code_via_tool)),
    ];
    prompt.sections.extend(of_protocol(protocol, values));
    if !agent.tools.is_empty() {
        let tools = agent.overrides.actions.apply(agent.tools.to_vec());
        prompt.push(&TOOLS, [&tool_reference(&tools)]);
    }
    if !agent.models.is_empty() && agent.role.action_surface() == ActionSurface::Program {
        prompt.push(&PROGRAM_MODELS, [&table(agent.models)]);
    }
    prompt
}

/// Returns the text that explains how to write code in a response.
fn writing(code_via_tool: bool) -> String {
    if code_via_tool {
        WRITING_TOOL.render([])
    } else {
        WRITING_FENCED.render([])
    }
}

fn specialist(agent: &AgentPrompt<'_>, own_prompt: &str) -> Assembled {
    let config = &agent.config;
    let mut prompt = Assembled::default();
    prompt.push_text(OWN_PROMPT, own_prompt.to_owned());
    prompt.push(&CHILD_REPL, []);
    prompt.push(&ENVIRONMENT, [&writing(agent.code_via_tool)]);
    if config.can_delegate() {
        prompt.push(&DELEGATION, [&iterations_phrase(config.child_budget)]);
        prompt.push(&DELEGATION_TIPS, []);
    }
    prompt
}

fn flat(agent: &AgentPrompt<'_>, own_prompt: Option<&str>) -> Assembled {
    let mut prompt = own(own_prompt);
    if own_prompt.is_none() {
        prompt.push(&FLAT, []);
    }
    if !agent.is_alone {
        prompt.sections.push(flat_position(agent));
    }
    prompt
}

fn tools(agent: &AgentPrompt<'_>, own_prompt: Option<&str>) -> Assembled {
    let mut prompt = own(own_prompt);
    let responses = if agent.iterations == 1 {
        "1 response".to_owned()
    } else {
        format!("{} responses", agent.iterations)
    };
    prompt.push(&NATIVE_TOOLS, [&responses]);
    prompt
}

/// Returns a prompt whose only section is the agent's own prompt, or an empty prompt without one.
fn own(own_prompt: Option<&str>) -> Assembled {
    let mut prompt = Assembled::default();
    if let Some(own) = own_prompt {
        prompt.push_text(OWN_PROMPT, own.to_owned());
    }
    prompt
}

/// Returns the bundled section that is named after a protocol, if there is one. Fills its slots
/// with `values`, and ignores values of other slots.
fn of_protocol(protocol: Protocol, mut values: Vec<(&'static str, String)>) -> Option<Section> {
    let (name, text, slots) = section_texts().find(|(name, ..)| *name == protocol.as_str())?;
    values.retain(|(slot, _)| slots.contains(slot));
    Some(Section {
        name: name.to_owned(),
        text: fill(text, &values).trim_matches('\n').trim_end().to_owned(),
        template: Some(name),
        values,
    })
}
