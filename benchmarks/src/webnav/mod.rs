//! `webnav`: tasks on small web sites, generated from a seed and scored by the forms that the
//! site's server received.
//!
//! The sites are HTML files. Their server is a pure state machine ([`SiteServer`]), which the
//! runner exposes on a loopback address.

mod words;
mod family;
mod site_server;

mod scorer;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::dataset::{SampleMetadata, sample_metadata};
use crate::entry::{Entry, SupportedOption};
use crate::{Dataset, DatasetError, NamedScorer, OpenError, Options, Sample, Scorer, Site};
use family::{FAMILIES, GeneratedTask};
use scorer::WebState;
use site_server::SiteServer;

pub(crate) const ENTRY: Entry = Entry {
    name: "webnav",
    summary: "web navigation: tasks on small sites in a real browser, scored by the forms that the server received",
    scorer: WebState::NAME,
    size: "36",
    reads: &[SupportedOption::Seed],
    own_scorer: Some(NamedScorer {
        name: "web-state",
        summary: "the forms that a web site's server received, instead of the answer",
        make: || Arc::new(WebState),
    }),
    ..Entry::generated(open)
};

/// Number of tasks in each family.
const TASKS: usize = 3;

/// Version of the samples, which is part of every sample's seed and of the digest. Increase it when
/// a code change alters a sample.
const GENERATOR: &str = "webnav/1";

const QUERIES_SOURCE: &str = include_str!("queries.yaml");

static QUERIES: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| words::parsed(QUERIES_SOURCE));

struct WebNav {
    seed: u64,
    ids: Vec<String>,
    digest: String,
}

/// Opens `webnav`. It uses only the seed of the options and never fails.
#[expect(
    clippy::unnecessary_wraps,
    reason = "all benchmarks share this signature"
)]
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let ids = FAMILIES.iter().flat_map(|(family, _)| {
        (1..=TASKS).map(move |task| format!("{}-{family}-{task}", ENTRY.name))
    });
    let mut digest = Sha256::new()
        .chain_update(format!("{GENERATOR}\0{}\0{QUERIES_SOURCE}\0", options.seed))
        .chain_update(words::SOURCE);
    for (name, text) in site_server::files() {
        digest.update(format!("{name}\0{text}\0"));
    }
    Ok(Box::new(WebNav {
        seed: options.seed,
        ids: ids.collect(),
        digest: hex::encode(digest.finalize()),
    }))
}

impl WebNav {
    fn made(&self, id: &str) -> Option<(&'static str, GeneratedTask)> {
        let name = id.split('-').nth(1)?;
        let (family, make) = FAMILIES.iter().find(|(family, _)| *family == name)?;
        let mut rng = crate::generated::stream(GENERATOR, self.seed, id);
        Some((*family, make(&mut rng)))
    }
}

impl Dataset for WebNav {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn metadata(&self, index: usize) -> SampleMetadata {
        let family = self.ids.get(index).and_then(|id| id.split('-').nth(1));
        sample_metadata(family.map(|family| ("family", json!(family))))
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let missing = || DatasetError::out_of_range(index, &self.ids);
        let id = self.ids.get(index).ok_or_else(missing)?;
        let (family, made) = self.made(id).ok_or_else(missing)?;
        let mut query = QUERIES.get(family).cloned().unwrap_or_default();
        for (name, word) in &made.words {
            query = query.replace(&format!("<{name}>"), word);
        }
        let fields: BTreeMap<_, _> = made.fields.into_iter().collect();
        Ok(Sample {
            id: id.clone(),
            query,
            expected: json!({ "posts": [{ "to": made.action, "fields": fields }] }),
            metadata: self.metadata(index),
            ..Sample::default()
        })
    }

    fn site(&self, id: &str) -> Option<Box<dyn Site>> {
        let id = self.ids.iter().find(|own| *own == id)?;
        let (family, made) = self.made(id)?;
        Some(Box::new(SiteServer::new(family, &made.data)))
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(WebState)
    }
}
