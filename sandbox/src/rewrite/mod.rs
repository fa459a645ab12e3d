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

mod blocks;
mod builtins;
mod declarations;
mod edits;
mod lexemes;
mod module;
mod nesting;
mod python;
mod sources;
mod types;
mod unfinished;
mod visit;

use std::collections::BTreeSet;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrowFunctionBody, ArrowFunctionExpression, Expression, Program, Statement};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder, SymbolFlags};
use oxc_span::{GetSpan, SourceType};
use oxc_syntax::scope::ScopeId;

use blocks::BlockScopes;
pub(crate) use builtins::is_builtin;
pub use module::{DEFAULT_EXPORT, IMPORTS, cell_of_module, module_calls};
use sources::CellSources;
pub(crate) use sources::Sources;
pub use unfinished::{ends_in_a_bare_value, is_unfinished};
use visit::CellVisitor;

/// Prefix of the names that rewriting adds. A cell that uses it does not compile.
pub(crate) const RESERVED: &str = "__repl_";
/// Name of the scope object in a rewritten cell. No code contains this name by chance, not even in
/// a string, so it can be removed from the output of cells.
pub(crate) const SCOPE: &str = "__repl_scope_hq7z";
/// Name of the runtime object in a rewritten cell.
pub(crate) const RUNTIME: &str = "__repl_rt_hq7z";

const BEFORE: &str = "(async()=>{";
const AFTER: &str = "\n})";

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

/// Names from earlier cells that affect the rewriting of a cell.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EarlierNames {
    /// Builtins that cells of this isolate shadowed.
    pub shadowed: BTreeSet<String>,
    /// Names that cells of the agent and of its ancestors declared by `let`, `const` or `class`.
    pub lexical: BTreeSet<String>,
}

/// A cell that is not valid JavaScript.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("SyntaxError: {message} (line {line}, column {column})")]
pub struct SyntaxError {
    /// Message of the parser, with its case unchanged because it quotes code.
    pub message: String,
    /// Line of the cell, 1-based.
    pub line: usize,
    /// Column of the line in characters, 1-based.
    pub column: usize,
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
    if let Some(first) = parsed.diagnostics.iter().next() {
        return Err(stray_brace(source).unwrap_or_else(|| from_diagnostic(source, first)));
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
        return Err(from_diagnostic(source, first));
    }
    let scoping = semantic.semantic.scoping();
    let names = Names::of_cell(arrow, scoping, earlier);

    let visited = CellVisitor::new(scoping, arrow, &names).run();
    if let Some((offset, message)) = visited.refused {
        return Err(SyntaxError::at(source, offset, &message));
    }
    let edited = visited.edits.apply(&full, body_start(arrow), &visited.head);
    // Without parentheses, because the engine would look ahead for an arrow after them and parse
    // the function twice.
    let function = &edited.text[1..edited.text.len() - 1];
    Ok(Cell {
        script: format!("({SCOPE},{RUNTIME})=>{function}"),
        sources: CellSources::new(&full, &edited, visited.functions),
        shadowed: names.scoped_builtins,
        assigned: names.assigned.into_iter().collect(),
        lexical: names.lexical,
        variables: names.variables,
        returns_in_function: visited.returns_in_function,
    })
}

/// Removes the rewriter's names from a text: an error message that quotes an expression, or the
/// source of a function that the model prints.
pub(crate) fn remove_rewriter_names(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(RESERVED) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let member = format!("{SCOPE}.");
    while let Some(at) = rest.find(RESERVED) {
        let (before, marked) = rest.split_at(at);
        // V8 reformats the expression, with spaces.
        let mut callee = ["(0,", "(0 , "].into_iter();
        if let Some(kept) = callee.find_map(|head| before.strip_suffix(head))
            && let Some(name) = marked.strip_prefix(&member)
        {
            out.push_str(kept);
            let end = name.find(')').unwrap_or(name.len());
            out.push_str(&name[..end]);
            rest = name.get(end + 1..).unwrap_or("");
        } else {
            out.push_str(before);
            rest = if let Some(name) = marked.strip_prefix(&member) {
                name
            } else if let Some(bare) = marked.strip_prefix(SCOPE) {
                // The engine sometimes mentions the object without the property.
                out.push_str("value");
                bare
            } else {
                out.push_str(RESERVED);
                &marked[RESERVED.len()..]
            };
        }
    }
    out.push_str(rest);
    out.into()
}

