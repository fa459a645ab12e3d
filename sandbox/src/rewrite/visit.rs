//! Walks one cell's syntax tree and collects the edits.

use std::collections::HashMap;

use oxc_allocator::Vec as ArenaVec;
use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget,
    AssignmentTargetPropertyIdentifier, AssignmentTargetWithDefault, BindingIdentifier,
    CallExpression, ChainElement, Class, Expression, Function, IdentifierReference, IfStatement,
    ImportExpression, MethodDefinition, ObjectProperty, PropertyDefinition, PropertyKind,
    ReturnStatement, Statement, StaticBlock, TaggedTemplateExpression, UnaryExpression,
    UnaryOperator, VariableDeclaration, WithStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{Scoping, SymbolFlags, SymbolId};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::AssignmentOperator;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use super::added_names::{RESERVED, RUNTIME, SCOPE};
use super::blocks::labelled_function;
use super::edits::Edits;
use super::names::Names;
use super::sources;

/// Bytes of the keyword `return`.
const RETURN_LENGTH: u32 = 6;
/// Bytes of the keyword `static` and a blank.
const STATIC_LENGTH: u32 = 7;

/// Edits of a cell, and what else is known from walking it.
pub(super) struct CellVisitor<'n> {
    scoping: &'n Scoping,
    pub(super) names: &'n Names,
    cell_scope: Option<ScopeId>,
    /// Spans of the top-level classes, by name. Inside a class, its name is not rewritten, because
    /// it refers to the class's own binding.
    classes: HashMap<String, Span>,
    /// Names of the top-level function declarations, in the order of the code.
    declared_functions: Vec<String>,
    /// Number of enclosing functions of any kind, not counting the wrapper.
    functions: u32,
    /// Number of enclosing functions that have their own `arguments`: all except arrow functions.
    plain_functions: u32,
    pub(super) edits: Edits,
    pub(super) sources: Vec<sources::Function>,
    /// Byte offset and description of the first unsupported construct.
    pub(super) refused: Option<(usize, String)>,
    /// Whether a function contains `return(…)`, written as a call.
    pub(super) returns_in_function: bool,
}

impl<'n> CellVisitor<'n> {
    /// Walks the body of the wrapper function.
    pub fn walk(
        scoping: &'n Scoping,
        arrow: &ArrowFunctionExpression<'_>,
        names: &'n Names,
    ) -> Self {
        let mut visitor = Self {
            scoping,
            names,
            cell_scope: arrow.scope_id.get(),
            classes: HashMap::new(),
            declared_functions: Vec::new(),
            functions: 0,
            plain_functions: 0,
            edits: Edits::default(),
            sources: Vec::new(),
            refused: None,
            returns_in_function: false,
        };
        if let ArrowFunctionBody::FunctionBody(body) = &arrow.body {
            visitor.statements(&body.statements, true);
        }
        visitor
    }

    /// Visits a node whose source `Function.prototype.toString` returns.
    fn sourced(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        let from = self.edits.mark(span.start);
        visit(self);
        let to = self.edits.mark(span.end);
        self.sources.push(sources::Function {
            span: span.start as usize..span.end as usize,
            marks: (from, to),
        });
    }

    /// Returns the code at the start of the cell, which defines `var` names and makes functions
    /// usable above their declarations.
    pub fn head(&self) -> String {
        let Some(scope) = self.cell_scope else {
            return String::new();
        };
        let mut vars = Vec::new();
        for (name, symbol) in self.scoping.get_bindings(scope) {
            let flags = self.scoping.symbol_flags(*symbol);
            if flags.contains(SymbolFlags::FunctionScopedVariable) && !flags.is_function() {
                vars.push(format!("{:?}", name.as_str()));
            }
        }
        let functions: String = self
            .declared_functions
            .iter()
            .map(|name| format!("{SCOPE}.{name}={name};"))
            .collect();
        let mut head = String::new();
        vars.extend(
            self.names
                .blocks
                .hoisted_names
                .iter()
                .filter(|name| !self.declared_functions.contains(name))
                .map(|name| format!("{name:?}")),
        );
        if !vars.is_empty() {
            vars.sort();
            vars.dedup();
            head = format!("{RUNTIME}.declare({SCOPE},[{}]);", vars.join(","));
        }
        if head.is_empty() && functions.is_empty() {
            return head;
        }
        // A directive before this code may end without a semicolon.
        format!(";{head}{functions}")
    }

