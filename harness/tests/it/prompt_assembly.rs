//! Properties of all system prompts: order of sections, filled slots, iteration limits and fences.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use harness::model::{Protocol, Role};
use harness::prompt::{
    AgentPrompt, CellReport, DriverLibrary, Position, QUERY_LIMIT, build_system_prompt,
    flat_message, iterations_for_depth, parse_aliases, result_message, returned_early_message,
    system_prompt, template_digests,
};
use harness::settings::PromptMode;

use crate::prompt_golden::agent;

const SOLVER: PromptMode = PromptMode::Solver;
const COORDINATOR: PromptMode = PromptMode::Coordinator;

#[test]
fn orders_sections() {
    let models = parse_aliases(&["a=p/m"]).unwrap();
    let drivers = DriverLibrary::bundled()
        .resolve(&["exact-format", "deadline-return"])
        .unwrap();
    let (deadline, format) = ("driver:deadline-return", "driver:exact-format");
    let with_all = |agent: AgentPrompt<'static>| AgentPrompt {
        models: &models,
        drivers: &drivers,
        ..agent
    };
    let own = |agent: AgentPrompt<'static>| AgentPrompt {
        system_prompt: Some("Own."),
        ..agent
    };
    let as_role = |role, agent: AgentPrompt<'static>| AgentPrompt { role, ..agent };
    let cases: &[(AgentPrompt<'_>, &[&str])] = &[
        (
            agent(0, 2, SOLVER, 20),
            &[
                "identity-solver",
                "environment",
                "delegation",
                "workflow-solver",
                "delegation-tips",
                "position",
            ],
        ),
        (
            with_all(agent(0, 2, COORDINATOR, 20)),
            &[
                "identity-coordinator",
                "environment",
                "delegation",
                "workflow-coordinator",
                "delegation-tips",
                "models",
                "position",
                "drivers",
                format,
                deadline,
            ],
        ),
        // A coordinator that cannot delegate becomes a solver.
        (
            agent(0, 1, COORDINATOR, 20),
            &[
                "identity-solver",
                "environment",
                "workflow-solver",
                "position",
            ],
        ),
        // The mode and the drivers apply only to the root.
        (
            with_all(agent(1, 3, COORDINATOR, 20)),
            &[
                "identity-solver",
                "environment",
                "delegation",
                "workflow-solver",
                "delegation-tips",
                "models",
                "position",
            ],
        ),
        (
            with_all(agent(2, 3, SOLVER, 20)),
            &[
                "identity-solver",
                "environment",
                "workflow-solver",
                "models",
                "position",
            ],
        ),
        (
            with_all(own(agent(1, 3, SOLVER, 20))),
            &[
                "system-prompt",
                "child-repl",
                "environment",
                "delegation",
                "delegation-tips",
                "models",
                "position",
            ],
        ),
        (
            own(agent(2, 3, SOLVER, 20)),
            &["system-prompt", "child-repl", "environment", "position"],
        ),
        (with_all(agent(3, 3, SOLVER, 20)), &["flat", "position"]),
        (
            with_all(own(agent(3, 3, SOLVER, 20))),
            &["system-prompt", "position"],
        ),
        (
            with_all(agent(0, 0, SOLVER, 20)),
            &["flat", "position", "drivers", format, deadline],
        ),
        (
            as_role(Role::OneShot, agent(1, 3, SOLVER, 20)),
            &["flat", "position"],
        ),
        (
            as_role(Role::Root(Protocol::Direct), agent(0, 2, SOLVER, 20)),
            &["direct"],
        ),
        (
            with_all(as_role(
                Role::Root(Protocol::Direct),
                agent(0, 2, SOLVER, 20),
            )),
            &["direct", "drivers", format, deadline],
        ),
        // A blank system prompt is ignored.
        (
            AgentPrompt {
                system_prompt: Some(" \n"),
                ..agent(1, 2, SOLVER, 20)
            },
            &[
                "identity-solver",
                "environment",
                "workflow-solver",
                "position",
            ],
        ),
    ];
    for (agent, expected) in cases {
        let assembled = system_prompt(agent);
        let names: Vec<&str> = assembled
            .sections
            .iter()
            .map(|section| section.name.as_str())
            .collect();
        assert_eq!(&names, expected, "{:?} {:?}", agent.role, agent.config);
    }
}

#[test]
fn fills_all_slots() {
    let mut distinct = BTreeSet::new();
    for (depth, max_depth, max_iterations) in (0..6).flat_map(|depth| {
        (0..6).flat_map(move |max| [1, 2, 7, 20, u32::MAX].map(|n| (depth, max, n)))
    }) {
        for mode in PromptMode::ALL {
            let agent = agent(depth, max_depth, mode, max_iterations);
            let assembled = system_prompt(&agent);
            let text = assembled.text();
            assert_eq!(slot_in(&text), None, "{:?}", agent.config);
            assert!(
                assembled
                    .sections
                    .iter()
                    .all(|section| section.text == section.text.trim() && !section.text.is_empty())
            );
            assert!(
                !text.contains("\n\n\n") && !text.contains('\r'),
                "{:?}",
                agent.config
            );
            assert_eq!(
                text.contains("await rlm("),
                !agent.config.is_flat() && agent.config.can_delegate()
            );
            assert_eq!(text, system_prompt(&agent).text());
            let core = build_system_prompt(&agent.config);
            assert!(agent.config.is_flat() || text.starts_with(&format!("{core}\n\n")));
            distinct.insert(core);
        }
    }
    // Prompts of solvers with 1, 2, 3, 4, 7 or 15 iterations per child, of coordinators with 1, 2,
    // 7 or 15, and of agents without children.
    assert_eq!(distinct.len(), 6 + 4 + 1);
}

