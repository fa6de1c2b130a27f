//! Loops: short ones over fixed values round by round, others with the value in a register.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{Binder, BinderValues, Slots, Steps, TypeId};
use frontend::source::Span;

use super::super::code::{Op, Place};
use super::{Compiler, Known, Operand, narrow};

/// The most rounds that have code of their own.
const MOST_ROUNDS: usize = 8;

/// The most instructions of such rounds in all.
const MOST_OPS: usize = 256;

/// The deepest loop whose rounds have code of their own.
const MOST_DEPTH: usize = 2;

/// The code of a round.
pub(super) type Round<'r, 'p> = dyn FnMut(&mut Compiler<'p>) + 'r;

impl<'p> Compiler<'p> {
    /// The rounds of a loop or quantifier.
    pub(super) fn each(&mut self, binder: &'p Binder, span: Span, round: &mut Round<'_, 'p>) {
        self.body.depth += 1;
        match &binder.values {
            BinderValues::Type(of) => {
                let count = self.types().count(*of);
                if !(count <= MOST_ROUNDS && self.unrolled(binder, *of, span, round)) {
                    self.over_type(binder, *of, span, round);
                }
            }
            BinderValues::Steps(steps) => self.by_steps(binder, steps, span, round),
        }
        self.body.known[binder.local.index()] = None;
        self.body.depth -= 1;
    }

    fn round(&mut self, span: Span, is_watched: bool, round: &mut Round<'_, 'p>) {
        let next = self.body.next;
        if self.counts_rounds {
            let site = self.fixed_site(FaultKind::Endless, span);
            self.emit(Op::Round { site });
        }
        if is_watched {
            self.emit(Op::NextRound);
        }
        round(self);
        self.body.next = next;
    }

    /// One code for each round, if that is short.
    fn unrolled(&mut self, binder: &'p Binder, of: TypeId, span: Span, round: &mut Round<'_, 'p>) -> bool {
        let is_watched = self.watches(binder);
        if self.body.depth > MOST_DEPTH {
            return false;
        }
        let (ops, sites) = (self.code.ops.len(), self.code.sites.len());
        for value in self.types().values(of).into_iter().flatten() {
            self.know(binder.local, Known::Value(value));
            self.round(span, is_watched, round);
            if self.code.ops.len() - ops > MOST_OPS {
                // Labels placed there belong to the rounds.
                self.code.ops.truncate(ops);
                self.code.sites.truncate(sites);
                return false;
            }
        }
        true
    }

    fn over_type(&mut self, binder: &'p Binder, of: TypeId, span: Span, round: &mut Round<'_, 'p>) {
        let is_watched = self.watches(binder);
        let value = self.register(binder.local);
        self.know(binder.local, Known::Bound);
        let again = self.label();
        if let Some(bounds) = self.bounds(of) {
            let low = i64::from(bounds.low);
            self.emit(Op::Constant { to: value, value: low });
            self.place(again);
            self.round(span, is_watched, round);
            self.emit(Op::Next { value, last: low + i64::from(bounds.count) - 1, target: again });
            return;
        }
        let list: Vec<i64> = self.types().values(of).into_iter().flatten().map(i64::from).collect();
        let (index, last) = (self.temporary(1), i64::from(narrow(list.len())) - 1);
        let values = self.table(list);
        self.emit(Op::Constant { to: index, value: 0 });
        self.place(again);
        self.emit(Op::Entry { to: value, index, values });
        self.round(span, is_watched, round);
        self.emit(Op::Next { value: index, last, target: again });
    }

    fn by_steps(&mut self, binder: &'p Binder, steps: &'p Steps, span: Span, round: &mut Round<'_, 'p>) {
        let value = self.register(binder.local);
        let from = self.value(&steps.from);
        let to = self.value(&steps.to);
        let by = self.value(&steps.by);
        let (from, to, by_register) = (self.held(from), self.held(to), self.held(by));
        if !matches!(by, Operand::Known(1..)) {
            let site = self.fixed_site(FaultKind::NoStep, steps.by.span);
            self.emit(Op::NonZero { from: by_register, site });
        }
        let (again, end) = (self.label(), self.label());
        self.know(binder.local, Known::Bound);
        self.emit(Op::Move { to: value, from });
        self.place(again);
        self.emit(Op::JumpOutside { value, to, by: by_register, target: end });
        self.round(span, false, round);
        self.emit(Op::Step { value, by: by_register, target: again });
        self.place(end);
    }

    /// The rounds over the slots of a multiset that are used when the loop begins.
    pub(super) fn used(&mut self, slots: &'p Slots, span: Span, round: &mut Round<'_, 'p>) {
        let from = self.find(&slots.multiset);
        let (size, capacity) = self.multiset(slots.multiset.of);
        if capacity == 0 {
            return;
        }
        let flags = self.temporary(capacity);
        self.emit(Op::Used { to: flags, from, size, capacity });
        let (value, flag) = (self.register(slots.slot), self.temporary(1));
        let (again, next) = (self.label(), self.label());
        self.emit(Op::Constant { to: value, value: 0 });
        self.place(again);
        // The flag of the slot whose number the register holds.
        self.emit(Op::Address { to: flag, from: Place::of_frame(flags) });
        let site = self.fixed_site(FaultKind::UnusedSlot, span);
        let bounds = super::super::code::Bounds { low: 0, count: capacity };
        let from = Place { register: flag, distance: 0 };
        self.emit(Op::Index { to: flag, from, index: value, bounds, stride: 1, site });
        self.emit(Op::Load { to: flag, from, site });
        self.emit(Op::JumpIf { from: flag, on: false, target: next });
        self.round(span, false, round);
        self.place(next);
        self.emit(Op::Next { value, last: i64::from(capacity) - 1, target: again });
    }
}
