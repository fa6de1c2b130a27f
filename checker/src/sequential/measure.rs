//! The greatest values that numbers of a process reach, over all reachable states, and the counts of its state space.
//!
//! # Soundness
//!
//! Exact where the search is complete. In a quotient a number is that of every state of an orbit only where the group maps elements to
//! elements without changing their values, and the number is one of all elements: [`measure`] uses a group for such numbers alone
//! ([`keeps_values`]). The counts of a quotient are sums of the sizes of orbits; where a group keeps steps, not instances, there is none of
//! transitions.

use std::ops::ControlFlow;

use ::symmetry::sequential::{Kept, ValidatedGroup};
use frontend::sequential::Sequential;

use super::space::{Expansion, Space};
use explore::plan::{Plan, orbits, settle};
use explore::question::{Limits, SearchOrder};
use explore::reductions::Representative;
use explore::report::{Control, Limit};
use explore::search::{Clock, GRACE, Observer, StateSpace as _, explore};

/// A number that each state has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// The greatest value of an element.
    Element,
    /// The sum of these elements; all of them where nothing is given.
    Sum(Option<Vec<usize>>),
}

/// The result of a measurement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Whether every reachable state was seen, and no step faults.
    pub complete: bool,
    /// The bound that ended the search.
    pub limit: Option<Limit>,
    /// The number of states of the process, in decimal digits, where the search was complete.
    pub states: Option<String>,
    /// The number of its transitions, where it is known.
    pub transitions: Option<String>,
    /// The greatest value of each quantity that was seen.
    pub greatest: Vec<i64>,
    /// Whether symmetry was used.
    pub is_quotient: bool,
}

/// Whether a group only exchanges elements: no value of an element becomes another one.
pub fn keeps_values(group: &ValidatedGroup) -> bool {
    let literals = group.literals();
    group.generators().iter().all(|generator| {
        generator.support().all(|point| literals.literal(point).1 == literals.literal(generator.image(point)).1)
    })
}

/// Measures a verified process. The search ends early where each quantity has reached the value that it is known not to pass.
///
/// # Panics
/// If a group is given for a quantity that is not one of all elements.
pub fn measure(
    model: &Sequential,
    quantities: &[Quantity],
    enough: &[Option<i64>],
    group: Option<&ValidatedGroup>,
    limits: &Limits,
    control: &mut dyn Control,
) -> Measured {
    let is_symmetric = |quantity: &Quantity| !matches!(quantity, Quantity::Sum(Some(_)));
    assert!(group.is_none() || quantities.iter().all(is_symmetric), "a group keeps numbers of all elements only");
    let group = group.filter(|group| keeps_values(group) && !group.group().is_trivial());
    let outer = limits::watch();
    let mut space = Space::new(model, limits.max_states, limits.max_memory);
    let mut plan = Plan::default();
    let mut is_quotient = false;
    if let Some(group) = group {
        let name = space.reduce(group, &[], Representative::Auto, false);
        is_quotient = name.is_some();
        let made = Plan::quotient(group.group(), group.model_order(), Representative::Auto, name);
        plan = Plan { keeps_transitions: group.kept() == Kept::Instances, ..made };
    }
    space.store_mut().spill_to(control.spilling());
    let mut gauge = Gauge {
        quantities,
        enough,
        greatest: vec![i64::MIN; quantities.len()],
        state: Vec::new(),
        counts: enough.iter().any(Option::is_none),
        faults: false,
    };
    let summary = explore(&mut space, &mut gauge, Clock::new(control), limits, SearchOrder::BreadthFirst);
    let summary = summary.expect("a measurement resumes no checkpoint");
    let Gauge { greatest, faults, .. } = gauge;
    let complete = summary.complete && !faults && space.store().is_whole().is_ok();
    let mut measured =
        Measured { complete, limit: summary.limit, states: None, transitions: None, greatest, is_quotient };
    if !complete {
        return measured;
    }
    if !is_quotient {
        (measured.states, measured.transitions) =
            (Some(summary.states.to_string()), Some(summary.transitions.to_string()));
        return measured;
    }
    let has_cut_ties = space.has_cut_ties();
    settle(plan.group.as_mut(), &mut plan.reductions, has_cut_ties);
    if plan.group.is_some_and(|group| group.exact) {
        let counted = || orbits(std::slice::from_mut(&mut space), plan.keeps_transitions);
        if let Some(found) = outer.or_afterwards(GRACE).run(counted).unwrap_or_default() {
            (measured.states, measured.transitions) = (Some(found.sum), found.transitions);
        }
    }
    measured
}

/// Takes the greatest values of the states that are stored.
struct Gauge<'q> {
    quantities: &'q [Quantity],
    enough: &'q [Option<i64>],
    greatest: Vec<i64>,
    state: Vec<i32>,
    /// Whether some quantity may be greater in any state to come.
    counts: bool,
    faults: bool,
}

impl<'m> Observer<Space<'m>> for Gauge<'_> {
    fn stored(&mut self, space: &Space<'m>, numbers: std::ops::Range<u32>) -> ControlFlow<()> {
        for number in numbers {
            space.unpack(number, &mut self.state);
            for (quantity, greatest) in self.quantities.iter().zip(&mut self.greatest) {
                let value = match quantity {
                    Quantity::Element => self.state.iter().copied().max().map_or(0, i64::from),
                    Quantity::Sum(None) => self.state.iter().map(|&value| i64::from(value)).sum(),
                    Quantity::Sum(Some(list)) => list.iter().map(|&element| i64::from(self.state[element])).sum(),
                };
                *greatest = value.max(*greatest);
            }
        }
        let reached = |(enough, greatest): (&Option<i64>, &i64)| enough.is_some_and(|enough| *greatest >= enough);
        if !self.counts && self.enough.iter().zip(&self.greatest).all(reached) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &Space<'m>, _: u32, expansion: &Expansion) -> ControlFlow<()> {
        if expansion.faults.is_empty() {
            return ControlFlow::Continue(());
        }
        self.faults = true;
        ControlFlow::Break(())
    }
}
