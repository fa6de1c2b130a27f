//! Names in expressions, and binders.
//!
//! All operands are resolved even after a fault, so that each unknown name is reported.

use super::{Bound, Lowering, MAX_EXPANSION, Meaning};
use crate::diagnostics::{Diagnostic, MAX_KEPT, codes, did_you_mean, every, sorted};
use crate::sequential::syntax::ast::{self, Binder, Name};
use crate::sequential::{Expr, ExprKind, ParameterId, Place, Quantified, SortId, ValueKind};
use crate::source::Span;

impl Lowering<'_> {
    /// Brings a name into scope, under a fresh name if it hides another.
    pub(super) fn bind(&mut self, source: &str, sort: Option<SortId>) {
        let hides = |name: &str, lowering: &Self| {
            let global = lowering.names.get(name).is_some_and(|(meaning, _)| {
                matches!(meaning, Meaning::Table(_) | Meaning::Member(..) | Meaning::Variable(_))
            });
            let local = lowering.locals.iter().any(|local| local.name == name);
            global || local || lowering.scope.iter().any(|bound| bound.name == name)
        };
        let mut name = source.to_owned();
        if hides(source, self) {
            let free = |name: &String| !hides(name, self) && !self.names.contains_key(name);
            name = (1..).map(|number| format!("{source}_{number}")).find(free).unwrap_or(name);
        }
        self.scope.push(Bound { source: source.to_owned(), name, sort });
    }

    /// As [`Self::bind`], for binders of one list: two with the same name are reported.
    pub(super) fn bind_distinct(&mut self, name: &Name, sort: Option<SortId>) {
        if self.scope.iter().any(|bound| bound.source == name.text) {
            let message = format!("`{}` is bound twice", name.text);
            self.error(codes::LPE_DUPLICATE, name.span, message, "rename one of them");
        }
        self.bind(&name.text, sort);
    }

    /// The expression that a tree means; `None` after a fault.
    pub(super) fn resolve(&mut self, tree: &ast::Expr) -> Option<Expr> {
        let kind = match &tree.kind {
            ast::ExprKind::Int(value) => ExprKind::Int(*value),
            ast::ExprKind::Access(name, indices) => return self.access(name, indices, tree.span),
            ast::ExprKind::Negate(inner) => ExprKind::Negate(Box::new(self.resolve(inner)?)),
            ast::ExprKind::Not(inner) => ExprKind::Not(Box::new(self.resolve(inner)?)),
            ast::ExprKind::PopCount(inner) => ExprKind::PopCount(Box::new(self.resolve(inner)?)),
            ast::ExprKind::Binary(op, left, right) => {
                let (left, right) = self.both(left, right)?;
                ExprKind::Binary(*op, left, right)
            }
            ast::ExprKind::Implies(left, right) => {
                let (left, right) = self.both(left, right)?;
                ExprKind::Implies(left, right)
            }
            ast::ExprKind::And(list) => ExprKind::And(flat(self.all(list)?, |kind| match kind {
                ExprKind::And(list) => Ok(list),
                other => Err(other),
            })),
            ast::ExprKind::Or(list) => ExprKind::Or(flat(self.all(list)?, |kind| match kind {
                ExprKind::Or(list) => Ok(list),
                other => Err(other),
            })),
            ast::ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.resolve(condition);
                let (then, otherwise) = self.both(then, otherwise)?;
                ExprKind::Ite(Box::new(condition?), then, otherwise)
            }
            ast::ExprKind::Quantified(all, binder, body) => self.quantified(*all, binder, body)?,
            ast::ExprKind::Temporal1(..) | ast::ExprKind::Temporal2(..) => {
                let message = "a temporal operator inside a condition";
                let help = "only `!`, `&&`, `||` and `=>` join formulas: write the cases of a quantifier out";
                return self.refuse(codes::LPE_TEMPORAL, tree.span, message, help);
            }
        };
        Some(Expr::new(kind, tree.span))
    }

    fn both(&mut self, left: &ast::Expr, right: &ast::Expr) -> Option<(Box<Expr>, Box<Expr>)> {
        let (left, right) = (self.resolve(left), self.resolve(right));
        Some((Box::new(left?), Box::new(right?)))
    }

    /// All expressions of a list, or `None` after a fault in one.
    pub(super) fn all(&mut self, list: &[ast::Expr]) -> Option<Vec<Expr>> {
        every(list.iter().map(|tree| self.resolve(tree)))
    }

    fn quantified(&mut self, all: bool, binder: &Binder, body: &ast::Expr) -> Option<ExprKind> {
        let sort = self.sort(&binder.sort);
        self.bind(&binder.name.text, sort);
        let body = self.resolve(body);
        let bound = self.scope.pop()?;
        let quantified = Box::new(Quantified { name: bound.name, sort: sort?, body: body? });
        Some(if all { ExprKind::Forall(quantified) } else { ExprKind::Exists(quantified) })
    }

    fn access(&mut self, name: &Name, indices: &[ast::Expr], span: Span) -> Option<Expr> {
        let indices = self.all(indices);
        let position = self.scope.iter().rposition(|bound| bound.source == name.text);
        let local = self.locals.iter().rev().find(|local| local.name == name.text);
        if let Some(local) = local.filter(|local| position.is_none_or(|position| position < local.depth)) {
            let variable = local.id?;
            return Some(Expr::new(ExprKind::Read(Place { variable, indices: indices?, span }), span));
        }
        if let Some(position) = position {
            self.scope[position].sort?;
            return self.scalar_access(ExprKind::Parameter(ParameterId::from_index(position)), name, &indices?, span);
        }
        let Some(&(meaning, _)) = self.names.get(&name.text) else {
            return self.unknown(name);
        };
        match meaning {
            Meaning::Broken => None,
            Meaning::Variable(_) | Meaning::Proposition(_) if self.constant => {
                let message = format!("`{}` is not a constant", name.text);
                let help = "use literals, constants and tables: this is computed before the process runs";
                self.refuse(codes::LPE_NOT_CONSTANT, name.span, message, help)
            }
            Meaning::Variable(variable) => {
                Some(Expr::new(ExprKind::Read(Place { variable, indices: indices?, span }), span))
            }
            Meaning::Table(table) => Some(Expr::new(ExprKind::Lookup(table, indices?), span)),
            Meaning::Constant(ValueKind::Integer, value) => {
                self.scalar_access(ExprKind::Int(value), name, &indices?, span)
            }
            Meaning::Constant(ValueKind::Member(sort), value) => {
                let member = ExprKind::Member(sort, value.cast_unsigned());
                self.scalar_access(member, name, &indices?, span)
            }
            Meaning::Member(sort, index) => self.scalar_access(ExprKind::Member(sort, index), name, &indices?, span),
            Meaning::Proposition(index) => {
                let value = self.expansion(index, name.span)?;
                self.scalar_access(value.kind, name, &indices?, span)
            }
        }
    }

    /// A use of an object without dimensions.
    fn scalar_access(&mut self, kind: ExprKind, name: &Name, indices: &[Expr], span: Span) -> Option<Expr> {
        if !indices.is_empty() {
            let message = format!("`{}` takes no index, given: {}", name.text, indices.len());
            return self.refuse(codes::LPE_INDEXING, span, message, "remove the indices");
        }
        Some(Expr::new(kind, span))
    }

    /// A proposition, expanded at the current place.
    fn expansion(&mut self, index: usize, span: Span) -> Option<Expr> {
        let size = size(&self.model.propositions[index].value);
        if self.expanded.saturating_add(size) > MAX_EXPANSION {
            let message = "the properties are too large once their propositions are expanded";
            return self.refuse(codes::LPE_EXPANSION, span, message, "use smaller properties");
        }
        self.expanded += size;
        let mut value = self.model.propositions[index].value.clone();
        let depth = self.scope.len();
        self.relocate(&mut value, depth);
        Some(value)
    }

    /// Moves an expression without free parameters below the binders in scope.
    fn relocate(&mut self, expr: &mut Expr, depth: usize) {
        match &mut expr.kind {
            ExprKind::Parameter(id) => *id = ParameterId::from_index(id.index() + depth),
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                let name = std::mem::take(&mut quantified.name);
                self.bind(&name, Some(quantified.sort));
                self.relocate(&mut quantified.body, depth);
                if let Some(bound) = self.scope.pop() {
                    quantified.name = bound.name;
                }
            }
            _ => expr.operands_mut().into_iter().for_each(|operand| self.relocate(operand, depth)),
        }
    }

    /// Whether a search for similar names pays: after the first diagnostics, further ones are only counted.
    pub(super) fn suggests(&self) -> bool {
        self.sink.errors < MAX_KEPT
    }

    pub(super) fn unknown<T>(&mut self, name: &Name) -> Option<T> {
        let message = format!("there is no `{}` here", name.text);
        let diagnostic = Diagnostic::error(codes::LPE_UNKNOWN_NAME, name.span, message);
        let diagnostic = if let Some(&below) = self.constants.get(name.text.as_str()) {
            diagnostic.related(below, "it is declared below").help("move the constant above its use")
        } else {
            let bound = self.scope.iter().map(|bound| bound.source.as_str()).filter(|name| !name.is_empty());
            let bound = bound.chain(self.locals.iter().map(|local| local.name.as_str()));
            let global = if self.suggests() { sorted(self.names.keys()) } else { Vec::new() };
            let near = did_you_mean(&name.text, bound.chain(global));
            diagnostic.help(near.unwrap_or_else(|| "declare it, or correct the name".into()))
        };
        self.sink.push(diagnostic);
        None
    }
}

/// Replaces operands of the same form by their own operands.
fn flat(list: Vec<Expr>, open: impl Fn(ExprKind) -> Result<Vec<Expr>, ExprKind>) -> Vec<Expr> {
    let mut result = Vec::with_capacity(list.len());
    for operand in list {
        match open(operand.kind) {
            Ok(inner) => result.extend(inner),
            Err(kind) => result.push(Expr::new(kind, operand.span)),
        }
    }
    result
}

/// The number of parts of an expression.
pub(super) fn size(expr: &Expr) -> usize {
    1 + expr.operands().into_iter().map(size).sum::<usize>()
}

/// The height of an expression.
pub(super) fn height(expr: &Expr) -> usize {
    1 + expr.operands().into_iter().map(height).max().unwrap_or(0)
}
