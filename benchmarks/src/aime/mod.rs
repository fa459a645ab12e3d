//! `aime`: short-answer mathematics, a control without a context.
//!
//! Rows follow <https://huggingface.co/datasets/math-ai/aime25> or
//! <https://huggingface.co/datasets/Maxwell-Jia/AIME_2024>: a problem and its numeric answer. The
//! field names of both are accepted. The context is empty.

use std::sync::Arc;

use serde_json::json;

use crate::entry::Entry;
use crate::fields::{Fault, Row, label, text};
use crate::rows::{self, SampleHeader, Schema};
use crate::{Dataset, Numeric, OpenError, Options, Sample, SampleMetadata, Scorer};

pub(crate) const ENTRY: Entry = Entry {
    name: "aime",
    summary: "AIME: short-answer mathematics, a control without context",
    scorer: Numeric::NAME,
    source: "any rows of id, problem, answer, as in math-ai/aime25",
    size: "30 a year",
    ..Entry::rows(open)
};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "aime/1";

const QUERY: &str = include_str!("query.txt");

struct Aime;

/// Opens `aime`.
///
/// # Errors
///
/// If the file is missing, has no rows, or has a malformed row.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let path = options.data(
        ENTRY.name,
        "a file of problems with the fields id, problem and answer",
    )?;
    Ok(rows::open(Aime, path, options)?)
}

impl Schema for Aime {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{QUERY}")
    }

    fn index(&mut self, row: &Row, number: usize) -> Result<Vec<SampleHeader>, Fault> {
        let id = label(row, spelling(row, "id", "ID")).unwrap_or_else(|_| number.to_string());
        Ok(vec![SampleHeader {
            id: format!("{}-{id}", ENTRY.name),
            metadata: SampleMetadata::new(),
            variant: 0,
        }])
    }

    fn body(&self, row: &Row, _: usize) -> Result<Sample, Fault> {
        let name = spelling(row, "answer", "Answer");
        let answer = label(row, name)?;
        let number: i64 = answer
            .parse()
            .map_err(|_| Fault::new(name, format!("is `{answer}`; expected a whole number")))?;
        let problem = text(row, spelling(row, "problem", "Problem"))?;
        Ok(Sample {
            query: QUERY.trim_end().replace("<problem>", problem.trim()),
            expected: json!(number),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Numeric)
    }
}

/// Returns the field name that the row has, or `first` if it has neither.
fn spelling(row: &Row, first: &'static str, second: &'static str) -> &'static str {
    if row.contains_key(first) || !row.contains_key(second) {
        first
    } else {
        second
    }
}
