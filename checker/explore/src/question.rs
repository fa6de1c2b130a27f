//! The question about a model, and the bounds of its search.

use crate::report::QueryKind;

/// A question, with properties in the language of the model.
#[derive(Clone, Debug)]
pub struct Question<P, B = ()> {
    /// Report states in which no step is possible: no rebec has a message, no summand is enabled.
    pub deadlock: bool,
    /// Only states without any step are deadlocks, in a language that also counts those all of whose steps stay.
    pub stuck: bool,
    /// Report queue overflow; sequential processes have no queues.
    pub overflow: bool,
    /// Report failed `assertion(..)`.
    pub assertions: bool,
    /// Report every other run-time fault.
    pub faults: bool,
    /// The invariants and formulas of the question.
    pub properties: P,
    /// All properties of the question that this one is a part of, if there is one: what a report says of all verdicts is so of theirs.
    pub whole: P,
    /// Explore everything instead of stopping at the first violation.
    pub keep_going: bool,
    /// Where the search goes on behind violations, it ends when each part of the question has one.
    pub until_decided: bool,
    /// The assumption about infinite runs; only formulas depend on it.
    pub fairness: Fairness,
    /// The search for violating runs.
    pub emptiness: Emptiness,
    /// The order of exploration.
    pub order: SearchOrder,
    /// Whether answers to formulas of branching time have the runs that show them.
    pub explains: bool,
    /// The number of threads that a breadth-first search may use; its findings do not depend on it.
    pub threads: Threads,
    /// Bounds on the search.
    pub limits: Limits,
    /// Bounds on each step, in the terms of the language.
    pub bounds: B,
}

impl<P: Default, B: Default> Default for Question<P, B> {
    fn default() -> Question<P, B> {
        Question {
            deadlock: true,
            stuck: false,
            overflow: true,
            assertions: true,
            faults: true,
            properties: P::default(),
            whole: P::default(),
            keep_going: false,
            until_decided: false,
            fairness: Fairness::default(),
            emptiness: Emptiness::default(),
            order: SearchOrder::BreadthFirst,
            explains: true,
            threads: Threads::default(),
            limits: Limits::default(),
            bounds: B::default(),
        }
    }
}

impl<P, B: Copy> Question<P, B> {
    /// The question without its properties.
    pub fn clone_without_properties<Q: Default>(&self) -> Question<Q, B> {
        Question {
            deadlock: self.deadlock,
            stuck: self.stuck,
            overflow: self.overflow,
            assertions: self.assertions,
            faults: self.faults,
            properties: Q::default(),
            whole: Q::default(),
            keep_going: self.keep_going,
            until_decided: self.until_decided,
            fairness: self.fairness,
            emptiness: self.emptiness,
            order: self.order,
            explains: self.explains,
            threads: self.threads,
            limits: self.limits,
            bounds: self.bounds,
        }
    }

    /// Whether the question contains a built-in check.
    pub fn includes(&self, kind: QueryKind) -> bool {
        match kind {
            QueryKind::Deadlock => self.deadlock,
            QueryKind::Overflow => self.overflow,
            QueryKind::Error => self.faults,
            QueryKind::Assertion => self.assertions,
            QueryKind::Invariant | QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery => false,
        }
    }
}

/// The assumption about infinite runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fairness {
    /// No assumption.
    None,
    /// A process that can move from some state on for ever moves infinitely often: rebecs, and the processes of a
    /// sequential model that declares them.
    #[default]
    Weak,
}

/// The search for violating runs of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Emptiness {
    /// By strongly connected components.
    #[default]
    Components,
    /// By nested depth-first search; under an assumption of fairness, by components all the same.
    Nested,
}

/// The order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchOrder {
    /// Level by level: counterexamples are shortest.
    BreadthFirst,
    /// Along one path first.
    DepthFirst,
}

/// The number of threads that a search may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// At most so many workers; with one the search stays on the thread of the caller.
    pub most: u32,
    /// States that must wait to be expanded before the search is shared among workers: it does not pay for fewer.
    pub from: u32,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads { most: 1, from: 1 << 12 }
    }
}

/// Bounds on the search in addition to those of the watch of the thread, which has the clock; `None` is unbounded. A bound that ends the search makes the verdict inconclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// States stored.
    pub max_states: Option<u64>,
    /// Steps from an initial state.
    pub max_depth: Option<u64>,
    /// Bytes of memory of the search.
    pub max_memory: Option<u64>,
}
