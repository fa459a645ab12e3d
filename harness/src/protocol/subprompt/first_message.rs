//! Builds the first message of a called prompt from the arguments, with attachments.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use serde_json::{Map, Value};

use super::{CallSettings, Specialist};
use crate::model::{Image, Message};
use crate::prompt::definition::fence_untrusted;
use crate::tool::{ToolError, bytes_of, confined};

/// First message of a child.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FirstMessage {
    pub text: String,
    pub images: Vec<Image>,
    /// Name of the child, if the caller gave one.
    pub name: Option<String>,
}

impl FirstMessage {
    /// Creates a message without attachments.
    pub fn text(text: String) -> Self {
        Self {
            text,
            images: Vec::new(),
            name: None,
        }
    }

    /// Converts to a message without the name.
    pub fn into_message(self) -> Message {
        Message {
            images: self.images,
            ..Message::user(self.text)
        }
    }

    /// Appends this message to `earlier`.
    pub fn after(self, mut earlier: Vec<Message>) -> Vec<Message> {
        earlier.push(self.into_message());
        earlier
    }
}

/// Builds the first message of a child from the arguments of a call.
pub(crate) fn first(
    specialist: &Specialist,
    settings: &CallSettings,
    input: &Value,
) -> Result<FirstMessage, ToolError> {
    let wrong = |problem: String| ToolError(format!("{}(): {problem}", specialist.name));
    let fields = input.as_object().cloned().unwrap_or_default();
    let mut text = match &settings.message {
        None => Value::Object(without(&fields, settings)).to_string(),
        Some(property) => match fields.get(property) {
            Some(Value::String(text)) if !text.trim().is_empty() => text.clone(),
            Some(Value::String(_)) | None => {
                return Err(wrong(format!(
                    "the argument `{property}` is the message and must not be empty"
                )));
            }
            Some(other) => other.to_string(),
        },
    };
    let name = match &settings.agent_name {
        None => None,
        Some(property) => match fields.get(property).and_then(Value::as_str) {
            Some(name) if !name.trim().is_empty() => Some(name.trim().to_owned()),
            _ => {
                return Err(wrong(format!(
                    "the argument `{property}` names the agent and must not be empty"
                )));
            }
        },
    };
    let mut images = Vec::new();
    for path in attachments(settings, &fields).map_err(&wrong)? {
        let folder = specialist.files.as_deref().ok_or_else(|| {
            wrong(
                "there is no folder that attachments may come from; --files-dir names one"
                    .to_owned(),
            )
        })?;
        match attachment(folder, &path).map_err(&wrong)? {
            Attachment::Image(image) => images.push(image),
            Attachment::Text(content) => {
                text.push_str("\n\n");
                text.push_str(&fence_untrusted(&format!("attachment {path}"), &content));
            }
        }
    }
    Ok(FirstMessage { text, images, name })
}

/// Returns the arguments without the attachments and the agent's name.
fn without(fields: &Map<String, Value>, settings: &CallSettings) -> Map<String, Value> {
    let mut fields = fields.clone();
    for property in [&settings.attachments, &settings.agent_name]
        .into_iter()
        .flatten()
    {
        fields.shift_remove(property);
    }
    fields
}

fn attachments(
    settings: &CallSettings,
    fields: &Map<String, Value>,
) -> Result<Vec<String>, String> {
    let Some(property) = &settings.attachments else {
        return Ok(Vec::new());
    };
    let paths = match fields.get(property) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(path)) => Some(vec![path.clone()]),
        Some(Value::Array(paths)) => paths
            .iter()
            .map(|path| path.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
    };
    paths.ok_or_else(|| format!("the argument `{property}` is to be a path or a list of paths"))
}

/// Maximum bytes of an image: 5 MB, about the limit of the strictest provider.
const MOST_IMAGE_BYTES: usize = 5_000_000;

enum Attachment {
    Image(Image),
    Text(String),
}

