//! Smaller nets in the place of nets: what a question is about, the process of the smaller net, and the way back of its runs.
//!
//! Invariants, and formulas that ask whether a condition is ever met (`EF`) or always holds (`AG`), are about the reachable numbers of tokens of
//! the places that they read; these places are kept. Whether a marking is reached in which no transition is enabled is a question about deadlocks. Places
//! whose range no structure bounds are kept too, so that a step that leaves the range is one of both nets.
//!
//! # Soundness
//!
//! Formulas about runs are refused. Conditions of markings that may end read places that are kept, and a marking without steps differs from
//! that of the smaller net by transitions that waited, which change no such place. A run of the smaller net is the run of the steps that its transitions stand for; the reference semantics takes them one by one, and the end
//! is judged on the net. Behind a run to a deadlock the transitions that waited in the smaller net end.

use std::collections::BTreeSet;

use checker::nets::{Keeps, Reduced, reduce};
use checker::{NetSize, QueryKind, Question, Refusal, StructuralEffect};
use frontend::model::PropertyKind;
use frontend::pnml::{self, Net, Structure};
use frontend::sequential::interpret::{SeqStep, State, evaluate, initial_states, step, successors};
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, ExprKind, Formula, Property, Sequential, SummandId, VariableId, verify};
use frontend::source::Span;
use ltl::Paths;
use ltl::{Properties as _, Property as _};

use crate::structural::{Lifted, Lost, Said, Smaller};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// Deadlocks are not kept.
        deadlocks_forgotten,
        /// Places whose range nothing bounds are not kept.
        ranges_forgotten,
        /// End conditions are not asked of the smaller net.
        ends_forgotten,
        /// Whether a marking with an enabled transition is reached is a question about deadlocks, too.
        takes_life,
        /// Formulas about runs are taken for conditions on reachable markings.
        takes_runs,
        /// Transitions that waited do not end.
        waiting_forgotten,
        /// Any run shows that a condition is never met.
        runs_show_absence,
    }
}

/// The steps after which transitions that waited in a smaller net have ended.
const MOST_WAITING: usize = 100_000;

/// The smaller net of a question about the process of a net; nothing if the process is none.
pub(crate) fn smaller<'m>(
    model: &'m Sequential,
    question: &Question<Vec<Property>>,
    wrong: Wrong,
) -> Option<Result<Smaller<'m, Sequential>, Refusal>> {
    let Structure { net, bounds } = pnml::structure(model)?;
    Some(made(model, net, &bounds, question, wrong))
}

fn made<'m>(
    model: &'m Sequential,
    net: Net,
    bounds: &[Option<i32>],
    question: &Question<Vec<Property>>,
    wrong: Wrong,
) -> Result<Smaller<'m, Sequential>, Refusal> {
    let dead = pnml::dead(&net);
    let mut deadlock = question.deadlock;
    let mut places: Vec<usize> = (0..bounds.len()).filter(|&place| bounds[place].is_none()).collect();
    if wrong.ranges_forgotten() {
        places.clear();
    }
    for property in &question.properties {
        for wanted in wanted(property, wrong)? {
            match about_deadlock(wanted, &dead, wrong) {
                Some(_) => deadlock = true,
                None => places.extend(read(wanted.condition)),
            }
        }
    }
    let deadlock = deadlock && !wrong.deadlocks_forgotten();
    let reduced = reduce(&net, bounds, Keeps { deadlock, places: &places, ..Keeps::default() });
    if !reduced.applied.is_any() {
        return Err(Refusal::NothingSmaller);
    }
    assert!(places.iter().all(|&place| reduced.place_of[place].is_some()), "places that are read are kept");
    assert_eq!(reduced.bounds.len(), reduced.net.places.len(), "every place that is left has its bound, or none");
    let is_asked = |property: &&Property| !(wrong.ends_forgotten() && property.is_end());
    let asked = question.properties.iter().filter(is_asked);
    let properties: Vec<Property> = asked.map(|property| moved(property, &dead, &reduced, wrong)).collect();
    let mut small = pnml::process(&reduced.net, &reduced.bounds);
    small.properties.clone_from(&properties);
    let broken = verify::verify(&small);
    assert!(broken.is_empty(), "the smaller net is not well formed: {broken:?}");
    let is_still = reduced.net.transitions.is_empty();
    assert!(is_still || small.summands.len() == reduced.steps.len(), "each transition has a summand");
    let size = |net: &Net| NetSize { places: net.places.len(), transitions: net.transitions.len() };
    let effect = StructuralEffect { rules: reduced.applied, before: size(&net), after: size(&reduced.net) };
    let way = Way { model, net, steps: reduced.steps, dead, properties: question.properties.clone(), wrong };
    Ok(Smaller { model: small, properties, effect, way: Box::new(move |said, run| way.lift(said, run)) })
}

