//! A dataset whose samples are created from the rows of a [`Table`] according to a [`Schema`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use model::Image;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::context_file::{self, ContextDigests, ContextFile};
use crate::fields::{Fault, Row};
use crate::image::referenced_image;
use crate::table::{RowLocation, Table, is_of};
use crate::user_environment::EnvironmentDigests;
use crate::{
    Dataset, DatasetError, ForeignOrigin, Options, OutsideScorer, Sample, SampleMetadata, Scorer,
    SiteSource, UserEnvironment,
};

/// Format of a benchmark's rows and their conversion to samples.
pub trait Schema: Send + Sync + 'static {
    /// Returns the benchmark's name.
    fn name(&self) -> &str;

    /// Returns everything that can change a sample apart from the rows: version, texts and options.
    /// It is part of the digest.
    fn format(&self) -> String;

    /// Returns the columns that [`index`](Self::index) needs; if empty, it needs all columns.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the fields that must be strings. Files with bytes in these fields are rejected.
    fn texts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the default prefix of the names of the files to read.
    fn split(&self) -> &'static str {
        "test"
    }

    /// Called before the first row if all files are Parquet files. In these, a struct has the same
    /// fields in every row, with null for a field that a row lacks.
    fn treat_null_as_absent(&mut self) {}

    /// Returns the headers of the samples that a row yields, possibly none. Called for each row in
    /// order. `number` is the 1-based row number.
    fn index(&mut self, row: &Row, number: usize) -> Result<Vec<SampleHeader>, Fault>;

    /// Called after the last row. Returns notes about all rows.
    ///
    /// # Errors
    ///
    /// If the rows together are invalid.
    fn end(&mut self) -> Result<Vec<String>, DatasetError> {
        Ok(Vec::new())
    }

    /// Creates one of the samples that a row yields, given its [`variant`](SampleHeader::variant),
    /// without its id, metadata and images.
    fn body(&self, row: &Row, variant: usize) -> Result<Sample, Fault>;

    /// Returns the folder that files of rows must not leave through links. `None` if the user named
    /// the files directly.
    fn root(&self) -> Option<&Path> {
        None
    }

    /// Returns the file with the context of a row, if the row names one.
    fn context_file(&self, _row: &Row) -> Result<Option<ContextFile>, Fault> {
        Ok(None)
    }

    /// Returns the images of a row: paths relative to the folder of its file, or data URLs.
    fn images(&self, _row: &Row) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }

    /// Returns the environment of a row. `folder` is the folder of the row's file.
    fn world(&self, _row: &Row, _folder: &Path) -> Result<Option<UserEnvironment>, Fault> {
        Ok(None)
    }

    fn scorer(&self) -> Arc<dyn Scorer>;

    /// See [`Dataset::outside_scorer`].
    fn outside_scorer(&self) -> Option<&OutsideScorer> {
        None
    }
}

/// The part of a sample that is kept in memory.
pub struct SampleHeader {
    /// Unique id.
    pub id: String,
    /// Metadata of the sample.
    pub metadata: SampleMetadata,
    /// Index among the samples of its row, 0-based.
    pub variant: usize,
}

struct Rows<S> {
    schema: S,
    table: Table,
    entries: Vec<(RowLocation, usize, SampleMetadata)>,
    ids: Vec<String>,
    /// Digest of a sample's images when the dataset was opened, by sample index.
    images: BTreeMap<usize, [u8; 32]>,
    /// Digest of a sample's environment when the dataset was opened, by sample index.
    worlds: BTreeMap<usize, [u8; 32]>,
    /// Digest of a sample's context file when the dataset was opened, by sample index.
    contexts: BTreeMap<usize, [u8; 32]>,
    /// Whether any sample may have a context.
    has_contexts: bool,
    first_command: Option<String>,
    foreign_origins: Vec<ForeignOrigin>,
    has_follow_ups: bool,
    digest: String,
    notes: Vec<String>,
}

