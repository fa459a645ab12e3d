//! Filter expressions such as `score<1 status:limit agents>3 time>60s cost>0.1 "a text"`. An
//! attempt must match all parts.

use std::cmp::Ordering;
use std::collections::HashMap;

use records::{AttemptRecord, RunIdentity};

use super::outcome::value_text;

/// A parsed filter expression.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Search words in lowercase. The caller decides in which texts to search for them.
    pub words: Vec<String>,
    terms: Vec<Term>,
}

/// Keys of the failure groups of a run's attempts, by sample id and attempt number. They are not
/// part of the attempts' records.
pub type FailureGroups = HashMap<(String, u32), Vec<String>>;

#[derive(Debug, Clone)]
struct Term {
    field: Field,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    /// Compares a number with a bound; an unknown number never matches.
    Figure(Op, f64),
    /// Requires a known value if `true`, and an unknown value if `false`.
    Known(bool),
    /// Requires that a value equals (`whole`) or contains one of these lowercase texts; `negated`
    /// inverts the result. Metadata without a value never matches.
    Text {
        any_of: Vec<String>,
        whole: bool,
        negated: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    NotEqual,
}

#[derive(Debug, Clone)]
enum Field {
    Figure(&'static Figure),
    Text(&'static Text),
    /// `meta.NAME`: a metadata field of the sample, whose name is compared in lower case.
    Metadata(String),
}

/// A numeric field and the unit of its values.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    unit: Unit,
    of: fn(&AttemptRecord) -> Option<f64>,
}

impl Figure {
    const fn new(name: &'static str, unit: Unit, of: fn(&AttemptRecord) -> Option<f64>) -> Self {
        Self { name, unit, of }
    }
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    /// Number, such as `1`, `2.5k` or `3m`.
    Count,
    /// Duration, such as `60s`, `2m`, `1h` or `500ms`; the default unit is seconds.
    Time,
    /// Amount in US dollars, such as `0.1` or `$0.1`.
    Dollars,
}

/// A text field; an attempt can have no value or several.
#[derive(Debug)]
struct Text {
    name: &'static str,
    of: fn(&FilteredAttempt<'_>) -> Vec<String>,
}

impl Text {
    const fn new(name: &'static str, of: fn(&FilteredAttempt<'_>) -> Vec<String>) -> Self {
        Self { name, of }
    }
}

/// An attempt with all data that a filter can use.
#[derive(Debug, Clone, Copy)]
pub struct FilteredAttempt<'a> {
    pub run: &'a RunIdentity,
    pub record: &'a AttemptRecord,
    groups: &'a [String],
}

impl<'a> FilteredAttempt<'a> {
    /// Combines an attempt with its failure groups.
    pub fn of(run: &'a RunIdentity, record: &'a AttemptRecord, marks: &'a FailureGroups) -> Self {
        let key = (record.id.clone(), record.attempt);
        Self {
            run,
            record,
            groups: marks.get(&key).map_or(&[], Vec::as_slice),
        }
    }

    /// Whether the id, answer, error or expected value contains `word`, which is in lowercase.
    pub fn holds(&self, word: &str) -> bool {
        let record = self.record;
        let within = |text: &str| text.to_lowercase().contains(word);
        within(&record.id)
            || record.answer.as_deref().is_some_and(within)
            || record.error.as_deref().is_some_and(within)
            || within(&value_text(&record.expected))
    }
}

static FIGURES: [Figure; 12] = [
    Figure::new("score", Unit::Count, |record| record.score),
    Figure::new("agents", Unit::Count, |record| record.agents.map(f64::from)),
    Figure::new("iterations", Unit::Count, |record| {
        Some(record.iterations.into())
    }),
    Figure::new("depth", Unit::Count, |record| {
        record.depth_reached.map(f64::from)
    }),
    Figure::new("delegations", Unit::Count, |record| {
        record.delegations.map(f64::from)
    }),
    Figure::new("calls", Unit::Count, |record| {
        record.llm_calls.map(f64::from)
    }),
    Figure::new("retries", Unit::Count, |record| {
        record.retries.map(f64::from)
    }),
    Figure::new("failed", Unit::Count, |record| {
        Some(record.failed_cells.into())
    }),
    Figure::new("attempt", Unit::Count, |record| Some(record.attempt.into())),
    Figure::new("tokens", Unit::Count, |record| {
        record.usage.map(|usage| usage.total() as f64)
    }),
    Figure::new("time", Unit::Time, |record| Some(record.total_time_s)),
    Figure::new("cost", Unit::Dollars, |record| record.cost_usd),
];

static TEXTS: [Text; 12] = [
    Text::new("status", |one| vec![one.record.status.as_str().to_owned()]),
    Text::new("id", |one| vec![one.record.id.clone()]),
    Text::new("answer", |one| {
        one.record.answer.clone().into_iter().collect()
    }),
    Text::new("expected", |one| vec![value_text(&one.record.expected)]),
    Text::new("error", |one| {
        one.record.error.clone().into_iter().collect()
    }),
    Text::new("cluster", |one| {
        one.record.cluster.clone().into_iter().collect()
    }),
    Text::new("why", |one| one.groups.to_vec()),
    Text::new("run", |one| vec![one.run.run_id.clone()]),
    Text::new("benchmark", |one| vec![one.run.benchmark.clone()]),
    Text::new("model", |one| vec![one.run.model.clone()]),
    Text::new("mode", |one| {
        one.run.prompt_mode.clone().into_iter().collect()
    }),
    Text::new("drivers", |one| {
        one.run.drivers.clone().into_iter().collect()
    }),
];

const STATUSES: [&str; 4] = ["ok", "limit", "error", "cancelled"];

impl Filter {
    /// Parses an expression. A part without a field name is a search word, as is any part in
    /// quotes.
    ///
    /// # Errors
    /// Returns a description of an invalid part and of valid values.
    pub fn parse(expression: &str) -> Result<Self, String> {
        let mut filter = Self {
            words: Vec::new(),
            terms: Vec::new(),
        };
        for part in parts(expression) {
            match term(&part)? {
                Some(term) => filter.terms.push(term),
                None if part.text.is_empty() => {}
                None => filter.words.push(part.text.to_lowercase()),
            }
        }
        Ok(filter)
    }

