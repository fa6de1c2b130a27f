//! The channels that a place denotes.
//!
//! The name of a declaration with channels always denotes these. A variable may denote any channel that is a value somewhere, and none before it
//! got one: a statement on it is a fault then, and so is one whose index is outside of its array, whether anybody would meet it or not.
//! Indices of buffered channels are looked at with their messages. Those of rendezvous channels, which have no part in the state, are looked up in a
//! table of zeros where they may be outside.
//!
//! The channels of a local are gone with their process, which leaves them empty. SPIN faults where a process looks whether there is room in one, and, in a
//! model with rendezvous channels, where it looks for a message; its length is 0.
//!
//! Soundness: a place without a condition denotes its channel in every state.

use super::super::syntax::ast::{Place, Type};
use super::declare::Group;
use super::{Context, Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::from_actors::build::{and, binary, equal, int, ite, lookup, member, not, or, read};
use crate::sequential::{BinaryOp, Domain, Expr as Value, SortId, Table, TableId, ValueKind};
use crate::source::Span;

/// The fault of a statement on a place that denotes no channel.
pub(super) const NO_CHANNEL: &str = "there is no such channel";

/// What a statement or an expression does with a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// It reads how many messages there are.
    Counts,
    /// It looks for a message.
    Takes,
    /// It looks for room.
    Puts,
}

/// A channel that a place may denote.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The condition under which it does; `None` if always.
    pub condition: Option<Value>,
    pub group: usize,
    pub indices: Vec<Value>,
    /// Whether the place is a variable, which may denote channels of other groups.
    pub is_valued: bool,
}

/// The channels that a place may denote.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    pub list: Vec<Target>,
    /// `None` if it always denotes one.
    pub missing: Option<Missing>,
}

/// A place that may denote no channel.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    /// The condition under which it denotes none.
    pub condition: Value,
    /// What is outside of its range then: numbers or indices, with their sorts.
    outside: (Vec<Value>, Vec<SortId>),
}

