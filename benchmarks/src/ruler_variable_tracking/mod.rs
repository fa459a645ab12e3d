//! `ruler-variable-tracking`: all variables of one chain of assignments, after `vt` of RULER.

use rand_chacha::ChaCha8Rng;

use crate::catalog::{Entry, GENERATED};
use crate::generated::haystack::plant_in_order;
use crate::generated::words::below;
use crate::ruler::{Made, Task, distinct};
use crate::{Dataset, OpenError, Options, StringMatch, generated};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-variable-tracking",
    summary: "RULER variable tracking: find all variables that get a value by way of others",
    scorer: StringMatch::ALL,
    source: "generated from --seed",
    licence: "MIT",
    size: "any",
    needs_data: false,
    reads: GENERATED,
    model: include_str!("model.yaml"),
    more_models: &[],
    sweep: Some(include_str!("sweep.yaml")),
    fetch: None,
    own_scorer: None,
    plain_expected: None,
    open,
};

/// Assignments that follow the first one of a chain: RULER's number.
const HOPS: usize = 4;

/// Chains of variables, of which one is asked for.
const CHAINS: usize = 3;

/// Letters of a variable's name: RULER's number.
const LETTERS: usize = 5;

/// Opens the benchmark.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let task = Task {
        name: ENTRY.name,
        query: include_str!("query.txt"),
        make,
    };
    generated::open(task, options)
}

fn make(length: usize, rng: &mut ChaCha8Rng) -> Made {
    let variables = distinct(CHAINS * (HOPS + 1), rng, |rng| {
        (0..LETTERS)
            .map(|_| char::from(b'A' + u8::try_from(below(26, rng)).unwrap_or(0)))
            .collect()
    });
    let numbers = distinct(CHAINS, rng, |rng| (10_000 + below(90_000, rng)).to_string());
    let chains: Vec<_> = variables.chunks(HOPS + 1).zip(&numbers).collect();
    // One step of each chain after the other, so that they cross; a chain's own order stays.
    let pins: Vec<_> = (0..=HOPS)
        .flat_map(|hop| {
            chains.iter().map(move |(names, number)| match hop {
                0 => format!("VAR {} = {number}.", names[0]),
                _ => format!("VAR {} = VAR {}.", names[hop], names[hop - 1]),
            })
        })
        .collect();
    let (names, number) = chains[below(CHAINS, rng)];
    Made {
        context: plant_in_order(&pins, length, rng),
        slots: vec![
            ("<value>", number.clone()),
            ("<count>", names.len().to_string()),
        ],
        answers: names.to_vec(),
    }
}
