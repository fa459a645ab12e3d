//! Identifies this program by a digest of each component that can change an answer.
//!
//! The build script `build.rs` computes the digests; `build/sources.rs` selects the source files
//! and `build/dependencies.rs` the dependencies.

use std::sync::LazyLock;

use harness::sandbox::ENGINE;
use records::program::{self, Program, short};

/// Name of each component and the SHA-256 of its sources.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// Returns the identity of this program.
pub fn this() -> &'static Program {
    static THIS: LazyLock<Program> = LazyLock::new(|| {
        let engine = [(program::ENGINE, ENGINE)];
        let all = SOURCES.iter().copied().chain(engine);
        all.map(|(name, digest)| (name.to_owned(), digest.to_owned()))
            .collect()
    });
    &THIS
}

/// Returns the text of `--version`: version, digest of the program, and components.
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
