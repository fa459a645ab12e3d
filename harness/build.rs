//! Embeds the folders of texts and of protocols, so that what is in them needs no line of code.
//!
//! `include_dir` makes the compiler follow the files that it found. That there is a new one only Cargo can see.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A folder for each protocol.
const PROTOCOLS: &str = "src/protocol";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=drivers");
    println!("cargo::rerun-if-changed=prompts");
    println!("cargo::rerun-if-changed={PROTOCOLS}");
    let out = env::var("OUT_DIR")?;
    let (words, roots) = protocols()?;
    for (file, code) in [
        ("sections.rs", sections()?),
        ("protocols.rs", words),
        ("root_agents.rs", roots),
    ] {
        fs::write(Path::new(&out).join(file), code)?;
    }
    Ok(())
}

/// The protocols: every module of `src/protocol` whose folder has a `protocol.yaml`, in the order of the `mod` lines. Gives what
/// each says of itself, for `model/protocol.rs`, and the match of each with its `RootAgent`, for `protocol/mod.rs`.
fn protocols() -> Result<(String, String), Box<dyn Error>> {
    let (mut words, mut roots) = (String::new(), String::new());
    let home = Path::new(PROTOCOLS);
    let modules = fs::read_to_string(home.join("mod.rs"))?;
    for line in modules.lines() {
        let name = line
            .strip_suffix(';')
            .and_then(|line| line.split_once("mod "));
        let Some((_, name)) = name else { continue };
        let file = home.join(name).join("protocol.yaml");
        if !file.is_file() {
            continue;
        }
        let code = fs::read_to_string(home.join(name).join("mod.rs"))?;
        let about = code
            .lines()
            .next()
            .unwrap_or_default()
            .replace("//!", "///");
        let variant = camel(name);
        words += &format!(
            "{about}\n{variant} = {name:?}, {:?}, ",
            name.replace('_', "-")
        );
        for line in fs::read_to_string(&file)?.lines() {
            words += &match line.split_once(": ") {
                Some(("summary", text)) => format!("summary: {text:?}, "),
                Some(("subjects", list)) => {
                    let names = list.trim_matches(['[', ']']).split(", ");
                    let subjects: String = names
                        .map(|name| format!("Subject::{}, ", camel(name)))
                        .collect();
                    format!("subjects: &[{subjects}], ")
                }
                Some(("workplace", name)) => format!("workplace: Workplace::{}, ", camel(name)),
                _ => {
                    return Err(format!(
                        "{}: `{line}` is no summary, subjects or workplace",
                        file.display()
                    )
                    .into());
                }
            };
        }
        words += ";\n";
        roots += &format!("Self::{variant} => &{name}::{variant},\n");
    }
    Ok((
        format!("protocols! {{\n{words}}}\n"),
        format!(
            "impl Protocol {{\n/// What the protocol makes of the root.\n\
             pub(crate) const fn root_agent(self) -> &'static dyn RootAgent {{\nmatch self {{\n{roots}}}\n}}\n}}\n"
        ),
    ))
}

/// `agent_turn` or `agent-turn` as `AgentTurn`.
fn camel(name: &str) -> String {
    let parts = name.split(['_', '-']).map(|part| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_uppercase() + rest
    });
    parts.collect()
}

/// A constant for each text of a prompt, and the list of them: those of `prompts`, and those in the folders of protocols.
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
             pub(super) const {constant}: Template<{count}> = Template::new({name:?},\n    \
             include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{file}\")), {slots:?});\n"
        );
        list += &format!("    ({name:?}, {constant}.source(), &{slots:?}),\n");
    }
    Ok(format!(
        "{constants}\n/// Every bundled text by section name, with its slots.\n\
         fn texts() -> Vec<(&'static str, &'static str, &'static [&'static str])> {{\nvec![\n{list}]\n}}\n"
    ))
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
