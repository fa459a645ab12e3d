//! Sources of benchmark data and their files.
//!
//! A benchmark's folder names the source. For datasets on Hugging Face, the hub's API lists the
//! files.

use std::path::{Component, Path};

use serde::Deserialize;

use super::download::{Downloads, Wanted};
use super::{FetchError, FetchEvent};

/// Address of the Hugging Face hub, which a mirror can replace.
const HUB: &str = "https://huggingface.co";

/// Returns the names of the benchmarks whose data can be fetched.
pub fn names() -> Vec<String> {
    let fetched = benchmarks::catalog()
        .iter()
        .filter(|entry| entry.fetch.is_some());
    fetched.map(|entry| entry.name.to_owned()).collect()
}

/// Contents of a benchmark's `source.json`.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Source {
    /// Data files in one revision of a Hugging Face dataset: those whose paths start with one of
    /// `begins`.
    Hub {
        repo: String,
        revision: String,
        begins: Vec<String>,
    },
    /// Files below an address; the benchmark lists their names and checksums.
    Files { address: String },
}

/// Returns the source of a benchmark's data and the text of its checksum file, which is empty for a
/// dataset on the hub. `None` if the data cannot be fetched.
fn source(name: &str) -> Option<(Source, &'static str)> {
    let fetch = benchmarks::entry(name)?.fetch.as_ref()?;
    // Cannot fail: a test parses every bundled source.
    let source = serde_json::from_str(fetch.source).ok()?;
    Some((source, fetch.checksums.unwrap_or_default()))
}

/// Returns the URL of the source and the files to fetch. For a dataset on the hub, the hub lists
/// the files, with checksums only for large files.
pub(super) async fn plan(
    name: &str,
    mirror: Option<&str>,
    downloads: &mut Downloads,
    report: &mut (dyn FnMut(FetchEvent) + Send),
) -> Result<(String, Vec<Wanted>), FetchError> {
    match source(name) {
        Some((Source::Files { address }, checksums)) => {
            let file = |line: &str| {
                let (sha256, path) = line.split_once("  ")?;
                Some(Wanted {
                    path: path.to_owned(),
                    url: format!("{}{path}", mirrored(&address, mirror)),
                    sha256: Some(sha256.to_owned()),
                    bytes: None,
                })
            };
            let wanted = checksums.lines().filter_map(file).collect();
            Ok((address, wanted))
        }
        Some((
            Source::Hub {
                repo,
                revision,
                begins,
            },
            _,
        )) => {
            let hub = mirrored(HUB, mirror);
            let url = format!("{hub}/api/datasets/{repo}/tree/{revision}?recursive=true");
            let list = downloads.small(&url, report).await?;
            let source = format!("{HUB}/datasets/{repo}/tree/{revision}");
            let wrong = |problem: String| {
                FetchError(format!(
                    "invalid list of the dataset's files at {url}: {problem}"
                ))
            };
            let items: Vec<Item> =
                serde_json::from_slice(&list).map_err(|error| wrong(error.to_string()))?;
            let mut wanted = Vec::new();
            for item in items {
                let ends = |ending| {
                    Path::new(&item.path)
                        .extension()
                        .is_some_and(|end| end == ending)
                };
                let is_data = ["parquet", "jsonl", "json", "csv"].into_iter().any(ends);
                let is_wanted = begins.iter().any(|begin| item.path.starts_with(begin));
                if item.kind != "file" || !is_data || !is_wanted {
                    continue;
                }
                let mut parts = Path::new(&item.path).components();
                if !parts.all(|part| matches!(part, Component::Normal(_))) {
                    return Err(wrong(format!("`{}` is outside the dataset", item.path)));
                }
                wanted.push(Wanted {
                    url: format!("{hub}/datasets/{repo}/resolve/{revision}/{}", item.path),
                    sha256: item.lfs.map(|large| large.oid),
                    bytes: Some(item.size),
                    path: item.path,
                });
            }
            if wanted.is_empty() {
                return Err(wrong(format!(
                    "no data file has a path that starts with {}",
                    begins.join(" or ")
                )));
            }
            Ok((source, wanted))
        }
        None => Ok((String::new(), Vec::new())),
    }
}

/// Entry in the hub's file listing: <https://huggingface.co/docs/hub/api>.
#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
    lfs: Option<Large>,
}

/// Details that the hub lists for a large file.
#[derive(Deserialize)]
struct Large {
    /// SHA-256 in hex.
    oid: String,
}

/// Returns the URL with its scheme and host replaced by those of the mirror.
fn mirrored(address: &str, mirror: Option<&str>) -> String {
    let Some(mirror) = mirror else {
        return address.to_owned();
    };
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    format!("{}{path}", mirror.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_that_needs_data_has_a_source() {
        for entry in benchmarks::catalog() {
            let has_files = match source(entry.name) {
                Some((Source::Hub { begins, .. }, checksums)) => {
                    checksums.is_empty() && !begins.is_empty()
                }
                Some((Source::Files { .. }, checksums)) => {
                    !checksums.is_empty() && checksums.lines().all(|line| line.contains("  "))
                }
                None => false,
            };
            assert_eq!(has_files, entry.needs_data, "{}", entry.name);
        }
    }

    #[test]
    fn mirror_replaces_the_host() {
        let cases = [
            (HUB, None, HUB),
            (HUB, Some("http://a:1/x/"), "http://a:1/x"),
            ("https://b/c/d/", Some("http://a"), "http://a/c/d/"),
        ];
        for (address, mirror, expected) in cases {
            assert_eq!(mirrored(address, mirror), expected);
        }
    }
}
