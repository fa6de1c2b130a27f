//! Formulas of a property file over the names of a model.

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::dve::syntax::ast::{self as syntax, Expr};
use crate::sequential::spans::expression_without_spans;
use crate::sequential::{ExprKind, Formula, Property, PropertyKind};
use crate::source::Span;
use crate::text::{Line, Lines};

/// The names of questions that are no properties of a model.
const BUILT_IN: [&str; 2] = ["deadlock", "error"];

/// The name of the line that says which states may end.
const END: &str = "ends";

impl Lowering<'_> {
    /// The properties of the lines of a property file; spans of the model's text are none of theirs.
    pub(super) fn formulas(&mut self, lines: &Lines<syntax::ExprKind>) -> Vec<Property> {
        for word in &lines.words {
            if self.meaning(&word.text, None).is_some() {
                let message = format!("`{}` is an operator of formulas and a name of the model", word.text);
                let help = "the model's name cannot be used here: rename it; `[]` and `<>` are `G` and `F`";
                self.error(codes::DVE_DUPLICATE, word.span, message, help);
                return Vec::new();
            }
        }
        let mut properties: Vec<Property> = Vec::new();
        for Line { name, formula } in &lines.list {
            let own = self.model.properties.iter().chain(&properties).map(|property| property.name.as_str());
            if own.chain(BUILT_IN).any(|known| known == name.text) {
                let message = format!("there already is a property `{}`", name.text);
                let diagnostic = Diagnostic::error(codes::DUPLICATE_PROPERTY, name.span, message);
                self.sink.push(diagnostic.help("choose another name"));
                continue;
            }
            if let (true, ltl::Formula::Atom(condition)) = (name.text == END, formula) {
                let kind = PropertyKind::End(self.atom(condition));
                properties.push(Property { name: name.text.clone(), kind, span: Span::NONE });
                continue;
            }
            let formula: Formula = formula.map(&mut |atom| self.atom(atom));
            properties.push(Property { name: name.text.clone(), kind: PropertyKind::Ltl(formula), span: Span::NONE });
        }
        properties
    }

    /// A condition; what has a fault is reported, and stands for `true`.
    fn atom(&mut self, tree: &Expr) -> crate::sequential::Expr {
        let condition = self.condition(tree, None);
        let condition = condition.unwrap_or_else(|| crate::sequential::Expr::new(ExprKind::Int(1), Span::NONE));
        expression_without_spans(&condition)
    }
}
