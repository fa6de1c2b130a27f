//! The reductions that a search may apply, and their description in its report.
//!
//! [`Reductions`] requests a reduction and [`Reduction`] reports it. The search itself applies the quotient by a
//! validated group, heap symmetry, and partial order; `stacking` has their order, and the combinations that are
//! refused.
//!
//! Soundness: a group is used only when it was validated for the model and for the properties of the question; the
//! maker of the space asserts it.

use engine::SparsePermutation;

/// The reductions that the search may apply. The default allows none.
#[derive(Debug)]
pub struct Reductions<'g, G> {
    /// One state per orbit of this group.
    pub quotient: Option<Quotient<'g, G>>,
    /// Identities of created rebecs, and created rebecs that no rebec can reach.
    pub heap_symmetry: bool,
    /// Orders of independent steps.
    pub partial_order: bool,
    /// Another proof shows that no queue overflows, so that no reduction needs to keep overflow.
    pub overflow_excluded: bool,
    /// The invariants that the group of the quotient moves: each is checked at images of the stored states.
    pub images: &'g [AtImages],
}

/// An invariant that is checked at images of each stored state under a group that does not keep it.
///
/// The group maps reachable states to reachable ones, so the invariant holds in all of them if and only if it holds in all images of
/// the stored ones. Elements that differ by a symmetry of the invariant ask the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtImages {
    /// The name of the invariant.
    pub property: String,
    /// Elements of the group, one for each coset of those that keep the invariant; the identity is the first.
    pub elements: Vec<SparsePermutation>,
    /// The same for states in which the order does not show in which the quantifiers of the invariant take their values; none where these are no fewer.
    pub in_any_order: Vec<SparsePermutation>,
}

impl<G> Default for Reductions<'_, G> {
    fn default() -> Self {
        Reductions { quotient: None, heap_symmetry: false, partial_order: false, overflow_excluded: false, images: &[] }
    }
}

impl<G> Clone for Reductions<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Reductions<'_, G> {}

/// The quotient by a group.
#[derive(Debug)]
pub struct Quotient<'g, G> {
    /// The group.
    pub group: &'g G,
    /// The method that chooses the representative of an orbit.
    pub representative: Representative,
    /// Whether the orbits of the stored states are counted by size after a search that finished.
    pub counts_orbits: bool,
}

impl<G> Clone for Quotient<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Quotient<'_, G> {}

/// The method that chooses the representative of an orbit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Representative {
    /// By the shape of the group; exact.
    #[default]
    Auto,
    /// The least image under all elements; exact.
    Enumerate,
    /// As `Auto`, but where many images cannot be distinguished only the first ones are followed: several
    /// representatives per orbit.
    Several,
    /// \[Jag10\] 5.1.1: several representatives per orbit.
    OnTheFly,
    /// \[Zha13\] V.B: several representatives per orbit.
    LocalSearch,
}

impl Representative {
    /// All of them.
    pub const ALL: [Representative; 5] = [
        Representative::Auto,
        Representative::Enumerate,
        Representative::Several,
        Representative::OnTheFly,
        Representative::LocalSearch,
    ];
}

/// A reduction that was considered, and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// The reduction.
    pub kind: ReductionKind,
    /// Its outcome.
    pub outcome: Outcome,
}

impl Reduction {
    /// A reduction that was not applied, with the reason.
    pub fn refused(kind: ReductionKind, refusal: Refusal) -> Reduction {
        Reduction { kind, outcome: Outcome::Refused(refusal) }
    }

    /// Whether it was applied.
    pub fn is_applied(&self) -> bool {
        match &self.outcome {
            Outcome::Structural(_) | Outcome::Sliced(_) | Outcome::Forgotten { .. } => true,
            Outcome::MovedStarts { .. } | Outcome::AtImages { .. } => true,
            Outcome::Quotient { .. } | Outcome::Renumbered { .. } => true,
            Outcome::NoOverflow | Outcome::HoldsOnAllRuns => true,
            Outcome::Servers { expansions, .. } | Outcome::Instances { expansions, .. } => *expansions > 0,
            Outcome::OverflowOpen | Outcome::Refused(_) => false,
        }
    }
}

/// The reductions, in the order of their stacking.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReductionKind {
    /// A smaller net is checked.
    Structural,
    /// A smaller model is checked.
    Slicing,
    /// Values of dead variables are forgotten.
    DeadValues,
    /// A model with further starts, which symmetries move, is checked.
    MovedStarts,
    /// Invariants that the group moves are checked at images.
    Images,
    /// One state per orbit.
    Symmetry,
    /// Created rebecs are renumbered and collected.
    HeapSymmetry,
    /// Independent steps in one order.
    PartialOrder,
    /// A proof that no queue overflows.
    QueueBounds,
    /// A formula is checked on all runs before it is checked on the fair ones.
    AllRuns,
}

