//! The compiler of expressions to [`Code`]: constants folded, offsets resolved, quantifiers over few values written
//! out.
//!
//! Each code comes with the interval of its values. A code with one possible value is folded, unless its evaluation
//! may fault: neither a fault nor a code that is evaluated before it is folded away.
//!
//! Soundness: elements of a state are values of their sorts, and binders values of theirs; nothing else is assumed, but the values of the elements
//! that are known where the code is evaluated.
//!
//! Complexity: the parts compiled are counted against a budget; parts above it are compiled without writing out.

use crate::tuning::TUNING;
use frontend::parts::Parts;
use frontend::sequential::interpret::arithmetic;
use frontend::sequential::{BinaryOp, Expr, ExprKind, Interval, Quantified, Sequential, SortId, TableId};
use rustc_hash::FxHashMap;

use super::code::{Code, Dimension, Each, Offset, steps};

/// The most parts that one quantifier is written out to.
pub(super) const MOST_PARTS: u64 = 2_000;

/// The fact about a binder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// Its value.
    Value(i32),
    /// Its values at the time of evaluation.
    Range(i32, i32),
}

/// A code and the interval of its values.
pub(super) type Typed<'m> = (Code<'m>, Interval);

/// Compiles expressions of one process.
#[derive(Debug)]
pub(super) struct Compiler<'m> {
    /// The process.
    pub(super) model: &'m Sequential,
    /// The binders in scope, outermost first.
    pub(super) scope: Vec<Binding>,
    /// The parts that may still be compiled before writing out ends.
    pub(super) budget: u64,
    /// The choices of parameters that may still be tried.
    pub(super) choices: u64,
    /// The registers that evaluation needs.
    pub(super) registers: usize,
    /// The parts of the process.
    pub(super) parts: Parts,
    /// The values of elements and locals that are known at this place.
    pub(super) known: FxHashMap<usize, i32>,
    /// The instances that may still be added by splitting others.
    pub(super) splits: usize,
    /// The instances that may still be compiled in parts without being split.
    pub(super) tries: usize,
    /// What is known to be wrong.
    #[cfg(test)]
    pub(super) wrong: Option<super::program::Wrong>,
    /// The least and the greatest value of each table.
    tables: Vec<(i32, i32)>,
}

impl<'m> Compiler<'m> {
    /// A compiler without binders.
    pub(super) fn new(model: &'m Sequential, budget: u64) -> Compiler<'m> {
        let bounds = |values: &[i32]| {
            let least = values.iter().min().copied().unwrap_or(0);
            (least, values.iter().max().copied().unwrap_or(least))
        };
        let tables = model.tables.iter().map(|table| bounds(&table.values)).collect();
        let parts = Parts::inside_process(model);
        Compiler {
            model,
            scope: Vec::new(),
            budget,
            choices: TUNING.choices,
            registers: 0,
            parts,
            known: FxHashMap::default(),
            splits: 0,
            tries: 0,
            #[cfg(test)]
            wrong: None,
            tables,
        }
    }

    /// The code of an expression.
    pub(super) fn expression(&mut self, expr: &Expr) -> Typed<'m> {
        self.budget = self.budget.saturating_sub(1);
        let (code, interval) = match &expr.kind {
            ExprKind::Int(value) => constant(*value),
            ExprKind::Member(_, index) => constant(i32::try_from(*index).expect("sorts are bounded")),
            ExprKind::Parameter(id) => match self.scope[id.index()] {
                Binding::Value(value) => constant(value),
                Binding::Range(low, high) => {
                    self.registers = self.registers.max(id.index() + 1);
                    (Code::Register(id.index()), Interval::new(low, high))
                }
            },
            ExprKind::Read(place) => {
                let variable = self.model.variable(place.variable);
                let (low, high) = self.model.domain(variable.sort).bounds();
                let (offset, faults) = self.offset(variable.offset, &variable.indices, &place.indices);
                match &*offset.dimensions {
                    [] => match self.known.get(&offset.base) {
                        Some(&value) => constant(value),
                        None => (Code::Element(offset.base), Interval { low, high, faults }),
                    },
                    _ => (Code::Read(Box::new(offset)), Interval { low, high, faults }),
                }
            }
            ExprKind::Lookup(table, indices) => self.lookup(*table, indices),
            ExprKind::Negate(inner) => {
                let (code, interval) = self.expression(inner);
                (Code::Negate(Box::new(code)), interval.negated())
            }
            ExprKind::Not(inner) => {
                let (code, interval) = self.expression(inner);
                negated(code, interval)
            }
            ExprKind::PopCount(inner) => {
                let (code, interval) = self.expression(inner);
                (Code::PopCount(Box::new(code)), interval.ones())
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                binary(*op, left, right)
            }
            ExprKind::And(list) => self.until(list, false),
            ExprKind::Or(list) => self.until(list, true),
            ExprKind::Implies(left, right) => {
                let (code, interval) = self.expression(left);
                let (left, right) = (negated(code, interval), self.expression(right));
                joined([left, right].into_iter(), true)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.expression(condition);
                match condition.1.constant() {
                    Some(0) => self.expression(otherwise),
                    Some(_) => self.expression(then),
                    None => {
                        let (then, otherwise) = (self.expression(then), self.expression(otherwise));
                        let interval = then.1.union(otherwise.1).with_faults(condition.1.faults);
                        (Code::Ite(Box::new([condition.0, then.0, otherwise.0])), interval)
                    }
                }
            }
            ExprKind::Forall(quantified) => self.quantified(quantified, false),
            ExprKind::Exists(quantified) => self.quantified(quantified, true),
        };
        match interval.constant() {
            Some(value) => constant(value),
            None => (code, interval),
        }
    }

