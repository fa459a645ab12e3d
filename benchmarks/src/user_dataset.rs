//! A user-supplied benchmark: a file of rows, or a folder with rows and a `benchmark.yaml` that
//! describes their fields.

mod description;
mod lookalikes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use serde_json::Value;
use serde_saphyr::{MessageFormatter as _, UserMessageFormatter};

use crate::contained::{PathEscape, contained};
use crate::context_file::ContextFile;
use crate::fields::{Fault, Row, field, label, some, texts};
use crate::rows::{self, SampleHeader, Schema};
use crate::template::{filled, names, plain};
use crate::user_environment::{UserDialogue, with_selection};
use crate::{
    Checks, Dataset, DatasetError, Exact, MAX_IMAGES, OpenError, Options, OutsideScorer, Sample,
    Scorer, UserEnvironment, scorer, scorers,
};

use description::{Description, Fields};

/// Name of the file that describes a folder's benchmark.
const DESCRIPTION: &str = "benchmark.yaml";

/// Version of the samples, which is part of the digest. Increase it when a code change alters a
/// sample.
const FORMAT: &str = "own/1";

/// Properties that all rows of a benchmark must share: the kind of environment, and whether they
/// have checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    place: &'static str,
    is_checked: bool,
}

struct UserDataset {
    name: String,
    /// Path of the description, for error messages.
    file: PathBuf,
    /// Folder with the description, if there is one.
    root: Option<PathBuf>,
    /// Folder of the rows.
    folder: PathBuf,
    description: Description,
    fields: Fields,
    /// Names of the fields that occur in at least one row.
    seen: BTreeSet<String>,
    /// Kind of the first row.
    kind: Option<Kind>,
    /// Whether the scorer was chosen explicitly.
    is_scorer_given: bool,
    scorer: Arc<dyn Scorer>,
    outside_scorer: Option<OutsideScorer>,
    /// Whether a scorer of this crate parses the expected values.
    is_scored_here: bool,
    /// Text of the description, for the digest.
    source: String,
}

/// Opens a file of rows, or a folder with a `benchmark.yaml`. The benchmark is named after the file
/// or folder.
///
/// Unless the description renames them, the fields are `id` (default: the row's number), `query`,
/// `context` (default: empty), `expected`, `cluster` (default: none) and `images` (default: none);
/// all other short fields are metadata. The scorer comes from the options, else from the
/// description; the default is [`Exact`]. If the description names a scorer that this crate cannot
/// run, [`Dataset::outside_scorer`] returns it.
///
/// # Errors
///
/// If the file cannot be read, the description or a row is malformed, or the scorer does not exist.
pub fn open(path: &Path, options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = if stem.is_empty() { "own" } else { &*stem };
    if !path.exists() {
        let path = path.to_owned();
        return Err(DatasetError::Absent { path }.into());
    }
    let (data, description, source) = if path.is_dir() {
        let file = path.join(DESCRIPTION);
        let source = fs::read_to_string(&file).map_err(|reason| match reason.kind() {
            io::ErrorKind::NotFound => DatasetError::Unusable(format!(
                "no benchmark.yaml in {}: a folder needs one to be a benchmark; to use a file of rows, name the file",
                path.display()
            )),
            _ => DatasetError::cannot_read(&file)(reason),
        })?;
        // As in YAML 1.2, `y` and `no` are strings, so fields may have these names.
        let options = serde_saphyr::options! { strict_booleans: true };
        let description: Description = serde_saphyr::from_str_with_options(&source, options)
            .map_err(|error| {
                let line = error
                    .location()
                    .map(|location| format!(":{}", location.line()));
                // Use only the message, because an error must be one line.
                let problem = UserMessageFormatter.format_message(error.without_snippet());
                DatasetError::Unusable(format!(
                    "{}{}: {}",
                    file.display(),
                    line.unwrap_or_default(),
                    with_example(&problem)
                ))
            })?;
        let outside = |field: &str, name: &Path, problem: PathEscape| {
            let problem = format!("field `{field}` is \"{}\": {problem}", name.display());
            DatasetError::unusable(&file, problem)
        };
        let data = match &description.data {
            Some(data) => contained(path, data).map_err(|error| outside("data", data, error))?,
            None => path.to_owned(),
        };
        if let Some(OutsideScorer::JavaScript(script)) =
            description.scorer.as_deref().and_then(OutsideScorer::parse)
        {
            contained(path, &script).map_err(|error| outside("scorer", &script, error))?;
        }
        (data, description, source)
    } else {
        (path.to_owned(), Description::default(), String::new())
    };
    let described = description.scorer.as_deref();
    let outside_scorer = match &options.scorer {
        Some(_) => None,
        None => described
            .and_then(OutsideScorer::parse)
            .map(|outside| outside.from(path)),
    };
    let chosen = options.scorer.as_ref().or(description.scorer.as_ref());
    let scorer = match chosen.filter(|_| outside_scorer.is_none()) {
        Some(name) => scorer(name).ok_or_else(|| {
            let known: Vec<&str> = scorers().map(|scorer| scorer.name).collect();
            OpenError::Invalid(format!(
                "unknown scorer `{name}`; expected one of {}",
                known.join(", ")
            ))
        })?,
        None => Arc::new(Exact),
    };
    let is_scorer_given = chosen.is_some() && outside_scorer.is_none();
    let own = UserDataset {
        name: name.to_owned(),
        file: path.join(DESCRIPTION),
        root: path.is_dir().then(|| path.to_owned()),
        folder: if data.is_dir() {
            data.clone()
        } else {
            data.parent().map(Path::to_owned).unwrap_or_default()
        },
        fields: Fields::new(&description.fields),
        description,
        seen: BTreeSet::new(),
        kind: None,
        is_scorer_given,
        scorer,
        is_scored_here: outside_scorer.is_none() && !options.is_scored_outside,
        outside_scorer,
        source,
    };
    Ok(rows::open(own, &data, options)?)
}

