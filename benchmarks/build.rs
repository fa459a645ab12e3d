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
    names.sort();
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
    let models = names.iter().filter_map(|name| {
        let ending = name.strip_prefix("model-")?.strip_suffix(".yaml")?;
        Some(format!("({ending:?}, {}), ", text(name)))
    });
    let sweeps = names.iter().filter_map(|name| {
        let ending = name.strip_prefix("sweep-")?.strip_suffix(".yaml")?;
        Some(format!("({ending:?}, {}), ", text(name)))
    });
    let checksums = optional("checksums.sha256", text("checksums.sha256"));
    let fetch = format!(
        "Fetch {{ source: {}, checksums: {checksums} }}",
        text("source.json")
    );
    let module = folder.file_name().unwrap_or_default().display();
    Ok(format!(
        "    // {module}\n    Entry {{ model: {}, more_models: &[{}], sweep: {}, more_sweeps: &[{}], fetch: {}, ..crate::{module}::ENTRY }},\n",
        text("model.yaml"),
        models.collect::<String>(),
        optional("sweep.yaml", text("sweep.yaml")),
        sweeps.collect::<String>(),
        optional("source.json", fetch),
    ))
}