impl Lowering<'_> {
    /// The channels that a place may denote.
    pub(super) fn channel(&mut self, place: &Place, access: Access, context: &Context) -> Result<Targets, Refused> {
        let leaf = self.known_leaf(place, context)?;
        if leaf.of != Type::Chan {
            return self.refuse(codes::PROMELA_TYPE, place.span, "a channel is needed here");
        }
        let indices = self.indices(place, &leaf.sizes, leaf.owner.is_some(), context)?;
        if let Some(group) = leaf.group {
            return Ok(self.fixed(group, indices, context));
        }
        let value = read(leaf.variable, indices);
        let taken = self.groups.iter().enumerate().filter(|(number, _)| self.taken.contains(number));
        let mut list: Vec<Target> = taken.map(|(number, group)| self.valued(number, group, &value)).collect();
        if self.is_always_set(place, leaf.owner) || self.wrong.channels_are_set() {
            return Ok(Targets { list, missing: None });
        }
        let mut may_be_gone = false;
        for target in &mut list {
            let Some(alive) = self.is_there(target, access) else { continue };
            target.condition = Some(and(target.condition.take().into_iter().chain([alive]).collect()));
            may_be_gone = true;
        }
        let condition = not(or(list.iter().filter_map(|target| target.condition.clone()).collect()));
        // 0 is the number of no channel.
        let number = if may_be_gone { ite(condition.clone(), int(0), value) } else { value };
        let outside = (vec![number], vec![self.numbers_of_channels()]);
        Ok(Targets { list, missing: Some(Missing { condition, outside }) })
    }

    /// Whether the process of a channel of a local is there; `None` where it always is, or where it does not matter.
    fn is_there(&self, target: &Target, access: Access) -> Option<Value> {
        let matters = match access {
            Access::Counts => false,
            Access::Takes => self.groups.iter().any(|group| group.capacity == 0),
            Access::Puts => true,
        };
        let owner = self.groups[target.group].owner?;
        let (at, sort, members) = &self.controls[owner];
        let ends = members.contains_key(&self.flows[owner].end);
        let is_known = matters && ends && !self.wrong.channels_outlive_processes();
        is_known.then(|| not(equal(read(*at, vec![target.indices[0].clone()]), member(*sort, 0))))
    }

    /// A channel of a group at these indices.
    fn fixed(&mut self, group: usize, indices: Vec<Value>, context: &Context) -> Targets {
        let is_valued = false;
        let always =
            |indices| Targets { list: vec![Target { condition: None, group, indices, is_valued }], missing: None };
        let sorts = self.groups[group].indices.clone();
        if self.groups[group].capacity > 0 || self.are_within(&indices, &sorts, context) {
            return always(indices);
        }
        let mut within = Vec::new();
        for (index, &sort) in indices.iter().zip(&sorts) {
            if !self.is_within(index, sort, &context.scope) {
                let (low, high) = self.model.domain(sort).bounds();
                within.push(binary(BinaryOp::GreaterEqual, index.clone(), int(low)));
                within.push(binary(BinaryOp::LessEqual, index.clone(), int(high)));
            }
        }
        let condition = and(within);
        let missing = Missing { condition: not(condition.clone()), outside: (indices.clone(), sorts) };
        let target = Target { condition: Some(condition), group, indices, is_valued };
        Targets { list: vec![target], missing: Some(missing) }
    }

    /// The channels of a group as values of a variable.
    fn valued(&self, number: usize, group: &Group, value: &Value) -> Target {
        let condition = if group.size == 1 {
            equal(value.clone(), int(group.base))
        } else {
            let low = binary(BinaryOp::GreaterEqual, value.clone(), int(group.base));
            and(vec![low, binary(BinaryOp::Less, value.clone(), int(group.base + group.size))])
        };
        let mut indices = Vec::new();
        let mut behind = group.size;
        for &sort in &group.indices {
            let domain = self.model.domain(sort);
            let size = i32::try_from(domain.size()).expect("sizes are bounded");
            behind /= size;
            let offset = binary(BinaryOp::Subtract, value.clone(), int(group.base));
            let offset = if behind == 1 { offset } else { binary(BinaryOp::Quotient, offset, int(behind)) };
            let index = if indices.is_empty() { offset } else { binary(BinaryOp::Remainder, offset, int(size)) };
            indices.push(binary(BinaryOp::Add, index, int(domain.bounds().0)));
        }
        assert_eq!(behind, 1, "the indices of a declaration number all of its channels");
        Target { condition: Some(condition), group: number, indices, is_valued: true }
    }

    /// The number of the channel of a group at these indices.
    pub(super) fn channel_number(&mut self, group: usize, indices: Vec<Value>, context: &Context) -> Value {
        let sorts = self.groups[group].indices.clone();
        let is_sure = self.are_within(&indices, &sorts, context);
        let zero = if is_sure { int(0) } else { self.zero(indices.clone(), &sorts) };
        let group = &self.groups[group];
        assert_eq!(indices.len(), group.indices.len(), "a channel has an index for each dimension of its declaration");
        let mut number = int(0);
        for (index, &sort) in indices.into_iter().zip(&group.indices) {
            let domain = self.model.domain(sort);
            let size = i32::try_from(domain.size()).expect("sizes are bounded");
            let (low, _) = domain.bounds();
            let index = if low == 0 { index } else { binary(BinaryOp::Subtract, index, int(low)) };
            number = if number == int(0) {
                index
            } else {
                binary(BinaryOp::Add, binary(BinaryOp::Multiply, number, int(size)), index)
            };
        }
        let number = if number == int(0) { int(group.base) } else { binary(BinaryOp::Add, number, int(group.base)) };
        if is_sure { number } else { binary(BinaryOp::Add, zero, number) }
    }

    fn numbers_of_channels(&mut self) -> SortId {
        let high = (self.next_channel - 1).max(1);
        let sort = self.numbers.unwrap_or_else(|| self.sort("CHANNEL", Domain::Range { low: 1, high }));
        *self.numbers.insert(sort)
    }

    /// The value 0, which faults where a place denotes no channel.
    pub(super) fn looked_up(&mut self, missing: Missing) -> Value {
        let (indices, sorts) = missing.outside;
        self.zero(indices, &sorts)
    }

    fn are_within(&self, indices: &[Value], sorts: &[SortId], context: &Context) -> bool {
        let mut both = indices.iter().zip(sorts);
        self.wrong.channels_fit() || both.all(|(index, &sort)| self.is_within(index, sort, &context.scope))
    }

    /// The value 0, as an entry of a table: it faults where some index is outside of its sort.
    fn zero(&mut self, indices: Vec<Value>, sorts: &[SortId]) -> Value {
        assert_eq!(indices.len(), sorts.len(), "an entry has an index for each dimension of its table");
        let number = self.model.tables.iter().position(|table| table.indices == sorts).unwrap_or_else(|| {
            let name = self.names.fresh(&["channels"]);
            let size = self.model.size_of(sorts).expect("sizes are bounded");
            let (indices, values) = (sorts.to_vec(), vec![0; size]);
            self.model.tables.push(Table { name, indices, kind: ValueKind::Integer, values, span: Span::NONE });
            self.model.tables.len() - 1
        });
        lookup(TableId::from_index(number), indices)
    }
}
