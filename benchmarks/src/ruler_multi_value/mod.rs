//! `ruler-multi-value`: find all numbers of one name. Modeled on `niah_multivalue` of RULER.

use rand_chacha::ChaCha8Rng;

use crate::entry::Entry;
use crate::generated::haystack::{plant, values};
use crate::ruler::{self, ANSWERS, DISTRACTORS, Form, Generated, names};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-multi-value",
    summary: "RULER multi-value: find all four numbers of one name",
    ..ruler::entry(|options| ruler::open(ENTRY.name, include_str!("query.txt"), make, options))
};

fn make(length: usize, rng: &mut ChaCha8Rng) -> Generated {
    let form = Form::pick(rng);
    let keys = names(1 + DISTRACTORS, rng);
    let values = values(ANSWERS + DISTRACTORS, rng);
    let asked = std::iter::repeat_n(&keys[0], ANSWERS);
    let pins: Vec<_> = asked
        .chain(&keys[1..])
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    Generated {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<key>", keys[0].clone()),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}
