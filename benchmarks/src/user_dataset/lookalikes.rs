//! Notes about fields whose names suggest a role that they do not have.

use super::{DESCRIPTION, UserDataset};
use crate::template::names;

/// Names that other datasets use for the field with the query.
const QUERIES: [&str; 5] = ["input", "problem", "prompt", "question", "questions"];
/// Names that other datasets use for the field with the expected value.
const ANSWERS: [&str; 6] = ["answer", "answers", "expect", "gold", "solution", "target"];
/// Names that other datasets use for the field with the context.
const CONTEXTS: [&str; 8] = [
    "context_path",
    "contextfile",
    "contexts",
    "ctx",
    "document",
    "passage",
    "passages",
    "text",
];

impl UserDataset {
    /// Returns a note for each field whose name suggests a role that the rows otherwise lack.
    pub(super) fn notes_on_lookalikes(&self) -> Vec<String> {
        let fields = &self.fields;
        let has = |name: &String| self.seen.contains(name);
        let template = self.description.query.as_deref().unwrap_or_default();
        let is_used = |name: &str| {
            let metadata = self.description.metadata.iter().flatten();
            names(template).any(|used| used == name)
                || self.description.fields.values().any(|used| used == name)
                || metadata.into_iter().any(|used| used == name)
        };
        let is_query = has(&fields.query) || has(&fields.world.turns) || !template.is_empty();
        let is_expected = has(&fields.expected) || has(&fields.world.check);
        let is_context = has(&fields.context) || has(&fields.context_file);
        let roles: [(&String, bool, &[&str]); 3] = [
            (&fields.query, is_query, &QUERIES),
            (&fields.expected, is_expected, &ANSWERS),
            (&fields.context, is_context, &CONTEXTS),
        ];
        let missing = roles.into_iter().filter(|(_, is_there, _)| !is_there);
        let like = missing.flat_map(|(role, _, names)| {
            let named = self.seen.iter().map(String::as_str);
            let alike = named.filter(|name| names.contains(&&*name.to_lowercase()));
            alike.map(move |name| (role, name)).collect::<Vec<_>>()
        });
        like.filter(|(_, name)| !is_used(name))
            .map(|(role, name)| {
                format!(
                    "the field `{name}` is not read as `{role}`; rename it, or name it in `fields` of a {DESCRIPTION}"
                )
            })
            .collect()
    }
}
