//! Finds the folders of the protocols. Shared by the build scripts of this crate and of the engine.

use std::path::Path;
use std::{fs, io};

/// Returns the names of the protocols' folders: every module of `home` whose folder has a
/// `protocol.yaml`, in the order of the `mod` lines.
pub fn protocols(home: &Path) -> io::Result<Vec<String>> {
    let modules = fs::read_to_string(home.join("mod.rs"))?;
    let names = modules
        .lines()
        .filter_map(|line| line.strip_suffix(';')?.split_once("mod "))
        .map(|(_, name)| name.to_owned());
    Ok(names
        .filter(|name| home.join(name).join("protocol.yaml").is_file())
        .collect())
}

/// Converts `agent_turn` or `agent-turn` to `AgentTurn`.
pub fn camel(name: &str) -> String {
    let parts = name.split(['_', '-']).map(|part| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_uppercase() + rest
    });
    parts.collect()
}
