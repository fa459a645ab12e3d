//! The program's digest, and resuming, merging and comparing runs of programs with other digests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use eval::process::program;
use records::program::Program;
use records::run_dir::{Fingerprint, RunDir, read_lock};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::binary::{Binary, Ran};
use crate::run::{finish, read_json, s_niah, tree};

#[path = "../../build/dependencies.rs"]
mod dependencies;
#[path = "../../build/sources.rs"]
mod sources;

/// A source tree, and whether its digest equals that of the first tree.
type Tree<'a> = (&'a [(&'a str, &'a str)], bool);

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

#[test]
fn digest_depends_only_on_names_and_contents() {
    let plain = [("a/one.rs", "fn one() {}\n"), ("a/b/two.js", "1;\n2;\n")];
    let trees: [Tree; 11] = [
        (&plain, true),
        // Other folder, order and line endings, and files that are not sources.
        (&[plain[1], plain[0]], true),
        (
            &[
                ("a/one.rs", "fn one() {}\r\n"),
                ("a/b/two.js", "1;\r\n2;\r\n"),
            ],
            true,
        ),
        (&[plain[0], plain[1], ("a/tests.rs", "#[test]")], true),
        (
            &[
                plain[0],
                plain[1],
                ("a/.one.rs.swp", "x"),
                ("a/one.rs~", "x"),
            ],
            true,
        ),
        (&[plain[0], plain[1], ("elsewhere/three.rs", "3")], true),
        // Changed, renamed, moved, added and removed files.
        (&[("a/one.rs", "fn one() { }\n"), plain[1]], false),
        (&[("a/uno.rs", "fn one() {}\n"), plain[1]], false),
        (&[plain[0], ("a/two.js", "1;\n2;\n")], false),
        (&[plain[0], plain[1], ("a/b/three.js", "")], false),
        (&[plain[0]], false),
    ];
    let mut first = None;
    for (files, same) in trees {
        let folder = TempDir::new().unwrap();
        write(folder.path(), files);
        let digest = sources::digest(folder.path(), &["a"]).unwrap();
        assert_eq!(digest.len(), 64);
        let first = first.get_or_insert_with(|| digest.clone());
        assert_eq!(*first == digest, same, "{files:?}");
    }
    let nothing = sources::digest(Path::new("/nowhere"), &["a"]).unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "a: No such file or directory (os error 2)"
    );
}

#[test]
fn excludes_display_and_storage_from_adapters() {
    let rows = [
        ("sandbox/js/url/parse.js", true),
        ("harness/src/text/fence/tests.rs", false),
        ("eval/src/grader/judge/judge.md", true),
        ("eval/src/models/mod.rs", true),
        ("eval/src/web/apps/shim.js", true),
        ("eval/src/settings/engine.rs", true),
        ("eval/src/settings/error.rs", false),
        ("eval/src/settings/error/hint.rs", false),
        ("eval/src/command/run.rs", true),
        ("eval/src/command/run/config.rs", true),
        ("eval/src/command/report.rs", false),
        ("eval/src/fetch.rs", false),
        ("eval/src/fetch/download.rs", false),
        ("eval/src/reporters.rs", true),
        ("eval/src/a_new_module.rs", true),
    ];
    for (path, wanted) in rows {
        assert_eq!(sources::counts(path), wanted, "{path}");
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Collects the files below a folder, with paths relative to the workspace root.
fn sources_below(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            sources_below(root, &name, found);
        } else {
            found.push(name);
        }
    }
}

