//! Stores whose index is on the disk, compared with those in memory.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::hash::Constant;
use super::super::sorted::tests::Bytes;
use super::*;
use crate::spill::{SpillFile, Spilling};
use crate::states::NO_PARENT;
use crate::tuning::SMALL;

#[derive(Debug)]
struct Files;

impl Spilling for Files {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        Ok(Box::new(Bytes::default()))
    }

    fn delays(&self) -> bool {
        true
    }
}

/// Whether a store whose index is on the disk has the states, numbers and parents of one in memory, also when
/// states are rewritten half-way.
fn is_as_in_memory<H: StateHash>(rounds: u32, distinct: u64, forgets: bool) -> bool {
    let (mut naive, mut delayed): (Store<H>, Store<H>) =
        (Store::new(8, u64::MAX, &SMALL), Store::new(8, u64::MAX, &SMALL));
    delayed.spill_to(Some(Arc::new(Files)));
    delayed.may_delay(true);
    for store in [&mut naive, &mut delayed] {
        (0..4).for_each(|state| assert!(store.insert(&[state], NO_PARENT).is_ok()));
    }
    delayed.delay().expect("there is room");
    let (mut seed, mut fresh, mut stored) = (distinct, Vec::new(), Vec::new());
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    };
    for round in 0..rounds {
        if let Some(delayed) = &mut delayed.delayed {
            delayed.forgets = forgets;
        }
        let portion: Vec<u64> = (0..random() % 30).map(|_| random() % distinct).collect();
        let packed: Vec<u64> = match naive.stride() {
            1 => portion,
            _ => portion.into_iter().flat_map(|state| [7, state]).collect(),
        };
        let key = |place| u64::from(round) << 32 | place as u64;
        delayed.wait_all(&packed, key).expect("there is room");
        for state in packed.chunks(naive.stride()) {
            naive.insert(state, round).expect("there is room");
        }
        if round % 3 == 0 {
            delayed.resolve().expect("there is room");
            delayed.take_fresh(&mut fresh).expect("there is room");
            stored.append(&mut fresh);
            if stored.len() + 4 != naive.len() as usize || delayed.len() != naive.len() {
                return false;
            }
        }
        if round == rounds / 2 {
            for store in [&mut naive, &mut delayed] {
                let rewritten = store.rewrite(16, |old, new| new.copy_from_slice(&[7, old[0]]));
                rewritten.expect("there is room");
            }
        }
    }
    assert!(stored.is_sorted() && delayed.spilled().bytes > 300);
    (0..delayed.len())
        .all(|number| *delayed.state(number) == *naive.state(number) && delayed.parent(number) == naive.parent(number))
}

#[test]
fn an_index_on_the_disk_gives_the_numbers_of_one_in_memory() {
    for distinct in [40, 300, 3_000] {
        assert!(is_as_in_memory::<Folded>(301, distinct, false), "{distinct} states");
        assert!(is_as_in_memory::<Constant>(61, distinct, false), "{distinct} states of one hash");
    }
}

/// Files that take so many writes.
#[derive(Debug)]
struct Failing(Arc<AtomicU64>);

#[derive(Debug)]
struct FailingFile(Bytes, Arc<AtomicU64>);

impl Spilling for Failing {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        Ok(Box::new(FailingFile(Bytes::default(), Arc::clone(&self.0))))
    }

    fn delays(&self) -> bool {
        true
    }
}

impl SpillFile for FailingFile {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let left = self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map_err(|_| io::Error::from(io::ErrorKind::StorageFull))?;
        self.0.write_at(at, bytes)
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.0.read_at(at, to)
    }
}

/// Rewrites states where so many writes succeed, under a watch; whether that came to its end. States are the old ones or the new ones, as
/// the store says, and nothing can be stored afterwards unless all went well.
fn is_rewritten(writes: u64, watch: &limits::Watch) -> bool {
    let left = Arc::new(AtomicU64::new(u64::MAX));
    let mut store: Store<Folded> = Store::new(8, u64::MAX, &SMALL);
    store.spill_to(Some(Arc::new(Failing(Arc::clone(&left)))));
    store.may_delay(true);
    assert!(store.insert(&[0], NO_PARENT).is_ok());
    store.delay().expect("there is room");
    let states: Vec<u64> = (0..600).map(|state| state * 3).collect();
    store.wait_all(&states, |at| at as u64).and_then(|()| store.resolve()).expect("there is room");
    left.store(writes, Ordering::Relaxed);
    let rewrite = || store.rewrite(16, |old, new| new.copy_from_slice(&[7, old[0]]));
    let Ok(rewritten) = watch.run(rewrite) else { return false };
    for (number, &state) in (0..).zip(&states) {
        let expected = if rewritten.is_ok() { vec![7, state] } else { vec![state] };
        assert_eq!(*store.state(number), *expected, "{writes} writes");
    }
    left.store(u64::MAX, Ordering::Relaxed);
    let mut more = vec![1; store.stride()];
    more[store.stride() - 1] = 1;
    let stored = store.wait_all(&more, |_| 1 << 40).and_then(|()| store.resolve());
    assert!(stored.is_err() || (rewritten.is_ok() && store.len() == 601), "{writes} writes");
    rewritten.is_ok() && stored.is_ok()
}

#[test]
fn a_disk_that_is_full_while_states_are_rewritten_leaves_old_ones_or_new_ones() {
    let needed = (0..10_000).find(|&writes| is_rewritten(writes, &limits::Watch::unlimited()));
    assert!(needed.is_some_and(|writes| writes > 10), "{needed:?}");
}

#[test]
fn a_watch_that_stops_while_states_are_rewritten_leaves_old_ones_or_new_ones() {
    let needed = (1..10_000).find(|&looks| {
        let watch = limits::Watch::new(Arc::<limits::Counting>::default(), Some(Duration::from_secs(looks)), None);
        is_rewritten(u64::MAX, &watch)
    });
    assert!(needed.is_some_and(|looks| looks > 2), "{needed:?}");
}

#[test]
fn a_look_up_that_forgets_the_runs_is_caught() {
    assert!(!is_as_in_memory::<Folded>(301, 300, true));
}
