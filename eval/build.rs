//! Build script: computes a digest of each compiled-in component that can change an answer. Runs of
//! builds that may answer differently therefore have different fingerprints.
//!
//! It reads `Cargo.lock` and the folders of the workspace's crates but not Git, so a source archive
//! gives the same digests. `src/process/program.rs` includes the result from `OUT_DIR`.

#[path = "build/dependencies.rs"]
mod dependencies;
#[path = "build/sources.rs"]
mod sources;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = root.parent().ok_or("the crate is not in a workspace")?;
    let mut components = Vec::new();
    for (name, paths) in sources::COMPONENTS {
        for path in paths {
            watch(&root.join(path));
        }
        components.push((name, sources::digest(root, paths)?));
    }
    watch(&root.join("Cargo.lock"));
    watch(&root.join("Cargo.toml"));
    for name in dependencies::CRATES {
        watch(&root.join(name).join("Cargo.toml"));
    }
    components.push(("dependencies", dependencies::digest(root)?));
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    let components = format!("{components:?}\n").replacen('[', "&[", 1);
    fs::write(out.join("components.rs"), components)?;
    Ok(())
}

/// Makes Cargo rerun the script when the file, or anything in the folder, changes.
fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
