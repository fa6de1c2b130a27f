//! Expressions of Promela as expressions of the sequential form.
//!
//! Results have 32 bits and wrap, division and remainder round towards zero, as in C. A condition is true if it is not 0. `&&` and `||` evaluate no
//! more than they must. Values are cut to the width of the variable that takes them.

use super::super::syntax::ast::{Binary, Expr, ExprKind, Measure, Part, Place, Type, Unary};
use super::declare::Leaf;
use super::targets::{Access, Targets};
use super::{Context, Lowering, Refused};
use crate::diagnostics::{codes, did_you_mean};
use crate::sequential::from_actors::build::{and, binary, equal, int, ite, negate, not, or, place as element, read};
use crate::sequential::{self as seq, BinaryOp, ExprKind as Kind, Typing, Values};

type Lowered = Result<seq::Expr, Refused>;

impl Lowering<'_> {
    /// The values that an expression may have.
    pub(super) fn values(&self, expr: &seq::Expr, context: &Context) -> Option<Values> {
        Typing::new(&self.model, context.scope.clone()).values(expr)
    }

    /// A value as a condition.
    pub(super) fn as_condition(&self, value: seq::Expr, context: &Context) -> seq::Expr {
        // The operands of chains of these are not looked at again for each of their prefixes.
        if let Kind::And(_) | Kind::Or(_) | Kind::Not(_) | Kind::Implies(..) = value.kind {
            return value;
        }
        if self.values(&value, context).is_some_and(Values::is_condition) {
            return value;
        }
        let span = value.span;
        seq::Expr { span, ..binary(BinaryOp::NotEqual, value, int(0)) }
    }

    /// A condition.
    pub(super) fn condition(&mut self, expr: &Expr, context: &Context) -> Lowered {
        let value = self.expression(expr, context)?;
        Ok(self.as_condition(value, context))
    }

    /// A value cut to a type.
    pub(super) fn wrapped(&self, of: &Type, value: seq::Expr, context: &Context) -> seq::Expr {
        let (low, high) = self.bounds(of);
        if let Some(Values::Range { low: least, high: greatest }) = self.values(&value, context)
            && low <= least
            && greatest <= high
        {
            return value;
        }
        let span = value.span;
        let cut = match of {
            Type::Short => {
                let up = binary(BinaryOp::ShiftLeft, value, int(16));
                binary(BinaryOp::ShiftRight, up, int(16))
            }
            Type::Int | Type::Chan | Type::Record(_) => value,
            _ => binary(BinaryOp::BitAnd, value, int(high)),
        };
        seq::Expr { span, ..cut }
    }

    pub(super) fn expression(&mut self, expr: &Expr, context: &Context) -> Lowered {
        let lowered = self.expression_of(expr, context)?;
        Ok(seq::Expr { span: expr.span, ..lowered })
    }

    fn expression_of(&mut self, expr: &Expr, context: &Context) -> Lowered {
        match &expr.kind {
            ExprKind::Int(value) => Ok(int(i32::try_from(*value).unwrap_or_else(|_| {
                // A hexadecimal number of 32 bits.
                u32::try_from(*value).map_or(i32::MIN, u32::cast_signed)
            }))),
            ExprKind::Place(place) => self.value(place, context),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, context),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, context),
            ExprKind::Choice(condition, then, otherwise) => {
                let condition = self.condition(condition, context)?;
                Ok(ite(condition, self.expression(then, context)?, self.expression(otherwise, context)?))
            }
            ExprKind::Measure(measure, place) => self.measure(*measure, place, context),
            ExprKind::Poll { channel, arguments, random } => self.poll(channel, arguments, *random, context),
            ExprKind::Timeout => {
                if context.in_timeout {
                    return Ok(int(0));
                }
                self.timeout(context)
            }
            // A process that is being made gets the next number.
            ExprKind::ProcessCount | ExprKind::Made => Ok(self.process_count()),
            ExprKind::Last => Ok(self.last.map_or_else(|| int(0), |last| read(last, Vec::new()))),
            ExprKind::Pid => match &context.pid {
                Some(pid) => Ok(pid.clone()),
                None => self.refuse(codes::PROMELA_SCOPE, expr.span, "`_pid` outside of a process"),
            },
            ExprKind::At { process, pid, label } => {
                let number = self.proctype(process)?;
                let point = self.labelled_point(number, label)?;
                let at = |lowering: &mut Self, pid: seq::Expr| Ok(lowering.is_at(number, pid, point));
                self.remote(process, number, pid.as_deref(), context, &at)
            }
            ExprKind::Of { process, pid, place } => {
                let number = self.proctype(process)?;
                let of = |lowering: &mut Self, pid: seq::Expr| {
                    let inner = Context { process: Some(number), pid: Some(pid), ..context.clone() };
                    lowering.value(place, &inner)
                };
                self.remote(process, number, pid.as_deref(), context, &of)
            }
            ExprKind::NoProgress if context.process.is_none() => Ok(not(self.labelled("progress"))),
            ExprKind::Enabled(pid) if context.process.is_none() => {
                let pid = self.expression(pid, context)?;
                self.enabled(&pid, context)
            }
            ExprKind::NoProgress | ExprKind::Enabled(_) => {
                let message = "`np_` and `enabled` stand in claims and formulas only";
                self.refuse(codes::PROMELA_SCOPE, expr.span, message)
            }
        }
    }

    fn unary(&mut self, op: Unary, inner: &Expr, context: &Context) -> Lowered {
        match op {
            Unary::Not => Ok(not(self.condition(inner, context)?)),
            Unary::Negate => match self.expression(inner, context)? {
                seq::Expr { kind: Kind::Int(value), .. } if value != i32::MIN => Ok(int(-value)),
                value if self.may_overflow(BinaryOp::Subtract, &int(0), &value, &context.scope) => {
                    Ok(binary(BinaryOp::WrappingSubtract, int(0), value))
                }
                value => Ok(negate(value)),
            },
            Unary::Complement => Ok(binary(BinaryOp::Xor, self.expression(inner, context)?, int(-1))),
            Unary::Temporal(_) => self.refuse(codes::PROMELA_SCOPE, inner.span, "a temporal operator outside of `ltl`"),
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, context: &Context) -> Lowered {
        let op = match op {
            Binary::And => return Ok(and(vec![self.condition(left, context)?, self.condition(right, context)?])),
            Binary::Or => return Ok(or(vec![self.condition(left, context)?, self.condition(right, context)?])),
            Binary::Implies => {
                return Ok(or(vec![not(self.condition(left, context)?), self.condition(right, context)?]));
            }
            Binary::Equivalent => {
                return Ok(equal(self.condition(left, context)?, self.condition(right, context)?));
            }
            Binary::Temporal(_) => {
                return self.refuse(codes::PROMELA_SCOPE, left.span, "a temporal operator outside of `ltl`");
            }
            Binary::On(op) => op,
        };
        let (left, right) = (self.expression(left, context)?, self.expression(right, context)?);
        let op = self.fitting(op, &left, &right, &context.scope);
        if let (Kind::Int(a), Kind::Int(b)) = (&left.kind, &right.kind)
            && let Ok(value) = seq::interpret::arithmetic(op, *a, *b)
        {
            return Ok(int(value));
        }
        Ok(binary(op, left, right))
    }

    /// The value of a variable or symbol.
    fn value(&mut self, place: &Place, context: &Context) -> Lowered {
        if let [Part { name, index: None }] = place.parts.as_slice()
            && self.leaf(context.process, place).is_none()
            && let Some(&value) = self.symbols.get(&name.text)
        {
            return Ok(int(value));
        }
        let leaf = self.known_leaf(place, context)?;
        let indices = self.indices(place, &leaf.sizes, leaf.owner.is_some(), context)?;
        if let Some(group) = leaf.group {
            return Ok(self.channel_number(group, indices, context));
        }
        Ok(read(leaf.variable, indices))
    }

    /// The element that a place denotes, and its type.
    pub(super) fn element(&mut self, place: &Place, context: &Context) -> Result<(seq::Place, Type), Refused> {
        let leaf = self.known_leaf(place, context)?;
        if leaf.group.is_some() {
            return self.refuse(codes::PROMELA_TYPE, place.span, "a channel is no variable here");
        }
        let indices = self.indices(place, &leaf.sizes, leaf.owner.is_some(), context)?;
        let wanted = self.model.variables[leaf.variable.index()].indices.len();
        assert_eq!(indices.len(), wanted, "an element has an index for each dimension of its variable");
        Ok((seq::Place { span: place.span, ..element(leaf.variable, indices) }, leaf.of))
    }

    /// The element that a place denotes, and a value as the element keeps it.
    pub(super) fn stored(
        &mut self,
        place: &Place,
        value: &seq::Expr,
        context: &Context,
    ) -> Result<(seq::Place, seq::Expr), Refused> {
        let leaf = self.known_leaf(place, context)?;
        let (element, _) = self.element(place, context)?;
        let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
        Ok((element, self.kept(&names.join("."), &leaf, value, context)))
    }

    /// A value as a variable keeps it. Elements of arrays of bits are bytes, as in SPIN: an array that gets another value than 0 and 1 is declared so when
    /// the text is read again.
    pub(super) fn kept(&mut self, name: &str, leaf: &Leaf, value: &seq::Expr, context: &Context) -> seq::Expr {
        let cut = self.wrapped(&leaf.of, value.clone(), context);
        if leaf.is_array_of_bits() && cut != *value && !self.wrong.cuts_elements() {
            self.bytes.insert((leaf.owner, name.to_owned()));
        }
        cut
    }

    pub(super) fn known_leaf(&mut self, place: &Place, context: &Context) -> Result<Leaf, Refused> {
        if let Some(leaf) = self.leaf(context.process, place) {
            return Ok(leaf.clone());
        }
        let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
        let name = names.join(".");
        let own = |owner: &Option<usize>| owner.is_none() || *owner == context.process;
        let known = self.leaves.keys().filter(|(owner, _)| own(owner)).map(|(_, name)| name.as_str());
        let help = did_you_mean(&name, known.chain(self.symbols.keys().map(String::as_str)));
        let is_field = |part: &Place| part.parts.len() > place.parts.len();
        let message = if self.parts(context.process, place).iter().any(is_field) {
            format!("`{name}` is a record: a field is needed here")
        } else {
            format!("there is no variable `{name}`")
        };
        self.refuse_with(codes::PROMELA_UNKNOWN, place.span, &message, help)
    }

    /// The indices of a place, the process first.
    pub(super) fn indices(
        &mut self,
        place: &Place,
        sizes: &[Option<i64>],
        is_local: bool,
        context: &Context,
    ) -> Result<Vec<seq::Expr>, Refused> {
        assert_eq!(place.parts.len(), sizes.len(), "a place has the names of its variable");
        let mut indices = Vec::new();
        if is_local {
            let Some(pid) = &context.pid else {
                return self.refuse(codes::PROMELA_SCOPE, place.span, "a local variable outside of its process");
            };
            indices.push(pid.clone());
        }
        for (part, size) in place.parts.iter().zip(sizes) {
            match (&part.index, size) {
                (Some(index), Some(_)) => indices.push(self.expression(index, context)?),
                (None, Some(_)) => {
                    let message = format!("`{}` is an array: an index is needed here", part.name.text);
                    return self.refuse(codes::PROMELA_TYPE, part.name.span, &message);
                }
                (Some(index), None) => {
                    let message = format!("`{}` is no array", part.name.text);
                    return self.refuse(codes::PROMELA_TYPE, index.span, &message);
                }
                (None, None) => {}
            }
        }
        Ok(indices)
    }

    fn measure(&mut self, measure: Measure, place: &Place, context: &Context) -> Lowered {
        let access = match measure {
            Measure::Full | Measure::NotFull => Access::Puts,
            Measure::Len | Measure::Empty | Measure::NotEmpty => Access::Counts,
        };
        let Targets { list, missing } = self.channel(place, access, context)?;
        let fault = missing.map(|missing| self.looked_up(missing));
        let of = |lowering: &Self, group: usize, indices: Vec<seq::Expr>| {
            let group = &lowering.groups[group];
            let capacity = i32::try_from(group.capacity).expect("sizes are bounded");
            let len = if capacity == 0 { int(0) } else { read(group.len, indices) };
            // A rendezvous channel never holds a message, and is not full either.
            let capacity = if lowering.wrong.meetings_are_full() { capacity } else { capacity.max(1) };
            match measure {
                Measure::Len => len,
                Measure::Empty => equal(len, int(0)),
                Measure::NotEmpty => binary(BinaryOp::Greater, len, int(0)),
                Measure::Full => equal(len, int(capacity)),
                Measure::NotFull => binary(BinaryOp::Less, len, int(capacity)),
            }
        };
        let mut targets = list.into_iter().rev();
        let mut result = match fault {
            Some(fault) => fault,
            None => targets.next().map_or_else(|| int(0), |last| of(self, last.group, last.indices)),
        };
        for target in targets {
            let value = of(self, target.group, target.indices);
            result = ite(target.condition.unwrap_or_else(|| int(1)), value, result);
        }
        Ok(result)
    }
}
