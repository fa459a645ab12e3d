//! Detects cells that are incomplete, and cells that end with an unused value.

use std::thread;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrowFunctionBody, Expression, Statement};
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::nesting;
use super::wrapper::{AFTER, BEFORE};
use crate::limits::THREAD_STACK;

/// Whether a cell is incomplete, so that more lines must follow. Returns false for code with
/// another error. Each call parses the whole cell.
pub fn is_unfinished(code: &str) -> bool {
    holds_for_wrapped(code, ends_unexpectedly)
}

/// Whether a cell ends with an expression without an effect: a name, a member or a calculation that
/// is not printed, assigned or called.
pub fn ends_in_a_bare_value(code: &str) -> bool {
    holds_for_wrapped(code, is_bare)
}

/// Calls `holds` with the wrapped cell, on a thread whose stack suffices for parsing code within
/// the nesting limits. Returns false for code beyond the limits.
fn holds_for_wrapped(code: &str, holds: fn(&str) -> bool) -> bool {
    let full = format!("{BEFORE}{code}{AFTER}");
    if nesting::check(&full).is_err() {
        return false;
    }
    thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(THREAD_STACK);
        let parser = parser.spawn_scoped(scope, || holds(&full));
        parser.is_ok_and(|parser| parser.join().unwrap_or(false))
    })
}

/// Whether the last statement of a wrapped cell is an expression without an effect.
fn is_bare(full: &str) -> bool {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, full, SourceType::script()).parse();
    let Some(Statement::ExpressionStatement(wrapper)) = parsed.program.body.first() else {
        return false;
    };
    let Expression::ArrowFunctionExpression(cell) = wrapper.expression.without_parentheses() else {
        return false;
    };
    let ArrowFunctionBody::FunctionBody(body) = &cell.body else {
        return false;
    };
    let Some(Statement::ExpressionStatement(last)) = body.statements.last() else {
        return false;
    };
    !matches!(
        last.expression.without_parentheses(),
        Expression::AssignmentExpression(_)
            | Expression::AwaitExpression(_)
            | Expression::CallExpression(_)
            | Expression::UpdateExpression(_)
            | Expression::NewExpression(_)
            | Expression::SequenceExpression(_)
            | Expression::YieldExpression(_)
    )
}

/// Whether the first error of a wrapped cell is an unexpected end.
fn ends_unexpectedly(full: &str) -> bool {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, full, SourceType::script()).parse();
    let first = parsed.diagnostics.iter().next();
    let Some(label) = first.and_then(|first| first.labels.first()) else {
        return false;
    };
    let at = label.offset() as usize;
    let end = full.len() - AFTER.len();
    let Some(open) = full[..end].get(at..) else {
        return true;
    };
    // The parser reports an unterminated literal at its beginning.
    let never_ends = at + label.len() as usize >= full.len();
    match open.as_bytes().first() {
        // A part of a template begins with the `}` before it.
        Some(b'`' | b'}') => never_ends,
        Some(b'/') => never_ends && open.starts_with("/*"),
        // A line that ends in an unescaped backslash continues.
        Some(b'\'' | b'"') => {
            let last = open.trim_end_matches(['\r', '\n']);
            let others = last.trim_end_matches('\\');
            (last.len() - others.len()) % 2 == 1
        }
        None => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{ends_in_a_bare_value, is_unfinished};

    #[test]
    fn detects_unused_values() {
        let bare = [
            "context.length",
            "let a = 1\na",
            "1 + 1;",
            "`a`",
            "({a: 1})",
            "[1, 2]\n",
        ];
        let others = [
            "",
            "let a = 1",
            "a = 1",
            "f()",
            "await f()",
            "a++",
            "if (a) b",
            "new Map",
            "a b",
            "(".repeat(9_999).as_str(),
        ]
        .map(str::to_owned);
        for code in bare {
            assert!(ends_in_a_bare_value(code), "{code:?}");
        }
        for code in others {
            assert!(!ends_in_a_bare_value(&code), "{code:?}");
        }
    }

    #[test]
    fn detects_unfinished_cells() {
        let cases = [
            ("", false),
            ("1 + 1", false),
            ("f(", true),
            ("f(\n1)", false),
            ("{ [ (", true),
            ("({[]})", false),
            ("const f = () => {", true),
            ("const f = () => {\n}", false),
            // Mismatched brackets are an immediate error.
            (")", false),
            ("(]", false),
            ("{ ( }", false),
            // Strings, which end at the end of their line, and templates, which do not.
            ("'('", false),
            ("\"it's (\"", false),
            ("'\\'('", false),
            ("'(", false),
            ("'(\\", true),
            ("'(\\\n'", false),
            ("'(\\\\", false),
            ("`", true),
            ("`\n(`", false),
            ("`\\``", false),
            ("`${", true),
            ("`${f({a: `)`})} (`", false),
            ("`${`${'}'}`", true),
            ("`$ {`", false),
            ("`${a} b", true),
            ("`${a} ${b", true),
            // Operators without a right side.
            ("const x =", true),
            ("f(1) ||", true),
            ("const f = x => // why", true),
            ("const f = x => // why\nx", false),
            ("x.", true),
            ("i++", false),
            ("i--\n", false),
            ("a / /* by */", true),
            ("a + 'b'", false),
            ("a = b;", false),
            // Cases that only a parser can decide.
            ("if (x) y()\nelse", true),
            ("return await f(", true),
            ("with (x) {", true),
            ("a b (", false),
            ("x = /(", false),
            // Comments.
            ("// (", false),
            ("/* (", true),
            ("/* ( */", false),
            ("/* // */ (", true),
            ("'/*'", false),
            // Regular expressions and divisions.
            ("/[(/]/.test(x)", false),
            ("x = /\\/(/", false),
            ("return /(/", false),
            ("a / b / (c", true),
            ("(a) / '('.length", false),
            ("[/`/, 1]", false),
            ("i++ / 2", false),
            ("a[0] / f(`(`)", false),
            ("'ü' / \"🦀(\"", false),
        ];
        for (code, expected) in cases {
            let cell = format!("{code}\n");
            assert_eq!(is_unfinished(&cell), expected, "{code:?}");
        }
    }
}
