//! Extracts the part of a text around the searched words.

/// Maximum characters shown before the first searched word.
const BEFORE: usize = 60;
/// Maximum characters of a snippet; a searched word at its end is not cut.
const SHOWN: usize = 260;

/// Extracts the text around the first occurrence of any of the lowercase `words`, as alternating
/// parts: other text, a searched word, other text, and so on.
pub fn snippet(text: &str, words: &[String]) -> Vec<String> {
    // Compare characters instead of bytes, because lowercasing may change the number of bytes.
    // Each character is represented by the first character of its lowercase form.
    let characters: Vec<char> = text.chars().collect();
    let lower: Vec<char> = characters
        .iter()
        .map(|c| c.to_lowercase().next().unwrap_or(*c))
        .collect();
    let words = words.iter().filter(|word| !word.is_empty());
    let words: Vec<Vec<char>> = words.map(|word| word.chars().collect()).collect();
    let find = |word: &Vec<char>| lower.windows(word.len()).position(|part| part == word);
    let first = words.iter().filter_map(find).min();
    let from = first.unwrap_or(0).saturating_sub(BEFORE);
    let to = (from + SHOWN).min(characters.len());
    let mut parts = Vec::new();
    let mut plain = String::from(if from > 0 { "…" } else { "" });
    let mut at = from;
    while at < to {
        let here = words
            .iter()
            .filter(|word| lower[at..].starts_with(word))
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
            ("İstanbul a", vec!["a"], vec!["İst", "a", "nbul ", "a", ""]),
        ];
        for (text, words, wanted) in rows {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(snippet(text, &words), wanted, "{text}");
        }
        let long = format!("{}here{}", "x".repeat(500), "y".repeat(500));
        let parts = snippet(&long, &["here".to_owned()]);
        assert!(parts[0].starts_with('…') && parts[2].ends_with('…'));
        assert_eq!(parts[1], "here");
    }
}
