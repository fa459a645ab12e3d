//! Which program this is: a digest of everything compiled in that can change an answer, by component.
//!
//! The build script `build.rs` digests the sources; `build/sources.rs` says which ones count, and `build/dependencies.rs`
//! which dependencies.

use std::sync::LazyLock;

use harness::sandbox::ENGINE;
use records::program::{self, Program, short};

/// Components by name, each with the SHA-256 of its sources.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// This program.
pub fn this() -> &'static Program {
    static THIS: LazyLock<Program> = LazyLock::new(|| {
        let engine = [(program::ENGINE, ENGINE)];
        let all = SOURCES.iter().copied().chain(engine);
        all.map(|(name, digest)| (name.to_owned(), digest.to_owned()))
            .collect()
    });
    &THIS
}

/// What `--version` shows: the version, the digest of the program and its components.
pub fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let this = this();
        let version = env!("CARGO_PKG_VERSION");
        let lines = this.components().iter();
        let lines = lines.map(|(name, digest)| format!("\n  {name:<16} {}", short(digest)));
        format!(
            "{version}\nprogram {}{}",
            this.digest(),
            lines.collect::<String>()
        )
    });
    &TEXT
}