/// Every file that is compiled into the crates belongs to a component, and every path in the
/// component lists exists.
#[test]
fn every_compiled_file_is_in_a_component() {
    let root = workspace();
    let all: Vec<&str> = sources::COMPONENTS
        .iter()
        .flat_map(|(_, paths)| paths.iter().copied())
        .collect();
    for path in &all {
        assert!(root.join(path).exists(), "{path}");
    }
    for part in sources::EXCLUDED_MODULES
        .iter()
        .chain(&sources::INCLUDED_EXCEPTIONS)
    {
        let path = root.join("eval/src").join(part);
        assert!(
            path.is_dir() || path.with_extension("rs").is_file(),
            "{part}"
        );
    }
    let mut included = 0;
    for folder in dependencies::CRATES {
        let mut files = Vec::new();
        sources_below(&root, &format!("{folder}/src"), &mut files);
        for file in files
            .iter()
            .filter(|file| Path::new(file).extension().is_some_and(|it| it == "rs"))
        {
            if !sources::counts(file) {
                continue;
            }
            let text = fs::read_to_string(root.join(file)).unwrap();
            for macro_name in ["include_str!(", "include_bytes!(", "include_dir!("] {
                for (at, _) in text.match_indices(macro_name) {
                    let rest = text[at + macro_name.len()..].trim_start();
                    let rest = rest.strip_prefix("concat!(").unwrap_or(rest).trim_start();
                    let Some(path) = rest
                        .strip_prefix('"')
                        .and_then(|rest| rest.split('"').next())
                    else {
                        panic!("{file}: this test cannot parse the argument of {macro_name}");
                    };
                    // Paths are relative to the crate's folder or to the file. `..` is resolved
                    // textually, as by the compiler.
                    let mut parts: Vec<&str> = file.split('/').collect();
                    let of_crate = path.strip_prefix("$CARGO_MANIFEST_DIR/");
                    parts.truncate(if of_crate.is_some() {
                        folder.split('/').count()
                    } else {
                        parts.len() - 1
                    });
                    let path = of_crate.unwrap_or(path);
                    for part in path.split('/') {
                        match part {
                            ".." => drop(parts.pop()),
                            part => parts.push(part),
                        }
                    }
                    let found = parts.join("/");
                    let found = found.trim_end_matches('/');
                    let listed = all
                        .iter()
                        .any(|path| found == *path || found.starts_with(&format!("{path}/")));
                    let for_tests = found.contains("/tests/");
                    assert!(
                        listed || for_tests,
                        "{file} includes {found}, which belongs to no component"
                    );
                    included += 1;
                }
            }
        }
    }
    assert!(included > 40, "only {included} included files were found");
}

#[test]
fn binary_digest_matches_sources() {
    let root = workspace();
    let this = program::this().components();
    let mut wanted: BTreeMap<String, String> = sources::COMPONENTS
        .iter()
        .map(|(name, paths)| ((*name).to_owned(), sources::digest(&root, paths).unwrap()))
        .collect();
    wanted.insert(
        "dependencies".to_owned(),
        dependencies::digest(&root).unwrap(),
    );
    wanted.insert("engine".to_owned(), harness::sandbox::ENGINE.to_owned());
    assert_eq!(*this, wanted);
    let ran = Binary::new().run(&["--version"], "");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], concat!("rlm-eval ", env!("CARGO_PKG_VERSION")));
    assert_eq!(lines[1], format!("program {}", program::this().digest()));
    let shown: Vec<String> = this
        .iter()
        .map(|(name, digest)| format!("  {name:<16} {}", digest.get(..12).unwrap_or(digest)))
        .collect();
    assert_eq!(lines[2..], shown);
    let short = Binary::new().run(&["-V"], "");
    assert_eq!(
        short.stdout,
        concat!("rlm-eval ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

/// Creates a workspace with the program's crates from the manifest of `sandbox`, the workspace
/// manifest and the lockfile. The other manifests are empty.
fn manifests(sandbox: &str, shared: &str, lock: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, &[("Cargo.toml", shared), ("Cargo.lock", lock)]);
    for folder in dependencies::CRATES {
        let manifest = if folder == "sandbox" { sandbox } else { "" };
        write(root, &[(&format!("{folder}/Cargo.toml"), manifest)]);
    }
    folder
}

#[test]
fn digest_covers_compiled_dependencies() {
    let sandbox = "[dependencies]\nused.workspace = true\n[dev-dependencies]\ntester = \"1\"\n";
    let shared = "[workspace.dependencies]\nused = { version = \"1\", features = [\"a\"] }\n";
    let package = |name: &str, version: &str, more: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{more}\n")
    };
    let members: String = dependencies::CRATES
        .iter()
        .map(|name| match *name {
            "sandbox" => package(name, "0.1.0", "dependencies = [\"tester\", \"used\"]"),
            name => package(name, "0.1.0", ""),
        })
        .collect();
    let lock = |used: &str, below: &str, tester: &str| {
        let rest = [
            package(
                "used",
                used,
                "checksum = \"c\"\ndependencies = [\"below 2.0.0\"]",
            ),
            package("below", below, "checksum = \"b\""),
            package("below", "1.0.0", "checksum = \"b\""),
            package("tester", tester, "checksum = \"t\""),
        ];
        members.clone() + &rest.concat()
    };
    let plain = lock("1.0.0", "2.0.0", "1.0.0");
    let digest = |sandbox: &str, shared: &str, lock: &str| {
        dependencies::digest(manifests(sandbox, shared, lock).path())
    };
    let first = digest(sandbox, shared, &plain).unwrap();
    // Dev-dependencies and comments do not affect the digest.
    let commented = format!("# A comment\n{shared}");
    assert_eq!(
        digest(sandbox, &commented, &lock("1.0.0", "2.0.0", "9.0.0")).unwrap(),
        first
    );
    let newer = lock("1.0.1", "2.0.0", "1.0.0");
    assert_ne!(digest(sandbox, shared, &newer).unwrap(), first);
    let features = shared.replace("\"a\"", "\"b\"");
    assert_ne!(digest(sandbox, &features, &plain).unwrap(), first);
    let tampered = plain.replace("\"c\"", "\"d\"");
    assert_ne!(digest(sandbox, shared, &tampered).unwrap(), first);
    // Lists determine whether a workspace crate is part of the digest; a crate in neither list is
    // an error.
    let with = |name: &str, version: &str| {
        let sandbox = format!("{sandbox}{name}.path = \"{name}\"\n");
        let sandbox = sandbox.replace("[dev-dependencies]\ntester = \"1\"\n", "");
        let asks = "dependencies = [\"tester\", \"used\"";
        let lock = plain.replace(asks, &format!("{asks}, \"{name}\""));
        let more = format!("dependencies = [\"only {version}\"]");
        let lock = lock + &package(name, "0.1.0", &more);
        let only = package("only", version, "checksum = \"o\"");
        digest(&sandbox, shared, &(lock + &only))
    };
    assert_eq!(with("statistics", "1.0.0"), with("statistics", "2.0.0"));
    assert_eq!(
        with("forgotten", "1.0.0").unwrap_err(),
        "the crate `forgotten` is neither in `CRATES` nor in `NEUTRAL_CRATES` of eval/build/dependencies.rs"
    );
    let gone = lock("1.0.0", "2.1.0", "1.0.0");
    assert_eq!(
        digest(sandbox, shared, &gone).unwrap_err(),
        "Cargo.lock does not contain the package `below 2.0.0`"
    );
}

