//! Hashes, Base64 and percent-encoding, which the JavaScript library delegates to crates. All
//! functions are pure; a running hash is passed as its serialized state.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use md5::Md5;
use percent_encoding::percent_decode_str;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Sha224, Sha256, Sha384, Sha512};
use url::form_urlencoded;

/// Feeds bytes to a running hash; an empty `state` starts one. Returns the new state, or the digest
/// if `end` is set. Returns `None` for an unknown algorithm or an invalid state.
pub(crate) fn hash(algorithm: &str, state: &[u8], bytes: &[u8], end: bool) -> Option<Vec<u8>> {
    match algorithm {
        "md5" => hash_by::<Md5>(state, bytes, end),
        "sha1" => hash_by::<Sha1>(state, bytes, end),
        "sha224" => hash_by::<Sha224>(state, bytes, end),
        "sha256" => hash_by::<Sha256>(state, bytes, end),
        "sha384" => hash_by::<Sha384>(state, bytes, end),
        "sha512" => hash_by::<Sha512>(state, bytes, end),
        _ => None,
    }
}

fn hash_by<H: Digest + SerializableState>(
    state: &[u8],
    bytes: &[u8],
    end: bool,
) -> Option<Vec<u8>> {
    let mut hash = match state {
        [] => H::new(),
        _ => H::deserialize(&SerializedState::<H>::try_from(state).ok()?).ok()?,
    };
    hash.update(bytes);
    Some(if end {
        hash.finalize().to_vec()
    } else {
        hash.serialize().to_vec()
    })
}

/// Encodes as Base64 (RFC 4648): the standard alphabet with padding or, if `url` is set, the
/// URL-safe alphabet without padding.
pub(crate) fn base64_encode(bytes: &[u8], url: bool) -> String {
    if url {
        URL_SAFE_NO_PAD.encode(bytes)
    } else {
        STANDARD.encode(bytes)
    }
}

/// Decodes Base64 as Node's Buffer does: accepts both alphabets, skips other characters, and
/// ignores everything after the first `=`.
pub(crate) fn base64_decode(text: &str) -> Vec<u8> {
    let characters = text.bytes().take_while(|byte| *byte != b'=');
    let sextets = characters.filter_map(|byte| match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        _ => is_of_alphabet(byte).then_some(byte),
    });
    decode(sextets.collect())
}

/// Reason why [`atob`] failed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Base64Error {
    InvalidCharacter = 1,
    WrongLength,
}

/// Decodes as <https://infra.spec.whatwg.org/#forgiving-base64-decode> specifies. Each character of
/// the result is a byte.
pub(crate) fn atob(text: &str) -> Result<String, Base64Error> {
    let spaces = [' ', '\t', '\n', '\x0c', '\r'];
    let whole = text.replace(spaces, "");
    let sextets = whole.trim_end_matches('=');
    let padding = whole.len() - sextets.len();
    let is_padded = padding == 0 || (padding <= 2 && whole.len().is_multiple_of(4));
    if !is_padded || !sextets.bytes().all(is_of_alphabet) {
        return Err(Base64Error::InvalidCharacter);
    }
    if sextets.len() % 4 == 1 {
        return Err(Base64Error::WrongLength);
    }
    Ok(decode(sextets.into()).into_iter().map(char::from).collect())
}

/// Encodes a string whose characters each represent a byte. Returns `None` if a character does not
/// fit in a byte.
pub(crate) fn btoa(text: &str) -> Option<String> {
    let bytes = text.chars().map(|character| u8::try_from(character).ok());
    Some(STANDARD.encode(bytes.collect::<Option<Vec<u8>>>()?))
}

fn is_of_alphabet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
}

/// Decodes sextets, dropping trailing bits that do not fill a byte.
fn decode(mut sextets: Vec<u8>) -> Vec<u8> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireNone),
    );
    if sextets.len() % 4 == 1 {
        sextets.pop();
    }
    LENIENT.decode(sextets).unwrap_or_default()
}

/// Decodes `%XX` sequences as UTF-8 bytes; other text is unchanged.
pub(crate) fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Encodes a name or value as <https://url.spec.whatwg.org/#urlencoded-serializing> specifies.
pub(crate) fn form_encode(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
