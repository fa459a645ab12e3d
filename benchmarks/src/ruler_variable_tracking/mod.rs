//! `ruler-variable-tracking`: find all variables in a chain of assignments. Modeled on `vt`
//! of RULER.

use rand_chacha::ChaCha8Rng;

use crate::entry::Entry;
use crate::generated::haystack::plant_in_order;
use crate::generated::words::below;
use crate::ruler::{self, Generated, distinct};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-variable-tracking",
    summary: "RULER variable tracking: find all variables that get a value by way of others",
    ..ruler::entry(|options| ruler::open(ENTRY.name, include_str!("query.txt"), make, options))
};

/// Number of assignments in a chain after the first, as in RULER.
const HOPS: usize = 4;

/// Number of chains of variables. The query asks for one of them.
const CHAINS: usize = 3;

/// Number of letters in a variable's name, as in RULER.
const LETTERS: usize = 5;

fn make(length: usize, rng: &mut ChaCha8Rng) -> Generated {
    let variables = distinct(CHAINS * (HOPS + 1), rng, |rng| {
        (0..LETTERS)
            .map(|_| char::from(b'A' + u8::try_from(below(26, rng)).unwrap_or(0)))
            .collect()
    });
    let numbers = distinct(CHAINS, rng, |rng| (10_000 + below(90_000, rng)).to_string());
    let chains: Vec<_> = variables.chunks(HOPS + 1).zip(&numbers).collect();
    // Interleaves the chains step by step, so that they cross while each keeps its own order.
    let pins: Vec<_> = (0..=HOPS)
        .flat_map(|hop| {
            chains.iter().map(move |(names, number)| match hop {
                0 => format!("VAR {} = {number}.", names[0]),
                _ => format!("VAR {} = VAR {}.", names[hop], names[hop - 1]),
            })
        })
        .collect();
    let (names, number) = chains[below(CHAINS, rng)];
    Generated {
        context: plant_in_order(&pins, length, rng),
        slots: vec![
            ("<value>", number.clone()),
            ("<count>", names.len().to_string()),
        ],
        answers: names.to_vec(),
    }
}