    fn statements(&mut self, list: &ArenaVec<'_, Statement<'_>>, top: bool) {
        for statement in list {
            self.statement(statement, top);
        }
    }

    /// Visits a statement in a list. Text inserted before the statement starts with `;`, because
    /// the line above may rely on automatic semicolon insertion, which `(` would prevent.
    fn statement(&mut self, statement: &Statement<'_>, top: bool) {
        match statement {
            Statement::ExpressionStatement(it) => {
                let bare_call = top && is_bare_call(&it.expression);
                self.edits
                    .insert(it.span.start, if bare_call { ";await " } else { ";" });
                self.visit_expression(&it.expression);
            }
            Statement::VariableDeclaration(it)
                if self.functions == 0 && !it.kind.is_using() && (top || it.kind.is_var()) =>
            {
                self.edits.insert(it.span.start, ";");
                self.declaration(it);
            }
            Statement::ClassDeclaration(it) if top => {
                if let Some(id) = &it.id {
                    self.classes.insert(id.name.to_string(), it.span);
                    self.edits
                        .insert(it.span.start, format!(";{SCOPE}.{}=", id.name));
                }
                self.visit_class(it);
                self.edits.insert(it.span.end, ";");
            }
            _ => match labelled_function(statement) {
                Some(function) => self.function_statement(function, top),
                None => self.visit_statement(statement),
            },
        }
    }

    /// Visits a function declaration, with or without a label.
    fn function_statement(&mut self, it: &Function<'_>, top: bool) {
        self.visit_function(it, ScopeFlags::empty());
        let Some(id) = &it.id else {
            return;
        };
        if top {
            self.declared_functions.push(id.name.to_string());
        } else if self.functions == 0 && self.names.blocks.is_hoisted(it) {
            self.edits
                .insert(it.span.end, format!(";{SCOPE}.{0}={0};", id.name));
        }
    }

    /// Visits a branch of an `if`. A function declared as a branch has its own block.
    fn branch(&mut self, statement: &Statement<'_>) {
        let Statement::FunctionDeclaration(function) = statement else {
            return self.visit_statement(statement);
        };
        let hoisted = self.functions == 0 && self.names.blocks.is_hoisted(function);
        if hoisted {
            self.edits.insert(function.span.start, "{");
        }
        self.function_statement(function, false);
        if hoisted {
            self.edits.insert(function.span.end, "}");
        }
    }

    /// Returns the replacement of a reference, or `None` if the reference does not change.
    fn target(&mut self, id: &IdentifierReference<'_>) -> Option<String> {
        let name = id.name.as_str();
        self.refuse_reserved(name, id.span);
        let reference = self.scoping.get_reference(id.reference_id.get()?);
        let Some(symbol) = reference.symbol_id() else {
            let own_arguments = name == "arguments" && self.plain_functions > 0;
            if own_arguments || self.names.is_global(name) {
                return None;
            }
            let strict = self
                .scoping
                .scope_flags(reference.scope_id())
                .is_strict_mode();
            return Some(if strict && reference.is_write() {
                format!("{RUNTIME}.known({SCOPE},{name:?}).{name}")
            } else {
                format!("{SCOPE}.{name}")
            });
        };
        if !self.is_cell_level(symbol)
            || self.inside_own_class(name, id.span)
            || self.names.blocks.is_block_local(name, id.span)
        {
            return None;
        }
        if reference.is_write() && self.scoping.symbol_flags(symbol).is_const_variable() {
            return Some(format!("{RUNTIME}.constant.{name}"));
        }
        Some(format!("{SCOPE}.{name}"))
    }

