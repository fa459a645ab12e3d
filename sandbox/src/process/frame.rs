//! Frames: a four-byte little-endian length, followed by a message of that length encoded by
//! postcard.

use std::io::{self, Read, Write};

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Maximum length of a frame's message, in bytes.
const LONGEST: u32 = 1 << 30;

/// Reason why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("frame of {0} bytes exceeds the maximum length")]
    TooLong(u32),
    #[error("cannot decode a frame: {0}")]
    Decode(postcard::Error),
    #[error("cannot encode a message: {0}")]
    Encode(postcard::Error),
}

/// Output of postcard that appends slices as a whole. Postcard's own flavor for vectors that are
/// not empty appends byte by byte, which takes long for a snapshot.
struct Frame(Vec<u8>);

impl Flavor for Frame {
    type Output = Vec<u8>;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

pub(super) fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let frame = postcard::serialize_with_flavor(message, Frame(vec![0; 4]));
    let mut frame = frame.map_err(FrameError::Encode)?;
    let length = u32::try_from(frame.len() - 4).unwrap_or(u32::MAX);
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

pub(super) fn write<T: Serialize>(to: &mut impl Write, message: &T) -> Result<(), FrameError> {
    to.write_all(&encode(message)?)?;
    Ok(to.flush()?)
}

/// Reads the next message; `None` at the end of the stream.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>, FrameError> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = body_length(length)?;
    let mut body = Vec::new();
    from.take(length as u64).read_to_end(&mut body)?;
    whole(&body, length).map(Some)
}

/// Asynchronous version of [`read`].
pub(super) async fn read_async<T: DeserializeOwned>(
    from: &mut (impl AsyncRead + Unpin),
) -> Result<Option<T>, FrameError> {
    let mut length = [0; 4];
    match from.read_exact(&mut length).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let length = body_length(length)?;
    let mut body = Vec::new();
    from.take(length as u64).read_to_end(&mut body).await?;
    whole(&body, length).map(Some)
}

fn body_length(length: [u8; 4]) -> Result<usize, FrameError> {
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    Ok(length as usize)
}

/// Decodes a body, which is shorter than `length` if the stream ended early. Callers allocate
/// memory for the data received, not for `length`, which may be corrupt.
fn whole<T: DeserializeOwned>(body: &[u8], length: usize) -> Result<T, FrameError> {
    if body.len() < length {
        return Err(FrameError::Io(io::ErrorKind::UnexpectedEof.into()));
    }
    postcard::from_bytes(body).map_err(FrameError::Decode)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{encode, read, write};
    use crate::process::{FromWorker, ToWorker};

    proptest! {
        #[test]
        fn decoder_survives_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read::<FromWorker>(&mut bytes.as_slice());
            let _ = read::<ToWorker>(&mut bytes.as_slice());
            let mut framed = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
            framed.extend(&bytes);
            let _ = read::<FromWorker>(&mut framed.as_slice());
            let _ = read::<ToWorker>(&mut framed.as_slice());
        }
    }

    #[test]
    fn frames_round_trip_and_garbage_is_rejected() {
        let mut bytes = Vec::new();
        write(&mut bytes, &("text".to_owned(), 5_u32)).unwrap();
        write(&mut bytes, &("ż".to_owned(), 6_u32)).unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(
            read::<(String, u32)>(&mut from).unwrap(),
            Some(("text".to_owned(), 5))
        );
        assert_eq!(
            read::<(String, u32)>(&mut from).unwrap(),
            Some(("ż".to_owned(), 6))
        );
        assert_eq!(read::<(String, u32)>(&mut from).unwrap(), None);

        let frame = encode(&"text").unwrap();
        for cut in 1..frame.len() {
            let result = read::<String>(&mut &frame[..cut]);
            assert!(matches!(result, Err(_) | Ok(None)), "{cut}: {result:?}");
        }
        assert!(read::<String>(&mut [255_u8; 8].as_slice()).is_err());
        assert!(read::<String>(&mut [2_u8, 0, 0, 0, 9, 9].as_slice()).is_err());
    }
}
