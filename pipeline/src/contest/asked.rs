//! Examinations of formulas: by the structure of the net, then by one search for all of reachability and one graph for all others, then one by one
//! with the reductions that each allows.

use checker::nets::{Condition, Formulas, Keeps, decide, decide_runs, reduce};
use checker::{Control, Verdict};
use frontend::pnml::{Loaded, Net};
use frontend::sequential::{Expr, Formula, Property, PropertyKind};
use rustc_hash::FxHashMap;

use super::formulas::{at_start, of_reachability as condition_of, questions, simplified, whole};
use super::{Answered, Asked, Examiner, Means, Value, decided, invariant, of_reachability};

/// A condition on another net.
type Moved<'a> = &'a dyn Fn(&Condition) -> Condition;

impl Examiner<'_> {
    /// Answers the formulas that the structure of the net decides, and returns the others, made simpler.
    fn by_structure(&mut self, properties: Vec<Property>) -> Vec<Property> {
        let Some(decider) = &self.decider else { return properties };
        let conditions = properties.iter().flat_map(|property| match &property.kind {
            PropertyKind::Invariant(condition) => vec![condition],
            PropertyKind::Ltl(formula) => formula.atoms(),
            PropertyKind::End(_) => Vec::new(),
        });
        let mut atoms: Vec<Condition> = conditions.filter_map(|condition| Condition::of(condition, true)).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        atoms.retain(|atom| seen.insert(atom.clone()));
        let values = limits::share(1, 4, || decider.constants(&atoms)).unwrap_or_default();
        let known: FxHashMap<Condition, bool> =
            atoms.into_iter().zip(values).filter_map(|(atom, value)| Some((atom, value?))).collect();
        let initial = self.loaded.net.initial();
        let first = |condition: &Expr| {
            let condition = Condition::of(condition, true)?;
            Some(condition.holds(&|place: usize| i64::from(initial[place])))
        };
        let wrong = self.wrong;
        let mut constant = |condition: &Expr| match Condition::of(condition, true)? {
            Condition::Constant(value) => Some(value),
            _ if wrong.first_stays() => first(condition),
            other => known.get(&other).copied(),
        };
        let mut left = Vec::new();
        let mut wanted: Vec<Formula> = Vec::new();
        for property in properties {
            let Some(formula) = whole(&property.kind).map(|formula| simplified(&formula, &mut constant, wrong)) else {
                left.push((property, None));
                continue;
            };
            let mut of = |formula: &Formula| match formula {
                Formula::Atom(condition) => first(condition),
                _ => None,
            };
            match at_start(&formula, &mut of, wrong) {
                Some(value) => {
                    let name = &property.name;
                    (self.tell)(Answered::new(name, Value::Truth(value), Means::Structural));
                }
                None => {
                    questions(&formula, &mut wanted, wrong);
                    left.push((property, Some(formula)));
                }
            }
        }
        let conditions: Vec<(Condition, bool)> =
            wanted.iter().filter_map(|formula| condition_of(formula, wrong)).collect();
        let goals: Vec<Condition> = conditions.iter().map(|(condition, _)| condition.clone()).collect();
        let found = self.reachable(&goals, &|_| false);
        let mut open = Vec::new();
        for (property, formula) in left {
            let Some(formula) = formula else {
                open.push(property);
                continue;
            };
            let mut means = Means::Structural;
            let mut of = |formula: &Formula| match formula {
                Formula::Atom(condition) => first(condition),
                _ => {
                    let at = wanted.iter().position(|known| known == formula)?;
                    let (reached, own) = found[at]?;
                    means = own;
                    Some(reached == conditions[at].1)
                }
            };
            match at_start(&formula, &mut of, wrong) {
                Some(value) => (self.tell)(Answered::new(&property.name, Value::Truth(value), means)),
                None => {
                    let kind = match condition_of(&formula, wrong).is_some() {
                        true => property.kind,
                        false => PropertyKind::Ltl(formula),
                    };
                    open.push(Property { kind, ..property });
                }
            }
        }
        open
    }

    /// Answers the formulas of branching time on one graph for all of them, and returns the others.
    fn branching(&mut self, properties: Vec<(Property, bool)>) -> Vec<(Property, bool)> {
        let formula = |one: &(Property, bool)| match &one.0.kind {
            PropertyKind::Ltl(formula) if formula.is_branching() => Some(formula.clone()),
            _ => None,
        };
        let formulas: Vec<Option<Formula>> = properties.iter().map(formula).collect();
        let mut values = self.on_one_graph(&formulas.iter().flatten().collect::<Vec<&Formula>>()).into_iter();
        let mut left = Vec::new();
        for (one, formula) in properties.into_iter().zip(formulas) {
            match formula.and_then(|_| values.next().flatten()) {
                Some(value) => self.truth(&one.0.name, Some(value != one.1), Means::Explicit),
                None => left.push(one),
            }
        }
        left
    }

    /// The truth of formulas of branching time at the start, as far as it is found.
    pub(super) fn on_one_graph(&mut self, wanted: &[&Formula]) -> Vec<Option<bool>> {
        let mut formulas = Formulas::default();
        let is_taken: Vec<bool> = wanted.iter().map(|formula| formulas.add(formula)).collect();
        let mut values = vec![None; formulas.len()];
        if !formulas.is_empty() {
            let limits = &self.request.limits;
            self.on_a_net(&formulas.conditions(), |net, bounds, moved, control| {
                decide(net, bounds, &formulas.map(moved), limits, control, &mut values);
            });
        }
        let mut values = values.into_iter();
        is_taken.into_iter().map(|is_taken| if is_taken { values.next().flatten() } else { None }).collect()
    }

    /// Answers the formulas of linear time on one graph for all of them, and returns the others.
    fn linear(&mut self, properties: Vec<(Property, bool)>) -> Vec<(Property, bool)> {
        let moved = |(property, is_opposite): &(Property, bool)| match &property.kind {
            PropertyKind::Ltl(formula) if !formula.is_branching() && !is_opposite => {
                let is_read = formula.atoms().into_iter().all(|atom| Condition::of(atom, true).is_some());
                let of = |atom: &Expr| Condition::of(atom, true).expect("a condition that is read");
                is_read.then(|| formula.map(&mut { of }))
            }
            _ => None,
        };
        let formulas: Vec<Option<ltl::Formula<Condition>>> = properties.iter().map(moved).collect();
        let wanted: Vec<&ltl::Formula<Condition>> = formulas.iter().flatten().collect();
        let mut values = vec![None; wanted.len()];
        if !wanted.is_empty() {
            let limits = &self.request.limits;
            let conditions: Vec<Condition> = wanted.iter().flat_map(|formula| formula.atoms()).cloned().collect();
            self.on_a_net(&conditions, |net, bounds, moved, control| {
                let formulas: Vec<_> = wanted.iter().map(|formula| formula.map(&mut |one| moved(one))).collect();
                decide_runs(net, bounds, &formulas, limits, control, &mut values);
            });
        }
        let mut values = values.into_iter();
        let mut left = Vec::new();
        for (one, formula) in properties.into_iter().zip(formulas) {
            match formula.and_then(|_| values.next().flatten()) {
                Some(value) => self.truth(&one.0.name, Some(value), Means::Explicit),
                None => left.push(one),
            }
        }
        left
    }

    /// Decides in three quarters of the time what is asked about these conditions: of a net that leaves each marking its steps, smaller where
    /// reductions are allowed, with the conditions on it. What was decided before the time is over stays decided.
    fn on_a_net(
        &mut self,
        conditions: &[Condition],
        decide: impl FnOnce(&Net, &[Option<i32>], Moved<'_>, &mut dyn Control),
    ) {
        let Loaded { net, bounds, .. } = self.loaded;
        let is_reduced = self.request.plan.partial_order;
        let _ = limits::share(3, 4, || {
            if !is_reduced {
                return decide(net, bounds, &Condition::clone, self.control);
            }
            let reduced = reduce(net, bounds, Keeps::branching(conditions));
            decide(&reduced.net, &reduced.bounds, &|condition| reduced.condition(condition), self.control);
        });
    }

    pub(super) fn formulas(&mut self, asked: Vec<Asked>) {
        let properties = asked.into_iter().filter_map(|asked| match asked {
            Asked::Property(property) => Some(property),
            Asked::Bound { .. } => None,
        });
        let properties = self.by_structure(properties.collect());
        let (mut invariants, mut opposites, mut formulas) = (Vec::new(), Vec::new(), Vec::new());
        for property in properties {
            match of_reachability(&property.kind) {
                Some((condition, is_opposite)) => {
                    invariants.push(invariant(&property.name, condition));
                    opposites.push(is_opposite);
                }
                None => formulas.push((property, false)),
            }
        }
        // One search for all, then one for each that it leaves open, with the reductions that keep it alone.
        let plain = self.plain();
        let first = match invariants.is_empty() {
            true => Vec::new(),
            false => limits::share(1, 2, || self.verdicts(&invariants, &plain)).unwrap_or_default(),
        };
        for (at, (property, is_opposite)) in invariants.into_iter().zip(opposites).enumerate() {
            let (verdict, means) = first.get(at).copied().unwrap_or((Verdict::Inconclusive, Means::Explicit));
            match decided(verdict) {
                Some(holds) => self.truth(&property.name, Some(holds != is_opposite), means),
                None => formulas.push((property, is_opposite)),
            }
        }
        let formulas = self.branching(formulas);
        let formulas = self.linear(formulas);
        let count = formulas.len();
        let plan = self.request.plan.clone();
        for (at, (property, is_opposite)) in formulas.into_iter().enumerate() {
            let left = u32::try_from(count - at).unwrap_or(u32::MAX);
            let verdicts = limits::share(1, left, || self.verdicts(std::slice::from_ref(&property), &plan));
            let open = (Verdict::Inconclusive, Means::Explicit);
            let (verdict, means) = verdicts.unwrap_or_default().first().copied().unwrap_or(open);
            self.truth(&property.name, decided(verdict).map(|holds| holds != is_opposite), means);
        }
    }
}
