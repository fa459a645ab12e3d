//! Names of a cell that are properties of the scope object.

use std::collections::BTreeSet;

use oxc_ast::ast::{ArrowFunctionBody, ArrowFunctionExpression};
use oxc_semantic::{Scoping, SymbolFlags};
use oxc_syntax::scope::ScopeId;

use super::blocks::BlockScopes;
use super::builtins::is_builtin;

/// Names from earlier cells that affect the rewriting of a cell.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EarlierNames {
    /// Builtins that cells of this isolate shadowed.
    pub shadowed: BTreeSet<String>,
    /// Names that cells of the agent and of its ancestors declared by `let`, `const` or `class`.
    pub lexical: BTreeSet<String>,
}

/// Names of a cell that are properties of the scope object.
#[derive(Default)]
pub(super) struct Names {
    /// Builtins that are read from the scope because this or an earlier cell shadows them.
    pub scoped_builtins: BTreeSet<String>,
    /// Names that earlier cells declared by `let`, `const` or `class`.
    earlier_lexical: BTreeSet<String>,
    /// Names that the cell declares or assigns.
    pub assigned: BTreeSet<String>,
    pub lexical: Vec<String>,
    pub variables: Vec<String>,
    pub blocks: BlockScopes,
}

impl Names {
    pub fn of_cell(
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
    pub fn is_declared(&self, name: &str) -> bool {
        let own = self.lexical.iter().chain(&self.variables);
        self.earlier_lexical.contains(name) || own.into_iter().any(|own| own == name)
    }

    pub fn is_global(&self, name: &str) -> bool {
        is_builtin(name) && !self.scoped_builtins.contains(name)
    }
}
