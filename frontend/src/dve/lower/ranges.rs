//! Ranges of variables: a byte that only ever holds 0 to 3 becomes a variable of that range.
//!
//! The values of each variable lie in an interval, that of its initial values joined with those of all assignments, to a
//! fixed point. In a summand, comparisons of its guard narrow the variables that they read, and an assignment to a variable
//! without elements replaces its interval. Variables that still grow after [`ROUNDS`] keep the bound of their type.
//!
//! Soundness: every value that is written without a fault lies in the interval, so that the narrower range adds no fault and
//! removes none: bounds beyond the type are cut off, as the assignment faults there.

use rustc_hash::FxHashMap;

use super::Lowering;
use crate::sequential::{
    BinaryOp, Domain, Expr, ExprKind, Initial, Interval, Place, Sequential, Stmt, StmtKind, Summand, VariableId,
};

/// The rounds in which intervals may grow by what is assigned; all counters up to this number are seen to stop.
const ROUNDS: usize = 300;

impl Lowering<'_> {
    /// Gives every variable the least range that holds its values.
    pub(super) fn narrow(&mut self) {
        let (bounds, leaves) = ranges(&self.model);
        debug_assert_eq!(bounds.len(), self.model.variables.len(), "every variable has its interval");
        for (index, interval) in bounds.into_iter().enumerate() {
            let sort = self.model.variables[index].sort;
            let (least, most) = self.model.domain(sort).bounds();
            let is_within = interval.is_within(least, most);
            debug_assert!(is_within || self.sink.has_errors(), "a variable holds values of its type");
            // At a bound of the type, or outside of it, an assignment may fault: the message then names the type.
            if !leaves[index]
                && let Domain::Range { low, high } = *self.model.domain(sort)
                && interval.high < high
                && (low == 0 || interval.low > low)
            {
                self.model.variables[index].sort = self.range(interval.low, interval.high);
            }
        }
    }
}

/// An interval for each variable that holds all its values, and whether an assignment may have a value that its type does not hold.
fn ranges(model: &Sequential) -> (Vec<Interval>, Vec<bool>) {
    let mut leaves = vec![false; model.variables.len()];
    let mut of: Vec<Interval> =
        model.variables.iter().map(|variable| initial(model, &variable.initial, variable.sort)).collect();
    for round in 0.. {
        let before = of.clone();
        for summand in &model.summands {
            limits::work(1 + summand.body.len() as u64);
            Walk { model, of: &mut of, leaves: &mut leaves, narrowed: FxHashMap::default() }.summand(summand);
        }
        if of == before {
            break;
        }
        if round >= ROUNDS {
            for ((interval, before), variable) in of.iter_mut().zip(before).zip(&model.variables) {
                let (low, high) = model.domain(variable.sort).bounds();
                interval.low = if interval.low < before.low { low } else { interval.low };
                interval.high = if interval.high > before.high { high } else { interval.high };
            }
        }
    }
    (of, leaves)
}

fn initial(model: &Sequential, initial: &Initial, sort: crate::sequential::SortId) -> Interval {
    let (low, high) = model.domain(sort).bounds();
    match initial {
        Initial::Any => Interval::new(low, high),
        Initial::Values(values) => {
            let least = values.iter().copied().min().unwrap_or(low);
            Interval::new(least, values.iter().copied().max().unwrap_or(high))
        }
    }
}

/// A walk over one summand.
struct Walk<'a> {
    model: &'a Sequential,
    of: &'a mut Vec<Interval>,
    leaves: &'a mut Vec<bool>,
    /// The known ranges, at this place, of variables without elements and of locals.
    narrowed: FxHashMap<VariableId, Interval>,
}

