//! Rewrites declarations at the top level of a cell to assignments to properties of the scope
//! object.

use oxc_ast::ast::{BindingPattern, Expression, ObjectPattern, VariableDeclaration};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::added_names::SCOPE;
use super::visit::CellVisitor;

impl CellVisitor<'_> {
    /// Rewrites `const a = 1, {b} = o` to `(scope.a = 1), ({b: scope.b} = o)`.
    pub(super) fn declaration(&mut self, it: &VariableDeclaration<'_>) {
        let Some(first) = it.declarations.first() else {
            return;
        };
        self.edits.replace(it.span.start, first.span.start, "");
        for declarator in &it.declarations {
            match &declarator.init {
                Some(init) => {
                    self.edits.insert(declarator.span.start, "(");
                    self.pattern(&declarator.id);
                    let name = match &declarator.id {
                        BindingPattern::BindingIdentifier(id) => Some(id.name.as_str()),
                        _ => None,
                    };
                    self.named(name, init);
                    self.edits.insert(declarator.span.end, ")");
                }
                None if it.kind.is_var() => self.pattern(&declarator.id),
                None => {
                    self.pattern(&declarator.id);
                    self.edits.insert(declarator.span.end, "=void 0");
                }
            }
        }
    }

    /// Visits an initializer. Names an anonymous function or class after its variable, which an
    /// assignment to a property would not do.
    pub(super) fn named(&mut self, name: Option<&str>, init: &Expression<'_>) {
        let name = name.filter(|_| init.is_anonymous_function_definition());
        if let Some(name) = name {
            self.edits
                .insert(init.span().start, format!("{{[{name:?}]:"));
        }
        self.visit_expression(init);
        if let Some(name) = name {
            self.edits.insert(init.span().end, format!("}}[{name:?}]"));
        }
    }

    /// Rewrites the binding pattern of a top-level declaration to an assignment target.
    pub(super) fn pattern(&mut self, pattern: &BindingPattern<'_>) {
        match pattern {
            BindingPattern::BindingIdentifier(id) => {
                self.visit_binding_identifier(id);
                // `catch (e) { var e = 2 }` assigns to the caught error.
                if !self.names.blocks.is_block_local(&id.name, id.span) {
                    self.edits
                        .replace(id.span.start, id.span.end, format!("{SCOPE}.{}", id.name));
                }
            }
            BindingPattern::ObjectPattern(object) => self.object_pattern(object),
            BindingPattern::ArrayPattern(array) => {
                for element in array.elements.iter().flatten() {
                    self.pattern(element);
                }
                if let Some(rest) = &array.rest {
                    self.pattern(&rest.argument);
                }
            }
            BindingPattern::AssignmentPattern(it) => {
                self.pattern(&it.left);
                let name = match &it.left {
                    BindingPattern::BindingIdentifier(id) => Some(id.name.as_str()),
                    _ => None,
                };
                self.named(name, &it.right);
            }
        }
    }

    fn object_pattern(&mut self, object: &ObjectPattern<'_>) {
        for property in &object.properties {
            if property.shorthand {
                let span = match &property.value {
                    BindingPattern::AssignmentPattern(it) => it.left.span(),
                    other => other.span(),
                };
                self.edits.insert(
                    span.start,
                    format!("{}:", property.key.name().unwrap_or_default()),
                );
            } else {
                self.visit_property_key(&property.key);
            }
            self.pattern(&property.value);
        }
        if let Some(rest) = &object.rest {
            self.pattern(&rest.argument);
        }
    }
}
