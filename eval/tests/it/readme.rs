//! The README and the pages in `docs/`: their commands run unchanged, and their links resolve.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run_benchmarks::has_chromium;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the blocks of shell commands, except blocks with a comment that explains why they are
/// not run.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    for (at, _) in text.match_indices("```sh\n") {
        let above = text[..at]
            .trim_end()
            .lines()
            .next_back()
            .unwrap_or_default();
        if above.starts_with("<!-- not run by the tests: ") {
            continue;
        }
        let rest = &text[at + "```sh\n".len()..];
        let end = rest.find("\n```\n").expect("a block ends");
        blocks.push(rest[..=end].to_owned());
    }
    blocks
}

/// Runs the blocks of a page in order in a new folder, and returns the folder.
fn run_blocks(page: &str) -> tempfile::TempDir {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = blocks(&text);
    assert!(!blocks.is_empty(), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).unwrap();
    symlink(env!("CARGO_BIN_EXE_rlm-eval"), programs.join("rlm-eval")).unwrap();
    symlink(root().join("docs"), folder.path().join("docs")).unwrap();
    for block in blocks {
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &block])
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", folder.path())
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{page}: {block}\n{stderr}");
    }
    folder
}

#[test]
fn guide_commands_run_in_order() {
    let pages = [
        "first-run",
        "your-own-questions",
        "which-way-is-better",
        "agents-that-talk",
        "many-machines",
        "programs-of-agents",
        "baselines",
        "examples",
        "serve",
        "mcp",
    ];
    for page in pages {
        run_blocks(&format!("docs/guides/{page}.md"));
    }
}

/// The page's commands use files of `docs/` and need a browser.
#[test]
fn world_guide_commands_run_in_order() {
    if has_chromium() {
        run_blocks("docs/guides/your-own-worlds.md");
    }
}

#[test]
fn readme_commands_run_in_order() {
    let folder = run_blocks("README.md");
    let report = fs::read_to_string(folder.path().join("report.txt")).unwrap();
    assert!(
        report.contains("would be found 4 times out of 5."),
        "{report}"
    );
    assert!(folder.path().join("compared.csv").is_file());
}

#[test]
fn doc_links_resolve() {
    let mut pages = Vec::new();
    for folder in ["", "guides", "concepts", "reference"] {
        let files = fs::read_dir(root().join("docs").join(folder)).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut links = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for (at, _) in text.match_indices("](") {
            let rest = &text[at + 2..];
            let target = &rest[..rest.find(')').expect("a link ends")];
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            let file = target.split('#').next().unwrap_or_default();
            let path = page.parent().unwrap().join(file);
            assert!(path.exists(), "{}: {target}", page.display());
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links were found");
}
