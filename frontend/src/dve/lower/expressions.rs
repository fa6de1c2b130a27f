//! Expressions: names are resolved, and numbers that stand for conditions are compared with 0.
//!
//! Operations are those of 32 bits; what the type of a variable does not hold is a fault of the assignment. `/` and `%` round towards zero; where both operands cannot be negative, the floored
//! operators of the sequential form give the same.

use super::{Lowering, Meaning};
use crate::diagnostics::{codes, did_you_mean, sorted};
use crate::dve::syntax::ast::{self, ExprKind as Tree, Infix, Name, UnaryOp};
use crate::sequential::interpret::evaluate_within;
use crate::sequential::{BinaryOp, Expr, ExprKind, Place, SortId, Typing, Values};
use crate::source::Span;

impl Lowering<'_> {
    /// The expression that a tree means in a process, or outside of processes; `None` after a fault.
    pub(super) fn expression(&mut self, tree: &ast::Expr, process: Option<usize>) -> Option<Expr> {
        let span = tree.span;
        match &tree.kind {
            Tree::Int(value) => Some(Expr::new(ExprKind::Int(*value), span)),
            Tree::Data(name, index) => {
                let Some(meaning) = self.meaning(&name.text, process) else {
                    return self.unknown(name, process);
                };
                self.access(name, meaning, index.as_deref(), span, process)
            }
            Tree::Foreign(owner, name, index) => {
                let of = self.process_named(owner)?;
                let Some(known) = self.processes[of].names.get(&name.text).copied() else {
                    return self.unknown(name, Some(of));
                };
                self.access(name, known.meaning, index.as_deref(), span, process)
            }
            Tree::InState(owner, state) => {
                let of = self.process_named(owner)?;
                let number = self.state(state, of)?;
                self.in_state(of, number, span)
            }
            Tree::Unary(op, inner) => self.unary(*op, inner, span, process),
            Tree::Binary(op, left, right) => {
                let (left, right) = (self.expression(left, process), self.expression(right, process));
                Some(self.binary(*op, left?, right?, span))
            }
        }
    }

    /// A condition: a number is compared with 0.
    pub(super) fn condition(&mut self, tree: &ast::Expr, process: Option<usize>) -> Option<Expr> {
        let expr = self.expression(tree, process)?;
        Some(self.truth(expr))
    }

    /// The variable or element that a tree means.
    pub(super) fn place(&mut self, tree: &ast::Expr, process: usize) -> Option<Place> {
        let expr = self.expression(tree, Some(process))?;
        match expr.kind {
            ExprKind::Read(place) => Some(place),
            _ => {
                let message = "this cannot be assigned to";
                let help = "assign to a variable of the process or a global one";
                self.refuse(codes::DVE_NOT_VARIABLE, tree.span, message, help)
            }
        }
    }

    /// Whether a process is in a state.
    pub(super) fn in_state(&mut self, process: usize, state: i32, span: Span) -> Option<Expr> {
        let Some(control) = self.processes[process].control else {
            let message = "the process that is the property has no state that others see";
            return self.refuse(codes::DVE_PROPERTY, span, message, "name another process");
        };
        assert!(self.model.domain(control.sort).contains(state), "a state is one of its process");
        let variable = Expr::new(ExprKind::Read(Place { variable: control.variable, indices: Vec::new(), span }), span);
        let member = Expr::new(ExprKind::Member(control.sort, state.cast_unsigned()), span);
        Some(Expr::new(ExprKind::Binary(BinaryOp::Equal, Box::new(variable), Box::new(member)), span))
    }

    /// Whether a sort holds all values that an expression may have.
    pub(super) fn fits(&self, value: &Expr, sort: SortId) -> bool {
        let (low, high) = self.model.domain(sort).bounds();
        matches!(self.values(value), Some(Values::Range { low: least, high: most }) if low <= least && most <= high)
    }

    fn values(&self, expr: &Expr) -> Option<Values> {
        Typing::new(&self.model, Vec::new()).values(expr)
    }

    /// An expression as a condition.
    fn truth(&self, expr: Expr) -> Expr {
        if self.values(&expr).is_some_and(Values::is_condition) {
            return expr;
        }
        let span = expr.span;
        let zero = Expr::new(ExprKind::Int(0), span);
        Expr::new(ExprKind::Binary(BinaryOp::NotEqual, Box::new(expr), Box::new(zero)), span)
    }

    fn unary(&mut self, op: UnaryOp, inner: &ast::Expr, span: Span, process: Option<usize>) -> Option<Expr> {
        let inner = self.expression(inner, process)?;
        Some(match op {
            UnaryOp::Not => Expr::new(ExprKind::Not(Box::new(self.truth(inner))), span),
            UnaryOp::Negate => self.folded(Expr::new(ExprKind::Negate(Box::new(inner)), span)),
            UnaryOp::Complement => {
                let ones = Expr::new(ExprKind::Int(-1), span);
                self.folded(Expr::new(ExprKind::Binary(BinaryOp::Xor, Box::new(inner), Box::new(ones)), span))
            }
        })
    }

    fn binary(&self, op: Infix, left: Expr, right: Expr, span: Span) -> Expr {
        let is_condition = |expr: &Expr| self.values(expr).is_some_and(Values::is_condition);
        // Bits of conditions: the right operand may be left out if evaluating it has no other effect.
        let are_conditions = is_condition(&left) && is_condition(&right) && !may_fault(&right);
        match op {
            Infix::And => conjunction(vec![self.truth(left), self.truth(right)], span),
            Infix::Or => disjunction(vec![self.truth(left), self.truth(right)], span),
            Infix::Imply => {
                let (left, right) = (self.truth(left), self.truth(right));
                Expr::new(ExprKind::Implies(Box::new(left), Box::new(right)), span)
            }
            Infix::On(BinaryOp::BitAnd) if are_conditions => conjunction(vec![left, right], span),
            Infix::On(BinaryOp::BitOr) if are_conditions => disjunction(vec![left, right], span),
            Infix::On(op) => {
                let is_positive = |expr: &Expr| matches!(self.values(expr), Some(Values::Range { low: 0.., .. }));
                let floored = is_positive(&left) && is_positive(&right);
                let op = match op {
                    BinaryOp::Quotient if floored => BinaryOp::Divide,
                    BinaryOp::Remainder if floored => BinaryOp::Modulo,
                    op => op,
                };
                self.folded(Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span))
            }
        }
    }

    /// The value of an operation on literals, unless it faults.
    fn folded(&self, expr: Expr) -> Expr {
        if !expr.operands().iter().all(|operand| matches!(operand.kind, ExprKind::Int(_))) {
            return expr;
        }
        match evaluate_within(&self.model, &expr, &[], &mut u64::from(u32::MAX)) {
            Ok(value) => Expr::new(ExprKind::Int(value), expr.span),
            Err(_) => expr,
        }
    }

    fn access(
        &mut self,
        name: &Name,
        meaning: Meaning,
        index: Option<&ast::Expr>,
        span: Span,
        process: Option<usize>,
    ) -> Option<Expr> {
        let index = match index {
            Some(index) => Some(self.expression(index, process)?),
            None => None,
        };
        let is_array = match meaning {
            Meaning::Constant(_) => false,
            Meaning::Table(_) => true,
            Meaning::Variable(id) => !self.model.variable(id).indices.is_empty(),
            Meaning::Broken => return None,
            Meaning::Channel(_) | Meaning::Process(_) | Meaning::State(_) => {
                let message = format!("`{}` has no value", name.text);
                let help = "use a variable or a constant; `P.s` tells whether the process `P` is in the state `s`";
                return self.refuse(codes::DVE_WRONG_NAME, name.span, message, help);
            }
        };
        if is_array != index.is_some() {
            let (message, help) = if is_array {
                (format!("`{}` is an array", name.text), "give an index in brackets")
            } else {
                (format!("`{}` is not an array", name.text), "remove the index")
            };
            return self.refuse(codes::DVE_INDEXING, span, message, help);
        }
        let indices: Vec<Expr> = index.into_iter().collect();
        Some(match meaning {
            Meaning::Constant(value) => Expr::new(ExprKind::Int(value), span),
            Meaning::Table(table) => Expr::new(ExprKind::Lookup(table, indices), span),
            Meaning::Variable(variable) => Expr::new(ExprKind::Read(Place { variable, indices, span }), span),
            _ => unreachable!("other meanings have no value"),
        })
    }

    fn process_named(&mut self, name: &Name) -> Option<usize> {
        match self.known(name, None)? {
            Meaning::Process(process) => Some(process),
            _ => self.misused(name, "a process", "name a process"),
        }
    }

    /// The number of a state of a process.
    pub(super) fn state(&mut self, name: &Name, process: usize) -> Option<i32> {
        match self.known(name, Some(process))? {
            Meaning::State(state) => Some(state),
            _ => self.misused(name, "a state", "variables of a process are named `P->x`"),
        }
    }

    /// The meaning of a name in the scope of a process, or in that of the whole text.
    fn known(&mut self, name: &Name, process: Option<usize>) -> Option<Meaning> {
        let known = self.scope(process).get(&name.text).map(|known| known.meaning);
        known.or_else(|| self.unknown(name, process)).filter(|meaning| !matches!(meaning, Meaning::Broken))
    }

    /// Reports that a name means something else than what is needed.
    pub(super) fn misused<T>(&mut self, name: &Name, needed: &str, help: &str) -> Option<T> {
        self.refuse(codes::DVE_WRONG_NAME, name.span, format!("`{}` is not {needed}", name.text), help)
    }

    pub(super) fn unknown<T>(&mut self, name: &Name, process: Option<usize>) -> Option<T> {
        let local = process.map(|process| self.processes[process].names.keys());
        let near = sorted(local.into_iter().flatten().chain(self.globals.keys()));
        let help = did_you_mean(&name.text, near);
        let help = help.unwrap_or_else(|| "declare it, or correct the name".into());
        self.refuse(codes::DVE_UNKNOWN_NAME, name.span, format!("there is no `{}` here", name.text), help)
    }
}

