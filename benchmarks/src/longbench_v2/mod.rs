//! `longbench-v2`: the multiple-choice questions of LongBench-v2 about long texts of six domains.

use crate::catalog::{Entry, Fetch, ROWS};
use crate::{Choice, Dataset, OpenError, Options, longbench};

pub(crate) const ENTRY: Entry = Entry {
    name: "longbench-v2",
    summary: "LongBench-v2: multiple choice about long texts of six domains",
    scorer: Choice::NAME,
    source: "huggingface.co/datasets/zai-org/LongBench-v2",
    licence: "Apache-2.0",
    size: "503",
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
    longbench::open(ENTRY.name, None, options)
}
