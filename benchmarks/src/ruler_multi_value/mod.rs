//! `ruler-multi-value`: all numbers of one name, after `niah_multivalue` of RULER.

use rand_chacha::ChaCha8Rng;

use crate::catalog::{Entry, GENERATED};
use crate::generated::haystack::{plant, values};
use crate::ruler::{ANSWERS, DISTRACTORS, Form, Made, Task, names};
use crate::{Dataset, OpenError, Options, StringMatch, generated};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-multi-value",
    summary: "RULER multi-value: find all four numbers of one name",
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
    let form = Form::pick(rng);
    let keys = names(1 + DISTRACTORS, rng);
    let values = values(ANSWERS + DISTRACTORS, rng);
    let asked = std::iter::repeat_n(&keys[0], ANSWERS);
    let pins: Vec<_> = asked
        .chain(&keys[1..])
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    Made {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<key>", keys[0].clone()),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}