fn begin(binary: &Binary, more: &[&str]) -> PathBuf {
    let four = ["--context-len", "2k", "--samples-per-length", "4"];
    finish(binary, &s_niah(&[&four, more].concat())).dir.path
}

/// Changes parts of a run's fingerprint, and updates the fingerprint in all files.
pub fn change_parts(dir: &Path, change: impl FnOnce(&mut Map<String, Value>)) {
    let [mut lock, mut config]: [Value; 2] = ["lock.json", "config.json"]
        .map(|name| serde_json::from_slice(&fs::read(dir.join(name)).unwrap()).unwrap());
    let parts = &mut lock["fingerprint"]["parts"];
    change(parts.as_object_mut().unwrap());
    let changed = Fingerprint::from_parts(serde_json::from_value(parts.clone()).unwrap());
    lock["fingerprint"]["sha256"] = json!(changed.as_str());
    lock["run"]["fingerprint"] = json!(changed.as_str());
    config["run"]["fingerprint"] = json!(changed.as_str());
    fs::write(dir.join("lock.json"), lock.to_string()).unwrap();
    fs::write(dir.join("config.json"), config.to_string()).unwrap();
}

/// Makes a run look as if a program with these components had made it, and returns that program.
pub fn change_program(dir: &Path, components: &[(&str, &str)]) -> Program {
    change_parts(dir, |parts| {
        for (name, digest) in components {
            parts["program"][name] = json!(digest);
        }
    });
    let program = read_lock(dir).unwrap().programs().remove(0);
    let log = dir.join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let by = text.replace(&program::this().digest(), &program.digest());
    assert!(
        components.is_empty() || by != text,
        "each record names its program"
    );
    fs::write(&log, by).unwrap();
    program
}

