//! Shared parts of the benchmarks with multiple-choice questions of LongBench-v2, from one or all
//! domains.
//!
//! Rows follow <https://huggingface.co/datasets/zai-org/LongBench-v2>, described in
//! <https://arxiv.org/abs/2412.15204>.

use std::sync::Arc;

use serde_json::json;

use crate::entry::{Entry, Open};
use crate::fields::{Fault, Row, field, label, some, text};
use crate::rows::{self, SampleHeader, Schema};
use crate::template::{filled, plain};
use crate::{Choice, Dataset, OpenError, Options, Sample, Scorer};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "longbench-v2/1";

const QUERY: &str = include_str!("query.txt");

/// Questions from one or all domains.
struct LongBench {
    name: &'static str,
    domain: Option<&'static str>,
}

/// Catalog fields shared by both benchmarks.
pub(crate) const fn entry(open: Open) -> Entry {
    Entry {
        scorer: Choice::NAME,
        source: "huggingface.co/datasets/zai-org/LongBench-v2",
        license: "Apache-2.0",
        ..Entry::rows(open)
    }
}

/// Opens the questions from one or all domains as the benchmark with this name.
///
/// # Errors
///
/// If no file is given, the file has no rows, or a row is malformed.
pub(crate) fn open(
    name: &'static str,
    domain: Option<&'static str>,
    options: &Options,
) -> Result<Box<dyn Dataset>, OpenError> {
    let path = options.data(
        name,
        "data.json of zai-org/LongBench-v2, or rows in the same format",
    )?;
    Ok(rows::open(LongBench { name, domain }, path, options)?)
}

impl Schema for LongBench {
    fn name(&self) -> &str {
        self.name
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{}\0{QUERY}", self.name)
    }

    fn columns(&self) -> &'static [&'static str] {
        &["_id", "domain", "sub_domain", "difficulty", "length"]
    }

    fn index(&mut self, row: &Row, _: usize) -> Result<Vec<SampleHeader>, Fault> {
        if let Some(wanted) = self.domain
            && text(row, "domain")? != wanted
        {
            return Ok(Vec::new());
        }
        Ok(vec![SampleHeader {
            id: format!("{}-{}", self.name, label(row, "_id")?),
            metadata: some(row, &["domain", "sub_domain", "difficulty", "length"]),
            variant: 0,
        }])
    }

    fn body(&self, row: &Row, _: usize) -> Result<Sample, Fault> {
        let answer = text(row, "answer")?.trim();
        if !matches!(answer, "A" | "B" | "C" | "D") {
            return Err(Fault::new(
                "answer",
                format!("is `{answer}`; expected A, B, C or D"),
            ));
        }
        let mut shown = Row::new();
        for name in ["question", "choice_A", "choice_B", "choice_C", "choice_D"] {
            let text = plain(field(row, name)?);
            shown.insert(name.to_owned(), text.trim().into());
        }
        Ok(Sample {
            query: filled(QUERY.trim_end(), &shown)?,
            context: text(row, "context")?.to_owned().into(),
            expected: json!(answer),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Choice)
    }
}