fn attachment(folder: &Path, path: &str) -> Result<Attachment, String> {
    let root = folder
        .canonicalize()
        .map_err(|error| format!("the folder that attachments come from: {error}"))?;
    // `/` also refers to the folder, because agents do not know its real path.
    let inside = confined(&root, path).or_else(|reason| match path.strip_prefix('/') {
        Some(rest) => confined(&root, rest.trim_start_matches('/')),
        None => Err(reason),
    })?;
    let bytes = bytes_of(&inside).map_err(|reason| format!("{path}: {reason}"))?;
    if let Some(media_type) = media_type(&bytes) {
        if bytes.len() > MOST_IMAGE_BYTES {
            return Err(format!(
                "{path} has {} bytes, an image has at most {MOST_IMAGE_BYTES}",
                bytes.len()
            ));
        }
        return Ok(Attachment::Image(Image {
            media_type: media_type.to_owned(),
            data: STANDARD.encode(&bytes),
        }));
    }
    String::from_utf8(bytes)
        .map(Attachment::Text)
        .map_err(|_| format!("{path}: neither an image (PNG, JPEG, GIF, WebP) nor text in UTF-8"))
}

/// Returns the media type of a supported image, detected by its signature.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match imagesize::image_type(bytes).ok()? {
        ImageType::Png => Some("image/png"),
        ImageType::Jpeg => Some("image/jpeg"),
        ImageType::Gif => Some("image/gif"),
        ImageType::Webp => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Attachment, attachment};

    #[test]
    fn resolves_absolute_paths_inside_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("attachments")).unwrap();
        let file = folder.path().join("attachments/photo.txt");
        fs::write(&file, "a photo").unwrap();
        let no_file = "there is no such file in the folder that tools may read";
        let rows = [
            ("attachments/photo.txt", Ok("a photo".to_owned())),
            ("/attachments/photo.txt", Ok("a photo".to_owned())),
            ("//attachments/photo.txt", Ok("a photo".to_owned())),
            (file.to_str().unwrap(), Ok("a photo".to_owned())),
            ("/etc/hosts", Err(format!("etc/hosts: {no_file}"))),
            (
                "/../etc/hosts",
                Err("../etc/hosts: outside of the folder that tools may read".to_owned()),
            ),
        ];
        for (path, expected) in rows {
            let text = attachment(folder.path(), path).map(|attachment| match attachment {
                Attachment::Image(_) => "an image".to_owned(),
                Attachment::Text(text) => text,
            });
            assert_eq!(text, expected, "{path}");
        }
    }

    #[test]
    fn detects_images_and_limits_their_size() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\r";
        let padded = |bytes: usize| [PNG, &vec![0; bytes - PNG.len()]].concat();
        let neither = |name: &str| {
            Err(format!(
                "{name}: neither an image (PNG, JPEG, GIF, WebP) nor text in UTF-8"
            ))
        };
        let rows: [(&str, Vec<u8>, Result<&str, String>); 11] = [
            ("png", PNG.to_vec(), Ok("image/png")),
            (
                "jpeg",
                b"\xff\xd8\xff\xe0 a picture".to_vec(),
                Ok("image/jpeg"),
            ),
            ("gif 87", b"GIF87a image".to_vec(), Ok("image/gif")),
            ("gif 89", b"GIF89a image".to_vec(), Ok("image/gif")),
            ("webp", b"RIFF\0\0\0\0WEBPVP8 ".to_vec(), Ok("image/webp")),
            ("four bytes", b"\x89PNG".to_vec(), neither("four bytes")),
            ("no gif", b"GIF88a".to_vec(), Ok("text")),
            ("sound", b"RIFF\0\0\0\0WAVE".to_vec(), Ok("text")),
            ("text", b"a text".to_vec(), Ok("text")),
            ("just not too large", padded(5_000_000), Ok("image/png")),
            (
                "too large",
                padded(5_000_001),
                Err("too large has 5000001 bytes, an image has at most 5000000".to_owned()),
            ),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, expected) in rows {
            fs::write(folder.path().join(name), bytes).unwrap();
            let kind = attachment(folder.path(), name).map(|attachment| match attachment {
                Attachment::Image(image) => image.media_type,
                Attachment::Text(_) => "text".to_owned(),
            });
            assert_eq!(kind, expected.map(str::to_owned), "{name}");
        }
    }
}
