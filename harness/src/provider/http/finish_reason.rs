//! Converts servers' finish reasons to [`ResponseEnd`], according to the table `endings.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::parsed_response::ResponseEnd;

/// The API or field that a finish reason comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FinishReasonField {
    Chat,
    Responses,
    /// Field `incomplete_details.reason`.
    ResponsesDetails,
    Messages,
}

/// Meaning of a finish reason.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Meaning {
    Complete,
    Length,
    Context,
    Filter,
    Failed,
    Unfinished,
}

type Table = BTreeMap<FinishReasonField, BTreeMap<Meaning, Vec<String>>>;

/// The bundled table. A test of this module checks that it parses.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../endings.yaml")).unwrap_or_default()
});

impl FinishReasonField {
    /// Returns the meaning of a finish reason, or `None` if the field is missing, null or empty. An
    /// unknown reason counts as unfinished.
    pub fn ending(self, field: &str, value: &Value) -> Option<ResponseEnd> {
        let word = match value {
            Value::Null => return None,
            Value::String(word) if word.trim().is_empty() => return None,
            Value::String(word) => word.trim().to_owned(),
            other => other.to_string(),
        };
        Some(self.known(field, &word).unwrap_or_else(|| {
            ResponseEnd::Unfinished(format!("`{field}` is `{word}`, which is not a known value"))
        }))
    }

    /// Whether `after` should replace `before` as a field's value, because `before` is missing or
    /// complete, or `after` is a worse ending.
    pub fn should_change(self, field: &str, before: &Value, after: &Value) -> bool {
        let Some(after) = self.ending(field, after) else {
            return false;
        };
        let before = self.ending(field, before);
        before.is_none_or(|before| before == ResponseEnd::Complete || before.rank() < after.rank())
    }

    /// Returns the meaning of a finish reason, or `None` if it is not in the table.
    pub fn known(self, field: &str, word: &str) -> Option<ResponseEnd> {
        let plain = word.split(':').next().unwrap_or_default().trim();
        let plain = plain.to_lowercase().replace('-', "_");
        let mut meanings = TABLE.get(&self)?.iter();
        let (meaning, _) = meanings.find(|(_, words)| words.contains(&plain))?;
        let says = || format!("`{field}` is `{word}`");
        Some(match meaning {
            Meaning::Complete => ResponseEnd::Complete,
            Meaning::Length => ResponseEnd::Length,
            Meaning::Context => ResponseEnd::ContextFull,
            Meaning::Filter => ResponseEnd::Filter(word.to_owned()),
            Meaning::Failed => ResponseEnd::Failed(says()),
            Meaning::Unfinished => ResponseEnd::Unfinished(says()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Table;

    #[test]
    fn table_assigns_each_word_one_meaning() {
        let table: Table = serde_saphyr::from_str(include_str!("../../../endings.yaml")).unwrap();
        assert_eq!(table.len(), 4);
        for endings in table.values() {
            let all: Vec<&String> = endings.values().flatten().collect();
            let plain =
                |word: &&String| !word.contains([':', '-']) && **word == word.to_lowercase();
            assert!(!all.is_empty() && all.iter().all(plain), "{all:?}");
            assert_eq!(
                all.iter().collect::<BTreeSet<_>>().len(),
                all.len(),
                "{all:?}"
            );
        }
    }
}