/// Opens the rows of a file or folder. Depending on the options, malformed rows are an error, or
/// are skipped and counted.
///
/// # Errors
///
/// If the files cannot be read, a row is malformed (unless such rows are skipped), or two samples
/// have the same id.
pub fn open<S: Schema>(
    mut schema: S,
    path: &Path,
    options: &Options,
) -> Result<Box<dyn Dataset>, DatasetError> {
    let skip_malformed = options.skip_malformed;
    let table = Table::find(path, options.split.as_deref(), schema.split())?;
    if let Some(root) = schema.root() {
        table.check_links(root)?;
    }
    if table.is_parquet() {
        schema.treat_null_as_absent();
    }
    let mut digest = Sha256::new()
        .chain_update(format!("{}\0", schema.format()))
        .chain_update(table.digest()?);
    let mut rows = Rows {
        schema,
        table,
        entries: Vec::new(),
        ids: Vec::new(),
        images: BTreeMap::new(),
        worlds: BTreeMap::new(),
        contexts: BTreeMap::new(),
        has_contexts: false,
        first_command: None,
        foreign_origins: Vec::new(),
        has_follow_ups: false,
        digest: String::new(),
        notes: Vec::new(),
    };
    let mut world_digests = EnvironmentDigests::default();
    let mut context_digests = ContextDigests::default();
    let mut seen_origins = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut skipped = Vec::new();
    let mut damaged = Vec::new();
    let mut number = 0;
    let columns = rows.schema.columns();
    let texts = rows.schema.texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    rows.table.scan(columns, &texts, &mut |place, row| {
        number += 1;
        if row.as_ref().is_ok_and(|row| row.values().any(is_damaged)) {
            damaged.push(rows.table.place(&place));
        }
        let found = row.and_then(|row| {
            let indexed = rows.schema.index(&row, number)?;
            if rows.table.is_read_whole(&place, columns) {
                for sample in &indexed {
                    let body = rows.schema.body(&row, sample.variant)?;
                    rows.has_follow_ups |= !body.follow_ups.is_empty();
                    rows.has_contexts |= !body.context.is_empty();
                }
            } else {
                rows.has_contexts = true;
            }
            let file = rows.schema.context_file(&row)?;
            let context = file.map(|file| context_digests.of(&file, rows.table.folder(&place)));
            let context = context.transpose()?;
            rows.has_contexts |= context.is_some();
            let shown = hash(&load(&rows.schema, &row, rows.table.folder(&place))?);
            let world = rows.schema.world(&row, rows.table.folder(&place))?;
            let is_command = is_command(world.as_ref());
            if let Some(UserEnvironment::Site(site)) = &world {
                for (field, origin) in site.foreign() {
                    if seen_origins.insert(origin.clone()) {
                        let place = rows.table.place(&place);
                        rows.foreign_origins.push(ForeignOrigin {
                            origin,
                            field,
                            place,
                        });
                    }
                }
            }
            let world = world.map(|world| world_digests.of(&world)).transpose()?;
            if is_command && rows.first_command.is_none() {
                rows.first_command = Some(rows.table.place(&place));
            }
            match indexed.iter().find(|sample| seen.contains(&sample.id)) {
                Some(sample) => Err(format!("duplicate id `{}`", sample.id)),
                None => Ok((indexed, [context, world, shown])),
            }
        });
        match found {
            Ok((indexed, hashes)) => {
                let of_samples = [&mut rows.contexts, &mut rows.worlds, &mut rows.images];
                for (hash, of_samples) in hashes.into_iter().zip(of_samples) {
                    if let Some(hash) = hash {
                        digest.update(hash);
                        let indices = rows.ids.len()..rows.ids.len() + indexed.len();
                        of_samples.extend(indices.map(|index| (index, hash)));
                    }
                }
                for sample in indexed {
                    seen.insert(sample.id.clone());
                    rows.ids.push(sample.id);
                    rows.entries
                        .push((place.clone(), sample.variant, sample.metadata));
                }
            }
            Err(_) if skip_malformed => skipped.push(rows.table.place(&place)),
            Err(problem) => return Err(rows.table.error(&place, problem)),
        }
        Ok(())
    })?;
    rows.notes = rows.schema.end()?;
    if let Some(split) = &options.split
        && path.is_file()
        && !is_of(path, split)
    {
        rows.notes.push(format!(
            "--split {split} has no effect: {} is a single file",
            path.display()
        ));
    }
    let left_out = skipped.first().map(|first| {
        let s = if skipped.len() == 1 { "" } else { "s" };
        format!(
            "skipped {} malformed row{s}, the first at {first}",
            skipped.len()
        )
    });
    rows.notes.extend(left_out);
    rows.notes.extend(damaged.first().map(|first| {
        format!(
            "{} of {number} rows contain U+FFFD, which replaces an unreadable character, such as half of a surrogate pair; \
             the first is {first}",
            damaged.len()
        )
    }));
    rows.digest = hex::encode(digest.finalize());
    Ok(Box::new(rows))
}

