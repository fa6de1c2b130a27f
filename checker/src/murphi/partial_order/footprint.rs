//! The cells of a state that an instance of a rule reads and writes, and the values that it may leave in them, from the text.
//!
//! The values of rulesets are known; other binders may have any value of theirs, so that an index that is not known stands for
//! all elements. Both branches of a conditional count. Procedures are walked for each call, with the places of its arguments.
//! A multiset is one piece: whoever accesses a slot reads all of it, and whoever writes one writes all of it.
//!
//! Soundness: too many cells and values rather than too few. Cells of frames are no part of a state: they are undefined at entry, and
//! what they hold later follows from what was read. A simple value that is assigned is defined, since reading one that is not faults.

use std::collections::{BTreeMap, BTreeSet};

use frontend::murphi::program::{
    Argument, Base, BinaryOp, Binder, BinderValues, Binding, Bound, Child, Expr, ExprKind, Frame, Header, LocalId,
    LocalKind, Place, Program, Slots, Step, Stmt, StmtKind, TypeId, TypeKind,
};

use super::super::code::UNDEFINED;

/// The most statements and expressions that are visited for all instances together.
const MOST_VISITS: u64 = 1 << 24;

/// The values that may be written to a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Values {
    /// These.
    These(BTreeSet<i64>),
    /// Any that is defined.
    Defined,
    /// Any, or none.
    Any,
}

impl Values {
    pub(super) fn one(value: i64) -> Values {
        Values::These(BTreeSet::from([value]))
    }

    fn join(self, other: Values) -> Values {
        match (self, other) {
            (Values::These(mut own), Values::These(more)) => {
                own.extend(more);
                Values::These(own)
            }
            (Values::These(own), Values::Defined) | (Values::Defined, Values::These(own))
                if !own.contains(&UNDEFINED) =>
            {
                Values::Defined
            }
            (Values::Defined, Values::Defined) => Values::Defined,
            _ => Values::Any,
        }
    }
}

/// The writes to a cell.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) values: Values,
    /// Whether a step that ends has written it.
    pub(super) is_certain: bool,
}

/// The effects of an instance.
#[derive(Clone, Default, Debug)]
pub(super) struct Effects {
    pub(super) reads: BTreeSet<usize>,
    pub(super) writes: BTreeMap<usize, Written>,
}

/// Cells of the state: so many from each of some first ones on.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) firsts: Vec<usize>,
    cells: usize,
    /// Whether it is a multiset of which a slot is accessed.
    pub(super) is_slots: bool,
    /// Whether finding the place cannot fault.
    is_sure: bool,
}

impl Area {
    /// Its only cell, if the place is always found.
    pub(super) fn only(&self) -> Option<usize> {
        let is_one = self.firsts.len() == 1 && self.cells == 1 && !self.is_slots && self.is_sure;
        is_one.then(|| self.firsts[0])
    }

    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.firsts.iter().flat_map(|&first| first..first + self.cells)
    }
}

/// The meaning of a local.
#[derive(Clone, Debug)]
enum Meaning {
    /// A part of the frame, whatever it holds.
    Frame,
    /// A value.
    Known(i32),
    /// A part of the state.
    State(Area),
}

/// A body in progress.
struct Scope<'p> {
    frame: &'p Frame,
    locals: Vec<Meaning>,
}

/// A walk over the text of a rule or property.
pub(super) struct Walk<'p> {
    program: &'p Program,
    scopes: Vec<Scope<'p>>,
    /// The procedures in progress.
    open: Vec<usize>,
    /// The procedures that may end before their last statement.
    returns: &'p [bool],
    pub(super) effects: Effects,
    /// Whether what was bound so far may fault.
    pub(super) may_fault: bool,
    pub(super) visits: u64,
}

