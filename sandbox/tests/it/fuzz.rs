//! Random cells: any text must result in an outcome and never crash, and rewriting must not change
//! the meaning of a valid cell.
//!
//! `PROPTEST_CASES=100000 cargo test -p sandbox fuzz` tries more cells.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use sandbox::Config;

use crate::driver::{root, run};

/// Time after which a cell is considered to hang: hundreds of times its limits.
const NEVER: std::time::Duration = std::time::Duration::from_secs(120);

/// Returns a configuration with `plain` cases, unless `PROPTEST_CASES` sets another number.
fn cases(plain: u32) -> Cases {
    let wanted = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    Cases {
        cases: wanted.unwrap_or(plain),
        failure_persistence: None,
        ..Cases::default()
    }
}

/// Generates pieces of JavaScript in random order, often close to a valid program.
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "const ",
        "let ",
        "var ",
        "x",
        "y",
        "f",
        "=",
        "=>",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "\n",
        "...",
        "function ",
        "class ",
        "return ",
        "await ",
        "async ",
        "for",
        "if",
        "else ",
        "of ",
        "in ",
        "typeof ",
        "`",
        "${",
        "'",
        "\"",
        "/",
        "//",
        "/*",
        "*/",
        "1",
        ".",
        "?.",
        "??",
        ":",
        "new ",
        "this",
        "yield ",
        "static ",
        "get ",
        "#p",
        "eval",
        "arguments",
        "\u{2028}",
        "\\u0061",
        "try",
        "catch",
        "label:",
        "break ",
        "import(",
        "é",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

#[test]
fn any_text_has_an_outcome() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut config = Config::default();
    config.limits.cell_time = std::time::Duration::from_millis(200);
    config.limits.timer_timeout = std::time::Duration::from_millis(50);
    let repl = RefCell::new(runtime.block_on(root(config, "")));
    TestRunner::new(cases(1_500))
        .run(&soup(), |cell| {
            let mut repl = repl.borrow_mut();
            let outcome = run(&mut repl, &cell);
            let bounded = async { tokio::time::timeout(NEVER, outcome).await };
            prop_assert!(
                runtime.block_on(bounded).is_ok(),
                "the cell has no outcome: {cell:?}"
            );
            Ok(())
        })
        .unwrap();
    let after = runtime.block_on(run(&mut repl.borrow_mut(), "console.log('alive')"));
    assert_eq!(after.output, "alive");
}

/// Generates small programs over the names `a`, `b` and `c` that are valid both at the top level
/// and in a function.
fn program() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let leaf = prop_oneof![
        name().prop_map(str::to_owned),
        (0..10_i32).prop_map(|n| n.to_string()),
        Just("'s'".to_owned()),
    ];
    let expression = leaf.prop_recursive(3, 12, 3, move |inner| {
        let name = prop::sample::select(vec!["a", "b", "c"]);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} + {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("[{x}, {y}].length")),
            inner.clone().prop_map(|x| format!("((a) => a + {x})(1)")),
            inner
                .clone()
                .prop_map(|x| format!("(function b() {{ return typeof b + {x} }})()")),
            (name.clone(), inner.clone()).prop_map(|(n, x)| format!("({n} = {x})")),
            name.clone().prop_map(|n| format!("`${{{n}}}`")),
            name.clone().prop_map(|n| format!("typeof {n}")),
            name.clone().prop_map(|n| format!("({{ {n} }}).{n}")),
            name.prop_map(|n| format!("f({n})")),
            inner.prop_map(|x| format!(
                "(() => {{ let c = {x}; {{ let c = 0; c++ }} return c }})()"
            )),
        ]
    });
    let expression = expression.boxed();
    let statement = prop_oneof![
        (name(), expression.clone()).prop_map(|(n, x)| format!("{n} = {x}")),
        (name(), expression.clone()).prop_map(|(n, x)| format!("{n} += {x};")),
        (name(), name(), expression.clone())
            .prop_map(|(n, m, x)| format!("[{n}, {m}] = [{x}, {n}];")),
        (name(), expression.clone()).prop_map(|(n, x)| format!("({{ x: {n} = {x} }} = {{}});")),
        (name(), expression.clone())
            .prop_map(|(n, x)| format!("for (let i = 0; i < 2; i++) {{ {n} = {x} + i }}")),
        (name(), expression.clone()).prop_map(|(n, x)| format!("for ({n} of [{x}, 1]) g(a)")),
        (name(), expression.clone())
            .prop_map(|(n, x)| format!("{{ let {n} = {x}; b = typeof {n} }}")),
        (name(), expression.clone())
            .prop_map(|(n, x)| format!("if ({x}) {{ var v = {x}; {n} = v }} else {n}++")),
        (name(), expression.clone())
            .prop_map(|(n, x)| format!("try {{ throw {x} }} catch ({n}) {{ a = {n} }}")),
        (name(), expression)
            .prop_map(|(n, x)| format!("switch ({n}) {{ case 1: c = {x}; default: {n} = 2 }}")),
    ];
    prop::collection::vec(statement, 1..6).prop_map(|statements| {
        format!(
            "let a = 1, b = 'two'; var c = [3]\nfunction f(x) {{ return x + 'f' }}\nconst g = (x) => x\n{}\n",
            statements.join("\n")
        )
    })
}

#[test]
fn rewriting_preserves_meaning() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    TestRunner::new(cases(300))
        .run(&program(), |program| {
            let show = "JSON.stringify([a, b, c])";
            let inside = format!("console.log((() => {{ {program}\nreturn {show} }})())");
            let outside = format!("{program}\nconsole.log({show})");
            let later = format!("console.log({show})");
            let (inside, outside, later) = runtime.block_on(async {
                let mut repl = root(Config::default(), "").await;
                let inside = run(&mut repl, &inside).await;
                let outside = run(&mut repl, &outside).await;
                (inside, outside, run(&mut repl, &later).await)
            });
            // Compare only the name of the error, because its message may quote the code, which
            // differs.
            let message = |o: &sandbox::message::CellOutcome| {
                let text = o.error.as_ref().map(|e| e.message.clone());
                text.map(|text| text.split(':').next().unwrap_or_default().to_owned())
            };
            prop_assert_eq!(message(&inside), message(&outside));
            prop_assert_eq!(&inside.output, &outside.output);
            if outside.error.is_none() {
                prop_assert_eq!(&outside.output, &later.output);
            }
            Ok(())
        })
        .unwrap();
}
