//! Groups on slots and values: random ones, of blocks, of blocks within blocks, with names and with pairs.

use engine::{Group, RandomSource, SparsePermutation};

/// A random permutation of slots, with a random permutation of the values on the way from each slot or the same one for all.
pub(super) fn generator(random: &mut RandomSource, slots: u32, values: u32) -> SparsePermutation {
    let shuffled = |random: &mut RandomSource, len: u32, moves: usize| {
        let mut images: Vec<u32> = (0..len).collect();
        for _ in 0..moves {
            let (a, b) = (random.below(images.len()), random.below(images.len()));
            images.swap(a, b);
        }
        images
    };
    let moves = random.below(4);
    let to = shuffled(random, slots, moves);
    let is_uniform = random.below(3) > 0;
    let renames = random.below(2) * usize::from(is_uniform);
    let mut renamed = shuffled(random, values, renames);
    let mut pairs = Vec::new();
    for slot in 0..slots {
        if !is_uniform && random.below(3) == 0 {
            renamed = shuffled(random, values, 1);
        }
        pairs.extend(
            (0..values).map(|value| (slot * values + value, to[slot as usize] * values + renamed[value as usize])),
        );
    }
    SparsePermutation::from_pairs(pairs).expect("a bijection")
}

pub(super) fn random_groups(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
    seeds.filter_map(|seed| {
        let mut random = RandomSource::new(seed);
        let (slots, values) = [(3, 3), (4, 2), (4, 3), (5, 2), (6, 2)][random.below(5)];
        let count = 1 + random.below(3);
        let generators = (0..count).map(|_| generator(&mut random, slots, values)).collect();
        let group = Group::from_generators((slots * values) as usize, generators).expect("in range");
        let is_small = group.order() <= 5_000u32.into() && !group.is_trivial();
        is_small.then_some((seed, group, (slots, values)))
    })
}

/// Groups that permute blocks of slots in all ways, factor by factor, with slots that name blocks or keep their values.
pub(super) fn groups_of_blocks(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
    seeds.map(|seed| {
        let mut random = RandomSource::new(seed);
        let (counts, width): (&[u32], u32) = [(&[5][..], 1), (&[3, 2, 3], 1), (&[5], 1), (&[4, 4], 1)][random.below(4)];
        let others = u32::try_from(random.below(2)).expect("small");
        let values = 2 + u32::from(counts.len() == 1 && others == 0);
        let slots = counts.iter().sum::<u32>() * width + others;
        let mut generators = Vec::new();
        let mut first = 0;
        let renames = random.below(3);
        for &count in counts {
            for block in 0..count - 1 {
                let mut pairs = Vec::new();
                for place in 0..width {
                    let (a, b) = (first + block * width + place, first + (block + 1) * width + place);
                    pairs.extend((0..values).flat_map(|value| {
                        [(a * values + value, b * values + value), (b * values + value, a * values + value)]
                    }));
                }
                if renames == 0 && others == 1 {
                    // The last slot changes with every exchange: its values are not plain.
                    let last = (slots - 1) * values;
                    pairs.extend([(last, last + 1), (last + 1, last)]);
                }
                generators.push(SparsePermutation::from_pairs(pairs).expect("a bijection"));
            }
            first += count * width;
        }
        let group = Group::from_generators((slots * values) as usize, generators).expect("in range");
        (seed, group, (slots, values))
    })
}

/// Generators on the slots before the last one as elements on literals: each takes the values along, renamed by the
/// action of the generator on blocks of a width; the names are those of no slot, of the last slot only, or of all
/// slots.
pub(super) fn lifted(
    slots: &[SparsePermutation],
    (last, values): (u32, u32),
    width: u32,
    names: usize,
) -> Vec<SparsePermutation> {
    let lift = |generator: &SparsePermutation| {
        let name = |value: u32| if value < last / width { generator.image(value * width) / width } else { value };
        let pairs = (0..=last).flat_map(|slot| {
            let (target, is_named) = (generator.image(slot), names == 2 || names == 1 && slot == last);
            (0..values)
                .map(move |value| (slot * values + value, target * values + if is_named { name(value) } else { value }))
        });
        SparsePermutation::from_pairs(pairs.collect()).expect("a bijection")
    };
    slots.iter().map(lift).collect()
}

/// The generators of a wreath product with all permutations of `count` blocks, of generators on `width` slots.
pub(super) fn wreath(inner: &[SparsePermutation], width: u32, count: u32) -> Vec<SparsePermutation> {
    let exchange = |block: u32| {
        let (a, b) = (block * width, (block + 1) * width);
        SparsePermutation::from_pairs((0..width).flat_map(|at| [(a + at, b + at), (b + at, a + at)]).collect())
    };
    let outer = (0..count - 1).map(|block| exchange(block).expect("a bijection"));
    inner.iter().cloned().chain(outer).collect()
}

pub(super) fn cycles(cycles: &[&[u32]]) -> SparsePermutation {
    SparsePermutation::from_cycles(cycles).expect("disjoint cycles")
}

