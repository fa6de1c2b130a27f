//! Examinations of formulas: by the structure of the net, then by one search for all of reachability and one graph for all others, then one by one
//! with the reductions that each allows.

use checker::Verdict;
use checker::nets::{Condition, Keeps, decide, reduce};
use frontend::pnml::Loaded;
use frontend::sequential::{Expr, Formula, Property, PropertyKind};
use ltl::{Properties as _, Property as _};
use rustc_hash::FxHashMap;

use super::formulas::{at_start, of_reachability as condition_of, questions, simplified, whole};
use super::{Answered, Asked, Examiner, Means, Value, decided, invariant, of_reachability};

impl Examiner<'_> {
    /// Answers the formulas that the structure of the net decides, and returns the others, made simpler.
    fn by_structure(&mut self, properties: Vec<Property>) -> Vec<Property> {
        let Some(decider) = &self.decider else { return properties };
        let conditions = properties.answered().flat_map(Property::atoms);
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
        assert_eq!(conditions.len(), wanted.len(), "each part that is asked for has its condition");
        let goals: Vec<Condition> = conditions.iter().map(|(condition, _)| condition.clone()).collect();
        let found = self.reachable(&goals, &|_| false);
        assert_eq!(found.len(), conditions.len(), "each condition is decided, or open");
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

    /// Answers properties whose formulas are decided on one graph for all of them, and returns the others.
    fn on_one_graph(&mut self, properties: Vec<(Property, bool)>) -> Vec<(Property, bool)> {
        let formulas: Vec<Option<&Formula>> = properties.iter().map(|(property, _)| property.formula()).collect();
        let values = self.truths(&formulas);
        assert_eq!(values.len(), properties.len(), "each formula has its value, or none");
        let mut left = Vec::new();
        for ((property, is_opposite), value) in properties.into_iter().zip(values) {
            match value {
                Some(value) => self.truth(&property.name, Some(value != is_opposite), Means::Explicit),
                None => left.push((property, is_opposite)),
            }
        }
        left
    }

    /// The truth of formulas at the start, as far as three quarters of the time go, on a net that leaves each marking its steps: a smaller one
    /// where reductions are allowed.
    pub(super) fn truths(&mut self, formulas: &[Option<&Formula>]) -> Vec<Option<bool>> {
        let read = |formula: &Formula| {
            let is_read = formula.atoms().into_iter().all(|atom| Condition::of(atom, true).is_some());
            is_read.then(|| formula.map(&mut |atom| Condition::of(atom, true).expect("a condition that is read")))
        };
        let formulas: Vec<Option<ltl::Formula<Condition>>> =
            formulas.iter().map(|formula| formula.and_then(read)).collect();
        let wanted: Vec<ltl::Formula<Condition>> = formulas.iter().flatten().cloned().collect();
        let mut values = vec![None; wanted.len()];
        if !wanted.is_empty() {
            let Loaded { net, bounds, .. } = self.loaded;
            let limits = &self.request.limits;
            // What is decided before the time is over stays decided.
            let _ = limits::share(3, 4, || {
                if !self.request.plan.partial_order {
                    return decide(net, bounds, &wanted, limits, self.control, &mut values);
                }
                let conditions: Vec<Condition> = wanted.iter().flat_map(ltl::Formula::atoms).cloned().collect();
                let reduced = reduce(net, bounds, Keeps::steps(&conditions));
                let moved = |formula: &ltl::Formula<Condition>| formula.map(&mut |one| reduced.condition(one));
                let wanted: Vec<ltl::Formula<Condition>> = wanted.iter().map(moved).collect();
                decide(&reduced.net, &reduced.bounds, &wanted, limits, self.control, &mut values);
            });
        }
        assert_eq!(values.len(), formulas.iter().flatten().count(), "each formula that is decided has its value");
        let mut values = values.into_iter();
        formulas.iter().map(|formula| formula.as_ref().and_then(|_| values.next().flatten())).collect()
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
        assert!(first.is_empty() || first.len() == invariants.len(), "each invariant has its verdict");
        for (at, (property, is_opposite)) in invariants.into_iter().zip(opposites).enumerate() {
            let (verdict, means) = first.get(at).copied().unwrap_or((Verdict::Inconclusive, Means::Explicit));
            match decided(verdict) {
                Some(holds) => self.truth(&property.name, Some(holds != is_opposite), means),
                None => formulas.push((property, is_opposite)),
            }
        }
        let formulas = self.on_one_graph(formulas);
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