    /// The code of `&&` (`last` false) or `||`.
    fn until(&mut self, list: &[Expr], last: bool) -> Typed<'m> {
        joined(list.iter().map(|operand| self.expression(operand)), last)
    }

    fn quantified(&mut self, quantified: &Quantified, last: bool) -> Typed<'m> {
        let domain = self.model.domain(quantified.sort);
        let parts = self.parts(&quantified.body).saturating_mul(domain.size() as u64);
        if parts <= MOST_PARTS.min(self.budget) {
            let values = domain.values().map(|value| {
                self.scope.push(Binding::Value(value));
                let found = self.expression(&quantified.body);
                self.scope.pop();
                found
            });
            return joined(values, last);
        }
        let (low, high) = domain.bounds();
        let register = self.scope.len();
        self.registers = self.registers.max(register + 1);
        self.scope.push(Binding::Range(low, high));
        let (body, interval) = self.expression(&quantified.body);
        self.scope.pop();
        match interval.constant() {
            Some(value) => constant(value),
            None => (Code::Each(Box::new(Each { register, low, high, last, body })), interval),
        }
    }

    /// The parts of an expression when quantifiers are written out.
    pub(super) fn parts(&self, expr: &Expr) -> u64 {
        let own = expr.operands().iter().fold(1u64, |sum, operand| sum.saturating_add(self.parts(operand)));
        match &expr.kind {
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                own.saturating_mul(self.model.domain(quantified.sort).size() as u64)
            }
            _ => own,
        }
    }

    fn lookup(&mut self, id: TableId, indices: &[Expr]) -> Typed<'m> {
        let table = self.model.table(id);
        let (offset, faults) = self.offset(0, &table.indices, indices);
        if offset.dimensions.is_empty() {
            return constant(table.values[offset.base]);
        }
        let (low, high) = self.tables[id.index()];
        (Code::Lookup(&table.values, Box::new(offset)), Interval { low, high, faults })
    }

    /// The offset of an element behind `base`, and whether an index may fault.
    pub(super) fn offset(&mut self, base: usize, sorts: &[SortId], indices: &[Expr]) -> (Offset<'m>, bool) {
        let mut stride: usize = sorts.iter().map(|&sort| self.model.domain(sort).size()).product();
        assert_eq!(sorts.len(), indices.len(), "each dimension has its index");
        let (mut base, mut dimensions, mut faults) = (base, Vec::new(), false);
        for (&sort, index) in sorts.iter().zip(indices) {
            let domain = self.model.domain(sort);
            let (low, high) = domain.bounds();
            stride /= domain.size();
            let (index, interval) = self.expression(index);
            match interval.constant() {
                Some(value) if domain.contains(value) => base += steps(low, value) * stride,
                _ => {
                    faults |= interval.faults || !interval.is_within(low, high);
                    dimensions.push(Dimension { index, low, high, stride });
                }
            }
        }
        (Offset { base, dimensions: dimensions.into() }, faults)
    }
}

fn constant<'m>(value: i32) -> Typed<'m> {
    (Code::Constant(value), Interval::new(value, value))
}

fn negated(code: Code<'_>, interval: Interval) -> Typed<'_> {
    let (low, high) = (i32::from(interval.high == 0), i32::from(interval.low <= 0));
    (code.negated(), Interval { low, high, faults: interval.faults })
}

fn binary<'m>(op: BinaryOp, left: Typed<'m>, right: Typed<'m>) -> Typed<'m> {
    let mut interval = left.1.operate(op, right.1);
    if let (Some(a), Some(b)) = (left.1.constant(), right.1.constant())
        && let Ok(value) = arithmetic(op, a, b)
    {
        interval = Interval::new(value, value);
    }
    let code = match (left.0, right.0) {
        (Code::Element(element), Code::Constant(value)) if op.is_comparison() => Code::Test(element, op, value),
        (Code::Constant(value), Code::Element(element)) if op.is_comparison() => {
            Code::Test(element, op.mirrored(), value)
        }
        (left, right) => Code::Binary(op, Box::new([left, right])),
    };
    (code, interval)
}

/// The operands joined by `&&` (`last` false) or `||`, without those that are constant; none behind one that decides.
pub(super) fn joined<'m>(operands: impl Iterator<Item = Typed<'m>>, last: bool) -> Typed<'m> {
    let mut list = Vec::new();
    let (mut faults, mut decided) = (false, false);
    for (code, interval) in operands {
        match (interval.constant(), code) {
            (Some(value), _) if (value != 0) != last => continue,
            (Some(_), _) => {
                decided = true;
                list.push(Code::Constant(i32::from(last)));
            }
            (None, Code::All(inner)) if !last => list.extend(inner),
            (None, Code::Any(inner)) if last => list.extend(inner),
            (None, code) => list.push(code),
        }
        faults |= interval.faults;
        if decided {
            break;
        }
    }
    if decided && !faults {
        return constant(i32::from(last));
    }
    let interval = if decided { Interval::new(i32::from(last), i32::from(last)) } else { Interval::TRUTH };
    let interval = interval.with_faults(faults);
    match (list.len(), list.pop()) {
        (1, Some(only)) => (only, interval),
        (_, None) => constant(i32::from(!last)),
        (_, Some(code)) => {
            list.push(code);
            (if last { Code::Any(list.into()) } else { Code::All(list.into()) }, interval)
        }
    }
}
