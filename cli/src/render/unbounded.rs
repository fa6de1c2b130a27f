//! Variables that grow in each of the last levels of a search, in words.

use crate::paint::count;

/// What grows, and a way out.
pub(crate) fn text(name: &str, ends: [i64; 2], levels: u64) -> String {
    let [from, to] = ends;
    let verb = if from < to { "grows" } else { "falls" };
    let levels = count(levels);
    format!(
        "{name} {verb} in each of the last {levels} levels, from {from} to {to}: the states may have no end; bound it in the model, or leave it out"
    )
}
