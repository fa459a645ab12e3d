//! Lists the benchmarks: every folder of `src` with a scripted model is one, and its module has an `ENTRY`.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src");
    let mut modules = Vec::new();
    for folder in fs::read_dir("src")? {
        let folder = folder?;
        if folder.path().join("model.yaml").is_file() {
            modules.push(folder.file_name().to_string_lossy().into_owned());
        }
    }
    modules.sort();
    let entries: Vec<_> = modules
        .iter()
        .map(|module| format!("    crate::{module}::ENTRY,\n"))
        .collect();
    let list = format!("&[\n{}]\n", entries.concat());
    fs::write(Path::new(&env::var("OUT_DIR")?).join("entries.rs"), list)?;
    Ok(())
}