/// Makes a run look like one from before programs were recorded.
fn forget(dir: &Path) {
    change_parts(dir, |parts| {
        parts.remove("program");
        parts.insert("engine_version".to_owned(), json!("0.1.0"));
        parts.insert("javascript_engine".to_owned(), json!("quickjs"));
    });
    let log = dir.join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let records = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("program");
        format!("{record}\n")
    });
    fs::write(&log, records.collect::<String>()).unwrap();
}

/// Removes the last record.
fn shorten(dir: &Path) {
    let log = dir.join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&log, lines[..lines.len() - 1].concat()).unwrap();
}

fn resume(binary: &Binary, dir: &Path, more: &[&str]) -> Ran {
    let dir = dir.to_str().unwrap();
    binary.run(&[&["run", "--resume", dir], more].concat(), "")
}

/// Two files contain the fingerprint; one of them also contains its parts.
#[test]
fn refuses_fingerprint_that_contradicts_its_parts() {
    let binary = Binary::new();
    let other = "f".repeat(64);
    for (file, place, problem) in [
        (
            "lock.json",
            "/fingerprint/parts/max_depth",
            "lock.json: fingerprint.sha256 is HASH, but the hash of fingerprint.parts is",
        ),
        (
            "lock.json",
            "/fingerprint/parts/program/sandbox",
            "lock.json: fingerprint.sha256 is HASH, but the hash of fingerprint.parts is",
        ),
        (
            "lock.json",
            "/fingerprint/sha256",
            "lock.json: fingerprint.sha256 is ffffffffffff, but the hash of fingerprint.parts is HASH",
        ),
        (
            "lock.json",
            "/run/fingerprint",
            "lock.json: run.fingerprint is ffffffffffff, but fingerprint.sha256 of lock.json is HASH",
        ),
        (
            "config.json",
            "/run/fingerprint",
            "config.json: run.fingerprint is ffffffffffff, but fingerprint.sha256 of lock.json is HASH",
        ),
    ] {
        let dir = begin(&binary, &[]);
        let hash = read_lock(&dir).unwrap().fingerprint.as_str()[..12].to_owned();
        let path = dir.join(file);
        let mut value = read_json(&path);
        *value.pointer_mut(place).unwrap() = json!(other);
        fs::write(&path, value.to_string()).unwrap();
        let before = tree(&dir);
        let name = dir.display().to_string();
        let start = format!("error: {name}/{}", problem.replace("HASH", &hash));
        let end = "; restore the file, or start a new run\n";
        for ran in [
            resume(&binary, &dir, &["--allow-program-change"]),
            binary.run(&["merge", "out", &name], ""),
        ] {
            assert_eq!(ran.code, Some(2), "{place}: {ran:?}");
            assert!(
                ran.stderr.starts_with(&start) && ran.stderr.ends_with(end),
                "{place}: {ran:?}"
            );
        }
        assert_eq!(tree(&dir), before, "{place}");
    }
}

const HINT: &str = "hint: continue anyway with --allow-program-change; each attempt records the \
             program that made it\n";