/// Adds an example of a valid description, unless the message already says what is valid.
fn with_example(problem: &str) -> String {
    if problem.contains("expected one of") {
        return problem.to_owned();
    }
    format!(
        "{problem}; examples of valid lines: `data: FILE`, `fields: {{query: NAME}}`, `scorer: NAME`"
    )
}

/// Returns a required field; the error mentions that the description can rename it.
fn required<'a>(row: &'a Row, role: &str, name: &str) -> Result<&'a Value, Fault> {
    field(row, name).map_err(|fault| {
        if row.contains_key(name) {
            return fault;
        }
        fault.and(&format!(
            "; in a folder with a {DESCRIPTION}, `fields: {{{role}: NAME}}` selects another field"
        ))
    })
}

impl Schema for UserDataset {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    fn split(&self) -> &'static str {
        ""
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{}", self.source)
    }

    fn texts(&self) -> Vec<String> {
        let fields = &self.fields;
        let mut texts = [
            &fields.context,
            &fields.context_file,
            &fields.expected,
            &fields.images,
        ]
        .map(Clone::clone)
        .to_vec();
        match &self.description.query {
            Some(template) => texts.extend(names(template).map(str::to_owned)),
            None => texts.push(fields.query.clone()),
        }
        texts
    }

    fn treat_null_as_absent(&mut self) {
        self.fields.world.is_null_absent = true;
    }

    fn index(&mut self, row: &Row, number: usize) -> Result<Vec<SampleHeader>, Fault> {
        for name in row.keys() {
            if !self.seen.contains(name) {
                self.seen.insert(name.clone());
            }
        }
        self.require_same_kind(row)?;
        let fields = &self.fields;
        let id = match row.get(&fields.id) {
            None | Some(Value::Null) => number.to_string(),
            Some(_) => label(row, &fields.id)?,
        };
        if id.is_empty() {
            return Err(Fault::new(
                &fields.id,
                "is empty; expected at least one character",
            ));
        }
        let metadata = match &self.description.metadata {
            Some(names) => {
                if let Some(name) = names.iter().find(|name| !row.contains_key(*name)) {
                    field(row, name)?;
                }
                some(row, &names.iter().map(String::as_str).collect::<Vec<_>>())
            }
            None => self.short(row),
        };
        Ok(vec![SampleHeader {
            id,
            metadata,
            variant: 0,
        }])
    }

    fn end(&mut self) -> Result<Vec<String>, DatasetError> {
        let mut named = self.description.fields.iter();
        let missing = named.find_map(|(role, name)| {
            (!self.seen.contains(name)).then_some((role.default_name(), name))
        });
        if let Some((role, name)) = missing.filter(|_| !self.seen.is_empty()) {
            let known: Vec<_> = self.seen.iter().take(20).map(String::as_str).collect();
            let problem = format!(
                "fields: `{role}` is mapped to `{name}`, which no row has; rows have {}",
                known.join(", ")
            );
            return Err(DatasetError::unusable(&self.file, problem));
        }
        let is_misnamed = self.seen.contains("image") && !self.seen.contains(&self.fields.images);
        let note = "the field `image` is not shown; rename it to `images`, or add `fields: {images: image}` to a \
                    benchmark.yaml";
        let notes = is_misnamed.then(|| note.to_owned()).into_iter();
        Ok(notes.chain(self.notes_on_lookalikes()).collect())
    }

    fn body(&self, row: &Row, _: usize) -> Result<Sample, Fault> {
        let fields = &self.fields;
        let talk = fields.world.talk(row)?;
        let (query, follow_ups) = match (talk.messages.split_first(), &self.description.query) {
            (Some(_), _) if !matches!(row.get(&fields.query), None | Some(Value::Null)) => {
                let problem = format!(
                    "cannot be combined with `{}`, whose first message is the query",
                    fields.world.turns
                );
                return Err(Fault::new(&fields.query, problem));
            }
            (Some((first, others)), _) => (first.clone(), others.to_vec()),
            (None, Some(template)) => (filled(template.trim_end(), row)?, Vec::new()),
            (None, None) => (plain(required(row, "query", &fields.query)?), Vec::new()),
        };
        if query.trim().is_empty() {
            return Err(Fault::new(&fields.query, "is blank; expected a question"));
        }
        let query = match &talk.selection {
            Some(selection) => with_selection(&query, selection),
            None => query,
        };
        let context = row.get(&fields.context).map(plain).unwrap_or_default();
        if let Some(file) = self.file_named(&context) {
            let problem = format!(
                "is the name of the file {}, but it must be the text itself; name the file in `{}`",
                file.display(),
                fields.context_file
            );
            return Err(Fault::new(&fields.context, problem));
        }
        let cluster = match row.get(&fields.cluster) {
            None | Some(Value::Null) => None,
            Some(_) => Some(label(row, &fields.cluster)?).filter(|name| !name.is_empty()),
        };
        let expected = if talk.is_checked() {
            self.checked(row, &talk)?
        } else {
            required(row, "expected", &fields.expected)?.clone()
        };
        if self.is_scored_here
            && !talk.is_checked()
            && let Some(problem) = self.scorer.validate_expected(&expected)
        {
            let problem = format!("{problem} (scorer {})", self.scorer.name());
            return Err(Fault::new(&fields.expected, problem));
        }
        Ok(Sample {
            query,
            follow_ups,
            context: context.into(),
            expected,
            cluster,
            ..Sample::default()
        })
    }

    fn context_file(&self, row: &Row) -> Result<Option<ContextFile>, Fault> {
        let (field, context) = (&self.fields.context_file, &self.fields.context);
        let named = texts(row, field)?;
        let [name] = named.as_slice() else {
            return match named.len() {
                0 => Ok(None),
                count => Err(Fault::new(
                    field,
                    format!("names {count} files; expected one"),
                )),
            };
        };
        let has_text = row.get(context).is_some_and(|text| !plain(text).is_empty());
        if has_text {
            let problem = format!("cannot be combined with `{context}`: a row has one context");
            return Err(Fault::new(field, problem));
        }
        Ok(Some(ContextFile {
            field: field.clone(),
            name: name.clone(),
        }))
    }

    fn images(&self, row: &Row) -> Result<Vec<String>, Fault> {
        let field = &self.fields.images;
        let named = texts(row, field)?;
        if named.len() > MAX_IMAGES {
            return Err(Fault::new(
                field,
                format!(
                    "names {} images; expected at most {}",
                    named.len(),
                    MAX_IMAGES
                ),
            ));
        }
        Ok(named)
    }

    fn world(&self, row: &Row, folder: &Path) -> Result<Option<UserEnvironment>, Fault> {
        self.fields.world.world(row, folder)
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        match self.kind {
            Some(Kind {
                is_checked: true, ..
            }) => Arc::new(Checks),
            _ => Arc::clone(&self.scorer),
        }
    }

    fn outside_scorer(&self) -> Option<&OutsideScorer> {
        self.outside_scorer.as_ref()
    }
}

