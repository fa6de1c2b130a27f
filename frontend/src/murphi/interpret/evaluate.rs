//! The values of expressions, and calls.

use super::arithmetic::{binary, unary};
use super::independence::Independence;
use super::machine::Machine;
use super::perform::Flow;
use super::{Cell, Fault, FaultKind, Stop};
use crate::murphi::program::{
    Argument, BinaryOp, Binder, BinderValues, Expr, ExprKind, LocalId, ProcedureId, Steps, Stmt, TypeId,
};
use crate::source::Span;

/// The first argument of a quantifier or loop over values: what to do with each.
type Each<'m, 'a, T> = dyn FnMut(&mut Machine<'a>) -> Result<Option<T>, Stop> + 'm;

/// The same with the value of a binder, which is not bound yet.
type Visit<'m, 'a, T> = dyn FnMut(&mut Machine<'a>, i32) -> Result<Option<T>, Stop> + 'm;

impl<'a> Machine<'a> {
    /// The value of a simple expression.
    pub(super) fn scalar(&mut self, expr: &'a Expr) -> Result<i32, Stop> {
        limits::work(1);
        let fault = |kind: FaultKind| Stop::from(Fault { kind, span: expr.span });
        match &expr.kind {
            ExprKind::Value(value) => Ok(*value),
            ExprKind::Read(place) => {
                let at = self.find(place)?;
                self.reads(at, 1);
                self.memory[at].ok_or_else(|| fault(FaultKind::Undefined))
            }
            ExprKind::Unary(op, inner) => unary(*op, self.scalar(inner)?).map_err(fault),
            ExprKind::Binary(op, left, right) if self.program.types.is_simple(left.of) => {
                let (left, right) = (self.scalar(left)?, self.scalar(right)?);
                binary(*op, left, right).map_err(fault)
            }
            ExprKind::Binary(op, left, right) => {
                let equal = self.whole(left)? == self.whole(right)?;
                Ok(i32::from(equal == (*op == BinaryOp::Equal)))
            }
            ExprKind::And(list) => self.until(list, 0),
            ExprKind::Or(list) => self.until(list, 1),
            ExprKind::Implies(left, right) => {
                if self.scalar(left)? == 0 {
                    Ok(1)
                } else {
                    self.scalar(right)
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let chosen = if self.scalar(condition)? == 0 { otherwise } else { then };
                self.scalar(chosen)
            }
            ExprKind::Quantified(..) | ExprKind::Count(..) => self.over(expr),
            ExprKind::Call(id, arguments) => {
                let result = self.call(*id, arguments, expr.span)?;
                result.and_then(|cells| cells[0]).ok_or_else(|| fault(FaultKind::NoResult))
            }
            ExprKind::IsUndefined(place) => {
                let at = self.find(place)?;
                self.reads(at, 1);
                Ok(i32::from(self.memory[at].is_none()))
            }
            ExprKind::IsMember(value, of) => {
                let value = self.scalar(value)?;
                Ok(i32::from(self.program.types.position(*of, value).is_some()))
            }
            ExprKind::Undefined => Err(fault(FaultKind::Undefined)),
        }
    }

    /// Evaluates up to the first operand with a truth value; the result is that value if there is one.
    fn until(&mut self, list: &'a [Expr], last: i32) -> Result<i32, Stop> {
        for operand in list {
            if self.scalar(operand)? == last {
                return Ok(last);
            }
        }
        Ok(1 - last)
    }

    /// Quantifiers and counts.
    fn over(&mut self, expr: &'a Expr) -> Result<i32, Stop> {
        match &expr.kind {
            ExprKind::Quantified(forall, binder, body) => {
                let last = i32::from(!forall);
                if let BinderValues::Type(of) = binder.values
                    && self.watches(binder)
                {
                    return self.in_any_order(binder, of, body, last, expr.span);
                }
                let decided =
                    self.each(binder, expr.span, &mut |machine| Ok((machine.scalar(body)? == last).then_some(())))?;
                Ok(if decided.is_some() { last } else { 1 - last })
            }
            ExprKind::Count(slots, condition) => {
                let mut count = 0;
                for number in self.used(slots)? {
                    self.round(expr.span)?;
                    self.bind(slots.slot, number);
                    count += self.scalar(condition)?;
                }
                Ok(count)
            }
            _ => panic!("a quantifier or a count"),
        }
    }

    /// A quantifier all of whose rounds are evaluated: the order shows where some decide and others fault.
    fn in_any_order(
        &mut self,
        binder: &'a Binder,
        of: TypeId,
        body: &'a Expr,
        last: i32,
        span: Span,
    ) -> Result<i32, Stop> {
        let (mut decided, mut stopped) = (false, None);
        let (name, limit) = (self.frame.local(binder.local).span, self.memory.len());
        self.watched(|watched| watched.begin(name, limit, true));
        for value in self.program.types.values(of).into_iter().flatten() {
            self.watched(Independence::next);
            match self.at(binder.local, value, span, &mut |machine| machine.scalar(body).map(Some)) {
                Ok(truth) => decided |= truth == Some(last),
                Err(stop) => {
                    let is_other = stopped.as_ref().is_some_and(|first| is_assertion(first) != is_assertion(&stop));
                    if matches!(stop, Stop::Excluded) || is_other {
                        self.watched(Independence::breaks);
                    }
                    stopped = stopped.or(Some(stop));
                }
            }
        }
        if decided && stopped.is_some() {
            self.watched(Independence::breaks);
        }
        self.watched(Independence::end);
        match stopped {
            Some(stop) if !decided => Err(stop),
            _ => Ok(if decided { last } else { 1 - last }),
        }
    }

    fn watched(&mut self, note: impl FnOnce(&mut Independence<'a>)) {
        if let Some(independence) = &mut self.independence {
            note(independence);
        }
    }

    /// Performs a loop whose rounds must not depend on each other.
    pub(super) fn rounds(&mut self, binder: &'a Binder, body: &'a [Stmt], span: Span) -> Result<Flow, Stop> {
        let (name, limit) = (self.frame.local(binder.local).span, self.memory.len());
        self.watched(|watched| watched.begin(name, limit, false));
        let ended = self.each(binder, span, &mut |machine| {
            machine.watched(Independence::next);
            match machine.perform(body)? {
                Flow::Return(result) => Ok(Some(result)),
                Flow::Next => Ok(None),
            }
        });
        if !matches!(ended, Ok(None)) {
            // Another order ends elsewhere.
            self.watched(Independence::breaks);
        }
        self.watched(Independence::end);
        Ok(ended?.map_or(Flow::Next, Flow::Return))
    }

    /// Runs a round for each value of a binder, in order, up to the first that gives a result.
    pub(super) fn each<T>(
        &mut self,
        binder: &'a Binder,
        span: Span,
        run: &mut Each<'_, 'a, T>,
    ) -> Result<Option<T>, Stop> {
        self.values(binder, &mut |machine, value| machine.at(binder.local, value, span, run))
    }

    /// Visits the values of a binder, in order, up to the first that gives a result.
    pub(super) fn values<T>(&mut self, binder: &'a Binder, visit: &mut Visit<'_, 'a, T>) -> Result<Option<T>, Stop> {
        match &binder.values {
            BinderValues::Type(of) => {
                for value in self.program.types.values(*of).into_iter().flatten() {
                    if let Some(result) = visit(self, value)? {
                        return Ok(Some(result));
                    }
                }
            }
            BinderValues::Steps(steps) => {
                let Steps { from, to, by } = &**steps;
                let (from, to) = (self.scalar(from)?, self.scalar(to)?);
                let step = self.scalar(by)?;
                if step == 0 {
                    return Err(Fault { kind: FaultKind::NoStep, span: by.span }.into());
                }
                let mut next = Some(from);
                while let Some(value) = next.filter(|&value| if step > 0 { value <= to } else { value >= to }) {
                    if let Some(result) = visit(self, value)? {
                        return Ok(Some(result));
                    }
                    next = value.checked_add(step);
                }
            }
        }
        Ok(None)
    }

    fn at<T>(&mut self, local: LocalId, value: i32, span: Span, run: &mut Each<'_, 'a, T>) -> Result<Option<T>, Stop> {
        self.round(span)?;
        self.bind(local, value);
        run(self)
    }

    /// The cells of an expression: of an array, record or multiset with what is undefined in it; of a variable read as an
    /// argument even if it is undefined.
    pub(super) fn whole(&mut self, expr: &'a Expr) -> Result<Vec<Cell>, Stop> {
        match &expr.kind {
            ExprKind::Read(place) => {
                let at = self.find(place)?;
                self.reads(at, self.cells_of(expr.of));
                limits::work(self.cells_of(expr.of) as u64);
                Ok(self.cells(at, expr.of).to_vec())
            }
            ExprKind::Undefined => Ok(vec![None; self.cells_of(expr.of)]),
            _ if self.program.types.is_simple(expr.of) => Ok(vec![Some(self.scalar(expr)?)]),
            ExprKind::Conditional(condition, then, otherwise) => {
                let chosen = if self.scalar(condition)? == 0 { otherwise } else { then };
                self.whole(chosen)
            }
            ExprKind::Call(id, arguments) => {
                let result = self.call(*id, arguments, expr.span)?;
                result.ok_or_else(|| Fault { kind: FaultKind::NoResult, span: expr.span }.into())
            }
            _ => panic!("no expression of a whole value"),
        }
    }

    /// Calls a procedure; the result is that of a function that returns a value.
    pub(super) fn call(
        &mut self,
        id: ProcedureId,
        arguments: &'a [Argument],
        span: Span,
    ) -> Result<Option<Vec<Cell>>, Stop> {
        let (levels, base) = (self.levels, self.memory.len());
        let height = self.program.procedure(id).height;
        self.levels = levels.checked_sub(height + 1).ok_or(Fault { kind: FaultKind::TooDeep, span })?;
        let flow = self.enclosed(id, arguments);
        // A fault leaves the machine as it was, too: other instances follow.
        debug_assert!(self.memory.len() >= base, "a call keeps the frames of its callers");
        self.memory.truncate(base);
        self.levels = levels;
        match flow? {
            Flow::Return(result) => {
                debug_assert!(self.is_result(id, result.as_deref()), "a result has the cells of its type");
                Ok(result)
            }
            Flow::Next => Ok(None),
        }
    }

    /// Whether cells are those of a result of a procedure, or the procedure gives none.
    fn is_result(&self, id: ProcedureId, cells: Option<&[Cell]>) -> bool {
        let of = self.program.procedure(id).result;
        cells.is_none_or(|cells| of.is_some_and(|of| cells.len() == self.cells_of(of)))
    }

    /// Performs the body of a procedure in a frame of its own, which lies behind the memory afterwards.
    fn enclosed(&mut self, id: ProcedureId, arguments: &'a [Argument]) -> Result<Flow, Stop> {
        let procedure = self.program.procedure(id);
        let mut values = Vec::new();
        let mut references = Vec::new();
        debug_assert_eq!(arguments.len(), procedure.parameters, "a call has every argument");
        for (local, argument) in (0u32..).map(LocalId).zip(arguments) {
            match argument {
                Argument::Value(value) => {
                    let cells = self.whole(value)?;
                    self.check_value(&cells, value, procedure.frame.local(local).of)?;
                    values.push((local, cells));
                }
                Argument::Reference(place) => references.push((local, self.find(place)?)),
            }
        }
        let base = self.memory.len();
        limits::reserve(size_of::<Cell>() as u64 * procedure.frame.cells as u64);
        self.memory.resize(base + procedure.frame.cells, None);
        let mut addresses: Vec<usize> = procedure.frame.locals.iter().map(|local| base + local.offset).collect();
        for (local, at) in references {
            addresses[local.index()] = at;
        }
        for (local, cells) in values {
            let at = addresses[local.index()];
            self.memory[at..at + cells.len()].copy_from_slice(&cells);
        }
        let frame = std::mem::replace(&mut self.frame, &procedure.frame);
        let addresses = std::mem::replace(&mut self.addresses, addresses);
        let result = std::mem::replace(&mut self.result, procedure.result);
        let flow = self.perform(&procedure.body);
        (self.frame, self.addresses, self.result) = (frame, addresses, result);
        flow
    }

    /// A simple value must be one of the type of the parameter.
    fn check_value(&self, cells: &[Cell], value: &Expr, needed: TypeId) -> Result<(), Stop> {
        if let (true, &[Some(found)]) = (self.program.types.is_simple(needed), cells)
            && self.program.types.position(needed, found).is_none()
        {
            let kind = FaultKind::OutsideType { value: found, of: value.of, needed };
            return Err(Fault { kind, span: value.span }.into());
        }
        Ok(())
    }
}

/// Whether an evaluation ends in an assertion, which is a check of its own.
fn is_assertion(stop: &Stop) -> bool {
    matches!(stop, Stop::Fault(Fault { kind: FaultKind::Assertion(_), .. }))
}
