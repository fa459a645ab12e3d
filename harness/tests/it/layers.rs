//! Prompt overrides of a run, and stability of prompts across turns.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use harness::model::{NoEvents, Role};
use harness::prompt::{
    ActionOverride, ActionOverrides, AgentPrompt, DefinitionPiece, PromptOverrides, Replacement,
    RootDefinition, system_prompt,
};
use harness::provider::{CallSink, Provider, ProviderError, Request, Response};
use harness::settings::{IterationSettings, PromptMode, PromptSettings};
use harness::{Conduct, Engine, Model, ModelMap, Protocol, ToolSpec, Treatment};

use crate::prompt_golden::agent;
use crate::recorder::task;

fn all() -> PromptOverrides {
    PromptOverrides {
        date: "2026-01-31".to_owned(),
        agent_name: "Ada".to_owned(),
        site: "acme.example".to_owned(),
        persona: "Speak as \"we\".\n".to_owned(),
        append: "# Language\nAnswer in the user's language.\n".to_owned(),
        ..PromptOverrides::default()
    }
}

#[test]
fn places_overrides_in_prompt() {
    let date = PromptOverrides {
        date: "2026-01-31".to_owned(),
        ..PromptOverrides::default()
    };
    let named = PromptOverrides {
        site: String::new(),
        ..all()
    };
    let replaced = |text: &str| PromptOverrides {
        replacement: Some(Replacement::parse(text).unwrap()),
        ..all()
    };
    let own_sections = PromptOverrides {
        sections: BTreeMap::from([
            (
                "identity-solver".to_owned(),
                "You are a pirate.\n".to_owned(),
            ),
            (
                "delegation".to_owned(),
                "Mates: {child_iterations}, {nothing}.".to_owned(),
            ),
            (
                "position-root".to_owned(),
                "{invocation_id} of {iterations}".to_owned(),
            ),
            ("delegation-tips".to_owned(), String::new()),
        ]),
        ..PromptOverrides::default()
    };
    let piece = |text: &str, of_section| DefinitionPiece {
        text: text.to_owned(),
        of_section,
    };
    let defined = PromptOverrides {
        definition: Some(RootDefinition {
            pieces: vec![
                piece("You review. {child_iterations} is text here. ", false),
                piece("Mates: {child_iterations}.", true),
            ],
            ..RootDefinition::default()
        }),
        ..all()
    };
    let root = agent(0, 2, PromptMode::Solver, 20);
    let direct = AgentPrompt {
        role: Role::Root(Protocol::Direct),
        ..root
    };
    let cases: [(&str, AgentPrompt<'_>, PromptOverrides); 15] = [
        ("only a date", root, date.clone()),
        ("all overrides", root, all()),
        ("without a site", root, named),
        (
            "a child has only the date",
            agent(1, 3, PromptMode::Solver, 20),
            all(),
        ),
        (
            "a flat child has only the date",
            agent(2, 2, PromptMode::Solver, 20),
            all(),
        ),
        (
            "a one-shot call has only the date",
            AgentPrompt {
                role: Role::OneShot,
                ..agent(1, 2, PromptMode::Solver, 20)
            },
            all(),
        ),
        (
            "a specialist has only the date",
            AgentPrompt {
                system_prompt: Some("You check."),
                ..agent(1, 2, PromptMode::Solver, 20)
            },
            all(),
        ),
        ("the direct protocol begins with the line", direct, all()),
        (
            "whole prompt replaced",
            root,
            replaced("Only this.\nAnd `export { default }`.\n"),
        ),
        (
            "text around the default prompt",
            direct,
            replaced("Before.\n\n  {{default}}\nAfter.\n"),
        ),
        (
            "placeholder without text around it",
            direct,
            replaced("{{default}}"),
        ),
        ("user-supplied sections", root, own_sections),
        ("a definition for the root", root, defined.clone()),
        (
            "a child ignores the root's definition",
            agent(1, 2, PromptMode::Solver, 20),
            defined.clone(),
        ),
        ("a definition in another protocol", direct, defined),
    ];
    let mut told = String::new();
    for (about, agent, layers) in &cases {
        let prompt = system_prompt(&AgentPrompt {
            overrides: layers,
            ..*agent
        });
        told += &format!("# {about}\n");
        for section in &prompt.sections {
            let bundled = section.text.lines().count() > 4;
            let first = section.text.lines().next().unwrap_or_default();
            let shown = if bundled {
                first
            } else {
                section.text.as_str()
            };
            told += &format!(
                "{}: {shown:?}{}\n",
                section.name,
                if bundled { " …" } else { "" }
            );
        }
        told += "\n";
    }
    insta::assert_snapshot!(told);
}

#[test]
fn replacement_requires_placeholder_on_separate_line() {
    let misplaced = "`{{default}}` must be written exactly like this, on a separate line";
    let around = |before: &str, after: &str| {
        Ok(Replacement::Around {
            before: before.to_owned(),
            after: after.to_owned(),
        })
    };
    let whole = |text: &str| Ok(Replacement::Whole(text.to_owned()));
    let wrong = |line: usize, problem: &str| Err(format!("line {line}: {problem}"));
    let empty = "is empty; expected a prompt, or a line `{{default}}` with text around it";
    let rows = [
        ("a\n{{default}}\nb\n", around("a", "b")),
        ("\u{feff}{{default}}\r\nb", around("", "b")),
        (
            "a\nimport { default as b }\n",
            whole("a\nimport { default as b }"),
        ),
        ("a\n{default}\nb", wrong(2, misplaced)),
        ("a\n\n${ default }\n", wrong(3, misplaced)),
        ("{{ default }}\n", wrong(1, misplaced)),
        ("a\nFirst: {{default}}\n", wrong(2, misplaced)),
        ("{{default}}\nAs in {{ default }}\n", wrong(2, misplaced)),
        (
            "{{default}}\n\n{{default}}",
            wrong(3, "duplicate `{{default}}`, first on line 1"),
        ),
        ("", wrong(1, empty)),
        ("\n \n", wrong(1, empty)),
    ];
    for (text, expected) in rows {
        let read = Replacement::parse(text).map_err(|error| error.to_string());
        assert_eq!(read, expected, "{text:?}");
    }
}

#[test]
fn overrides_action_descriptions() {
    let spec = |name: &str, description: &str| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: serde_json::json!({"type": "object"}),
    };
    let overrides: ActionOverrides = serde_saphyr::from_str(
        "navigate: {appendDescription: Just call it.}\nborder: {description: Other.}\nclick: {appendDescription: a, description: b}\n\
         page.open: {description: Named as in a REPL.}\npage_close: {description: Named as on the wire.}\n",
    )
    .unwrap();
    assert_eq!(
        overrides.0["navigate"],
        ActionOverride {
            append_description: Some("Just call it.".to_owned()),
            description: None,
        }
    );
    let names = [
        "navigate",
        "border",
        "click",
        "scroll",
        "page.open",
        "page.close",
    ];
    let specs = names.map(|name| spec(name, "Default."));
    let described: Vec<String> = overrides
        .apply(specs.into())
        .into_iter()
        .map(|spec| spec.description)
        .collect();
    assert_eq!(
        described,
        [
            "Default.\nJust call it.",
            "Other.",
            "b",
            "Default.",
            "Named as in a REPL.",
            "Named as on the wire."
        ]
    );
}

