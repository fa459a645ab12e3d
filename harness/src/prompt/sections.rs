//! The bundled section texts, one constant for each file under `harness/prompts`.

use super::template::Template;
use crate::text::sha256_hex;

/// Declares one template per file, and the list of all of them.
macro_rules! sections {
    ($($constant:ident = $name:literal [$($slot:literal),*];)*) => {
        $(
            pub(super) const $constant: Template<{ <[&str]>::len(&[$($slot),*]) }> =
                Template::new(
                    $name,
                    include_str!(concat!("../../prompts/", $name, ".md")),
                    [$($slot),*],
                );
        )*

        /// Every bundled text by section name, with its slots.
        fn texts() -> Vec<(&'static str, &'static str, &'static [&'static str])> {
            vec![$(($constant.name, $constant.source(), &[$($slot),*])),*]
        }

        /// SHA-256 (hex) of every bundled section text, by section name: what a run's fingerprint
        /// takes as the prompts.
        pub fn template_digests() -> Vec<(&'static str, String)> {
            vec![
                $(($constant.name, sha256_hex($constant.source())),)*
                ("agent-turn", sha256_hex(super::web::ACTIONS)),
            ]
        }
    };
}

/// What is no section of a system prompt: messages of one turn, and texts inside of sections.
const NO_SECTIONS: [&str; 14] = [
    "subprompt-",
    "json-action-",
    "turn-",
    "note-",
    "context-",
    "past-",
    "call-",
    "image-",
    "output-left-out",
    "execute-code",
    "untrusted",
    "writing-",
    "who-",
    "children-",
];
/// The others of those inside of sections.
const INSIDE: [&str; 3] = ["lineage", "tool", "tool-parameter"];

/// What may be overridden and included: the sections of system prompts, by name, with their texts.
pub(crate) fn section_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts()
        .into_iter()
        .filter(|(name, ..)| {
            !INSIDE.contains(name) && !NO_SECTIONS.iter().any(|prefix| name.starts_with(prefix))
        })
        .map(|(name, text, _)| (name, text))
}

/// The slots of a section of system prompts; none for another name.
pub(crate) fn section_slots(name: &str) -> Option<&'static [&'static str]> {
    section_texts().find(|(known, _)| *known == name)?;
    let (.., slots) = texts().into_iter().find(|(known, ..)| *known == name)?;
    Some(slots)
}

