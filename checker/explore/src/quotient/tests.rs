//! Representatives against brute force: all elements, all states, Burnside's count.

mod groups;

use engine::{Budget, Group, Permutation, RandomSource, SparsePermutation};

use self::groups::{
    cycles, group_with_pairs, groups_of_blocks, groups_of_nested_blocks, groups_with_names, lifted, random_groups,
    symmetric, wreath,
};
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

#[test]
fn states_with_names_are_sorted_once_an_orbit() {
    for (seed, group, size) in groups_with_names(0..2).chain([group_with_pairs()]) {
        let (_, canoniser) = prepared(&group, size.1, Representative::Auto);
        assert!(matches!(canoniser.fast, Fast::Sorting(_)), "{} for seed {seed}", group.structure());
        assert!(is_right(&group, size, Way::Shape), "seed {seed}");
    }
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
