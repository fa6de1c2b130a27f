//! The examinations of the Model Checking Contest: answers about a net, by runs of the line.
//!
//! Formulas of reachability are invariants or the opposite of invariants, so that one search decides those of a file, and those of branching
//! time share one graph (`asked`). Each formula that is left has a run of its own and its share of the time.
//!
//! # Soundness
//!
//! An answer is given where a search was complete, or a run shows it, or the structure of the net decides; all else is left open. A place
//! without a known bound has 31 bits: a step that would leave them is part of every question, and where there is one nothing is said.
//! Examinations that ask about single places or transitions use only symmetries that keep each of them.

mod asked;
mod decide;
mod examination;
mod formulas;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use checker::nets::{Condition, Linear};
use checker::sequential::{Measured, Quantity, measure};
use checker::{Control, Limits, QueryKind, Question, Report, Verdict};
use frontend::pnml::{self, Asked, Loaded};
use frontend::sequential::trace::Trace;
use frontend::sequential::{BinaryOp, Expr, ExprKind, Formula, Property, PropertyKind, Sequential};
use frontend::source::Span;
use ltl::Paths;

use symmetry::sequential::ValidatedGroup;

pub use self::examination::{Answered, Examination, Means, Value};

use self::decide::{Decided, Decider};
use self::formulas::Wrong;
use crate::line::{Plan, check, detect};
use crate::process::nets::goal;
use crate::slice::Slicing;

/// The numbers that describe a state space.
const PARTS: [&str; 4] = ["STATES", "TRANSITIONS", "MAX_TOKEN_IN_PLACE", "MAX_TOKEN_PER_MARKING"];

/// The options of an examination.
#[derive(Clone, Debug)]
pub struct Request {
    /// Bounds on the search.
    pub limits: Limits,
    /// The reductions that are allowed.
    pub plan: Plan,
}

/// The answers to an examination of which nothing is known, with these ids of formulas where it has a file.
pub fn open(examination: Examination, ids: &[String]) -> Vec<Answered> {
    let open = |name: &str| Answered::new(name, Value::Open, Means::Explicit);
    match examination {
        Examination::StateSpace => PARTS.iter().map(|part| open(part)).collect(),
        _ if examination.has_file() => ids.iter().map(|id| open(id)).collect(),
        _ => vec![open(examination.name())],
    }
}

/// Answers the questions of an examination about a net. Each answer is passed on as soon as it is known.
pub fn examine(
    loaded: &Loaded,
    examination: Examination,
    asked: Vec<Asked>,
    request: &Request,
    control: &mut dyn Control,
    tell: &mut dyn FnMut(Answered),
) {
    examine_with(loaded, examination, asked, request, control, tell, Wrong::default());
}

/// As [`examine`], with known faults.
fn examine_with(
    loaded: &Loaded,
    examination: Examination,
    asked: Vec<Asked>,
    request: &Request,
    control: &mut dyn Control,
    tell: &mut dyn FnMut(Answered),
    wrong: Wrong,
) {
    let uses_structure = request.plan.partial_order && examination != Examination::StateSpace;
    let decider = || Decider::new(loaded, request.limits);
    let decider = uses_structure.then(|| limits::share(1, 2, decider).ok()).flatten();
    let mut examiner = Examiner { loaded, request, control, tell, decider, wrong };
    let name = examination.name();
    match examination {
        Examination::StateSpace => examiner.state_space(),
        Examination::ReachabilityDeadlock => examiner.deadlock(name),
        Examination::OneSafe => examiner.one_safe(name),
        Examination::StableMarking => examiner.stable_marking(name),
        Examination::QuasiLiveness => examiner.quasi_liveness(name),
        Examination::Liveness => examiner.liveness(name),
        Examination::UpperBounds => examiner.upper_bounds(asked),
        Examination::Formulas(_) => examiner.formulas(asked),
    }
}

struct Examiner<'a> {
    loaded: &'a Loaded,
    request: &'a Request,
    control: &'a mut dyn Control,
    tell: &'a mut dyn FnMut(Answered),
    /// Decides by the structure of the net, where reductions are allowed.
    decider: Option<Decider<'a>>,
    wrong: Wrong,
}

fn invariant(name: &str, condition: Expr) -> Property {
    Property { name: name.to_owned(), kind: PropertyKind::Invariant(condition), span: Span::NONE }
}

fn not(condition: Expr) -> Expr {
    Expr::new(ExprKind::Not(Box::new(condition)), Span::NONE)
}

