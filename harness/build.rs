//! Has the crate compiled again when a file comes to a folder that it embeds, or leaves it.
//!
//! `include_dir` makes the compiler follow the files that it found. That there is a new one only Cargo can see.

fn main() {
    println!("cargo::rerun-if-changed=drivers");
}
