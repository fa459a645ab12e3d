//! Texts of the agent-turn protocol: sections of the system prompt, the page, and notes about
//! actions.

use crate::model::web::{IdStyle, PageError, PageProblem};
use crate::prompt::sections::{
    WEB_DIALOG_OPENED, WEB_DOM, WEB_ENVELOPE, WEB_HEADER, WEB_IDENTITY, WEB_IDENTITY_UNDATED,
    WEB_IDS_HASHES, WEB_IDS_NUMBERS, WEB_NOT_RESPONDING, WEB_PAGE, WEB_TOOL, WEB_TOOLS,
    WEB_UNKNOWN_ACTION,
};
use crate::prompt::{AgentTurnSettings, Assembled, DomHeader, Replacement, Section};

/// Returns the system prompt or its replacement. The default consists of the identity, the persona,
/// and the sections about tools, envelope and DOM. `appendSystemPrompt` follows the default unless
/// it is replaced. `tools` are all actions, each formatted by [`tool_section`]. `of_run` is the
/// run's replacement of the prompt; it takes precedence over those in the settings.
pub(super) fn system_prompt(
    settings: &AgentTurnSettings,
    tools: &str,
    of_run: Option<&Replacement>,
) -> Assembled {
    let (agent, site) = (&settings.agent_name, &settings.site_name);
    let mut default = vec![section(
        "web-identity",
        match &settings.date {
            Some(date) => WEB_IDENTITY.render([agent, date, site]),
            None => WEB_IDENTITY_UNDATED.render([agent, site]),
        },
    )];
    default.extend(named("persona", settings.persona.as_deref()));
    default.push(section("web-tools", WEB_TOOLS.render([tools])));
    default.push(section("web-envelope", WEB_ENVELOPE.render([])));
    let (ids, example) = match settings.dom_ids {
        IdStyle::Numbers => (WEB_IDS_NUMBERS.render([]), "5"),
        IdStyle::Hashes => (WEB_IDS_HASHES.render([]), "3a2b"),
    };
    let header = match settings.dom_header {
        DomHeader::All => format!(" {}", WEB_HEADER.render([])),
        DomHeader::Url => String::new(),
    };
    default.push(section("web-dom", WEB_DOM.render([example, &header, &ids])));
    let template = settings.system_prompt_template.as_ref();
    let sections = match (of_run, template, &settings.system_prompt) {
        (Some(Replacement::Whole(text)), ..) => vec![section("replacement", text.clone())],
        (Some(Replacement::Around { before, after }), ..) => {
            let mut sections: Vec<Section> = named("replacement-before", Some(before))
                .into_iter()
                .collect();
            sections.extend(default);
            sections.extend(named("replacement-after", Some(after)));
            sections
        }
        (None, Some(template), _) => {
            let default = Assembled { sections: default }.text();
            vec![section(
                "system-prompt",
                template.replace("{default}", &default),
            )]
        }
        (None, None, Some(replacement)) => vec![section("system-prompt", replacement.clone())],
        (None, None, None) => {
            let mut sections = default;
            let append = settings.append_system_prompt.as_deref();
            sections.extend(named("append-system-prompt", append));
            sections
        }
    };
    Assembled { sections }
}

fn section(name: &str, text: String) -> Section {
    Section::of_text(name, text)
}

/// Returns a section, or `None` for a missing or blank text.
fn named(name: &str, text: Option<&str>) -> Option<Section> {
    let text = text.unwrap_or_default().trim();
    (!text.is_empty()).then(|| section(name, text.to_owned()))
}

/// Formats an action with its schema, for the section about tools.
pub(super) fn tool_section(name: &str, description: &str, schema: &str) -> String {
    WEB_TOOL.render([description.trim_end(), name, schema])
}

/// Returns the current page, which is the last message of every request.
pub(super) fn page_block(url: &str, dom: &str) -> String {
    WEB_PAGE.render([dom, url])
}

/// Returns the message of an error. If the page did not respond in time, adds how to recover,
/// because waiting does not help.
pub(super) fn page_failed(error: &PageError) -> String {
    match error.problem {
        PageProblem::TimedOut => WEB_NOT_RESPONDING.render([&error.message]),
        _ => error.message.clone(),
    }
}

/// Returns the note that an action opened a dialog.
pub(super) fn dialog_opened(kind: &str, message: &str) -> String {
    WEB_DIALOG_OPENED.render([kind, &format!("{message:?}")])
}

/// Returns the note that an action does not exist.
pub(super) fn unknown_action(name: &str, known: &str) -> String {
    let name: String = name.chars().take(60).collect();
    WEB_UNKNOWN_ACTION.render([known, &format!("{name:?}")])
}
