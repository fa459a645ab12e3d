//! Rewrites one cell of model code to a script whose top-level names live in the agent's scope
//! object.
//!
//! A cell is parsed as the body of an async arrow function and edited in place, so line numbers are
//! preserved:
//!
//! - a name declared at the top level, and every free name that is not a builtin, becomes a
//!   property of the scope object (`x` → `__repl_scope.x`). Scope objects are chained by prototype:
//!   a child reads its ancestors' names live, and its own writes stay its own;
//! - `return X` at the top level becomes `return __repl_rt.returned(await (X))`;
//! - a bare call statement at the top level is awaited;
//! - names declared in inner blocks and functions do not change.
//!
//! Invariants: this module never runs code, and no cell can close the wrapper around it, because
//! edits are made at syntax nodes after the whole cell has been parsed as one function body.

mod added_names;
mod blocks;
mod builtins;
mod declarations;
mod edits;
mod lexemes;
mod module;
mod names;
mod nesting;
mod python;
mod sources;
mod syntax_error;
mod types;
mod unfinished;
mod visit;
mod wrapper;

use std::collections::BTreeSet;

use oxc_allocator::Allocator;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

pub(crate) use added_names::{RESERVED, remove_rewriter_names};
use added_names::{RUNTIME, SCOPE};
pub(crate) use builtins::is_builtin;
pub use module::{DEFAULT_EXPORT, IMPORTS, cell_of_module, module_calls};
pub(crate) use names::EarlierNames;
use names::Names;
use sources::CellSources;
pub(crate) use sources::Sources;
pub use syntax_error::SyntaxError;
pub use unfinished::{ends_in_a_bare_value, is_unfinished};
use visit::CellVisitor;
use wrapper::{AFTER, BEFORE, body_start, unbalanced_at, whole_cell};

/// A cell ready to be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    /// An expression: a factory that takes the scope and runtime objects and returns the async
    /// function.
    pub script: String,
    /// Builtins that this cell declares or assigns; later cells must also read them from the scope.
    pub shadowed: BTreeSet<String>,
    /// Names in the scope that the cell declares or assigns.
    pub assigned: Vec<String>,
    /// Names that this cell declares with `let`, `const` or `class`.
    pub lexical: Vec<String>,
    /// Names that this cell declares with `var` or as functions.
    pub variables: Vec<String>,
    /// Original sources of the functions that rewriting changed.
    pub sources: CellSources,
    /// Whether a function of the cell contains `return(…)`, written as a call.
    pub returns_in_function: bool,
}

/// Rewrites one cell.
///
/// # Errors
/// [`SyntaxError`] with line and column in the cell's own text.
pub(crate) fn rewrite(source: &str, earlier: &EarlierNames) -> Result<Cell, SyntaxError> {
    let plain = || rewrite_javascript(source, earlier);
    // Most cells are JavaScript and are parsed once.
    let first = (!types::may_have_arguments(source)).then(plain);
    let cell = match first {
        Some(Ok(cell)) => Ok(cell),
        failed => match types::without(source) {
            Some(Ok(stripped)) => rewrite_javascript(&stripped, earlier),
            Some(Err(refused)) => Err(refused),
            None => failed.unwrap_or_else(plain),
        },
    };
    cell.map_err(|error| error.with_hint(source))
}

fn rewrite_javascript(source: &str, earlier: &EarlierNames) -> Result<Cell, SyntaxError> {
    let full = format!("{BEFORE}{source}{AFTER}");
    if let Err(refusal) = nesting::check(&full) {
        return Err(SyntaxError::at(source, refusal.at, &refusal.message));
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, &full, SourceType::script()).parse();
    let in_cell = |first: &OxcDiagnostic| SyntaxError::of_diagnostic(source, first, BEFORE.len());
    if let Some(first) = parsed.diagnostics.iter().next() {
        return Err(stray_brace(source).unwrap_or_else(|| in_cell(first)));
    }
    let Some(arrow) = whole_cell(&parsed.program, full.len()) else {
        return Err(SyntaxError::at(
            source,
            unbalanced_at(&parsed.program),
            "Unexpected token '}'",
        ));
    };
    let semantic = SemanticBuilder::new_compiler().build(&parsed.program);
    if let Some(first) = semantic.diagnostics.iter().next() {
        return Err(in_cell(first));
    }
    let scoping = semantic.semantic.scoping();
    let names = Names::of_cell(arrow, scoping, earlier);

    let visited = CellVisitor::walk(scoping, arrow, &names);
    if let Some((offset, message)) = &visited.refused {
        return Err(SyntaxError::at(source, *offset, message));
    }
    let head = visited.head();
    let edited = visited.edits.apply(&full, body_start(arrow), &head);
    // Without parentheses, because the engine would look ahead for an arrow after them and parse
    // the function twice.
    let function = &edited.text[1..edited.text.len() - 1];
    Ok(Cell {
        script: format!("({SCOPE},{RUNTIME})=>{function}"),
        sources: CellSources::new(&full, &edited, visited.sources),
        returns_in_function: visited.returns_in_function,
        shadowed: names.scoped_builtins,
        assigned: names.assigned.into_iter().collect(),
        lexical: names.lexical,
        variables: names.variables,
    })
}

/// Returns the error for a `}` that closes the wrapper instead of a block in the cell.
fn stray_brace(source: &str) -> Option<SyntaxError> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, source, SourceType::mjs())
        .with_options(options)
        .parse();
    let at = parsed.diagnostics.iter().next()?.labels.first()?.offset() as usize;
    // The parser may report an offset inside a character.
    source
        .get(at..)?
        .starts_with('}')
        .then(|| SyntaxError::at(source, BEFORE.len() + at, "Unexpected token '}'"))
}

#[cfg(test)]
mod tests;
