//! Computes the digest of the compiled-in dependencies, which covers their versions and features.
//! Used by the build script and its tests.
//!
//! The digest covers the packages of `Cargo.lock` that are reachable from the `[dependencies]` of
//! the program's crates. This includes packages for other systems and for the other engine, because
//! `Cargo.lock` does not distinguish them. Packages that only tests, the performance suite or this
//! build script use are excluded, because they cannot change an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use toml::{Table, Value};

/// Names of the crates that can change an answer, and of their folders.
pub const CRATES: [&str; 6] = [
    "sandbox",
    "model",
    "harness",
    "benchmarks",
    "browser",
    "eval",
];

/// Names of the crates that cannot change an answer or a score. Dependencies that only these crates
/// use are not part of the digest.
pub const NEUTRAL_CRATES: [&str; 7] = [
    "statistics",
    "records",
    "report",
    "view",
    "queue",
    "serve",
    "mcp",
];

struct Package {
    version: String,
    /// Empty for a crate of the workspace.
    checksum: String,
    /// As in `Cargo.lock`: `name`, or `name version` if the lock file has several versions.
    dependencies: Vec<String>,
}

/// Returns the digest: lowercase hex SHA-256 over the requirements in the manifests and the
/// packages that `Cargo.lock` resolves them to.
///
/// # Errors
/// A message if a manifest or `Cargo.lock` is missing or malformed, or if a crate of the workspace
/// is neither in [`CRATES`] nor in [`NEUTRAL_CRATES`].
pub fn digest(root: &Path) -> Result<String, String> {
    let workspace = read(&root.join("Cargo.toml"))?;
    let shared = table(&workspace, &["workspace", "dependencies"]);
    let lock = read(&root.join("Cargo.lock"))?;
    let packages = packages(&lock)?;
    let mut text = String::new();
    let mut open: Vec<String> = Vec::new();
    for name in CRATES {
        let manifest = read(&root.join(name).join("Cargo.toml"))?;
        let asked = read_requirements(&manifest, shared.as_ref());
        let wanted: BTreeSet<&str> = asked.keys().map(|(_, name)| name.as_str()).collect();
        let member = packages
            .iter()
            .find(|((package, _), _)| package == name)
            .ok_or_else(|| format!("Cargo.lock does not contain the package `{name}`"))?;
        // Entries of `Cargo.lock` include dev-dependencies, so follow only the dependencies in
        // `[dependencies]`.
        open.extend(
            member
                .1
                .dependencies
                .iter()
                .filter(|dependency| wanted.contains(package_name(dependency)))
                .cloned(),
        );
        for ((target, dependency), value) in &asked {
            let _ = write!(text, "{name} {target} {dependency} ");
            write_value(&mut text, value);
            text.push('\n');
        }
    }
    let mut reached = BTreeSet::new();
    while let Some(dependency) = open.pop() {
        let found = packages
            .iter()
            .find(|((name, version), _)| names(&dependency, name, version));
        let (key, package) = found
            .ok_or_else(|| format!("Cargo.lock does not contain the package `{dependency}`"))?;
        if package.checksum.is_empty() {
            // Crates of the workspace are not followed here: the loop above covers the manifests of
            // `CRATES`, and their sources are other components of the program's digest.
            let name = key.0.as_str();
            if !CRATES.contains(&name) && !NEUTRAL_CRATES.contains(&name) {
                return Err(format!(
                    "the crate `{name}` is neither in `CRATES` nor in `NEUTRAL_CRATES` of eval/build/dependencies.rs"
                ));
            }
        } else if reached.insert(key) {
            open.extend(package.dependencies.iter().cloned());
        }
    }
    for key in reached {
        let package = &packages[key];
        let _ = writeln!(text, "{} {} {}", key.0, package.version, package.checksum);
    }
    Ok(hex::encode(Sha256::digest(text)))
}

