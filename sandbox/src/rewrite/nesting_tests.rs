//! Checks code whose nesting is just below or above the limits.

use super::{MAX_BRACKETS, MAX_READINGS, MAX_TOKENS, check};

/// Checks code that consists of `n` copies of `before`, one `middle`, and `n` copies of `after`.
/// Returns whether it is accepted.
fn is_accepted(before: &str, middle: &str, after: &str, n: usize) -> bool {
    check(&format!("{}{middle}{}", before.repeat(n), after.repeat(n))).is_ok()
}

#[test]
fn counts_nesting_tokens() {
    for (before, middle, after, most) in [
        ("(", "1", ")", MAX_BRACKETS),
        ("[", "", "]", MAX_BRACKETS),
        ("{", "", "}", MAX_BRACKETS),
        ("f(a, ", "1", ")", MAX_BRACKETS),
        ("`${", "1", "}`", MAX_BRACKETS),
        ("({a: ", "1", "})", MAX_BRACKETS / 2),
        ("function f() {", "", "}", MAX_BRACKETS),
        ("!", "1", "", MAX_TOKENS - 1),
        ("- ", "1", "", MAX_TOKENS - 1),
        ("typeof ", "1", "", MAX_TOKENS - 1),
        ("typeof\n", "1", "", MAX_TOKENS - 1),
        ("new ", "x", "", MAX_TOKENS - 1),
        ("1+", "1", "", MAX_TOKENS / 2 - 1),
        ("a=>", "1", "", MAX_TOKENS / 2 - 1),
        ("a\n=\n", "1", "", MAX_TOKENS / 2 - 1),
        ("a?b:", "1", "", MAX_TOKENS / 4 - 1),
        (".b", "", "", MAX_TOKENS / 2),
        (".\nb", "", "", MAX_TOKENS / 2),
        ("for\nawait (a of b)\n", "", "", MAX_TOKENS / 3),
        ("[0]", "", "", MAX_TOKENS - 1),
        ("()", "", "", MAX_TOKENS),
        ("``", "", "", MAX_TOKENS),
        ("if(a)", ";", "", MAX_TOKENS / 2),
        ("if(a) b; else ", ";", "", MAX_TOKENS / 4),
        ("if(a) {} else ", ";", "", MAX_TOKENS / 4),
        ("if(a)\nb\nelse\n", ";", "", MAX_TOKENS / 4),
        ("do ", ";", " while (0)", MAX_TOKENS / 3),
        ("a: ", ";", "", MAX_TOKENS / 2),
        ("a: b, ", ";", "", MAX_TOKENS - 3),
        ("class A\nextends ", "B", "{}", MAX_TOKENS / 4),
        ("for(;;)", ";", "", MAX_TOKENS / 2),
    ] {
        // `middle` also counts.
        let near = 4;
        assert!(
            is_accepted(before, middle, after, most - near),
            "{before:?} {most} times"
        );
        assert!(
            !is_accepted(before, middle, after, most + near),
            "{before:?} {most} times"
        );
    }
}

#[test]
fn ignores_tokens_without_nesting() {
    for text in [
        "a = 1;",
        "a = 1\n",
        "f(1)\n",
        "f(1);",
        "if (a) { b }\n",
        "if (a) { b } ",
        "if (a) b; ",
        "while (a) b; a();\n",
        "function f() { return 1 }\n",
        "class A { b() {} c() {} }\n",
        "// (((\n",
        "/* ((( */",
        "'(((';",
        "\"(((\";",
        "`(((`;",
        "/(((/.test(a);",
        "a / b; c / d;",
        "a.if / b;\n",
        "x = a++ / b;\n",
        "x = {}; /(/;",
        "const [a, b] = c, {d} = e;\n",
        "'\\\r\n(((';",
    ] {
        assert!(is_accepted(text, "", "", 6000), "{text:?}");
    }
    assert!(
        is_accepted("", "[", &"{a: 1, b: [2, 3]},\n".repeat(3000), 1),
        "a table"
    );
    assert!(
        is_accepted("", "x = {", &"a: [1, 2],\n".repeat(9000), 1),
        "a dictionary"
    );
}

/// No prefix can hide the brackets after it.
#[test]
fn counts_brackets_after_any_prefix() {
    let brackets = "(".repeat(MAX_BRACKETS + 1);
    for before in [
        "'\\'' + \"\\\\\" + `\\`\\${`",
        "/\"/",
        "/[/']/",
        "/\\//",
        "if (a) /'/.b",
        "while (a) /'/.b",
        "for await (a of b) /'/.b",
        "{} /'/.b",
        "x = {} / 1",
        "x = {} /'/ ",
        "a\n++ /'/.b",
        "a.if (b) / '/' / c",
        "a.return / '/'",
        "#return / '/'",
        "await /'/.b",
        "await / '/' ",
        "(a) / '/' ",
        "return /'/.b",
        "`${'`'}` + `${{a: `${1}`}.a}`",
        "`${/`/}`",
        "1./ '/' / 2",
        "1.5.b / '/'",
        ".../'/",
        "a <!-- ' \n",
        "a\n--> ' \n",
        "a\n/* */ --> ' \n",
        "/*\n*/ --> ' \n",
        "a // '\u{2028}",
        "a\u{a0}/ '/'",
        "typeof\u{a0}/'/.b",
        "\\u{69}f (a) /'/.b",
        "\\u0061wait /'/.b",
        "}); (async () => {",
        "case /'/.b:",
        "x => {} /'/.b",
        "'\u{2028}'",
    ] {
        let text = format!("(async()=>{{{before} {brackets} ' \" ` /");
        assert!(check(&text).is_err(), "{before:?} hides what follows");
    }
}

#[test]
fn rejection_reports_offset_and_limit() {
    let deep = check(&format!("x =\n {}", "[".repeat(1000))).unwrap_err();
    assert_eq!(
        (deep.at, deep.message.as_str()),
        (
            5 + MAX_BRACKETS + 1,
            "the code is nested too deeply: 500 brackets inside each other are the limit"
        )
    );
    let long = check(&"!".repeat(20_000)).unwrap_err();
    assert_eq!(
        (long.at, long.message.as_str()),
        (
            MAX_TOKENS + 1,
            "the code is nested too deeply: 10000 operators and names in one statement are the limit; split it up"
        )
    );
    let line = check(&"name; ".repeat(50_000)).unwrap_err();
    assert_eq!(
        line.message,
        "the line is too long for so many names; break it into several"
    );
    assert!(check(&"name;\n".repeat(50_000)).is_ok());
    let unclear = check(&"{} /a/ 1;\n".repeat(MAX_READINGS)).unwrap_err();
    assert!(
        unclear.message.starts_with("cannot tell divisions"),
        "{}",
        unclear.message
    );
}
