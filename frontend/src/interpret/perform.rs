//! The effects of single statements: declarations, assignments, choices, calls, sends and creation.
//!
//! Operands are evaluated first, left to right. Then they are converted to the sorts of their targets: integers are
//! checked against the width, rebecs against the class. Then the statement takes effect.

use super::evaluate::{boolean, convert, fault, locate};
use super::run::{Actor, Decision, Frame, Run, Target, Then};
use super::serve::Effect;
use super::trace::Choice;
use super::{ExecutionLimit, Fault, FaultKind, Message, Stop};
use crate::model::{
    Base, ClassId, Dialect, Expr, Local, LocalId, MethodId, Model, Place, RebecId, Rvalue, ServerId, Sort, Stmt,
    StmtKind, Value,
};
use crate::parts::Way;
use crate::source::Span;

impl<'a> Run<'a> {
    /// Performs a statement after which control always continues. A call begins here and stores its result when it
    /// returns.
    pub(super) fn perform(&mut self, stmt: &'a Stmt) -> Result<(), Stop> {
        match &stmt.kind {
            StmtKind::Let { local, value } => self.declare(*local, value.as_ref(), stmt.span),
            StmtKind::Assign { place, value } => {
                let into = self.target(place)?;
                self.rvalue(value, into, stmt.span)
            }
            StmtKind::Do(value) => self.rvalue(value, Target::Nowhere, stmt.span),
            StmtKind::Send { receiver, message, arguments, targets } => {
                let effect = self.send(receiver, message, arguments, targets, stmt.span)?;
                self.effects.push(effect);
                Ok(())
            }
            StmtKind::Assert { condition, message } => {
                self.mark(stmt.span, Way::Check);
                if boolean(self.value(condition)?) {
                    return Ok(());
                }
                Ok(fault(FaultKind::AssertionFailed(message.clone()), stmt.span)?)
            }
            other => panic!("{other:?} is not a single statement"),
        }
    }

    fn declare(&mut self, local: LocalId, value: Option<&'a Rvalue>, span: Span) -> Result<(), Stop> {
        let Frame { body, locals, .. } = *self.frame();
        let Local { sort, offset, len, .. } = body.locals[local.index()];
        match value {
            None => {
                self.spend(len as usize)?;
                let first = locals + offset as usize;
                self.locals[first..first + len as usize].fill(sort.initial());
                Ok(())
            }
            Some(value) => self.rvalue(value, Target::Local(offset as usize, sort), span),
        }
    }

    /// The place in which an assignment stores.
    fn target(&self, place: &Place) -> Result<Target, Fault> {
        let element = locate(&mut self.view(), place)?;
        Ok(match place.base {
            Base::Variable(id) => Target::Variable(element, self.actor().class.variables[id.index()].sort),
            Base::Local(id) => Target::Local(element, self.frame().body.locals[id.index()].sort),
            Base::Remote(..) => panic!("a body uses a variable of another rebec"),
        })
    }

    /// Converts a value and stores it for the running body.
    pub(super) fn store(&mut self, value: Value, into: Target, span: Span) -> Result<(), Stop> {
        let model = self.entry.model;
        let (actor, base) = (self.frame().actor, self.frame().locals);
        match into {
            Target::Nowhere => {}
            Target::Variable(element, sort) => self.actors[actor].values[element] = convert(model, value, sort, span)?,
            Target::Local(element, sort) => self.locals[base + element] = convert(model, value, sort, span)?,
        }
        Ok(())
    }

    /// Stores the result of a call. A method without a sort, or one that ends without `return`, has no result.
    pub(super) fn returned(
        &mut self,
        value: Option<Value>,
        result: Option<Sort>,
        into: Target,
        span: Span,
    ) -> Result<(), Stop> {
        match (value, result) {
            (Some(value), Some(sort)) => self.store(convert(self.entry.model, value, sort, span)?, into, span),
            (Some(value), None) => self.store(value, into, span),
            (None, _) if matches!(into, Target::Nowhere) => Ok(()),
            (None, _) => Ok(fault(FaultKind::MissingResult, span)?),
        }
    }

    fn rvalue(&mut self, value: &'a Rvalue, into: Target, span: Span) -> Result<(), Stop> {
        match value {
            Rvalue::Expr(expr) => self.store(self.value(expr)?, into, span),
            Rvalue::Choose(options) => {
                let value = self.choose(options, span)?;
                self.store(value, into, span)
            }
            Rvalue::Call { method, arguments } => self.call(*method, arguments, into, span),
            Rvalue::New { class, known, arguments } => self.create(*class, known, arguments, into, span),
        }
    }

