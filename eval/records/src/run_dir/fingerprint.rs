//! The fingerprint of a run: one hash over everything that can change an answer, including the
//! program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model::excerpt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::program::Program;

/// Name of the part with the program that started the run.
const PROGRAM: &str = "program";

/// Parts that described the program in earlier versions.
const EARLIER_PROGRAM: [&str; 2] = ["engine_version", "javascript_engine"];

/// A hash and the named parts that it covers: the program, and the treatment (all other parts). A
/// run can be resumed only with the same treatment, and with another program only if the user
/// allows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    sha256: String,
    parts: BTreeMap<String, Value>,
}

impl Fingerprint {
    /// Returns the fingerprint of a treatment, given as `parts`, and the program that runs it.
    pub fn of_treatment(mut parts: BTreeMap<String, Value>, program: &Program) -> Self {
        parts.insert(PROGRAM.to_owned(), serde_json::json!(program));
        Self::from_parts(parts)
    }

    /// Returns the fingerprint of `parts`: the SHA-256 of their canonical JSON.
    ///
    /// Canonical JSON is UTF-8 without whitespace, with the keys of every object sorted by bytes.
    /// Unlike RFC 8785, it distinguishes `1` and `1.0`.
    pub fn from_parts(parts: BTreeMap<String, Value>) -> Self {
        let mut canonical = parts.clone();
        // In this workspace, `serde_json` preserves insertion order, which must not affect the
        // hash.
        canonical.values_mut().for_each(Value::sort_all_objects);
        // Serializing JSON cannot fail.
        let canonical = serde_json::to_vec(&canonical).unwrap_or_default();
        Self {
            sha256: hex::encode(Sha256::digest(canonical)),
            parts,
        }
    }

    /// Returns the recorded hash as 64 lowercase hex characters.
    pub fn as_str(&self) -> &str {
        &self.sha256
    }

    /// Computes the hash of the parts. It differs from [`as_str`](Self::as_str) if `lock.json` was
    /// edited by hand.
    pub fn of_parts(&self) -> String {
        Self::from_parts(self.parts.clone()).sha256
    }

    /// Returns the parts by name.
    pub fn parts(&self) -> &BTreeMap<String, Value> {
        &self.parts
    }

    /// Returns the program that started the run, or `None` if it is not recorded.
    pub fn program(&self) -> Option<Program> {
        let part = self.parts.get(PROGRAM)?;
        Program::deserialize(part).ok()
    }

    /// Returns the parts of the treatment that differ from `other`, sorted by name. For parts that
    /// are objects, returns the members that differ. The program is not compared.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        self.differences_in(other, |name| {
            name != PROGRAM && !EARLIER_PROGRAM.contains(&name)
        })
    }

    /// Returns the differences in the parts that described the program in earlier versions.
    pub fn earlier_program_differences(&self, other: &Self) -> Vec<Difference> {
        self.differences_in(other, |name| EARLIER_PROGRAM.contains(&name))
    }

    fn differences_in(&self, other: &Self, counts: impl Fn(&str) -> bool) -> Vec<Difference> {
        let mut found = Vec::new();
        let names: BTreeSet<_> = self.parts.keys().chain(other.parts.keys()).collect();
        for name in names.into_iter().filter(|name| counts(name)) {
            let (here, there) = (self.parts.get(name), other.parts.get(name));
            compare(name, here, there, &mut found);
        }
        found
    }
}

/// A difference between two fingerprints.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Name of the part, followed by a dot and the name of the member if the part is an object:
    /// `sandbox.limits.output_chars`.
    pub part: String,
    /// Value in this fingerprint; `None` if the part is missing.
    pub here: Option<Value>,
    /// Value in the other fingerprint; `None` if the part is missing.
    pub there: Option<Value>,
}

impl Difference {
    /// Describes the difference, given the locations of both values. For `in a` and `in b`, returns
    /// `max_depth is 2 in a and 3 in b`.
    pub fn between(&self, one: &str, other: &str) -> String {
        let (here, there) = (shown(self.here.as_ref()), shown(self.there.as_ref()));
        format!("{} is {here} {one} and {there} {other}", self.part)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.between("there", "here"))
    }
}

/// Formats a value as JSON and truncates it if it is long.
fn shown(value: Option<&Value>) -> String {
    /// Maximum characters: enough for the beginning of a hash, a path or a few drivers.
    const LONGEST: usize = 80;
    let Some(value) = value else {
        return "not there".to_owned();
    };
    excerpt(&value.to_string(), LONGEST)
}

fn compare(name: &str, here: Option<&Value>, there: Option<&Value>, found: &mut Vec<Difference>) {
    match (here, there) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let members: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for member in members {
                let name = format!("{name}.{member}");
                compare(&name, one.get(member), other.get(member), found);
            }
        }
        (here, there) if !is_same(name, here, there) => found.push(Difference {
            part: name.to_owned(),
            here: here.cloned(),
            there: there.cloned(),
        }),
        _ => {}
    }
}

/// Whether two values of a part are equal. A trailing `/` of server addresses is ignored, because
/// earlier versions recorded it if the user typed it.
fn is_same(name: &str, here: Option<&Value>, there: Option<&Value>) -> bool {
    match (here, there) {
        (Some(Value::String(here)), Some(Value::String(there))) if name.starts_with("servers.") => {
            here.trim_end_matches('/') == there.trim_end_matches('/')
        }
        (here, there) => here == there,
    }
}
