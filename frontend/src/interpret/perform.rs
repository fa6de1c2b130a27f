//! What single statements do: declarations, assignments, choices, calls, sends and creation.
//!
//! Operands are evaluated first, left to right; then they are converted to the sorts of what they are bound to (integers
//! are checked against the width, rebecs against the class); then the statement takes effect.

use super::evaluate::{boolean, convert, fault, locate};
use super::run::{Actor, Decision, Frame, Run, View};
use super::serve::Effect;
use super::trace::Choice;
use super::{ExecutionLimit, Fault, FaultKind, Message, Stop};
use crate::model::{
    Base, ClassId, Dialect, Expr, Local, LocalId, MethodId, Model, Place, RebecId, Rvalue, ServerId, Sort, Stmt,
    StmtKind, Value,
};
use crate::source::Span;

impl<'a> Run<'a> {
    /// Performs a statement that control always leaves at its end.
    pub(super) fn perform(&mut self, frame: &mut Frame<'a, '_>, stmt: &'a Stmt) -> Result<(), Stop> {
        match &stmt.kind {
            StmtKind::Let { local, value } => self.declare(frame, *local, value.as_ref(), stmt.span),
            StmtKind::Assign { place, value } => self.assign(frame, place, value, stmt.span),
            StmtKind::Do(value) => self.rvalue(frame, value, stmt.span).map(|_| ()),
            StmtKind::Send { receiver, message, arguments, targets } => {
                let effect = self.send(frame, receiver, message, arguments, targets, stmt.span)?;
                self.effects.push(effect);
                Ok(())
            }
            StmtKind::Assert { condition, message } => {
                if boolean(self.value(frame, condition)?) {
                    return Ok(());
                }
                Ok(fault(FaultKind::AssertionFailed(message.clone()), stmt.span)?)
            }
            other => panic!("{other:?} is not a single statement"),
        }
    }