    fn choose(&mut self, options: &[Expr], span: Span) -> Result<Value, Stop> {
        if self.cursor == self.decisions.len() {
            let options = u32::try_from(options.len()).expect("bounded by the size of the text");
            self.decisions.push(Decision { option: 0, options });
        }
        debug_assert_eq!(self.decisions[self.cursor].options as usize, options.len(), "a path repeats its choices");
        let option = self.decisions[self.cursor].option;
        self.cursor += 1;
        self.mark(options[option as usize].span, Way::Option(option));
        let value = self.value(&options[option as usize])?;
        self.choices.push(Choice { span, option, value });
        Ok(value)
    }

    fn call(&mut self, method: MethodId, arguments: &'a [Expr], into: Target, span: Span) -> Result<(), Stop> {
        let method = &self.actor().class.methods[method.index()];
        let mut values = self.values(arguments)?;
        fit(self.entry.model, &mut values, arguments, sorts(method.body.parameters()))?;
        let then = Then::Store { result: method.result, into };
        self.enter(self.frame().actor, &method.body, &values, then, span)
    }

    fn send(
        &mut self,
        receiver: &Expr,
        name: &str,
        arguments: &[Expr],
        targets: &[Option<ServerId>],
        span: Span,
    ) -> Result<Effect, Fault> {
        let model = self.entry.model;
        let receiver = self.value(receiver)?;
        let mut values = self.values(arguments)?;
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
        Ok(Effect::Send { receiver, message: Message { server, sender: self.actor().rebec, arguments: values }, span })
    }

    fn create(
        &mut self,
        class_id: ClassId,
        known: &[Expr],
        arguments: &[Expr],
        into: Target,
        span: Span,
    ) -> Result<(), Stop> {
        let model = self.entry.model;
        let class = model.class(class_id);
        let mut bound = self.values(known)?;
        let mut passed = self.values(arguments)?;
        let slots: Vec<(usize, Sort)> =
            class.known().flat_map(|variable| variable.elements().map(|slot| (slot, variable.sort))).collect();
        fit(model, &mut bound, known, slots.iter().map(|&(_, sort)| sort))?;
        debug_assert_eq!(bound.len(), slots.len(), "every known rebec is bound");
        fit(model, &mut passed, arguments, sorts(class.creation_parameters(model.dialect)))?;
        debug_assert_eq!(
            passed.len(),
            class.creation_parameters(model.dialect).len(),
            "a new rebec takes every argument"
        );
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
                    let message = Message { server, sender: self.actor().rebec, arguments: passed };
                    self.effects.push(Effect::Send { receiver: rebec, message, span });
                }
            }
            Dialect::Rebeca21 => {
                // The creation comes before the effects of the constructor.
                let position = self.effects.len();
                self.effects.push(Effect::Create { rebec, values: Vec::new() });
                if let Some(constructor) = &class.constructor {
                    self.actors.push(Actor { rebec, class, values, sender: rebec });
                    let then = Then::Create { position, into };
                    let entered = self.enter(self.actors.len() - 1, &constructor.body, &passed, then, span);
                    return entered.inspect_err(|_| self.uncreated(position));
                }
                self.effects[position] = Effect::Create { rebec, values };
            }
        }
        self.store(Value::Rebec(rebec), into, span)
    }

    /// Creates the last rebec without running its constructor, which did not begin.
    fn uncreated(&mut self, position: usize) {
        let Actor { rebec, values, .. } = self.actors.pop().expect("the rebec that was made");
        self.effects[position] = Effect::Create { rebec, values };
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

/// Converts values to the sorts of their targets; faults point at the expressions that the values come from.
fn fit(model: &Model, values: &mut [Value], exprs: &[Expr], sorts: impl Iterator<Item = Sort>) -> Result<(), Fault> {
    for ((value, expr), sort) in values.iter_mut().zip(exprs).zip(sorts) {
        *value = convert(model, *value, sort, expr.span)?;
    }
    Ok(())
}

/// Whether a value of one sort may be passed as a parameter of the other, widths and classes aside; if not, the receiver does not
/// understand the message.
pub fn passes(argument: Sort, parameter: Sort) -> bool {
    match (argument, parameter) {
        (Sort::Bool, Sort::Bool) | (Sort::Int(_), Sort::Int(_)) => true,
        (Sort::Rebec(_) | Sort::AnyRebec, Sort::Rebec(_) | Sort::AnyRebec) => true,
        (Sort::Scalar(argument), Sort::Scalar(parameter)) => argument == parameter,
        _ => false,
    }
}
