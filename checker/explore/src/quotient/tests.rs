//! Representatives against brute force: all elements, all states, Burnside's count.

use engine::{Budget, Group, Permutation, RandomSource, SparsePermutation};

use super::search::Fast;
use super::{Action, Canoniser, Chain, mixed};
use crate::memory::Halt;
use crate::reductions::Representative;
use crate::tuning::SMALL;

/// Slots with the same number of values; points are pairs of both.
struct Literals {
    values: u32,
    elements: Vec<Permutation>,
}

impl Literals {
    fn image(&self, permutation: &Permutation, state: &[u32]) -> Vec<u32> {
        let mut image = state.to_vec();
        for (slot, &value) in (0..).zip(state) {
            let point = permutation.image(slot * self.values + value);
            image[(point / self.values) as usize] = point % self.values;
        }
        image
    }
}

impl Action for Literals {
    fn target(&self, element: usize, slot: usize) -> usize {
        let slot = u32::try_from(slot).expect("small");
        (self.elements[element].image(slot * self.values) / self.values) as usize
    }

    fn image(&mut self, element: usize, slot: usize, value: u32) -> Result<u32, Halt> {
        let slot = u32::try_from(slot).expect("small");
        Ok(self.elements[element].image(slot * self.values + value) % self.values)
    }

    fn key(&self, permutation: &Permutation, orbits: &[u32], slot: usize, value: u32) -> u64 {
        let slot = u32::try_from(slot).expect("small");
        mixed(u64::from(orbits[permutation.image(slot * self.values + value) as usize]) + 1)
    }
}

/// A random permutation of slots, with a random permutation of the values on the way from each slot or the same one for all.
fn generator(random: &mut RandomSource, slots: u32, values: u32) -> SparsePermutation {
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

fn prepared(group: &Group, values: u32, method: Representative) -> (Literals, Canoniser) {
    let mut chain = Chain::new(group).expect("a small group");
    assert!(chain.add_for(method, group));
    let action = Literals { values, elements: chain.elements().to_vec() };
    let slots = group.degree() / values as usize;
    let canoniser = Canoniser::new(chain, slots, &|element: usize, slot: usize| action.target(element, slot), &SMALL);
    (action, canoniser)
}

/// The method that finds representatives in a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// By the shape of the group.
    Shape,
    /// By the shape, known to be wrong.
    WrongShape,
    /// By the shape, with blocks sorted before their contents: known to be wrong.
    BlocksFirst,
    /// By the shape, with ties treated as twins that are none: known to be wrong.
    AllTwins,
    /// Along the chain.
    Chain,
    /// Along the chain, one tie only: known to be wrong.
    WrongChain,
}

impl Way {
    fn prepare(self, canoniser: &mut Canoniser) {
        match (self, &mut canoniser.fast) {
            (Way::Shape, _)
            | (Way::WrongShape, Fast::No)
            | (Way::BlocksFirst | Way::AllTwins, Fast::No | Fast::Few(_)) => {}
            (Way::AllTwins, Fast::Sorting(sorting)) => sorting.has_twins_only = true,
            (Way::BlocksFirst, Fast::Sorting(sorting)) => sorting.sort_blocks_first(),
            (Way::WrongShape, Fast::Few(few)) => few.is_hasty = true,
            (Way::WrongShape, Fast::Sorting(sorting)) => sorting.is_blind = true,
            (Way::Chain | Way::WrongChain, _) => {
                canoniser.fast = Fast::No;
                canoniser.is_greedy = self == Way::WrongChain;
            }
        }
    }
}

/// All states of so many slots and values.
fn states(slots: u32, values: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..values.pow(slots)).map(move |number| (0..slots).map(|slot| number / values.pow(slot) % values).collect())
}

/// Whether representatives are the same on every orbit, are images of the states, and as many as Burnside counts; and
/// whether the weights are the orders of the stabilisers.
fn is_right(group: &Group, (slots, values): (u32, u32), way: Way) -> bool {
    let elements: Vec<Permutation> = group.elements().collect();
    let (mut action, mut canoniser) = prepared(group, values, Representative::Auto);
    way.prepare(&mut canoniser);
    let mut fixed = 0u128;
    let mut found = std::collections::HashSet::new();
    for state in states(slots, values) {
        let mut representative = state.clone();
        let weight = canoniser.canonical(&mut action, &mut representative).expect("little work");
        let images: Vec<Vec<u32>> = elements.iter().map(|element| action.image(element, &state)).collect();
        let stabiliser = images.iter().filter(|image| **image == state).count() as u128;
        if !images.contains(&representative) || weight != stabiliser && way != Way::WrongChain {
            return false;
        }
        fixed += stabiliser;
        found.insert(representative);
    }
    found.len() as u128 == fixed / elements.len() as u128
}

