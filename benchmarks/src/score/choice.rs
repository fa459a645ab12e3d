//! `choice/1`: the answer names the right one of several lettered choices.

use serde_json::Value;

use super::{Score, Scorer, excerpt, right, unfit, wrong};
use crate::Sample;

/// Multiple choice among A to D; where the expected letter is a later one, among A to that. Every `*` is taken out of
/// the answer. Then the letter is the one in
/// 1. the first `The correct answer is (B)`, or else
/// 2. the first `The correct answer is B`, or else
/// 3. an answer that is nothing but the letter, perhaps in brackets or quotes, or before a full stop: `B`, `(B)`, `"b."`.
///
/// Source: 1 and 2 are `extract_answer` of `pred.py` in <https://github.com/THUDM/LongBench> (version 2), read in copies that
/// other projects keep; as there, upper and lower case differ in them. 3 is an addition, for an agent returns the bare letter.
#[derive(Clone, Copy, Debug)]
pub struct Choice;

impl Choice {
    /// The scorer's name with its version.
    pub const NAME: &str = "choice/1";
}

impl Scorer for Choice {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn misfit(&self, expected: &Value) -> Option<&'static str> {
        letter(expected).is_none().then_some("is no letter")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Some(expected) = letter(&sample.expected) else {
            return unfit(self.misfit(&sample.expected));
        };
        let answer = answer.replace('*', "");
        match chosen(&answer, expected.max('D')) {
            Some(letter) if letter == expected => right(format!("the answer is {letter}")),
            Some(letter) => wrong(format!("the answer is {letter}, expected is {expected}")),
            None => wrong(format!(
                "no choice in the answer {}",
                excerpt(answer.trim())
            )),
        }
    }
}

fn letter(expected: &Value) -> Option<char> {
    expected.as_str().and_then(single)
}

fn chosen(answer: &str, last: char) -> Option<char> {
    let letters = || {
        let ends = answer.split("The correct answer is ").skip(1);
        ends.filter_map(move |end| {
            let mut letters = end.chars();
            Some((letters.next()?, letters.next(), letters.next()))
        })
    };
    let is_choice = |letter: &char| ('A'..=last).contains(letter);
    let bracketed = |(first, second, third): (char, Option<char>, Option<char>)| {
        (first == '(' && third == Some(')')).then_some(second?)
    };
    letters()
        .filter_map(bracketed)
        .find(is_choice)
        .or_else(|| letters().map(|(first, ..)| first).find(is_choice))
        .or_else(|| single(answer).filter(is_choice))
}

/// The letter that is all of a text but for brackets, quotes, full stops and white space around it, in upper case.
fn single(text: &str) -> Option<char> {
    let around = |letter: char| letter.is_whitespace() || "()[]{}\"'`.".contains(letter);
    let mut letters = text.trim_matches(around).chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => Some(letter.to_ascii_uppercase()),
        _ => None,
    }
}
