//! Embeds the folders of texts, so that a file in them needs no line of code.
//!
//! `include_dir` makes the compiler follow the files that it found. That there is a new one only Cargo can see.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=drivers");
    println!("cargo::rerun-if-changed=prompts");
    let mut names = BTreeSet::new();
    for file in fs::read_dir("prompts")? {
        let name = file?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".md").map(str::to_owned));
    }
    let mut constants = String::new();
    let mut list = String::new();
    for name in names {
        let file = format!("prompts/{name}.md");
        let text = fs::read_to_string(&file)?;
        let slots = slots(&text);
        let constant = name.to_uppercase().replace('-', "_");
        let count = slots.len();
        constants += &format!(
            "pub(super) const {constant}: Template<{count}> = Template::new({name:?},\n    \
             include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\")), {slots:?});\n"
        );
        list += &format!("    ({name:?}, {constant}.source(), &{slots:?}),\n");
    }
    let sections = format!(
        "{constants}\n/// Every bundled text by section name, with its slots.\n\
         fn texts() -> Vec<(&'static str, &'static str, &'static [&'static str])> {{\nvec![\n{list}]\n}}\n"
    );
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("sections.rs"),
        sections,
    )?;
    Ok(())
}

/// The slots of a text, `{slot_name}` each, in the order of the alphabet: that does not change when the text does.
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