fn random_groups(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
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

#[test]
fn each_orbit_has_one_representative() {
    let mut checked = 0;
    for (seed, group, size) in random_groups(0..400) {
        assert!(is_right(&group, size, Way::Chain), "seed {seed}, along the chain");
        assert!(is_right(&group, size, Way::Shape), "seed {seed}, by shape");
        checked += 1;
    }
    assert!(checked > 100, "{checked} groups");
}

#[test]
fn a_search_that_follows_one_tie_only_is_caught() {
    assert!(random_groups(0..400).any(|(_, group, size)| !is_right(&group, size, Way::WrongChain)));
}

#[test]
fn a_least_image_that_is_taken_too_soon_is_caught() {
    assert!(random_groups(0..400).any(|(_, group, size)| !is_right(&group, size, Way::WrongShape)));
}

/// Groups that permute blocks of slots in all ways, factor by factor, with slots that name blocks or keep their values.
fn groups_of_blocks(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
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

#[test]
fn sorted_states_are_one_an_orbit() {
    let mut sorted = 0;
    for (seed, group, size) in groups_of_blocks(0..24) {
        let (_, canoniser) = prepared(&group, size.1, Representative::Auto);
        sorted += usize::from(matches!(canoniser.fast, Fast::Sorting(_)));
        assert!(is_right(&group, size, Way::Shape), "seed {seed}");
    }
    assert!(sorted > 8, "{sorted} groups sorted");
}

#[test]
fn sorting_that_ignores_names_is_caught() {
    assert!(
        groups_of_blocks(0..24).any(|(_, group, size)| !is_right(&group, size, Way::WrongShape)),
        "values that change with others"
    );
}

#[test]
fn the_least_image_agrees_and_local_search_stays_in_the_orbit() {
    for (seed, group, (slots, values)) in random_groups(1_000..1_100) {
        let elements: Vec<Permutation> = group.elements().collect();
        let (mut action, mut canoniser) = prepared(&group, values, Representative::Enumerate);
        let (mut local_action, mut local) = prepared(&group, values, Representative::LocalSearch);
        for state in states(slots, values) {
            let images: Vec<Vec<u32>> = elements.iter().map(|element| action.image(element, &state)).collect();
            let mut least = state.clone();
            canoniser.represent(&mut action, Representative::Enumerate, &mut least).expect("little work");
            assert_eq!(Some(&least), images.iter().min(), "seed {seed}");
            let mut descended = state.clone();
            local.represent(&mut local_action, Representative::LocalSearch, &mut descended).expect("little work");
            assert!(images.contains(&descended) && descended <= state, "seed {seed}");
        }
    }
}

/// Cuts all ties but one: where none was cut, the stored state is the one representative.
#[test]
fn where_no_tie_was_cut_several_is_exact() {
    let (mut cut, mut kept) = (0, 0);
    for (seed, group, (slots, values)) in random_groups(0..150) {
        let (mut action, canoniser) = prepared(&group, values, Representative::Several);
        for state in states(slots, values) {
            let (mut one, mut other) = (canoniser.clone(), canoniser.clone());
            let (mut several, mut exact) = (state.clone(), state);
            one.represent(&mut action, Representative::Several, &mut several).expect("little work");
            other.canonical(&mut action, &mut exact).expect("little work");
            if one.has_cut_ties() {
                cut += 1;
            } else {
                kept += 1;
                assert_eq!(several, exact, "seed {seed}");
            }
        }
    }
    assert!(cut > 100 && kept > 1_000, "{cut} {kept}");
}

#[test]
fn where_ties_are_cut_an_orbit_may_have_several_representatives() {
    let (mut stored, mut orbits) = (0, 0);
    for (seed, group, (slots, values)) in random_groups(0..150) {
        let elements: Vec<Permutation> = group.elements().collect();
        let (mut action, mut canoniser) = prepared(&group, values, Representative::Several);
        canoniser.search_along_the_chain();
        let mut exact = canoniser.clone();
        let (mut found, mut right) = (std::collections::HashSet::new(), std::collections::HashSet::new());
        for state in states(slots, values) {
            let mut several = state.clone();
            canoniser.represent(&mut action, Representative::Several, &mut several).expect("little work");
            assert!(elements.iter().any(|element| action.image(element, &state) == several), "seed {seed}");
            found.insert(several);
            let mut one = state;
            exact.canonical(&mut action, &mut one).expect("little work");
            right.insert(one);
        }
        assert!(found.len() >= right.len(), "seed {seed}");
        (stored, orbits) = (stored + found.len(), orbits + right.len());
    }
    assert!(stored > orbits, "{stored} states, {orbits} orbits");
}

/// Generators on the slots before the last one as elements on literals: each takes the values along, renamed by the
/// action of the generator on blocks of a width; the names are those of no slot, of the last slot only, or of all
/// slots.
fn lifted(slots: &[SparsePermutation], (last, values): (u32, u32), width: u32, names: usize) -> Vec<SparsePermutation> {
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
fn wreath(inner: &[SparsePermutation], width: u32, count: u32) -> Vec<SparsePermutation> {
    let exchange = |block: u32| {
        let (a, b) = (block * width, (block + 1) * width);
        SparsePermutation::from_pairs((0..width).flat_map(|at| [(a + at, b + at), (b + at, a + at)]).collect())
    };
    let outer = (0..count - 1).map(|block| exchange(block).expect("a bijection"));
    inner.iter().cloned().chain(outer).collect()
}

fn cycles(cycles: &[&[u32]]) -> SparsePermutation {
    SparsePermutation::from_cycles(cycles).expect("disjoint cycles")
}

/// Groups of blocks within blocks, conjugated by random permutations of the slots, with a slot that no element moves
/// and that names other slots or none.
fn groups_of_nested_blocks(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
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

#[test]
fn blocks_within_blocks_are_sorted_once_an_orbit() {
    let (mut nested, mut fewer) = (0, 0);
    for (seed, group, size) in groups_of_nested_blocks(0..24) {
        let (_, canoniser) = prepared(&group, size.1, Representative::Auto);
        if let Fast::Sorting(sorting) = &canoniser.fast {
            (nested, fewer) = (nested + usize::from(sorting.has_nested), fewer + usize::from(sorting.has_few));
        }
        assert!(is_right(&group, size, Way::Shape), "seed {seed}");
    }
    assert!(nested > 12 && fewer > 0, "{nested} groups of blocks within blocks, {fewer} with small factors");
}

#[test]
fn blocks_sorted_before_their_contents_are_caught() {
    let caught = groups_of_nested_blocks(0..6).filter(|(_, group, size)| !is_right(group, *size, Way::BlocksFirst));
    assert!(caught.count() >= 4);
}

#[test]
fn names_within_blocks_that_are_ignored_are_caught() {
    assert!(groups_of_nested_blocks(0..12).any(|(_, group, size)| !is_right(&group, size, Way::WrongShape)));
}

/// Names of slots within the other of two blocks, which are not plain: nothing but what is within that block moves what is named while the
/// block of the name stays.
#[test]
fn names_of_slots_within_another_block_are_not_plain() {
    let generators = wreath(&[cycles(&[&[0, 1]]), cycles(&[&[1, 2]])], 3, 2);
    let lift = |generator: &SparsePermutation| {
        let literals = (0..6u32).flat_map(|slot| (0..6u32).map(move |value| (slot, value)));
        let pairs =
            literals.map(|(slot, value)| (slot * 6 + value, generator.image(slot) * 6 + generator.image(value)));
        SparsePermutation::from_pairs(pairs.collect()).expect("a bijection")
    };
    let group = Group::from_generators(36, generators.iter().map(lift).collect()).expect("in range");
    let (mut action, mut canoniser) = prepared(&group, 6, Representative::Auto);
    assert!(matches!(&canoniser.fast, Fast::Sorting(sorting) if sorting.has_nested));
    let elements: Vec<Permutation> = group.elements().collect();
    let mut random = RandomSource::new(7);
    for round in 0..500 {
        let other = |slot: u32, random: &mut RandomSource| {
            let named = u32::try_from(random.below(if round % 2 == 0 { 3 } else { 6 })).expect("small");
            (3 * (1 - slot / 3) + named) % 6
        };
        let state: Vec<u32> = (0..6).map(|slot| other(slot, &mut random)).collect();
        let image = action.image(&elements[random.below(elements.len())], &state);
        let [one, other] = [&state, &image].map(|state| {
            let mut found = state.clone();
            canoniser.canonical(&mut action, &mut found).expect("little work");
            found
        });
        assert_eq!(one, other, "{state:?} and {image:?}");
    }
}

/// All permutations of four processes, each with a mode, and two slots that name a process.
fn groups_with_names(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Group, (u32, u32))> {
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

#[test]
fn states_with_names_are_sorted_once_an_orbit() {
    for (seed, group, size) in groups_with_names(0..2).chain([group_with_pairs()]) {
        let (_, canoniser) = prepared(&group, size.1, Representative::Auto);
        assert!(matches!(canoniser.fast, Fast::Sorting(_)), "{} for seed {seed}", group.structure());
        assert!(is_right(&group, size, Way::Shape), "seed {seed}");
    }
}

/// All permutations of four processes, after a slot that says which pairs of them belong together: from every process it looks the same.
fn group_with_pairs() -> (u64, Group, (u32, u32)) {
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

/// A slot and its twin: some element that fixes the state takes one to the other. By all elements of the group.
#[test]
fn twins_are_exchanged_by_elements_that_fix_the_state() {
    let mut found = 0;
    // The last slots first, too: those are the ones that name others.
    let groups = groups_with_names(0..2).chain(groups_of_blocks(0..24)).chain([group_with_pairs()]);
    let groups = groups.flat_map(|(seed, group, (slots, values))| {
        let place = |point: u32| (slots - 1 - point / values) * values + point % values;
        let turned = |generator: &SparsePermutation| {
            let pairs = generator.pairs().iter().map(|&(from, to)| (place(from), place(to)));
            SparsePermutation::from_pairs(pairs.collect()).expect("a bijection")
        };
        let turned = group.generators().iter().map(turned).collect();
        let turned = Group::from_generators(group.degree(), turned).expect("in range");
        [group, turned].map(|group| (seed, group, (slots, values)))
    });
    for (seed, group, (slots, values)) in groups {
        let (mut action, mut canoniser) = prepared(&group, values, Representative::Auto);
        let elements: Vec<Permutation> = group.elements().collect();
        let mut random = RandomSource::new(seed);
        let mut twins = Vec::new();
        for _ in 0..300 {
            let value = |random: &mut RandomSource| u32::try_from(random.below(values as usize)).expect("small");
            let state: Vec<u32> = (0..slots).map(|_| value(&mut random)).collect();
            canoniser.twins(&mut action, &state, &mut twins).expect("little work");
            let fixing: Vec<&Permutation> =
                elements.iter().filter(|element| action.image(element, &state) == state).collect();
            for (slot, &twin) in (0..).zip(&twins).filter(|(slot, twin)| slot != *twin) {
                let takes = |element: &&Permutation| element.image(twin * values) / values == slot;
                assert!(fixing.iter().any(takes), "seed {seed}: {slot} is no twin of {twin} in {state:?}");
                found += 1;
            }
        }
    }
    assert!(found > 500, "{found} twins");
}

#[test]
fn ties_that_are_taken_for_twins_are_caught() {
    assert!(groups_with_names(0..2).any(|(_, group, size)| !is_right(&group, size, Way::AllTwins)));
}

#[test]
fn sorting_is_a_product_of_elements() {
    for (seed, group, (slots, values)) in groups_of_nested_blocks(0..24).chain(groups_of_blocks(0..24)) {
        let (mut action, mut canoniser) = prepared(&group, values, Representative::Auto);
        let elements: Vec<Permutation> = group.elements().collect();
        let mut random = RandomSource::new(seed);
        for _ in 0..40 {
            let below =
                |limit: u32, random: &mut RandomSource| u32::try_from(random.below(limit as usize)).expect("small");
            let state: Vec<u32> = (0..slots).map(|_| below(values, &mut random)).collect();
            let mut representative = state.clone();
            canoniser.canonical(&mut action, &mut representative).expect("little work");
            let targets = canoniser.last_targets(&action, slots as usize);
            let goes_there = |element: &Permutation| {
                action.image(element, &state) == representative
                    && (0..).zip(&targets).all(|(slot, &to)| element.image(slot * values) / values == to)
            };
            assert!(elements.iter().any(goes_there), "seed {seed}, {state:?} to {targets:?}");
        }
    }
}

#[test]
fn large_groups_of_blocks_within_blocks_need_no_search() {
    let turns: Vec<SparsePermutation> = (0..4).map(|at| cycles(&[&[at, at + 1]])).collect();
    // Six servers, each with five clients and a slot of its own.
    let generators = lifted(&wreath(&turns, 6, 6), (36, 4), 6, 0);
    let group = Group::from_generators(37 * 4, generators).expect("in range");
    let (mut action, mut canoniser) = prepared(&group, 4, Representative::Auto);
    assert!(matches!(&canoniser.fast, Fast::Sorting(sorting) if sorting.has_nested), "{}", group.structure());
    let mut slow = canoniser.clone();
    slow.search_along_the_chain();
    let mut random = RandomSource::new(3);
    for _ in 0..30 {
        let state: Vec<u32> = (0..37).map(|_| u32::try_from(random.below(4)).expect("small")).collect();
        let (mut expected, mut searched) = (state.clone(), state.clone());
        let weight = canoniser.canonical(&mut action, &mut expected).expect("no search");
        assert_eq!(slow.canonical(&mut action, &mut searched).expect("ties are twins"), weight);
        for _ in 0..5 {
            let mut image = action.image(&group.random_element(&mut random), &state);
            canoniser.canonical(&mut action, &mut image).expect("no search");
            assert_eq!(image, expected);
        }
    }
}

/// Processes with a mode each, and two slots that name a process: all permutations of the processes.
fn symmetric(processes: u32) -> Group {
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

#[test]
fn twenty_processes_are_sorted_at_once() {
    let group = symmetric(20);
    let (mut action, mut canoniser) = prepared(&group, 20, Representative::Auto);
    assert!(matches!(canoniser.fast, Fast::Sorting(_)), "sorted where nothing is named");
    let mut random = RandomSource::new(7);
    for _ in 0..50 {
        let modes = 1 + random.below(3);
        let mut state: Vec<u32> = (0..20).map(|_| u32::try_from(random.below(modes)).expect("small")).collect();
        state.extend([0; 2].map(|_: u32| u32::try_from(random.below(20)).expect("small")));
        let mut expected = state.clone();
        canoniser.canonical(&mut action, &mut expected).expect("no ties but twins");
        for _ in 0..5 {
            let mut image = action.image(&group.random_element(&mut random), &state);
            canoniser.canonical(&mut action, &mut image).expect("no ties but twins");
            assert_eq!(image, expected);
        }
    }
}

/// The assertion of the search: it holds for the image under the elements that were applied, and for no other state.
#[test]
fn a_representative_outside_the_orbit_is_noticed() {
    for (_, group, (slots, values)) in random_groups(0..20) {
        let (mut action, mut canoniser) = prepared(&group, values, Representative::Auto);
        for state in states(slots, values).step_by(7) {
            for element in 0..action.elements.len() {
                let image = action.image(&action.elements[element], &state);
                let mut other = image.clone();
                other[0] = (other[0] + 1) % values;
                let mut leads = |to: &[u32]| canoniser.images.lead(&mut action, [element].into_iter(), [&state, to]);
                assert_eq!((leads(&image), leads(&other)), (Ok(true), Ok(false)));
            }
        }
    }
}

/// Symmetric groups of so many components have chains of billions of images: they are refused before these are made.
#[test]
fn a_chain_that_would_be_too_large_is_refused_early() {
    let components = 1 << 14;
    let exchange = |one: u32| {
        let pairs = [(2 * one, 2 * one + 2), (2 * one + 1, 2 * one + 3)];
        SparsePermutation::from_pairs(pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect()).expect("exchanged")
    };
    let group = Group::from_generators(2 * components as usize, (0..components - 1).map(exchange).collect());
    let group = group.expect("generators move the points");
    group.prepare(&mut Budget::unlimited()).expect("no limit");
    let chain = limits::Watch::unlimited().at_most(1 << 28).run(|| Chain::new(&group).is_none());
    assert_eq!(chain, Ok(true));
}
