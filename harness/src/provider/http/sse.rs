//! Parses server-sent events: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SseEvent {
    /// Name of the event; empty if it has none.
    pub name: String,
    /// Data lines, joined with line feeds.
    pub data: String,
}

/// Splits a stream of bytes into events.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, so that a following line feed belongs to the
    /// same line end.
    after_return: bool,
    event: SseEvent,
    has_data: bool,
    /// Whether the first line has ended. Only the first line may start with a byte-order mark.
    past_first: bool,
}

impl SseParser {
    /// Processes bytes and returns the completed events. Invalid UTF-8 becomes U+FFFD.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        for byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => self.line.push(*byte),
            }
        }
        events
    }

    /// Ends the stream. Returns its last event if the blank line after it is missing.
    pub fn end(&mut self) -> Option<SseEvent> {
        let last = self.end_line();
        last.or_else(|| self.end_line())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        let is_first = !std::mem::replace(&mut self.past_first, true);
        let line = match line.strip_prefix('\u{feff}') {
            Some(rest) if is_first => rest.to_owned(),
            _ => line,
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{SseEvent, SseParser};

    #[test]
    fn splits_stream_into_events() {
        let cases: [(&str, &[(&str, &str)]); 12] = [
            ("", &[]),
            ("data: a\n\n", &[("", "a")]),
            ("data:a\n\ndata:  b\n\n", &[("", "a"), ("", " b")]),
            ("event: x\ndata: a\ndata: b\n\n", &[("x", "a\nb")]),
            (
                "event: x\r\ndata: a\r\n\r\nevent: y\r\ndata: b\r\n\r\n",
                &[("x", "a"), ("y", "b")],
            ),
            (": comment\n\nid: 1\nretry: 5\ndata: ü\n\n", &[("", "ü")]),
            ("event: no data\n\ndata: a\n\n", &[("", "a")]),
            ("data\n\n", &[("", "")]),
            // A byte-order mark is removed from the first line only.
            ("\u{feff}data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
            ("\u{feff}\ndata: a\n\n", &[("", "a")]),
            (
                "data: \u{feff}a\n\n\u{feff}data: b\n\n",
                &[("", "\u{feff}a")],
            ),
            // Some servers omit the last blank line.
            ("data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]),
        ];
        for (stream, expected) in cases {
            let expected: Vec<SseEvent> = expected
                .iter()
                .map(|(name, data)| SseEvent {
                    name: (*name).to_owned(),
                    data: (*data).to_owned(),
                })
                .collect();
            // The result must not depend on how the network splits the stream.
            for size in 1..=stream.len().max(1) {
                let mut parser = SseParser::default();
                let mut events: Vec<SseEvent> = stream
                    .as_bytes()
                    .chunks(size)
                    .flat_map(|bytes| parser.take(bytes))
                    .collect();
                events.extend(parser.end());
                assert_eq!(events, expected, "{stream:?} by {size}");
            }
        }
    }
}
