//! The index against a list of what was inserted.

use super::*;
use crate::tuning::SMALL;

fn spread(number: u32) -> u64 {
    u64::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn all_are_found(index: &Index, count: u32, hash_of: impl Fn(u32) -> u64) {
    for number in 0..count {
        let hash = hash_of(number);
        assert_eq!(index.find(hash, |other| other == number).ok(), Some(number));
        assert!(index.find(hash, |_| false).is_err());
    }
}

#[test]
fn growth_takes_what_was_requested() {
    let states = States { fetch: |_| {}, hash: spread };
    let mut index = Index::new(&SMALL);
    // Segments pass the size of a huge page, and are then rounded up to whole ones.
    for number in 0..3_000_000 {
        let hash = spread(number);
        let free = index.find(hash, |_| false).expect_err("it is new");
        let (before, mut requested) = (index.segments[segment_of(hash)].bytes(), 0);
        let request = |bytes| {
            requested = bytes;
            Ok(())
        };
        index.insert(free, hash, number, states, request).expect("room");
        let after = index.segments[segment_of(hash)].bytes();
        assert!(after == before && requested == 0 || after == requested, "{before}, {requested}, {after}");
    }
    assert!(index.segments.iter().any(|segment| segment.bytes() > crate::states::pages::HUGE as u64));
}

/// Numbers one by one, then all again from segments that are too short and from long ones.
fn numbers_stay(count: u32, hash_of: impl Fn(u32) -> u64 + Copy) {
    let states = States { fetch: |_| {}, hash: hash_of };
    let mut index = Index::new(&SMALL);
    for number in 0..count {
        let hash = hash_of(number);
        let free = index.find(hash, |_| false).expect_err("it is new");
        index.insert(free, hash, number, states, |_| Ok(())).expect("room");
    }
    all_are_found(&index, count, hash_of);
    index.expect(count as usize, count, states, u64::MAX);
    all_are_found(&index, count, hash_of);
    let last = segment_of(hash_of(count));
    let in_order = |all: &mut dyn Iterator<Item = u32>, is_lost: bool| {
        let mut in_order = index.clone();
        let hashes = all.map(|number| (hash_of(number), number));
        in_order.grow_in_order(hash_of(count), count, hashes, || is_lost).then_some(in_order)
    };
    let forgotten = (0..count).find(|&number| segment_of(hash_of(number)) == last).expect("a number of the segment");
    assert!(in_order(&mut (0..count).filter(|&number| number != forgotten), false).is_none());
    assert!(in_order(&mut (0..count), true).is_none());
    all_are_found(&in_order(&mut (0..count), false).expect("all came"), count + 1, hash_of);
    let bytes: u64 = index.segments.iter().map(Segment::bytes).sum();
    assert_eq!(index.bytes(), bytes);
    all_are_found(&Index::of(count, &SMALL, Index::new(&SMALL).lens(), hash_of), count, hash_of);
    all_are_found(&Index::of(count, &SMALL, index.lens(), hash_of), count, hash_of);
}

#[test]
fn every_number_is_found() {
    numbers_stay(20_000, spread);
    numbers_stay(1_000, |_| u64::MAX);
    numbers_stay(1_000, |_| 0);
    numbers_stay(3_000, |number| u64::from(number) << 40);
}

#[test]
fn scans_survive_their_words() {
    for scan in [Scan::Free(0), Scan::Free(7 << 20), Scan::Candidate(9, 3), Scan::Candidate(1 << 30, u32::MAX - 2)] {
        assert_eq!(format!("{:?}", Scan::unpack(scan.pack())), format!("{scan:?}"));
    }
}

#[test]
fn refused_input_changes_nothing() {
    let mut index = Index::new(&SMALL);
    let mut stored = 0;
    let refused = (0..5_000).find(|&number| {
        let hash = spread(number);
        let free = index.find(hash, |_| false).expect_err("it is new");
        let inserted = index.insert(free, hash, number, States { fetch: |_| {}, hash: spread }, |_| Err(Halt::Memory));
        stored += u32::from(inserted.is_ok());
        inserted.is_err()
    });
    assert_eq!(refused, Some(stored));
    all_are_found(&index, stored, spread);
}
