//! Version and size limits of all messages, which are checked before a message is used.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::QueueError;

/// Version of all messages; each message carries it as `v`.
pub const VERSION: u32 = 1;

/// Maximum bytes of a message without a body. By default, servers reject messages of more than 1
/// MiB.
pub const MOST_BYTES: usize = 1024 * 1024;

/// Maximum bytes of an id.
const LONGEST_ID: usize = 4096;

/// A message that [`read`] can parse and check.
pub trait Message: Serialize + DeserializeOwned {
    /// Returns the version of the message.
    fn version(&self) -> u32;
    /// Returns the ids and names in the message, whose length is limited.
    fn ids(&self) -> Vec<&str>;
}

/// Implements [`Message`] for types with a field `v`. The fields after a type's name are its ids.
macro_rules! impl_message {
    ($($name:ty: $($id:ident),*;)*) => {
        $(impl $crate::envelope::Message for $name {
            fn version(&self) -> u32 {
                self.v
            }
            fn ids(&self) -> Vec<&str> {
                vec![$(self.$id.as_ref()),*]
            }
        })*
    };
}
pub(crate) use impl_message;

/// Parses a message and checks its version and limits. `place` is its subject.
///
/// # Errors
/// Returns [`QueueError::Message`] if the message or an id in it is too long, or if the message is
/// malformed or of another version.
pub fn read<M: Message>(place: &str, bytes: &[u8]) -> Result<M, QueueError> {
    /// The version is parsed first, because a later version may change all other fields.
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let wrong = |problem: String| QueueError::Message {
        place: place.to_owned(),
        problem,
    };
    if bytes.len() > MOST_BYTES {
        return Err(wrong(format!(
            "message of {} bytes exceeds the maximum of {MOST_BYTES}",
            bytes.len()
        )));
    }
    let Versioned { v } = serde_json::from_slice(bytes).map_err(|e| wrong(e.to_string()))?;
    if v != VERSION {
        return Err(wrong(format!(
            "version {v} is not supported; this program reads version {VERSION}"
        )));
    }
    let message: M = serde_json::from_slice(bytes).map_err(|e| wrong(e.to_string()))?;
    if message.ids().iter().any(|id| id.len() > LONGEST_ID) {
        return Err(wrong(format!("id longer than {LONGEST_ID} bytes")));
    }
    Ok(message)
}

/// Serializes a message.
pub fn write<M: Message>(message: &M) -> Vec<u8> {
    // This cannot fail, because the keys of all maps in these types are strings.
    serde_json::to_vec(message).unwrap_or_default()
}