impl ReductionKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ReductionKind::Structural => "structural",
            ReductionKind::Slicing => "slicing",
            ReductionKind::DeadValues => "dead-values",
            ReductionKind::MovedStarts => "moved-starts",
            ReductionKind::Images => "images",
            ReductionKind::Symmetry => "symmetry",
            ReductionKind::HeapSymmetry => "heap-symmetry",
            ReductionKind::PartialOrder => "partial-order",
            ReductionKind::QueueBounds => "queue-bounds",
            ReductionKind::AllRuns => "all-runs",
        }
    }
}

/// The effect of a reduction, or the reason why it has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A smaller net was checked.
    Structural(StructuralEffect),
    /// A slice was checked.
    Sliced(SliceEffect),
    /// Values that no step reads before it writes them were forgotten.
    Forgotten {
        /// The variables with their conditions, in the names of the text.
        values: Vec<String>,
        /// The searches that showed other values to be read.
        attempts: usize,
    },
    /// Images of the starts were starts, too.
    MovedStarts {
        /// The order of the group that maps starts to starts, decimal.
        fixed: String,
    },
    /// Invariants were checked at images of the stored states.
    AtImages {
        /// The order of the group that keeps all properties, decimal.
        kept: String,
        /// The number of invariants that the group moves.
        invariants: usize,
        /// The images of each state at which one of them or several are checked.
        images: usize,
    },
    /// Representatives were stored.
    Quotient {
        /// The order of the group, decimal.
        order: String,
        /// The order before the group was cut to the properties, decimal.
        model_order: String,
        /// The method that chooses representatives, by name.
        representative: String,
        /// Whether each orbit has one.
        is_exact: bool,
    },
    /// Created rebecs were numbered as they are reached.
    Renumbered {
        /// States whose unreachable rebecs have too many orders.
        inexact: u64,
    },
    /// Servers were expanded as singleton ample sets.
    Servers {
        /// Expansions by one rebec.
        expansions: u64,
        /// Kinds of messages that may be served as a singleton ample set.
        free: usize,
        /// Kinds of messages.
        kinds: usize,
        /// Whether refused sends are kept.
        keeps_overflow: bool,
    },
    /// States of a process were expanded by some of their steps.
    Instances {
        /// Expansions by some of the steps.
        expansions: u64,
        /// Instances of summands that may be among them.
        free: usize,
        /// Instances of summands.
        instances: usize,
    },
    /// The message flow proves that no queue overflows.
    NoOverflow,
    /// The message flow does not exclude overflow.
    OverflowOpen,
    /// The formula holds on all runs, and so on the fair ones.
    HoldsOnAllRuns,
    /// Not applied.
    Refused(Refusal),
}

/// The effect of structural reductions of a net.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StructuralEffect {
    /// How often each rule was applied.
    pub rules: StructuralRules,
    /// The size of the net.
    pub before: NetSize,
    /// The size of the smaller net.
    pub after: NetSize,
}

/// The size of a net.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NetSize {
    /// Places.
    pub places: usize,
    /// Transitions.
    pub transitions: usize,
}

/// How often each rule of structural reductions was applied.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StructuralRules {
    /// Constant places that were removed.
    pub constant: usize,
    /// Places that nothing needs.
    pub sinks: usize,
    /// Implied places.
    pub implied: usize,
    /// Transitions that are never enabled.
    pub dead: usize,
    /// Duplicate transitions.
    pub duplicates: usize,
    /// Transitions that cannot help to reach what is kept.
    pub irrelevant: usize,
    /// Places behind or before which transitions were agglomerated.
    pub agglomerated: usize,
}

impl StructuralRules {
    /// Whether any rule was applied.
    pub fn is_any(&self) -> bool {
        *self != StructuralRules::default()
    }
}

/// The effect of slicing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SliceEffect {
    /// The method, by name.
    pub method: &'static str,
    /// The things that were removed, counted by kind.
    pub removed: Vec<(&'static str, u64)>,
    /// The variables that may have any of their values.
    pub replaced: Vec<String>,
    /// Whether everything that may fault is kept, for fair runs.
    pub is_fair: bool,
    /// The refinement that led to the slice, if it was made step by step.
    pub refinement: Option<Refinement>,
}

/// A slice that was refined step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refinement {
    /// Rounds.
    pub rounds: u64,
    /// The variables that were kept in the end.
    pub kept: Vec<String>,
    /// The end of the refinement, where it is not an answer.
    pub ended: RefinementEnd,
}

/// The end of a refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefinementEnd {
    /// An answer.
    Answered,
    /// The static slice.
    Static,
    /// A limit.
    Limit,
}

