//! Checks the complete text of rewritten cells.

use super::{EarlierNames, RUNTIME, SCOPE, remove_rewriter_names, rewrite};

fn check(source: &str, expected: &str) {
    let earlier = EarlierNames {
        lexical: ["lexical".to_owned()].into(),
        ..EarlierNames::default()
    };
    let got = match rewrite(source, &earlier) {
        Ok(cell) => cell
            .script
            .replace(SCOPE, "$")
            .replace(RUNTIME, "R")
            .strip_prefix("($,R)=>async()=>{")
            .and_then(|rest| rest.strip_suffix("\n}").map(str::to_owned))
            .unwrap_or(cell.script),
        Err(error) => error.to_string(),
    };
    assert_eq!(got, expected, "for the cell {source:?}");
}

#[test]
fn rewrites_cells_to_scripts() {
    for (source, expected) in [
        ("const a = 1", ";($.a = 1)"),
        ("let a, b = 2;", ";$.a=void 0, ($.b = 2);"),
        ("var a", ";R.declare($,[\"a\"]);;$.a"),
        (
            "const {a, b: [c], d = 1, ...e} = o",
            ";({a:$.a, b: [$.c], d:$.d = 1, ...$.e} = $.o)",
        ),
        ("const f = () => 1", ";($.f = {[\"f\"]:() => 1}[\"f\"])"),
        ("f = function(){}", ";$.f = {[\"f\"]:function(){}}[\"f\"]"),
        (
            "function f(x){ return f(x) + y }",
            ";$.f=f;function f(x){ return (0,$.f)(x) + $.y }",
        ),
        (
            "class A { static one = new A() }",
            ";$.A=class A { static one = new A() };",
        ),
        ("class A {}; new A", ";$.A=class A {};; ;new $.A"),
        (
            "for (let i = 0; i < n; i++) f(i)",
            "for (let i = 0; i < $.n; i++) (0,$.f)(i)",
        ),
        (
            "for (var i = 0; i < 3; i++);",
            ";R.declare($,[\"i\"]);for (($.i = 0); $.i < 3; $.i++);",
        ),
        (
            "for (const x of xs) { y = x }",
            "for (const x of $.xs) { ;$.y = x }",
        ),
        (
            "for (var [k, v] of m);",
            ";R.declare($,[\"k\",\"v\"]);for ([$.k, $.v] of $.m);",
        ),
        ("{ let x = 1; x }", "{ let x = 1; ;x }"),
        (
            "if (c) var x = 1; else g()",
            ";R.declare($,[\"x\"]);if ($.c) ($.x = 1); else (0,$.g)()",
        ),
        ("f(1)", ";await (0,$.f)(1)"),
        ("(f)(1)", ";await ((0,$.f))(1)"),
        ("o?.f(1)", ";await $.o?.f(1)"),
        ("console.log(1)", ";$.console.log(1)"),
        ("a\nf()", ";$.a\n;await (0,$.f)()"),
        ("[1].map(x => f(x))", ";await [1].map(x => (0,$.f)(x))"),
        ("x = {a, b: a, Math}", ";$.x = {a:$.a, b: $.a, Math}"),
        ("x = {__proto__}", ";$.x = {[\"__proto__\"]:$.__proto__}"),
        ("({a, b = 2} = o)", ";({a:$.a, b:$.b = 2} = $.o)"),
        ("[a, b] = [b, a]", ";[$.a, $.b] = [$.b, $.a]"),
        (
            "typeof x === 'number'",
            ";typeof (\"x\" in $?$.x:void 0) === 'number'",
        ),
        ("typeof Math", ";typeof Math"),
        (
            "return(x)",
            "return R.returned(await ((x)))"
                .replace("(x)", "($.x)")
                .as_str(),
        ),
        ("if (a) return", "if ($.a) return R.returned()"),
        (
            "const g = () => { return 1 }",
            ";($.g = {[\"g\"]:() => { return 1 }}[\"g\"])",
        ),
        ("const c = 1; c = 2", ";($.c = 1); ;R.constant.c = 2"),
        ("const Map = 5; Map", ";($.Map = 5); ;$.Map"),
        ("arguments", ";$.arguments"),
        (
            "function f(){ return arguments }",
            ";$.f=f;function f(){ return arguments }",
        ),
        (
            "eval('1'); x => eval(x)",
            ";await (0,eval)('1'); ;x => (0,eval)(x)",
        ),
        (
            "'use strict'\nx = 1; y; x++",
            "'use strict'\n;R.known($,\"x\").x = 1; ;$.y; ;R.known($,\"x\").x++",
        ),
        (
            "const {a = () => 1} = o; b ||= class {}; [c = x => x] = []",
            ";({a:$.a = {[\"a\"]:() => 1}[\"a\"]} = $.o); ;$.b ||= {[\"b\"]:class {}}[\"b\"]; ;[$.c = {[\"c\"]:x => x}[\"c\"]] = []",
        ),
        ("f`a${b}`", ";(0,$.f)`a${$.b}`"),
        (
            "{ function f(){ f() } } f",
            ";R.declare($,[\"f\"]);{ function f(){ ;f() };$.f=f; } ;$.f",
        ),
        (
            "let f; { function f(){} }",
            ";$.f=void 0; { function f(){} }",
        ),
        ("{ function lexical(){} }", "{ function lexical(){} }"),
        (
            "if (c) function f(){} else g()",
            ";R.declare($,[\"f\"]);if ($.c) {function f(){};$.f=f;} else (0,$.g)()",
        ),
        ("a: function f(){}", ";$.f=f;a: function f(){}"),
        (
            "try {} catch (e) { var e = 1; e }",
            ";R.declare($,[\"e\"]);try {} catch (e) { ;(e = 1); ;e }",
        ),
        ("label: for (;;) break label", "label: for (;;) break label"),
        ("x++; x += 1; delete x", ";$.x++; ;$.x += 1; ;delete $.x"),
        (
            "delete globalThis.x; delete globalThis.lexical",
            ";delete (delete $.x,globalThis).x; ;delete globalThis.lexical",
        ),
        (
            "let own; delete globalThis.own; delete other.x; { let globalThis = own; delete globalThis.x }",
            ";$.own=void 0; ;delete globalThis.own; ;delete $.other.x; { let globalThis = $.own; ;delete globalThis.x }",
        ),
        (
            "try { throw e } catch (e) { e }",
            "try { throw $.e } catch (e) { ;e }",
        ),
        ("// comment", "// comment"),
        ("", ""),
    ] {
        check(source, expected);
    }
}

