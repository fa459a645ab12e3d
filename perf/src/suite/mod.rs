//! The parts of the suite, in the order in which they run.

mod start;
mod ready;
mod serve;
mod throughput;

mod context;
mod memory;
mod tree;

mod growth;
mod records;

mod javascript_system;
mod peers;
mod recorded;

mod micro;

use crate::bench::{Bench, SuiteError};
use crate::report::Figure;

type Measure = fn(&Bench) -> Result<Vec<Figure>, SuiteError>;

/// Name and function of each part.
pub const PARTS: [(&str, Measure); 13] = [
    ("micro", micro::measure),
    ("start", start::measure),
    ("ready", ready::measure),
    ("throughput", throughput::measure),
    ("serve", serve::measure),
    ("tree", tree::measure),
    ("context", context::measure),
    ("memory", memory::measure),
    ("records", records::measure),
    ("growth", growth::measure),
    ("javascript-system", javascript_system::measure),
    ("peers", peers::measure),
    ("recorded", recorded::measure),
];
