//! Rules and properties, and the rulesets, aliases and choices around them.

use frontend::murphi::program::{Binder, BinderValues, Bound, ExprKind, Frame, Header, Property, Rule};

use super::super::code::{Action, Instance, Instances, Op, Rules, Target, Test};
use super::{Body, Compiler, Form, Known, Notes};

/// The most instances whose values are fixed in their code.
const MOST_FIXED: usize = 512;

/// The most instructions of the instances of one rule.
const MOST_OPS: usize = 1 << 15;

/// The most instances of one rule; headers with more are left to the interpreter.
const MOST_INSTANCES: usize = 1 << 19;

impl<'p> Compiler<'p> {
    /// All rules.
    pub(super) fn rules(&mut self) {
        for (index, rule) in self.program.rules.iter().enumerate() {
            self.counts_rounds = self.counts_rule(rule);
            let first = self.code.instances.len();
            if self.flat(index, rule) {
                let end = self.code.instances.len();
                match self.code.rules.last_mut() {
                    Some(Rules::Instances { end: last, .. }) => *last = end,
                    _ => self.code.rules.push(Rules::Instances { first, end }),
                }
                continue;
            }
            self.code.instances.truncate(first);
            let instances = self.rule(rule);
            self.code.rules.push(Rules::Tree { rule: index, instances });
        }
    }

    /// Makes the instances of a rule with their values fixed, if it has that form.
    fn flat(&mut self, index: usize, rule: &'p Rule) -> bool {
        if self.instances(&rule.header) > MOST_FIXED {
            return false;
        }
        let made = self.in_form(Form::Flat, &rule.header, &rule.frame, &mut |compiler| {
            let (entry, disabled) = (compiler.here(), compiler.label());
            if let Some(guard) = &rule.guard {
                compiler.branch(guard, false, disabled);
            }
            let test = compiler.first_test(entry, disabled);
            compiler.emit(Op::Enabled);
            compiler.body(rule);
            compiler.place(disabled);
            compiler.emit(Op::Truth { value: false });
            compiler.code.instances.push(Instance { rule: index, values: compiler.values.clone(), test, entry });
        });
        made.is_some()
    }

    /// The test of a slot that the guard that was compiled from an entry on begins with, if it decides where it fails.
    fn first_test(&self, entry: Target, disabled: Target) -> Option<Test> {
        match self.code.ops.get(entry as usize) {
            Some(&Op::JumpSlot { slot, value, on, target, .. }) if target == disabled => {
                Some(Test { slot, value, is_negated: on })
            }
            _ => None,
        }
    }

    fn body(&mut self, rule: &'p Rule) {
        self.variables();
        self.statements(&rule.body);
        self.emit(Op::Return { has_value: false });
    }

    /// The instances of a rule.
    fn rule(&mut self, rule: &'p Rule) -> Instances<Action> {
        self.around(&rule.header, &rule.frame, &mut |compiler| {
            let guard = rule.guard.as_ref().map(|guard| compiler.condition(guard));
            let body = compiler.here();
            compiler.body(rule);
            Action { guard, body }
        })
    }

    /// The instances of a property.
    pub(super) fn property(&mut self, property: &'p Property) -> Instances<Target> {
        self.counts_rounds = self.counts_property(property);
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
        frame: &'p Frame,
        leaf: &mut dyn FnMut(&mut Self) -> L,
    ) -> Instances<L> {
        let is_fixed = self.instances(header) <= MOST_FIXED;
        let fixed = if is_fixed { self.in_form(Form::Fixed, header, frame, leaf) } else { None };
        fixed.or_else(|| self.in_form(Form::Held, header, frame, leaf)).expect("values in registers have one code")
    }

    /// The number of instances that the rulesets of a header give.
    fn instances(&mut self, header: &[Header]) -> usize {
        let count = header.iter().fold(1usize, |count, construct| match construct {
            Header::For(binder) => count.saturating_mul(self.values(binder).len()),
            _ => count,
        });
        self.is_refused |= count > MOST_INSTANCES;
        count
    }

    /// The instances in a form; `None` if it does not fit.
    fn in_form<L>(
        &mut self,
        form: Form,
        header: &'p [Header],
        frame: &'p Frame,
        leaf: &mut dyn FnMut(&mut Self) -> L,
    ) -> Option<Instances<L>> {
        let (ops, sites) = (self.code.ops.len(), self.code.sites.len());
        self.body = Body::new(self.program, frame, None, Notes::Off);
        self.form = form;
        self.values.clear();
        let instances = self.inside(header, ops, leaf);
        assert!(self.values.is_empty() && self.body.depth == 0, "rulesets and loops end with their rule or property");
        self.code.frame = self.code.frame.max(self.body.size as usize);
        if instances.is_none() {
            self.code.ops.truncate(ops);
            self.code.sites.truncate(sites);
        }
        instances
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
        let values: Vec<i32> = (0..i64::MAX)
            .take_while(|at| if by > 0 { from + at * by <= to } else { from + at * by >= to })
            .map(value)
            .collect();
        assert_eq!(Some(values.len()), steps.constant_rounds(), "a ruleset has a value for each round");
        values
    }

    /// The instances inside of a header; `None` if their code is too long.
    fn inside<L>(
        &mut self,
        header: &'p [Header],
        first: usize,
        leaf: &mut dyn FnMut(&mut Self) -> L,
    ) -> Option<Instances<L>> {
        if self.form != Form::Held && self.code.ops.len() - first > MOST_OPS {
            return None;
        }
        let Some((construct, rest)) = header.split_first() else { return Some(Instances::One(leaf(self))) };
        match construct {
            Header::For(binder) if self.form != Form::Held => {
                let values = self.values(binder).into_iter();
                let instances = values.map(|value| {
                    self.know(binder.local, Known::Value(value));
                    self.values.push(value);
                    let inner = self.inside(rest, first, leaf);
                    self.values.pop();
                    Some((value, inner?))
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
                {
                    self.know(binding.local, Known::Value(known));
                } else {
                    self.enter(binding);
                }
                if self.here() == entry {
                    return self.inside(rest, first, leaf);
                }
                if self.form == Form::Flat {
                    return None;
                }
                // The interpreter counts the rounds of a header, and its covers.
                let counts = |op: &Op| matches!(op, Op::Round { .. } | Op::Call { .. });
                self.is_refused |= self.code.ops[entry as usize..].iter().any(counts);
                self.emit(Op::Truth { value: true });
                Some(Instances::Alias { entry, inner: Box::new(self.inside(rest, first, leaf)?) })
            }
            Header::Choose(_) if self.form == Form::Flat => None,
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
