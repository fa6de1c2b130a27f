//! Actors in sequential form: [`from_actors`] turns a Rebeca model into a process with the same state space.
//!
//! `layout` decides the places of all values, `bodies` translates message servers. The initial states are those of the
//! reference interpreter: constructors run here, before the process begins. Properties become `prop`, `assert` and
//! `ltl` lines over the same variables (`claims`). The weak fairness of rebecs is that of the sort of their class, declared `fair`, if rebecs
//! of one class only have steps; the language has no words for any other, which a notice says of formulas.
//!
//! # Invariants
//!
//! The states of the model and of the process correspond one to one, step by step: the same states are reachable, and
//! the same states are deadlocks. A step that faults in one faults in the other, at the same depth. The process is
//! [verified](super::verify). A model that has no sequential form is refused with a diagnostic.
//!
//! # Soundness
//!
//! Tested on every fixture and on random models against the reference interpreter of actors. Three things differ.
//! Distinct choices that lead to one state are one transition of the model and several of the process. The same holds
//! for the instances for a choice that is not reached, if the guard cannot decide this (see `bodies`). A server that
//! may run without end on some branch has no successors at all in the model, while the process keeps the successors of
//! its other branches. The counts of statements that bound a run differ as well.
//!
//! # Not done
//!
//! `new`, methods that call themselves, choices inside loops with an unknown number of rounds, and starts that fault.
//!
//! Source: \[Zha13\] III-A for the form; the encoding of queues is ours.

mod bodies;
pub(crate) mod build;
mod claims;
mod expressions;
mod finish;
mod layout;
pub(crate) mod names;
pub(crate) mod starts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::bodies::{Refused, summand};
use self::layout::Layout;
use super::verify::{BOUNDS, verify};
use super::{Formula, PropertyKind, Sequential, Summand, VariableId};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::model::{ClassId, Model, PropertySet, ServerId};
use crate::source::Span;

/// The sequential form of a verified model with these properties. `None`, and an error, if it has none.
///
/// # Panics
/// If the model is not verified, or the result is not well formed: a fault of this module.
pub fn from_actors(model: &Model, properties: &PropertySet, sink: &mut Diagnostics) -> Option<Sequential> {
    let mut refuse = |what: &str, span: Span| {
        let message = format!("the sequential form has no counterpart of {what}");
        sink.push(Diagnostic::error(codes::LPE_NO_FORM, span, message));
    };
    if let Some(class) = model.creatable.first() {
        refuse("`new`", model.class(*class).span);
        return None;
    }
    if let Some(set) = model.scalar_sets.iter().find(|set| set.low == i32::MIN) {
        refuse("a scalar set with the least integer, below which no value stands for none", set.span);
        return None;
    }
    let mut layout = Layout::new(model);
    let queues = layout.classes.iter().flatten().filter_map(|class| class.queue.as_ref());
    let slots: BTreeSet<VariableId> = queues.flat_map(|queue| queue.arrays.iter().map(|&(array, _)| array)).collect();
    let mut fine = true;
    for index in 0..model.classes.len() {
        let class = ClassId::from_index(index);
        if layout.classes[index].is_none() {
            continue;
        }
        for server in 0..model.class(class).servers.len() {
            match summand(&mut layout, class, ServerId::from_index(server)) {
                Ok((summand, locals)) => finish::push(&mut layout.out, summand, &locals, &slots),
                Err(Refused { what, span }) => {
                    refuse(what, span);
                    fine = false;
                }
            }
        }
    }
    if layout.out.summands.is_empty() && fine {
        layout.out.summands.push(Summand::never_enabled("nothing", Span::NONE));
    }
    if let Err(what) = starts::starts(&mut layout) {
        refuse(&what, Span::NONE);
        fine = false;
    }
    if let Err((what, span)) = claims::claims(&mut layout, properties) {
        refuse(what, span);
        fine = false;
    }
    if !fine {
        return None;
    }
    let unfair = assume_fairness(&mut layout.out);
    let broken = verify(&layout.out);
    if let Some(broken) = broken.first() {
        assert!(BOUNDS.contains(&broken.rule), "the sequential form is not well formed: {broken:?}");
        refuse(&format!("a model of this size ({})", broken.what), Span::NONE);
        return None;
    }
    for name in unfair {
        let message =
            format!("the process does not say that rebecs are weakly fair, and the formula `{name}` may need it");
        let help = "`fair` names one sort, and rebecs of several classes have steps";
        sink.push(Diagnostic::notice(codes::LPE_NO_FAIRNESS, Span::NONE, message).help(help));
    }
    Some(layout.out)
}

/// Declares the rebecs as processes of weak fairness where all that have steps are values of one sort. Where they are not, nothing is assumed:
/// the names of the formulas that may need it.
fn assume_fairness(process: &mut Sequential) -> Vec<String> {
    let owner = |summand: &Summand| summand.parameters.first().map(|parameter| parameter.sort);
    let mut owners = process.summands.iter().filter_map(owner);
    let first = owners.next();
    if owners.all(|other| Some(other) == first) {
        process.fair = first;
        return Vec::new();
    }
    // Formulas of branching time assume nothing of the model either, and a condition is about the start only.
    let needs_runs = |formula: &Formula| !formula.is_branching() && !matches!(formula, Formula::Atom(_));
    let list = process.properties.iter();
    let list = list.filter(|one| matches!(&one.kind, PropertyKind::Ltl(formula) if needs_runs(formula)));
    list.map(|property| property.name.clone()).collect()
}
