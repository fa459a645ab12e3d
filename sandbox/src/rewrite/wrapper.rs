//! The async arrow function that wraps a cell while it is parsed.

use oxc_ast::ast::{ArrowFunctionBody, ArrowFunctionExpression, Expression, Program, Statement};
use oxc_span::GetSpan;

pub(super) const BEFORE: &str = "(async()=>{";
pub(super) const AFTER: &str = "\n})";

/// Returns the wrapper arrow function, if it is the whole program.
pub(super) fn whole_cell<'a, 'b>(
    program: &'b Program<'a>,
    length: usize,
) -> Option<&'b ArrowFunctionExpression<'a>> {
    let [Statement::ExpressionStatement(statement)] = program.body.as_slice() else {
        return None;
    };
    let Expression::ParenthesizedExpression(parens) = &statement.expression else {
        return None;
    };
    let Expression::ArrowFunctionExpression(arrow) = &parens.expression else {
        return None;
    };
    let spans_all = arrow.span.start == 1 && arrow.span.end as usize == length - 1;
    (spans_all && program.directives.is_empty()).then_some(&**arrow)
}

/// Returns the offset at which a cell closed the wrapper early.
pub(super) fn unbalanced_at(program: &Program<'_>) -> usize {
    match program.body.first() {
        Some(Statement::ExpressionStatement(first)) => {
            (first.expression.span().end as usize).saturating_sub(2)
        }
        _ => 0,
    }
}

/// Returns the offset after the wrapper's opening brace and the cell's own directives (`"use
/// strict"`).
pub(super) fn body_start(arrow: &ArrowFunctionExpression<'_>) -> usize {
    let ArrowFunctionBody::FunctionBody(body) = &arrow.body else {
        return BEFORE.len();
    };
    body.directives
        .last()
        .map_or(BEFORE.len(), |last| last.span.end as usize)
}