impl UserDataset {
    /// Returns the expected value of a row with checks. Fails if the row also has an expected value
    /// of its own.
    fn checked(&self, row: &Row, talk: &UserDialogue) -> Result<Value, Fault> {
        let (check, expected) = (&self.fields.world.check, &self.fields.expected);
        if !matches!(row.get(expected), None | Some(Value::Null)) {
            return Err(Fault::new(
                expected,
                format!("cannot be combined with `{check}`, which contains the expected result"),
            ));
        }
        if self.is_scorer_given && self.scorer.name() != Checks::NAME {
            let problem = format!(
                "cannot be scored by {}: rows with checks can be scored only by their checks or by a JavaScript file",
                self.scorer.name()
            );
            return Err(Fault::new(check, problem));
        }
        Ok(talk.expected())
    }

    /// Checks that a row is of the same kind as the first row.
    fn require_same_kind(&mut self, row: &Row) -> Result<(), Fault> {
        let world = &self.fields.world;
        let is_checked = world.talk(row)?.is_checked();
        let kind = Kind {
            place: world.place(row)?,
            is_checked,
        };
        let first = *self.kind.get_or_insert(kind);
        if first == kind {
            return Ok(());
        }
        let words = |kind: Kind| {
            let checked = if kind.is_checked { "with" } else { "without" };
            format!("has {}, {checked} checks", kind.place)
        };
        Err(Fault::new(
            &self.fields.world.check,
            format!(
                "does not fit the first row: this row {}, but the first {}; all rows of a benchmark must be of one kind",
                words(kind),
                words(first)
            ),
        ))
    }

