//! The meaning of expressions and statements on the tree of a model, as `docs/semantics.md` has it: an interpreter that shares the parser
//! with the project and nothing else. Names are looked up where they are met, types are read where they are written, and every value
//! knows what it is.
//!
//! It takes trees that the project accepts, and it does not bound the nesting of calls.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use frontend::murphi::syntax::ast::{
    Alias, BinaryOp, Binder, BinderValues, Body, Declaration, DeclarationKind, Expr, ExprKind, Procedure, TypeExpr,
    TypeExprKind, UnaryOp,
};

use super::arithmetic::{binary, in_32_bits};
use super::value::{Simple, Sort, Type, Value};

/// The most rounds of loops in a step.
const ROUNDS: u32 = 1_000_000;

/// Why an evaluation ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// An assertion does not hold.
    Assertion,
    /// Every other fault.
    Error,
    /// An assumption does not hold: there is no step.
    Excluded,
}

/// Known-wrong interpreters, which a comparison has to notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    /// `&` and `|` evaluate all operands.
    EvaluatesAll,
    /// States distinguish the order of the slots of multisets.
    KeepsSlots,
    /// A `var` parameter is a copy.
    CopiesReferences,
    /// Locals have the least values at entry.
    ClearsLocals,
    /// `x := y` takes an undefined `y`.
    TakesUndefined,
    /// Assignments take what is outside of the type of their place.
    IgnoresRanges,
    /// Assumptions exclude nothing.
    IgnoresAssumptions,
    /// The values of a loop are taken in descending order.
    GoesDown,
    /// An alias of a variable is its value at entry.
    CopiesAliases,
    /// A deadlock is a state without steps.
    IsStuck,
    /// Equal elements of a multiset have one instance.
    MergesEqual,
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: Root,
    path: Vec<usize>,
    pub(super) of: Rc<Type>,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    State(usize),
    Local(usize),
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Meaning<'t> {
    Constant(Simple),
    Type(Rc<Type>),
    Place(Place),
    /// A slot of a multiset.
    Slot(usize),
    Procedure(&'t Procedure),
}

/// An evaluation in progress.
pub(super) struct Machine<'t> {
    /// The names of the model.
    pub(super) globals: HashMap<&'t str, Meaning<'t>>,
    /// The types of the variables of the state, in order.
    pub(super) types: Vec<Rc<Type>>,
    /// The state.
    pub(super) state: Vec<Value>,
    /// The values of all locals of the calls in progress.
    locals: Vec<Value>,
    /// The names of all calls in progress, innermost last.
    names: Vec<(&'t str, Meaning<'t>)>,
    /// The first name of the current call.
    floor: usize,
    /// The rounds that are left.
    pub(super) rounds: u32,
    /// The names of the `cover` statements that were met.
    pub(super) covers: BTreeSet<&'t str>,
    pub(super) wrong: Option<Wrong>,
}

pub(super) type Checked<T> = Result<T, Stop>;

/// A mark to go back to at the end of a scope.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    names: usize,
    locals: usize,
}