/// The reason why a reduction was not applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Overflow is checked: a step that waits may be what fills a queue.
    OverflowRequested,
    /// Run-time faults are checked on a process.
    FaultsRequested,
    /// The orbits of all states are counted, and states would be left out.
    OrbitsCounted,
    /// A formula is an automaton, of which it is not known whether it distinguishes stuttering.
    Automaton(String),
    /// A formula quantifies over runs.
    Branching(String),
    /// A formula contains `X`.
    Next(String),
    /// No proof is known together with symmetry and weak fairness.
    FairQuotient,
    /// A step of others may disable a process, and weak fairness depends on when one is enabled.
    FairProcesses,
    /// A formula counts what holds inside of steps that consist of several summands.
    LongSteps(String),
    /// The order in which loops take values is watched in the states that are met, and states would be left out.
    OrderWatched,
    /// Invariants are checked at images of states, and visibility is not closed under them.
    AtImages,
    /// Runs of the language are searched whole.
    OfRuns,
    /// The model has too many kinds of messages.
    TooManyMessages,
    /// The model has too many instances of summands or rules.
    TooManyInstances,
    /// Finding out which steps depend on each other takes more than a third of the time.
    TooSlow,
    /// Every step is visible or may be part of a cycle.
    NothingFree,
    /// An orbit has several representatives.
    SeveralRepresentatives,
    /// The group changes kinds of faults, so that no execution could be found.
    FaultKindsChange,
    /// Weak fairness is not followed through renumbering.
    FairRenumbering,
    /// Weak fairness is followed with one choice of representatives only.
    FairRepresentative,
    /// Processes are known by numbers: no group says where it takes them.
    FairNumbers,
    /// Weak fairness is not followed through the quotient of a model with `new`.
    FairCreation,
    /// No proof is known together with partial order and weak fairness.
    FairPartialOrder,
    /// Some instance of a summand is too large to decide which process goes where.
    UnknownProcesses,
    /// The group has too many elements to enumerate them for each state.
    TooManyElements,
    /// The group acts on too many points, or not element by element.
    TooManyPoints,
    /// The heuristic reads the known rebecs of Rebeca models.
    NoKnownRebecs,
    /// The quotient has a run that violates the formula, which was searched for in the model itself.
    ViolatedInQuotient,
    /// A strategy, by name, finds no symmetry that fixes the question.
    NoSymmetry(&'static str),
    /// Detection ended without a group, for this reason.
    Undetected(String),
    /// The search that is continued was begun without it.
    BegunWithout,
    /// A plain search is faster, as measured: classes per second of the quotient, and states per second of the plain search.
    DoesNotPay {
        /// Classes per second.
        classes: u64,
        /// States per second.
        states: u64,
    },
    /// A formula is about runs, of which a smaller net keeps the reachable markings and whether they end only.
    AboutRuns(String),
    /// No rule makes the net smaller.
    NothingSmaller,
    /// The deadlock of the smaller net is too many steps before one of the net.
    DeadlockTooFar,
    /// Slicing does not preserve the question, for this reason.
    NotPreserved(String),
    /// The violation of a property on the slice was not found on the model.
    NotBroughtBack(String),
    /// A deadlock is a state all of whose steps stay, which a forgotten value may hide.
    StepsThatStay,
    /// Run-time faults, which show that a forgotten value is read, are not checked.
    FaultsExcluded,
    /// A property is about all states together.
    AllStates,
    /// The search is kept in a checkpoint.
    Saved,
    /// Forgetting values of dead variables makes states no fewer.
    NothingDead,
    /// The values that were forgotten in so many searches are read.
    NotDead(usize),
    /// A limit or a signal, in words, came first.
    Stopped(String),
}

/// The group of a finished search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupUsed {
    /// Its order, decimal.
    pub order: String,
    /// The order of the group before it was cut to the properties, decimal.
    pub model_order: String,
    /// The detector that proposed it.
    pub detector: String,
    /// The name of the method that chose representatives.
    pub representative: String,
    /// Whether each orbit has one representative.
    pub exact: bool,
    /// The orbits of the stored states, if they were requested, the search finished, and each orbit has one
    /// representative.
    pub orbits: Option<Orbits>,
    /// The group in the names of the model; empty until a caller that knows the names fills it in.
    pub names: GroupNames,
}

/// A group in the names of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GroupNames {
    /// The name of the group.
    pub structure: String,
    /// Its generators.
    pub generators: Vec<GeneratorNames>,
    /// The orbits of more than one element.
    pub orbits: Vec<Vec<String>>,
}

/// A generator in the names of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GeneratorNames {
    /// Its cycles.
    pub cycles: Vec<Vec<String>>,
    /// `process`, `data` or `mixed`.
    pub kind: &'static str,
    /// The published rules that find it too.
    pub rules: Vec<&'static str>,
}

/// Orbits by size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Orbits {
    /// Each size, decimal, with the number of orbits of that size; ascending.
    pub by_size: Vec<(String, u64)>,
    /// The sum of all sizes, decimal: the number of states without the quotient.
    pub sum: String,
    /// The number of transitions without the quotient, decimal, if states of an orbit have as many as each other.
    pub transitions: Option<String>,
    /// Whether the sum counts states up to renumbering and collecting created rebecs.
    pub up_to_renumbering: bool,
}
