//! The integers that variables, parameters and locals may hold: small sets, or any integer.
//!
//! There is one set per variable of a class (shared by its heirs), per parameter of a server, and per local. Every
//! stored value is added until no set grows, and a set that grows larger than [`MOST`] becomes "any integer". The
//! order of statements is ignored.
//!
//! Soundness: a set holds every value that a run without faults may store; it may hold more.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::{
    Base, BinaryOp, ClassId, Dialect, Expr, ExprKind, LocalId, MethodId, Model, Place, Rvalue, Sort, Stmt, StmtKind,
    UnaryOp, Value, VariableId, Width,
};

use super::bodies::{BodyRef, Member, all, bodies};
use super::reads::{Name, called, operands, reads};

/// The greatest number of values of a set.
const MOST: usize = 64;

/// A set of integers, or all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    /// At most these, in ascending order.
    Some(Vec<i64>),
    /// Any integer.
    Any,
}

impl Set {
    fn one(value: i64) -> Set {
        Set::Some(vec![value])
    }

    fn none() -> Set {
        Set::Some(Vec::new())
    }

    /// The set of some values; a value that is none is left out.
    fn collect(values: impl IntoIterator<Item = Option<i64>>) -> Set {
        let mut found = Vec::new();
        for value in values.into_iter().flatten() {
            found.push(value);
            if found.len() == 4 * MOST {
                ascending(&mut found);
                if found.len() > MOST {
                    return Set::Any;
                }
            }
        }
        ascending(&mut found);
        if found.len() > MOST { Set::Any } else { Set::Some(found) }
    }

    /// Adds a value; returns whether the set changed.
    fn insert(&mut self, value: i64) -> bool {
        let Set::Some(known) = self else { return false };
        debug_assert!(known.len() <= MOST && known.is_sorted_by(|one, next| one < next), "few values, ascending");
        match known.binary_search(&value) {
            Ok(_) => return false,
            Err(_) if known.len() == MOST => *self = Set::Any,
            Err(at) => known.insert(at, value),
        }
        true
    }

    /// Adds another set; returns whether this set changed.
    fn add(&mut self, other: &Set) -> bool {
        match other {
            Set::Some(more) => more.iter().fold(false, |grew, &value| self.insert(value) | grew),
            Set::Any => std::mem::replace(self, Set::Any) != Set::Any,
        }
    }

    /// The values, if the set is finite.
    pub(crate) fn values(&self) -> Option<&[i64]> {
        match self {
            Set::Some(values) => Some(values),
            Set::Any => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Slot {
    Variable(ClassId, VariableId),
    Local(BodyRef, LocalId),
    Result(BodyRef),
}

/// The values that each variable, parameter and local may hold.
pub(crate) struct Values<'a> {
    model: &'a Model,
    sets: BTreeMap<Slot, Set>,
    /// The sets that grew after their readers were looked at.
    grown: BTreeSet<Slot>,
}

/// Computes the values that each variable, parameter and local may hold.
///
/// A statement is looked at again when a set that it reads has grown.
pub(crate) fn values(model: &Model) -> Values<'_> {
    let mut values = Values { model, sets: BTreeMap::new(), grown: BTreeSet::new() };
    values.start();
    let mut statements = Vec::new();
    for body in bodies(model) {
        all(0, &body.of(model).block, &mut |_, statement| statements.push((body, statement)));
    }
    let mut readers: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
    for (at, &(body, statement)) in statements.iter().enumerate() {
        values.statement(body, statement);
        values.reads(body, statement).into_iter().for_each(|slot| readers.entry(slot).or_default().push(at));
    }
    while let Some(slot) = values.grown.pop_first() {
        for &at in readers.get(&slot).into_iter().flatten() {
            let (body, statement) = statements[at];
            values.statement(body, statement);
        }
    }
    if cfg!(debug_assertions) {
        statements.iter().for_each(|&(body, statement)| values.statement(body, statement));
        assert!(values.grown.is_empty(), "a statement was not looked at again");
    }
    values
}

fn method_of(body: BodyRef, method: MethodId) -> BodyRef {
    BodyRef { class: body.class, member: Member::Method(method) }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(i64::from(*value)),
        _ => None,
    }
}

