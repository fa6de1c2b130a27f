//! The group of a model inside a check: looked for in a third of the time that is left, and in half of the memory, so that the search
//! has the rest. What was proved until then is used.
//!
//! Soundness: a group that was cut off is one of proved symmetries; it may be too small.

use symmetry::Strategy;

use crate::language::Language;

/// The group that a strategy finds and that fixes these properties.
///
/// # Errors
/// Why there is none, in one line.
pub(crate) fn group<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
) -> Result<L::Group, String> {
    let watch = limits::watch();
    let share = watch.share(1, 3).within(None, watch.max_memory().map(|most| most / 2));
    match share.run(|| model.group(properties, strategy)) {
        Ok(found) => found,
        Err(stopped) if stopped.is_share => {
            Err(format!("{stopped}; its share was used up before a symmetry was proved"))
        }
        Err(stopped) => Err(format!("{stopped}, before the symmetries were found")),
    }
}
