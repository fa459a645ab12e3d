//! `--partition`: the shard of a run's samples that this machine runs.
//!
//! Shards may run on different machines and with different versions of the program, so the rules
//! that assign samples to shards are fixed; a run records which rule it uses.

use std::collections::HashSet;
use std::env;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::process::env_vars;

/// One shard of a run. All shards together cover the run without overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    /// Number of the shard, 1-based, at most `of`.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
}

/// Rule that assigns samples to shards. A run keeps the rule that it started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ShardAssignment {
    /// Rule 2: assigned in turn, see [`Partition::shard_samples`].
    #[default]
    InTurn,
    /// Rule 1, of older runs: see [`Partition::holds`].
    ByHash,
    /// Ids of the shard's samples in run order, as assigned by rule 2 when the run started.
    Recorded(Vec<String>),
}

impl ShardAssignment {
    /// Returns the recorded number of the rule.
    pub fn rule(&self) -> u32 {
        match self {
            Self::ByHash => 1,
            Self::InTurn | Self::Recorded(_) => 2,
        }
    }
}

/// Maximum number of shards; larger numbers are probably typos.
const MAX_SHARDS: u32 = 10_000;

impl Partition {
    /// Whether [`ShardAssignment::ByHash`] assigns the sample to this shard. The shard's
    /// zero-based index is the first 8 bytes of the id's SHA-256, as a big-endian number modulo
    /// `of`. It depends only on the id, so a sample keeps its shard regardless of the selection.
    pub fn holds(self, id: &str) -> bool {
        let hash = Sha256::digest(id);
        let number = hash
            .iter()
            .take(8)
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.of) == u64::from(self.index - 1)
    }

    /// Returns the samples that [`ShardAssignment::InTurn`] assigns to this shard. Samples are
    /// sorted by the SHA-256 of their ids; shard M of N gets the M-th sample and every N-th sample
    /// after it. The sizes of shards differ by at most one.
    pub fn shard_samples<'a>(self, ids: impl IntoIterator<Item = &'a str>) -> HashSet<&'a str> {
        let mut ranked: Vec<_> = ids.into_iter().map(|id| (Sha256::digest(id), id)).collect();
        ranked.sort_unstable();
        let own = ranked.into_iter().skip(self.index as usize - 1);
        own.step_by(self.of as usize).map(|(_, id)| id).collect()
    }
}

/// Parses `2/8`, or `auto` for the shard that a Kubernetes Indexed Job or a Slurm array assigns to
/// this process.
impl FromStr for Partition {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let given = given.trim();
        if given == "auto" {
            return auto(|name| env::var(name).ok().filter(|value| !value.is_empty()));
        }
        let numbers = given
            .split_once('/')
            .and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let (index, of) =
            numbers.ok_or("expected M/N, the M-th of N shards, such as 2/8, or auto")?;
        new(index, of)
    }
}

fn new(index: u32, of: u32) -> Result<Partition, String> {
    if of == 0 || of > MAX_SHARDS {
        return Err(format!("expected 1 to {MAX_SHARDS} shards"));
    }
    if index == 0 || index > of {
        return Err(format!("expected a shard from 1/{of} to {of}/{of}"));
    }
    Ok(Partition { index, of })
}

