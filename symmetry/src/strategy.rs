//! The strategies of detection by name.

use std::fmt;

frontend::named! {
    /// A way to propose symmetries.
    pub enum Strategy {
        /// Inter-rebec symmetry: \[Jag10\] 3.2.
        KnownRebec = "known-rebec",
        /// Intra-rebec symmetry, which contains inter-rebec symmetry: \[Jag10\] 3.3.
        ScalarSet = "scalar-set",
        /// The communication graph of the static topology.
        ChannelDiagram = "channel-diagram",
        /// The coloured graph of the model's constraints: \[Zha13\] with corrections.
        Constraint = "constraint",
    }
}

impl Strategy {
    /// All of them, from the narrowest to the widest.
    pub const ALL: [Strategy; 4] =
        [Strategy::KnownRebec, Strategy::ScalarSet, Strategy::ChannelDiagram, Strategy::Constraint];
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
