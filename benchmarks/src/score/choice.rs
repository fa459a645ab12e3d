//! `choice/2`: the answer must name the correct choice by its letter.

use serde_json::Value;

use super::{Score, Scorer, excerpt, invalid_expected, right, unreadable, wrong};
use crate::Sample;
use crate::unicode::plain_forms;

/// Multiple choice among A to D, or A to the expected letter if that is beyond D. `*` and `_`
/// around words are ignored. The letter is taken from the first of these forms that the answer
/// contains:
/// 1. the first `The correct answer is (B)`,
/// 2. the first `The correct answer is B`,
/// 3. the last `\boxed{B}`,
/// 4. the last `Answer: B` or `answer is B`, in upper or lower case,
/// 5. an answer that begins with the letter and a delimiter: `B) Paris`, `B. Paris`, `B: Paris`,
///    `(B) Paris`, `B - Paris`,
/// 6. an answer or a last line that consists only of the letter: `B`, `(B)`, `"b."`, `B,`, `Option
///    B`.
///
/// In 3 to 6, several letters (`A or B`, `A, B`) are not a choice. An answer without any of these
/// forms is unreadable.
///
/// Source: 1 and 2 are `extract_answer` of `pred.py` in <https://github.com/THUDM/LongBench>
/// (version 2), taken from copies in other projects. Like the original, they are case-sensitive.
/// The other forms were added because agents also answer in them.
#[derive(Clone, Copy, Debug)]
pub struct Choice;

impl Choice {
    /// Name of the scorer with its version.
    pub const NAME: &str = "choice/2";
}

impl Scorer for Choice {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        letter(expected).is_none().then_some("is not a letter")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Some(expected) = letter(&sample.expected) else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        let plain: String = plain_forms(answer)
            .chars()
            .filter(|letter| !matches!(letter, '*' | '_'))
            .collect();
        match chosen(&plain, expected.max('D')) {
            Some(letter) if letter == expected => right(format!("the answer is {letter}")),
            Some(letter) => wrong(format!("the answer is {letter}, expected {expected}")),
            None => unreadable(format!("no choice in the answer {}", excerpt(plain.trim()))),
        }
    }
}

fn letter(expected: &Value) -> Option<char> {
    let mut letters = expected.as_str()?.trim_matches(is_around).chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => Some(letter.to_ascii_uppercase()),
        _ => None,
    }
}

fn chosen(answer: &str, last: char) -> Option<char> {
    let is_choice = |letter: &char| ('A'..=last).contains(letter);
    let after_prefix = || {
        let ends = answer.split("The correct answer is ").skip(1);
        ends.filter_map(move |end| {
            let mut letters = end.chars();
            Some((letters.next()?, letters.next(), letters.next()))
        })
    };
    let bracketed = |(first, second, third): (char, Option<char>, Option<char>)| {
        (first == '(' && third == Some(')')).then_some(second?)
    };
    let choice = |text: &str, form: Form| read(text, form).filter(is_choice);
    let boxes = answer.matches("\\boxed{").count();
    after_prefix()
        .filter_map(bracketed)
        .find(is_choice)
        .or_else(|| after_prefix().map(|(first, ..)| first).find(is_choice))
        .or_else(|| {
            let mut boxed = answer.rsplit("\\boxed{").take(boxes);
            boxed.find_map(|text| {
                let text = text.trim_start();
                choice(text.strip_prefix("\\text{").unwrap_or(text), Form::Stated)
            })
        })
        .or_else(|| statements(answer).find_map(|text| choice(text, Form::Stated)))
        .or_else(|| choice(answer, Form::Beginning))
        .or_else(|| choice(answer.trim_end().lines().next_back()?, Form::Alone))
}

/// Context of a letter, which determines what may follow the letter.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// After words such as `answer is`. `A` and lowercase letters may be words, so a delimiter or a
    /// reason (`because`) must follow them.
    Stated,
    /// At the beginning of the answer, followed by a delimiter or the end of the line.
    Beginning,
    /// On its own line.
    Alone,
}

/// Nouns that may precede a letter or be the subject of a statement.
const NOUNS: [&str; 4] = ["answer", "option", "choice", "答案"];

/// Returns the texts after `answer is`, `Answer:` and similar words, last first.
fn statements(answer: &str) -> impl Iterator<Item = &str> {
    let lower = answer.to_ascii_lowercase();
    let mut ends: Vec<usize> = NOUNS
        .iter()
        .flat_map(|noun| lower.match_indices(noun).map(|(at, _)| at + noun.len()))
        .collect();
    ends.sort_unstable();
    ends.into_iter().rev().filter_map(|end| {
        let rest = answer[end..].trim_start_matches([' ', '"', '\'', '`']);
        let verb = ["is ", "is:", "是", ":", "="];
        let rest = verb.iter().find_map(|verb| rest.strip_prefix(verb))?;
        Some(rest.trim_start_matches([' ', ':', '\n']))
    })
}

/// Returns the single letter at the beginning of a text, in upper case.
fn read(text: &str, form: Form) -> Option<char> {
    let text = text.trim_start_matches(is_around);
    let text = NOUNS
        .iter()
        .find_map(|noun| {
            let head = text.get(..noun.len())?;
            head.eq_ignore_ascii_case(noun)
                .then(|| text[noun.len()..].trim_start_matches(is_around))
        })
        .unwrap_or(text);
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = &text[1..];
    let next = rest.chars().next();
    let is_word =
        next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '\'' | '’' | '-'));
    if is_word || is_one_of_several(letter, rest) {
        return None;
    }
    let after = rest.trim_start_matches([' ', '\t']);
    let is_delimited = match next {
        None
        | Some(
            ')' | ']' | '}' | ':' | ',' | ';' | '"' | '`' | '\n' | '\r' | '$' | '\\' | '。' | '、',
        ) => true,
        Some('.') => !rest[1..].starts_with(char::is_alphanumeric),
        _ => after.is_empty() || after.starts_with(['-', '–', '—', '\n', '\r', ':']),
    };
    let fits = match form {
        Form::Alone => rest
            .trim_matches(|letter| is_around(letter) || ",;:".contains(letter))
            .is_empty(),
        Form::Beginning => is_delimited,
        Form::Stated => {
            let is_article = letter.eq_ignore_ascii_case(&'a') || letter.is_ascii_lowercase();
            let explains = ["because", "since", "as "]
                .iter()
                .any(|word| after.starts_with(word));
            is_delimited || explains || !is_article
        }
    };
    fits.then(|| letter.to_ascii_uppercase())
}

/// Whether another letter follows after `or`, `and`, a comma or similar.
fn is_one_of_several(letter: char, rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', ')', ']', '}', '.', '"', '\'', '`']);
    let separators = [
        ", or ", ", and ", "or ", "and ", ",", "/", "&", ";", "+", "|",
    ];
    let Some(other) = separators
        .iter()
        .find_map(|separator| rest.strip_prefix(separator))
    else {
        return false;
    };
    let mut letters = other.trim_start_matches(is_around).chars();
    let (first, second) = (letters.next(), letters.next());
    first.is_some_and(|first| {
        first.is_ascii_alphabetic()
            && first.is_ascii_uppercase() == letter.is_ascii_uppercase()
            && !first.eq_ignore_ascii_case(&letter)
    }) && second.is_none_or(|second| !second.is_alphanumeric() && second != '\'')
}

/// Whether a character may surround a letter: a bracket, a quote, a full stop or white space.
fn is_around(letter: char) -> bool {
    letter.is_whitespace() || "()[]{}\"'`.$“”‘’【】「」。".contains(letter)
}