/// Whether statements may end their body early.
pub(super) fn returns(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| {
        let inside = |child| matches!(child, Child::Body(body) if returns(body));
        matches!(stmt.kind, StmtKind::Return(_)) || stmt.children().into_iter().any(inside)
    })
}

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program, frame: &'p Frame, returns: &'p [bool]) -> Walk<'p> {
        let scope = Scope { frame, locals: vec![Meaning::Frame; frame.locals.len()] };
        Walk {
            program,
            scopes: vec![scope],
            open: Vec::new(),
            returns,
            effects: Effects::default(),
            may_fault: false,
            visits: 0,
        }
    }

    /// Whether so many instances have taken too much.
    pub(super) fn is_over(visits: u64) -> bool {
        visits > MOST_VISITS
    }

    /// Whether a type is simple.
    pub(super) fn is_simple(&self, of: TypeId) -> bool {
        self.program.types.is_simple(of)
    }

    fn scope(&self) -> &Scope<'p> {
        self.scopes.last().expect("a body is in progress")
    }

    pub(super) fn set(&mut self, local: LocalId, value: Option<i32>) {
        let meaning = value.map_or(Meaning::Frame, Meaning::Known);
        self.scopes.last_mut().expect("a body is in progress").locals[local.index()] = meaning;
    }

    /// Binds the header of a rule or property, behind rulesets whose values are set.
    pub(super) fn header(&mut self, header: &'p [Header]) {
        for construct in header {
            match construct {
                Header::For(binder) => self.binder(binder),
                Header::Alias(binding) => self.bind(binding),
                Header::Choose(slots) => self.slots(slots),
            }
        }
    }

    fn visit(&mut self) -> bool {
        limits::work(1);
        self.visits += 1;
        !Walk::is_over(self.visits)
    }

    /// The value of an expression, if it is known.
    pub(super) fn value(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Value(value) => Some(*value),
            ExprKind::Read(Place { base: Base::Local(local), steps, .. }) if steps.is_empty() => {
                match self.scope().locals[local.index()] {
                    Meaning::Known(value) => Some(value),
                    _ => None,
                }
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => self.value(left)?.checked_add(self.value(right)?),
            ExprKind::Binary(BinaryOp::Subtract, left, right) => self.value(left)?.checked_sub(self.value(right)?),
            _ => None,
        }
    }

    /// The values of an expression.
    fn values(&self, expr: &Expr) -> Values {
        match (&expr.kind, self.value(expr)) {
            (_, Some(value)) => Values::one(value.into()),
            (ExprKind::Conditional(_, one, other), _) => self.values(one).join(self.values(other)),
            (ExprKind::Undefined, _) => Values::Any,
            _ if self.program.types.is_simple(expr.of) => Values::Defined,
            _ => Values::Any,
        }
    }

    /// The cells of a place, whose indices are read; nothing if it is a part of a frame.
    pub(super) fn area(&mut self, place: &'p Place) -> Option<Area> {
        place.indices().for_each(|index| self.expr(index));
        let types = &self.program.types;
        let (mut area, mut of) = match place.base {
            Base::Variable(id) => {
                let variable = self.program.variable(id);
                let firsts = vec![variable.offset];
                (Area { firsts, cells: types.cells(variable.of), is_slots: false, is_sure: true }, variable.of)
            }
            Base::Local(id) => {
                let Scope { frame, locals } = self.scope();
                let Meaning::State(area) = &locals[id.index()] else { return None };
                (area.clone(), frame.local(id).of)
            }
        };
        for step in &place.steps {
            of = match (step, types.kind(of)) {
                (Step::Field(number), TypeKind::Record(fields)) => {
                    let field = &fields[*number];
                    if !area.is_slots {
                        area.firsts.iter_mut().for_each(|first| *first += field.offset);
                    }
                    field.of
                }
                (Step::Index(index), TypeKind::Array { index: values, element }) => {
                    let known = self.value(index).and_then(|value| types.position(*values, value));
                    area.is_sure &= known.is_some();
                    if !area.is_slots {
                        let size = types.cells(*element);
                        let positions = known.map_or(0..types.count(*values), |known| known..known + 1);
                        let spread = |&first: &usize| positions.clone().map(move |position| first + position * size);
                        area.firsts = area.firsts.iter().flat_map(spread).collect();
                    }
                    *element
                }
                (Step::Slot(_), TypeKind::Multiset { element, .. }) => {
                    (area.is_slots, area.is_sure) = (true, false);
                    *element
                }
                _ => unreachable!("places are made of their types"),
            };
            if !area.is_slots {
                area.cells = types.cells(of);
            }
        }
        debug_assert!(area.all().all(|cell| cell < self.program.cells()), "a place is a part of the state");
        Some(area)
    }

    /// Reads a place.
    fn read(&mut self, place: &'p Place) {
        if let Some(area) = self.area(place) {
            self.effects.reads.extend(area.all());
        }
    }

    /// Writes values to a place.
    fn write(&mut self, place: &'p Place, values: &Values, is_certain: bool) {
        let Some(area) = self.area(place) else { return };
        let is_certain = is_certain && area.firsts.len() == 1;
        // After the step slots are sorted.
        let is_sorted = area.is_slots || matches!(self.program.types.kind(place.of), TypeKind::Multiset { .. });
        if is_sorted {
            self.effects.reads.extend(area.all());
        }
        let values = if is_sorted { &Values::Any } else { values };
        for cell in area.all() {
            let own = || Written { values: values.clone(), is_certain };
            let known = self.effects.writes.entry(cell);
            known
                .and_modify(|known| {
                    let joined = std::mem::replace(&mut known.values, Values::Any).join(values.clone());
                    (known.values, known.is_certain) = (joined, known.is_certain || is_certain);
                })
                .or_insert_with(own);
        }
    }

    /// Everything may be read and written.
    fn everything(&mut self) {
        let cells = 0..self.program.cells();
        self.effects.reads.extend(cells.clone());
        self.effects.writes.extend(cells.map(|cell| (cell, Written { values: Values::Any, is_certain: false })));
    }

    fn binder(&mut self, binder: &'p Binder) {
        if let BinderValues::Steps(steps) = &binder.values {
            [&steps.from, &steps.to, &steps.by].into_iter().for_each(|part| self.expr(part));
        }
        self.set(binder.local, None);
    }

    fn slots(&mut self, slots: &'p Slots) {
        self.read(&slots.multiset);
        self.set(slots.slot, None);
    }

    fn bind(&mut self, binding: &'p Binding) {
        let meaning = match &binding.to {
            Bound::Place(place) => {
                let area = self.area(place);
                self.may_fault |= area.as_ref().is_none_or(|area| !area.is_sure);
                area.map_or(Meaning::Frame, Meaning::State)
            }
            Bound::Value(value) => {
                self.expr(value);
                self.may_fault |= self.value(value).is_none();
                self.value(value).map_or(Meaning::Frame, Meaning::Known)
            }
        };
        self.scopes.last_mut().expect("a body is in progress").locals[binding.local.index()] = meaning;
    }

    pub(super) fn expr(&mut self, expr: &'p Expr) {
        if !self.visit() {
            return;
        }
        match &expr.kind {
            ExprKind::Call(id, arguments) => self.call(id.index(), arguments, false),
            ExprKind::Quantified(_, binder, body) => {
                self.binder(binder);
                self.expr(body);
            }
            ExprKind::Count(slots, condition) => {
                self.slots(slots);
                self.expr(condition);
            }
            _ => {
                for child in expr.children() {
                    match child {
                        Child::Expr(inner) => self.expr(inner),
                        Child::Place(place) => self.read(place),
                        Child::Body(_) => unreachable!("expressions have no statements"),
                    }
                }
            }
        }
    }

    fn call(&mut self, procedure: usize, arguments: &'p [Argument], is_certain: bool) {
        if self.open.contains(&procedure) {
            // What it does is not followed twice.
            return self.everything();
        }
        let called = &self.program.procedures[procedure];
        assert!(arguments.len() <= called.frame.locals.len(), "every argument has its parameter");
        let mut locals = vec![Meaning::Frame; called.frame.locals.len()];
        for (meaning, (argument, local)) in locals.iter_mut().zip(arguments.iter().zip(&called.frame.locals)) {
            match argument {
                Argument::Value(value) => {
                    self.expr(value);
                    let known = self.value(value).filter(|_| local.kind == LocalKind::Value);
                    *meaning = known.map_or(Meaning::Frame, Meaning::Known);
                }
                Argument::Reference(place) => {
                    let types = &self.program.types;
                    let is_alike = types.is_simple(place.of) || types.kind(place.of) == types.kind(local.of);
                    if !is_alike {
                        self.everything();
                    }
                    *meaning = self.area(place).map_or(Meaning::Frame, Meaning::State);
                }
            }
        }
        self.scopes.push(Scope { frame: &called.frame, locals });
        self.open.push(procedure);
        self.body(&called.body, is_certain && !self.returns[procedure]);
        self.open.pop();
        self.scopes.pop();
    }

    /// The effects of statements; with `is_certain` they are all performed by a step that ends.
    pub(super) fn body(&mut self, body: &'p [Stmt], is_certain: bool) {
        for stmt in body {
            if !self.visit() {
                return;
            }
            self.stmt(stmt, is_certain);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt, is_certain: bool) {
        match &stmt.kind {
            StmtKind::Assign(to, value) => {
                self.expr(value);
                let values = self.values(value);
                self.write(to, &values, is_certain);
            }
            StmtKind::Undefine(to) => self.write(to, &Values::one(UNDEFINED), is_certain),
            StmtKind::Clear(to) => {
                let types = &self.program.types;
                let least = types.is_simple(to.of).then(|| Values::one(types.least(to.of).into()));
                self.write(to, &least.unwrap_or(Values::Any), is_certain);
            }
            StmtKind::For(binder, body) => {
                self.binder(binder);
                self.body(body, false);
            }
            StmtKind::Alias(bindings, body) => {
                bindings.iter().for_each(|binding| self.bind(binding));
                self.body(body, is_certain);
            }
            StmtKind::Call(id, arguments) => self.call(id.index(), arguments, is_certain),
            StmtKind::MultisetAdd(value, to) => {
                self.expr(value);
                self.write(to, &Values::Any, false);
            }
            StmtKind::MultisetRemove(_, to) => self.write(to, &Values::Any, false),
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.slots(slots);
                self.expr(condition);
                self.write(&slots.multiset, &Values::Any, false);
            }
            _ => {
                for child in stmt.children() {
                    match child {
                        Child::Expr(inner) => self.expr(inner),
                        Child::Place(place) => self.read(place),
                        Child::Body(body) => self.body(body, false),
                    }
                }
            }
        }
    }
}
