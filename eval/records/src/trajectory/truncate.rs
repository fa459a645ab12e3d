//! Truncates long strings in a line of JSON without parsing it, so that a megabyte of output costs
//! only a scan.

use memchr::{memchr, memchr2};

/// Replaces each string of more than `limit` bytes in `line` with an object that contains its first
/// part and its location in the file.
///
/// The object is `{"head": FIRST_PART, "bytes": LENGTH, "from": START, "to": END}`. `START` and
/// `END` are the byte positions, in the file, of the JSON between the quotes; `offset` is the
/// position of the line's first byte. `FIRST_PART` holds at most `limit` bytes and splits neither
/// an escape nor a character. Everything else, including malformed JSON, is copied unchanged.
pub fn cut_strings(line: &[u8], offset: u64, limit: usize) -> Vec<u8> {
    replace_long(line, limit, |cut, head, start, end| {
        let (from, to) = (offset + start as u64, offset + end as u64);
        cut.extend_from_slice(b"{\"head\":\"");
        cut.extend_from_slice(head);
        let place = format!("\",\"bytes\":{},\"from\":{from},\"to\":{to}}}", end - start);
        cut.extend_from_slice(place.as_bytes());
    })
}

/// Replaces each string of more than `limit` bytes in `line` with its first part, so that the line
/// still parses as an event.
pub fn heads(line: &[u8], limit: usize) -> Vec<u8> {
    replace_long(line, limit, |cut, head, _, _| {
        cut.push(b'"');
        cut.extend_from_slice(head);
        cut.push(b'"');
    })
}

/// Calls `replace` for each string of more than `limit` bytes, with the output so far, the first
/// part of the string, and the start and end of the string in `line`. Copies everything else.
fn replace_long(
    line: &[u8],
    limit: usize,
    replace: impl Fn(&mut Vec<u8>, &[u8], usize, usize),
) -> Vec<u8> {
    let mut cut = Vec::with_capacity(line.len().min(64 * 1024));
    let mut rest = 0;
    while let Some(quote) = memchr(b'"', &line[rest..]) {
        let start = rest + quote + 1;
        let Some(end) = string_end(line, start) else {
            break;
        };
        let content = &line[start..end];
        if content.len() <= limit {
            cut.extend_from_slice(&line[rest..=end]);
        } else {
            cut.extend_from_slice(&line[rest..start - 1]);
            replace(&mut cut, &content[..boundary(content, limit)], start, end);
        }
        rest = end + 1;
    }
    cut.extend_from_slice(&line[rest..]);
    cut
}

/// Returns the position of the closing quote of a string whose content begins at `start`.
fn string_end(line: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Returns the last position within `limit` bytes at which a string's JSON can be cut without
/// splitting a character or an escape.
pub fn boundary(content: &[u8], limit: usize) -> usize {
    let mut at = 0;
    while at < content.len() {
        let next = at + width(&content[at..]);
        if next > limit {
            break;
        }
        at = next;
    }
    at.min(content.len())
}

/// Returns the length in bytes of the first character or escape of `content`. The two `\u` escapes
/// of a surrogate pair count as one.
fn width(content: &[u8]) -> usize {
    match content {
        [
            b'\\',
            b'u',
            b'd' | b'D',
            b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
            ..,
        ] if content.get(6..8) == Some(b"\\u") => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        [..0x80, ..] => 1,
        [..0xe0, ..] => 2,
        [..0xf0, ..] => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{cut_strings, heads};

    #[test]
    fn cuts_long_strings_between_characters() {
        let rows = [
            (json!({"a": "short", "n": 1}), json!({"a": "short", "n": 1})),
            (
                json!({"a": "0123456789"}),
                json!({"a": {"head": "01234567", "bytes": 10, "from": 106, "to": 116}}),
            ),
            (
                json!({"a": "012345\n\n\n"}),
                json!({"a": {"head": "012345\n", "bytes": 12, "from": 106, "to": 118}}),
            ),
            (
                json!({"a": "äöüäöü"}),
                json!({"a": {"head": "äöüä", "bytes": 12, "from": 106, "to": 118}}),
            ),
            (
                json!({"a": "x\"\\\"🦀🦀"}),
                json!({"a": {"head": "x\"\\\"", "bytes": 15, "from": 106, "to": 121}}),
            ),
            (json!(["", "\\", "\""]), json!(["", "\\", "\""])),
        ];
        for (value, cut) in rows {
            let line = value.to_string();
            let parsed: Value =
                serde_json::from_slice(&cut_strings(line.as_bytes(), 100, 8)).unwrap();
            assert_eq!(parsed, cut, "{line}");
            let head = |cut: &Value| cut.get("head").unwrap_or(cut).clone();
            let short: Value = serde_json::from_slice(&heads(line.as_bytes(), 8)).unwrap();
            if let Some(object) = short.as_object() {
                for (name, text) in object {
                    assert_eq!(*text, head(&cut[name]), "{line}");
                }
            }
        }
    }

    #[test]
    fn does_not_split_surrogate_pairs() {
        let line = br#"{"a":"123\ud83e\udd80 and more"}"#;
        let cut = cut_strings(line, 0, 14);
        let parsed: Value = serde_json::from_slice(&cut).unwrap();
        assert_eq!(parsed["a"]["head"], "123");
    }

    #[test]
    fn copies_invalid_json_unchanged() {
        for line in ["", "\"", "\"\\", "{\"a\":\"torn", "]["] {
            assert_eq!(cut_strings(line.as_bytes(), 0, 2), line.as_bytes());
        }
    }
}
