//! Values that leave a cell: each is converted completely, or rejected with an error that names its
//! kind.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use sandbox::Config;
use serde_json::{Value, json};

use crate::driver::{root, run};

/// A JavaScript expression with its JSON value, or with the kinds of its values that are rejected.
type Case = (String, Result<Value, Vec<&'static str>>);

fn leaf() -> impl Strategy<Value = Case> {
    let refused = prop::sample::select(vec![
        ("() => 1", "Function"),
        ("Symbol('s')", "Symbol"),
        ("new WeakMap()", "WeakMap"),
        ("new WeakSet()", "WeakSet"),
        ("new Set([1]).values()", "Set Iterator"),
        ("[1].values()", "Iterator"),
        ("(function* () {})()", "Generator"),
    ]);
    prop_oneof![
        8 => any::<i32>().prop_map(|number| (number.to_string(), Ok(json!(number)))),
        8 => any::<String>().prop_map(|text| {
            let source = serde_json::to_string(&text).expect("a text");
            (source, Ok(json!(text)))
        }),
        4 => any::<bool>().prop_map(|value| (value.to_string(), Ok(json!(value)))),
        4 => any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(|number| {
            (format!("{number:?}"), Ok(json!(number + 0.0)))
        }),
        4 => any::<i64>().prop_map(|number| {
            let is_safe = number.unsigned_abs() < 1 << 53;
            (format!("{number}n"), Ok(if is_safe { json!(number) } else { json!(number.to_string()) }))
        }),
        2 => prop::sample::select(vec!["NaN", "Infinity", "-Infinity"])
            .prop_map(|name| (name.to_owned(), Ok(json!(name)))),
        2 => any::<[u8; 3]>().prop_map(|bytes| {
            (format!("new Uint8Array({bytes:?})"), Ok(json!(bytes)))
        }),
        1 => refused.prop_map(|(source, kind)| (source.to_owned(), Err(vec![kind]))),
    ]
}

/// Joins the JSON values of cases, or the kinds of values that are rejected in any of them.
fn joined(cases: &[Case]) -> Result<Vec<Value>, Vec<&'static str>> {
    let refused = cases
        .iter()
        .filter_map(|(_, expected)| expected.as_ref().err());
    let refused: Vec<&str> = refused.flatten().copied().collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    Ok(cases
        .iter()
        .filter_map(|(_, expected)| expected.clone().ok())
        .collect())
}

fn sources(cases: &[Case]) -> String {
    let sources: Vec<&str> = cases.iter().map(|(source, _)| source.as_str()).collect();
    sources.join(", ")
}

fn value() -> impl Strategy<Value = Case> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        let list = prop::collection::vec(inner, 0..4);
        (list, 0..6_u8).prop_map(|(cases, form)| {
            let all = joined(&cases);
            let sources = sources(&cases);
            let named = |(number, (source, _)): (usize, &Case)| format!("k{number}: {source}");
            let names: Vec<String> = cases.iter().enumerate().map(named).collect();
            let object = |values: Vec<Value>| -> Value {
                let entries = values.into_iter().enumerate();
                entries
                    .map(|(number, value)| (format!("k{number}"), value))
                    .collect()
            };
            match form {
                0 => (format!("{{ {} }}", names.join(", ")), all.map(object)),
                1 => {
                    let entries = names
                        .iter()
                        .map(|entry| entry.split_once(": ").expect("a name"));
                    let entries: Vec<String> = entries
                        .map(|(name, source)| format!("['{name}', {source}]"))
                        .collect();
                    (
                        format!("new Map([{}])", entries.join(", ")),
                        all.map(object),
                    )
                }
                // Every entry is a separate object, so that no object occurs twice.
                2 => (
                    format!("new Set([{sources}].map((value) => [value]))"),
                    all.map(|values| values.into_iter().map(|value| json!([value])).collect()),
                ),
                3 => (
                    format!("Promise.resolve([{sources}])"),
                    all.map(Value::from),
                ),
                4 => (
                    format!("[{sources}].map(async (value) => value)"),
                    all.map(Value::from),
                ),
                _ => (format!("[{sources}]"), all.map(Value::from)),
            }
        })
    })
}

/// Whether values are equal in JavaScript, in which 5 and 5.0 are the same number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let equal = |(name, left): (&String, &Value)| {
                right.get(name).is_some_and(|right| same(left, right))
            };
            left.len() == right.len() && left.iter().all(equal)
        }
        (left, right) => left == right,
    }
}

#[test]
fn converts_values_or_names_rejected_kinds() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let repl = RefCell::new(runtime.block_on(root(Config::default(), "")));
    let cases = Cases {
        cases: 300,
        failure_persistence: None,
        ..Cases::default()
    };
    // Compare in a list, in which strings are always quoted.
    let each = |(source, expected): Case| {
        let mut repl = repl.borrow_mut();
        let outcome = runtime.block_on(run(&mut repl, &format!("return([{source}])")));
        match expected {
            Ok(value) => {
                prop_assert!(outcome.error.is_none(), "{source}: {:?}", outcome.error);
                let text = outcome.value.unwrap_or_default();
                let got: Value = serde_json::from_str(&text).expect("JSON");
                prop_assert!(same(&got, &json!([value])), "{source}: {text}");
            }
            // The error may name any of the kinds, because values in promises are inspected after
            // the values next to them.
            Err(kinds) => {
                let error = outcome.error.map(|error| error.message).unwrap_or_default();
                let is_named = |kind: &&str| error.contains(&format!(" {kind} has no form"));
                prop_assert!(kinds.iter().any(is_named), "{source}: {error}");
            }
        }
        Ok(())
    };
    TestRunner::new(cases).run(&value(), each).unwrap();
}