/// A marking that a property asks for.
#[derive(Clone, Copy)]
struct Wanted<'p> {
    /// A condition on it.
    condition: &'p Expr,
    /// The value of the condition there.
    value: bool,
}

/// The markings that decide a property if they are reached.
///
/// # Errors
/// The reason why reachable markings do not decide it.
fn wanted(property: &Property, wrong: Wrong) -> Result<Vec<Wanted<'_>>, Refusal> {
    match &property.kind {
        PropertyKind::Invariant(condition) => Ok(vec![Wanted { condition, value: false }]),
        PropertyKind::End(condition) => Ok(vec![Wanted { condition, value: false }]),
        PropertyKind::Ltl(formula) => match reached(formula) {
            Some(wanted) => Ok(vec![wanted]),
            None if wrong.takes_runs() => {
                let each = formula.atoms().into_iter().map(|condition| Wanted { condition, value: true });
                Ok(each.collect())
            }
            None => Err(Refusal::AboutRuns(property.name.clone())),
        },
    }
}

/// The marking of a formula that asks whether a condition is ever met, or always holds.
fn reached(formula: &Formula) -> Option<Wanted<'_>> {
    let (paths, value, condition) = goal(formula)?;
    (value == (paths == Paths::Some)).then_some(Wanted { condition, value })
}

/// The runs of a formula `QF c` or `QG c`, whether it is the former, and the condition `c`.
pub(crate) fn goal(formula: &Formula) -> Option<(Paths, bool, &Expr)> {
    let Formula::Quantified(paths, path) = formula else { return None };
    let (Formula::Finally(inner) | Formula::Globally(inner)) = &**path else { return None };
    let Formula::Atom(condition) = &**inner else { return None };
    Some((*paths, matches!(**path, Formula::Finally(_)), condition))
}

/// The number of negations in front of the condition that no transition is enabled, if a deadlock is wanted. A marking with an enabled transition
/// is another matter: one in which only transitions wait may be none in the smaller net.
fn about_deadlock(wanted: Wanted<'_>, dead: &Expr, wrong: Wrong) -> Option<usize> {
    let mut condition = &expression_without_spans(wanted.condition);
    let mut negations = 0;
    while condition != dead {
        let ExprKind::Not(inner) = &condition.kind else { return None };
        condition = inner;
        negations += 1;
    }
    (wrong.takes_life() || negations % 2 == usize::from(!wanted.value)).then_some(negations)
}

/// The places that a condition reads.
fn read(condition: &Expr) -> Vec<usize> {
    let mut variables = BTreeSet::new();
    condition.add_variables(&mut variables);
    variables.into_iter().map(VariableId::index).collect()
}

/// A property on the smaller net.
fn moved(property: &Property, dead: &Expr, reduced: &Reduced, wrong: Wrong) -> Property {
    let place = |place: VariableId| reduced.place_of[place.index()].expect("a place that is read is kept");
    let condition = |condition: &Expr, value: bool| match about_deadlock(Wanted { condition, value }, dead, wrong) {
        Some(negations) => {
            let negated = |inner: Expr, _| Expr::new(ExprKind::Not(Box::new(inner)), Span::NONE);
            (0..negations).fold(pnml::dead(&reduced.net), negated)
        }
        None => {
            let mut condition = condition.clone();
            condition.rename(|id| VariableId::from_index(place(id)));
            condition
        }
    };
    let kind = match &property.kind {
        PropertyKind::Invariant(one) => PropertyKind::Invariant(condition(one, false)),
        PropertyKind::End(one) => PropertyKind::End(condition(one, false)),
        PropertyKind::Ltl(formula) => {
            let value = reached(formula).is_none_or(|wanted| wanted.value);
            PropertyKind::Ltl(formula.map(&mut |one| condition(one, value)))
        }
    };
    Property { kind, ..property.clone() }
}

