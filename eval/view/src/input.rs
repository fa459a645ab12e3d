//! The endpoint `input`: a sample's query, parts of its context, and the positions of a text or of
//! the expected answer in the context.

use serde_json::{Value, json};

use super::error::ViewError;
use super::library::Library;
use super::query::Query;

/// Maximum bytes of a context in one response.
const PART: usize = 20_000;

/// Maximum number of positions in a search result.
const PLACES: usize = 100;

/// Maximum bytes shown before and after a found text.
const AROUND: usize = 60;

/// Answers a request for the input of a sample. With `find`, returns the positions of that text in
/// the context. With `at`, returns the part of the context that begins at that byte. Otherwise,
/// returns the query, the first part of the context and the positions of the expected answer.
///
/// # Errors
/// Returns [`ViewError`] if a parameter is missing or invalid, or if the run cannot be read.
pub fn page(library: &Library, query: &Query) -> Result<Value, ViewError> {
    let (id, sample) = (query.required("run")?, query.required("sample")?);
    let file = library.run(id)?;
    let input = match &library.inputs {
        None => Err("This viewer was started without benchmarks.".to_owned()),
        Some(inputs) => inputs.input(&file.run, sample),
    };
    let input = match input {
        Ok(input) => input,
        Err(problem) => return Ok(json!({ "problem": problem })),
    };
    let context = input.context.as_str();
    if let Some(wanted) = query.get("find") {
        return Ok(found(context, wanted));
    }
    let at = query.number("at", 0_usize)?;
    let part = part(context, at);
    if query.get("at").is_some() {
        return Ok(part);
    }
    let attempts = file.run.records.iter();
    let record = attempts.into_iter().find(|record| record.id == sample);
    let expected = record.and_then(|record| match &record.expected {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    Ok(json!({
        "query": input.query,
        "follow_ups": input.follow_ups,
        "context": part,
        "images": input.images,
        "metadata": input.metadata,
        "expected": expected,
        "places": expected.map(|text| found(context, &text)),
    }))
}

fn part(context: &str, at: usize) -> Value {
    let from = context.floor_char_boundary(at);
    let to = context.floor_char_boundary(from + PART);
    json!({
        "from": from,
        "text": &context[from..to],
        "next": (to < context.len()).then_some(to),
        "bytes": context.len(),
    })
}

/// Returns the first positions of a text in the context and the number of all positions. Ignores
/// only the case of ASCII letters, because changing the case of other letters can change the
/// length.
fn found(context: &str, wanted: &str) -> Value {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return json!({ "total": 0, "places": [] });
    }
    let (text, wanted) = (context.to_ascii_lowercase(), wanted.to_ascii_lowercase());
    let mut total = 0;
    let mut places = Vec::new();
    for (at, found) in text.match_indices(wanted.as_str()) {
        total += 1;
        if places.len() < PLACES {
            let end = at + found.len();
            let from = context.floor_char_boundary(at.saturating_sub(AROUND));
            let to = context.floor_char_boundary(end + AROUND);
            places.push(json!({
                "at": at,
                "before": &context[from..at],
                "found": &context[at..end],
                "after": &context[end..to.max(end)],
            }));
        }
    }
    json!({ "total": total, "places": places })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{PART, found, part};

    #[test]
    fn reads_and_searches_context_in_parts() {
        let text = "ä".repeat(PART);
        let first = part(&text, 1);
        assert_eq!((&first["from"], &first["next"]), (&json!(0), &json!(PART)));
        assert_eq!(part(&text, usize::MAX)["text"], "");
        let found = found("The Code is 8299. ÄÖ the code", "code");
        assert_eq!(found["total"], 2);
        assert_eq!(
            found["places"][0],
            json!({"at": 4, "before": "The ", "found": "Code", "after": " is 8299. ÄÖ the code"})
        );
    }
}
