//! Channels: conditions and effects of sending and receiving.

use super::super::syntax::ast::{Argument, Expr, ExprKind, Place};
use super::declare::{Group, free};
use super::targets::{Access, Target, Targets};
use super::{Context, Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::from_actors::build::{
    and, assign, binary, equal, fail, int, local, not, or, place as element, read, when,
};
use crate::sequential::{BinaryOp, Expr as Value, Initial, Stmt, Variable, VariableId};
use crate::source::Span;

/// The fault of a statement with fewer arguments than a message has fields.
const FEWER: &str = "there are fewer arguments than fields of the message";

/// The fault of a statement with more arguments than a message has fields.
const MORE: &str = "there are more arguments than fields of the message";

/// A number of fields, in words.
fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

fn small(value: i64) -> Value {
    int(i32::try_from(value).expect("sizes are bounded"))
}

impl Lowering<'_> {
    /// The values of the arguments of a send statement, records taken apart.
    pub(super) fn sent(&mut self, arguments: &[Expr], context: &Context) -> Result<Vec<Value>, Refused> {
        let mut values = Vec::new();
        for argument in arguments {
            let ExprKind::Place(place) = &argument.kind else {
                values.push(self.expression(argument, context)?);
                continue;
            };
            for place in self.parts(context.process, place) {
                let span = place.span;
                values.push(self.expression(&Expr { kind: ExprKind::Place(place), span }, context)?);
            }
        }
        Ok(values)
    }

    /// The arguments of a receive statement, records taken apart and constants as values to match.
    pub(super) fn received(&mut self, arguments: &[Argument], context: &Context) -> Vec<Argument> {
        let mut list = Vec::new();
        for argument in arguments {
            let Argument::Place(place) = argument else {
                list.push(argument.clone());
                continue;
            };
            let is_forgotten = self.is_forgotten(place) && place.indices().next().is_none();
            if place.parts[0].name.text == "_" {
                list.push(Argument::Any);
                continue;
            }
            if is_forgotten {
                // A record stands for as many fields of the message as it has.
                let parts = if self.wrong.hidden_records_are_one_value() {
                    1
                } else {
                    self.parts(context.process, place).len()
                };
                list.extend(std::iter::repeat_n(Argument::Any, parts));
                continue;
            }
            for place in self.parts(context.process, place) {
                let is_symbol = self.leaf(context.process, &place).is_none()
                    && place.parts.len() == 1
                    && self.symbols.contains_key(&place.parts[0].name.text);
                let span = place.span;
                list.push(if is_symbol {
                    Argument::Match(Expr { kind: ExprKind::Place(place), span })
                } else {
                    Argument::Place(place)
                });
            }
        }
        list
    }

    /// Refuses more arguments than a message has fields, unless the place may denote channels of other messages.
    pub(super) fn check_arguments(&mut self, target: &Target, count: usize, span: Span) -> Result<(), Refused> {
        if target.is_valued || self.lacks_fields(target.group, count).is_none() {
            return Ok(());
        }
        self.refuse_arguments(target.group, count, span)
    }

    fn refuse_arguments(&mut self, group: usize, count: usize, span: Span) -> Result<(), Refused> {
        let Group { name, types, .. } = &self.groups[group];
        let message = format!("{count} arguments for the messages of `{name}`, which have {}", fields(types.len()));
        self.refuse(codes::PROMELA_ARGUMENTS, span, &message)
    }

    /// The fault of a statement with more arguments than a message has fields, as in SPIN.
    pub(super) fn lacks_fields(&self, group: usize, count: usize) -> Option<&'static str> {
        (count > self.groups[group].types.len()).then_some(MORE)
    }

    /// The fault of a statement that has not as many arguments as a message has fields, as in SPIN.
    pub(super) fn misfit(&self, group: usize, count: usize) -> Option<&'static str> {
        let is_less = count < self.groups[group].types.len() && !self.wrong.fewer_arguments();
        self.lacks_fields(group, count).or_else(|| is_less.then_some(FEWER))
    }

    pub(super) fn slot(&self, group: usize, field: usize, indices: &[Value], slot: Value) -> Value {
        let all = indices.iter().cloned().chain([slot]).collect();
        read(self.groups[group].fields[field], all)
    }

    /// Whether the message of a slot fits the arguments.
    pub(super) fn fits(
        &mut self,
        target: &Target,
        slot: i64,
        arguments: &[Argument],
        context: &Context,
    ) -> Result<Value, Refused> {
        let mut list = Vec::new();
        let fields = self.groups[target.group].types.len();
        for (field, argument) in arguments.iter().enumerate().take(fields) {
            if let Argument::Match(wanted) = argument {
                let wanted = self.expression(wanted, context)?;
                list.push(equal(self.slot(target.group, field, &target.indices, small(slot)), wanted));
            }
        }
        Ok(and(list))
    }

    pub(super) fn len(&self, target: &Target) -> Value {
        let group = &self.groups[target.group];
        debug_assert!(group.capacity > 0, "only a channel with slots has a length");
        debug_assert_eq!(target.indices.len(), group.indices.len(), "an index for each dimension");
        read(self.groups[target.group].len, target.indices.clone())
    }

    /// Whether the first message that fits stands in a slot; the earlier ones do not fit.
    pub(super) fn first_in(
        &mut self,
        target: &Target,
        slot: i64,
        arguments: &[Argument],
        context: &Context,
    ) -> Result<Value, Refused> {
        let mut list = vec![binary(BinaryOp::Greater, self.len(target), small(slot))];
        list.push(self.fits(target, slot, arguments, context)?);
        for earlier in 0..slot {
            list.push(not(self.fits(target, earlier, arguments, context)?));
        }
        Ok(and(list))
    }

    /// The condition under which a message of a buffered channel fits.
    pub(super) fn can_receive(
        &mut self,
        target: &Target,
        arguments: &[Argument],
        random: bool,
        context: &Context,
    ) -> Result<Value, Refused> {
        let slots = if random { self.groups[target.group].capacity } else { 1 };
        let mut list = Vec::new();
        for slot in 0..slots {
            let has = binary(BinaryOp::Greater, self.len(target), small(slot));
            list.push(and(vec![has, self.fits(target, slot, arguments, context)?]));
        }
        Ok(or(list))
    }

    /// `q?[..]` and `q??[..]`.
    pub(super) fn poll(
        &mut self,
        place: &Place,
        arguments: &[Argument],
        random: bool,
        context: &Context,
    ) -> Result<Value, Refused> {
        let arguments = self.received(arguments, context);
        let Targets { list: targets, missing } = self.channel(place, Access::Takes, context)?;
        let mut list = Vec::new();
        for target in targets {
            self.check_arguments(&target, arguments.len(), place.span)?;
            if self.groups[target.group].capacity == 0 {
                continue;
            }
            // SPIN faults while it looks for a value where there is no field.
            let behind = arguments.iter().skip(self.groups[target.group].types.len());
            if behind.into_iter().any(|argument| matches!(argument, Argument::Match(_))) {
                self.refuse_arguments(target.group, arguments.len(), place.span)?;
            }
            let fits = self.can_receive(&target, &arguments, random, context)?;
            list.push(and(target.condition.into_iter().chain([fits]).collect()));
        }
        list.extend(missing.map(|missing| self.looked_up(missing)));
        Ok(or(list))
    }

    /// A new local of a body.
    pub(super) fn temporary(&mut self, low: i32, high: i32) -> VariableId {
        let sort = self.range(low, high);
        let name = self.names.fresh(&["tmp"]);
        let initial = Initial::Values(vec![low.max(0).min(high)]);
        self.model.locals.push(Variable { initial, ..Variable::new(name, sort, Vec::new(), Span::NONE) });
        VariableId::from_index(self.model.variables.len() + self.model.locals.len() - 1)
    }

    fn put(&self, group: usize, field: usize, indices: &[Value], slot: Value, value: Value) -> Stmt {
        let all = indices.iter().cloned().chain([slot]).collect();
        assign(element(self.groups[group].fields[field], all), value)
    }

    /// Puts a message behind the others, or before the first one that is greater.
    pub(super) fn send(&mut self, target: &Target, values: Vec<Value>, sorted: bool, context: &Context) -> Vec<Stmt> {
        let group = target.group;
        if let Some(fault) = self.misfit(group, values.len()) {
            return vec![fail(fault)];
        }
        let types = self.groups[group].types.clone();
        assert!(values.len() <= types.len(), "a message has a field for each value that is sent");
        let zeros = std::iter::repeat_n(int(0), types.len() - values.len());
        let cut: Vec<Value> =
            values.into_iter().chain(zeros).zip(&types).map(|(value, of)| self.wrapped(of, value, context)).collect();
        let len = self.len(target);
        let more =
            assign(element(self.groups[group].len, target.indices.clone()), binary(BinaryOp::Add, len.clone(), int(1)));
        let mut body = Vec::new();
        if !sorted {
            for (field, value) in cut.into_iter().enumerate() {
                body.push(self.put(group, field, &target.indices, len.clone(), value));
            }
            body.push(more);
            return body;
        }
        let mut kept = Vec::new();
        for (value, of) in cut.into_iter().zip(&types) {
            let (low, high) = self.bounds(of);
            let id = self.temporary(low, high);
            body.push(local(id, value));
            kept.push(read(id, Vec::new()));
        }
        let capacity = self.groups[group].capacity;
        let position = self.temporary(0, i32::try_from(capacity - 1).expect("sizes are bounded"));
        body.push(local(position, len.clone()));
        for slot in (0..capacity).rev() {
            let is_used = binary(BinaryOp::Greater, len.clone(), small(slot));
            let mut greater = int(0);
            for field in (0..types.len()).rev() {
                let own = self.slot(group, field, &target.indices, small(slot));
                let more = binary(BinaryOp::Greater, own.clone(), kept[field].clone());
                let same = equal(own, kept[field].clone());
                greater = or(vec![more, and(vec![same, greater])]);
            }
            let set = assign(element(position, Vec::new()), small(slot));
            body.push(when(and(vec![is_used, greater]), vec![set], Vec::new()));
        }
        let at = read(position, Vec::new());
        for slot in (1..capacity).rev() {
            let moves = and(vec![
                binary(BinaryOp::Less, at.clone(), small(slot)),
                binary(BinaryOp::GreaterEqual, len.clone(), small(slot)),
            ]);
            let shift = (0..types.len()).map(|field| {
                let before = self.slot(group, field, &target.indices, small(slot - 1));
                self.put(group, field, &target.indices, small(slot), before)
            });
            body.push(when(moves, shift.collect(), Vec::new()));
        }
        for (field, value) in kept.into_iter().enumerate() {
            body.push(self.put(group, field, &target.indices, at.clone(), value));
        }
        body.push(more);
        body
    }

    /// Takes the values of a message.
    pub(super) fn take(
        &mut self,
        values: Vec<Value>,
        arguments: &[Argument],
        context: &Context,
    ) -> Result<Vec<Stmt>, Refused> {
        assert!(arguments.len() <= values.len(), "a message has a value for each argument");
        let mut body = Vec::new();
        for (argument, value) in arguments.iter().zip(values) {
            if let Argument::Place(place) = argument {
                let given = self.given(place, value, context)?;
                body.extend(given.into_iter().map(|stmt| Stmt { span: place.span, ..stmt }));
            }
        }
        Ok(body)
    }

    /// Removes the message of a slot.
    pub(super) fn remove(&self, target: &Target, slot: i64) -> Vec<Stmt> {
        let group = &self.groups[target.group];
        debug_assert!((0..group.capacity).contains(&slot), "a message is taken from a slot of its channel");
        debug_assert_eq!(group.fields.len(), group.types.len(), "every field of the messages has its slots");
        let mut body = Vec::new();
        for field in 0..group.fields.len() {
            for to in slot..group.capacity - 1 {
                let from = self.slot(target.group, field, &target.indices, small(to + 1));
                body.push(self.put(target.group, field, &target.indices, small(to), from));
            }
            body.push(self.put(
                target.group,
                field,
                &target.indices,
                small(group.capacity - 1),
                int(free(&group.types[field])),
            ));
        }
        let len = self.len(target);
        let less = binary(BinaryOp::Subtract, len, int(1));
        body.push(assign(element(group.len, target.indices.clone()), less));
        body
    }
}
