//! `longbench-codeqa`: the multiple-choice questions of LongBench-v2 about code repositories.

use crate::catalog::{Entry, Fetch, ROWS};
use crate::{Choice, Dataset, OpenError, Options, longbench};

pub(crate) const ENTRY: Entry = Entry {
    name: "longbench-codeqa",
    summary: "LongBench-v2: multiple choice about code repositories",
    scorer: Choice::NAME,
    source: "huggingface.co/datasets/zai-org/LongBench-v2",
    licence: "Apache-2.0",
    size: "50",
    needs_data: true,
    reads: ROWS,
    model: include_str!("model.yaml"),
    more_models: &[],
    sweep: Some(include_str!("sweep.yaml")),
    fetch: Some(Fetch {
        source: include_str!("source.json"),
        checksums: None,
    }),
    own_scorer: None,
    plain_expected: None,
    open,
};

/// Opens the benchmark.
///
/// # Errors
///
/// Those of [`longbench::open`].
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let domain = "Code Repository Understanding";
    longbench::open(ENTRY.name, Some(domain), options)
}