/// Groups of blocks within blocks, conjugated by random permutations of the slots, with a slot that no element moves
/// and that names other slots or none.
pub(super) fn groups_of_nested_blocks(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
    seeds.map(|seed| {
        let mut random = RandomSource::new(seed);
        let pair = [cycles(&[&[0, 1]])];
        let three = [cycles(&[&[0, 1]]), cycles(&[&[1, 2]])];
        let (generators, slots, width, values) = match seed % 6 {
            // Pairs of pairs of pairs.
            0 => (wreath(&wreath(&pair, 2, 2), 4, 2), 8, 4, 2),
            1 => (wreath(&pair, 2, 3), 6, 2, 3),
            2 => (wreath(&three, 3, 2), 6, 3, 3),
            // Rotations within blocks, which form no symmetric group.
            3 => (wreath(&[cycles(&[&[0, 1, 2]])], 3, 2), 6, 3, 3),
            // A block has a slot of its own in addition to those that move within it.
            4 => (wreath(&pair, 3, 3), 9, 3, 2),
            // Together with another factor.
            _ => ([wreath(&three, 3, 2), vec![cycles(&[&[6, 7, 8]])]].concat(), 9, 3, 2),
        };
        // With three blocks and two values, or blocks of two factors, there is nothing to name.
        let names = if seed % 6 < 4 { random.below(3) } else { 0 };
        let mut places: Vec<u32> = (0..slots).collect();
        for at in (1..places.len()).rev() {
            places.swap(at, random.below(at + 1));
        }
        places.push(slots);
        let place = |literal: u32| places[(literal / values) as usize] * values + literal % values;
        let shuffled = |generator: &SparsePermutation| {
            let pairs = generator.pairs().iter().map(|&(a, b)| (place(a), place(b)));
            SparsePermutation::from_pairs(pairs.collect()).expect("a bijection")
        };
        let generators: Vec<SparsePermutation> =
            lifted(&generators, (slots, values), width, names).iter().map(shuffled).collect();
        let group = Group::from_generators(((slots + 1) * values) as usize, generators).expect("in range");
        (seed, group, (slots + 1, values))
    })
}

/// All permutations of four processes, each with a mode, and two slots that name a process.
pub(super) fn groups_with_names(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
    seeds.map(|seed| {
        let exchanges: Vec<SparsePermutation> = (0..3).map(|at| cycles(&[&[at, at + 1]])).collect();
        // The mode of a process names another one too, or it does not.
        let named = if seed % 2 == 0 { 4 } else { 0 };
        let lift = |generator: &SparsePermutation| {
            let literals = (0..6u32).flat_map(|slot| (0..4u32).map(move |value| (slot, value)));
            let pairs = literals.map(|(slot, value)| {
                let image = if slot < named { value } else { generator.image(value) };
                (slot * 4 + value, generator.image(slot) * 4 + image)
            });
            SparsePermutation::from_pairs(pairs.collect()).expect("a bijection")
        };
        let group = Group::from_generators(24, exchanges.iter().map(lift).collect()).expect("in range");
        (seed, group, (6, 4))
    })
}

/// All permutations of four processes, after a slot that says which pairs of them belong together: from every process it looks the same.
pub(super) fn group_with_pairs() -> (u64, Group, (u32, u32)) {
    let partner =
        |value: u32, process: u32| [[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]][value as usize][process as usize];
    let lift = |exchange: SparsePermutation| {
        let moved = |value: u32| {
            let first = exchange.image(partner(value, exchange.image(0)));
            (0..3).find(|&value| partner(value, 0) == first).expect("a partner")
        };
        let paired = (0..3).map(|value| (value, moved(value)));
        let modes = (0..4).flat_map(|at| (0..3).map(move |value| (at, value)));
        let modes = modes.map(|(at, value)| (3 * (1 + at) + value, 3 * (1 + exchange.image(at)) + value));
        SparsePermutation::from_pairs(paired.chain(modes).collect()).expect("a bijection")
    };
    let exchanges = (0..3).map(|at| lift(cycles(&[&[at, at + 1]])));
    (0, Group::from_generators(15, exchanges.collect()).expect("in range"), (5, 3))
}

/// Processes with a mode each, and two slots that name a process: all permutations of the processes.
pub(super) fn symmetric(processes: u32) -> Group {
    let swap = |a: u32| {
        let place = |p: u32| {
            if p == a {
                a + 1
            } else if p == a + 1 {
                a
            } else {
                p
            }
        };
        let slots = (0..processes).map(place).chain([processes, processes + 1]);
        let mut pairs = Vec::new();
        for (slot, target) in (0..).zip(slots) {
            let is_mode = slot < processes;
            pairs.extend((0..processes).map(|value| {
                let image = if is_mode { value } else { place(value) };
                (slot * processes + value, target * processes + image)
            }));
        }
        SparsePermutation::from_pairs(pairs).expect("a bijection")
    };
    let degree = (processes * (processes + 2)) as usize;
    Group::from_generators(degree, (0..processes - 1).map(swap).collect()).expect("in range")
}
