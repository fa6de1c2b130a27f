//! Bodies under a literal: a statement takes effect where its path is taken, and paths join again after it.
//!
//! Invariant: `path` is the condition under which control reaches a statement. The remaining condition after the
//! statement is returned, and the conditions under which control left by `break`, `continue` or `return` are added to
//! the frame.

use frontend::interpret::FaultClass;
use frontend::model::{
    Base, Block, Body, ClassId, Expr, LocalId, Model, Place, RebecId, Rvalue, ServerId, Stmt, StmtKind, Value,
};

use super::TooMuch;
use super::circuit::{Circuit, FALSE, Lit};
use super::state::{Entry, Queued, SymbolicRebec};
use super::value::{Symbol, constant, is};
use crate::reduce::Replaced;

/// The greatest number of statements of one step, all rounds and calls together.
const MAX_STATEMENTS: usize = 20_000;
/// The greatest depth of nested calls.
const MAX_CALLS: usize = 32;

/// The state in the middle of a step, and the circuit built so far.
pub(super) struct Machine<'a> {
    pub(super) model: &'a Model,
    pub(super) circuit: Circuit,
    pub(super) features: Vec<Symbol>,
    pub(super) rebecs: Vec<SymbolicRebec>,
    /// Assignments that may be chosen freely, each with the literal for "it is not chosen freely".
    pub(super) replaced: Vec<(&'a Replaced, Lit)>,
    /// The faults of the last step by class; `None` while none is allowed.
    pub(super) faults: Option<Vec<(FaultClass, Lit)>>,
    pub(super) statements: usize,
    pub(super) calls: usize,
}

/// One call.
pub(super) struct Frame<'a> {
    pub(super) rebec: RebecId,
    pub(super) class: ClassId,
    pub(super) body: &'a Body,
    pub(super) sender: Symbol,
    pub(super) locals: Vec<Symbol>,
    left: Left,
    result: Symbol,
}

/// The conditions under which control left a block early.
#[derive(Clone, Copy)]
struct Left {
    by_break: Lit,
    by_continue: Lit,
}

const STAYED: Left = Left { by_break: FALSE, by_continue: FALSE };

impl<'a> Machine<'a> {
    /// A fault where the path is taken and the condition holds.
    pub(super) fn fault(&mut self, path: Lit, condition: Lit, class: FaultClass) {
        let here = self.circuit.and(path, condition);
        match &mut self.faults {
            None => self.circuit.require(here.opposite()),
            Some(_) if here == FALSE => {}
            Some(list) => {
                // The first fault ends the step: a later one counts only if no other came before it.
                let mut before = FALSE;
                for (_, lit) in list.iter() {
                    before = self.circuit.or(before, *lit);
                }
                let first = self.circuit.and(here, before.opposite());
                list.push((class, first));
            }
        }
    }

    /// A rebec serves its oldest message where the path is taken.
    pub(super) fn serve(&mut self, rebec: RebecId, path: Lit) -> Result<(), TooMuch> {
        let Some(head) = self.rebecs[rebec.index()].queue.first().cloned() else {
            self.circuit.require(path.opposite());
            return Ok(());
        };
        let present: Vec<Lit> = head.iter().map(|queued| queued.present).chain([path.opposite()]).collect();
        self.circuit.require_any(&present);
        self.pop(rebec, path)?;
        let class = self.model.class_of(rebec);
        for Queued { server, present, sender, arguments } in head {
            let here = self.circuit.and(path, present);
            if here != FALSE {
                let body = &self.model.class(class).servers[server.index()].body;
                self.invoke(rebec, body, sender, arguments, here)?;
            }
        }
        Ok(())
    }

