//! `longbench-v2`: the multiple-choice questions of LongBench-v2 about long texts of six domains.

use crate::entry::Entry;
use crate::{Dataset, OpenError, Options, longbench};

pub(crate) const ENTRY: Entry = Entry {
    name: "longbench-v2",
    summary: "LongBench-v2: multiple choice about long texts of six domains",
    size: "503",
    ..longbench::entry(open)
};

fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    longbench::open(ENTRY.name, None, options)
}
