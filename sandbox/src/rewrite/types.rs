//! Strips TypeScript's types from a cell.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    CallExpression, NewExpression, TSType, TSTypeName, TSTypeParameterInstantiation,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::module::blank_types;
use super::nesting;
use super::syntax_error::SyntaxError;
use super::wrapper::{AFTER, BEFORE};

/// Whether a cell that is valid JavaScript may be intended as TypeScript: in JavaScript,
/// `f<string>(x)` is two comparisons.
pub(super) fn may_have_arguments(source: &str) -> bool {
    source.contains('<') && source.contains(">(")
}

/// If the cell is TypeScript and not JavaScript, returns the cell without its types and with the
/// same line numbers, or an error if it uses unsupported syntax.
pub(super) fn without(source: &str) -> Option<Result<String, SyntaxError>> {
    let full = format!("{BEFORE}{source}{AFTER}");
    if nesting::check(&full).is_err() {
        return None;
    }
    let allocator = Allocator::default();
    let is_javascript = {
        let parsed = Parser::new(&allocator, &full, SourceType::script()).parse();
        parsed.diagnostics.iter().next().is_none()
    };
    if is_javascript && !may_have_arguments(source) {
        return None;
    }
    let kind = SourceType::script().with_typescript(true);
    let parsed = Parser::new(&allocator, &full, kind).parse();
    if parsed.diagnostics.iter().next().is_some() {
        return None;
    }
    if is_javascript {
        let mut found = TypeArguments(false);
        found.visit_program(&parsed.program);
        if !found.0 {
            return None;
        }
    }
    let stripped = match blank_types(&full, &parsed.program) {
        Ok(stripped) => stripped,
        Err((at, message)) => return Some(Err(SyntaxError::at(source, at, message))),
    };
    let cell = stripped.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
    Some(Ok(cell.to_owned()))
}

/// Visitor that finds a call with type arguments that cannot be intended as values.
struct TypeArguments(bool);

impl TypeArguments {
    fn look(&mut self, arguments: Option<&TSTypeParameterInstantiation<'_>>) {
        let mut types = arguments.into_iter().flat_map(|all| &all.params);
        self.0 |= types.any(is_surely_a_type);
    }
}

impl<'a> Visit<'a> for TypeArguments {
    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.look(it.type_arguments.as_deref());
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.look(it.type_arguments.as_deref());
        walk::walk_new_expression(self, it);
    }
}

/// Whether a type argument cannot be the name of a variable. Names in mixed case that begin with an
/// uppercase letter count as types.
fn is_surely_a_type(argument: &TSType<'_>) -> bool {
    match argument {
        TSType::TSTypeReference(it) => match &it.type_name {
            TSTypeName::IdentifierReference(id) => {
                it.type_arguments.is_some()
                    || (id.name.starts_with(|c: char| c.is_ascii_uppercase())
                        && id.name.contains(|c: char| c.is_ascii_lowercase()))
            }
            _ => false,
        },
        TSType::TSTypeQuery(_) | TSType::TSLiteralType(_) | TSType::TSNullKeyword(_) => false,
        _ => true,
    }
}
