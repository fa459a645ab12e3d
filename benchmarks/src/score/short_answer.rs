//! `short-answer/4`: the answer must be one of the expected texts, ignoring case, punctuation and
//! articles.

use serde_json::Value;

use super::{Score, Scorer, excerpt, expected_texts, invalid_expected, right, wrong};
use crate::Sample;
use crate::unicode::{fold_case, is_dash, is_punctuation, is_thousands_separator, plain_forms};

/// Equality of short texts, such as answers to factual questions. If a line of the answer begins
/// with `Exact Answer:`, only the rest of the last of these lines is scored; otherwise, the whole
/// answer is. The expected value is a text or a list of texts, one of which must match; a number
/// counts as a text.
///
/// Both sides are normalized in the same way:
/// - Full-width characters, digits of other scripts and similar variants are replaced with plain
///   characters, and the text is composed (Unicode NFC).
/// - Case is folded. The words `a`, `an` and `the` are removed if another word follows, so that
///   `Vitamin A` keeps its letter. Runs of white space become single spaces.
/// - Punctuation of any script is removed unless it changes the meaning: a sign or a point before a
///   number (`-5`, `.5`, `<5`), `%` after one, anything between two digits (`3.14`, `10:30`, `3/4`)
///   except thousands separators (`1,000`), `+`, `#` or `-` at the end of a word (`C++`, `C#`,
///   `A-`), and operators between two operands (`x < y`, `a/b`), where spaces around them do not
///   matter. A minus sign between letters looks like a hyphen, so it is removed.
///
/// Source: `normalize_answer` of the `SQuAD` 1.1 evaluation script
/// (<https://rajpurkar.github.io/SQuAD-explorer/>), which removes all ASCII punctuation, and the
/// answer format of `BrowseComp` (<https://arxiv.org/abs/2504.12516>). The published results for
/// `BrowseComp` and BrowseComp-Plus come from a model as judge, which accepts other wordings, so
/// this scorer gives a lower bound for them.
#[derive(Clone, Copy, Debug)]
pub struct ShortAnswer;

impl ShortAnswer {
    /// Name of the scorer with its version.
    pub const NAME: &str = "short-answer/4";
}

impl Scorer for ShortAnswer {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let texts = expected_texts(expected).unwrap_or_default();
        if texts.is_empty() {
            Some("is neither a text nor a list of texts")
        } else if texts.iter().any(|text| normal(text).is_empty()) {
            Some("has a text with only white space and punctuation")
        } else {
            None
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = expected_texts(&sample.expected).unwrap_or_default();
        let Some(first) = expected.first() else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        let exact = |line: &str| {
            let line = line.trim().trim_matches('*').to_owned();
            line.strip_prefix("Exact Answer:").map(str::to_owned)
        };
        let stated = answer.lines().rev().find_map(exact);
        let found = normal(stated.as_deref().unwrap_or(answer));
        if !found.is_empty() && expected.iter().any(|text| normal(text) == found) {
            return right("the answer is an expected text");
        }
        wrong(format!(
            "the answer is {}, expected {}",
            excerpt(&found),
            excerpt(first)
        ))
    }
}

/// Characters that are kept between two operands, alone or in sequence (`!=`, `>=`).
const OPERATORS: &str = "<>=!^+*/";

