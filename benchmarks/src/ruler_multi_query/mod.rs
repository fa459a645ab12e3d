//! `ruler-multi-query`: find the numbers of several names. Modeled on `niah_multiquery` of
//! RULER.

use rand_chacha::ChaCha8Rng;

use crate::entry::Entry;
use crate::generated::haystack::{plant, values};
use crate::ruler::{self, ANSWERS, DISTRACTORS, Form, Generated, names};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-multi-query",
    summary: "RULER multi-query: find the numbers of four names",
    ..ruler::entry(|options| ruler::open(ENTRY.name, include_str!("query.txt"), make, options))
};

fn make(length: usize, rng: &mut ChaCha8Rng) -> Generated {
    let form = Form::pick(rng);
    let keys = names(ANSWERS + DISTRACTORS, rng);
    let values = values(keys.len(), rng);
    let pins: Vec<_> = keys
        .iter()
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    let (last, first) = (&keys[ANSWERS - 1], &keys[..ANSWERS - 1]);
    Generated {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<keys>", format!("{}, and {last}", first.join(", "))),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}