    /// Returns the name that an assignment gives to an anonymous function, if rewriting the target
    /// would lose that name.
    fn assigned_name<'i>(&mut self, target: &'i AssignmentTarget<'_>) -> Option<&'i str> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(id) => {
                self.target(id).map(|_| id.name.as_str())
            }
            _ => None,
        }
    }

    fn is_cell_level(&self, symbol: SymbolId) -> bool {
        Some(self.scoping.symbol_scope_id(symbol)) == self.cell_scope
    }

    fn inside_own_class(&self, name: &str, at: Span) -> bool {
        self.classes
            .get(name)
            .is_some_and(|span| span.start <= at.start && at.end <= span.end)
    }

    fn refuse_reserved(&mut self, name: &str, at: Span) {
        if name.starts_with(RESERVED) {
            self.refuse(at, format!("the name `{name}` is reserved by the REPL"));
        }
    }

    fn refuse(&mut self, at: Span, message: String) {
        self.refused.get_or_insert((at.start as usize, message));
    }

    /// For `globalThis.name` with an undeclared name, returns the span of `globalThis` and that
    /// name.
    fn name_on_global<'i>(&self, expression: &'i Expression<'_>) -> Option<(Span, &'i str)> {
        let Expression::StaticMemberExpression(member) = expression.without_parentheses() else {
            return None;
        };
        let Expression::Identifier(object) = member.object.without_parentheses() else {
            return None;
        };
        let reference = self.scoping.get_reference(object.reference_id.get()?);
        let name = member.property.name.as_str();
        let is_global = object.name == "globalThis" && reference.symbol_id().is_none();
        (is_global && !self.names.is_declared(name)).then_some((object.span, name))
    }

    /// Rewrites a called name: `f(x)` must not pass the scope object to `f` as `this`, and
    /// `eval(x)` must not be a direct eval, which would see the wrapper's own names. Returns
    /// whether the callee is a name.
    fn callee(&mut self, callee: &Expression<'_>) -> bool {
        let Expression::Identifier(id) = callee.without_parentheses() else {
            return false;
        };
        let target = self.target(id);
        let text = target.or_else(|| (id.name == "eval").then(|| "eval".to_owned()));
        if let Some(text) = text {
            self.edits
                .replace(id.span.start, id.span.end, format!("(0,{text})"));
        }
        true
    }
}

