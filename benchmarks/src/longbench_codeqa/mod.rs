//! `longbench-codeqa`: the multiple-choice questions of LongBench-v2 about code repositories.

use crate::entry::Entry;
use crate::{Dataset, OpenError, Options, longbench};

pub(crate) const ENTRY: Entry = Entry {
    name: "longbench-codeqa",
    summary: "LongBench-v2: multiple choice about code repositories",
    size: "50",
    ..longbench::entry(open)
};

fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let domain = "Code Repository Understanding";
    longbench::open(ENTRY.name, Some(domain), options)
}