#[test]
fn resumes_run_of_other_program_only_if_allowed() {
    let binary = Binary::new();
    let dir = begin(&binary, &[]);
    let name = dir.display().to_string();
    let other = change_program(&dir, &[("sandbox", "00"), ("prompts", "11")]);
    shorten(&dir);
    let before = tree(&dir);
    let ran = resume(&binary, &dir, &[]);
    let refused = format!(
        "error: {name} was made by a different version of the program: the prompts and the sandbox differ\n{HINT}"
    );
    assert_eq!((ran.code, ran.stderr), (Some(2), refused));
    assert_eq!(tree(&dir), before);

    let ran = resume(&binary, &dir, &["--allow-program-change"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let run = RunDir::open(&dir).unwrap();
    let (this, other) = (program::this().digest(), other.digest());
    let made_by = |digest: &str| {
        let mut records = run.records.iter();
        records
            .by_ref()
            .filter(|record| record.program.as_deref() == Some(digest))
            .count()
    };
    assert_eq!((made_by(&other), made_by(&this)), (3, 1));
    assert_eq!(run.lock.later_programs, [program::this().clone()]);
    // The CSV also contains the program, for tools that read no other file.
    let mut csv = csv::Reader::from_path(dir.join("results.csv")).unwrap();
    let header = csv.headers().unwrap().clone();
    let place = header.iter().position(|name| name == "program").unwrap();
    let mut programs: Vec<String> = csv
        .records()
        .map(|row| row.unwrap()[place].to_owned())
        .collect();
    programs.sort();
    let mut wanted = vec![other.clone(), other.clone(), other.clone(), this.clone()];
    wanted.sort();
    assert_eq!(programs, wanted);
    // A program that was allowed once does not need permission again.
    shorten(&dir);
    assert_eq!(resume(&binary, &dir, &[]).code, Some(0));

    // A different experiment is refused regardless of the program.
    let ran = resume(
        &binary,
        &dir,
        &["--max-depth", "3", "--allow-program-change"],
    );
    assert!(
        ran.stderr
            .contains("a different experiment: max_depth is 2 there and 3 here\n"),
        "{ran:?}"
    );

    let mut counts = [(other.clone(), 3), (this, 1)];
    counts.sort();
    let [(one, count_one), (two, count_two)] = counts;
    let within = format!(
        "were made by different program versions: {count_one} by {}, {count_two} by {}; the prompts and the sandbox differ.\n",
        &one[..12],
        &two[..12]
    );
    let report = binary.run(&["report", &name], "");
    assert!(
        report
            .stdout
            .contains(&format!("The attempts of s-niah solver {within}")),
        "{report:?}"
    );
    let page = fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(
        page.contains(&format!("The attempts of A {}", within.trim_end())),
        "{page}"
    );

    let fresh = begin(&binary, &[]);
    let compared = binary.run(&["compare", &name, &fresh.to_string_lossy()], "");
    assert!(
        compared
            .stdout
            .contains(&format!("The attempts of A {within}")),
        "{compared:?}"
    );
}

#[test]
fn reads_and_resumes_runs_without_recorded_program() {
    let binary = Binary::new();
    let dir = begin(&binary, &[]);
    forget(&dir);
    shorten(&dir);
    let name = dir.display().to_string();
    assert_eq!(binary.run(&["report", &name], "").code, Some(0));
    let ran = resume(&binary, &dir, &[]);
    let refused =
        format!("error: {name} does not record the version of the program that made it\n{HINT}");
    assert_eq!((ran.code, ran.stderr), (Some(2), refused));
    assert_eq!(
        resume(&binary, &dir, &["--allow-program-change"]).code,
        Some(0)
    );
    assert_eq!(resume(&binary, &dir, &[]).code, Some(0));
    let report = binary.run(&["report", &name], "");
    let this = program::this().digest();
    let sentence = format!(
        "The attempts of s-niah solver were made by different program versions: 3 by an unrecorded program, 1 by {}.\n",
        &this[..12]
    );
    assert!(report.stdout.contains(&sentence), "{report:?}");
}

#[test]
fn merges_shards_of_other_programs_only_if_allowed() {
    let binary = Binary::new();
    let shares = ["1/2", "2/2"].map(|share| begin(&binary, &["--partition", share]));
    let [one, two] = shares.each_ref().map(|dir| dir.display().to_string());
    let other = change_program(&shares[1], &[("dependencies", "22")]);
    let ran = binary.run(&["merge", "out", &one, &two], "");
    let refused = format!(
        "error: {one} and {two} were made by different program versions: the dependencies differ\n{HINT}"
    );
    assert_eq!((ran.code, ran.stderr), (Some(2), refused));
    assert!(!binary.path().join("out").exists());
    let ran = binary.run(&["merge", "out", &one, &two, "--allow-program-change"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let merged = RunDir::open(&binary.path().join("out")).unwrap();
    assert_eq!(merged.lock.later_programs, std::slice::from_ref(&other));
    let others = merged
        .records
        .iter()
        .filter(|record| record.program.as_ref() == Some(&other.digest()));
    assert_eq!((merged.records.len(), others.count()), (4, 2));
    // This program made some of the attempts, so it can resume the run without the flag.
    assert_eq!(resume(&binary, Path::new("out"), &[]).code, Some(0));
    let compared = binary.run(&["compare", &one, &two], "");
    assert!(
        compared.stdout.contains(
            "A and B were made by different program versions: the dependencies differ.\n"
        ),
        "{compared:?}"
    );

    forget(&shares[1]);
    let ran = binary.run(&["merge", "again", &one, &two], "");
    let refused = format!(
        "error: {one} and {two} were made by different program versions: the program of the second is not recorded\n{HINT}"
    );
    assert_eq!((ran.code, ran.stderr), (Some(2), refused));
}
