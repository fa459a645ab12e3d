//! Generates the catalog's list of benchmarks: every folder in `src` that contains `model.yaml`, a
//! scripted model. The folder's module defines an `ENTRY`, to which this script adds the folder's
//! files.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let mut entries = Vec::new();
    for folder in fs::read_dir("src")? {
        let folder = folder?.path();
        if folder.join("model.yaml").is_file() {
            entries.push(entry(&folder)?);
        }
    }
    entries.sort();
    let list = format!("&[\n{}]\n", entries.concat());
    fs::write(Path::new(&env::var("OUT_DIR")?).join("entries.rs"), list)?;
    Ok(())
}

/// Returns the catalog entry of a folder, including its files, as a Rust expression.
fn entry(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut names = Vec::new();
    for file in fs::read_dir(folder)? {
        names.push(file?.file_name().to_string_lossy().into_owned());
    }
    // A file without a suffix comes first: `sweep.yaml`, then `sweep-baselines.yaml`.
    names.sort_by_key(|name| name.replace(".yaml", ""));
    let text = |name: &str| {
        let file = format!("/{}/{name}", folder.display());
        format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))")
    };
    let optional = |name: &str, text: String| {
        let is_there = names.iter().any(|file| file == name);
        if is_there {
            format!("Some({text})")
        } else {
            "None".to_owned()
        }
    };
    let module = folder.file_name().unwrap_or_default().to_string_lossy();
    let benchmark = module.replace('_', "-");
    let named = |kind: &str| -> String {
        let files = names.iter().filter_map(|name| {
            let suffix = name.strip_prefix(kind)?.strip_suffix(".yaml")?;
            Some(format!("(\"{benchmark}{suffix}\", {}), ", text(name)))
        });
        files.collect()
    };
    let checksums = optional("checksums.sha256", text("checksums.sha256"));
    let fetch = format!(
        "Fetch {{ source: {}, checksums: {checksums} }}",
        text("source.json")
    );
    Ok(format!(
        "    // {module}\n    Entry {{ models: &[{}], sweeps: &[{}], fetch: {}, ..crate::{module}::ENTRY }},\n",
        named("model"),
        named("sweep"),
        optional("source.json", fetch),
    ))
}
