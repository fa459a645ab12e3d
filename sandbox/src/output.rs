//! Output of one cell: its beginning and end within a limit, and its full length.

use std::collections::VecDeque;

/// Keeps only the beginning and end of the output, each about half of `limit` characters, so that
/// excessive output does not fill the memory.
#[derive(Debug, Default)]
pub(crate) struct Output {
    limit: usize,
    head: String,
    head_chars: usize,
    tail: VecDeque<String>,
    tail_chars: usize,
    total_chars: usize,
    lines: usize,
}

impl Output {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Appends a line, which may contain line breaks. `hidden` is the number of characters of the
    /// line that were already dropped.
    pub fn push(&mut self, line: &str, hidden: usize) {
        if self.lines > 0 {
            self.add("\n");
        }
        self.lines += 1;
        self.add(line);
        self.total_chars += hidden;
    }

    fn add(&mut self, text: &str) {
        let chars = text.chars().count();
        self.total_chars += chars;
        let half = self.limit / 2;
        let mut rest = text;
        let room = half.saturating_sub(self.head_chars);
        if self.tail.is_empty() && room > 0 {
            let cut = byte_of_char(text, room);
            self.head.push_str(&text[..cut]);
            self.head_chars += room.min(chars);
            rest = &text[cut..];
        }
        if rest.is_empty() {
            return;
        }
        // Drop an old part only if the newer parts contain all characters that `finish` needs.
        self.tail_chars += rest.chars().count();
        self.tail.push_back(rest.to_owned());
        while let Some(first) = self.tail.front() {
            let first_chars = first.chars().count();
            if self.tail_chars - first_chars < self.limit - half {
                break;
            }
            self.tail_chars -= first_chars;
            self.tail.pop_front();
        }
    }

    /// Returns the whole output, or its beginning and end around a note with the full length.
    pub fn finish(self) -> String {
        if self.total_chars <= self.limit {
            return self.tail.into_iter().fold(self.head, |mut all, part| {
                all.push_str(&part);
                all
            });
        }
        let tail: String = self.tail.into_iter().collect();
        let tail_chars = tail.chars().count();
        let kept = self.limit - self.limit / 2;
        let from = byte_of_char(&tail, tail_chars.saturating_sub(kept));
        let omitted = self.total_chars - self.head_chars - tail_chars.min(kept);
        format!(
            "{}\n… [output cut: {omitted} of {} characters omitted here] …\n{}",
            self.head,
            self.total_chars,
            &tail[from..]
        )
    }
}

/// Returns the byte offset of the `n`-th character, or the length of the text.
fn byte_of_char(text: &str, n: usize) -> usize {
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::Output;

    fn check(limit: usize, lines: &[&str], expected: &str) {
        let mut output = Output::new(limit);
        for line in lines {
            output.push(line, 0);
        }
        assert_eq!(output.finish(), expected, "limit {limit}, lines {lines:?}");
    }

    #[test]
    fn cuts_long_output_in_the_middle() {
        check(100, &[], "");
        check(100, &[""], "");
        check(100, &["a", "", "b"], "a\n\nb");
        check(4, &["abcd"], "abcd");
        check(
            4,
            &["abcdef"],
            "ab\n… [output cut: 2 of 6 characters omitted here] …\nef",
        );
        check(
            4,
            &["ab", "cd", "ef"],
            "ab\n… [output cut: 4 of 8 characters omitted here] …\nef",
        );
        check(
            4,
            &["éèàùôî"],
            "éè\n… [output cut: 2 of 6 characters omitted here] …\nôî",
        );
        check(5, &["abc", "d"], "abc\nd");
        check(
            5,
            &["abc", "de"],
            "ab\n… [output cut: 1 of 6 characters omitted here] …\n\nde",
        );
    }

    #[test]
    fn bounds_memory_of_output_floods() {
        let mut output = Output::new(1000);
        for _ in 0..200_000 {
            output.push("0123456789", 0);
        }
        assert!(output.tail.len() < 200);
        assert!(output.finish().contains("of 2199999 characters"));
    }
}
