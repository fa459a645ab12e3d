//! Rewrites a module to the code of a cell: imports are read from an object, and the default export
//! is assigned to a variable.
//!
//! TypeScript types are not checked but replaced by blanks, so line numbers do not change. As with
//! `node --experimental-strip-types`, syntax that requires generated code instead of only types
//! (`enum`, `namespace`, decorators, parameter properties, `<T>x`) is an error.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    CallExpression, Class, Decorator, ExportDefaultDeclarationKind, ExportNamedDeclaration,
    Expression, FormalParameter, Function, ImportDeclaration, ImportDeclarationSpecifier,
    ImportOrExportKind, ImportSpecifier, MethodDefinition, ModuleExportName, Program,
    PropertyDefinition, Statement, TSAsExpression, TSEnumDeclaration, TSIndexSignature,
    TSInterfaceDeclaration, TSNamespaceDeclaration, TSNonNullExpression, TSSatisfiesExpression,
    TSThisParameter, TSTypeAliasDeclaration, TSTypeAnnotation, TSTypeAssertion,
    TSTypeParameterDeclaration, TSTypeParameterInstantiation, VariableDeclaration,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

use super::edits::Edits;
use super::nesting;
use super::syntax_error::SyntaxError;

/// Variable from which a file reads its imports: an object with one property per module name.
pub const IMPORTS: &str = "$imports";
/// Variable that contains a file's default export after the file has run.
pub const DEFAULT_EXPORT: &str = "$default";

/// Rewrites a file to the code of a cell without changing line numbers.
///
/// # Errors
/// [`SyntaxError`] with the line and column of invalid code, or of code that a cell does not
/// support.
pub fn cell_of_module(source: &str, is_typescript: bool) -> Result<String, SyntaxError> {
    let at = |offset: usize, message: &str| SyntaxError::in_text(source, offset, message);
    nesting::check(source).map_err(|refusal| at(refusal.at, &refusal.message))?;
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type(is_typescript)).parse();
    if let Some(first) = parsed.diagnostics.iter().next() {
        return Err(SyntaxError::of_diagnostic(source, first, 0));
    }
    blank_types(source, &parsed.program).map_err(|(offset, message)| at(offset, message))
}

fn source_type(is_typescript: bool) -> SourceType {
    if is_typescript {
        SourceType::ts()
    } else {
        SourceType::mjs()
    }
}

/// Whether a module calls a function that it imports by this name, or that has this name without an
/// import. Type arguments, line breaks and import aliases make no difference. For code that does
/// not parse, returns whether it contains the name.
pub fn module_calls(source: &str, is_typescript: bool, name: &str) -> bool {
    if !source.contains(name) {
        return false;
    }
    if nesting::check(source).is_err() {
        return true;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, source_type(is_typescript)).parse();
    if !parsed.diagnostics.is_empty() {
        return true;
    }
    let mut calls = Calls {
        name,
        aliases: vec![name.to_owned()],
        found: false,
    };
    calls.visit_program(&parsed.program);
    calls.found
}

/// Visitor that finds calls to a function.
struct Calls<'n> {
    name: &'n str,
    /// Names under which the file imports the function.
    aliases: Vec<String>,
    found: bool,
}

impl<'a> Visit<'a> for Calls<'_> {
    fn visit_import_specifier(&mut self, it: &ImportSpecifier<'a>) {
        if it.imported.name() == self.name {
            self.aliases.push(it.local.name.to_string());
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.found |= match it.callee.without_parentheses() {
            Expression::Identifier(callee) => self
                .aliases
                .iter()
                .any(|alias| alias == callee.name.as_str()),
            Expression::StaticMemberExpression(callee) => callee.property.name == self.name,
            _ => false,
        };
        walk::walk_call_expression(self, it);
    }
}

/// Rewrites a parsed file; see [`cell_of_module`]. The error contains the byte offset and the
/// description of the first unsupported construct.
pub(super) fn blank_types(
    source: &str,
    program: &Program<'_>,
) -> Result<String, (usize, &'static str)> {
    let mut rewriter = Rewriter {
        source,
        edits: Edits::default(),
        refused: None,
    };
    rewriter.visit_program(program);
    match rewriter.refused {
        Some((offset, message)) => Err((offset as usize, message)),
        None => Ok(rewriter.edits.apply(source, 0, "").text),
    }
}

struct Rewriter<'s> {
    source: &'s str,
    edits: Edits,
    /// Byte offset and description of the first unsupported construct.
    refused: Option<(u32, &'static str)>,
}

