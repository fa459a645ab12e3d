//! `oolong`: the tasks of OOLONG-synth, which require counting and comparing the labels in a long
//! list of instances.
//!
//! Rows follow <https://huggingface.co/datasets/oolongbench/oolong-synth>, described in
//! <https://arxiv.org/abs/2511.02817>.

mod scorer;

use std::sync::Arc;

use serde_json::json;

use crate::entry::{Entry, WINDOWS};
use crate::fields::{Fault, Row, some, text, whole};
use crate::rows::{self, SampleHeader, Schema};
use crate::score::read_date;
use crate::{Dataset, NamedScorer, OpenError, Options, Sample, Scorer};

pub(crate) const ENTRY: Entry = Entry {
    name: "oolong",
    summary: "OOLONG-synth: counts and comparisons over a long list of labeled instances",
    scorer: scorer::Oolong::NAME,
    source: "huggingface.co/datasets/oolongbench/oolong-synth",
    size: "5,200 for test",
    reads: WINDOWS,
    own_scorer: Some(NamedScorer {
        name: "oolong",
        summary: "the rules of OOLONG-synth",
        make: || Arc::new(scorer::Oolong),
    }),
    ..Entry::rows(open)
};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "oolong/1";

struct Oolong {
    labels: bool,
    lengths: Vec<usize>,
}

/// Opens `oolong`. With the option `labels`, contexts include each instance's label.
/// `context_lengths` selects rows by their field `context_len`, in tokens.
///
/// # Errors
///
/// If no folder is given, the folder has no rows, or a row is malformed.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let schema = Oolong {
        labels: options.labels,
        lengths: options.context_lengths.clone(),
    };
    let path = options.data(
        ENTRY.name,
        "the files of oolongbench/oolong-synth (data/test-*.parquet), or rows in the same format",
    )?;
    Ok(rows::open(schema, path, options)?)
}

impl Schema for Oolong {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{}", self.labels)
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "id",
            "dataset",
            "context_len",
            "context_window_id",
            "num_labels",
            "task_group",
            "task",
            "answer",
            "answer_type",
        ]
    }

    fn index(&mut self, row: &Row, _: usize) -> Result<Vec<SampleHeader>, Fault> {
        let length = whole(row, "context_len")?;
        gold(row)?;
        whole(row, "context_window_id")?;
        if !self.lengths.is_empty()
            && !self
                .lengths
                .iter()
                .any(|&given| i64::try_from(given) == Ok(length))
        {
            return Ok(Vec::new());
        }
        let names = [
            "dataset",
            "context_len",
            "context_window_id",
            "num_labels",
            "task_group",
            "task",
            "answer_type",
        ];
        let mut metadata = some(row, &names);
        metadata.insert("labels".to_owned(), json!(self.labels));
        Ok(vec![SampleHeader {
            id: format!("{}-{}", ENTRY.name, whole(row, "id")?),
            metadata,
            variant: 0,
        }])
    }

    fn body(&self, row: &Row, _: usize) -> Result<Sample, Fault> {
        let context = if self.labels {
            "context_window_text_with_labels"
        } else {
            "context_window_text"
        };
        Ok(Sample {
            query: text(row, "question")?.to_owned(),
            context: text(row, context)?.to_owned().into(),
            expected: json!({"answer": gold(row)?, "answer_type": text(row, "answer_type")?}),
            cluster: Some(format!(
                "{}-window-{}",
                ENTRY.name,
                whole(row, "context_window_id")?
            )),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(scorer::Oolong)
    }
}

/// Returns the first item of the field `answer`, a list in Python notation: `['spam']`, `[12]`,
/// `[datetime.date(2023, 1, 6)]`.
fn gold(row: &Row) -> Result<String, Fault> {
    let answer = text(row, "answer")?.trim();
    let wrong = || {
        let wanted =
            "expected a list in Python notation: ['spam'], [12], [datetime.date(2023, 1, 6)]";
        Fault::new(
            "answer",
            format!(
                "is `{}`; {wanted}",
                answer.chars().take(60).collect::<String>()
            ),
        )
    };
    let items = answer
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let items = items.ok_or_else(wrong)?.trim();
    if items.starts_with("datetime") {
        return read_date(items)
            .map(|date| date.to_string())
            .ok_or_else(wrong);
    }
    let Some(quote) = items
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'))
    else {
        let first = items.split(',').next().unwrap_or_default().trim();
        return if first.is_empty() {
            Err(wrong())
        } else {
            Ok(first.to_owned())
        };
    };
    let mut letters = items[1..].chars();
    let mut item = String::new();
    loop {
        match letters.next().ok_or_else(wrong)? {
            '\\' => item.extend(letters.next()),
            letter if letter == quote => return Ok(item),
            letter => item.push(letter),
        }
    }
}