/// Names of a cell that are properties of the scope object.
#[derive(Default)]
struct Names {
    /// Builtins that are read from the scope because this or an earlier cell shadows them.
    scoped_builtins: BTreeSet<String>,
    /// Names that earlier cells declared by `let`, `const` or `class`.
    earlier_lexical: BTreeSet<String>,
    /// Names that the cell declares or assigns.
    assigned: BTreeSet<String>,
    lexical: Vec<String>,
    variables: Vec<String>,
    blocks: BlockScopes,
}

impl Names {
    fn of_cell(
        arrow: &ArrowFunctionExpression<'_>,
        scoping: &Scoping,
        earlier: &EarlierNames,
    ) -> Self {
        let mut names = Self {
            scoped_builtins: earlier.shadowed.clone(),
            earlier_lexical: earlier.lexical.clone(),
            ..Self::default()
        };
        if let Some(scope) = arrow.scope_id.get()
            && let ArrowFunctionBody::FunctionBody(body) = &arrow.body
        {
            names.blocks = BlockScopes::of_cell(&body.statements, scoping, scope, &earlier.lexical);
            names.declared(scoping, scope);
        }
        for (name, references) in scoping.root_unresolved_references() {
            let written = references
                .iter()
                .any(|id| scoping.get_reference(*id).is_write());
            if written {
                names.assigned.insert(name.to_string());
            }
        }
        let shadowing = names.assigned.iter().filter(|name| is_builtin(name));
        names.scoped_builtins.extend(shadowing.cloned());
        names
    }

    /// Classifies the names in the cell's own scope. The parser also adds functions that are
    /// declared in blocks to it.
    fn declared(&mut self, scoping: &Scoping, scope: ScopeId) {
        for (name, symbol) in scoping.get_bindings(scope) {
            let flags = scoping.symbol_flags(*symbol);
            let variable = flags.contains(SymbolFlags::FunctionScopedVariable);
            if variable || self.blocks.functions.contains(name.as_str()) {
                self.variables.push(name.to_string());
            } else if !flags.is_function() {
                self.lexical.push(name.to_string());
            }
        }
        self.variables
            .extend(self.blocks.hoisted_names.iter().cloned());
        let declared = self.variables.iter().chain(&self.lexical);
        self.assigned.extend(declared.cloned());
    }

    /// Whether this cell declares the name, or an earlier cell declared it by `let`, `const` or
    /// `class`. Such a name is not a property of the global object.
    fn is_declared(&self, name: &str) -> bool {
        let own = self.lexical.iter().chain(&self.variables);
        self.earlier_lexical.contains(name) || own.into_iter().any(|own| own == name)
    }

    fn is_global(&self, name: &str) -> bool {
        is_builtin(name) && !self.scoped_builtins.contains(name)
    }
}

impl SyntaxError {
    /// Adds a hint if the code looks like Python.
    fn with_hint(mut self, source: &str) -> Self {
        if python::is_likely(source) {
            self.message
                .push_str(": this looks like Python, but the REPL runs JavaScript");
        }
        self
    }

    fn at(source: &str, offset_in_full: usize, message: &str) -> Self {
        Self::in_text(source, offset_in_full.saturating_sub(BEFORE.len()), message)
    }

    /// Creates an error at a byte offset of the cell's text.
    fn in_text(source: &str, offset: usize, message: &str) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            message: message.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

fn from_diagnostic(source: &str, diagnostic: &OxcDiagnostic) -> SyntaxError {
    let offset = diagnostic
        .labels
        .first()
        .map_or(0, |label| label.offset() as usize);
    SyntaxError::at(source, offset, &diagnostic.message)
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

/// Returns the wrapper arrow function, if it is the whole program.
fn whole_cell<'a, 'b>(
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
fn unbalanced_at(program: &Program<'_>) -> usize {
    match program.body.first() {
        Some(Statement::ExpressionStatement(first)) => {
            (first.expression.span().end as usize).saturating_sub(2)
        }
        _ => 0,
    }
}

/// Returns the offset after the wrapper's opening brace and the cell's own directives (`"use
/// strict"`).
fn body_start(arrow: &ArrowFunctionExpression<'_>) -> usize {
    let ArrowFunctionBody::FunctionBody(body) = &arrow.body else {
        return BEFORE.len();
    };
    body.directives
        .last()
        .map_or(BEFORE.len(), |last| last.span.end as usize)
}

#[cfg(test)]
mod tests;
