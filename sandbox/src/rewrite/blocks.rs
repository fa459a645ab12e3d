//! Names that are local to blocks of a cell, and functions in blocks that are also visible outside
//! their block.
//!
//! In sloppy mode, a function declared in a block is also a `var` of the cell, assigned when the
//! declaration is reached, unless that `var` would be an error there (ECMA-262, annex B.3.2). The
//! parser's own name resolution attributes such a function only to the cell. It does the same for a
//! caught error with the same name as a `var`.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    BindingIdentifier, BindingPattern, BlockStatement, CatchClause, Class, Expression, Function,
    IfStatement, Statement, SwitchStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{Scoping, SymbolFlags};
use oxc_span::Span;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

/// Result of a walk over the statements of a cell, excluding those in its functions.
#[derive(Default)]
pub(super) struct BlockScopes {
    /// Local names, each with the part of the cell in which it is local.
    locals: Vec<(String, Span)>,
    /// Start offsets of functions in blocks that are also visible in the cell.
    hoisted: BTreeSet<u32>,
    /// Names of the functions in `hoisted`.
    pub hoisted_names: BTreeSet<String>,
    /// Names of the functions at the top level.
    pub functions: BTreeSet<String>,
}

impl BlockScopes {
    /// Walks a cell. `lexical` contains the names that earlier cells declared by `let`, `const` or
    /// `class`.
    pub fn of_cell(
        statements: &[Statement<'_>],
        scoping: &Scoping,
        cell_scope: ScopeId,
        lexical: &BTreeSet<String>,
    ) -> Self {
        let mut walk = Walk {
            scoping,
            cell_scope,
            lexical,
            block: None,
            found: Self::default(),
        };
        for statement in statements {
            walk.visit_statement(statement);
        }
        walk.found
    }

    /// Whether `name` is local to a block at the given place, so that it is not rewritten.
    pub fn is_block_local(&self, name: &str, at: Span) -> bool {
        self.locals
            .iter()
            .any(|(local, span)| local == name && span.start <= at.start && at.end <= span.end)
    }

    /// Whether this function, declared in a block, is also visible in the cell.
    pub fn is_hoisted(&self, function: &Function<'_>) -> bool {
        self.hoisted.contains(&function.span.start)
    }
}

/// Returns the function that a statement declares, after any labels.
pub(super) fn labelled_function<'b, 'a>(statement: &'b Statement<'a>) -> Option<&'b Function<'a>> {
    match statement {
        Statement::FunctionDeclaration(it) => Some(it),
        Statement::LabeledStatement(it) => labelled_function(&it.body),
        _ => None,
    }
}

struct Walk<'s> {
    scoping: &'s Scoping,
    cell_scope: ScopeId,
    lexical: &'s BTreeSet<String>,
    /// Innermost block around the current statement.
    block: Option<(Span, ScopeId)>,
    found: BlockScopes,
}

impl Walk<'_> {
    fn in_block(&mut self, span: Span, scope: Option<ScopeId>, visit: impl FnOnce(&mut Self)) {
        let outer = self.block;
        self.block = scope.map(|scope| (span, scope));
        visit(self);
        self.block = outer;
    }

    /// Records a function that is local in `part`; its `var` would be in `scope`.
    fn declare(&mut self, function: &Function<'_>, part: Span, scope: Option<ScopeId>) {
        let Some(id) = &function.id else {
            return;
        };
        self.found.locals.push((id.name.to_string(), part));
        let plain = !function.r#async && !function.generator;
        if plain && scope.is_some_and(|scope| self.may_be_var(id, scope)) {
            self.found.hoisted.insert(function.span.start);
            self.found.hoisted_names.insert(id.name.to_string());
        }
    }

    /// Whether a `var` with this name would be valid in this scope.
    fn may_be_var(&self, id: &BindingIdentifier<'_>, scope: ScopeId) -> bool {
        let lexical =
            SymbolFlags::BlockScopedVariable | SymbolFlags::ConstVariable | SymbolFlags::Class;
        let mut own = false;
        let mut next = Some(scope);
        while let Some(scope) = next {
            if self.scoping.scope_flags(scope).is_strict_mode() {
                return false;
            }
            if let Some(symbol) = self.scoping.get_binding(scope, id.name) {
                let flags = self.scoping.symbol_flags(symbol);
                let bound = flags.intersects(lexical)
                    || scope != self.cell_scope
                        && flags.contains(SymbolFlags::AsyncOrGeneratorFunction);
                if bound {
                    return false;
                }
                own = own || flags.contains(SymbolFlags::FunctionScopedVariable);
            }
            if scope == self.cell_scope {
                break;
            }
            next = self.scoping.scope_parent_id(scope);
        }
        own || self.found.functions.contains(id.name.as_str())
            || !self.lexical.contains(id.name.as_str())
    }
}

impl<'a> Visit<'a> for Walk<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        let Some(function) = labelled_function(it) else {
            walk::walk_statement(self, it);
            return;
        };
        match self.block {
            Some((span, scope)) => {
                self.declare(function, span, self.scoping.scope_parent_id(scope));
            }
            None => self
                .found
                .functions
                .extend(function.id.iter().map(|id| id.name.to_string())),
        }
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        for branch in [Some(&it.consequent), it.alternate.as_ref()]
            .into_iter()
            .flatten()
        {
            if let Statement::FunctionDeclaration(function) = branch {
                // The function behaves as if it had its own block.
                let scope = self.block.map_or(self.cell_scope, |(_, scope)| scope);
                self.declare(function, function.span, Some(scope));
            } else {
                self.visit_statement(branch);
            }
        }
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.in_block(it.span, it.scope_id.get(), |walk| {
            walk::walk_block_statement(walk, it);
        });
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.in_block(it.span, it.scope_id.get(), |walk| {
            walk::walk_switch_statement(walk, it);
        });
    }

    fn visit_catch_clause(&mut self, it: &CatchClause<'a>) {
        if let Some(BindingPattern::BindingIdentifier(id)) =
            it.param.as_ref().map(|param| &param.pattern)
        {
            self.found.locals.push((id.name.to_string(), it.span));
        }
        walk::walk_catch_clause(self, it);
    }

    fn visit_expression(&mut self, _: &Expression<'a>) {}

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_class(&mut self, _: &Class<'a>) {}
}
