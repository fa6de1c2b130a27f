//! The strategies of detection by name.

use std::fmt;

/// A way to propose symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Strategy {
    /// Inter-rebec symmetry: \[Jag10\] 3.2.
    KnownRebec,
    /// Intra-rebec symmetry, which contains inter-rebec symmetry: \[Jag10\] 3.3.
    ScalarSet,
    /// The communication graph of the static topology.
    ChannelDiagram,
    /// The coloured graph of the model's constraints: \[Zha13\] with corrections.
    Constraint,
}

impl Strategy {
    /// All of them, from the narrowest to the widest.
    pub const ALL: [Strategy; 4] =
        [Strategy::KnownRebec, Strategy::ScalarSet, Strategy::ChannelDiagram, Strategy::Constraint];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::KnownRebec => "known-rebec",
            Strategy::ScalarSet => "scalar-set",
            Strategy::ChannelDiagram => "channel-diagram",
            Strategy::Constraint => "constraint",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