/// Whether evaluating an expression may fault; too often rather than too rarely.
pub(super) fn may_fault(expr: &Expr) -> bool {
    let own = match &expr.kind {
        ExprKind::Int(_) | ExprKind::Member(..) | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => false,
        ExprKind::Read(place) => !place.indices.is_empty(),
        ExprKind::Binary(op, ..) => !op.is_comparison(),
        _ => true,
    };
    own || expr.operands().into_iter().any(may_fault)
}

/// All of the conditions: `true` for none, without conditions that are `true`.
pub(super) fn conjunction(list: Vec<Expr>, span: Span) -> Expr {
    joined(list, true, span)
}

/// One of the conditions: `false` for none.
pub(super) fn disjunction(list: Vec<Expr>, span: Span) -> Expr {
    joined(list, false, span)
}

fn joined(list: Vec<Expr>, is_and: bool, span: Span) -> Expr {
    let mut operands = Vec::with_capacity(list.len());
    for operand in list {
        match operand.kind {
            ExprKind::And(inner) if is_and => operands.extend(inner),
            ExprKind::Or(inner) if !is_and => operands.extend(inner),
            ExprKind::Int(1) if is_and => {}
            kind => operands.push(Expr::new(kind, operand.span)),
        }
    }
    match operands.len() {
        0 => Expr::new(ExprKind::Int(i32::from(is_and)), span),
        1 => operands.swap_remove(0),
        _ => Expr::new(if is_and { ExprKind::And(operands) } else { ExprKind::Or(operands) }, span),
    }
}
