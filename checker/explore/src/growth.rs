//! Variables that grow: where a limit ends a breadth-first search, those whose greatest value in a level is greater than in the level before, in each of
//! the last [`LEVELS`] levels; or whose least value is less.
//!
//! Nothing is noted during the search. States are numbered in the order of their levels, and parents have lower numbers: a state begins a new level
//! if its parent lies in the current one. One walk over the parents finds where the levels begin ([`last_levels`]); then states are read from the
//! last whole level backwards, as long as some variable grows. The deepest level is left out, because the limit may have cut it.
//!
//! What grows is a [`Measure`]: elements of the state whose values a group of a quotient permutes among each other and does not rename, so that a
//! representative has the same greatest and least value as every state of its orbit. Only elements with more than [`LEVELS`] values are
//! worth a measure: others cannot grow that often.
//!
//! Soundness: this is an observation on the states that were stored, and no answer rests on it.
//!
//! Complexity: a parent of every state, and the measured elements of the states of the last levels until the last variable is seen not to grow.

use std::collections::VecDeque;
use std::ops::Range;

use crate::states::NO_PARENT;
use crate::watch::Watched;

/// Steps of the watch that a state costs that is read.
const STEPS: u64 = 8;

/// The number of levels in each of which a variable grows.
pub const LEVELS: usize = 1000;

/// Elements of a state whose greatest and least value a group keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The name of the variable.
    pub name: String,
    /// Its elements, in the numbers of the language.
    pub elements: Vec<usize>,
}

/// A variable that grows, up or down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growing {
    /// Its name.
    pub name: String,
    /// Its greatest (least) value in the level before the first of these.
    pub from: i32,
    /// The same in the last level.
    pub to: i32,
    /// The number of levels.
    pub levels: u64,
}

/// Numbers of states in the search, and their parents, of a store: ascending.
pub type Numbered<'s> = Box<dyn Iterator<Item = (u32, u32)> + 's>;

/// The first states of the last levels, by level and store, each as the place in its store; the last entry is of the deepest level. Nothing if there are not more
/// than `levels` of them above it, or the states are not in the order of their levels.
pub fn last_levels(stores: Vec<Numbered<'_>>, levels: usize) -> Option<Vec<Vec<u32>>> {
    let mut stores: Vec<_> = stores.into_iter().map(Iterator::peekable).collect();
    let mut places = vec![0u32; stores.len()];
    let mut found = VecDeque::from([places.clone()]);
    // The numbers from which the level above the current one, and the current one, begin.
    let (mut above, mut current) = (0, 0);
    loop {
        for (store, place) in stores.iter_mut().zip(&mut places) {
            let is_inside = |&(_, parent): &(u32, u32)| match parent {
                NO_PARENT => current == 0,
                parent => parent < current,
            };
            while let Some((_, parent)) = store.next_if(is_inside) {
                limits::work(1);
                if parent != NO_PARENT && parent < above {
                    return None;
                }
                *place += 1;
            }
        }
        let next = stores.iter_mut().filter_map(|store| store.peek().map(|&(number, _)| number)).min();
        match next {
            // No parent is above its child.
            Some(next) if next <= current => return None,
            Some(next) => (above, current) = (current, next),
            None => break,
        }
        found.push_back(places.clone());
        if found.len() > levels + 2 {
            found.pop_front();
        }
    }
    (found.len() == levels + 2).then(|| found.into())
}

/// The measures that grow in each of the levels but the first, by the places where the levels begin.
pub fn growing<S: Watched>(spaces: &[S], starts: &[Vec<u32>], measures: &[Measure]) -> Vec<Growing> {
    let extremes = |level: usize, measure: &Measure| {
        let mut found: Option<(i32, i32)> = None;
        let mut values = Vec::new();
        for (at, space) in spaces.iter().enumerate() {
            let numbers: Range<u32> = starts[level][at]..starts[level + 1][at];
            for number in numbers {
                limits::work(STEPS);
                values.clear();
                space.values_of(number, &measure.elements, &mut values);
                for &value in &values {
                    let (least, greatest) = found.unwrap_or((value, value));
                    found = Some((least.min(value), greatest.max(value)));
                }
            }
        }
        found
    };
    assert!(starts.len() >= 2, "the last level ends where a further one begins");
    assert!(starts.iter().all(|places| places.len() == spaces.len()), "a level begins in each space");
    let last = starts.len() - 2;
    let of = |measure: &Measure| {
        let (least, greatest) = extremes(last, measure)?;
        let (mut low, mut high) = (Some(least), Some(greatest));
        for level in (0..last).rev() {
            let (least, greatest) = extremes(level, measure)?;
            low = low.filter(|&after| after < least).map(|_| least);
            high = high.filter(|&after| after > greatest).map(|_| greatest);
            if low.is_none() && high.is_none() {
                return None;
            }
        }
        let (from, to) = match high {
            Some(from) => (from, greatest),
            None => (low?, least),
        };
        Some(Growing { name: measure.name.clone(), from, to, levels: last as u64 })
    };
    measures.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::{Numbered, last_levels};
    use crate::states::NO_PARENT;

    fn narrow(number: usize) -> u32 {
        u32::try_from(number).expect("few states")
    }

    /// Parents of states in breadth-first order by pseudo-random numbers, and the depth of each state.
    fn tree(seed: u64, states: u32) -> (Vec<u32>, Vec<usize>) {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |most: u32| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            u32::try_from(random % u64::from(most)).expect("below a number of 32 bits")
        };
        let starts = 1 + below(3);
        let (mut parents, mut depths) = (vec![NO_PARENT; starts as usize], vec![0; starts as usize]);
        let mut parent = 0;
        while narrow(parents.len()) < states {
            parent = (parent + below(3)).min(narrow(parents.len()) - 1);
            parents.push(parent);
            depths.push(depths[parent as usize] + 1);
        }
        (parents, depths)
    }

    #[test]
    fn levels_are_those_of_the_paths() {
        for seed in 1..200 {
            let (parents, depths) = tree(seed, 60);
            let deepest = *depths.last().expect("a state");
            for count in 1..=3u32 {
                let shard = |at: u32| -> Vec<u32> { (0..60).filter(|number| number % count == at).collect() };
                for levels in 1..8 {
                    let stores = (0..count).map(|at| {
                        let of = shard(at).into_iter().map(|number| (number, parents[number as usize]));
                        Box::new(of) as Numbered<'_>
                    });
                    let found = last_levels(stores.collect(), levels);
                    // The slow twin: the depth of each state.
                    let expected = (deepest > levels).then(|| {
                        let begin = |level: usize, at: u32| {
                            narrow(shard(at).iter().filter(|&&number| depths[number as usize] < level).count())
                        };
                        (deepest - levels - 1..=deepest)
                            .map(|level| (0..count).map(|at| begin(level, at)).collect::<Vec<u32>>())
                            .collect::<Vec<_>>()
                    });
                    assert_eq!(found, expected, "seed {seed}, {count} stores, {levels} levels");
                }
            }
        }
    }

    #[test]
    fn other_orders_have_no_levels() {
        let of = |parents: &[u32]| {
            let stores = parents.iter().enumerate().map(|(number, &parent)| (narrow(number), parent));
            last_levels(vec![Box::new(stores.collect::<Vec<_>>().into_iter())], 1)
        };
        assert!(of(&[NO_PARENT, 0, 1, 2, 3]).is_some());
        assert!(of(&[NO_PARENT, 0, 1, 2, 0]).is_none());
    }
}