impl Walk<'_> {
    fn summand(&mut self, summand: &Summand) {
        let conditions = match &summand.guard.kind {
            ExprKind::And(list) => list.as_slice(),
            _ => std::slice::from_ref(&summand.guard),
        };
        if conditions.iter().all(|condition| self.holds(condition)) {
            self.body(&summand.body);
        }
    }

    /// Narrows variables to the values for which a condition may hold; returns whether there are any.
    fn holds(&mut self, condition: &Expr) -> bool {
        let ExprKind::Binary(op, left, right) = &condition.kind else { return true };
        if !op.is_comparison() || self.is_member(left) {
            return true;
        }
        let (a, b) = (self.interval(left), self.interval(right));
        self.compare(left, *op, a, b) && self.compare(right, op.mirrored(), b, a)
    }

    /// Narrows the variable that an expression reads by its comparison with an interval.
    fn compare(&mut self, expr: &Expr, op: BinaryOp, own: Interval, other: Interval) -> bool {
        let ExprKind::Read(Place { variable, indices, .. }) = &expr.kind else { return true };
        if !indices.is_empty() {
            return true;
        }
        let (mut low, mut high) = (own.low, own.high);
        match op {
            BinaryOp::Equal => (low, high) = (low.max(other.low), high.min(other.high)),
            BinaryOp::Less => high = high.min(other.high.saturating_sub(1)),
            BinaryOp::LessEqual => high = high.min(other.high),
            BinaryOp::Greater => low = low.max(other.low.saturating_add(1)),
            BinaryOp::GreaterEqual => low = low.max(other.low),
            BinaryOp::NotEqual if other.low == other.high => {
                low = if low == other.low { low.saturating_add(1) } else { low };
                high = if high == other.low { high.saturating_sub(1) } else { high };
            }
            _ => {}
        }
        self.narrowed.insert(*variable, Interval::new(low.min(high), high.max(low)));
        low <= high
    }

    fn is_member(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Member(..) => true,
            ExprKind::Read(place) => matches!(
                self.model.domain(self.model.variable(place.variable).sort),
                Domain::Members(_) | Domain::Part { .. }
            ),
            _ => false,
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let Some(value) = self.written(place.variable, value) else { return };
                    if let Some(of) = self.of.get_mut(place.variable.index()) {
                        *of = of.union(value);
                    }
                    if place.indices.is_empty() {
                        self.narrowed.insert(place.variable, value);
                    }
                }
                StmtKind::Var(local, value) => {
                    let Some(value) = self.written(*local, value) else { return };
                    if self.model.variable(*local).indices.is_empty() {
                        self.narrowed.insert(*local, value);
                    }
                }
                StmtKind::Fail(_) => return,
                StmtKind::If(..) | StmtKind::For(..) | StmtKind::While(..) => {
                    unreachable!("steps of DVE have neither branches nor loops")
                }
            }
        }
    }

    /// The values that an assignment leaves in a variable; `None` if it always faults.
    fn written(&mut self, variable: VariableId, value: &Expr) -> Option<Interval> {
        let (low, high) = self.model.domain(self.model.variable(variable).sort).bounds();
        let value = self.interval(value);
        if let Some(leaves) = self.leaves.get_mut(variable.index()) {
            *leaves |= value.low < low || value.high > high;
        }
        let (low, high) = (value.low.max(low), value.high.min(high));
        (low <= high).then(|| Interval::new(low, high))
    }

    /// The values that an expression may have.
    fn interval(&self, expr: &Expr) -> Interval {
        let found = match &expr.kind {
            ExprKind::Int(value) => Interval::new(*value, *value),
            ExprKind::Member(_, index) => Interval::new(index.cast_signed(), index.cast_signed()),
            ExprKind::Read(place) => self.read(place.variable),
            ExprKind::Lookup(table, _) => {
                let values = &self.model.table(*table).values;
                let least = values.iter().copied().min().unwrap_or(0);
                Interval::new(least, values.iter().copied().max().unwrap_or(0))
            }
            ExprKind::Negate(inner) => self.interval(inner).negated(),
            ExprKind::Binary(op, left, right) if !op.is_comparison() => {
                self.interval(left).operate(*op, self.interval(right))
            }
            ExprKind::Ite(_, then, otherwise) => self.interval(then).union(self.interval(otherwise)),
            ExprKind::PopCount(inner) => self.interval(inner).ones(),
            ExprKind::Parameter(_) => unreachable!("steps of DVE have no parameters"),
            _ => Interval::TRUTH,
        };
        Interval::new(found.low, found.high)
    }

    fn read(&self, variable: VariableId) -> Interval {
        let whole = || {
            let (low, high) = self.model.domain(self.model.variable(variable).sort).bounds();
            Interval::new(low, high)
        };
        let narrowed = self.narrowed.get(&variable).copied();
        narrowed.or_else(|| self.of.get(variable.index()).copied()).unwrap_or_else(whole)
    }
}
