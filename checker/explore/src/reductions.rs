//! The reductions that a search may apply, and their description in its report.
//!
//! [`Reductions`] requests a reduction and [`Reduction`] reports it. The search itself applies the quotient by a
//! validated group, heap symmetry, and partial order; `stacking` has their order, and the combinations that are
//! refused.
//!
//! Soundness: a group is used only when it was validated for the model and for the properties of the question; the
//! maker of the space asserts it.

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
}

impl<G> Default for Reductions<'_, G> {
    fn default() -> Self {
        Reductions { quotient: None, heap_symmetry: false, partial_order: false, overflow_excluded: false }
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

/// The name of heap symmetry in reports.
pub const HEAP_SYMMETRY: &str = "heap-symmetry";

/// A reduction in a report: applied or not, with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// `slicing`, `symmetry`, `heap-symmetry`, `partial-order`.
    pub name: &'static str,
    /// Whether it was applied.
    pub applied: bool,
    /// The effect of the reduction, or the reason that it was not applied and the change that would allow it, in one
    /// line.
    pub detail: String,
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
    /// Whether the sum counts states up to renumbering and collecting created rebecs.
    pub up_to_renumbering: bool,
}