/// Model that stores the requests it receives, and answers in turn 20.
#[derive(Default)]
struct Listener(Mutex<Vec<Request>>);

#[async_trait]
impl Provider for Listener {
    async fn complete(
        &self,
        request: &Request,
        _calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let mut heard = self.0.lock().unwrap();
        heard.push(request.clone());
        let code = if heard.len() < 20 {
            format!("console.log({})", heard.len())
        } else {
            "return(\"done\")".to_owned()
        };
        Ok(Response {
            text: format!("```js\n{code}\n```"),
            ..Response::default()
        })
    }
}

#[test]
fn prompt_is_stable_and_history_grows() {
    let listener = Arc::new(Listener::default());
    let treatment = Treatment {
        prompts: PromptSettings {
            prompt_mode: PromptMode::Coordinator,
            ..PromptSettings::default()
        },
        iterations: IterationSettings {
            max_iterations: 25,
            ..IterationSettings::default()
        },
        overrides: all(),
        ..Treatment::default()
    };
    let models = ModelMap::new(Model {
        reference: "test/listener".to_owned(),
        name: "listener".to_owned(),
        sampling: Arc::default(),
        provider: Arc::clone(&listener) as Arc<dyn Provider>,
    });
    let engine = Engine::new(treatment, Conduct::default(), models, |_| ()).unwrap();
    let task = task("Count.", "");
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(engine.run(&task, Arc::new(NoEvents)));
    assert_eq!(outcome.answer.as_deref(), Some("done"), "{outcome:?}");
    let heard = listener.0.lock().unwrap();
    assert_eq!(heard.len(), 20);
    assert!(
        heard[0]
            .system
            .contains("You are Ada, at work on acme.example. Today is 2026-01-31.")
    );
    for turns in heard.windows(2) {
        let [earlier, later] = turns else {
            unreachable!("windows of two");
        };
        assert_eq!(earlier.system, later.system);
        assert_eq!(earlier.tools, later.tools);
        assert_eq!(later.messages.len(), earlier.messages.len() + 2);
        assert_eq!(later.messages[..earlier.messages.len()], earlier.messages);
    }
}