/// The invariant that decides a formula of reachability, and whether the formula is its opposite.
fn of_reachability(kind: &PropertyKind) -> Option<(Expr, bool)> {
    fn of(formula: &Formula) -> Option<(Expr, bool)> {
        if let Formula::Not(inner) = formula {
            return of(inner).map(|(condition, is_opposite)| (condition, !is_opposite));
        }
        match goal(formula)? {
            (Paths::All, false, condition) => Some((condition.clone(), false)),
            (Paths::Some, true, condition) => Some((not(condition.clone()), true)),
            _ => None,
        }
    }
    match kind {
        PropertyKind::Invariant(condition) => Some((condition.clone(), false)),
        PropertyKind::Ltl(formula) => of(formula),
        PropertyKind::End(_) => None,
    }
}

/// The process of a net; nothing if a limit came while it was made.
fn model(loaded: &Loaded) -> Option<&Sequential> {
    limits::watch().run(|| loaded.model()).ok()
}

impl Examiner<'_> {
    /// Decides by structure, in half of the time, which of these conditions are reachable.
    fn reachable(&mut self, conditions: &[Condition], is_enough: &dyn Fn(&[Decided]) -> bool) -> Vec<Decided> {
        let Some(decider) = &self.decider else { return vec![None; conditions.len()] };
        let found = limits::share(1, 2, || decider.reachable(conditions, self.control, is_enough));
        found.unwrap_or_else(|_| vec![None; conditions.len()])
    }

    /// A question about properties, or about deadlocks, that ends when all is decided.
    fn question(&self, properties: Vec<Property>, deadlock: bool) -> Question<Vec<Property>> {
        Question {
            deadlock,
            overflow: false,
            assertions: false,
            faults: self.loaded.bounds.iter().any(Option::is_none),
            properties,
            keep_going: true,
            until_decided: true,
            explains: false,
            fairness: checker::Fairness::None,
            limits: self.request.limits,
            ..Question::default()
        }
    }

    fn ask(&mut self, question: &Question<Vec<Property>>, plan: &Plan) -> Option<Report<Trace>> {
        let model = model(self.loaded)?;
        let mut question = question.clone();
        pnml::exact(model, &mut question.properties);
        let report = check(model, &question, plan, self.control).ok()?;
        let faults = report.answers.iter().any(|one| one.kind == QueryKind::Error && one.verdict == Verdict::Violated);
        (!faults).then_some(report)
    }

    /// The verdicts on properties, in their order: those of one run for invariants, of one run each for formulas.
    fn verdicts(&mut self, properties: &[Property], plan: &Plan) -> Vec<(Verdict, Means)> {
        let question = self.question(properties.to_vec(), false);
        let report = self.ask(&question, plan);
        let open = (Verdict::Inconclusive, Means::Explicit);
        let Some(report) = report else { return vec![open; properties.len()] };
        // A formula of a run of its own does not see the steps that leave the range of a place.
        let faults = report.answers.iter().find(|answer| answer.kind == QueryKind::Error);
        let is_within = faults.is_none_or(|faults| faults.verdict == Verdict::Holds);
        let of = |property: &Property| {
            let answer = report.answers.iter().find(|answer| answer.name == property.name)?;
            // A condition that has no value decides nothing.
            let is_decided = !answer.finding.is_undefined() && (answer.run.is_none() || is_within);
            let own = answer.run.as_ref().map_or(report.group.is_some(), |run| run.group.is_some());
            let means = if own { Means::Symmetries } else { Means::Explicit };
            Some((if is_decided { answer.verdict } else { Verdict::Inconclusive }, means))
        };
        properties.iter().map(|property| of(property).unwrap_or(open)).collect()
    }

    /// No reductions: for questions about each place or transition, of which reductions leave little to reduce.
    fn plain(&self) -> Plan {
        let plan = self.request.plan.clone();
        Plan { slicing: Slicing::Off, symmetry: None, partial_order: false, dead_values: false, ..plan }
    }

    fn truth(&mut self, name: &str, value: Option<bool>, means: Means) {
        let value = value.map_or(Value::Open, Value::Truth);
        (self.tell)(Answered::new(name, value, means));
    }

    fn state_space(&mut self) {
        if self.loaded.unbounded.is_some() {
            PARTS.iter().for_each(|part| (self.tell)(Answered::new(part, Value::Infinite, Means::Structural)));
            return;
        }
        let Some(model) = model(self.loaded) else {
            open(Examination::StateSpace, &[]).into_iter().for_each(|answer| (self.tell)(answer));
            return;
        };
        let group: Option<ValidatedGroup> = self.request.plan.symmetry.and_then(|strategy| {
            let found = limits::share(1, 3, || detect(model, &Vec::new(), strategy)).ok()?;
            found.ok().map(|found| found.group)
        });
        let quantities = [Quantity::Element, Quantity::Sum(None)];
        let group = group.as_ref().map(ValidatedGroup::of_instances);
        let mut found = measure(model, &quantities, &[None, None], group, &self.request.limits, self.control);
        if found.complete && found.states.is_none() {
            // Orbits of more than 2^128 states are not counted; the states may be few.
            let whole = measure(model, &quantities, &[None, None], None, &self.request.limits, self.control);
            found = if whole.complete { whole } else { found };
        }
        let Measured { complete, states, transitions, greatest, is_quotient, .. } = found;
        assert!(!complete || greatest[0] <= greatest[1], "a place has no more tokens than the marking");
        let means = if is_quotient { Means::Symmetries } else { Means::Explicit };
        let transitions = transitions.filter(|_| !self.loaded.net.is_folded);
        let [element, sum] = [0, 1].map(|at| complete.then(|| greatest[at].to_string()));
        for (part, value) in PARTS.into_iter().zip([states, transitions, element, sum]) {
            (self.tell)(Answered::new(part, value.map_or(Value::Open, Value::Number), means));
        }
    }

    fn deadlock(&mut self, name: &str) {
        let found = match &self.decider {
            Some(decider) => limits::share(1, 2, || decider.deadlock(self.control)).ok().flatten(),
            None => None,
        };
        if let Some((value, means)) = found {
            return self.truth(name, Some(value), means);
        }
        let question = self.question(Vec::new(), true);
        let plan = self.request.plan.clone();
        let report = self.ask(&question, &plan);
        let answer = report.as_ref().and_then(|report| {
            report.answers.iter().find(|answer| answer.kind == QueryKind::Deadlock).map(|answer| answer.verdict)
        });
        let value = match answer {
            Some(Verdict::Violated) => Some(true),
            Some(Verdict::Holds) => Some(false),
            _ => None,
        };
        let is_quotient = report.is_some_and(|report| report.group.is_some());
        self.truth(name, value, if is_quotient { Means::Symmetries } else { Means::Explicit });
    }

    /// The places of each id of the document, in their order.
    fn coloured_places(&self) -> Vec<std::ops::Range<usize>> {
        let mut places: Vec<_> = self.loaded.net.place_ids.values().cloned().collect();
        places.sort_by_key(|range| range.start);
        // Reference nodes are nodes that are there.
        places.dedup();
        assert!(places.is_sorted_by(|one, next| one.end <= next.start), "a place is of one id");
        places
    }

    fn one_safe(&mut self, name: &str) {
        if self.loaded.unbounded.is_some() {
            return self.truth(name, Some(false), Means::Structural);
        }
        let Loaded { net, bounds, .. } = self.loaded;
        // A coloured place is safe if it never has two tokens of whatever colours.
        let most = |range: &std::ops::Range<usize>| {
            bounds[range.clone()].iter().try_fold(0i64, |sum, bound| Some(sum + i64::from((*bound)?)))
        };
        let open: Vec<_> =
            self.coloured_places().into_iter().filter(|range| most(range).is_none_or(|most| most > 1)).collect();
        let initial = net.initial();
        if open.iter().any(|range| initial[range.clone()].iter().map(|&number| i64::from(number)).sum::<i64>() > 1) {
            return self.truth(name, Some(false), Means::Structural);
        }
        if open.is_empty() {
            return self.truth(name, Some(true), Means::Structural);
        }
        let two =
            |range: &std::ops::Range<usize>| Condition::at_least(range.clone().map(|place| (place, 1)).collect(), 2);
        let wanted: Vec<Condition> = open.iter().map(two).collect();
        let is_found = |found: &[Decided]| found.iter().any(|found| matches!(found, Some((true, _))));
        let found = self.reachable(&wanted, &is_found);
        if is_found(&found) {
            return self.truth(name, Some(false), Means::Explicit);
        }
        let open: Vec<_> =
            open.into_iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(range, _)| range).collect();
        if open.is_empty() {
            return self.truth(name, Some(true), Means::Explicit);
        }
        // No two tokens of whatever colours.
        let mut safe: Vec<Expr> = open
            .into_iter()
            .map(|range| {
                let one = Box::new(Expr::new(ExprKind::Int(1), Span::NONE));
                let sum = Box::new(pnml::tokens_of(range));
                Expr::new(ExprKind::Binary(BinaryOp::LessEqual, sum, one), Span::NONE)
            })
            .collect();
        let safe = if safe.len() == 1 { safe.remove(0) } else { Expr::new(ExprKind::And(safe), Span::NONE) };
        let (verdict, means) = self.verdicts(&[invariant(name, safe)], &self.request.plan.clone())[0];
        self.truth(name, decided(verdict), means);
    }

    /// Whether some place of the document, with all of its colours, always has as many tokens as at first.
    fn stable_marking(&mut self, name: &str) {
        let Loaded { net, .. } = self.loaded;
        let initial = net.initial();
        let (mut properties, mut wanted) = (Vec::new(), Vec::new());
        let ranges = self.coloured_places();
        let mut owner = vec![0; net.places.len()];
        ranges.iter().enumerate().for_each(|(at, range)| owner[range.clone()].fill(at));
        let mut moves = vec![false; ranges.len()];
        for transition in &net.transitions {
            let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
            transition
                .changes
                .iter()
                .for_each(|&(place, change)| *sums.entry(owner[place]).or_default() += i64::from(change));
            sums.into_iter().for_each(|(at, sum)| moves[at] |= sum != 0);
        }
        if moves.contains(&false) {
            return self.truth(name, Some(true), Means::Structural);
        }
        for range in ranges {
            let tokens: i64 = initial[range.clone()].iter().map(|&tokens| i64::from(tokens)).sum();
            // Of more tokens there is no invariant.
            let Ok(number) = i32::try_from(tokens) else { return self.truth(name, None, Means::Explicit) };
            let all = || range.clone().map(|place| (place, 1)).collect();
            wanted.push(Condition::any(vec![
                Condition::at_least(all(), tokens + 1),
                Condition::at_most(all(), tokens - 1),
            ]));
            let sum = Box::new(pnml::tokens_of(range.clone()));
            let number = Box::new(Expr::new(ExprKind::Int(number), Span::NONE));
            let stays = Expr::new(ExprKind::Binary(BinaryOp::Equal, sum, number), Span::NONE);
            properties.push(invariant(&format!("p{}", range.start), stays));
        }
        if let Some(stays) = self.some_unreachable(&wanted) {
            return self.truth(name, Some(stays), Means::Explicit);
        }
        let holds = self.some_holds(&properties);
        self.truth(name, holds, Means::Explicit);
    }

    /// For each transition of the document the condition that it is enabled; nothing if one is known never to be.
    fn enabled(&self) -> Option<Vec<Expr>> {
        let mut ids: Vec<_> = self.loaded.net.transition_ids.values().cloned().collect();
        ids.sort_by_key(|range| (range.start, range.end));
        ids.into_iter().map(|range| pnml::fireable(&self.loaded.net, range)).collect()
    }

    /// Whether some of these conditions is not reachable, where that is decided by structure.
    fn some_unreachable(&mut self, wanted: &[Condition]) -> Option<bool> {
        let is_found = |found: &[Decided]| found.iter().any(|found| matches!(found, Some((false, _))));
        let found = self.reachable(wanted, &is_found);
        match () {
            () if is_found(&found) => Some(true),
            () if found.iter().all(|found| matches!(found, Some((true, _)))) => Some(false),
            () => None,
        }
    }

    /// Whether some of these invariants holds, if one run without reductions decides it.
    fn some_holds(&mut self, invariants: &[Property]) -> Option<bool> {
        let verdicts = self.verdicts(invariants, &self.plain());
        match () {
            () if verdicts.iter().any(|(verdict, _)| *verdict == Verdict::Holds) => Some(true),
            () if verdicts.iter().all(|(verdict, _)| *verdict == Verdict::Violated) => Some(false),
            () => None,
        }
    }

    fn quasi_liveness(&mut self, name: &str) {
        let Some(enabled) = self.enabled() else { return self.truth(name, Some(false), Means::Structural) };
        let wanted: Option<Vec<Condition>> = enabled.iter().map(|enabled| Condition::of(enabled, true)).collect();
        if let Some(is_dead) = wanted.and_then(|wanted| self.some_unreachable(&wanted)) {
            return self.truth(name, Some(!is_dead), Means::Explicit);
        }
        let properties: Vec<Property> =
            enabled.into_iter().enumerate().map(|(at, enabled)| invariant(&format!("t{at}"), not(enabled))).collect();
        let holds = self.some_holds(&properties);
        self.truth(name, holds.map(|some| !some), Means::Explicit);
    }

    fn liveness(&mut self, name: &str) {
        let Some(enabled) = self.enabled() else { return self.truth(name, Some(false), Means::Structural) };
        if enabled.is_empty() {
            return self.truth(name, Some(true), Means::Structural);
        }
        let dies = match &self.decider {
            Some(decider) => {
                let found = limits::share(1, 4, || decider.deadlock(self.control)).ok().flatten();
                found.is_some_and(|(dies, _)| dies) || {
                    // A transition that never fires is not live.
                    let wanted: Option<Vec<Condition>> =
                        enabled.iter().map(|enabled| Condition::of(enabled, true)).collect();
                    let some = |wanted: Vec<Condition>| limits::share(1, 3, || self.some_unreachable(&wanted)).ok();
                    wanted.and_then(some).flatten() == Some(true)
                }
            }
            None => {
                let question = self.question(Vec::new(), true);
                let report = limits::share(1, 3, || self.ask(&question, &self.request.plan.clone())).ok().flatten();
                report.is_some_and(|report| {
                    report.answers.iter().any(|one| one.kind == QueryKind::Deadlock && one.verdict == Verdict::Violated)
                })
            }
        };
        if dies {
            return self.truth(name, Some(false), Means::Explicit);
        }
        let again = enabled.into_iter().map(|enabled| {
            Formula::Quantified(Paths::Some, Box::new(Formula::Finally(Box::new(Formula::Atom(enabled)))))
        });
        let mut again: Vec<Formula> = again.collect();
        let again = if again.len() == 1 { again.remove(0) } else { Formula::And(again) };
        let always = Formula::Quantified(Paths::All, Box::new(Formula::Globally(Box::new(again))));
        if let Some(value) = self.truths(&[Some(&always)])[0] {
            return self.truth(name, Some(value), Means::Explicit);
        }
        let property = Property { name: name.to_owned(), kind: PropertyKind::Ltl(always), span: Span::NONE };
        let (verdict, means) = self.verdicts(&[property], &self.plain())[0];
        self.truth(name, decided(verdict), means);
    }

    fn upper_bounds(&mut self, asked: Vec<Asked>) {
        let bounds: Vec<(String, Vec<usize>)> = asked
            .into_iter()
            .filter_map(|asked| match asked {
                Asked::Bound { name, places } => Some((name, places)),
                Asked::Property(_) => None,
            })
            .collect();
        let mut left = Vec::new();
        for (name, places) in bounds {
            match self.loaded.unbounded.is_some_and(|place| places.contains(&place)) {
                true => (self.tell)(Answered::new(&name, Value::Infinite, Means::Structural)),
                false => left.push((name, places)),
            }
        }
        if let Some(decider) = &self.decider {
            let sum = |places: &[usize]| {
                let mut weights = BTreeMap::new();
                places.iter().for_each(|&place| *weights.entry(place).or_insert(0i64) += 1);
                weights.into_iter().collect::<Linear>()
            };
            let sums: Vec<Linear> = left.iter().map(|(_, places)| sum(places)).collect();
            let found = limits::share(2, 3, || decider.greatest(&sums, self.control));
            let mut found = found.unwrap_or_else(|_| vec![None; sums.len()]).into_iter();
            left.retain(|(name, _)| match found.next().flatten() {
                Some((greatest, means)) => {
                    (self.tell)(Answered::new(name, Value::Number(greatest.to_string()), means));
                    false
                }
                None => true,
            });
        }
        if left.is_empty() {
            return;
        }
        let quantities: Vec<Quantity> = left.iter().map(|(_, places)| Quantity::Sum(Some(places.clone()))).collect();
        let known = |places: &[usize]| {
            places.iter().try_fold(0i64, |sum, &place| Some(sum + i64::from(self.loaded.bounds[place]?)))
        };
        let enough: Vec<Option<i64>> = left.iter().map(|(_, places)| known(places)).collect();
        let Some(model) = model(self.loaded) else {
            left.iter().for_each(|(name, _)| (self.tell)(Answered::new(name, Value::Open, Means::Explicit)));
            return;
        };
        let found = measure(model, &quantities, &enough, None, &self.request.limits, self.control);
        for (((name, _), enough), greatest) in left.iter().zip(&enough).zip(&found.greatest) {
            let value = match () {
                () if found.complete || *enough == Some(*greatest) => Value::Number(greatest.to_string()),
                () => Value::Open,
            };
            (self.tell)(Answered::new(name, value, Means::Explicit));
        }
    }
}

fn decided(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Inconclusive => None,
    }
}