    /// Runs a whole body with its own locals; returns its result if there is one.
    fn invoke(
        &mut self,
        rebec: RebecId,
        body: &'a Body,
        sender: Symbol,
        arguments: Vec<Symbol>,
        path: Lit,
    ) -> Result<Symbol, TooMuch> {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(TooMuch);
        }
        let mut locals = arguments;
        debug_assert!(locals.len() <= body.elements(), "arguments are locals of the body");
        locals.resize(body.elements(), constant(Value::Undefined));
        let class = self.model.class_of(rebec);
        let mut frame = Frame { rebec, class, body, sender, locals, left: STAYED, result: Vec::new() };
        self.block(&mut frame, path, &body.block)?;
        self.calls -= 1;
        Ok(frame.result)
    }

    fn block(&mut self, frame: &mut Frame<'a>, path: Lit, block: &'a Block) -> Result<Lit, TooMuch> {
        block.iter().try_fold(path, |path, stmt| match path {
            FALSE => Ok(FALSE),
            path => self.statement(frame, path, stmt),
        })
    }

    fn statement(&mut self, frame: &mut Frame<'a>, path: Lit, stmt: &'a Stmt) -> Result<Lit, TooMuch> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS || self.circuit.is_too_large() {
            return Err(TooMuch);
        }
        match &stmt.kind {
            StmtKind::Let { local, value } => self.declare(frame, path, *local, value.as_ref())?,
            StmtKind::Assign { place, value } => self.assign(frame, path, place, value, stmt)?,
            StmtKind::Do(value) => {
                self.rvalue(frame, path, value)?;
            }
            StmtKind::Send { receiver, arguments, targets, .. } => {
                self.send(frame, path, receiver, arguments, targets)?;
            }
            StmtKind::Assert { condition, .. } => {
                let holds = self.condition(frame, path, condition)?;
                self.fault(path, holds.opposite(), FaultClass::Assertion);
                return Ok(self.circuit.and(path, holds));
            }
            StmtKind::If { condition, then, otherwise } => {
                let holds = self.condition(frame, path, condition)?;
                let (yes, no) = (self.circuit.and(path, holds), self.circuit.and(path, holds.opposite()));
                let yes = self.block(frame, yes, then)?;
                let no = self.block(frame, no, otherwise)?;
                return Ok(self.circuit.or(yes, no));
            }
            StmtKind::Block(block) => return self.block(frame, path, block),
            StmtKind::Loop { condition, body, update } => return self.repeat(frame, path, condition, body, update),
            StmtKind::ForEach { set, local, body } => {
                let set = self.model.scalar_set(*set);
                let element = frame.body.locals[local.index()].offset as usize;
                return self.for_each(frame, path, set.low..=set.high, element, body);
            }
            StmtKind::Switch { value, arms } => {
                let value = self.evaluate(frame, path, value)?;
                return self.switch(frame, path, &value, arms);
            }
            StmtKind::Break => {
                frame.left.by_break = self.circuit.or(frame.left.by_break, path);
                return Ok(FALSE);
            }
            StmtKind::Continue => {
                frame.left.by_continue = self.circuit.or(frame.left.by_continue, path);
                return Ok(FALSE);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.evaluate(frame, path, value)?;
                    frame.result = self.circuit.select(path, &value, &frame.result)?;
                }
                return Ok(FALSE);
            }
        }
        Ok(path)
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        mut path: Lit,
        condition: &Expr,
        body: &'a Block,
        update: &'a Block,
    ) -> Result<Lit, TooMuch> {
        let outer = std::mem::replace(&mut frame.left, STAYED);
        let mut behind = FALSE;
        while path != FALSE {
            self.statements += 1;
            let holds = self.condition(frame, path, condition)?;
            let ends = self.circuit.and(path, holds.opposite());
            behind = self.circuit.or(behind, ends);
            path = self.circuit.and(path, holds);
            let stays = self.block(frame, path, body)?;
            let round = std::mem::replace(&mut frame.left, STAYED);
            behind = self.circuit.or(behind, round.by_break);
            path = self.circuit.or(stays, round.by_continue);
            path = self.block(frame, path, update)?;
            if self.statements > MAX_STATEMENTS {
                return Err(TooMuch);
            }
        }
        frame.left = outer;
        Ok(behind)
    }

    fn for_each(
        &mut self,
        frame: &mut Frame<'a>,
        mut path: Lit,
        values: std::ops::RangeInclusive<i32>,
        element: usize,
        body: &'a Block,
    ) -> Result<Lit, TooMuch> {
        let outer = std::mem::replace(&mut frame.left, STAYED);
        let mut behind = FALSE;
        for value in values {
            frame.locals[element] = constant(Value::Scalar(value));
            let stays = self.block(frame, path, body)?;
            let round = std::mem::replace(&mut frame.left, STAYED);
            behind = self.circuit.or(behind, round.by_break);
            path = self.circuit.or(stays, round.by_continue);
        }
        frame.left = outer;
        Ok(self.circuit.or(behind, path))
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        path: Lit,
        value: &Symbol,
        arms: &'a [frontend::model::Arm],
    ) -> Result<Lit, TooMuch> {
        let outer = frame.left.by_break;
        frame.left.by_break = FALSE;
        let mut selected = Vec::new();
        for arm in arms {
            let labels: Vec<Lit> = arm.labels.iter().map(|&label| is(value, Value::Int(label))).collect();
            selected.push(self.circuit.any(&labels));
        }
        let some = self.circuit.any(&selected);
        let (mut inside, mut entered) = (FALSE, FALSE);
        for (arm, &lit) in arms.iter().zip(&selected) {
            let lit = if arm.is_default { self.circuit.or(lit, some.opposite()) } else { lit };
            // A label counts only if no arm before it was selected.
            let first = self.circuit.and(lit, entered.opposite());
            entered = self.circuit.or(entered, lit);
            let enters = self.circuit.and(path, first);
            inside = self.circuit.or(inside, enters);
            inside = self.block(frame, inside, &arm.block)?;
        }
        let none = self.circuit.and(path, entered.opposite());
        let broken = std::mem::replace(&mut frame.left.by_break, outer);
        Ok(self.circuit.any(&[inside, broken, none]))
    }

    fn declare(
        &mut self,
        frame: &mut Frame<'a>,
        path: Lit,
        local: LocalId,
        value: Option<&'a Rvalue>,
    ) -> Result<(), TooMuch> {
        let found = &frame.body.locals[local.index()];
        let (first, len, sort) = (found.offset as usize, found.len as usize, found.sort);
        let value = match value {
            None => constant(sort.initial()),
            Some(value) => {
                let value = self.rvalue(frame, path, value)?;
                self.convert(path, &value, sort)?
            }
        };
        for element in first..first + len {
            frame.locals[element] = self.circuit.select(path, &value, &frame.locals[element])?;
        }
        Ok(())
    }

    fn assign(
        &mut self,
        frame: &mut Frame<'a>,
        path: Lit,
        place: &'a Place,
        value: &'a Rvalue,
        stmt: &Stmt,
    ) -> Result<(), TooMuch> {
        let elements = self.locate(frame, path, place)?;
        let value = match self.replaced.iter().find(|(one, _)| one.span == stmt.span && !stmt.span.is_none()) {
            None => self.rvalue(frame, path, value)?,
            Some(&(replaced, exact)) => {
                let here = self.circuit.and(path, exact);
                let given = self.rvalue(frame, here, value)?;
                let free = self.circuit.one_of(replaced.options.len());
                let free = replaced.options.iter().copied().zip(free).collect();
                let free = self.circuit.gather(free)?;
                self.circuit.select(exact, &given, &free)?
            }
        };
        let sort = match place.base {
            Base::Variable(id) => self.model.class(frame.class).variables[id.index()].sort,
            Base::Local(id) => frame.body.locals[id.index()].sort,
            Base::Remote(..) => return Err(TooMuch),
        };
        let value = self.convert(path, &value, sort)?;
        for (element, here) in elements {
            let here = self.circuit.and(path, here);
            let values = match place.base {
                Base::Local(_) => &mut frame.locals,
                _ => &mut self.rebecs[frame.rebec.index()].values,
            };
            values[element] = self.circuit.select(here, &value, &values[element])?;
        }
        Ok(())
    }

    fn rvalue(&mut self, frame: &mut Frame<'a>, path: Lit, value: &'a Rvalue) -> Result<Symbol, TooMuch> {
        match value {
            Rvalue::Expr(expr) => self.evaluate(frame, path, expr),
            Rvalue::Choose(options) => {
                let chosen = self.circuit.one_of(options.len());
                let mut list = Vec::new();
                for (option, lit) in options.iter().zip(chosen) {
                    let here = self.circuit.and(path, lit);
                    for (value, holds) in self.evaluate(frame, here, option)? {
                        list.push((value, self.circuit.and(lit, holds)));
                    }
                }
                self.circuit.gather(list)
            }
            Rvalue::Call { method, arguments } => {
                let method = &self.model.class(frame.class).methods[method.index()];
                let mut values = Vec::new();
                for (argument, parameter) in arguments.iter().zip(method.body.parameters()) {
                    let value = self.evaluate(frame, path, argument)?;
                    values.push(self.convert(path, &value, parameter.sort)?);
                }
                let result = self.invoke(frame.rebec, &method.body, frame.sender.clone(), values, path)?;
                match method.result {
                    Some(sort) => self.convert(path, &result, sort),
                    None => Ok(result),
                }
            }
            Rvalue::New { .. } => Err(TooMuch),
        }
    }

    fn send(
        &mut self,
        frame: &Frame<'a>,
        path: Lit,
        receiver: &Expr,
        arguments: &[Expr],
        targets: &[Option<ServerId>],
    ) -> Result<(), TooMuch> {
        let receiver = self.evaluate(frame, path, receiver)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.evaluate(frame, path, argument)?);
        }
        for (value, lit) in receiver {
            let here = self.circuit.and(path, lit);
            let Value::Rebec(receiver) = value else {
                self.fault(path, lit, FaultClass::Error);
                continue;
            };
            let class = self.model.class_of(receiver);
            let Some(server) = targets[class.index()] else {
                self.fault(path, lit, FaultClass::Error);
                continue;
            };
            let parameters = self.model.class(class).servers[server.index()].body.parameters();
            let mut arguments = Vec::new();
            for (value, parameter) in values.iter().zip(parameters) {
                arguments.push(self.convert(here, value, parameter.sort)?);
            }
            let sender = constant(Value::Rebec(frame.rebec));
            let entry: Entry = vec![Queued { server, present: here, sender, arguments }];
            self.append(receiver, entry)?;
        }
        Ok(())
    }
}