impl Rewriter<'_> {
    fn text(&self, span: Span) -> &str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Replaces each character of a span by a space, except for line feeds.
    fn blank(&mut self, span: Span) {
        let blank = self.blanks(span);
        self.edits.replace(span.start, span.end, blank);
    }

    fn blanks(&self, span: Span) -> String {
        let chars = self.text(span).chars();
        chars
            .map(|char| if char == '\n' { '\n' } else { ' ' })
            .collect()
    }

    /// Blanks out a statement or a class member. If the next one could continue the one before it,
    /// a semicolon separates them.
    fn blank_item(&mut self, span: Span) {
        let mut blank = self.blanks(span);
        if self.continues_expression(span.end) {
            blank.replace_range(..1, ";");
        }
        self.edits.replace(span.start, span.end, blank);
    }

    /// Whether the first token at or after an offset can continue an expression.
    fn continues_expression(&self, offset: u32) -> bool {
        let mut rest = self.source[offset as usize..].trim_start();
        loop {
            let after = if rest.starts_with("//") {
                rest.split_once('\n')
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.split_once("*/")
            } else {
                return rest.starts_with(['(', '[', '`', '/', '*', '+', '-']);
            };
            rest = after.map_or("", |(_, after)| after).trim_start();
        }
    }

    /// Blanks out a type that follows an expression.
    fn blank_behind(&mut self, expression: Span, whole: Span) {
        self.blank(Span::new(expression.end, whole.end));
    }

    /// Blanks out the text from `start` up to `next` and moves its line feeds behind `next`, where
    /// JavaScript allows them. `end` is the end of the type in that text. Returns false if that is
    /// not necessary, or if `next` does not follow the type.
    fn blank_up_to(&mut self, start: usize, end: u32, next: &str) -> bool {
        let rest = self.source[end as usize..].trim_start();
        let Some(rest) = rest.strip_prefix(next) else {
            return false;
        };
        let end = self.source.len() - rest.len();
        let lines = self.source[start..end].matches('\n').count();
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return false;
        };
        if lines > 0 {
            let code = format!(" {next}{}", "\n".repeat(lines));
            self.edits.replace(start, end, code);
        }
        lines > 0
    }

    /// Blanks out the TypeScript modifiers before a member's name.
    fn modifiers(&mut self, member: Span, key: Span, is_marked: bool) {
        const WORDS: [&str; 5] = ["public", "private", "protected", "readonly", "override"];
        if !is_marked {
            return;
        }
        let mut at = member.start;
        let head = self.text(Span::new(member.start, key.start)).to_owned();
        for word in head.split_inclusive(char::is_whitespace) {
            let length = u32::try_from(word.len()).unwrap_or_default();
            if WORDS.contains(&word.trim()) {
                self.blank(Span::new(at, at + length));
            }
            at += length;
        }
    }

    /// Returns the offset of the `?` after a member's name.
    fn mark_after(&self, key: Span) -> u32 {
        let rest = &self.source[key.end as usize..];
        let offset = rest.find('?').unwrap_or_default();
        key.end + u32::try_from(offset).unwrap_or_default()
    }

    fn refuse(&mut self, span: Span, message: &'static str) {
        self.refused.get_or_insert((span.start, message));
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        if import.import_kind == ImportOrExportKind::Type {
            return self.blank_item(import.span);
        }
        let module = format!("{IMPORTS}[{}]", self.text(import.source.span));
        let mut declared = Vec::new();
        let mut named = Vec::new();
        for specifier in import.specifiers.iter().flatten() {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    if one.import_kind == ImportOrExportKind::Type {
                        continue;
                    }
                    let imported = match &one.imported {
                        ModuleExportName::StringLiteral(name) => self.text(name.span).to_owned(),
                        name => name.name().to_string(),
                    };
                    named.push(format!("{imported}: {}", one.local.name));
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                    declared.push(format!("{} = {module}.default", one.local.name));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                    declared.push(format!("{} = {module}", one.local.name));
                }
            }
        }
        if !named.is_empty() {
            declared.push(format!("{{ {} }} = {module}", named.join(", ")));
        }
        let mut code = if declared.is_empty() {
            module
        } else {
            format!("const {}", declared.join(", "))
        };
        code.push(';');
        let lines = self.text(import.span).matches('\n').count();
        code.extend(std::iter::repeat_n('\n', lines));
        self.edits.replace(import.span.start, import.span.end, code);
    }

    /// Assigns `default` of a named export at the end of the file, because the variable may be
    /// declared below. Other names are ignored, because no other file imports this one.
    fn export(&mut self, export: &ExportNamedDeclaration<'_>) {
        self.blank_item(export.span);
        let is_value = |kind: ImportOrExportKind| kind == ImportOrExportKind::Value;
        let default = export.specifiers.iter().find(|one| {
            one.exported.name() == "default"
                && is_value(one.export_kind)
                && is_value(export.export_kind)
        });
        if let (Some(default), Ok(end)) = (default, u32::try_from(self.source.len())) {
            let code = format!("\n{DEFAULT_EXPORT} = {};", default.local.name());
            self.edits.insert(end, code);
        }
    }
}