/// Returns the shard that the job scheduler's environment variables specify.
fn auto(variable: impl Fn(&str) -> Option<String>) -> Result<Partition, String> {
    let number = |name: &str| {
        let value = variable(name);
        value
            .map(|value| {
                let parsed = value.trim().parse::<u32>();
                parsed.map_err(|_| format!("{name} is `{value}`: expected a whole number"))
            })
            .transpose()
    };
    if let Some(index) = number(env_vars::JOB_COMPLETION_INDEX)? {
        let Some(of) = number(env_vars::PARTITION_COUNT)? else {
            return Err(format!(
                "{} is set, as in a Kubernetes Indexed Job, but Kubernetes does not pass the number of indexes to a pod; set \
                 {} to the job's `completions`",
                env_vars::JOB_COMPLETION_INDEX,
                env_vars::PARTITION_COUNT,
            ));
        };
        let (name, of_name) = (env_vars::JOB_COMPLETION_INDEX, env_vars::PARTITION_COUNT);
        if index >= of {
            return Err(format!(
                "{name} is {index}, but {of_name} allows indices only up to {}",
                of.saturating_sub(1)
            ));
        }
        return new(index + 1, of);
    }
    let Some(id) = number(env_vars::SLURM_ARRAY_TASK_ID)? else {
        return Err(format!(
            "this process is neither in a Kubernetes Indexed Job ({} is not set) nor in a Slurm array ({} is not set)",
            env_vars::JOB_COMPLETION_INDEX,
            env_vars::SLURM_ARRAY_TASK_ID,
        ));
    };
    let needed = |name: &str| number(name)?.ok_or_else(|| format!("{name} is not set"));
    let of = needed(env_vars::SLURM_ARRAY_TASK_COUNT)?;
    let first = needed(env_vars::SLURM_ARRAY_TASK_MIN)?;
    let step = number(env_vars::SLURM_ARRAY_TASK_STEP)?.unwrap_or(1).max(1);
    let place = id.checked_sub(first).filter(|place| place % step == 0);
    match place.map(|place| place / step) {
        Some(place) if place < of => new(place + 1, of),
        _ => Err(format!(
            "task {id} does not fit a Slurm array of {of} from {first} in steps of {step}; number the tasks evenly, as \
             in --array=0-7"
        )),
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Serialize for Partition {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_rule_assigns_each_sample_to_one_shard() {
        let ids: Vec<String> = (0..1000).map(|n| format!("sample-{n}")).collect();
        for of in [1, 2, 3, 7] {
            for id in &ids {
                let holders = (1..=of).filter(|index| Partition { index: *index, of }.holds(id));
                assert_eq!(holders.count(), 1, "{id} of {of}");
            }
            let first = ids.iter().filter(|id| Partition { index: 1, of }.holds(id));
            let even = 1000 / of as usize;
            assert!(
                first.count().abs_diff(even) < 60,
                "{of} shards are about even"
            );
        }
        // Must never change: other machines and program versions must compute the same shards.
        let held = |id: &str| {
            (1..=8).find(|index| {
                Partition {
                    index: *index,
                    of: 8,
                }
                .holds(id)
            })
        };
        assert_eq!(
            ["a", "s-niah-8k-1", "arc-247ef758"].map(held),
            EXPECTED_INDICES
        );
    }

    #[test]
    fn rule_in_turn_is_even_and_independent_of_order() {
        let ids: Vec<String> = (0..100).map(|n| format!("sample-{n}")).collect();
        for count in [0, 1, 5, 16, 100] {
            for of in [1, 2, 3, 7, 16] {
                let shares: Vec<HashSet<&str>> = (1..=of)
                    .map(|index| {
                        let ids = ids.iter().take(count).map(String::as_str);
                        Partition { index, of }.shard_samples(ids)
                    })
                    .collect();
                let sizes: Vec<usize> = shares.iter().map(HashSet::len).collect();
                assert_eq!(
                    sizes.iter().sum::<usize>(),
                    count,
                    "{count} in {of}: none is in two"
                );
                let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
                assert!(spread <= 1, "{count} in {of}: {sizes:?}");
                let all: HashSet<&str> = shares.into_iter().flatten().collect();
                assert_eq!(all.len(), count);
            }
        }
        // Same as `sorted(ids, key=lambda id: hashlib.sha256(id.encode()).digest())[0::2]` in
        // Python, for any order of the ids.
        let ids = ["a", "b", "c", "d", "e"];
        let mut backwards = ids;
        backwards.reverse();
        for ids in [ids, backwards] {
            let own = Partition { index: 1, of: 2 }.shard_samples(ids);
            assert_eq!(own, HashSet::from(EXPECTED_SHARD));
        }
    }

    const EXPECTED_SHARD: [&str; 3] = ["d", "b", "a"];

    /// Shard of each id, computed with `hashlib.sha256(id).digest()[:8]` in Python.
    const EXPECTED_INDICES: [Option<u32>; 3] = [Some(3), Some(6), Some(1)];

    /// Environment variables, and the shard that they specify or a part of the error.
    type Row<'a> = (&'a [(&'a str, &'a str)], Result<(u32, u32), &'a str>);

    #[test]
    fn reads_shard_from_scheduler() {
        let k8s = [("JOB_COMPLETION_INDEX", "2"), ("EVAL_PARTITION_COUNT", "3")];
        let slurm = |id, step| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_COUNT", "4"),
                ("SLURM_ARRAY_TASK_MIN", "10"),
                ("SLURM_ARRAY_TASK_STEP", step),
            ]
        };
        let rows: [Row; 8] = [
            (&k8s, Ok((3, 3))),
            (
                &k8s[..1],
                Err("set EVAL_PARTITION_COUNT to the job's `completions`"),
            ),
            (
                &[k8s[0], ("EVAL_PARTITION_COUNT", "2")],
                Err("allows indices only up to 1"),
            ),
            (
                &[("JOB_COMPLETION_INDEX", "x")],
                Err("JOB_COMPLETION_INDEX is `x`: expected a whole number"),
            ),
            (&slurm("10", "1"), Ok((1, 4))),
            (&slurm("16", "2"), Ok((4, 4))),
            (&slurm("11", "2"), Err("number the tasks evenly")),
            (&[], Err("SLURM_ARRAY_TASK_ID is not set")),
        ];
        for (variables, wanted) in rows {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            match (auto(variable), wanted) {
                (Ok(got), Ok((index, of))) => assert_eq!(got, Partition { index, of }),
                (Err(got), Err(end)) => assert!(got.contains(end), "{got}"),
                (got, wanted) => panic!("{variables:?}: {got:?}, not {wanted:?}"),
            }
        }
    }
}
