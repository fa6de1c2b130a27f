//! The kind of a symmetry, and the published rules that find it.

use frontend::model::Model;

use crate::permutation::ModelPermutation;
use crate::topology;

frontend::named! {
    /// The objects that a permutation moves.
    pub enum Kind {
        /// Rebecs only.
        Process = "process",
        /// Values and positions within rebecs only.
        Data = "data",
        /// Both.
        Mixed = "mixed",
    }
}

frontend::named! {
    /// A published rule.
    pub enum Rule {
        /// \[Jag10\] 3.2: ordered known rebecs.
        InterRebec = "inter-rebec",
        /// \[Jag10\] 3.3: known rebecs up to one rotation per cluster.
        IntraRebec = "intra-rebec",
        /// Static channel diagrams: the relation of rebecs to their known rebecs.
        ChannelDiagram = "channel-diagram",
    }
}

/// The kind of a permutation; the identity counts as moving rebecs.
pub fn kind(permutation: &ModelPermutation) -> Kind {
    match (permutation.moves_rebecs(), permutation.moves_data()) {
        (_, false) => Kind::Process,
        (false, true) => Kind::Data,
        (true, true) => Kind::Mixed,
    }
}

/// The rules whose detectors propose a permutation of the model, ascending.
pub fn rules(model: &Model, permutation: &ModelPermutation) -> Vec<Rule> {
    if !permutation.is_rotation() {
        return Vec::new();
    }
    let kept = topology::moved_known(model, permutation).next().is_none()
        && topology::moved_arguments(model, permutation).next().is_none();
    let found = [
        (Rule::InterRebec, kept && !permutation.rotates()),
        (Rule::IntraRebec, kept),
        (Rule::ChannelDiagram, permutation.moves_rebecs() && topology::keeps_channels(model, permutation)),
    ];
    found.into_iter().filter_map(|(rule, applies)| applies.then_some(rule)).collect()
}
