//! Parses the checks in rows, and validates web addresses and origins.

use serde_json::{Map, Value, json};

use crate::Check;
use crate::fields::{Fault, kind};

/// Returns an error if an object has a key that is not in `names`.
pub(super) fn known(field: &str, object: &Map<String, Value>, names: &[&str]) -> Result<(), Fault> {
    match object.keys().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(other) => Err(Fault::new(
            field,
            format!("has `{other}`; expected {}", names.join(", ")),
        )),
    }
}

/// Parses `{"page": SCRIPT, "equals": VALUE}`, `{"request": {"url", "json"}}` or `{"answer":
/// TEXT}`.
pub(super) fn read_check(field: &str, check: &Map<String, Value>) -> Result<(Check, Value), Fault> {
    known(field, check, &["page", "equals", "request", "answer"])?;
    let kinds: Vec<&str> = ["page", "request", "answer"]
        .into_iter()
        .filter(|kind| check.contains_key(*kind))
        .collect();
    let &[of] = kinds.as_slice() else {
        return Err(Fault::new(
            field,
            "needs exactly one of `page`, `request` and `answer`",
        ));
    };
    if of != "page" && check.contains_key("equals") {
        return Err(Fault::new(
            field,
            format!("has `equals`, which belongs to `page`, not to `{of}`"),
        ));
    }
    let value = &check[of];
    let blank = |text: &str| text.trim().is_empty();
    match (of, value) {
        ("page", Value::String(script)) if !blank(script) => {
            let right = check.get("equals").cloned().unwrap_or(Value::Bool(true));
            Ok((Check::Page(script.clone()), right))
        }
        ("page", _) => Err(Fault::new(field, "needs JavaScript in `page`, as a text")),
        ("request", Value::Object(request)) => {
            known(field, request, &["url", "json"])?;
            let url = request
                .get("url")
                .and_then(Value::as_str)
                .filter(|url| !blank(url));
            let (Some(url), Some(right)) = (url, request.get("json")) else {
                return Err(Fault::new(
                    field,
                    "needs `url` and `json` in `request`: the address to request and the expected response",
                ));
            };
            Ok((Check::Request(url.to_owned()), right.clone()))
        }
        ("request", _) => Err(Fault::new(
            field,
            "needs a `request` object with `url` and `json`",
        )),
        (_, Value::String(text)) if !blank(text) => Ok((Check::Answer, json!([text]))),
        (_, Value::Array(items))
            if !items.is_empty()
                && items
                    .iter()
                    .all(|item| item.as_str().is_some_and(|text| !blank(text))) =>
        {
            Ok((Check::Answer, value.clone()))
        }
        _ => Err(Fault::new(
            field,
            "needs a text in `answer`, or a list of texts, that the answer must contain",
        )),
    }
}

/// Returns the error for a value of the wrong type.
pub(super) fn wrong(field: &str, value: &Value, right: &str) -> Fault {
    Fault::new(field, format!("is {}; expected {right}", kind(value)))
}

/// Whether a text is an HTTP or HTTPS address with a host and without white space.
pub(super) fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let is_of_host = |letter: char| letter.is_alphanumeric() || "-._:[]".contains(letter);
    host.is_some_and(|host| !host.is_empty() && host.chars().all(is_of_host))
        && !text.contains(char::is_whitespace)
}

/// Whether a text is an HTTP or HTTPS origin: scheme, host and optional port. A final `/` is
/// allowed.
pub(super) fn is_origin(text: &str) -> bool {
    let rest = text
        .split_once("://")
        .map(|(_, rest)| rest.strip_suffix('/').unwrap_or(rest));
    is_web_address(text) && rest.is_some_and(|rest| !rest.contains(['/', '?', '#']))
}