#[test]
fn syntax_errors_contain_line_and_column() {
    for (source, expected) in [
        (
            "const = 1",
            "SyntaxError: Unexpected token (line 1, column 7)",
        ),
        (
            "let a = 1;\nlet é = 2; let b = ;",
            "SyntaxError: Unexpected token (line 2, column 20)",
        ),
        ("}", "SyntaxError: Unexpected token '}' (line 1, column 1)"),
        (
            "let a = 1\n  }\nlet b",
            "SyntaxError: Unexpected token '}' (line 2, column 3)",
        ),
        (
            "}); (async()=>{",
            "SyntaxError: Unexpected token '}' (line 1, column 1)",
        ),
        (
            "`${}.'.=é",
            "SyntaxError: Unterminated string (line 1, column 10)",
        ),
        (
            "with (o) x",
            "SyntaxError: `with` statements are not supported in the REPL (line 1, column 1)",
        ),
        (
            &format!("let a = 1;\n{}", "[".repeat(600)),
            "SyntaxError: the code is nested too deeply: 500 brackets inside each other are the limit (line 2, column 500)",
        ),
        (
            "__repl_scope",
            "SyntaxError: the name `__repl_scope` is reserved by the REPL (line 1, column 1)",
        ),
        (
            "x => { let __repl_rt = 1 }",
            "SyntaxError: the name `__repl_rt` is reserved by the REPL (line 1, column 12)",
        ),
    ] {
        check(source, expected);
    }
}

#[test]
fn removes_rewriter_names_from_text() {
    for (text, expected) in [
        ("$.f is not a function", "f is not a function"),
        ("() => (0,$.f)(1) + $.x", "() => f(1) + x"),
        ("$ is not a function", "value is not a function"),
        ("plain", "plain"),
        ("__repl_scope.x", "__repl_scope.x"),
        ("__repl_other", "__repl_other"),
        ("(0,$.", ""),
    ] {
        assert_eq!(remove_rewriter_names(&text.replace('$', SCOPE)), expected);
    }
}
