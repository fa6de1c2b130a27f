//! The obstacles to a larger group: answers about single permutations, and symmetries that few places of the text break.

use frontend::source::Span;

/// Cycles of names, as groups are printed.
pub type Cycles = Vec<Vec<String>>;

/// A place in the text of the model, and what it does to a permutation.
#[derive(Clone, Debug)]
pub struct Place {
    /// The place.
    pub span: Span,
    /// The reason.
    pub reason: String,
}

/// Permutations that would be symmetries but for some places.
#[derive(Clone, Debug)]
pub struct NearSymmetry {
    /// The permutations, such as `S3 on CELL`.
    pub permutations: String,
    /// The places, in the order of the text; at least one.
    pub broken_by: Vec<Place>,
}

/// Symmetries of all members of a family of models: one text, and every value of its constants.
#[derive(Clone, Debug)]
pub struct Family {
    /// The constants.
    pub constants: Vec<String>,
    /// The sorts of which all permutations are symmetries.
    pub sorts: Vec<String>,
}

/// The answer to the question whether a permutation is a symmetry.
#[derive(Clone, Debug)]
pub struct Why {
    /// The permutation.
    pub cycles: Cycles,
    /// The answer.
    pub answer: Answer,
}

/// Whether a permutation is a symmetry.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It is; the proof.
    Symmetry(ProvedBy),
    /// It is not, or no proof was found.
    Not {
        /// Whether it was neither proved nor refuted.
        is_open: bool,
        /// The places that break it, in the order of the text; empty where no place of the text shows the reason.
        broken_by: Vec<Place>,
        /// The reason of the validator.
        witness: Option<String>,
    },
}

frontend::named! {
    /// The proof of a symmetry.
    pub enum ProvedBy {
        /// The text, for every state at once.
        Text = "text",
        /// The instances of summands, or the behaviour of servers.
        Tables = "tables",
    }
}

/// Reads cycles of names such as `(AG 1, AG 2)(x[0], x[1])`.
///
/// # Errors
/// The expected form.
pub fn cycles(text: &str) -> Result<Cycles, String> {
    let expected = || "expected cycles of names, such as `(AG 1, AG 2)` or `(phil0, phil1, phil2)`".to_owned();
    let mut cycles = Cycles::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (inner, after) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(expected)?;
        let names: Vec<String> = inner.split(',').map(|name| name.trim().to_owned()).collect();
        if names.len() < 2 || names.iter().any(|name| name.is_empty() || name.contains('(')) {
            return Err(expected());
        }
        cycles.push(names);
        rest = after.trim_start();
    }
    if cycles.is_empty() { Err(expected()) } else { Ok(cycles) }
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn cycles_are_lists_of_names() {
        let read = cycles(" (AG 1, AG 2) (x[1][0],x[0][1] , y=2)").expect("two cycles");
        assert_eq!(read, [vec!["AG 1", "AG 2"], vec!["x[1][0]", "x[0][1]", "y=2"]]);
        for text in ["", "()", "(a)", "(a, b", "a, b", "(a,,b)", "(a, (b)", "(a, b)x"] {
            assert!(cycles(text).is_err(), "{text}");
        }
    }
}
