//! Generates a constant for each text in the folders of prompts and protocols, so that a new text
//! needs no change in Rust code.
//!
//! The compiler tracks only files that it has already included, so Cargo must watch the folders for
//! new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folder with one subfolder per protocol.
const PROTOCOLS: &str = "src/protocol";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=drivers");
    println!("cargo::rerun-if-changed=prompts");
    println!("cargo::rerun-if-changed={PROTOCOLS}");
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("sections.rs"), sections()?)?;
    Ok(())
}

/// Generates a constant for each Markdown file in `prompts` and in the folders of protocols, and a
/// function that returns all of them.
fn sections() -> Result<String, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::from("prompts")];
    for entry in fs::read_dir(PROTOCOLS)? {
        folders.extend(Some(entry?.path()).filter(|path| path.is_dir()));
    }
    for folder in folders {
        for file in fs::read_dir(folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|ending| ending == "md") {
                let name = file.file_stem().unwrap_or_default();
                files.insert(name.to_string_lossy().into_owned(), file);
            }
        }
    }
    let mut constants = String::new();
    let mut list = String::new();
    for (name, file) in files {
        let text = fs::read_to_string(&file)?;
        let file = file.display();
        let slots = slots(&text);
        let constant = name.to_uppercase().replace('-', "_");
        let count = slots.len();
        constants += &format!(
            "#[allow(dead_code, reason = \"the prompt of a protocol is found by its name\")]\n\
             pub(crate) const {constant}: Template<{count}> = Template {{\n    \
             name: {name:?},\n    \
             text: include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\")),\n    \
             slots: {slots:?},\n}};\n"
        );
        list += &format!("    ({name:?}, {constant}.text, &{slots:?}),\n");
    }
    Ok(format!(
        "{constants}\n/// Every bundled text by section name, with its slots.\n\
         fn texts() -> Vec<(&'static str, &'static str, &'static [&'static str])> {{\nvec![\n{list}]\n}}\n"
    ))
}

/// Returns the names of the slots (`{slot_name}`) of a text. Alphabetical order keeps the list
/// unchanged when slots are moved in the text.
fn slots(text: &str) -> Vec<&str> {
    let is_slot = |name: &&str| {
        let mut bytes = name.bytes();
        !name.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let ends = text.split('{').skip(1);
    let names = ends.filter_map(|rest| Some(rest.split_once('}')?.0));
    let slots: BTreeSet<_> = names.filter(is_slot).collect();
    slots.into_iter().collect()
}