    fn declare(
        &mut self,
        frame: &mut Frame<'a, '_>,
        local: LocalId,
        value: Option<&'a Rvalue>,
        span: Span,
    ) -> Result<(), Stop> {
        let Local { sort, offset, len, .. } = frame.body.locals[local.index()];
        let (first, len) = (offset as usize, len as usize);
        match value {
            None => {
                self.spend(len)?;
                frame.locals[first..first + len].fill(sort.initial());
            }
            Some(value) => {
                let value = self.result(frame, value, span)?;
                frame.locals[first] = convert(self.entry.model, value, sort, span)?;
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        frame: &mut Frame<'a, '_>,
        place: &'a Place,
        value: &'a Rvalue,
        span: Span,
    ) -> Result<(), Stop> {
        let element = locate(&mut View { entry: &self.entry, frame }, place)?;
        let value = self.result(frame, value, span)?;
        let model = self.entry.model;
        match place.base {
            Base::Variable(id) => {
                let sort = frame.actor.class.variables[id.index()].sort;
                frame.actor.values[element] = convert(model, value, sort, span)?;
            }
            Base::Local(id) => {
                frame.locals[element] = convert(model, value, frame.body.locals[id.index()].sort, span)?;
            }
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        }
        Ok(())
    }

    /// The value of something whose result is used.
    fn result(&mut self, frame: &mut Frame<'a, '_>, value: &'a Rvalue, span: Span) -> Result<Value, Stop> {
        match self.rvalue(frame, value, span)? {
            Some(value) => Ok(value),
            None => Ok(fault(FaultKind::MissingResult, span)?),
        }
    }

    fn rvalue(&mut self, frame: &mut Frame<'a, '_>, value: &'a Rvalue, span: Span) -> Result<Option<Value>, Stop> {
        match value {
            Rvalue::Expr(expr) => Ok(Some(self.value(frame, expr)?)),
            Rvalue::Choose(options) => self.choose(frame, options, span).map(Some),
            Rvalue::Call { method, arguments } => self.call(frame, *method, arguments, span),
            Rvalue::New { class, known, arguments } => self.create(frame, *class, known, arguments, span).map(Some),
        }
    }

    fn choose(&mut self, frame: &Frame<'a, '_>, options: &[Expr], span: Span) -> Result<Value, Stop> {
        if self.cursor == self.decisions.len() {
            let options = u32::try_from(options.len()).expect("bounded by the size of the text");
            self.decisions.push(Decision { option: 0, options });
        }
        let option = self.decisions[self.cursor].option;
        self.cursor += 1;
        let value = self.value(frame, &options[option as usize])?;
        self.choices.push(Choice { span, option, value });
        Ok(value)
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a, '_>,
        method: MethodId,
        arguments: &'a [Expr],
        span: Span,
    ) -> Result<Option<Value>, Stop> {
        let model = self.entry.model;
        let method = &frame.actor.class.methods[method.index()];
        let mut values = self.values(frame, arguments)?;
        fit(model, &mut values, arguments, sorts(method.body.parameters()))?;
        match (self.invoke(frame.actor, &method.body, &values, span)?, method.result) {
            (Some(value), Some(sort)) => Ok(Some(convert(model, value, sort, span)?)),
            (value, _) => Ok(value),
        }
    }

    fn send(
        &mut self,
        frame: &Frame<'a, '_>,
        receiver: &Expr,
        name: &str,
        arguments: &[Expr],
        targets: &[Option<ServerId>],
        span: Span,
    ) -> Result<Effect, Fault> {
        let model = self.entry.model;
        let receiver = self.value(frame, receiver)?;
        let mut values = self.values(frame, arguments)?;
        let Value::Rebec(receiver) = receiver else {
            return fault(FaultKind::NullReceiver, span);
        };
        let class_id = model.class_of(receiver);
        let class = model.class(class_id);
        let parameters = |server: ServerId| class.servers[server.index()].body.parameters();
        let server = targets[class_id.index()].filter(|&server| {
            arguments.iter().zip(parameters(server)).all(|(argument, parameter)| passes(argument.sort, parameter.sort))
        });
        let Some(server) = server else {
            return fault(FaultKind::NotUnderstood { receiver, message: name.to_owned() }, span);
        };
        fit(model, &mut values, arguments, sorts(parameters(server)))?;
        Ok(Effect::Send { receiver, message: Message { server, sender: frame.actor.rebec, arguments: values }, span })
    }

    fn create(
        &mut self,
        frame: &Frame<'a, '_>,
        class_id: ClassId,
        known: &[Expr],
        arguments: &[Expr],
        span: Span,
    ) -> Result<Value, Stop> {
        let model = self.entry.model;
        let class = model.class(class_id);
        let mut bound = self.values(frame, known)?;
        let mut passed = self.values(frame, arguments)?;
        let slots: Vec<(usize, Sort)> =
            class.known().flat_map(|variable| variable.elements().map(|slot| (slot, variable.sort))).collect();
        fit(model, &mut bound, known, slots.iter().map(|&(_, sort)| sort))?;
        fit(model, &mut passed, arguments, sorts(class.creation_parameters(model.dialect)))?;
        let rebec = self.identity(class_id)?;
        let mut values = class.initial_values(&[]);
        self.spend(values.len())?;
        for (&(slot, _), value) in slots.iter().zip(bound) {
            values[slot] = value;
        }
        match model.dialect {
            Dialect::Rebeca20 => {
                self.effects.push(Effect::Create { rebec, values });
                if let Some(server) = class.server("initial") {
                    let message = Message { server, sender: frame.actor.rebec, arguments: passed };
                    self.effects.push(Effect::Send { receiver: rebec, message, span });
                }
            }
            Dialect::Rebeca21 => self.construct(Actor { rebec, class, values, sender: rebec }, &passed, span)?,
        }
        Ok(Value::Rebec(rebec))
    }

    /// Runs the constructor of a new rebec. Its creation comes before the effects of the constructor.
    fn construct(&mut self, mut made: Actor<'a>, arguments: &[Value], span: Span) -> Result<(), Stop> {
        let position = self.effects.len();
        self.effects.push(Effect::Create { rebec: made.rebec, values: Vec::new() });
        let class = made.class;
        let result = match &class.constructor {
            Some(constructor) => self.invoke(&mut made, &constructor.body, arguments, span).map(|_| ()),
            None => Ok(()),
        };
        self.effects[position] = Effect::Create { rebec: made.rebec, values: made.values };
        result
    }

    /// Takes the next identity of a class.
    fn identity(&mut self, class: ClassId) -> Result<RebecId, Stop> {
        let Run { entry, heap, .. } = self;
        let heap = heap.get_or_insert_with(|| entry.heap.clone());
        let column = entry.model.creatable.binary_search(&class).expect("a class that some `new` makes");
        if heap.created[column] >= entry.bounds.max_rebecs {
            return Err(Stop::Limit(ExecutionLimit::Rebecs(class)));
        }
        let rebec = heap.next(entry.model, class);
        heap.created[column] += 1;
        Ok(rebec)
    }
}

fn sorts(parameters: &[Local]) -> impl Iterator<Item = Sort> + '_ {
    parameters.iter().map(|parameter| parameter.sort)
}

/// Converts values to the sorts of what they are bound to; faults point at the expressions they come from.
fn fit(model: &Model, values: &mut [Value], exprs: &[Expr], sorts: impl Iterator<Item = Sort>) -> Result<(), Fault> {
    for ((value, expr), sort) in values.iter_mut().zip(exprs).zip(sorts) {
        *value = convert(model, *value, sort, expr.span)?;
    }
    Ok(())
}

/// Whether a value of one sort may be passed as a parameter of the other, widths and classes aside.
fn passes(argument: Sort, parameter: Sort) -> bool {
    match (argument, parameter) {
        (Sort::Bool, Sort::Bool) | (Sort::Int(_), Sort::Int(_)) => true,
        (Sort::Rebec(_) | Sort::AnyRebec, Sort::Rebec(_) | Sort::AnyRebec) => true,
        (Sort::Scalar(argument), Sort::Scalar(parameter)) => argument == parameter,
        _ => false,
    }
}