impl<'a> Visit<'a> for Rewriter<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDefaultDeclaration(export) => {
                let inner = export.declaration.span();
                if matches!(
                    export.declaration,
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
                ) {
                    return self.blank_item(export.span);
                }
                let start = Span::new(export.span.start, inner.start);
                let kept = self.text(start).matches('\n').count();
                let code = format!("{DEFAULT_EXPORT} = ({}", "\n".repeat(kept));
                self.edits.replace(start.start, start.end, code);
                walk::walk_statement(self, it);
                self.edits.insert(inner.end, ");");
            }
            Statement::ExportDeclaration(export) => {
                let inner = export.declaration.span();
                self.blank(Span::new(export.span.start, inner.start));
                walk::walk_statement(self, it);
            }
            Statement::ExportNamedDeclaration(export) => self.export(export),
            Statement::ExportFromDeclaration(_) | Statement::ExportAllDeclaration(_) => {
                self.refuse(
                    it.span(),
                    "a file of its own cannot export what others have",
                );
            }
            _ => walk::walk_statement(self, it),
        }
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        let before = self.source[..it.span.start as usize].trim_end();
        // `(x): T => x`, where no line feed may precede the arrow.
        if before.ends_with(')') && self.blank_up_to(before.len(), it.span.end, "=>") {
            return;
        }
        // `x?: T` and `x!: T`.
        let mark = before.ends_with(['?', '!']);
        let start = if mark {
            u32::try_from(before.len() - 1).unwrap_or(it.span.start)
        } else {
            it.span.start
        };
        self.blank(Span::new(start, it.span.end));
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(
                it.span,
                "a parameter that is a property, too, needs a compiler of TypeScript",
            );
        }
        if it.optional && it.type_annotation.is_none() {
            let end = it.pattern.span().end;
            self.blank(Span::new(end, it.span.end));
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_behind(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_behind(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_behind(it.expression.span(), it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        let before = self.source[..it.span.start as usize].trim_end();
        // `async <T>(x: T) => x`, where no line feed may follow `async`.
        if before.ends_with("async") && self.blank_up_to(before.len(), it.span.end, "(") {
            return;
        }
        self.blank(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.blank_item(it.span);
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.blank_item(it.span);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            return self.blank_item(it.span);
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        // Signature of an overload, without a body.
        if it.body.is_none() {
            return self.blank_item(it.span);
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return self.blank_item(it.span);
        }
        if it.r#abstract {
            self.refuse(it.span, "an abstract class needs a compiler of TypeScript");
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = self.source[..first.span.start as usize].trim_end();
            let start = before.len().saturating_sub("implements".len());
            let start = u32::try_from(start).unwrap_or(first.span.start);
            self.blank(Span::new(start, last.span.end));
        }
        if let Some(id) = &it.id {
            self.visit_binding_identifier(id);
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        it.decorators
            .iter()
            .for_each(|one| self.visit_decorator(one));
        self.visit_class_body(&it.body);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare {
            return self.blank_item(it.span);
        }
        let is_marked = it.accessibility.is_some() || it.readonly || it.r#override;
        self.modifiers(it.span, it.key.span(), is_marked);
        if it.optional && it.type_annotation.is_none() {
            let end = self.mark_after(it.key.span());
            self.blank(Span::new(end, end + 1));
        }
        walk::walk_property_definition(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        // Signature of an overload, without a body.
        if it.value.body.is_none() {
            return self.blank_item(it.span);
        }
        let is_marked = it.accessibility.is_some() || it.r#override;
        self.modifiers(it.span, it.key.span(), is_marked);
        if it.optional {
            let end = self.mark_after(it.key.span());
            self.blank(Span::new(end, end + 1));
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_ts_index_signature(&mut self, it: &TSIndexSignature<'a>) {
        self.blank_item(it.span);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        let rest = &self.source[it.span.end as usize..];
        let comma = rest.len() - rest.trim_start().len();
        let is_followed = rest[comma..].starts_with(',');
        let more = u32::try_from(comma + 1).unwrap_or_default();
        let end = it.span.end + if is_followed { more } else { 0 };
        self.blank(Span::new(it.span.start, end));
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.refuse(
            it.span,
            "an `enum` needs a compiler of TypeScript; use an object",
        );
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.refuse(
            it.span,
            "a `namespace` needs a compiler of TypeScript; use an object",
        );
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.refuse(it.span, "`<T>x` is not understood here; write `x as T`");
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "a decorator needs a compiler of TypeScript");
    }
}

#[cfg(test)]
mod tests {
    use super::{cell_of_module, module_calls};

    /// Files, each with the expected cell (runs of spaces are collapsed) or error.
    const ROWS: [(&str, &str); 23] = [
        (
            "class A<T> extends B<T> implements C, D<T> { private readonly a: T; static b?; c!: T; m(): void; m(this: A, x?: T): void {} [k: string]: T }",
            "class A extends B { a ; static b ; c ; m( x ) {} }",
        ),
        (
            "declare const a: string; declare class B {} let c",
            " let c",
        ),
        (
            "abstract class A {}",
            "line 1, column 1: an abstract class needs a compiler of TypeScript",
        ),
        (
            "import { definePrompt } from '@standardagents/spec';\nexport default definePrompt({ a: 1 });",
            "const { definePrompt: definePrompt } = $imports['@standardagents/spec'];\n$default = (definePrompt({ a: 1 }));;",
        ),
        (
            "import z, {\n  object as o,\n  type Infer,\n} from \"zod\"; o",
            "const z = $imports[\"zod\"].default, { object: o } = $imports[\"zod\"];\n\n\n o",
        ),
        ("import * as z from 'zod'", "const z = $imports['zod'];"),
        ("import type { A } from 'x'\n1", " \n1"),
        ("const a: string = 'x' as const;", "const a = 'x' ;"),
        (
            "const f = <T,>(x?: T, y?): T | undefined => x!;",
            "const f = (x , y ) => x ;",
        ),
        (
            "const f = (x: T): {\n  a: T,\n} => ({\n  a: x });",
            "const f = (x ) =>\n\n ({\n a: x });",
        ),
        (
            "const f = async <\n  T,\n>(x: T) => x;",
            "const f = async (\n\nx ) => x;",
        ),
        ("interface A { b: string }\nlet c", " \nlet c"),
        ("type A =\n  | 'b';\nlet c", " \n \nlet c"),
        ("const a = { b: 1 } satisfies B<C>;", "const a = { b: 1 } ;"),
        ("new Map<string, number>()", "new Map ()"),
        ("export const a = 1; export { a };", " const a = 1; "),
        (
            "export { a as b, c as default };\nconst a = 1, c = 2",
            " \nconst a = 1, c = 2\n$default = c;",
        ),
        (
            "const a = [1]\ntype B = { c: string };\n// d\n[2].map(e)",
            "const a = [1]\n; \n// d\n[2].map(e)",
        ),
        ("a\ninterface B {}\n(c)", "a\n; \n(c)"),
        (
            "class A { a = 1\n declare b: T;\n [c] = 2 }",
            "class A { a = 1\n ; \n [c] = 2 }",
        ),
        (
            "let a;\nenum B { C }",
            "line 2, column 1: an `enum` needs a compiler of TypeScript; use an object",
        ),
        (
            "export * from './b'",
            "line 1, column 1: a file of its own cannot export what others have",
        ),
        ("let = ;", "line 1, column 7: Unexpected token"),
    ];

    #[test]
    fn rewrites_modules_to_cells() {
        for (file, expected) in ROWS {
            let cell = match cell_of_module(file, true) {
                Ok(cell) => cell,
                Err(error) => format!(
                    "line {}, column {}: {}",
                    error.line, error.column, error.message
                ),
            };
            let mut last = 'x';
            let once = cell.chars().filter(|char| {
                let is_more = *char == ' ' && last == ' ';
                last = *char;
                !is_more
            });
            assert_eq!(once.collect::<String>(), expected, "{file}");
        }
        assert!(cell_of_module("const a: string = 1", false).is_err());
    }

    #[test]
    fn finds_calls_in_all_forms() {
        let import = "import { define } from 'm';\n";
        let rows = [
            ("define({})", true),
            ("define<'a', never>({})", true),
            ("define\n({})", true),
            ("define ({})", true),
            ("(define)({})", true),
            ("import { define as d } from 'm'; d({})", true),
            ("import * as m from 'm'; m.define({})", true),
            ("define(", true),
            ("// define({})", false),
            ("'define({})'", false),
            ("other({ define })", false),
            ("1", false),
        ];
        for (code, expected) in rows {
            for code in [code.to_owned(), format!("{import}{code}")] {
                if code.matches("import").count() < 2 {
                    assert_eq!(module_calls(&code, true, "define"), expected, "{code}");
                }
            }
        }
    }
}
