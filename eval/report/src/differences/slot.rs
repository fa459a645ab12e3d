//! Values of a part in several runs, and whether they differ.

use serde_json::Value;

/// State of a part or of one of its members in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slot<'a> {
    /// The run's protocol does not use the part.
    Unused,
    /// The program that made the run did not record the part.
    NotRecorded,
    /// The program that made the run omits the part at its default.
    Default,
    /// The recorded part lacks this member.
    Missing,
    Value(&'a Value),
}

impl<'a> Slot<'a> {
    pub fn of(part: Option<&'a Value>) -> Self {
        part.map_or(Self::Unused, Self::Value)
    }

    pub fn member(self, name: &str) -> Self {
        match self {
            Self::Value(Value::Object(members)) => {
                members.get(name).map_or(Self::Missing, Slot::Value)
            }
            Self::Value(_) => Self::Missing,
            other => other,
        }
    }

    /// Whether the value is an object to compare member by member.
    pub fn is_divisible(self) -> bool {
        matches!(self, Self::Value(Value::Object(members)) if !members.contains_key("name"))
    }

    /// Whether the run has no value that can be compared.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Unused | Self::NotRecorded | Self::Default)
    }

    /// Whether the value is missing, null or empty.
    pub fn is_empty(self) -> bool {
        match self {
            Self::Missing => true,
            Self::Value(value) => is_empty(value),
            Self::Unused | Self::NotRecorded | Self::Default => false,
        }
    }
}

/// Whether all values are the same or unset.
pub fn alike(values: &[Slot]) -> bool {
    values.windows(2).all(|pair| {
        pair[0] == pair[1]
            || pair.iter().all(|slot| slot.is_empty())
            || are_same_thing(pair[0], pair[1])
    })
}

/// Whether both values have the same `identity`, such as a bundled model and a copy of its file.
fn are_same_thing(one: Slot, other: Slot) -> bool {
    let identity = |slot: Slot<'_>| match slot {
        Slot::Value(value) => value.get("identity").cloned(),
        _ => None,
    };
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// Whether a value counts as unset.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
