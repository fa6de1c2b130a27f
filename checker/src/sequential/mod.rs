//! Processes in sequential form, checked: compiled summands on packed states.
//!
//! Expressions are compiled once (`compile`, `code`), with the parameters of ground instances inserted (`ground`) and
//! intervals of values (`interval`); a `program` shares the first conjuncts of guards and runs on the unpacked values of
//! one state. Only the reference interpreter says what a fault is, and every counterexample is its execution.
//!
//! Soundness: exact. Everything here gives what `frontend::sequential::interpret` gives, state by state and step by step,
//! in its order.

mod ahead;
mod body;
mod clusters;
mod code;
mod compile;
mod gather;
mod graph;
mod ground;
mod interval;
mod known;
mod machine;
mod memo;
mod packing;
mod program;
mod reads;
mod runs;
mod select;
mod sharded;
mod space;
mod symmetry;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twins;
mod watched;

pub use graph::{Edge, Explored, explore_graph};

use frontend::model::Automaton;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, Formula, Property, Sequential};

use ::symmetry::sequential::ValidatedGroup;

use self::space::Space;
use crate::question::{Fairness, Question};
use crate::reductions::{Quotient, Reductions, Representative};
use crate::report::{Control, InternalError, Report};
use crate::search::Sharded;
use crate::stacking::{UNFAIR, refused_for_processes};
use crate::temporal::Runs as _;
use crate::told::Told;

/// Answers a question about a verified process. The properties asked are those of the question, not those of the process;
/// queues and `assertion(..)` do not exist here and are not answered.
///
/// # Errors
/// A counterexample that the reference semantics does not confirm: a fault of the checker.
pub fn check(
    model: &Sequential,
    question: &Question<Vec<Property>>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    check_reduced(model, question, Reductions::default(), control)
}

/// As [`check`], leaving out what the reductions allow.
///
/// # Errors
/// As there.
pub fn check_reduced(
    model: &Sequential,
    question: &Question<Vec<Property>>,
    reductions: Reductions<'_, ValidatedGroup>,
    control: &mut dyn Control,
) -> Result<Report<Trace>, InternalError> {
    let limits = &question.limits;
    let plain = || Space::new(model, limits.max_states, limits.max_memory);
    let mut space = plain();
    let told = reduce(&mut space, question, &reductions);
    let of_formula = || {
        let mut space = plain();
        let is_fair = question.fairness == Fairness::Weak && space.has_processes();
        let unfair = Some(UNFAIR).filter(|_| is_fair && reductions.quotient.is_some());
        let told = match unfair {
            Some(reason) => {
                let mut told = Told::refused(reason);
                told.reductions.append(&mut refused_for_processes(&reductions));
                told
            }
            None => reduce(&mut space, question, &reductions),
        };
        (space, told)
    };
    crate::check::run(|| space, (of_formula, plain), question, told, control)
}

/// The states of a process, at most so many.
pub(crate) fn space(model: &Sequential, most: u64) -> impl Sharded {
    Space::new(model, Some(most), None)
}

/// The automaton of the runs that violate a formula, and the conditions that its propositions stand for; nothing if it would be
/// too large.
pub fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
    crate::temporal::violating::<Space<'_>>(formula)
}

/// Makes a space leave out what the reductions allow; what is told of it.
fn reduce(
    space: &mut Space<'_>,
    question: &Question<Vec<Property>>,
    reductions: &Reductions<'_, ValidatedGroup>,
) -> Told {
    let mut told = Told::default();
    if let Some(Quotient { group, representative, counts_orbits }) = reductions.quotient {
        assert!(group.is_for(space.model, &question.properties), "the group was validated for something else");
        told = if representative == Representative::OnTheFly {
            Told::refused("on-the-fly reads the known rebecs of Rebeca models; the model is a sequential process")
        } else {
            let is_used = space.reduce(group, representative);
            Told::quotient((group.group(), group.model_order()), representative, is_used)
        };
        told.counts_orbits = counts_orbits;
    }
    told.reductions.append(&mut refused_for_processes(reductions));
    told
}
