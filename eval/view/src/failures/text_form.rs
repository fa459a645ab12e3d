//! Replaces numbers and ids in error messages, so that occurrences of the same error have the same
//! text.

use model::excerpt;

/// Returns at most `most` characters of a text, with `#` in place of each number and each id. An id
/// is a word of at least eight bytes that contains letters and digits.
pub fn without_numbers(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut word = String::new();
    for character in text.trim().chars() {
        if character.is_alphanumeric() {
            word.push(character);
            continue;
        }
        push(&mut plain, &word);
        word.clear();
        let character = if character.is_whitespace() {
            ' '
        } else {
            character
        };
        if !(character == ' ' && plain.ends_with(' ')) {
            plain.push(character);
        }
        if plain.len() > most * 4 {
            break;
        }
    }
    push(&mut plain, &word);
    // A text without letters keeps its numbers, because little else would remain.
    if !plain.contains(char::is_alphabetic) {
        text.trim().clone_into(&mut plain);
    }
    excerpt(&plain, most)
}

fn push(plain: &mut String, word: &str) {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let is_id = digits > 0 && digits < word.len() && word.len() >= 8;
    if is_id || digits > 0 && digits == word.len() {
        // `1.5`, `1,234` and `12:30` each count as one number.
        for joined in ["#.", "#,", "#:"] {
            if plain.ends_with(joined) {
                plain.pop();
                return;
            }
        }
        plain.push('#');
        return;
    }
    let mut within = false;
    for character in word.chars() {
        let digit = character.is_ascii_digit();
        if !digit {
            plain.push(character);
        } else if !within {
            plain.push('#');
        }
        within = digit;
    }
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn removes_numbers_and_ids() {
        let rows = [
            ("503 Service Unavailable", "# Service Unavailable"),
            (
                "the attempt took 90.25 s of 90 s\n  and more",
                "the attempt took # s of # s and more",
            ),
            (
                "request req_0a1b2c3d4e failed at 12:30:05",
                "request req_# failed at #",
            ),
            ("1,234 tokens; d1-c10, x", "# tokens; d#-c#, x"),
            ("", ""),
            (" 503\n", "503"),
            ("ends with 5.", "ends with #."),
        ];
        for (text, wanted) in rows {
            assert_eq!(without_numbers(text, 80), wanted, "{text}");
        }
        assert_eq!(without_numbers("abcdefghij", 4), "abcd…");
    }
}
