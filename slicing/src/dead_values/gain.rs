//! Which of the values that are dead are worth forgetting: those without which a sample has more states.
//!
//! The steps of the sample are followed with the cells that are forgotten on the way. `undefined` is one more value of a cell, so where
//! a value is forgotten on one way to a state and kept on another one there are two states, and there may be more of them than
//! before.

use frontend::murphi::interpret::{Cells, State};
use rustc_hash::FxHashSet;

use super::learn::Row;
use super::sample::Sample;

/// The most states with forgotten cells, for each state of the sample.
const MOST_TWINS: usize = 4;

/// The rows that are needed for the fewest states of a sample; none if there would not be fewer.
pub(super) fn chosen(sample: &Sample<'_>, rows: Vec<Row>) -> Vec<Row> {
    let (mut kept, whole) = (rows, states(sample, &[]));
    let mut fewest = states(sample, &kept);
    for number in (0..kept.len()).rev() {
        let mut less = kept.clone();
        less.remove(number);
        let count = states(sample, &less);
        if count <= fewest {
            (kept, fewest) = (less, count);
        }
    }
    if fewest < whole { kept } else { Vec::new() }
}

/// The number of states of a sample in which rows are forgotten.
fn states(sample: &Sample<'_>, rows: &[Row]) -> usize {
    let forgotten: Vec<Cells> = sample.states().iter().map(|state| cells(state, rows)).collect();
    let mut known: FxHashSet<(usize, Cells)> = FxHashSet::default();
    let mut waiting: Vec<(usize, Cells)> =
        sample.starts().iter().map(|&start| (start, forgotten[start].clone())).collect();
    while let Some((number, mask)) = waiting.pop() {
        if !known.insert((number, mask.clone())) {
            continue;
        }
        limits::work(1);
        if known.len() > MOST_TWINS * forgotten.len() {
            return usize::MAX;
        }
        for (to, writes) in sample.steps(number) {
            let mut next = forgotten[*to].clone();
            next.add_without(&mask, writes);
            waiting.push((*to, next));
        }
    }
    let forget = |(number, mask): &(usize, Cells)| -> State {
        let cells = sample.states()[*number].iter().enumerate();
        cells.map(|(at, cell)| cell.filter(|_| !mask.contains(at))).collect()
    };
    known.iter().map(forget).collect::<FxHashSet<State>>().len()
}

/// The cells that rows forget in a state.
fn cells(state: &State, rows: &[Row]) -> Cells {
    let mut found = Cells::none(state.len());
    for row in rows {
        row.part.each(&mut |cell, at| {
            if row.is_dead(state, at) {
                found.insert(cell);
            }
        });
    }
    found
}
