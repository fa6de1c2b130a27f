//! Formulas of a property file over the names of a model: each condition becomes a property of the program, which a formula
//! names by its number. The line `ends: condition` says which states may end.

use ltl::Formula;

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::murphi::print::expression;
use crate::murphi::program::{BUILT_IN, END, Frame, Property, Temporal};
use crate::murphi::syntax::ast::{self as syntax, Expr, PropertyKind};
use crate::source::Span;
use crate::text::{Line, Lines};

impl Lowering<'_> {
    /// Adds the formulas of a property file to the program.
    pub(super) fn lines(&mut self, lines: &Lines<syntax::ExprKind>) {
        for word in &lines.words {
            if self.meaning(&word.text).is_some() {
                let message = format!("`{}` is an operator of formulas and a name of the model", word.text);
                let help = "the model's name cannot be used here: rename it; `[]` and `<>` are `G` and `F`";
                self.error(codes::MURPHI_DUPLICATE, word.span, message, help);
                return;
            }
        }
        for line in &lines.list {
            self.line(line);
        }
        let properties = &self.program.properties;
        let is_atom = |&number: &usize| properties.get(number).is_some_and(|one| one.kind == PropertyKind::Atom);
        let mut atoms = self.program.formulas.iter().flat_map(|one| one.formula.atoms());
        assert!(atoms.all(is_atom), "formulas are over conditions of the program");
    }

    fn line(&mut self, Line { name, formula }: &Line<syntax::ExprKind>) {
        let is_taken =
            BUILT_IN.contains(&name.text.as_str()) || self.program.claims().iter().any(|claim| claim.name == name.text);
        if is_taken {
            let message = format!("there already is a property `{}`", name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_PROPERTY, name.span, message);
            self.sink.push(diagnostic.help("choose another name"));
            return;
        }
        if let (true, Formula::Atom(condition)) = (name.text == END, formula) {
            if let Some(number) = self.atom(condition) {
                let end = &mut self.program.properties[number];
                (end.kind, end.name) = (PropertyKind::End, String::new());
            }
            return;
        }
        let mut is_whole = true;
        let formula = formula.map(&mut |atom| {
            let number = self.atom(atom);
            is_whole &= number.is_some();
            number.unwrap_or(0)
        });
        if is_whole {
            self.program.formulas.push(Temporal { name: name.text.clone(), formula });
        }
    }

    /// The number of a condition among the properties.
    fn atom(&mut self, expr: &Expr) -> Option<usize> {
        self.frame = Frame::default();
        let condition = self.pure(expr.span, |lowering| lowering.condition(expr))?;
        let frame = std::mem::take(&mut self.frame);
        let header = Vec::new();
        let kind = PropertyKind::Atom;
        self.program.properties.push(Property {
            kind,
            name: expression(expr),
            header,
            frame,
            condition,
            span: Span::NONE,
        });
        Some(self.program.properties.len() - 1)
    }
}
