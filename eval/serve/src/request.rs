//! Parses requests: their fields, the parts of messages, and the extension field `rlm`.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Budget;
use serde_json::{Map, Value};

use super::error::ApiError;
use super::turn::{Piece, Speaker, Turn};

/// Name of the request field that extends `OpenAI`'s interface.
const EXTENSION: &str = "rlm";

/// Format of progress reports in a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Show {
    /// Progress is sent as reasoning of the model.
    #[default]
    Reasoning,
    /// Progress is sent as comments, which clients skip.
    Comments,
    /// Progress is not sent.
    Nothing,
}

/// Content of the extension field.
#[derive(Debug, Default)]
pub(crate) struct Extension {
    pub query: Option<String>,
    pub context: Option<String>,
    pub files: Vec<Piece>,
    pub limits: Budget,
    pub show: Show,
}

/// Fields of a request. Fields that are never read are reported as ignored.
#[derive(Debug)]
pub(crate) struct Fields {
    members: Map<String, Value>,
}

impl Fields {
    /// Parses the object in a request body.
    pub(crate) fn of(body: &[u8]) -> Result<Self, ApiError> {
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            ApiError::of_request(format!("the body is not valid JSON: {error}"))
        })?;
        match value {
            Value::Object(members) => Ok(Self { members }),
            other => Err(ApiError::of_request(format!(
                "the body must be a JSON object, but is {}",
                kind(&other)
            ))),
        }
    }

    /// Removes and returns a field. A null field counts as missing.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        let value = self.members.shift_remove(name)?;
        (!value.is_null()).then_some(value)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let value = self.take(name);
        value.map(|value| text(value, name)).transpose()
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, ApiError> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(expected(name, "true or false", &other)),
        }
    }

    /// Rejects a field that agents do not support, unless its value has no effect.
    pub(crate) fn refuse(
        &mut self,
        name: &str,
        is_harmless: impl FnOnce(&Value) -> bool,
        why: &str,
    ) -> Result<(), ApiError> {
        match self.take(name) {
            Some(value) if !is_harmless(&value) => {
                Err(ApiError::unsupported(name, format!("`{name}`: {why}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the names of the fields that were not read. They have no effect, because the
    /// server's settings determine the agents' requests to models.
    pub(crate) fn ignored(self) -> Vec<String> {
        let left = self.members.into_iter();
        left.filter(|(_, value)| !value.is_null())
            .map(|(name, _)| name)
            .collect()
    }

    /// Parses the extension field.
    pub(crate) fn extension(&mut self) -> Result<Extension, ApiError> {
        let members = match self.take(EXTENSION) {
            None => return Ok(Extension::default()),
            Some(Value::Object(members)) => members,
            Some(other) => return Err(expected(EXTENSION, "an object", &other)),
        };
        let mut read = Extension::default();
        for (name, value) in members {
            if value.is_null() {
                continue;
            }
            let place = format!("{EXTENSION}.{name}");
            match name.as_str() {
                "query" => read.query = Some(text(value, &place)?),
                "context" => read.context = Some(text(value, &place)?),
                "files" => read.files = files(value, &place)?,
                "max_cost" => read.limits.cost_usd = Some(positive(&value, &place)?),
                "max_tokens" => read.limits.tokens = Some(count(&value, &place)?),
                "max_llm_calls" => read.limits.calls = Some(count(&value, &place)?),
                "timeout" => {
                    let seconds = Duration::try_from_secs_f64(positive(&value, &place)?);
                    let seconds = seconds.map_err(|_| expected(&place, "seconds", &value))?;
                    read.limits.time = Some(seconds);
                }
                "progress" => {
                    read.show = match value.as_str() {
                        Some("reasoning") => Show::Reasoning,
                        Some("comments") => Show::Comments,
                        Some("none") => Show::Nothing,
                        _ => {
                            let words = "`reasoning`, `comments` or `none`";
                            return Err(expected(&place, words, &value));
                        }
                    }
                }
                _ => {
                    return Err(ApiError::invalid(
                        &place,
                        format!(
                            "unknown field `{name}` in `{EXTENSION}`; known: query, context, \
                             files, max_cost, max_tokens, max_llm_calls, timeout, progress"
                        ),
                    ));
                }
            }
        }
        Ok(read)
    }
}

/// Creates the error for a field of the wrong type.
pub(crate) fn expected(place: &str, wanted: &str, got: &Value) -> ApiError {
    let message = format!("`{place}` must be {wanted}, but is {}", kind(got));
    ApiError::invalid(place, message)
}

/// Describes a value for an error message, without the content of strings.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

pub(crate) fn text(value: Value, place: &str) -> Result<String, ApiError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(expected(place, "a string", &other)),
    }
}

pub(crate) fn object(value: Value, place: &str) -> Result<Map<String, Value>, ApiError> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(expected(place, "an object", &other)),
    }
}

/// Whether `modalities` contains only text.
pub(crate) fn is_plain_text(modalities: &Value) -> bool {
    let all = modalities.as_array();
    all.is_some_and(|all| all.iter().all(|one| one == "text"))
}

fn positive(value: &Value, place: &str) -> Result<f64, ApiError> {
    let number = value.as_f64().filter(|number| *number > 0.0);
    number.ok_or_else(|| expected(place, "a number above 0", value))
}

fn count(value: &Value, place: &str) -> Result<u64, ApiError> {
    let number = value.as_u64().filter(|number| *number > 0);
    number.ok_or_else(|| expected(place, "a whole number above 0", value))
}

/// Parses `[{"name": …, "text": …}]`.
fn files(value: Value, place: &str) -> Result<Vec<Piece>, ApiError> {
    let Value::Array(entries) = value else {
        return Err(expected(place, "an array", &value));
    };
    let entries = entries.into_iter().enumerate();
    entries
        .map(|(at, entry)| {
            let place = format!("{place}[{at}]");
            let mut members = object(entry, &place)?;
            let mut member = |name: &str| {
                let value = members.shift_remove(name).unwrap_or_default();
                text(value, &format!("{place}.{name}"))
            };
            Ok(Piece {
                name: member("name")?,
                text: member("text")?,
            })
        })
        .collect()
}

/// Parses the role and the content of a message. Only chat completions have messages of tools.
pub(crate) fn read_message(
    message: &mut Map<String, Value>,
    place: &str,
    with_tools: bool,
) -> Result<Turn, ApiError> {
    let mut take = |name: &str| message.shift_remove(name).unwrap_or_default();
    let role_place = format!("{place}.role");
    let role = text(take("role"), &role_place)?;
    let speaker = match role.as_str() {
        "system" | "developer" => Speaker::Instructions,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "tool" | "function" if with_tools => Speaker::Tool,
        other => {
            let tool = if with_tools { ", tool" } else { "" };
            let known = format!("system, developer, user, assistant{tool}");
            let problem = format!("unknown role `{other}`; known: {known}");
            return Err(ApiError::invalid(role_place, problem));
        }
    };
    let mut turn = Turn::new(speaker, String::new());
    read_content(&mut turn, take("content"), &format!("{place}.content"))?;
    Ok(turn)
}

/// Parses the content of a message: a string, or parts in the format of either interface.
fn read_content(turn: &mut Turn, content: Value, place: &str) -> Result<(), ApiError> {
    let parts = match content {
        Value::Null => return Ok(()),
        Value::String(text) => {
            turn.text = text;
            return Ok(());
        }
        Value::Array(parts) => parts,
        other => return Err(expected(place, "a string or an array of parts", &other)),
    };
    let mut texts = Vec::new();
    for (at, part) in parts.into_iter().enumerate() {
        let place = format!("{place}[{at}]");
        let mut part = object(part, &place)?;
        let kind = part.shift_remove("type").unwrap_or_default();
        let kind = text(kind, &format!("{place}.type"))?;
        let mut take = |name: &str| part.shift_remove(name).unwrap_or_default();
        match kind.as_str() {
            "text" | "input_text" | "output_text" => {
                texts.push(text(take("text"), &format!("{place}.text"))?);
            }
            "refusal" => texts.push(text(take("refusal"), &format!("{place}.refusal"))?),
            "image_url" => {
                let mut image = object(take("image_url"), &format!("{place}.image_url"))?;
                let url = image.shift_remove("url").unwrap_or_default();
                turn.images.push(image_url(url, &place)?);
            }
            "input_image" => turn.images.push(image_url(take("image_url"), &place)?),
            "file" => {
                let file = object(take("file"), &format!("{place}.file"))?;
                turn.files.push(file_part(file, &place)?);
            }
            "input_file" => turn.files.push(file_part(part, &place)?),
            other => {
                return Err(ApiError::unsupported(
                    &place,
                    format!("agents do not accept parts of type `{other}`"),
                ));
            }
        }
    }
    turn.text = texts.join("\n\n");
    Ok(())
}

fn image_url(url: Value, place: &str) -> Result<String, ApiError> {
    let url = text(url, place)?;
    if url.starts_with("data:") {
        return Ok(url);
    }
    Err(ApiError::unsupported(
        place,
        "an image must be sent as a data URL, because this server does not fetch addresses from \
         clients",
    ))
}

/// Parses a file whose content is in the request.
fn file_part(mut file: Map<String, Value>, place: &str) -> Result<Piece, ApiError> {
    let mut take = |name: &str| file.shift_remove(name).filter(|value| !value.is_null());
    let Some(data) = take("file_data") else {
        return Err(ApiError::unsupported(
            place,
            "a file must be sent whole, as `file_data`, because this server does not store or \
             fetch files",
        ));
    };
    let name = match take("filename") {
        Some(name) => text(name, &format!("{place}.filename"))?,
        None => "file.txt".to_owned(),
    };
    let data = text(data, &format!("{place}.file_data"))?;
    let encoded = match data.strip_prefix("data:") {
        None => data.as_str(),
        Some(rest) => rest
            .split_once(";base64,")
            .map(|(_, encoded)| encoded)
            .ok_or_else(|| ApiError::invalid(place, "`file_data` must be data:TYPE;base64,DATA"))?,
    };
    let bytes = STANDARD.decode(encoded.trim()).map_err(|error| {
        ApiError::invalid(place, format!("invalid base64 in `file_data`: {error}"))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("the file `{name}` is not UTF-8 text; convert it to text first");
        ApiError::unsupported(place, message)
    })?;
    Ok(Piece { name, text })
}
