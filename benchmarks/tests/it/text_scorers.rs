//! Scores of `needle/1` and `exact/2` for single answers.

use benchmarks::{Exact, Needle};
use serde_json::json;

use crate::check;

#[test]
fn needle_accepts_only_the_value() {
    const VALUE: &str = "the answer is the value";
    const ONLY: &str = "the expected value is the only 10-digit number in the answer";
    check(
        &Needle,
        &json!("1234567890"),
        &[
            ("1234567890", 1.0, VALUE),
            (" \n\t1234567890\u{a0}\n", 1.0, VALUE),
            ("\"1234567890\"", 1.0, VALUE),
            ("`'1234567890'`", 1.0, VALUE),
            ("“1234567890”", 1.0, VALUE),
            ("The registry number is 1234567890.", 1.0, ONLY),
            ("{\"answer\":1234567890}", 1.0, ONLY),
            ("1234567890 (found in paragraph 12, 1874)", 1.0, ONLY),
            ("It is 1234567890. Answer: 1234567890", 1.0, ONLY),
            ("", 0.0, "no 10-digit number in the answer \"\""),
            (
                "not found",
                0.0,
                "no 10-digit number in the answer \"not found\"",
            ),
            (
                "123456789",
                0.0,
                "no 10-digit number in the answer \"123456789\"",
            ),
            (
                "01234567890",
                0.0,
                "no 10-digit number in the answer \"01234567890\"",
            ),
            (
                "1,234,567,890",
                0.0,
                "no 10-digit number in the answer \"1,234,567,890\"",
            ),
            (
                "１２３４５６７８９０",
                0.0,
                "no 10-digit number in the answer \"１２３４５６７８９０\"",
            ),
            (
                "1234567891",
                0.0,
                "a different 10-digit number in the answer \"1234567891\"",
            ),
            (
                "1234567890 or 9876543210",
                0.0,
                "2 different 10-digit numbers in the answer, including the expected value",
            ),
            (
                "1111111111 2222222222",
                0.0,
                "2 different 10-digit numbers in the answer, but not the expected value",
            ),
        ],
    );
    check(
        &Needle,
        &json!("blue door"),
        &[
            ("'blue door'", 1.0, VALUE),
            (
                "the blue door",
                0.0,
                "the answer \"the blue door\" is not the value \"blue door\"",
            ),
        ],
    );
    check(
        &Needle,
        &json!(""),
        &[("", 0.0, "the sample's expected value is empty")],
    );
    check(
        &Needle,
        &json!(5),
        &[("5", 0.0, "the sample's expected value is not a text")],
    );
}

#[test]
fn exact_ignores_space_and_quotes() {
    const RIGHT: &str = "the answer is the expected text";
    const JSON: &str = "the answer is the expected value";
    check(
        &Exact,
        &json!("New  York"),
        &[
            ("New York", 1.0, RIGHT),
            ("\n New\u{2003}\u{a0}\tYork \r\n", 1.0, RIGHT),
            ("\"New York\"", 1.0, RIGHT),
            ("‘ New York ’", 1.0, RIGHT),
            (
                "new york",
                0.0,
                "the answer is \"new york\", expected \"New York\"",
            ),
            (
                "NewYork",
                0.0,
                "the answer is \"NewYork\", expected \"New York\"",
            ),
            (
                "New York.",
                0.0,
                "the answer is \"New York.\", expected \"New York\"",
            ),
            (
                "''New York''",
                0.0,
                "the answer is \"''New York''\", expected \"New York\"",
            ),
            (
                "\"New York'",
                0.0,
                "the answer is \"\\\"New York'\", expected \"New York\"",
            ),
            ("", 0.0, "the answer is \"\", expected \"New York\""),
        ],
    );
    check(
        &Exact,
        &json!("\"a\" and \"b\""),
        &[("\"a\" and \"b\"", 1.0, RIGHT)],
    );
    check(
        &Exact,
        &json!(""),
        &[
            ("\"\"", 1.0, RIGHT),
            ("\"", 0.0, "the answer is \"\\\"\", expected \"\""),
        ],
    );
    check(
        &Exact,
        &json!({"a": [1, 2]}),
        &[("{\"a\":[1,2]}", 1.0, JSON)],
    );
    check(&Exact, &json!(42), &[("42", 1.0, JSON)]);
    let long = "é".repeat(70);
    let cut = format!("the answer is \"{}\"…, expected \"x\"", "é".repeat(60));
    check(&Exact, &json!("x"), &[(&long, 0.0, &cut)]);
}