/// Whether a string in a value contains the replacement character U+FFFD.
fn is_damaged(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(char::REPLACEMENT_CHARACTER),
        Value::Array(values) => values.iter().any(is_damaged),
        Value::Object(fields) => fields.values().any(is_damaged),
        _ => false,
    }
}

fn is_command(world: Option<&UserEnvironment>) -> bool {
    matches!(world, Some(UserEnvironment::Site(site)) if matches!(site.source, SiteSource::Command(_)))
}

fn load(schema: &impl Schema, row: &Row, folder: &Path) -> Result<Vec<Image>, String> {
    let named = schema.images(row)?;
    let load = |name: &String| referenced_image(name, folder).map_err(|error| error.to_string());
    named.iter().map(load).collect()
}

/// Returns the digest of images, or `None` if there are none.
fn hash(images: &[Image]) -> Option<[u8; 32]> {
    let mut all = Sha256::new();
    for image in images {
        all.update(Sha256::digest(&image.data));
    }
    (!images.is_empty()).then(|| all.finalize().into())
}

impl<S: Schema> Dataset for Rows<S> {
    fn name(&self) -> &str {
        self.schema.name()
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn metadata(&self, index: usize) -> SampleMetadata {
        let entry = self.entries.get(index);
        entry
            .map(|(.., metadata)| metadata.clone())
            .unwrap_or_default()
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let (Some(id), Some((place, variant, metadata))) =
            (self.ids.get(index), self.entries.get(index))
        else {
            return Err(DatasetError::out_of_range(index, &self.ids));
        };
        let row = self.table.row(place)?;
        let wrong = |fault: Fault| self.table.error(place, fault);
        let mut body = self.schema.body(&row, *variant).map_err(wrong)?;
        let folder = self.table.folder(place);
        let file = self.schema.context_file(&row).map_err(wrong)?;
        if let Some(file) = file {
            let text = file.read(folder).map_err(wrong)?;
            if self.contexts.get(&index) != Some(&context_file::hash(&text)) {
                let problem = "has changed since the data was opened";
                return Err(wrong(Fault::new(&file.field, problem)));
            }
            body.context = text.into();
        }
        let images =
            load(&self.schema, &row, folder).map_err(|problem| self.table.error(place, problem))?;
        if self.images.get(&index).copied() != hash(&images) {
            let problem = "its images have changed since the data was opened";
            return Err(self.table.error(place, problem));
        }
        Ok(Sample {
            id: id.clone(),
            images,
            metadata: metadata.clone(),
            ..body
        })
    }

    fn user_environment(&self, id: &str) -> Result<Option<UserEnvironment>, DatasetError> {
        let Some(index) = self.ids.iter().position(|own| own == id) else {
            return Ok(None);
        };
        let Some(hash) = self.worlds.get(&index) else {
            return Ok(None);
        };
        let (place, ..) = &self.entries[index];
        let row = self.table.row(place)?;
        let wrong = |problem: String| self.table.error(place, problem);
        let world = self.schema.world(&row, self.table.folder(place));
        let world = world.map_err(|fault| self.table.error(place, fault))?;
        let found = world
            .as_ref()
            .map(|world| EnvironmentDigests::default().of(world));
        match found.transpose().map_err(wrong)? {
            Some(found) if found != *hash => Err(wrong(
                "the files of its environment have changed since the data was opened".to_owned(),
            )),
            _ => Ok(world),
        }
    }

    fn first_command(&self) -> Option<&str> {
        self.first_command.as_deref()
    }

    fn foreign_origins(&self) -> &[ForeignOrigin] {
        &self.foreign_origins
    }

    fn has_contexts(&self) -> bool {
        self.has_contexts || self.ids.is_empty()
    }

    fn has_follow_ups(&self) -> bool {
        self.has_follow_ups
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        self.schema.scorer()
    }

    fn outside_scorer(&self) -> Option<&OutsideScorer> {
        self.schema.outside_scorer()
    }
}