/// The way back to a net.
struct Way<'m> {
    model: &'m Sequential,
    net: Net,
    /// The transitions that each transition of the smaller net stands for.
    steps: Vec<Vec<usize>>,
    /// The condition that no transition is enabled.
    dead: Expr,
    properties: Vec<Property>,
    wrong: Wrong,
}

impl Way<'_> {
    /// The run of the net that a run of the smaller net stands for; it shows what is said.
    fn lift(&self, said: Said<'_>, run: &Trace) -> Result<Lifted<Sequential>, Lost> {
        let Said { kind, name, is_violated } = said;
        let contradicted = |what: &str| Lost::Contradicted(format!("a run of the smaller net, for `{name}`, {what}"));
        let start = initial_states(self.model).next().ok_or_else(|| contradicted("has no start"))?;
        let mut own = Trace::new(start);
        let mut places = vec![0];
        for small in &run.steps {
            for &transition in &self.steps[small.summand.index()] {
                let next = own.last_state().and_then(|state| self.step(transition, state));
                own.take(next.ok_or_else(|| contradicted("is no run of the net"))?);
                if own.faults() {
                    break;
                }
            }
            places.push(own.steps.len());
        }
        if own.faults() != run.faults() {
            return Err(contradicted("ends otherwise in the net"));
        }
        let shows = match kind {
            QueryKind::Deadlock => {
                self.end(&mut own)?;
                own.last_state().is_some_and(|state| successors(self.model, state).is_empty() && !self.may_end(state))
            }
            QueryKind::Error => own.faults(),
            QueryKind::Invariant | QueryKind::Ctl => {
                let wanted = self.wanted(name);
                let value =
                    |state: &State| wanted.map(|wanted| evaluate(self.model, wanted.condition, state, &[]).ok());
                // A violation of `EF` is that no marking is reached.
                match wanted.filter(|wanted| is_violated != wanted.value) {
                    Some(wanted) => {
                        if about_deadlock(wanted, &self.dead, self.wrong).is_some() {
                            self.end(&mut own)?;
                        }
                        // A condition that has no value is violated.
                        let is_met = |state| value(state).flatten().is_some_and(|value| value != 0);
                        own.last_state().is_some_and(|state| is_met(state) == wanted.value)
                    }
                    // That a condition is never met, or always, is shown by no run but the start, or by one to where it has no value.
                    None => {
                        let has_no_value = || own.last_state().and_then(value) == Some(None);
                        run.steps.is_empty() || is_violated && (has_no_value() || self.wrong.runs_show_absence())
                    }
                }
            }
            _ => false,
        };
        if shows { Ok(Lifted { run: own, places }) } else { Err(contradicted("does not show it in the net")) }
    }

    /// The markings that a property asks for; nothing if it is of another kind.
    fn wanted(&self, name: &str) -> Option<Wanted<'_>> {
        let property = self.properties.iter().find(|property| property.name == name)?;
        wanted(property, Wrong::default()).ok()?.pop()
    }

    /// Whether a state without steps is no deadlock.
    fn may_end(&self, state: &State) -> bool {
        self.properties.ends().into_iter().any(|condition| evaluate(self.model, condition, state, &[]) == Ok(1))
    }

    /// The step of a transition, by the reference semantics.
    fn step(&self, transition: usize, state: &State) -> Option<SeqStep> {
        limits::work(1);
        step(self.model, state, SummandId::from_index(transition), &[])
    }

    /// The first transition that is enabled.
    fn enabled(&self, state: &State) -> Option<usize> {
        limits::work(self.net.transitions.len() as u64);
        self.net.transitions.iter().position(|transition| Net::is_enabled(transition, state))
    }

    /// Takes the steps of the transitions that waited in the smaller net.
    fn end(&self, run: &mut Trace) -> Result<(), Lost> {
        if self.wrong.waiting_forgotten() {
            return Ok(());
        }
        for _ in 0..MOST_WAITING {
            let Some(state) = run.last_state() else { return Ok(()) };
            let Some(transition) = self.enabled(state) else { return Ok(()) };
            let next = self.step(transition, state).expect("the transition is enabled");
            run.take(next);
        }
        Err(Lost::TooFar)
    }
}

#[cfg(test)]
mod tests;
