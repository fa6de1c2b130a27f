//! Calls. A function that changes nothing becomes an expression where its body allows that; all others are written out
//! where they are called.
//!
//! An expression of a function follows its statements: assignments to scalar locals are substitutions, branches are `ite`,
//! a loop that only looks for a value to return is `exists`, other loops over few values are unrolled.

use super::build::{self, and, binary, equal, int, ite, or};
use super::lower::{Frame, Lower, Meaning, Result};
use crate::murphi::program::{
    Argument, Base, Binder, BinderValues, Expr as Source, ExprKind as Kind, LocalKind, Place, ProcedureId, Stmt,
    StmtKind, TypeId, Types,
};
use crate::sequential::{BinaryOp, Expr, ExprKind, Quantified};
use crate::source::Span;

/// The most nodes of expressions that the functions of one expression become.
const NODES: usize = 40_000;

/// Statements that are still to come in an expression of a function.
#[derive(Clone, Copy)]
enum Work<'p> {
    Body(&'p [Stmt]),
    Bind(usize, &'p Binder, i32),
}

/// Whether some statement returns.
pub(super) fn may_return(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| {
        let inner = |child| matches!(child, crate::murphi::program::Child::Body(body) if may_return(body));
        matches!(stmt.kind, StmtKind::Return(_)) || stmt.children().into_iter().any(inner)
    })
}

/// Whether statements certainly return or fault.
pub(super) fn ends(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Error(_) => true,
        StmtKind::If(branches, otherwise) => branches.iter().all(|branch| ends(&branch.body)) && ends(otherwise),
        StmtKind::Switch(_, cases, otherwise) => cases.iter().all(|case| ends(&case.body)) && ends(otherwise),
        StmtKind::Alias(_, body) => ends(body),
        _ => false,
    })
}

