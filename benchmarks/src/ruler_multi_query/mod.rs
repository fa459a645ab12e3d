//! `ruler-multi-query`: the numbers of several names, after `niah_multiquery` of RULER.

use rand_chacha::ChaCha8Rng;

use crate::catalog::{Entry, GENERATED};
use crate::generated::haystack::{plant, values};
use crate::ruler::{ANSWERS, DISTRACTORS, Form, Made, Task, names};
use crate::{Dataset, OpenError, Options, StringMatch, generated};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-multi-query",
    summary: "RULER multi-query: find the numbers of four names",
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
    let keys = names(ANSWERS + DISTRACTORS, rng);
    let values = values(keys.len(), rng);
    let pins: Vec<_> = keys
        .iter()
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    let (last, first) = (&keys[ANSWERS - 1], &keys[..ANSWERS - 1]);
    Made {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<keys>", format!("{}, and {last}", first.join(", "))),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}