sections! {
    // The core, in the order of a prompt.
    IDENTITY_SOLVER = "identity-solver" [];
    IDENTITY_COORDINATOR = "identity-coordinator" [];
    ENVIRONMENT = "environment" ["writing"];
    WRITING_FENCED = "writing-fenced" [];
    WRITING_TOOL = "writing-tool" [];
    DELEGATION = "delegation" ["child_iterations"];
    WORKFLOW_SOLVER = "workflow-solver" [];
    WORKFLOW_COORDINATOR = "workflow-coordinator" ["child_iterations", "pair_iterations"];
    DELEGATION_TIPS = "delegation-tips" [];
    PAGE = "page" [];
    // Agents of other kinds.
    CHILD_REPL = "child-repl" [];
    FLAT = "flat" [];
    DIRECT = "direct" [];
    NATIVE_TOOLS = "native-tools" ["iterations"];
    // What follows the core.
    TOOLS = "tools" ["tools"];
    TOOL = "tool" ["call", "description", "parameters"];
    TOOL_PARAMETER = "tool-parameter" ["name", "description"];
    MODELS = "models" ["models"];
    POSITION_ROOT = "position-root" ["max_depth", "invocation_id", "iterations", "children"];
    POSITION_CHILD = "position-child"
        ["depth", "max_depth", "invocation_id", "iterations", "children", "lineage"];
    POSITION_FLAT = "position-flat" ["depth", "max_depth", "invocation_id", "lineage"];
    CHILDREN_REPL = "children-repl" ["child_depth", "child_iterations"];
    CHILDREN_FLAT = "children-flat" [];
    LINEAGE = "lineage" ["lineage_limit", "ancestors"];
    DRIVERS = "drivers" [];
    // What a run lays over them.
    IDENTITY_LINE = "identity-line" ["who", "date"];
    WHO_NAMED_AT = "who-named-at" ["agent_name", "site"];
    WHO_NAMED = "who-named" ["agent_name"];
    WHO_AT = "who-at" ["site"];
    // What a prompt that was called as a tool gives, and gets.
    SUBPROMPT_CALL = "subprompt-call" ["name", "arguments", "outcome", "result"];
    SUBPROMPT_ERROR = "subprompt-error" ["error"];
    // User messages.
    TURN_FIRST = "turn-first" ["query", "context", "iterations"];
    TURN_FLAT = "turn-flat" ["query", "context"];
    TURN_RESULT = "turn-result" ["output", "notes", "position"];
    TURN_NO_CODE = "turn-no-code" ["position"];
    TURN_NO_CALL = "turn-no-call" ["position"];
    TURN_CUT_OFF = "turn-cut-off" ["position"];
    TURN_RETURNED_EARLY = "turn-returned-early" ["returned", "position"];
    TURN_POSITION = "turn-position" ["iteration", "iterations"];
    TURN_LAST = "turn-last" ["iterations"];
    TURN_TOOLS = "turn-tools" ["query", "length"];
    TURN_TOOLS_LAST = "turn-tools-last" [];
    TURN_TOOLS_EMPTY = "turn-tools-empty" [];
    TURN_TOOLS_REQUIRED = "turn-tools-required" [];
    TURN_TOOLS_CUT_OFF = "turn-tools-cut-off" [];
    IMAGE_LEFT_OUT = "image-left-out" ["media_type", "bytes"];
    NOTE_ERROR = "note-error" ["error"];
    NOTE_AGENT_DONE = "note-agent-done" ["agent", "answer"];
    NOTE_DROPPED = "note-dropped" ["count"];
    NOTE_UNAWAITED = "note-unawaited" ["count"];
    OUTPUT_LEFT_OUT = "output-left-out" ["chars"];
    CONTEXT_LEFT_OUT = "context-left-out" ["chars"];
    // Around text from outside.
    UNTRUSTED = "untrusted" ["boundary", "label", "text"];
    // The tool by which code comes where it does not come in fenced blocks.
    EXECUTE_CODE = "execute-code" [];
    EXECUTE_CODE_ARGUMENT = "execute-code-argument" [];
    CALL_NOT_RUN = "call-not-run" [];
    // Calls of a conversation that goes on without its tools.
    PAST_CALL = "past-call" ["name", "arguments"];
    PAST_RESULT = "past-result" ["content"];
    // The agent-turn protocol.
    WEB_IDENTITY = "web-identity" ["agent", "site", "date"];
    WEB_IDENTITY_UNDATED = "web-identity-undated" ["agent", "site"];
    WEB_TOOLS = "web-tools" ["tools"];
    WEB_TOOL = "web-tool" ["name", "description", "schema"];
    WEB_ENVELOPE = "web-envelope" [];
    WEB_DOM = "web-dom" ["ids", "example"];
    WEB_IDS_NUMBERS = "web-ids-numbers" [];
    WEB_IDS_HASHES = "web-ids-hashes" [];
    WEB_PAGE = "web-page" ["url", "dom"];
    WEB_NO_DUMP = "web-no-dump" ["problem"];
    WEB_NOT_RESPONDING = "web-not-responding" ["problem"];
    WEB_PAGE_CHANGED = "web-page-changed" ["url"];
    WEB_DIALOG_OPENED = "web-dialog-opened" ["kind", "message"];
    WEB_SKIPPED_CHANGED = "web-skipped-changed" [];
    WEB_SKIPPED_DIALOG = "web-skipped-dialog" [];
    WEB_SKIPPED_FAILED = "web-skipped-failed" [];
    WEB_NOT_CONFIRMED = "web-not-confirmed" [];
    WEB_UNKNOWN_ACTION = "web-unknown-action" ["name", "known"];
    WEB_CALL_NOT_RUN = "web-call-not-run" [];
    WEB_MALFORMED = "web-malformed" ["problem"];
    // The JSON action protocol.
    JSON_ACTION = "json-action" [];
    JSON_ACTION_APPS_NOTE = "json-action-apps-note" [];
    JSON_ACTION_DOCS_NOTE = "json-action-docs-note" [];
    JSON_ACTION_APPS_ENTRY = "json-action-apps-entry" [];
    JSON_ACTION_DOCS_ENTRY = "json-action-docs-entry" [];
    JSON_ACTION_REPEATED = "json-action-repeated" ["count", "left"];
    JSON_ACTION_MALFORMED = "json-action-malformed" ["problem"];
    CONTEXT_TEXT = "context-text" ["length"];
    CONTEXT_VALUE = "context-value" ["type"];
    CONTEXT_NONE = "context-none" [];
}
