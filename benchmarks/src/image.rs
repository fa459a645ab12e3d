//! Images of a question, read from files and data URLs. Their content determines their type, and
//! their size is limited.

use std::path::Path;
use std::{fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use model::Image;

use crate::contained::contained;

/// Maximum bytes of an image: 5 MB, about what the strictest provider accepts.
const MAX_BYTES: u64 = 5_000_000;

/// Maximum images per question.
pub const MAX_IMAGES: usize = 20;

/// Reason why an image cannot be used in a question.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ImageError(String);

/// Reads an image file.
///
/// # Errors
/// Returns [`ImageError`] if the file cannot be read, is too large, or is not an image.
pub fn read_image(path: &Path) -> Result<Image, ImageError> {
    let name = path.display().to_string();
    let read = |reason: io::Error| ImageError(format!("cannot read the image {name}: {reason}"));
    let bytes = fs::metadata(path).map_err(read)?.len();
    check_size(&name, bytes)?;
    identify(&name, &fs::read(path).map_err(read)?)
}

/// Reads the image that a field of a row names: a path relative to `folder`, or a data URL.
///
/// # Errors
/// Returns [`ImageError`] if the reference is invalid, or if the image is too large or not
/// supported.
pub(crate) fn referenced_image(reference: &str, folder: &Path) -> Result<Image, ImageError> {
    let reference = reference.trim();
    if let Some(url) = reference.strip_prefix("data:") {
        return decode(url);
    }
    if reference.contains("://") {
        return Err(ImageError(format!(
            "remote image `{reference}` is not supported: expected a file next to the data, or a data URL"
        )));
    }
    let path = contained(folder, Path::new(reference))
        .map_err(|problem| ImageError(format!("invalid image path {reference:?}: {problem}")))?;
    read_image(&path)
}

/// Decodes the image in a data URL.
///
/// # Errors
/// Returns [`ImageError`] if the reference is invalid, or if the image is too large or not
/// supported.
pub fn decode_data_url(url: &str) -> Result<Image, ImageError> {
    decode(url.trim().strip_prefix("data:").ok_or_else(invalid_url)?)
}

fn decode(url: &str) -> Result<Image, ImageError> {
    let (said, data) = url.split_once(";base64,").ok_or_else(invalid_url)?;
    let name = "the data URL";
    check_size(name, data.len() as u64 / 4 * 3)?;
    let bytes = STANDARD.decode(data.trim()).map_err(|_| invalid_url())?;
    let image = identify(name, &bytes)?;
    if said == image.media_type {
        Ok(image)
    } else {
        let held = image.media_type;
        Err(ImageError(format!(
            "the data URL is declared as {said}, but its content is {held}"
        )))
    }
}

fn invalid_url() -> ImageError {
    ImageError("invalid data URL: expected data:image/TYPE;base64,DATA".to_owned())
}

fn check_size(name: &str, bytes: u64) -> Result<(), ImageError> {
    if bytes > MAX_BYTES {
        let problem = format!("{name} has {bytes} bytes; expected at most {MAX_BYTES}");
        return Err(ImageError(problem));
    }
    Ok(())
}

/// Returns the bytes as an image, whose first bytes determine its media type.
fn identify(name: &str, bytes: &[u8]) -> Result<Image, ImageError> {
    let media_type = match imagesize::image_type(bytes) {
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Gif) => "image/gif",
        Ok(ImageType::Webp) => "image/webp",
        _ => {
            return Err(ImageError(format!(
                "{name} is not a supported image: expected PNG, JPEG, GIF or WebP content"
            )));
        }
    };
    Ok(Image {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes),
    })
}
