//! The fingerprint of a run: one hash over everything that can change an answer, the program among it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::program::Program;

/// The part that says which program made a run.
const PROGRAM: &str = "program";

/// What runs had in its place before: parts that say something of the program, and nothing of the treatment.
const EARLIER_PROGRAM: [&str; 2] = ["engine_version", "javascript_engine"];

/// A hash and the named parts it is made of. A run goes on only under the treatment that it began with, and by another
/// program only where that is allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    sha256: String,
    parts: BTreeMap<String, Value>,
}

impl Fingerprint {
    /// The fingerprint of a treatment, carried out by a program.
    pub fn of_treatment(mut parts: BTreeMap<String, Value>, program: &Program) -> Self {
        parts.insert(PROGRAM.to_owned(), serde_json::json!(program));
        Self::from_parts(parts)
    }

    /// The fingerprint of `parts`: SHA-256 over their canonical JSON.
    ///
    /// Canonical here means UTF-8 without spaces, and the keys of every object in the order of their bytes. Unlike
    /// RFC 8785, it keeps `1` and `1.0` apart.
    pub fn from_parts(parts: BTreeMap<String, Value>) -> Self {
        let mut canonical = String::new();
        write_object(&mut canonical, parts.iter());
        Self {
            sha256: hex::encode(Sha256::digest(canonical)),
            parts,
        }
    }

    /// Lower-case hex, 64 characters.
    pub fn as_str(&self) -> &str {
        &self.sha256
    }

    /// The hash of the parts as they are, which is another than [`as_str`](Self::as_str) where a file was changed by hand.
    pub fn of_parts(&self) -> String {
        Self::from_parts(self.parts.clone()).sha256
    }

    /// What it is made of.
    pub fn parts(&self) -> &BTreeMap<String, Value> {
        &self.parts
    }

    /// The program that the run was begun with; none if that is not recorded.
    pub fn program(&self) -> Option<Program> {
        let part = self.parts.get(PROGRAM)?;
        Program::deserialize(part).ok()
    }

    /// The parts of the treatment in which `other` differs, by name; of parts that are objects, the members that differ.
    /// Of the program, nothing.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        self.differences_in(other, |name| {
            name != PROGRAM && !EARLIER_PROGRAM.contains(&name)
        })
    }

    /// What runs of before the program was a part say of their programs, where that differs.
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

/// A part in which two fingerprints differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its name, a member of an object after a dot: `sandbox.limits.output_chars`.
    pub part: String,
    /// Its value in the one; none if it has no such part.
    pub here: Option<Value>,
    /// Its value in the other.
    pub there: Option<Value>,
}

impl Difference {
    /// The difference in words, with where either side stands: `max_depth is 2 in a and 3 in b`.
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

/// A value as JSON, cut where it gets long.
fn shown(value: Option<&Value>) -> String {
    /// Characters: enough for a hash's beginning, a path, a few drivers.
    const LONGEST: usize = 80;
    let Some(value) = value else {
        return "not there".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
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

/// Whether two values of a part are one. Earlier programs recorded a server's address with the `/` that it was typed with.
fn is_same(name: &str, here: Option<&Value>, there: Option<&Value>) -> bool {
    match (here, there) {
        (Some(Value::String(here)), Some(Value::String(there))) if name.starts_with("servers.") => {
            here.trim_end_matches('/') == there.trim_end_matches('/')
        }
        (here, there) => here == there,
    }
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        // The workspace keeps objects in the order of insertion, which must not show here.
        Value::Object(members) => {
            write_object(out, members.iter().collect::<BTreeMap<_, _>>().into_iter());
        }
        leaf => write_leaf(out, leaf),
    }
}

fn write_object<'a>(out: &mut String, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    out.push('{');
    for (index, (key, value)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_leaf(out, &Value::from(key.as_str()));
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn write_leaf(out: &mut String, leaf: &Value) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{leaf}");
}