impl Values<'_> {
    fn start(&mut self) {
        for (index, class) in self.model.classes.iter().enumerate() {
            for (id, variable) in class.variables.iter().enumerate() {
                let slot = self.variable(ClassId::from_index(index), VariableId::from_index(id));
                self.add(slot, &Set::collect(variable.initial.iter().map(integer)));
            }
        }
        for instance in &self.model.instances {
            let Some(body) = self.creation(instance.class) else { continue };
            for (index, arguments) in instance.arguments.iter().enumerate() {
                self.add(Slot::Local(body, LocalId::from_index(index)), &Set::collect(arguments.iter().map(integer)));
            }
        }
    }

    /// The body that takes the arguments of a new rebec.
    fn creation(&self, class: ClassId) -> Option<BodyRef> {
        let found = self.model.class(class);
        let member = match self.model.dialect {
            Dialect::Rebeca20 => Member::Server(found.server("initial")?),
            Dialect::Rebeca21 => found.constructor.as_ref().map(|_| Member::Constructor)?,
        };
        Some(BodyRef { class, member })
    }

    fn variable(&self, class: ClassId, id: VariableId) -> Slot {
        Slot::Variable(self.model.class(class).variables[id.index()].declared_in, id)
    }

    fn add(&mut self, slot: Slot, set: &Set) {
        if self.sets.entry(slot).or_insert_with(Set::none).add(set) {
            self.grown.insert(slot);
        }
    }

    fn add_all(&mut self, body: BodyRef, from: BodyRef, arguments: &[Expr]) {
        for (index, argument) in arguments.iter().enumerate() {
            let set = self.of(from, argument);
            self.add(Slot::Local(body, LocalId::from_index(index)), &set);
        }
    }

    /// The sets that the values of a statement may depend on.
    fn reads(&self, body: BodyRef, statement: &Stmt) -> BTreeSet<Slot> {
        let mut names = Vec::new();
        operands(statement).into_iter().for_each(|(expr, _)| reads(expr, &mut names));
        let slots = names.into_iter().map(|name| match name {
            Name::Variable(id) => self.variable(body.class, id),
            Name::Local(id) => Slot::Local(body, id),
        });
        let called = called(statement).map(|method| Slot::Result(method_of(body, method)));
        slots.chain(called).collect()
    }

    /// Adds the values that a statement stores.
    fn statement(&mut self, body: BodyRef, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Let { local, value: None } => self.add(Slot::Local(body, *local), &Set::one(0)),
            StmtKind::Let { local, value: Some(value) } => self.store(body, Slot::Local(body, *local), value),
            StmtKind::Assign { place: Place { base: Base::Variable(id), .. }, value } => {
                let slot = self.variable(body.class, *id);
                self.store(body, slot, value);
            }
            StmtKind::Assign { place: Place { base: Base::Local(id), .. }, value } => {
                self.store(body, Slot::Local(body, *id), value);
            }
            StmtKind::Do(value) => self.pass(body, value),
            StmtKind::Send { arguments, targets, .. } => {
                for (class, server) in targets.iter().enumerate() {
                    let Some(server) = *server else { continue };
                    let target = BodyRef { class: ClassId::from_index(class), member: Member::Server(server) };
                    self.add_all(target, body, arguments);
                }
            }
            StmtKind::Return(Some(value)) => {
                let set = self.of(body, value);
                self.add(Slot::Result(body), &set);
            }
            _ => {}
        }
    }

    fn store(&mut self, body: BodyRef, slot: Slot, value: &Rvalue) {
        self.pass(body, value);
        let set = self.of_value(body, value);
        self.add(slot, &set);
    }

    /// Adds the values of the parameters that a value binds.
    fn pass(&mut self, body: BodyRef, value: &Rvalue) {
        match value {
            Rvalue::Call { method, arguments } => self.add_all(method_of(body, *method), body, arguments),
            Rvalue::New { class, arguments, .. } => {
                if let Some(target) = self.creation(*class) {
                    self.add_all(target, body, arguments);
                }
            }
            Rvalue::Expr(_) | Rvalue::Choose(_) => {}
        }
    }

    /// The possible integers of a value.
    pub(crate) fn of_value(&self, body: BodyRef, value: &Rvalue) -> Set {
        match value {
            Rvalue::Expr(expr) => self.of(body, expr),
            Rvalue::Choose(options) => {
                let mut set = Set::none();
                options.iter().for_each(|option| {
                    set.add(&self.of(body, option));
                });
                set
            }
            Rvalue::Call { method, .. } => self.get(Slot::Result(method_of(body, *method))),
            Rvalue::New { .. } => Set::none(),
        }
    }

    fn get(&self, slot: Slot) -> Set {
        self.sets.get(&slot).cloned().unwrap_or_else(Set::none)
    }

    /// The possible integers of an integer expression; the empty set for other sorts.
    pub(crate) fn of(&self, body: BodyRef, expr: &Expr) -> Set {
        if !matches!(expr.sort, Sort::Int(_)) {
            return Set::none();
        }
        match &expr.kind {
            ExprKind::Int(value) => Set::one(i64::from(*value)),
            ExprKind::Read(place) => match place.base {
                Base::Variable(id) => self.get(self.variable(body.class, id)),
                Base::Local(id) => self.get(Slot::Local(body, id)),
                Base::Remote(..) => Set::Any,
            },
            ExprKind::Ite(_, one, other) => {
                let mut set = self.of(body, one);
                set.add(&self.of(body, other));
                set
            }
            ExprKind::Narrow(_, inner) => self.of(body, inner),
            ExprKind::Unary(UnaryOp::Negate, inner) => match self.of(body, inner) {
                Set::Some(values) => Set::collect(values.into_iter().map(|value| fits(-value))),
                Set::Any => Set::Any,
            },
            ExprKind::Binary(op, left, right) => binary(*op, &self.of(body, left), &self.of(body, right)),
            _ => Set::Any,
        }
    }
}

