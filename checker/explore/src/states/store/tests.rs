//! Stores compared with maps.

use std::collections::HashMap;
use std::io;

use super::super::hash::Constant;
use super::*;
use crate::tuning::SMALL;

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Stores states as pairs of halves as soon as possible.
#[derive(Debug)]
struct Halves;

impl Spilling for Halves {
    fn file(&self) -> io::Result<Box<dyn crate::spill::SpillFile>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn compresses(&self) -> bool {
        true
    }
}

/// Inserts random states, rewrites to more words half-way, and compares with a map after each insertion.
fn against_a_map<H: StateHash>(rounds: u64, distinct: u64, stride: usize) {
    for files in [None, Some(Arc::new(Halves) as Arc<dyn Spilling>)] {
        let is_compressed = files.is_some();
        let mut store: Store<H> = Store::new(stride * 8 - 3, u64::MAX, &SMALL);
        store.spill_to(files);
        store.allow(u64::MAX);
        against_a_map_in(&mut store, rounds, distinct, stride);
        assert_eq!(store.spilled().compressed, is_compressed);
    }
}

fn against_a_map_in<H: StateHash>(store: &mut Store<H>, rounds: u64, distinct: u64, stride: usize) {
    let mut seed = rounds;
    let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
    for round in 0..rounds {
        if round == rounds / 2 {
            store
                .rewrite((stride + 1) * 8 - 3, |old, new| {
                    new[0] = 5;
                    new[1..].copy_from_slice(old);
                })
                .expect("there is room");
            map = map.into_iter().map(|(key, number)| ([vec![5], key].concat(), number)).collect();
        }
        let mut state: Vec<u64> = (0..stride).map(|_| random(&mut seed) % distinct).collect();
        if round >= rounds / 2 {
            state.insert(0, 5);
        }
        let next = u32::try_from(map.len()).expect("small");
        let expected = map.get(&state).copied();
        assert_eq!(store.insert(&state, next), Ok((expected.unwrap_or(next), expected.is_none())));
        map.entry(state).or_insert(next);
    }
    assert_eq!(store.len() as usize, map.len());
    for (state, &number) in &map {
        assert_eq!((&*store.state(number), store.parent(number)), (&state[..], number));
    }
}

#[test]
fn it_is_a_map_from_states_to_numbers() {
    against_a_map::<Folded>(40_000, 30_000, 1);
    against_a_map::<Folded>(20_000, 40, 2);
    against_a_map::<Folded>(5_000, 6, 5);
}

#[test]
fn it_is_exact_under_a_constant_hash() {
    against_a_map::<Constant>(1_500, 900, 1);
    against_a_map::<Constant>(1_500, 30, 2);
}

#[test]
fn it_refuses_new_states_past_the_bound_and_still_finds_old_ones() {
    let mut store: Store = Store::new(1, 2, &SMALL);
    assert_eq!(store.insert(&[7], NO_PARENT), Ok((0, true)));
    assert_eq!(store.insert(&[8], 0), Ok((1, true)));
    assert_eq!(store.insert(&[9], 0), Err(Halt::States));
    assert_eq!(store.insert(&[7], 1), Ok((0, false)));
}

#[test]
fn it_stays_within_its_allowance() {
    let mut store: Store = Store::new(8, u64::MAX, &SMALL);
    store.allow(100_000);
    let refused = (0..1 << 20).find_map(|state| store.insert(&[state], 0).err());
    assert_eq!(refused, Some(Halt::Memory));
    assert!(store.bytes() <= 100_000);
    assert!(store.len() > 1_000);
    assert_eq!(store.insert(&[0], 0), Ok((0, false)));
}
