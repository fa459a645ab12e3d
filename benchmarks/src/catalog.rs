//! The catalog: all benchmarks and all scorers, with lookup by name.

use std::sync::Arc;

use serde_json::Value;

use crate::entry::{Entry, Fetch};
use crate::score::{
    Checks, Choice, Exact, NamedScorer, Needle, Numeric, PairF1, Pattern, Scorer, ShortAnswer,
    StringMatch,
};

/// Returns all benchmarks, sorted by name. `build.rs` generates the list.
pub fn catalog() -> &'static [Entry] {
    const CATALOG: &[Entry] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));
    CATALOG
}

/// Returns the benchmark with this name, if there is one.
pub fn entry(name: &str) -> Option<&'static Entry> {
    catalog().iter().find(|entry| entry.name == name)
}

/// Decrypts the expected answer of a sample. Returns `None` if the benchmark does not encrypt its
/// answers, or if this one cannot be decrypted.
pub fn decrypted_expected(benchmark: &str, expected: &Value) -> Option<Value> {
    entry(benchmark)?.plain_expected?(expected)
}

/// Scorers that are not specific to a benchmark.
const SHARED: [NamedScorer; 10] = [
    NamedScorer {
        name: "exact",
        summary: "the expected text, except for white space and quotes around it; other values are compared as JSON",
        make: || Arc::new(Exact),
    },
    NamedScorer {
        name: "short-answer",
        summary: "the expected text, except for case, punctuation and articles; a list of texts allows any",
        make: || Arc::new(ShortAnswer),
    },
    NamedScorer {
        name: "numeric",
        summary: "the expected number: the last one in the answer, or the boxed one",
        make: || Arc::new(Numeric),
    },
    NamedScorer {
        name: "choice",
        summary: "the letter of the right choice",
        make: || Arc::new(Choice),
    },
    NamedScorer {
        name: "needle",
        summary: "the expected value, or the only number with as many digits",
        make: || Arc::new(Needle),
    },
    NamedScorer {
        name: "string-match-all",
        summary: "the share of the expected texts that the answer contains",
        make: || Arc::new(StringMatch::All),
    },
    NamedScorer {
        name: "string-match-part",
        summary: "any of the expected texts is in the answer",
        make: || Arc::new(StringMatch::Part),
    },
    NamedScorer {
        name: "regex",
        summary: "the expected value is a regular expression, which matches anywhere in the answer",
        make: || Arc::new(Pattern),
    },
    NamedScorer {
        name: "pair-f1",
        summary: "F1 of pairs of whole numbers",
        make: || Arc::new(PairF1),
    },
    NamedScorer {
        name: "checks",
        summary: "the checks in your own rows: of a page, a server or an answer",
        make: || Arc::new(Checks),
    },
];

/// Returns all scorers that [`scorer`] accepts: the shared ones, then those defined by benchmarks.
pub fn scorers() -> impl Iterator<Item = NamedScorer> {
    let own = catalog().iter().filter_map(|entry| entry.own_scorer);
    SHARED.into_iter().chain(own)
}

/// Returns a scorer by its name in [`scorers`], with or without its version.
pub fn scorer(name: &str) -> Option<Arc<dyn Scorer>> {
    let short = name.split_once('/').map_or(name, |(short, _)| short);
    let found = scorers().find(|scorer| scorer.name == short)?;
    let scorer = (found.make)();
    (short == name || scorer.name() == name).then_some(scorer)
}
