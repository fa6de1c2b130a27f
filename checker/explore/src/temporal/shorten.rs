//! Shorter runs: what a run does between two visits of one state may be left out, if it still violates the formula.
//!
//! A lasso of the product visits a state of the model once for each state of the automaton, and pays one debt after the other. The parts
//! between equal states are tried from the longest on: inside the stem, inside the cycle, and from the stem into the cycle, which
//! then begins earlier.
//!
//! Soundness: every candidate is a run of the stored states; the caller replays and judges it as any other.

use rustc_hash::FxHashMap;

use super::runs::Lasso;

/// The runs without one part, the shortest first, at most so many.
pub(super) fn shorter(lasso: &Lasso, most: usize) -> Vec<Lasso> {
    let last = lasso.states.len() - 1;
    let has_cycle = lasso.cycle_from < last;
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut visits: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (to, &state) in lasso.states.iter().enumerate() {
        let before = visits.entry(state).or_default();
        for &from in before.iter() {
            limits::work(1);
            let is_whole_cycle = has_cycle && from <= lasso.cycle_from && to == last;
            if !is_whole_cycle {
                parts.push((from, to));
            }
        }
        before.push(to);
    }
    // What is left out; from the stem into the cycle that is the way to the cycle only.
    let gain = |&(from, to): &(usize, usize)| {
        if from < lasso.cycle_from && to > lasso.cycle_from { lasso.cycle_from - from } else { to - from }
    };
    parts.sort_by_key(|part| std::cmp::Reverse(gain(part)));
    parts.truncate(most);
    parts.into_iter().map(|(from, to)| without(lasso, from, to)).collect()
}

/// A run without the part between two visits of one state.
fn without(Lasso { states, movers, inside, cycle_from }: &Lasso, from: usize, to: usize) -> Lasso {
    let (last, cycle_from) = (states.len() - 1, *cycle_from);
    let mut lasso = Lasso {
        states: states[..=from].to_vec(),
        movers: movers[..from].to_vec(),
        inside: inside[..from].to_vec(),
        cycle_from,
    };
    lasso.states.extend_from_slice(&states[to + 1..]);
    lasso.movers.extend_from_slice(&movers[to..]);
    lasso.inside.extend_from_slice(&inside[to..]);
    if to <= cycle_from {
        lasso.cycle_from -= to - from;
    } else if from < cycle_from {
        // The cycle begins where the stem is left: around from there.
        lasso.states.extend_from_slice(&states[cycle_from + 1..=to]);
        lasso.movers.extend_from_slice(&movers[cycle_from..to]);
        lasso.inside.extend_from_slice(&inside[cycle_from..to]);
        lasso.cycle_from = from;
    }
    debug_assert!(last == cycle_from || lasso.states.last() == lasso.states.get(lasso.cycle_from), "the run is closed");
    lasso
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of states that are walked one after the other; a mover is twice its source and its target.
    fn run(states: &[u32], cycle_from: usize) -> Lasso {
        let movers: Vec<u32> = states.windows(2).map(|pair| 100 * pair[0] + pair[1]).collect();
        let inside = movers.iter().map(|&mover| mover.into()).collect();
        Lasso { states: states.to_vec(), movers, inside, cycle_from }
    }

    #[test]
    fn parts_between_equal_states_are_left_out() {
        let found = shorter(&run(&[0, 1, 0, 2, 3], 4), 9);
        assert_eq!(found, [run(&[0, 2, 3], 2)]);
        // The cycle 2 3 4 3 2 without 4, and the cycle from 3.
        let found = shorter(&run(&[0, 3, 2, 3, 4, 3, 2], 2), 9);
        assert!(found.contains(&run(&[0, 3, 2, 3, 2], 2)), "{found:?}");
        assert!(found.contains(&run(&[0, 3, 4, 3, 2, 3], 1)), "{found:?}");
        assert!(found.contains(&run(&[0, 3, 2, 3, 4, 3], 1)), "{found:?}");
        assert!(shorter(&run(&[0, 1, 2, 1], 1), 9).is_empty(), "a cycle is needed");
        assert!(shorter(&run(&[0, 1, 1], 2), 9) == [run(&[0, 1], 1)], "a step that stays before the end");
    }

    #[test]
    fn all_candidates_are_runs() {
        let mut state = 1u64;
        let mut random = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for _ in 0..2_000 {
            let mut states: Vec<u32> = (0..2 + random(9)).map(|_| u32::try_from(random(5)).expect("small")).collect();
            let cycle_from = random(states.len());
            if cycle_from + 1 < states.len() {
                let last = states.len() - 1;
                states[last] = states[cycle_from];
            }
            let lasso = run(&states, cycle_from);
            for candidate in shorter(&lasso, 1_000) {
                assert_eq!(candidate, run(&candidate.states, candidate.cycle_from), "{lasso:?}");
                assert_eq!(candidate.states[0], lasso.states[0]);
                assert!(candidate.states.len() < lasso.states.len(), "{lasso:?} {candidate:?}");
                let ends = candidate.cycle_from + 1 == candidate.states.len();
                assert_eq!(ends, cycle_from + 1 == states.len(), "{lasso:?} {candidate:?}");
                assert!(ends || candidate.states.last() == candidate.states.get(candidate.cycle_from));
                let steps: Vec<&u32> = lasso.movers.iter().collect();
                assert!(candidate.movers.iter().all(|mover| steps.contains(&mover)), "{lasso:?} {candidate:?}");
            }
        }
    }
}