fn normal(text: &str) -> String {
    let letters: Vec<char> = fold_case(&plain_forms(text)).chars().collect();
    let mut joined = String::with_capacity(text.len());
    let mut rest = letters.as_slice();
    while let Some((operand, operator, after)) = split_at_operator(rest) {
        joined.push_str(significant(operand).trim());
        joined.extend(operator);
        rest = after;
    }
    joined.push_str(significant(rest).trim_start());
    let words: Vec<&str> = joined.split_whitespace().collect();
    let is_counted = |(at, word): &(usize, &&str)| {
        at + 1 == words.len() || !matches!(**word, "a" | "an" | "the")
    };
    let counted = words.iter().enumerate().filter(is_counted);
    counted.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

/// Splits a text at its first operator between two operands into the text before it, the operator,
/// and the text after it.
fn split_at_operator(letters: &[char]) -> Option<(&[char], &[char], &[char])> {
    let is_part = |letter: &char| OPERATORS.contains(*letter);
    let is_space = |letter: &char| letter.is_whitespace() && *letter != '\n';
    let mut end = 0;
    loop {
        let start = end + letters[end..].iter().position(is_part)?;
        let is_end = |letter: &char| !is_part(letter);
        end = letters[start..].iter().position(is_end)? + start;
        let (before, operator, after) = (&letters[..start], &letters[start..end], &letters[end..]);
        let left = before.iter().rposition(|letter| !is_space(letter));
        let right = after.iter().position(|letter| !is_space(letter));
        let (Some(left), Some(right)) = (left, right) else {
            continue;
        };
        let is_operand = (before[left].is_alphanumeric() || matches!(before[left], ')' | ']'))
            && (after[right].is_alphanumeric() || matches!(after[right], '(' | '[' | '-' | '.'));
        // `C++ and`, `**Rome**`, `1. /tmp`: other signs with a space on one side only.
        let is_even = (left + 1 == before.len()) == (right == 0);
        let compares = operator
            .iter()
            .any(|letter| matches!(letter, '<' | '>' | '='));
        if is_operand && (compares || (is_even && operator != ['!'])) {
            return Some((before, operator, after));
        }
    }
}

/// Removes punctuation that does not change the meaning.
fn significant(letters: &[char]) -> String {
    let mut kept = String::with_capacity(letters.len());
    // Whether the previous character is part of a word.
    let mut is_after_word = false;
    for (at, &letter) in letters.iter().enumerate() {
        let neighbors = Neighbors {
            letters,
            at,
            is_after_word,
        };
        if !neighbors.keeps(letter) {
            is_after_word = false;
            continue;
        }
        if matches!(letter, '%' | '‰') {
            kept.truncate(kept.trim_end().len());
        }
        is_after_word = letter.is_alphanumeric() || (is_after_word && "+#".contains(letter));
        kept.push(match letter {
            '’' => '\'',
            _ if is_dash(letter) => '-',
            _ => letter,
        });
    }
    kept
}

/// Characters around a position.
struct Neighbors<'a> {
    letters: &'a [char],
    at: usize,
    is_after_word: bool,
}

impl Neighbors<'_> {
    fn next(&self, by: usize) -> Option<char> {
        self.letters.get(self.at + by).copied()
    }

    fn previous(&self) -> Option<char> {
        Some(self.letters[self.at.checked_sub(1)?])
    }

    /// Whether a character belongs to a word, or is punctuation that changes the meaning.
    fn keeps(&self, letter: char) -> bool {
        let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        if is_digit(self.previous()) && is_digit(self.next(1)) {
            return !(is_thousands_separator(letter) && self.is_thousands());
        }
        if !is_punctuation(letter) {
            return true;
        }
        let is_word_start = self.previous().is_none_or(char::is_whitespace);
        match letter {
            '+' => self.is_after_word || self.is_before_number(),
            '#' => self.is_after_word,
            '%' | '‰' => {
                let before = &self.letters[..self.at];
                let number = before.iter().rev().find(|letter| !letter.is_whitespace());
                is_digit(number.copied())
            }
            '-' if self.previous().is_some_and(char::is_alphabetic) => self
                .next(1)
                .is_none_or(|next| !next.is_alphanumeric() && !is_dash(next)),
            '-' => !self.is_after_word && self.is_before_number(),
            '–' | '<' | '>' => is_word_start && self.is_before_number(),
            '.' => !self.is_after_word && self.previous() != Some('.') && is_digit(self.next(1)),
            _ => false,
        }
    }

    /// Whether a number follows, possibly after a currency symbol.
    fn is_before_number(&self) -> bool {
        let skipped = usize::from(self.next(1).is_some_and(|next| "$€£¥".contains(next)));
        let is_digit = |by: usize| {
            self.next(skipped + by)
                .is_some_and(|next| next.is_ascii_digit())
        };
        is_digit(1) || (self.next(skipped + 1) == Some('.') && is_digit(2))
    }

    /// Whether one to three digits precede and exactly three follow.
    fn is_thousands(&self) -> bool {
        let digits = |letters: &mut dyn Iterator<Item = &char>| {
            letters
                .take(4)
                .take_while(|letter| letter.is_ascii_digit())
                .count()
        };
        digits(&mut self.letters[..self.at].iter().rev()) <= 3
            && digits(&mut self.letters[self.at + 1..].iter()) == 3
    }
}