impl<'a> Visit<'a> for CellVisitor<'_> {
    fn visit_statements(&mut self, it: &ArenaVec<'a, Statement<'a>>) {
        self.statements(it, false);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        // `statement` handles declarations in lists of statements. The others are in the head of a
        // `for`, or are the whole branch of an `if` or the whole body of a loop.
        if self.functions == 0 && it.kind.is_var() {
            self.declaration(it);
        } else {
            walk::walk_variable_declaration(self, it);
        }
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.visit_expression(&it.test);
        self.branch(&it.consequent);
        if let Some(alternate) = &it.alternate {
            self.branch(alternate);
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if let Some(text) = self.target(it) {
            self.edits.replace(it.span.start, it.span.end, text);
        }
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.refuse_reserved(it.name.as_str(), it.span);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !self.callee(&it.callee) {
            self.visit_expression(&it.callee);
        }
        self.visit_arguments(&it.arguments);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        if !self.callee(&it.tag) {
            self.visit_expression(&it.tag);
        }
        self.visit_template_literal(&it.quasi);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if it.operator == UnaryOperator::Typeof
            && let Expression::Identifier(id) = it.argument.without_parentheses()
        {
            if let Some(text) = self.target(id) {
                let guarded = format!("({:?} in {SCOPE}?{text}:void 0)", id.name.as_str());
                self.edits.replace(id.span.start, id.span.end, guarded);
            }
            return;
        }
        if it.operator == UnaryOperator::Delete
            && let Some((object, name)) = self.name_on_global(&it.argument)
        {
            // An assignment to an undeclared name has set the agent's own property.
            let both = format!("(delete {SCOPE}.{name},globalThis)");
            self.edits.replace(object.start, object.end, both);
            return;
        }
        walk::walk_unary_expression(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand
            && let Expression::Identifier(id) = &it.value
        {
            if let Some(text) = self.target(id) {
                // `__proto__: x` would set the prototype.
                let key = match id.name.as_str() {
                    "__proto__" => "[\"__proto__\"]",
                    name => name,
                };
                self.edits
                    .replace(id.span.start, id.span.end, format!("{key}:{text}"));
            }
            return;
        }
        if it.method || it.kind != PropertyKind::Init {
            self.sourced(it.span, |visitor| walk::walk_object_property(visitor, it));
        } else {
            walk::walk_object_property(self, it);
        }
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        let id = &it.binding;
        let target = self.target(id);
        if let Some(text) = &target {
            self.edits
                .replace(id.span.start, id.span.end, format!("{}:{text}", id.name));
        }
        if let Some(init) = &it.init {
            self.named(target.map(|_| id.name.as_str()), init);
        }
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        let name = self.assigned_name(&it.binding);
        self.visit_assignment_target(&it.binding);
        self.named(name, &it.init);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let naming = it.operator == AssignmentOperator::Assign || it.operator.is_logical();
        let name = self.assigned_name(&it.left).filter(|_| naming);
        self.visit_assignment_target(&it.left);
        self.named(name, &it.right);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if self.functions > 0 {
            let value = it.argument.as_ref().map(GetSpan::span);
            self.returns_in_function |=
                value.is_some_and(|value| value.start == it.span.start + RETURN_LENGTH);
            walk::walk_return_statement(self, it);
            return;
        }
        match &it.argument {
            Some(value) => {
                self.edits
                    .insert(value.span().start, format!(" {RUNTIME}.returned(await ("));
                self.visit_expression(value);
                self.edits.insert(value.span().end, "))");
            }
            None => self.edits.insert(
                it.span.start + RETURN_LENGTH,
                format!(" {RUNTIME}.returned()"),
            ),
        }
    }

    fn visit_with_statement(&mut self, it: &WithStatement<'a>) {
        self.refuse(
            it.span,
            "`with` statements are not supported in the REPL".to_owned(),
        );
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(
            it.span,
            "`import()` is not available in the REPL; use `require(name)`".to_owned(),
        );
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.functions += 1;
        self.plain_functions += 1;
        self.sourced(it.span, |visitor| walk::walk_function(visitor, it, flags));
        self.functions -= 1;
        self.plain_functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.functions += 1;
        self.sourced(it.span, |visitor| {
            walk::walk_arrow_function_expression(visitor, it);
        });
        self.functions -= 1;
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.sourced(it.span, |visitor| walk::walk_class(visitor, it));
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let start = if it.r#static { STATIC_LENGTH } else { 0 };
        // If there are comments or further blanks between `static` and the name, the source of the
        // method is not found.
        let span = Span::new(it.span.start + start, it.span.end);
        self.sourced(span, |visitor| walk::walk_method_definition(visitor, it));
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.visit_property_key(&it.key);
        if let Some(value) = &it.value {
            self.functions += 1;
            self.visit_expression(value);
            self.functions -= 1;
        }
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        self.functions += 1;
        walk::walk_static_block(self, it);
        self.functions -= 1;
    }
}

/// Whether an expression statement is only a call. Such calls are awaited in case the model forgot
/// `await`. Excludes `console.…()`, because it never returns a promise.
fn is_bare_call(expression: &Expression<'_>) -> bool {
    let call = match expression.without_parentheses() {
        Expression::CallExpression(call) => call,
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => call,
            _ => return false,
        },
        _ => return false,
    };
    let console = call.callee.as_member_expression().is_some_and(
        |member| matches!(member.object(), Expression::Identifier(id) if id.name == "console"),
    );
    !console
}
