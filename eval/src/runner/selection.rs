//! Selects the samples of a run.
//!
//! Steps: take the named or recorded samples, apply the filters, limit the number (keeping the
//! first or random samples), and keep those of the shard.

use std::collections::{BTreeMap, BTreeSet};

use benchmarks::Dataset;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::process::terminal::counted;
use crate::settings::{Selection, ShardAssignment};

/// Selected samples, with notes for the user.
#[derive(Debug, PartialEq, Eq)]
pub struct Selected {
    /// Indices into the dataset, in run order.
    pub indices: Vec<usize>,
    /// Number of samples in all shards; in a run without shards, the length of `indices`.
    pub whole: usize,
    /// Notes for stderr.
    pub notes: Vec<String>,
}

/// Reason why the selection does not match the dataset.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// A named sample does not exist.
    #[error("--sample-ids: benchmark {benchmark} has no sample `{id}`{}", match (.nearest, .first) {
        (Some(nearest), _) => format!(", did you mean `{nearest}`?"),
        (None, Some(first)) => format!("; expected, for example, `{first}`"),
        (None, None) => "; the benchmark is empty".to_owned(),
    })]
    UnknownSample {
        /// Name of the benchmark.
        benchmark: String,
        /// Id given by the user.
        id: String,
        /// Most similar id in the dataset.
        nearest: Option<String>,
        /// First id in the dataset.
        first: Option<String>,
    },
    /// No sample has metadata with this key.
    #[error("--filter: no sample of {benchmark} has `{key}`; known: {}", .known.join(", "))]
    UnknownKey {
        /// Name of the benchmark.
        benchmark: String,
        /// Key given by the user.
        key: String,
        /// Metadata keys of the samples.
        known: Vec<String>,
    },
}

/// Selects the named samples, otherwise those of the recording that is replayed (`recorded`),
/// otherwise all. Of these, keeps those that pass the filters, then the first or random
/// `max_samples`, then those of the shard. A name may omit the prefix of the benchmark.
///
/// # Errors
/// [`SelectionError`] for an unknown sample or metadata key.
pub fn select(
    dataset: &dyn Dataset,
    selection: &Selection,
    recorded: Option<&[String]>,
) -> Result<Selected, SelectionError> {
    let ids = dataset.ids();
    let position = |id: &str| ids.iter().position(|known| known == id);
    let mut notes = Vec::new();
    let mut indices: Vec<usize> = if !selection.ids.is_empty() {
        let named = selection.ids.iter().map(|id| {
            let full = format!("{}-{id}", dataset.name());
            position(id)
                .or_else(|| position(&full))
                .ok_or_else(|| SelectionError::UnknownSample {
                    benchmark: dataset.name().to_owned(),
                    id: id.clone(),
                    nearest: nearest(id, dataset),
                    first: ids.first().cloned(),
                })
        });
        named.collect::<Result<_, _>>()?
    } else if let Some(recorded) = recorded {
        let found: Vec<usize> = recorded.iter().filter_map(|id| position(id)).collect();
        notes.push(format!(
            "replaying the recorded {} that exist in {}; select others with --sample-ids",
            counted(found.len() as u64, "sample"),
            dataset.name()
        ));
        if found.len() < recorded.len() {
            notes.push(format!(
                "not replayed, because this dataset lacks them: {}",
                counted((recorded.len() - found.len()) as u64, "sample")
            ));
        }
        found
    } else {
        (0..ids.len()).collect()
    };
    let mut seen = std::collections::HashSet::new();
    indices.retain(|index| seen.insert(*index));
    filter(&mut indices, dataset, &selection.filters, &mut notes)?;
    let most = selection.max_samples.unwrap_or(usize::MAX);
    if let Some(seed) = selection.sample_seed
        && most < indices.len()
    {
        indices = at_random(indices, ids, most, seed);
    }
    indices.truncate(most);
    // Partition last, so that all shards together equal a run without shards.
    let whole = indices.len();
    if let Some(partition) = selection.partition {
        match &selection.shard_assignment {
            ShardAssignment::InTurn => {
                let own = partition.shard_samples(indices.iter().map(|index| ids[*index].as_str()));
                indices.retain(|index| own.contains(ids[*index].as_str()));
            }
            ShardAssignment::ByHash => indices.retain(|index| partition.holds(&ids[*index])),
            ShardAssignment::Recorded(own) => {
                indices = own.iter().filter_map(|id| position(id)).collect();
            }
        }
        notes.push(format!(
            "shard {partition} contains {} of the {}",
            indices.len(),
            counted(whole as u64, "sample")
        ));
    }
    Ok(Selected {
        indices,
        whole,
        notes,
    })
}

/// Keeps the samples that pass all filters. Metadata other than strings is compared as JSON. If no
/// sample passes, adds the known values to `notes`.
fn filter(
    indices: &mut Vec<usize>,
    dataset: &dyn Dataset,
    filters: &[(String, Vec<String>)],
    notes: &mut Vec<String>,
) -> Result<(), SelectionError> {
    // Without samples, unknown keys cannot be detected.
    if filters.is_empty() || indices.is_empty() {
        return Ok(());
    }
    // Collect some values of each key as suggestions if none matches.
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    indices.retain(|index| {
        let metadata = dataset.metadata(*index);
        let passes = filters.iter().all(|(key, values)| {
            metadata.get(key).is_some_and(|fact| match fact {
                Value::String(text) => values.contains(text),
                other => values.contains(&other.to_string()),
            })
        });
        for (key, value) in metadata {
            let some = known.entry(key).or_default();
            if some.len() < MOST_KNOWN {
                some.insert(
                    value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned),
                );
            }
        }
        passes
    });
    if let Some((key, _)) = filters.iter().find(|(key, _)| !known.contains_key(key)) {
        return Err(SelectionError::UnknownKey {
            benchmark: dataset.name().to_owned(),
            key: key.clone(),
            known: known.into_keys().collect(),
        });
    }
    if indices.is_empty() {
        for (key, _) in filters {
            let some = known.get(key).into_iter().flatten();
            let some: Vec<&str> = some.map(String::as_str).collect();
            let more = if some.len() < MOST_KNOWN { "" } else { ", …" };
            notes.push(format!(
                "known values of `{key}`: {}{more}",
                some.join(", ")
            ));
        }
    }
    Ok(())
}

/// Maximum number of values listed for a metadata key if no sample matches.
const MOST_KNOWN: usize = 12;

/// Selects `most` random samples in their original order. They have the lowest hashes of seed and
/// id, so that with one seed, a larger selection contains a smaller one.
fn at_random(indices: Vec<usize>, ids: &[String], most: usize, seed: u64) -> Vec<usize> {
    let mut ranked: Vec<_> = indices
        .into_iter()
        .enumerate()
        .map(|(place, index)| {
            (
                Sha256::digest(format!("{seed}\0{}", ids[index])),
                place,
                index,
            )
        })
        .collect();
    ranked.sort_unstable();
    ranked.truncate(most);
    ranked.sort_unstable_by_key(|(_, place, _)| *place);
    ranked.into_iter().map(|(.., index)| index).collect()
}

/// Returns the id most similar to `id`, which may omit the prefix of the benchmark.
fn nearest(id: &str, dataset: &dyn Dataset) -> Option<String> {
    let prefix = format!("{}-", dataset.name());
    let likeness = |known: &str| {
        let short = known.strip_prefix(&prefix).unwrap_or(known);
        strsim::jaro_winkler(id, known).max(strsim::jaro_winkler(id, short))
    };
    dataset
        .ids()
        .iter()
        .map(|known| (likeness(known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.7)
        .map(|(_, known)| known.clone())
}
