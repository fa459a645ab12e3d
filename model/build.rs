//! Generates the list of protocols from their folders in the engine, so that a new protocol needs
//! no change in this crate.

#[path = "build/folders.rs"]
mod folders;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// Folder with one subfolder per protocol.
const PROTOCOLS: &str = "../harness/src/protocol";

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("protocols.rs"), protocols()?)?;
    Ok(())
}

/// Returns the input of the macro in `src/protocol.rs`: each protocol's `protocol.yaml`, and the
/// first line of its module documentation. Other code of a protocol does not affect this crate.
fn protocols() -> Result<String, Box<dyn Error>> {
    let home = Path::new(PROTOCOLS);
    println!("cargo::rerun-if-changed={PROTOCOLS}/mod.rs");
    let mut words = String::new();
    for name in folders::protocols(home)? {
        let file = home.join(&name).join("protocol.yaml");
        println!("cargo::rerun-if-changed={}", file.display());
        let code = fs::read_to_string(home.join(&name).join("mod.rs"))?;
        let about = code
            .lines()
            .next()
            .unwrap_or_default()
            .replace("//!", "///");
        words += &format!(
            "{about}\n{} = {name:?}, {:?}, ",
            folders::camel(&name),
            name.replace('_', "-")
        );
        for line in fs::read_to_string(&file)?.lines() {
            words += &match line.split_once(": ") {
                Some(("summary", text)) => format!("summary: {text:?}, "),
                Some(("inputs", list)) => {
                    let names = list.trim_matches(['[', ']']).split(", ");
                    let inputs: String = names
                        .map(|name| format!("InputKind::{}, ", folders::camel(name)))
                        .collect();
                    format!("inputs: &[{inputs}], ")
                }
                Some(("one_call", value)) => format!("one_call: {value}, "),
                Some(("action_surface", name)) => {
                    format!("action_surface: ActionSurface::{}, ", folders::camel(name))
                }
                _ => {
                    return Err(format!(
                        "{}: unknown line `{line}`: expected summary, one_call, inputs or action_surface",
                        file.display()
                    )
                    .into());
                }
            };
        }
        words += ";\n";
    }
    Ok(format!("protocols! {{\n{words}}}\n"))
}
