//! The texts of the agent-turn protocol: the sections of the system prompt, the page, and notes on what was not done.

use super::sections::{
    WEB_CALL_NOT_RUN, WEB_DIALOG_OPENED, WEB_DOM, WEB_ENVELOPE, WEB_HEADER, WEB_IDENTITY,
    WEB_IDENTITY_UNDATED, WEB_IDS_HASHES, WEB_IDS_NUMBERS, WEB_MALFORMED, WEB_NO_DUMP,
    WEB_NOT_CONFIRMED, WEB_NOT_RESPONDING, WEB_PAGE, WEB_PAGE_CHANGED, WEB_REFUSED,
    WEB_SKIPPED_CHANGED, WEB_SKIPPED_DIALOG, WEB_SKIPPED_FAILED, WEB_TOOL, WEB_TOOLS,
    WEB_UNKNOWN_ACTION,
};
use super::{Assembled, DomHeader, Replacement, Section};
use crate::model::web::{IdStyle, PageError, PageProblem};

/// The actions of a web agent with their descriptions, and the tool that carries them: YAML.
pub(crate) const ACTIONS: &str = include_str!("../protocol/agent_turn/agent-turn.yaml");

/// What the system prompt of a web agent is made of.
#[derive(Debug, Clone)]
pub(crate) struct WebPrompt<'a> {
    pub agent: &'a str,
    pub site: &'a str,
    pub date: Option<&'a str>,
    pub persona: Option<&'a str>,
    /// All actions, as [`tool_section`] shows each.
    pub tools: String,
    pub ids: IdStyle,
    pub header: DomHeader,
    /// What a run puts in its place; wins over all that follows.
    pub of_run: Option<&'a Replacement>,
    /// The whole prompt with `{default}` for the default one; wins over `replacement`.
    pub template: Option<&'a str>,
    /// The whole prompt.
    pub replacement: Option<&'a str>,
    /// What follows the default prompt.
    pub append: Option<&'a str>,
}

/// The system prompt: identity, persona, `# Tools`, `# Envelope`, `# DOM`, and the site's own block; or what takes its place.
pub(crate) fn system_prompt(parts: &WebPrompt<'_>) -> Assembled {
    let mut default = vec![section(
        "web-identity",
        match parts.date {
            Some(date) => WEB_IDENTITY.render([parts.agent, date, parts.site]),
            None => WEB_IDENTITY_UNDATED.render([parts.agent, parts.site]),
        },
    )];
    default.extend(named("persona", parts.persona));
    default.push(section("web-tools", WEB_TOOLS.render([&parts.tools])));
    default.push(section("web-envelope", WEB_ENVELOPE.render([])));
    let (ids, example) = match parts.ids {
        IdStyle::Numbers => (WEB_IDS_NUMBERS.render([]), "5"),
        IdStyle::Hashes => (WEB_IDS_HASHES.render([]), "3a2b"),
    };
    let header = match parts.header {
        DomHeader::All => format!(" {}", WEB_HEADER.render([])),
        DomHeader::Url => String::new(),
    };
    default.push(section("web-dom", WEB_DOM.render([example, &header, &ids])));
    let sections = match (parts.of_run, parts.template, parts.replacement) {
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
        (None, None, Some(replacement)) => vec![section("system-prompt", replacement.to_owned())],
        (None, None, None) => {
            let mut sections = default;
            sections.extend(named("append-system-prompt", parts.append));
            sections
        }
    };
    Assembled { sections }
}

fn section(name: &str, text: String) -> Section {
    Section::of_text(name, text)
}

/// A section of a text that may be left out.
fn named(name: &str, text: Option<&str>) -> Option<Section> {
    let text = text.unwrap_or_default().trim();
    (!text.is_empty()).then(|| section(name, text.to_owned()))
}

/// An action with its schema, in `# Tools`.
pub(crate) fn tool_section(name: &str, description: &str, schema: &str) -> String {
    WEB_TOOL.render([description.trim_end(), name, schema])
}

/// The page as it is now: the newest message of every request.
pub(crate) fn page_block(url: &str, dom: &str) -> String {
    WEB_PAGE.render([dom, url])
}

/// What stands in place of a dump that cannot be made.
pub(crate) fn no_dump(problem: &str) -> String {
    WEB_NO_DUMP.render([problem])
}

/// What pages asked for and did not get. Each address once, and not more of them than a reader wants.
pub(crate) fn refused(addresses: &[String]) -> String {
    const MOST: usize = 10;
    const LONGEST: usize = 200;
    let different: std::collections::BTreeSet<&String> = addresses.iter().collect();
    let mut lines: Vec<String> = different
        .iter()
        .take(MOST)
        .map(|address| format!("- {}", address.chars().take(LONGEST).collect::<String>()))
        .collect();
    if different.len() > MOST {
        lines.push(format!("- and {} more", different.len() - MOST));
    }
    WEB_REFUSED.render([&lines.join("\n")])
}

/// What the page did not do. One that hangs is still there after any wait: what gets it back is said, too.
pub(crate) fn page_failed(error: &PageError) -> String {
    match error.problem {
        PageProblem::TimedOut => WEB_NOT_RESPONDING.render([&error.message]),
        _ => error.message.clone(),
    }
}

/// An action brought up another page.
pub(crate) fn page_changed(url: &str) -> String {
    WEB_PAGE_CHANGED.render([url])
}

/// An action brought up a dialog.
pub(crate) fn dialog_opened(kind: &str, message: &str) -> String {
    WEB_DIALOG_OPENED.render([kind, &format!("{message:?}")])
}

/// Why an action was skipped: the page had changed.
pub(crate) fn skipped_changed() -> String {
    WEB_SKIPPED_CHANGED.render([])
}

/// Why an action was skipped: a dialog was open.
pub(crate) fn skipped_dialog() -> String {
    WEB_SKIPPED_DIALOG.render([])
}

/// Why an action was skipped: the one before it was not done.
pub(crate) fn skipped_failed() -> String {
    WEB_SKIPPED_FAILED.render([])
}

/// Why an action was refused.
pub(crate) fn not_confirmed() -> String {
    WEB_NOT_CONFIRMED.render([])
}

/// There is no such action.
pub(crate) fn unknown_action(name: &str, known: &str) -> String {
    let name: String = name.chars().take(60).collect();
    WEB_UNKNOWN_ACTION.render([known, &format!("{name:?}")])
}

/// The result of a call that was one too many.
pub(crate) fn call_beyond_first() -> String {
    WEB_CALL_NOT_RUN.render([])
}

/// The answer to a response without a usable envelope.
pub(crate) fn malformed(problem: &str) -> String {
    WEB_MALFORMED.render([problem])
}
