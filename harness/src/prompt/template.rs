//! Section texts with named slots, which are filled by plain substitution.

/// A section text with `N` slots, written `{slot_name}`.
///
/// `build.rs` lists the slots of each bundled text, and [`Template::render`] requires one value per
/// listed slot. A prompt with an unfilled slot can therefore never reach a model. Braces around
/// anything but lowercase letters and `_` are ordinary text, such as `{ model? }` in JavaScript.
pub(crate) struct Template<const N: usize> {
    /// Name of the section, equal to the name of its file.
    pub(super) name: &'static str,
    /// Text before its slots are filled.
    pub(super) text: &'static str,
    pub(super) slots: [&'static str; N],
}

impl<const N: usize> Template<N> {
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
        let word = &text[start + 1..end - 1];
        let value = slots.iter().position(|slot| *slot == word).map(&value);
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
fn next_slot(text: &str, from: usize) -> Option<(usize, usize)> {
    text[from..].match_indices('{').find_map(|(at, _)| {
        let start = from + at;
        let name = &text[start + 1..];
        let rest = name.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '_');
        let end = text.len() - rest.len();
        (end > start + 1 && rest.starts_with('}')).then_some((start, end + 1))
    })
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
            let template = Template {
                name: "case",
                text,
                slots: ["a", "b"],
            };
            assert_eq!(template.render(["1", "{a}"]), expected, "{text:?}");
        }
    }
}