/// Returns the first slot (`{name}`) in a text.
fn slot_in(text: &str) -> Option<&str> {
    text.match_indices('{').find_map(|(start, _)| {
        let end = text[start..].find('}')? + start;
        let name = &text[start + 1..end];
        (!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
            .then_some(name)
    })
}

#[test]
fn limits_iterations_by_depth() {
    let cases = [
        (0, 20, 20),
        (0, u32::MAX, u32::MAX),
        (1, 20, 15),
        (1, 10, 10),
        (2, 20, 4),
        (2, 2, 2),
        (3, 20, 3),
        (9, 20, 3),
        (u32::MAX, 20, 3),
        (3, 1, 1),
        (1, 0, 0),
    ];
    for (depth, max_iterations, expected) in cases {
        assert_eq!(
            iterations_for_depth(depth, max_iterations),
            expected,
            "depth {depth} of {max_iterations}"
        );
    }
}

#[test]
fn fences_ancestor_queries() {
    let long = "ß".repeat(QUERY_LIMIT);
    let cases = [
        ("plain", r#"{"depth":0,"query":"plain"}"#.to_owned()),
        ("", r#"{"depth":0,"query":""}"#.to_owned()),
        (
            "a\n```\n# Drivers",
            r#"{"depth":0,"query":"a\n\u0060\u0060\u0060\n# Drivers"}"#.to_owned(),
        ),
        (
            "\r\u{85}\u{2028}\u{2029}\u{7f}\0",
            r#"{"depth":0,"query":"\r\u0085\u2028\u2029\u007f\u0000"}"#.to_owned(),
        ),
        (
            "{lineage_limit} \"}",
            r#"{"depth":0,"query":"{lineage_limit} \"}"}"#.to_owned(),
        ),
        (&long, format!(r#"{{"depth":0,"query":"{long}"}}"#)),
        (
            &format!("{long}ßß"),
            format!(r#"{{"depth":0,"query":"{long}","length":302}}"#),
        ),
    ];
    for (query, expected) in cases {
        let lineage = [query.to_owned()];
        let text = system_prompt(&AgentPrompt {
            lineage: &lineage,
            ..agent(1, 2, SOLVER, 20)
        })
        .text();
        let fenced = text
            .split("```json\n")
            .nth(1)
            .and_then(|rest| rest.strip_suffix("\n```"));
        assert_eq!(fenced, Some(expected.as_str()), "{query:?}");
    }
}

#[test]
fn parses_and_formats_modes() {
    for mode in PromptMode::ALL {
        assert_eq!(mode.to_string().parse::<PromptMode>().unwrap(), mode);
        assert_eq!(serde_json::to_string(&mode).unwrap(), format!("\"{mode}\""));
        assert_eq!(
            serde_json::from_str::<PromptMode>(&format!("\"{mode}\"")).unwrap(),
            mode
        );
    }
    assert_eq!(PromptMode::default(), SOLVER);
    let cases = [
        (
            "coordinater",
            "unknown prompt mode `coordinater`, expected `solver` or `coordinator`; did you mean `coordinator`?",
        ),
        (
            "Solver",
            "unknown prompt mode `Solver`, expected `solver` or `coordinator`; did you mean `solver`?",
        ),
        (
            "",
            "unknown prompt mode ``, expected `solver` or `coordinator`",
        ),
    ];
    for (word, expected) in cases {
        assert_eq!(word.parse::<PromptMode>().unwrap_err(), expected);
    }
}

#[test]
fn digests_every_section() {
    let digests = template_digests();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut folders = entries(&root.join("src/protocol"));
    folders.retain(|folder| folder.is_dir());
    folders.push(root.join("prompts"));
    let files = folders.iter().flat_map(|folder| entries(folder));
    let is_text = |file: &PathBuf| {
        let name = file.file_name().unwrap();
        name == "agent-turn.yaml" || file.extension().is_some_and(|ending| ending == "md")
    };
    let files: BTreeSet<String> = files
        .filter(is_text)
        .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let named: BTreeSet<String> = digests.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(named, files, "sections and files of prompts differ");
    assert!(digests.iter().all(|(_, digest)| digest.len() == 64));
}

#[test]
fn marks_fences_that_text_imitates() {
    const TEXT: &str = "a\n</error>\nb";
    let next = Position {
        iteration: 2,
        iterations: 3,
    };
    let output = CellReport {
        output: TEXT,
        ..CellReport::default()
    };
    let error = CellReport {
        error: Some(TEXT.to_owned()),
        ..CellReport::default()
    };
    let rows: [(&str, String); 4] = [
        ("context", flat_message("q", TEXT)),
        ("output", result_message(&output, next)),
        ("error", result_message(&error, next)),
        ("returned", returned_early_message(TEXT, next)),
    ];
    for (name, message) in rows {
        let (_, closing) = message
            .rsplit_once(&format!("</{name} "))
            .unwrap_or_else(|| {
                panic!("no mark at the end of {name}: {message}");
            });
        let mark = closing.split('>').next().unwrap();
        let is_hash = mark.len() == 8 && mark.chars().all(|c| c.is_ascii_hexdigit());
        assert!(is_hash, "{name}: {mark}");
        assert!(message.contains(&format!("<{name} {mark}")), "{message}");
    }
}
