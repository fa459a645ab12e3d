//! `ruler-multi-key`: find one number among sentences with other numbers. Modeled on
//! `niah_multikey_2` of RULER.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;

use crate::entry::Entry;
use crate::generated::haystack::values;
use crate::generated::words::below;
use crate::ruler::{self, Form, Generated, name};

pub(crate) const ENTRY: Entry = Entry {
    name: "ruler-multi-key",
    summary: "RULER multi-key: find one number among many similar sentences",
    ..ruler::entry(|options| ruler::open(ENTRY.name, include_str!("query.txt"), make, options))
};

fn make(length: usize, rng: &mut ChaCha8Rng) -> Generated {
    let form = Form::pick(rng);
    let longest = form.sentence("", "").len() + 40;
    let mut sentences = Vec::new();
    let mut used = 0;
    let mut seen = BTreeSet::new();
    while used + longest <= length {
        // A number in the key makes it unique, because a long context has more needles than the
        // word list has names.
        let key = loop {
            let key = format!("{} {}", name(rng), 1_000 + below(9_000, rng));
            if seen.insert(key.clone()) {
                break key;
            }
        };
        let value = values(1, rng).concat();
        let sentence = form.sentence(&key, &value);
        used += sentence.len() + 1;
        sentences.push((key, value, sentence));
    }
    let asked = below(sentences.len(), rng);
    let (key, value, _) = sentences[asked].clone();
    let lines: Vec<_> = sentences
        .into_iter()
        .map(|(_, _, sentence)| sentence)
        .collect();
    Generated {
        context: lines.join("\n"),
        slots: vec![("<kind>", form.kind.to_owned()), ("<key>", key)],
        answers: vec![value],
    }
}
