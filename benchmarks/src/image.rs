//! Images of a question, read from files and data URLs. Their content determines their type, and
//! their size is limited.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use model::Image;

use crate::contained::{PathEscape, contained};

/// Maximum bytes of an image: 5 MB, about what the strictest provider accepts.
const MAX_BYTES: u64 = 5_000_000;

/// Maximum images per question.
pub const MAX_IMAGES: usize = 20;

/// Reason why an image cannot be used in a question.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file cannot be read.
    #[error("cannot read the image {}: {reason}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        reason: std::io::Error,
    },
    /// The content is not of a supported image type.
    #[error("{name} is not a supported image: expected PNG, JPEG, GIF or WebP content")]
    Kind {
        /// Name of the file, or `the data URL`.
        name: String,
    },
    /// The data URL declares a media type that differs from its content.
    #[error("the data URL is declared as {said}, but its content is {held}")]
    Mislabelled {
        /// Declared media type.
        said: String,
        /// Media type of the content.
        held: String,
    },
    /// The image is too large.
    #[error("{name} has {bytes} bytes; expected at most {}", MAX_BYTES)]
    Size {
        /// Name of the file, or `the data URL`.
        name: String,
        /// Size in bytes.
        bytes: u64,
    },
    /// The URL is not a data URL of an image.
    #[error("invalid data URL: expected data:image/TYPE;base64,DATA")]
    Url,
    /// The reference is a remote address.
    #[error("remote image `{0}` is not supported: expected a file next to the data, or a data URL")]
    Address(String),
    /// The image is not in the folder of its data.
    #[error("invalid image path {name:?}: {problem}")]
    PathEscape {
        /// Path as given.
        name: String,
        /// What is wrong, and what would be valid.
        problem: String,
    },
}

/// Reads an image file.
///
/// # Errors
/// Returns [`ImageError`] if the file cannot be read, is too large, or is not an image.
pub fn read_image(path: &Path) -> Result<Image, ImageError> {
    let read = |reason| ImageError::Read {
        path: path.to_owned(),
        reason,
    };
    let name = path.display().to_string();
    let bytes = fs::metadata(path).map_err(read)?.len();
    if bytes > MAX_BYTES {
        return Err(ImageError::Size { name, bytes });
    }
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
        return Err(ImageError::Address(reference.to_owned()));
    }
    let path = contained(folder, Path::new(reference));
    let outside = |problem: PathEscape| ImageError::PathEscape {
        name: reference.to_owned(),
        problem: problem.to_string(),
    };
    read_image(&path.map_err(outside)?)
}

/// Decodes the image in a data URL.
///
/// # Errors
/// Returns [`ImageError`] if the reference is invalid, or if the image is too large or not
/// supported.
pub fn decode_data_url(url: &str) -> Result<Image, ImageError> {
    decode(url.trim().strip_prefix("data:").ok_or(ImageError::Url)?)
}

fn decode(url: &str) -> Result<Image, ImageError> {
    let (said, data) = url.split_once(";base64,").ok_or(ImageError::Url)?;
    let name = "the data URL";
    if data.len() as u64 / 4 * 3 > MAX_BYTES {
        return Err(ImageError::Size {
            name: name.to_owned(),
            bytes: data.len() as u64 / 4 * 3,
        });
    }
    let bytes = STANDARD.decode(data.trim()).map_err(|_| ImageError::Url)?;
    let image = identify(name, &bytes)?;
    if said == image.media_type {
        Ok(image)
    } else {
        Err(ImageError::Mislabelled {
            said: said.to_owned(),
            held: image.media_type,
        })
    }
}

/// Returns the bytes as an image, whose first bytes determine its media type.
fn identify(name: &str, bytes: &[u8]) -> Result<Image, ImageError> {
    let media_type = match imagesize::image_type(bytes) {
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Gif) => "image/gif",
        Ok(ImageType::Webp) => "image/webp",
        _ => {
            return Err(ImageError::Kind {
                name: name.to_owned(),
            });
        }
    };
    Ok(Image {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes),
    })
}
