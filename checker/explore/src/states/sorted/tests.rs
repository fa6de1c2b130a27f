//! Runs on the disk against a set of states.

use std::collections::BTreeSet;

use super::super::hash::{Constant, Folded};
use super::*;

/// Files in memory.
#[derive(Debug)]
struct Files;

#[derive(Debug, Default)]
pub(crate) struct Bytes(Vec<u8>);

impl Spilling for Files {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        Ok(Box::new(Bytes(Vec::new())))
    }
}

impl SpillFile for Bytes {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        assert_eq!(at, self.0.len() as u64);
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(at).map_err(io::Error::other)?;
        to.copy_from_slice(&self.0[at..][..to.len()]);
        Ok(())
    }
}

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Entries of states, ascending.
fn sorted<H: StateHash>(states: &[Vec<u64>]) -> Vec<u64> {
    let mut sorted: Vec<u64> = (0..).zip(states).map(|(at, state)| entry(H::hash(state), at)).collect();
    sorted.sort_unstable();
    sorted
}

fn against_a_set<H: StateHash>(portions: usize, most: u64, size: usize) {
    let mut runs: Runs<H> = Runs::new(Arc::new(Files), 64, size);
    let (mut set, mut seed) = (BTreeSet::new(), portions as u64);
    for _ in 0..portions {
        let portion: BTreeSet<Vec<u64>> = (0..random(&mut seed) % most)
            .map(|_| {
                let mut state = vec![random(&mut seed) % 11; size.div_ceil(8)];
                state[0] = random(&mut seed) % (most * 3);
                state
            })
            .collect();
        let portion: Vec<Vec<u64>> = portion.into_iter().collect();
        let (mut entries, mut found) = (sorted::<H>(&portion), BTreeSet::new());
        let state = |at: u32| &portion[at as usize][..];
        let kept = runs.look_up(&mut entries, state, |at| assert!(found.insert(at), "found twice"));
        entries.truncate(kept.expect("reads"));
        for (at, state) in (0..).zip(&portion) {
            assert_eq!(found.contains(&at), set.contains(state));
            assert_eq!(found.contains(&at), !entries.iter().any(|&entry| number_of(entry) == at));
        }
        entries.sort_unstable();
        runs.add(&entries, state).expect("writes");
        set.extend(portion.iter().cloned());
        let lens: Vec<u64> = runs.runs.iter().map(|run| run.len).collect();
        assert_eq!(lens.iter().sum::<u64>(), set.len() as u64);
        assert!((1..lens.len()).all(|at| lens[at - 1] > lens[at..].iter().sum()));
    }
    assert!(runs.len() > 0 && runs.written() >= (set.len() * size) as u64);
}

#[test]
fn states_are_found_in_runs_if_they_were_stored() {
    against_a_set::<Folded>(60, 400, 8);
    against_a_set::<Folded>(60, 40, 3);
    against_a_set::<Folded>(30, 100, 21);
    against_a_set::<Folded>(30, 50, 80);
    against_a_set::<Constant>(20, 40, 8);
    against_a_set::<Constant>(20, 40, 24);
}
