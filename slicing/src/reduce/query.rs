//! The question to a slice, the methods, and the method that answers each question.
//!
//! Soundness: each refusal is a row of `docs/soundness.md`. A queue overflow depends on every message, so no slice
//! preserves it. Removing a rebec that runs for ever turns an infinite run into one that ends, so formulas that are not
//! safety formulas are refused, unless runs are weakly fair (see [`keeps_liveness`]). Replacing values by choices may
//! make a server endless that was not, which would hide successors; so models with loops are not abstracted.

use frontend::model::{Formula, Property, PropertyKind, PropertySet};
use frontend::source::Span;

/// The question that the slice must preserve.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Query {
    /// The properties.
    pub properties: PropertySet,
    /// Deadlock.
    pub deadlock: bool,
    /// Queue overflow, unless it was proved that none can happen.
    pub overflow: bool,
    /// Failed `assertion(..)`.
    pub assertions: bool,
    /// Every other fault.
    pub faults: bool,
    /// Formulas are checked on weakly fair runs, and it is proved that no queue overflows.
    pub fair: bool,
}

frontend::named! {
    /// The method of slicing.
    pub enum Method {
        /// Keeps everything that the properties, assertions and faults of the question depend on. \[Sab10\] 5.1
        Static = "static",
        /// Keeps everything that deadlock and the rest of the question depend on. \[Sab10\] 5.2
        Deadlock = "deadlock",
        /// Static, with assignments to named variables replaced by choices. \[Sab10\] 5.4
        Bounded = "bounded",
        /// Bounded by all variables that no property names, refined until the answer is right. \[Sab10\] 5.3
        StepWise = "step-wise",
    }
}

/// The reason why a method does not answer the question, and an alternative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The reason.
    pub reason: String,
    /// The way out.
    pub alternative: Alternative,
    /// The place of what the reason is about, if it has one.
    pub place: Option<TextPlace>,
}

/// A place in one of the texts of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextPlace {
    /// In the text of the model.
    Model(Span),
    /// In the text that has the properties.
    Properties(Span),
}

/// A question or a method that is answered instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alternative {
    /// The same without slicing.
    Unsliced,
    /// The same without overflow, or one property.
    WithoutOverflow,
    /// The same without deadlock.
    WithoutDeadlock,
    /// The deadlock method, or the same without deadlock.
    DeadlockMethod,
    /// Static slicing.
    StaticMethod,
    /// A property, or deadlock.
    SomeQuestion,
}

impl Refused {
    /// A reason that is about no place.
    pub fn new(reason: impl Into<String>, alternative: Alternative) -> Refused {
        Refused { reason: reason.into(), alternative, place: None }
    }

    /// A formula whose violations need not show on finite runs.
    pub(crate) fn unsafe_formula<A>(property: &Property<A>) -> Refused {
        let reason =
            format!("`{}` is not a safety property without X: what is removed may run for ever", property.name);
        Refused::new(reason, Alternative::Unsliced).at(TextPlace::Properties(property.span))
    }

    /// The same with a place, if that is one.
    pub(crate) fn at(self, place: TextPlace) -> Refused {
        let (TextPlace::Model(span) | TextPlace::Properties(span)) = place;
        Refused { place: (!span.is_none()).then_some(place), ..self }
    }
}

/// The method that answers the question: the wanted one, or the one that `auto` takes.
///
/// # Errors
/// The part of the question that is not preserved.
pub fn applicable(query: &Query, wanted: Option<Method>) -> Result<Method, Refused> {
    if query.overflow {
        let reason = "overflow is checked, and a slice has fewer messages";
        return Err(Refused::new(reason, Alternative::WithoutOverflow));
    }
    let kept = |kind: &PropertyKind| is_safe(kind) || (wanted == Some(Method::Static) && keeps_liveness(query, kind));
    if let Some(property) = query.properties.properties.iter().find(|property| !kept(&property.kind)) {
        return Err(Refused::unsafe_formula(property));
    }
    if query.deadlock && matches!(wanted, Some(Method::Static | Method::Bounded | Method::StepWise)) {
        let reason = "deadlock is checked, and what is removed may keep the model alive";
        return Err(Refused::new(reason, Alternative::DeadlockMethod));
    }
    if !query.deadlock && !query.assertions && !query.faults && query.properties.properties.is_empty() {
        return Err(Refused::new("the question has no criterion for a slice", Alternative::SomeQuestion));
    }
    Ok(wanted.unwrap_or(if query.deadlock { Method::Deadlock } else { Method::Static }))
}

/// Whether the exact slice preserves that a formula holds of every weakly fair run.
///
/// Take a run of the model and drop the steps of removed rebecs and statements. The rest is a run of the slice that
/// shows the same up to stuttering: each step of a part that stays is a step of the slice, and no other step changes
/// such a part. The rest is weakly fair: a rebec that has messages of the slice from some state onwards has messages in
/// the model, so it is served again and again; and as queues are first in first out and bounded, messages of the slice
/// reach their head again and again. If only finitely many steps stay, the same argument leaves no message of the slice
/// at the end, so the slice has come to its end as well, and its last state repeats. A run of the model that ends in a
/// fault ends in the slice too, as everything that may fault is kept and no queue overflows. So the slice has a run
/// that violates the formula if the model has one.
fn keeps_liveness(query: &Query, kind: &PropertyKind) -> bool {
    let all_faults = query.assertions && query.faults && !query.overflow;
    query.fair
        && all_faults
        && matches!(kind, PropertyKind::Ltl(formula) if !formula.has_next() && !formula.is_branching())
}

/// Whether every violation of a property shows on a finite run and does not depend on how often a state repeats.
pub fn is_safe<A>(kind: &PropertyKind<A>) -> bool {
    match kind {
        PropertyKind::Invariant(_) | PropertyKind::End(_) => true,
        PropertyKind::Ltl(formula) => safe(formula, true),
    }
}

/// Whether the formula, or its negation, is built from atoms by `&& || G W R`.
fn safe<A>(formula: &Formula<A>, positive: bool) -> bool {
    match formula {
        Formula::Atom(_) => true,
        Formula::Next(_) | Formula::Accepted(..) | Formula::Quantified(..) => false,
        Formula::Not(inner) => safe(inner, !positive),
        Formula::Globally(inner) => positive && safe(inner, positive),
        Formula::Finally(inner) => !positive && safe(inner, positive),
        Formula::Until(left, right) => !positive && safe(left, positive) && safe(right, positive),
        Formula::WeakUntil(left, right) | Formula::Release(left, right) => {
            positive && safe(left, positive) && safe(right, positive)
        }
        Formula::Implies(left, right) => safe(left, !positive) && safe(right, positive),
        Formula::And(operands) | Formula::Or(operands) => operands.iter().all(|operand| safe(operand, positive)),
    }
}