impl<'t> Machine<'t> {
    pub(super) fn new(wrong: Option<Wrong>) -> Machine<'t> {
        Machine {
            globals: HashMap::new(),
            types: Vec::new(),
            state: Vec::new(),
            locals: Vec::new(),
            names: Vec::new(),
            floor: 0,
            rounds: ROUNDS,
            covers: BTreeSet::new(),
            wrong,
        }
    }

    pub(super) fn is(&self, wrong: Wrong) -> bool {
        self.wrong == Some(wrong)
    }

    pub(super) fn renew(&mut self) {
        self.rounds = ROUNDS;
    }

    pub(super) fn round(&mut self) -> Checked<()> {
        self.rounds = self.rounds.checked_sub(1).ok_or(Stop::Error)?;
        Ok(())
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { names: self.names.len(), locals: self.locals.len() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.names.truncate(mark.names);
        self.locals.truncate(mark.locals);
    }

    /// What to go back to after an evaluation that may stop.
    pub(super) fn outer(&self) -> (Mark, usize) {
        (self.mark(), self.floor)
    }

    pub(super) fn back(&mut self, (mark, floor): (Mark, usize)) {
        self.leave(mark);
        self.floor = floor;
    }

    /// The value of a ruleset's name.
    pub(super) fn value_of(&mut self, name: &str) -> Simple {
        let Meaning::Place(place) = self.meaning(name).clone() else { panic!("a value") };
        match self.at(&place) {
            Value::Simple(value) => *value,
            _ => panic!("a simple value"),
        }
    }

    fn meaning(&self, name: &str) -> &Meaning<'t> {
        let inner = self.names[self.floor..].iter().rev().find(|(known, _)| *known == name);
        inner.map(|(_, meaning)| meaning).unwrap_or_else(|| &self.globals[name])
    }

    /// Gives a name a meaning up to the end of the scope.
    pub(super) fn name(&mut self, name: &'t str, meaning: Meaning<'t>) {
        self.names.push((name, meaning));
    }

    /// A new local.
    pub(super) fn local(&mut self, name: &'t str, of: Rc<Type>, value: Value) {
        let place = Place { root: Root::Local(self.locals.len()), path: Vec::new(), of };
        self.locals.push(value);
        self.name(name, Meaning::Place(place));
    }

    /// The declarations of a body, or of the model.
    pub(super) fn declare(&mut self, declaration: &'t Declaration, global: bool) {
        match &declaration.kind {
            DeclarationKind::Constant(value) => {
                let value = self.simple(value).expect("a constant");
                self.name_all(declaration, global, |_| Meaning::Constant(value));
            }
            DeclarationKind::Type(of) => {
                let of = self.read_type(of, global);
                self.name_all(declaration, global, |_| Meaning::Type(of.clone()));
            }
            DeclarationKind::Variable(of) => {
                let of = self.read_type(of, global);
                let clear = self.is(Wrong::ClearsLocals);
                for name in &declaration.names {
                    if !global {
                        self.local(&name.text, of.clone(), of.filled(clear));
                        continue;
                    }
                    let place = Place { root: Root::State(self.types.len()), path: Vec::new(), of: of.clone() };
                    self.types.push(of.clone());
                    self.globals.insert(&name.text, Meaning::Place(place));
                }
            }
        }
    }

    fn name_all(&mut self, declaration: &'t Declaration, global: bool, meaning: impl Fn(&str) -> Meaning<'t>) {
        for name in &declaration.names {
            match global {
                true => drop(self.globals.insert(&name.text, meaning(&name.text))),
                false => self.name(&name.text, meaning(&name.text)),
            }
        }
    }

    pub(super) fn read_type(&mut self, of: &'t TypeExpr, global: bool) -> Rc<Type> {
        let number = |machine: &mut Self, expr: &'t Expr| machine.number(expr).expect("a constant");
        Rc::new(match &of.kind {
            TypeExprKind::Boolean => Type::Boolean,
            TypeExprKind::Named(name) => match self.meaning(&name.text) {
                Meaning::Type(of) => return of.clone(),
                _ => panic!("a type"),
            },
            TypeExprKind::Range(low, high) => Type::Range(number(self, low), number(self, high)),
            TypeExprKind::Enum(names) => {
                let place = of.span.start;
                for (number, name) in (0..).zip(names) {
                    let member = Meaning::Constant(Simple::Member(place, number));
                    match global {
                        true => drop(self.globals.insert(&name.text, member)),
                        false => self.name(&name.text, member),
                    }
                }
                Type::Members(vec![Sort { place, size: names.len().try_into().expect("few") }])
            }
            TypeExprKind::Scalarset(size) => {
                Type::Members(vec![Sort { place: of.span.start, size: number(self, size) }])
            }
            TypeExprKind::Union(members) => {
                let sorts = members.iter().flat_map(|member| match &*self.read_type(member, global) {
                    Type::Members(sorts) => sorts.clone(),
                    _ => panic!("members"),
                });
                Type::Members(sorts.collect())
            }
            TypeExprKind::Array(index, element) => {
                Type::Array(self.read_type(index, global), self.read_type(element, global))
            }
            TypeExprKind::Record(fields) => {
                let mut list = Vec::new();
                for field in fields {
                    let of = self.read_type(&field.of, global);
                    list.extend(field.names.iter().map(|name| (name.text.clone(), of.clone())));
                }
                Type::Record(list)
            }
            TypeExprKind::Multiset(capacity, element) => {
                let capacity = number(self, capacity).try_into().expect("a capacity");
                Type::Multiset(capacity, self.read_type(element, global))
            }
        })
    }

    /// What is in a place.
    pub(super) fn at(&mut self, place: &Place) -> &mut Value {
        let root = match place.root {
            Root::State(number) => &mut self.state[number],
            Root::Local(number) => &mut self.locals[number],
        };
        place.path.iter().fold(root, |value, &step| match value {
            Value::Parts(parts) => &mut parts[step],
            Value::Slots(slots) => slots[step].as_mut().expect("a used slot"),
            _ => panic!("a value with parts"),
        })
    }

    /// The place that an expression names.
    pub(super) fn place(&mut self, expr: &'t Expr) -> Checked<Place> {
        match &expr.kind {
            ExprKind::Name(name) => match self.meaning(name) {
                Meaning::Place(place) => Ok(place.clone()),
                _ => panic!("`{name}` is no variable"),
            },
            ExprKind::Field(base, field) => {
                let Place { root, mut path, of } = self.place(base)?;
                let Type::Record(fields) = &*of else { panic!("a record") };
                let number = fields.iter().position(|(name, _)| *name == field.text).expect("a field");
                path.push(number);
                Ok(Place { root, path, of: fields[number].1.clone() })
            }
            ExprKind::Index(base, index) => {
                let mut place = self.place(base)?;
                let of = place.of.clone();
                match &*of {
                    Type::Array(values, element) => {
                        let index = self.simple(index)?;
                        let number = values.values().iter().position(|&value| value == index);
                        place.path.push(number.ok_or(Stop::Error)?);
                        place.of = element.clone();
                    }
                    Type::Multiset(_, element) => {
                        let slot = self.slot(&place, index)?;
                        place.path.push(slot);
                        place.of = element.clone();
                    }
                    _ => panic!("an array or multiset"),
                }
                Ok(place)
            }
            _ => panic!("no variable"),
        }
    }

    /// A used slot of a multiset.
    pub(super) fn slot(&mut self, multiset: &Place, slot: &'t Expr) -> Checked<usize> {
        let ExprKind::Name(name) = &slot.kind else { panic!("a slot") };
        let &Meaning::Slot(slot) = self.meaning(name) else { panic!("a slot") };
        match self.at(multiset) {
            Value::Slots(slots) if slots.get(slot).is_some_and(Option::is_some) => Ok(slot),
            _ => Err(Stop::Error),
        }
    }

    /// The used slots of a multiset.
    pub(super) fn used(&mut self, multiset: &Place) -> Vec<usize> {
        let Value::Slots(slots) = self.at(multiset) else { panic!("a multiset") };
        let used = slots.iter().enumerate().filter(|(_, slot)| slot.is_some());
        used.map(|(number, _)| number).collect()
    }

    /// The value of a simple expression.
    pub(super) fn simple(&mut self, expr: &'t Expr) -> Checked<Simple> {
        match self.whole(expr)?.0 {
            Value::Simple(value) => Ok(value),
            Value::Undefined => Err(Stop::Error),
            _ => panic!("a simple value"),
        }
    }

    pub(super) fn truth(&mut self, expr: &'t Expr) -> Checked<bool> {
        match self.simple(expr)? {
            Simple::Boolean(truth) => Ok(truth),
            _ => panic!("a condition"),
        }
    }

    pub(super) fn number(&mut self, expr: &'t Expr) -> Checked<i64> {
        match self.simple(expr)? {
            Simple::Number(number) => Ok(number),
            _ => panic!("an integer"),
        }
    }

    /// The value of an expression with its type; a variable gives what is in it, undefined or not.
    pub(super) fn whole(&mut self, expr: &'t Expr) -> Checked<(Value, Rc<Type>)> {
        let value = match &expr.kind {
            ExprKind::Integer(value) => Simple::Number(i64::from(*value)),
            ExprKind::Boolean(value) => Simple::Boolean(*value),
            ExprKind::Name(name) => match self.meaning(name) {
                Meaning::Constant(value) => *value,
                _ => return self.read(expr),
            },
            ExprKind::Field(..) | ExprKind::Index(..) => return self.read(expr),
            ExprKind::Call(name, arguments) => {
                let (result, of) = self.call(&name.text, arguments)?;
                return Ok((result.ok_or(Stop::Error)?, of));
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner)?,
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                Simple::Boolean(!self.truth(left)? || self.truth(right)?)
            }
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let (left, right) = (self.defined(left)?, self.defined(right)?);
                Simple::Boolean((left == right) == (*op == BinaryOp::Equal))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                binary(*op, left, right)?
            }
            ExprKind::And(list) => self.chain(list, false)?,
            ExprKind::Or(list) => self.chain(list, true)?,
            ExprKind::Conditional(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                let (value, of) = self.whole(chosen)?;
                return if value == Value::Undefined { Err(Stop::Error) } else { Ok((value, of)) };
            }
            ExprKind::Quantified(forall, binders, body) => {
                let found = self.each(binders, &mut |machine| {
                    let truth = machine.truth(body)?;
                    Ok((truth != *forall).then_some(()))
                })?;
                Simple::Boolean(found.is_none() == *forall)
            }
            ExprKind::IsUndefined(place) => {
                let place = self.place(place)?;
                Simple::Boolean(*self.at(&place) == Value::Undefined)
            }
            ExprKind::IsMember(value, of) => {
                let value = self.simple(value)?;
                Simple::Boolean(self.read_type(of, false).holds(value))
            }
            ExprKind::MultisetCount(slots, condition) => {
                let mut count = 0;
                self.slots(slots, &mut |machine, _, _| {
                    machine.round()?;
                    count += i64::from(machine.truth(condition)?);
                    Ok(())
                })?;
                Simple::Number(count)
            }
            ExprKind::Undefined | ExprKind::Missing => panic!("no value"),
        };
        Ok((Value::Simple(value), Rc::new(Type::Simple)))
    }

    fn read(&mut self, expr: &'t Expr) -> Checked<(Value, Rc<Type>)> {
        let place = self.place(expr)?;
        Ok((self.at(&place).clone(), place.of))
    }

    /// A value that is not an undefined simple one.
    fn defined(&mut self, expr: &'t Expr) -> Checked<Value> {
        let (value, _) = self.whole(expr)?;
        if value == Value::Undefined { Err(Stop::Error) } else { Ok(value) }
    }

    fn unary(&mut self, op: UnaryOp, inner: &'t Expr) -> Checked<Simple> {
        Ok(match op {
            UnaryOp::Not => Simple::Boolean(!self.truth(inner)?),
            UnaryOp::Negate => in_32_bits(-self.number(inner)?)?,
            UnaryOp::Complement => in_32_bits(!self.number(inner)?)?,
        })
    }

    /// A chain of `&` (`last` is false) or `|` (true), of conditions or of integers.
    fn chain(&mut self, list: &'t [Expr], last: bool) -> Checked<Simple> {
        let mut result = self.simple(&list[0])?;
        for operand in &list[1..] {
            result = match result {
                Simple::Boolean(truth) if truth == last && !self.is(Wrong::EvaluatesAll) => return Ok(result),
                Simple::Boolean(truth) => {
                    let other = self.truth(operand)?;
                    Simple::Boolean(if last { truth | other } else { truth & other })
                }
                Simple::Number(number) => {
                    let other = self.number(operand)?;
                    Simple::Number(if last { number | other } else { number & other })
                }
                Simple::Member(..) => panic!("no operand"),
            };
        }
        Ok(result)
    }

    /// Runs for each combination of values, in order, up to the first result.
    pub(super) fn each<R>(
        &mut self,
        binders: &'t [Binder],
        run: &mut dyn FnMut(&mut Self) -> Checked<Option<R>>,
    ) -> Checked<Option<R>> {
        let Some((first, rest)) = binders.split_first() else { return run(self) };
        let mark = self.mark();
        let mut values: Vec<Simple> = match &first.values {
            BinderValues::Type(of) => self.read_type(of, false).values(),
            BinderValues::Steps { from, to, by } => {
                let (from, to) = (self.number(from)?, self.number(to)?);
                let by = by.as_ref().map_or(Ok(1), |by| self.number(by))?;
                if by == 0 {
                    return Err(Stop::Error);
                }
                let is_before = |value: &i64| if by > 0 { *value <= to } else { *value >= to };
                std::iter::successors(Some(from), |value| Some(value + by))
                    .take_while(is_before)
                    .map(Simple::Number)
                    .collect()
            }
        };
        if self.is(Wrong::GoesDown) {
            values.reverse();
        }
        for value in values {
            self.round()?;
            self.local(&first.name.text, Rc::new(Type::Simple), Value::Simple(value));
            let result = self.each(rest, run)?;
            self.leave(mark);
            if result.is_some() {
                return Ok(result);
            }
        }
        Ok(None)
    }

    /// Runs for each used slot of a multiset.
    pub(super) fn slots(
        &mut self,
        slots: &'t Alias,
        run: &mut dyn FnMut(&mut Self, &Place, usize) -> Checked<()>,
    ) -> Checked<()> {
        let multiset = self.place(&slots.value)?;
        for slot in self.used(&multiset) {
            let mark = self.mark();
            self.name(&slots.name.text, Meaning::Slot(slot));
            run(self, &multiset, slot)?;
            self.leave(mark);
        }
        Ok(())
    }

    /// A name for a variable, or for a value.
    pub(super) fn alias(&mut self, alias: &'t Alias) -> Checked<()> {
        let is_place = match &alias.value.kind {
            ExprKind::Name(name) => matches!(self.meaning(name), Meaning::Place(_)),
            kind => matches!(kind, ExprKind::Field(..) | ExprKind::Index(..)),
        };
        if is_place && !self.is(Wrong::CopiesAliases) {
            let place = self.place(&alias.value)?;
            self.name(&alias.name.text, Meaning::Place(place));
        } else {
            let (value, of) = self.whole(&alias.value)?;
            self.local(&alias.name.text, of, value);
        }
        Ok(())
    }

    /// Calls a procedure: the result of a function, and its type.
    pub(super) fn call(&mut self, name: &str, arguments: &'t [Expr]) -> Checked<(Option<Value>, Rc<Type>)> {
        let &Meaning::Procedure(procedure) = self.meaning(name) else { panic!("a procedure") };
        let mark = self.mark();
        let parameters =
            procedure.parameters.iter().flat_map(|group| group.names.iter().map(move |name| (group, name)));
        let mut bound = Vec::new();
        for ((group, name), argument) in parameters.zip(arguments) {
            // A type of the heading means what it means outside of all bodies.
            let floor = std::mem::replace(&mut self.floor, self.names.len());
            let of = self.read_type(&group.of, false);
            self.floor = floor;
            if group.by_reference && !self.is(Wrong::CopiesReferences) {
                bound.push((name, of, None, Some(self.place(argument)?)));
                continue;
            }
            let value = if argument.kind == ExprKind::Undefined { of.filled(false) } else { self.whole(argument)?.0 };
            if matches!(value, Value::Simple(value) if !of.holds(value)) {
                return Err(Stop::Error);
            }
            bound.push((name, of, Some(value), None));
        }
        let floor = std::mem::replace(&mut self.floor, self.names.len());
        for (name, of, value, place) in bound {
            match (value, place) {
                (Some(value), _) => self.local(&name.text, of, value),
                (_, Some(place)) => self.name(&name.text, Meaning::Place(place)),
                _ => panic!("one of both"),
            }
        }
        let of = procedure.result.as_ref().map_or(Rc::new(Type::Simple), |of| self.read_type(of, false));
        let result = self.enclosed(procedure, &of);
        self.floor = floor;
        self.leave(mark);
        Ok((result?, of))
    }

    fn enclosed(&mut self, procedure: &'t Procedure, of: &Type) -> Checked<Option<Value>> {
        let result = self.body(&procedure.body)?.flatten();
        match (&procedure.result, &result) {
            (Some(_), None) => Err(Stop::Error),
            (Some(_), Some(Value::Simple(value))) if !of.holds(*value) => Err(Stop::Error),
            _ => Ok(result),
        }
    }

    /// The declarations and statements of a body: something if it returned.
    pub(super) fn body(&mut self, body: &'t Body) -> Checked<Option<Option<Value>>> {
        let mark = self.mark();
        for declaration in &body.declarations {
            self.declare(declaration, false);
        }
        let result = self.perform(&body.statements);
        self.leave(mark);
        result
    }
}
