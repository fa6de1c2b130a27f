//! Rules and properties, and the rulesets, aliases and choices around them.

use frontend::murphi::program::{Binder, BinderValues, Bound, ExprKind, Header, Property, Rule};

use super::super::code::{Action, Instances, Op, Target};
use super::{Body, Compiler, Known, Notes};

/// The most instances whose values are fixed in their code.
const MOST_FIXED: usize = 512;

/// The most instructions of the instances of one rule.
const MOST_OPS: usize = 1 << 15;

/// The most instances of one rule; headers with more are left to the interpreter, which bounds their rounds.
const MOST_INSTANCES: usize = 1 << 19;

impl<'p> Compiler<'p> {
    /// The instances of a rule.
    pub(super) fn rule(&mut self, rule: &'p Rule) -> Instances<Action> {
        self.around(&rule.header, &rule.frame, &mut |compiler| {
            let guard = rule.guard.as_ref().map(|guard| compiler.condition(guard));
            let body = compiler.here();
            compiler.variables();
            compiler.statements(&rule.body);
            compiler.emit(Op::Return { has_value: false });
            Action { guard, body }
        })
    }

    /// The instances of a property.
    pub(super) fn property(&mut self, property: &'p Property) -> Instances<Target> {
        self.around(&property.header, &property.frame, &mut |compiler| compiler.condition(&property.condition))
    }

    /// Code that ends with the truth of a condition.
    fn condition(&mut self, expr: &'p frontend::murphi::program::Expr) -> Target {
        let (entry, end) = (self.here(), self.label());
        self.branch(expr, false, end);
        self.emit(Op::Truth { value: true });
        self.place(end);
        self.emit(Op::Truth { value: false });
        entry
    }

    fn around<L>(
        &mut self,
        header: &'p [Header],
        frame: &'p frontend::murphi::program::Frame,
        leaf: &mut dyn FnMut(&mut Self) -> L,
    ) -> Instances<L> {
        let count = header.iter().fold(1usize, |count, construct| match construct {
            Header::For(binder) => count.saturating_mul(self.values(binder).len()),
            _ => count,
        });
        self.is_refused |= count > MOST_INSTANCES;
        let (ops, sites) = (self.code.ops.len(), self.code.sites.len());
        for is_fixed in [count <= MOST_FIXED, false] {
            self.body = Body::new(self.program, frame, None, Notes::Off);
            self.is_fixed = is_fixed;
            let instances = self.inside(header, ops, leaf);
            self.code.frame = self.code.frame.max(self.body.size as usize);
            if let Some(instances) = instances {
                return instances;
            }
            self.code.ops.truncate(ops);
            self.code.sites.truncate(sites);
        }
        panic!("values in registers have one code")
    }

    /// The values of a binder around rules, which are constants.
    fn values(&mut self, binder: &Binder) -> Vec<i32> {
        let steps = match &binder.values {
            BinderValues::Type(of) => return self.types().values(*of).into_iter().flatten().collect(),
            BinderValues::Steps(steps) => steps,
        };
        let ends = [&steps.from, &steps.to, &steps.by].map(|part| match part.kind {
            ExprKind::Value(value) => Some(i64::from(value)),
            _ => None,
        });
        let [Some(from), Some(to), Some(by)] = ends else {
            self.is_refused = true;
            return Vec::new();
        };
        // A step of zero faults.
        self.is_refused |= by == 0 || steps.constant_rounds().is_none_or(|rounds| rounds > MOST_INSTANCES);
        if self.is_refused {
            return Vec::new();
        }
        let value = |at: i64| i32::try_from(from + at * by).expect("values between the bounds");
        (0..i64::MAX)
            .take_while(|at| if by > 0 { from + at * by <= to } else { from + at * by >= to })
            .map(value)
            .collect()
    }

    /// The instances inside of a header; `None` if their code is too long.
    fn inside<L>(
        &mut self,
        header: &'p [Header],
        first: usize,
        leaf: &mut dyn FnMut(&mut Self) -> L,
    ) -> Option<Instances<L>> {
        if self.is_fixed && self.code.ops.len() - first > MOST_OPS {
            return None;
        }
        let Some((construct, rest)) = header.split_first() else { return Some(Instances::One(leaf(self))) };
        match construct {
            Header::For(binder) if self.is_fixed => {
                let values = self.values(binder).into_iter();
                let instances = values.map(|value| {
                    self.know(binder.local, Known::Value(value));
                    Some((value, self.inside(rest, first, leaf)?))
                });
                instances.collect::<Option<Vec<_>>>().map(Instances::Fixed)
            }
            Header::For(binder) => {
                self.know(binder.local, Known::Bound);
                let (to, values) = (self.register(binder.local), self.values(binder));
                Some(Instances::Values { to, values, inner: Box::new(self.inside(rest, first, leaf)?) })
            }
            Header::Alias(binding) => {
                let entry = self.here();
                if let Bound::Value(value) = &binding.to
                    && let Some(known) = self.constant(value)
                    && self.sorts.is_empty()
                {
                    self.know(binding.local, Known::Value(known));
                } else {
                    self.enter(binding);
                }
                if self.here() == entry {
                    return self.inside(rest, first, leaf);
                }
                // Rounds of the header count together, and so do its covers.
                let counts = |op: &Op| matches!(op, Op::Round { .. } | Op::Call { .. });
                self.is_refused |= self.code.ops[entry as usize..].iter().any(counts);
                self.emit(Op::Truth { value: true });
                Some(Instances::Alias { entry, inner: Box::new(self.inside(rest, first, leaf)?) })
            }
            Header::Choose(slots) => {
                let (entry, to) = (self.here(), self.register(slots.slot));
                let next = self.body.next;
                let from = self.find(&slots.multiset);
                let address = self.temporary(1);
                self.emit(Op::Address { to: address, from });
                let counts = |op: &Op| matches!(op, Op::Round { .. } | Op::Call { .. });
                self.is_refused |= self.code.ops[entry as usize..].iter().any(counts);
                self.emit(Op::End { from: address });
                self.body.next = next;
                let (size, capacity) = self.multiset(slots.multiset.of);
                let inner = Box::new(self.inside(rest, first, leaf)?);
                Some(Instances::Choose { entry, to, size, capacity, inner })
            }
        }
    }
}