    /// Whether the filter consists only of search words.
    pub fn is_plain(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether the filter refers to failure groups.
    pub fn uses_groups(&self) -> bool {
        let is_why = |term: &Term| matches!(term.field, Field::Text(text) if text.name == "why");
        self.terms.iter().any(is_why)
    }

    /// Whether an attempt matches all parts other than search words.
    pub fn passes(&self, subject: &FilteredAttempt<'_>) -> bool {
        self.terms.iter().all(|term| term.holds(subject))
    }

    /// Whether an attempt matches all parts. Search words must occur in the texts of its record.
    pub fn matches(&self, subject: &FilteredAttempt<'_>) -> bool {
        self.passes(subject) && self.words.iter().all(|word| subject.holds(word))
    }
}

impl Term {
    fn holds(&self, subject: &FilteredAttempt<'_>) -> bool {
        if let Field::Figure(figure) = self.field {
            let value = (figure.of)(subject.record);
            return match self.test {
                Test::Known(known) => value.is_some() == known,
                Test::Figure(op, bound) => value.is_some_and(|value| op.holds(value, bound)),
                Test::Text { .. } => false,
            };
        }
        let values = match &self.field {
            Field::Text(text) => (text.of)(subject),
            Field::Metadata(name) => subject
                .record
                .metadata
                .iter()
                .filter(|(key, value)| key.to_lowercase() == *name && !value.is_null())
                .map(|(_, value)| value_text(value))
                .collect(),
            Field::Figure(_) => Vec::new(),
        };
        match &self.test {
            Test::Known(known) => values.is_empty() != *known,
            Test::Figure(op, bound) => values
                .iter()
                .filter_map(|value| value.parse::<f64>().ok())
                .any(|value| op.holds(value, *bound)),
            Test::Text {
                any_of,
                whole,
                negated,
            } => {
                let fits = |value: &String| {
                    let value = value.to_lowercase();
                    let is = |wanted: &String| {
                        value == *wanted || !whole && value.contains(wanted.as_str())
                    };
                    any_of.iter().any(is)
                };
                let is_unknown = values.is_empty() && matches!(self.field, Field::Metadata(_));
                !is_unknown && values.iter().any(fits) != *negated
            }
        }
    }
}

impl Op {
    fn holds(self, value: f64, bound: f64) -> bool {
        let order = value.partial_cmp(&bound);
        match self {
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::More => order == Some(Ordering::Greater),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
        }
    }
}

/// A part of an expression, delimited by spaces outside quotes.
#[derive(Debug, Default)]
struct Part {
    /// Text without the quotes.
    text: String,
    /// Byte offset in `text` at which the first quoted section begins.
    quoted: Option<usize>,
}

fn parts(expression: &str) -> Vec<Part> {
    let mut parts = vec![Part::default()];
    let mut within = false;
    for character in expression.chars() {
        let Some(part) = parts.last_mut() else {
            break;
        };
        match character {
            '"' => {
                within = !within;
                part.quoted.get_or_insert(part.text.len());
            }
            space if space.is_whitespace() && !within => parts.push(Part::default()),
            other => part.text.push(other),
        }
    }
    parts.retain(|part| !part.text.is_empty());
    parts
}

fn term(part: &Part) -> Result<Option<Term>, String> {
    let text = part.text.as_str();
    let Some(at) = text.find(['<', '>', '=', ':', '!']) else {
        return Ok(None);
    };
    if part.quoted.is_some_and(|quote| quote <= at) {
        return Ok(None);
    }
    let (name, rest) = text.split_at(at);
    let (op, value) = ["<=", ">=", "!=", "<", ">", "=", ":"]
        .iter()
        .find_map(|op| Some((*op, rest.strip_prefix(op)?)))
        .unwrap_or(("", rest));
    let name = name.to_lowercase();
    if op.is_empty() || name.is_empty() {
        return Ok(None);
    }
    let Some(field) = field(&name) else {
        return match similar_field_name(&name) {
            Some(known) => Err(format!(
                "unknown field `{name}`; did you mean `{known}`? (to search for the text, put it in quotes)"
            )),
            None => Ok(None),
        };
    };
    if value.is_empty() {
        return Err(format!(
            "`{text}` does not have a value; write, for example, {}",
            example(&field, &name)
        ));
    }
    let test = test(&field, &name, op, value)?;
    Ok(Some(Term { field, test }))
}

fn field(name: &str) -> Option<Field> {
    if let Some(name) = name.strip_prefix("meta.").filter(|name| !name.is_empty()) {
        return Some(Field::Metadata(name.to_owned()));
    }
    let figure = FIGURES.iter().find(|figure| figure.name == name);
    let text = || TEXTS.iter().find(|text| text.name == name);
    figure
        .map(Field::Figure)
        .or_else(|| text().map(Field::Text))
}

/// Returns a field whose name differs from `name` by one missing, extra or wrong letter. At least
/// the first two letters must agree.
fn similar_field_name(name: &str) -> Option<&'static str> {
    let names = FIGURES.iter().map(|figure| figure.name);
    let mut names = names.chain(TEXTS.iter().map(|text| text.name));
    names.find(|known| {
        let common = known
            .bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let (known, name) = (&known.as_bytes()[common..], &name.as_bytes()[common..]);
        common >= 2
            && (known.len() == name.len() && known.get(1..) == name.get(1..)
                || known.get(1..) == Some(name)
                || name.get(1..) == Some(known))
    })
}

fn example(field: &Field, name: &str) -> String {
    match field {
        Field::Figure(figure) => match figure.unit {
            Unit::Count => format!("`{name}>3`"),
            Unit::Time => format!("`{name}>60s`"),
            Unit::Dollars => format!("`{name}>0.1`"),
        },
        Field::Text(_) if name == "status" => "`status:limit`".to_owned(),
        Field::Text(_) | Field::Metadata(_) => format!("`{name}:text`"),
    }
}

fn test(field: &Field, name: &str, op: &str, value: &str) -> Result<Test, String> {
    let equals = [":", "="].contains(&op);
    if value == "none" && (equals || op == "!=") {
        return Ok(Test::Known(op == "!="));
    }
    let compares = match op {
        "<" => Op::Less,
        "<=" => Op::AtMost,
        ">" => Op::More,
        ">=" => Op::AtLeast,
        "!=" => Op::NotEqual,
        _ => Op::Equal,
    };
    let is_figure = matches!(field, Field::Figure(_));
    if is_figure || !equals && op != "!=" {
        let unit = match field {
            Field::Figure(figure) => figure.unit,
            Field::Metadata(_) => Unit::Count,
            Field::Text(_) => {
                return Err(format!(
                    "`{name}` is a text field, which does not support `{op}`; write {}",
                    example(field, name)
                ));
            }
        };
        let figure = figure(value, unit).ok_or_else(|| {
            let example = example(field, name);
            format!("invalid value `{value}` for `{name}`; write, for example, {example}")
        })?;
        return Ok(Test::Figure(compares, figure));
    }
    let any_of: Vec<String> = value.split(',').map(str::to_lowercase).collect();
    let wrong = any_of
        .iter()
        .find(|value| !STATUSES.contains(&value.as_str()));
    if let (Some(wrong), "status") = (wrong, name) {
        return Err(format!(
            "unknown status `{wrong}`; known: {}",
            STATUSES.join(", ")
        ));
    }
    Ok(Test::Text {
        any_of,
        whole: op != ":",
        negated: op == "!=",
    })
}

fn figure(text: &str, unit: Unit) -> Option<f64> {
    let text = text.to_lowercase();
    let text = match unit {
        Unit::Dollars => text.strip_prefix('$').unwrap_or(&text),
        Unit::Count | Unit::Time => &text,
    };
    let units: &[(&str, f64)] = match unit {
        Unit::Count => &[("k", 1e3), ("m", 1e6)],
        Unit::Time => &[
            ("ms", 1e-3),
            ("s", 1.0),
            ("min", 60.0),
            ("m", 60.0),
            ("h", 3600.0),
        ],
        Unit::Dollars => &[],
    };
    let scaled = units
        .iter()
        .find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor)));
    let (number, factor) = scaled.unwrap_or((text, 1.0));
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some(number * factor)
}

#[cfg(test)]
mod tests;