fn read(path: &Path) -> Result<Table, String> {
    let cannot = |reason: &dyn std::fmt::Display| format!("{}: {reason}", path.display());
    let text = fs::read_to_string(path).map_err(|error| cannot(&error))?;
    text.parse()
        .map_err(|error: toml::de::Error| cannot(&error))
}

fn table(of: &Table, path: &[&str]) -> Option<Table> {
    let mut found = of;
    for name in path {
        found = found.get(*name)?.as_table()?;
    }
    Some(found.clone())
}

/// Returns the packages of `Cargo.lock` by name and version.
fn packages(lock: &Table) -> Result<BTreeMap<(String, String), Package>, String> {
    let listed = lock.get("package").and_then(Value::as_array);
    let listed = listed.ok_or("Cargo.lock lists no packages")?;
    let text = |package: &Value, field: &str| {
        let value = package.get(field).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    listed
        .iter()
        .map(|package| {
            let name = text(package, "name").ok_or("a package in Cargo.lock lacks a name")?;
            let version = text(package, "version")
                .ok_or_else(|| format!("package `{name}` in Cargo.lock lacks a version"))?;
            let dependencies = package.get("dependencies").and_then(Value::as_array);
            let package = Package {
                version: version.clone(),
                // A package from a Git repository has no checksum, but its source contains the
                // commit.
                checksum: text(package, "checksum")
                    .or_else(|| text(package, "source"))
                    .unwrap_or_default(),
                dependencies: dependencies
                    .into_iter()
                    .flatten()
                    .filter_map(|dependency| dependency.as_str().map(str::to_owned))
                    .collect(),
            };
            Ok(((name, version), package))
        })
        .collect()
}

/// Returns the dependencies of a manifest by target (empty for all targets) and package name. If
/// an entry inherits from the workspace, its value is an array of both entries.
fn read_requirements(
    manifest: &Table,
    shared: Option<&Table>,
) -> BTreeMap<(String, String), Value> {
    let mut found = BTreeMap::new();
    let mut add = |target: &str, dependencies: Option<Table>| {
        for (key, value) in dependencies.unwrap_or_default() {
            let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let of_workspace = shared.and_then(|shared| shared.get(&key)).cloned();
            let value = match of_workspace {
                Some(of_workspace) if inherits => Value::Array(vec![of_workspace, value]),
                _ => value,
            };
            let name = package(&value).unwrap_or(key);
            found.insert((target.to_owned(), name), value);
        }
    };
    add("", table(manifest, &["dependencies"]));
    for (target, _) in table(manifest, &["target"]).unwrap_or_default() {
        add(
            &target,
            table(manifest, &["target", &target, "dependencies"]),
        );
    }
    found
}

/// Returns the package name of a dependency that the manifest renames.
fn package(value: &Value) -> Option<String> {
    match value {
        Value::Array(values) => values.iter().find_map(package),
        value => Some(value.get("package")?.as_str()?.to_owned()),
    }
}

/// Whether a dependency entry of `Cargo.lock` (`name`, `name version`, `name version (source)`)
/// refers to this package.
fn names(dependency: &str, name: &str, version: &str) -> bool {
    let mut words = dependency.split(' ');
    words.next() == Some(name) && words.next().is_none_or(|word| word == version)
}

fn package_name(dependency: &str) -> &str {
    dependency.split(' ').next().unwrap_or(dependency)
}

/// Writes a value in a canonical form, independent of the formatting of the manifest.
fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Table(members) => {
            for (name, value) in members {
                let _ = write!(out, "{{{name}=");
                write_value(out, value);
                out.push('}');
            }
        }
        Value::Array(values) => {
            for value in values {
                out.push('[');
                write_value(out, value);
                out.push(']');
            }
        }
        Value::String(text) => {
            let _ = write!(out, "{text:?}");
        }
        Value::Boolean(flag) => {
            let _ = write!(out, "{flag}");
        }
        Value::Integer(number) => {
            let _ = write!(out, "{number}");
        }
        // Dependency entries never contain floats or dates.
        Value::Float(_) | Value::Datetime(_) => {}
    }
}