    /// Returns the file that a context names relative to the folder of the rows, if the context
    /// looks like a file name and the file exists.
    fn file_named(&self, context: &str) -> Option<PathBuf> {
        const LONGEST: usize = 300;
        let may_be = context.len() <= LONGEST && !context.contains(char::is_whitespace);
        if !may_be || Path::new(context).extension().is_none() {
            return None;
        }
        let file = self.folder.join(context);
        file.is_file().then_some(file)
    }

    /// Returns a row's default metadata: numbers, booleans and short strings in fields without
    /// another role.
    fn short(&self, row: &Row) -> BTreeMap<String, Value> {
        const LONGEST: usize = 200;
        let Fields {
            id,
            query,
            context,
            context_file,
            expected,
            cluster,
            images,
            world,
        } = &self.fields;
        let mut used = vec![id, query, context, context_file, expected, cluster, images];
        let has_environment = world
            .talk(row)
            .is_ok_and(|talk| talk.is_checked() || !talk.messages.is_empty());
        used.extend(
            world
                .all()
                .into_iter()
                .filter(|name| has_environment || world.named.contains(name)),
        );
        let is_short = |value: &Value| match value {
            Value::String(text) => text.len() <= LONGEST,
            Value::Bool(_) | Value::Number(_) => true,
            _ => false,
        };
        row.iter()
            .filter(|(name, value)| !used.contains(name) && is_short(value))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}
