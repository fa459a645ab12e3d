//! Splits a text at natural breaks into parts of similar length.

use std::ops::Range;

/// Separators after which a part may end, best first.
const BREAKS: [&str; 4] = ["\n\n", "\n", ". ", " "];

/// Returns the byte ranges of at most `most` parts, which cover the whole text. Each part ends at
/// the end of a paragraph, line, sentence or word if there is one in its second half.
pub(crate) fn parts(text: &str, most: usize) -> Vec<Range<usize>> {
    let most = most.max(1);
    let half = text.len().div_ceil(most) / 2;
    let mut all = Vec::new();
    let mut start = 0;
    for number in 1..=most {
        // Computed with 128 bits, because the product of two lengths may overflow.
        let ideal = text.len() as u128 * number as u128 / most as u128;
        let ideal = usize::try_from(ideal).unwrap_or(text.len());
        let ideal = text.floor_char_boundary(ideal);
        let end = if number == most {
            text.len()
        } else {
            cut(
                text,
                text.floor_char_boundary(ideal.saturating_sub(half))
                    .max(start),
                ideal,
            )
        };
        if end > start {
            all.push(start..end);
            start = end;
        }
    }
    all
}

/// Returns the position after the best separator in a range, or the range's end.
fn cut(text: &str, from: usize, to: usize) -> usize {
    let Some(stretch) = text.get(from..to) else {
        return to.max(from);
    };
    let found = BREAKS
        .iter()
        .find_map(|pause| Some(stretch.rfind(pause)? + pause.len()));
    found.map_or(to, |behind| from + behind)
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn splits_whole_text_at_breaks() {
        let rows: [(&str, usize, &[&str]); 8] = [
            ("", 3, &[]),
            ("abc", 1, &["abc"]),
            ("abc", 0, &["abc"]),
            ("abcdef", 3, &["ab", "cd", "ef"]),
            ("ab cd ef", 2, &["ab ", "cd ef"]),
            ("One is. Two are here", 2, &["One is. ", "Two are here"]),
            ("a\nbb cc\n\nd e", 2, &["a\nbb ", "cc\n\nd e"]),
            ("äöüß", 3, &["ä", "ö", "üß"]),
        ];
        for (text, most, expected) in rows {
            let found = parts(text, most);
            let found: Vec<&str> = found.into_iter().map(|at| &text[at]).collect();
            assert_eq!(found, expected, "{text:?} in {most}");
        }
        let text = "word ".repeat(10_000) + &"ü".repeat(7_777);
        for most in [1, 2, 7, 100, 9_999, 100_000] {
            let found = parts(&text, most);
            assert!(found.len() <= most);
            let whole: String = found.iter().map(|at| &text[at.clone()]).collect();
            assert_eq!(whole, text);
        }
    }
}
