//! `browsecomp-plus`: deep-research questions over a fixed set of documents, whose data stays
//! encrypted on disk.
//!
//! Rows follow <https://huggingface.co/datasets/Tevatron/browsecomp-plus>, described in
//! <https://arxiv.org/abs/2508.06600>. Every text except the query's id is encrypted: XOR with the
//! repeated SHA-256 of the canary, then Base64, as in `decrypt_dataset.py` of
//! <https://github.com/texttron/BrowseComp-Plus>.
//!
//! The authors ask that the data never appear online as plain text. It is therefore decrypted only
//! in memory, when a sample is created or scored. The expected answer stays encrypted in the
//! sample, and therefore in every record of it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::entry::{Entry, SupportedOption};
use crate::fields::{Fault, Row, field, label, text};
use crate::rows::{self, SampleHeader, Schema};
use crate::{Dataset, OpenError, Options, Sample, SampleMetadata, Score, Scorer, ShortAnswer};

pub(crate) const ENTRY: Entry = Entry {
    name: "browsecomp-plus",
    summary: "BrowseComp-Plus: research questions over a fixed set of web pages, encrypted",
    scorer: ShortAnswer::NAME,
    source: "huggingface.co/datasets/Tevatron/browsecomp-plus",
    license: "MIT",
    size: "830",
    reads: &[
        SupportedOption::Seed,
        SupportedOption::Split,
        SupportedOption::SkipMalformed,
    ],
    plain_expected: Some(decrypted_expected),
    ..Entry::rows(open)
};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "browsecomp-plus/1";

/// Text from which the key is derived. It also makes the data recognizable in training sets.
const CANARY: &str = include_str!("canary.txt");

const QUERY: &str = include_str!("query.txt");

/// Fields with documents. A context does not reveal the field of a document, because it contains
/// the documents of all fields, sorted by a hash.
const DOCUMENTS: [&str; 3] = ["evidence_docs", "gold_docs", "negative_docs"];

struct BrowseComp {
    seed: u64,
}

/// Opens `browsecomp-plus`. The option `seed` determines the order of the documents.
///
/// # Errors
///
/// If no folder is given, the folder has no rows, or a row is malformed or not encrypted.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let path = options.data(
        ENTRY.name,
        "the files of Tevatron/browsecomp-plus (data/test-*.parquet), encrypted as they are",
    )?;
    let schema = BrowseComp { seed: options.seed };
    Ok(rows::open(schema, path, options)?)
}

impl Schema for BrowseComp {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{}\0{QUERY}", self.seed)
    }

    fn columns(&self) -> &'static [&'static str] {
        &["query_id"]
    }

    fn index(&mut self, row: &Row, _: usize) -> Result<Vec<SampleHeader>, Fault> {
        Ok(vec![SampleHeader {
            id: format!("{}-{}", ENTRY.name, label(row, "query_id")?),
            metadata: SampleMetadata::new(),
            variant: 0,
        }])
    }

    fn body(&self, row: &Row, _: usize) -> Result<Sample, Fault> {
        let id = label(row, "query_id")?;
        let question = decrypted(row, "query")?;
        decrypted(row, "answer")?;
        let mut documents = Vec::<([u8; 32], String)>::new();
        for name in DOCUMENTS {
            let Value::Array(items) = field(row, name)? else {
                return Err(Fault::new(
                    name,
                    "is not a list; expected a list of documents",
                ));
            };
            for (item, number) in items.iter().zip(0..) {
                let inside = |fault: Fault| {
                    Fault::new(&format!("{name}[{number}]"), format!("is wrong: {fault}"))
                };
                let Value::Object(item) = item else {
                    return Err(Fault::new(
                        name,
                        format!("has no document at index {number}; expected an object"),
                    ));
                };
                let document = decrypted(item, "docid").map_err(inside)?;
                let order = Sha256::digest(format!("{}\0{id}\0{document}", self.seed)).into();
                if documents.iter().any(|(known, _)| *known == order) {
                    continue;
                }
                let url = decrypted(item, "url").unwrap_or_default();
                let text = decrypted(item, "text").map_err(inside)?;
                documents.push((order, format!("=== document {document} {url}\n{text}")));
            }
        }
        documents.sort();
        let texts: Vec<_> = documents.into_iter().map(|(_, text)| text).collect();
        Ok(Sample {
            query: QUERY.trim_end().replace("<question>", question.trim()),
            context: texts.join("\n\n").into(),
            expected: json!(text(row, "answer")?),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Encrypted)
    }
}

/// Scores like [`ShortAnswer`] against an encrypted expected text. Its explanations never contain
/// that text.
struct Encrypted;

impl Scorer for Encrypted {
    fn name(&self) -> &str {
        ShortAnswer::NAME
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = sample.expected.as_str().and_then(|text| decrypt(text).ok());
        let sample = Sample {
            expected: expected.map_or(Value::Null, Value::String),
            ..Sample::default()
        };
        let score = ShortAnswer.score(answer, &sample);
        let explanation = match score.value {
            0.0 => "the answer is not the expected text, which stays encrypted".to_owned(),
            _ => score.explanation,
        };
        Score {
            explanation,
            ..score
        }
    }
}

/// Decrypts an expected answer for other scorers. Returns `None` for a text that is not encrypted
/// with this benchmark's key.
fn decrypted_expected(expected: &Value) -> Option<Value> {
    decrypt(expected.as_str()?).ok().map(Value::String)
}

fn decrypted(row: &Row, name: &str) -> Result<String, Fault> {
    decrypt(text(row, name)?).map_err(|problem| Fault::new(name, problem))
}

fn decrypt(text: &str) -> Result<String, &'static str> {
    let bytes = STANDARD
        .decode(text.trim())
        .map_err(|_| "is not Base64; expected the encrypted text as published")?;
    let key = Sha256::digest(CANARY.trim_end());
    let plain = bytes
        .iter()
        .zip(key.iter().cycle())
        .map(|(byte, key)| byte ^ key);
    String::from_utf8(plain.collect()).map_err(|_| "is encrypted with another key")
}