/// Orders values and leaves out those that repeat.
fn ascending(values: &mut Vec<i64>) {
    values.sort_unstable();
    values.dedup();
}

/// A result that fits into 32 bits; other results are faults, not values.
fn fits(value: i64) -> Option<i64> {
    Width::Int.range().contains(&i32::try_from(value).ok()?).then_some(value)
}

fn binary(op: BinaryOp, left: &Set, right: &Set) -> Set {
    if let (BinaryOp::Remainder, Set::Any, Set::Some(divisors)) = (op, left, right) {
        // Truncated: the result has the sign of the dividend and is smaller than the divisor.
        let most = divisors.iter().map(|divisor| divisor.abs()).max().unwrap_or(0);
        return if most <= MOST as i64 / 2 { Set::collect((1 - most..most).map(Some)) } else { Set::Any };
    }
    let (Set::Some(left), Set::Some(right)) = (left, right) else { return Set::Any };
    let pairs = left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b)));
    match op {
        BinaryOp::Add => Set::collect(pairs.map(|(a, b)| fits(a + b))),
        BinaryOp::Subtract => Set::collect(pairs.map(|(a, b)| fits(a - b))),
        BinaryOp::Multiply => Set::collect(pairs.map(|(a, b)| fits(a * b))),
        BinaryOp::Divide => Set::collect(pairs.map(|(a, b)| a.checked_div(b).and_then(fits))),
        BinaryOp::Remainder => Set::collect(pairs.map(|(a, b)| a.checked_rem(b))),
        _ => Set::Any,
    }
}
