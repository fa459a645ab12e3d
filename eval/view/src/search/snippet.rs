//! Extracts the part of a text around the searched words.

use std::cmp::Reverse;

/// Maximum characters shown before the first searched word.
const BEFORE: usize = 60;
/// Maximum lines shown before that of the first searched word, because the page shows few lines.
const LINES_BEFORE: usize = 1;
/// Maximum characters of a snippet; a searched word at its end is not cut.
const SHOWN: usize = 260;

/// Extracts the text around the first occurrence of the longest of the lowercase `words` that
/// occurs, as alternating parts: other text, a searched word, other text, and so on.
pub fn snippet(text: &str, words: &[String]) -> Vec<String> {
    // Compare characters instead of bytes, because lowercasing may change the number of bytes.
    // Each character is represented by the first character of its lowercase form.
    let characters: Vec<char> = text.chars().collect();
    let lower: Vec<char> = characters
        .iter()
        .map(|c| c.to_lowercase().next().unwrap_or(*c))
        .collect();
    let words: Vec<Vec<char>> = words.iter().map(|word| word.chars().collect()).collect();
    let places = words.iter().filter_map(|word| {
        let place = (0..lower.len()).find(|at| occurs(&lower, *at, word))?;
        Some((Reverse(word.len()), place))
    });
    let first = places.min().map_or(0, |(_, place)| place);
    let from = first.saturating_sub(BEFORE);
    let mut breaks = (from..first).rev().filter(|at| characters[*at] == '\n');
    let from = breaks.nth(LINES_BEFORE).map_or(from, |at| at + 1);
    let to = (from + SHOWN).min(characters.len());
    let mut parts = Vec::new();
    let mut plain = String::from(if from > 0 { "…" } else { "" });
    let mut at = from;
    while at < to {
        let here = words
            .iter()
            .filter(|word| occurs(&lower, at, word))
            .map(Vec::len)
            .max();
        match here {
            None => {
                plain.push(characters[at]);
                at += 1;
            }
            Some(length) => {
                parts.push(std::mem::take(&mut plain));
                parts.push(characters[at..at + length].iter().collect());
                at += length;
            }
        }
    }
    if at < characters.len() {
        plain.push('…');
    }
    parts.push(plain);
    parts
}

/// Whether a searched word or phrase occurs at a position as in the index: it begins where a word
/// begins, and also ends where a word ends if its last word is too short for a prefix.
fn occurs(text: &[char], at: usize, word: &[char]) -> bool {
    let is_in_word = |place: usize| {
        let is_letter = |place: usize| text.get(place).is_some_and(|c| c.is_alphanumeric());
        place > 0 && is_letter(place - 1) && is_letter(place)
    };
    let letters = word.iter().rev().take_while(|c| c.is_alphanumeric());
    !word.is_empty()
        && text[at..].starts_with(word)
        && !is_in_word(at)
        && (letters.count() > 2 || !is_in_word(at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::snippet;

    #[test]
    fn marks_searched_words() {
        let rows = [
            (
                "Find the Needle, needle",
                vec!["needle"],
                vec!["Find the ", "Needle", ", ", "needle", ""],
            ),
            ("x", vec!["y"], vec!["x"]),
            (
                "<output>\nspun\n</output>\n<error>\nTypeError",
                vec!["typeerror"],
                vec!["…<error>\n", "TypeError", ""],
            ),
            ("İstanbul a", vec!["a"], vec!["İstanbul ", "a", ""]),
            (
                "an apple, a pineapple, x.a",
                vec!["a", "app", "x.a"],
                vec!["an ", "app", "le, ", "a", " pineapple, ", "x.a", ""],
            ),
        ];
        for (text, words, wanted) in rows {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(snippet(text, &words), wanted, "{text}");
        }
        let long = format!("a {} here {}", "x".repeat(500), "y".repeat(500));
        let parts = snippet(&long, &["a".to_owned(), "here".to_owned()]);
        assert!(parts[0].starts_with('…') && parts[2].ends_with('…'));
        assert_eq!(parts[1], "here");
    }
}
