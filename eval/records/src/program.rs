//! Identity of the program that ran an attempt: a digest for each compiled-in component that can
//! change an answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Number of digest characters shown in messages.
const SHORT: usize = 12;

/// The component whose value is a name (`quickjs` or `v8`) instead of a digest.
pub const ENGINE: &str = "engine";

/// Digests of a program's components (`sandbox`, `harness`, `prompts` and others) in lowercase hex,
/// and the name of its `engine`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Program(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Program {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(components: I) -> Self {
        Self(components.into_iter().collect())
    }
}

impl Program {
    /// Returns the lowercase hex SHA-256 over the names and digests of all components.
    pub fn digest(&self) -> String {
        let lines: String = self
            .0
            .iter()
            .map(|(name, digest)| format!("{name} {digest}\n"))
            .collect();
        hex::encode(Sha256::digest(lines))
    }

    /// Returns the digest of each component, or the engine's name, keyed by component.
    pub fn components(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Returns the display name of the JavaScript engine, or `None` if it is not recorded.
    pub fn engine(&self) -> Option<&str> {
        Some(match self.0.get(ENGINE)?.as_str() {
            "quickjs" => "QuickJS",
            "v8" => "V8",
            other => other,
        })
    }

    /// Describes, as a clause, which components differ: `the sandbox and the prompts differ`.
    pub fn difference(&self, other: &Self) -> String {
        let names: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let differing: Vec<String> = names
            .into_iter()
            .filter(|name| self.0.get(*name) != other.0.get(*name))
            .map(|name| component_name(name))
            .collect();
        match differing.as_slice() {
            [] => "nothing differs".to_owned(),
            [one] if !one.ends_with('s') || one.ends_with("harness") => format!("{one} differs"),
            [one] => format!("{one} differ"),
            [most @ .., last] => format!("{} and {last} differ", most.join(", ")),
        }
    }
}

/// Returns a component's name for use in a sentence. A long name, or one with unexpected
/// characters, comes from an untrusted file and is not shown.
fn component_name(name: &str) -> String {
    /// Maximum bytes of a component's name.
    const LONGEST: usize = 32;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if name.len() <= LONGEST && name.bytes().all(plain) {
        format!("the {}", name.replace('_', " "))
    } else {
        "an unknown component".to_owned()
    }
}

/// Returns the beginning of a digest, which is enough to identify a program in a message.
pub fn short(digest: &str) -> &str {
    digest.get(..SHORT).unwrap_or(digest)
}
