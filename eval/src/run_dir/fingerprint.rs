//! The fingerprint of a run: one hash over everything that can change an answer.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A hash and the named parts it is made of. Runs with equal fingerprints can be resumed and merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    sha256: String,
    parts: BTreeMap<String, Value>,
}

impl Fingerprint {
    /// The fingerprint of `parts`: SHA-256 over their canonical JSON.
    ///
    /// Canonical here means UTF-8 without spaces, and the keys of every object in the order of their bytes. Unlike
    /// RFC 8785, it keeps `1` and `1.0` apart.
    pub fn from_parts(parts: BTreeMap<String, Value>) -> Self {
        let mut canonical = String::new();
        write_object(&mut canonical, parts.iter());
        Self {
            sha256: hex(&Sha256::digest(canonical)),
            parts,
        }
    }

    /// Lower-case hex, 64 characters.
    pub fn as_str(&self) -> &str {
        &self.sha256
    }

    /// What it is made of.
    pub fn parts(&self) -> &BTreeMap<String, Value> {
        &self.parts
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

/// Lower-case hex of a hash.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
