//! Section texts with named slots, which are filled by plain substitution. Slots are checked at
//! compile time.

/// A section text with `N` slots, written `{slot_name}`.
///
/// A bundled section with an unlisted slot does not compile, and [`Template::render`] requires one
/// value per listed slot. A prompt with an unfilled slot can therefore never reach a model. Braces
/// around anything but lowercase letters and `_` are ordinary text, such as `{ model? }` in
/// JavaScript.
pub(crate) struct Template<const N: usize> {
    /// Name of the section, equal to the name of its file.
    pub(super) name: &'static str,
    text: &'static str,
    slots: [&'static str; N],
}

impl<const N: usize> Template<N> {
    /// Creates a template. Panics if the text has an unlisted slot; in constants, this happens at
    /// compile time.
    pub(super) const fn new(
        name: &'static str,
        text: &'static str,
        slots: [&'static str; N],
    ) -> Self {
        let mut at = 0;
        while let Some((start, end)) = next_slot(text, at) {
            assert!(
                position_of(text, start, end, &slots).is_some(),
                "the section has a slot that is not in its list"
            );
            at = end;
        }
        Self { name, text, slots }
    }

    /// Returns the text before its slots are filled.
    pub(super) const fn source(&self) -> &'static str {
        self.text
    }

    /// Returns the text with each slot replaced by its value, without surrounding blank lines.
    ///
    /// Substitution is a single pass: braces inside a value are never treated as slots.
    pub(crate) fn render(&self, values: [&str; N]) -> String {
        let out = substitute(self.text, &self.slots, |slot| values[slot]);
        out.trim_matches('\n').trim_end().to_owned()
    }

    /// Returns the name and value of each slot.
    pub(super) fn pairs(&self, values: [&str; N]) -> Vec<(&'static str, String)> {
        let values = values.map(str::to_owned);
        self.slots.into_iter().zip(values).collect()
    }
}

/// Replaces each slot that has a value. Other words in braces are kept.
pub(super) fn fill(text: &str, values: &[(&str, String)]) -> String {
    let slots: Vec<&str> = values.iter().map(|(slot, _)| *slot).collect();
    substitute(text, &slots, |slot| &values[slot].1)
}

fn substitute<'v>(text: &str, slots: &[&str], value: impl Fn(usize) -> &'v str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some((start, end)) = next_slot(text, at) {
        out.push_str(&text[at..start]);
        let value = position_of(text, start, end, slots).map(&value);
        out.push_str(value.unwrap_or(&text[start..end]));
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the words of a text that are written like slots, without braces.
pub(super) fn slot_words(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (start, end) = next_slot(text, at)?;
        at = end;
        Some(&text[start + 1..end - 1])
    })
}

/// Returns the byte range of the next slot at or after `from`, including braces.
const fn next_slot(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut open = from;
    while open < bytes.len() {
        if bytes[open] == b'{' {
            let mut end = open + 1;
            while end < bytes.len() && (bytes[end].is_ascii_lowercase() || bytes[end] == b'_') {
                end += 1;
            }
            if end > open + 1 && end < bytes.len() && bytes[end] == b'}' {
                return Some((open, end + 1));
            }
        }
        open += 1;
    }
    None
}

/// Returns the index in `slots` of the slot that `text[start..end]` contains in braces.
const fn position_of(text: &str, start: usize, end: usize, slots: &[&str]) -> Option<usize> {
    let text = text.as_bytes();
    let mut slot = 0;
    while slot < slots.len() {
        let name = slots[slot].as_bytes();
        let mut same = 0;
        while same < name.len()
            && start + 1 + same < end - 1
            && name[same] == text[start + 1 + same]
        {
            same += 1;
        }
        if same == name.len() && same == end - start - 2 {
            return Some(slot);
        }
        slot += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn substitutes_each_slot_once() {
        let cases = [
            ("", ""),
            ("plain", "plain"),
            ("{a}", "1"),
            ("{a}{b}{a}", "1{a}1"),
            ("\nline {a}\n\n", "line 1"),
            // Not slots: JavaScript, unclosed braces, other characters.
            ("rlm(q, { a })", "rlm(q, { a })"),
            ("{a, b}", "{a, b}"),
            ("{A} {} {1} {a", "{A} {} {1} {a"),
            ("{{a}}", "{1}"),
            ("ü{a}ü", "ü1ü"),
        ];
        for (text, expected) in cases {
            // The value of `b` looks like a slot, but is inserted unchanged.
            assert_eq!(
                Template::new("case", text, ["a", "b"]).render(["1", "{a}"]),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn rejects_unlisted_slots() {
        for text in ["{c}", "x {ab}", "{a_}", "{a} {b} {bb}"] {
            let refused =
                std::panic::catch_unwind(|| Template::new("case", text, ["a", "b"])).is_err();
            assert!(refused, "{text:?}");
        }
    }
}