impl<'p> Lower<'p> {
    pub(super) fn function(&mut self, id: ProcedureId, arguments: &'p [Argument], expr: &'p Source) -> Result<Expr> {
        let procedure = self.program.procedure(id);
        if procedure.changes.state || procedure.changes.parameters || self.open.contains(&id) {
            return self.refuse("a function with effects, or that calls itself, in a condition", expr.span);
        }
        let result = procedure.result.expect("a function");
        assert_eq!(arguments.len(), procedure.parameters, "a function of a condition has every argument");
        let mut locals = vec![Meaning::Nothing; procedure.frame.locals.len()];
        let mut touched = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let of = procedure.frame.locals[number].of;
            locals[number] = match argument {
                Argument::Reference(at) => Meaning::Place(self.place(at)?),
                Argument::Value(value) if self.program.types.is_simple(of) => {
                    let (value, is_partial) = self.argument(value, of)?;
                    touched.extend(self.touched(&value));
                    Meaning::Value(value, is_partial)
                }
                Argument::Value(value) => Meaning::Place(self.whole(value)?),
            };
            if let Meaning::Place(at) = &locals[number] {
                touched.extend(self.touch_place(at)?);
            }
        }
        for (number, local) in procedure.frame.locals.iter().enumerate().skip(arguments.len()) {
            if local.kind == LocalKind::Variable && self.program.types.is_simple(local.of) {
                locals[number] = Meaning::Value(self.undefined(local.of)?, true);
            }
        }
        let outer =
            std::mem::replace(&mut self.frame, Frame { locals, own: &procedure.frame.locals, ..Frame::default() });
        self.open.push(id);
        let value = self.expression_of(&mut vec![Work::Body(&procedure.body)], result);
        let closed = self.open.pop();
        debug_assert_eq!(closed, Some(id), "calls end in reverse order");
        self.frame = outer;
        let value = self.after(touched, value?, expr.of)?;
        self.spend(build::size(&value), expr.span)?;
        Ok(value)
    }

    /// A value in a function, whose nodes are spent.
    fn part(&mut self, expr: &'p Source) -> Result<Expr> {
        let value = self.scalar(expr)?;
        self.spend(build::size(&value), expr.span)?;
        Ok(value)
    }

    fn spend(&mut self, nodes: usize, span: Span) -> Result<()> {
        match self.budget.checked_sub(nodes) {
            Some(rest) => self.budget = rest,
            None => return self.refuse("a function in a condition that would be too long as an expression", span),
        }
        Ok(())
    }

    /// The value that statements return.
    fn expression_of(&mut self, work: &mut Vec<Work<'p>>, result: TypeId) -> Result<Expr> {
        let Some(next) = work.pop() else { return self.fault(result) };
        let body = match next {
            Work::Bind(local, _, code) => {
                let of = self.binder_type(next);
                self.frame.locals[local] = Meaning::Value(self.literal(of, code), false);
                return self.expression_of(work, result);
            }
            Work::Body(body) => body,
        };
        let Some((stmt, rest)) = body.split_first() else { return self.expression_of(work, result) };
        self.spend(1, stmt.span)?;
        work.push(Work::Body(rest));
        self.expression_from(stmt, work, result)
    }

    fn binder_type(&self, work: Work<'p>) -> TypeId {
        match work {
            Work::Bind(_, Binder { values: BinderValues::Type(of), .. }, _) => *of,
            _ => Types::INTEGER,
        }
    }

    /// The value of statements that go on, with the locals of their own.
    fn branch(&mut self, first: &'p [Stmt], work: &[Work<'p>], result: TypeId) -> Result<Expr> {
        let locals = self.frame.locals.clone();
        let mut work = work.to_vec();
        work.push(Work::Body(first));
        let value = self.expression_of(&mut work, result);
        self.frame.locals = locals;
        value
    }

    fn expression_from(&mut self, stmt: &'p Stmt, work: &mut Vec<Work<'p>>, result: TypeId) -> Result<Expr> {
        match &stmt.kind {
            StmtKind::Return(Some(value)) => {
                let found = self.part(value)?;
                self.fitted(found, value.of, result)
            }
            StmtKind::If(branches, otherwise) => {
                if !may_return(std::slice::from_ref(stmt)) {
                    let touched = self.merge(stmt)?;
                    let rest = self.expression_of(work, result)?;
                    return self.after(touched, rest, result);
                }
                let mut list = Vec::new();
                for branch in branches {
                    let condition = self.part(&branch.condition)?;
                    list.push((condition, self.branch(&branch.body, work, result)?));
                }
                let last = self.branch(otherwise, work, result)?;
                Ok(self.joined(list, last, result))
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let subject = self.part(subject)?;
                let mut list = Vec::new();
                for case in cases {
                    for value in &case.values {
                        let value = self.part(value)?;
                        let condition = equal(subject.clone(), value);
                        list.push((condition, self.branch(&case.body, work, result)?));
                    }
                }
                let last = self.branch(otherwise, work, result)?;
                let touched = self.touched(&subject);
                let value = self.joined(list, last, result);
                self.after(touched, value, result)
            }
            StmtKind::Assign(to, value) => {
                let (local, _) = self.assigned(to, stmt.span)?;
                let found = self.part(value)?;
                let found = self.fitted(found, value.of, to.of)?;
                let touched = self.touched(&found);
                self.frame.locals[local] = Meaning::Value(found, false);
                let rest = self.expression_of(work, result)?;
                self.after(touched, rest, result)
            }
            StmtKind::Alias(bindings, body) => {
                let mut touched = Vec::new();
                for binding in bindings {
                    touched.extend(self.bind_purely(binding)?);
                }
                work.push(Work::Body(body));
                let rest = self.expression_of(work, result)?;
                self.after(touched, rest, result)
            }
            StmtKind::For(binder, body) => {
                if let Some((condition, found, of)) = self.search(binder, body, stmt.span)? {
                    let rest = self.expression_of(work, result)?;
                    let found = self.fitted(found, of, result)?;
                    return Ok(self.joined(vec![(condition, found)], rest, result));
                }
                self.unroll(binder, body, stmt.span, work)?;
                self.expression_of(work, result)
            }
            StmtKind::Assert(condition, _) => {
                let condition = self.part(condition)?;
                let rest = self.expression_of(work, result)?;
                let fault = self.fault(result)?;
                Ok(ite(condition, rest, fault))
            }
            StmtKind::Error(_) => self.fault(result),
            _ => self.refuse("a statement of this kind in a function of a condition", stmt.span),
        }
    }

    fn joined(&self, list: Vec<(Expr, Expr)>, last: Expr, of: TypeId) -> Expr {
        let is_condition = self.program.types.class(of) == crate::murphi::program::Class::Boolean;
        list.into_iter().rev().fold(last, |rest, (condition, value)| match (&value.kind, &rest.kind) {
            (ExprKind::Int(1), ExprKind::Int(0)) if is_condition => condition,
            (ExprKind::Int(0), ExprKind::Int(1)) if is_condition => build::not(condition),
            _ => ite(condition, value, rest),
        })
    }

    /// A branch without `return`: each local has one of its values. What evaluating these may fault at.
    fn merge(&mut self, stmt: &'p Stmt) -> Result<Vec<Expr>> {
        let StmtKind::If(branches, otherwise) = &stmt.kind else { panic!("a branch") };
        let [branch] = &branches[..] else {
            return self.refuse("branches of this kind in a function of a condition", stmt.span);
        };
        let condition = self.part(&branch.condition)?;
        let mut touched: Vec<Expr> = self.touched(&condition).into_iter().collect();
        let before = self.frame.locals.clone();
        let lost = self.assignments(&branch.body)?;
        touched.extend(lost.into_iter().map(|one| or(vec![build::not(condition.clone()), one])));
        let then = std::mem::replace(&mut self.frame.locals, before.clone());
        let lost = self.assignments(otherwise)?;
        touched.extend(lost.into_iter().map(|one| or(vec![condition.clone(), one])));
        for (number, then) in then.into_iter().enumerate() {
            let (Meaning::Value(a, partial_a), Meaning::Value(b, partial_b)) = (&then, &self.frame.locals[number])
            else {
                continue;
            };
            if a == b {
                // Both branches evaluate it, unless it is the value of before.
                let is_assigned = !matches!(&before[number], Meaning::Value(before, _) if before == a);
                touched.extend(self.touched(a).filter(|_| is_assigned));
                continue;
            }
            let merged = added(a, b, &condition).filter(|_| !partial_b);
            let merged = merged.unwrap_or_else(|| ite(condition.clone(), a.clone(), b.clone()));
            let is_partial = *partial_a || *partial_b;
            self.spend(build::size(&merged), stmt.span)?;
            touched.extend(self.touched(&merged));
            self.frame.locals[number] = Meaning::Value(merged, is_partial);
        }
        Ok(touched)
    }

    /// The scalar local that is assigned as a whole, and its value.
    fn assigned(&self, to: &Place, span: Span) -> Result<(usize, Expr)> {
        if let (Base::Local(id), []) = (to.base, &to.steps[..])
            && let Meaning::Value(value, _) = &self.frame.locals[id.index()]
        {
            return Ok((id.index(), value.clone()));
        }
        self.refuse("an assignment of this kind in a function of a condition", span)
    }

    /// Assignments to scalar locals, nothing else. What evaluating values may fault at that are assigned and then replaced.
    fn assignments(&mut self, body: &'p [Stmt]) -> Result<Vec<Expr>> {
        let (mut assigned, mut lost) = (vec![false; self.frame.locals.len()], Vec::new());
        for stmt in body {
            let StmtKind::Assign(to, value) = &stmt.kind else {
                return self.refuse("a branch of this kind in a function of a condition", stmt.span);
            };
            let (local, replaced) = self.assigned(to, stmt.span)?;
            let found = self.part(value)?;
            if std::mem::replace(&mut assigned[local], true) {
                lost.extend(self.touched(&replaced));
            }
            let found = self.fitted(found, value.of, to.of)?;
            self.frame.locals[local] = Meaning::Value(found, false);
        }
        Ok(lost)
    }

    /// A loop that only looks for a value for which it returns a constant: the condition, that constant and its type.
    fn search(&mut self, binder: &'p Binder, body: &'p [Stmt], span: Span) -> Result<Option<(Expr, Expr, TypeId)>> {
        let [stmt] = body else { return Ok(None) };
        let inner = match &stmt.kind {
            StmtKind::If(branches, otherwise) if otherwise.is_empty() && branches.len() == 1 => {
                match &branches[0].body[..] {
                    [Stmt { kind: StmtKind::Return(Some(Source { kind: Kind::Value(_), .. })), .. }] => {}
                    _ => return Ok(None),
                }
                true
            }
            StmtKind::For(..) => false,
            _ => return Ok(None),
        };
        let sorts = self.binder_sorts(binder, span)?;
        let [(sort, step)] = sorts[..] else { return Ok(None) };
        let (name, value) = self.bound_local(binder.local);
        let on_step = Self::on_step(value, step);
        let found = match &stmt.kind {
            StmtKind::If(branches, _) if inner => {
                let condition = self.part(&branches[0].condition);
                let StmtKind::Return(Some(value)) = &branches[0].body[0].kind else { panic!("it returns") };
                condition.and_then(|condition| Ok(Some((condition, self.part(value)?, value.of))))
            }
            StmtKind::For(binder, body) => self.search(binder, body, stmt.span),
            _ => Ok(None),
        };
        let Some((condition, value, of)) = found? else { return Ok(None) };
        let body = and(on_step.into_iter().chain([condition]).collect());
        let exists = ExprKind::Exists(Box::new(Quantified { name, sort, body }));
        Ok(Some((Expr::new(exists, Span::NONE), value, of)))
    }

    fn unroll(&mut self, binder: &'p Binder, body: &'p [Stmt], span: Span, work: &mut Vec<Work<'p>>) -> Result<()> {
        let sorts = self.binder_sorts(binder, span)?;
        let mut values = Vec::new();
        for (sort, step) in sorts {
            let (low, high) = self.out.domain(sort).bounds();
            if (i64::from(high) - i64::from(low)) > 64 {
                return self.refuse("a long loop in a function of a condition", span);
            }
            let (from, by) = step.unwrap_or((low, 1));
            values.extend((low..=high).filter(|value| (value - from) % by == 0));
        }
        for code in values.into_iter().rev() {
            self.spend(1, span)?;
            work.push(Work::Body(body));
            work.push(Work::Bind(binder.local.index(), binder, code));
        }
        Ok(())
    }
}

/// A sum of a value and something more, or that value: one sum, so that counting does not double an expression.
fn added(a: &Expr, b: &Expr, condition: &Expr) -> Option<Expr> {
    match &a.kind {
        ExprKind::Binary(BinaryOp::Add, base, more) if **base == *b => {
            Some(binary(BinaryOp::Add, b.clone(), ite(condition.clone(), (**more).clone(), int(0))))
        }
        ExprKind::Lookup(table, list) => Some(build::lookup(*table, vec![added(&list[0], b, condition)?])),
        _ => None,
    }
}

/// The nodes that one expression may spend.
pub(super) const fn budget() -> usize {
    NODES
}
