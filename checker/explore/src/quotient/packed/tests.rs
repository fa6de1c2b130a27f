//! Representatives of packed states against brute force: all elements of random groups, on random states and their changes.

use engine::{Group, Permutation, RandomSource, SparsePermutation};

use super::Packed;
use super::literals::Literals;
use super::objects::{self, Objects};
use super::points;
use super::small::{self, Small};
use super::sorts::Sorts;
use crate::quotient::{Canoniser, Chain};
use crate::reductions::Representative;
use crate::states::{Layout, bits};
use crate::tuning::SMALL;

/// A group on literals of slots of several sizes.
struct Case {
    /// The number of values of each slot; 0 for a slot that is one literal.
    sizes: Vec<u32>,
    group: Group,
}

/// The values of a slot that is one literal.
const WIDE: u32 = 5;

/// A family of slots: the objects that index a slot, and whether its values are objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// A slot for each object.
    Modes,
    /// A slot for each object that names an object.
    Pointers,
    /// A slot that names an object, or none.
    Owner,
    /// A slot for each ordered pair of objects.
    Pairs,
    /// A slot for each pair of objects in either order.
    Sets,
    /// A slot for each object of the first and one of the second sort.
    Products,
    /// A slot for each object whose values are permuted with nothing.
    Wide,
}

/// A slot, and the objects of its index.
type Slot = (Family, Vec<u32>);

impl Case {
    /// The slots of some families over two sorts of objects.
    fn of(families: &[Family], [first, second]: [u32; 2]) -> Case {
        let objects = first + second;
        let pairs = |keeps: fn(u32, u32) -> bool| {
            (0..first).flat_map(move |a| (0..first).filter(move |&b| keeps(a, b)).map(move |b| vec![a, b]))
        };
        let slots: Vec<Slot> = families
            .iter()
            .flat_map(|&family| -> Vec<Slot> {
                let indices: Vec<Vec<u32>> = match family {
                    Family::Modes | Family::Pointers | Family::Wide => (0..first).map(|a| vec![a]).collect(),
                    Family::Owner => vec![Vec::new()],
                    Family::Pairs => pairs(|a, b| a != b).collect(),
                    Family::Sets => pairs(|a, b| a < b).collect(),
                    Family::Products => (0..first).flat_map(|a| (first..objects).map(move |b| vec![a, b])).collect(),
                };
                indices.into_iter().map(|index| (family, index)).collect()
            })
            .collect();
        let size = |&(family, _): &Slot| match family {
            Family::Wide => 0,
            Family::Pointers => first,
            Family::Owner => first + 1,
            _ => 2,
        };
        let sizes: Vec<u32> = slots.iter().map(size).collect();
        let starts = starts(&sizes);
        let lift = |permutation: &SparsePermutation| {
            let mut pairs = Vec::new();
            for (number, (family, index)) in slots.iter().enumerate() {
                let mut image: Vec<u32> = index.iter().map(|&object| permutation.image(object)).collect();
                if *family == Family::Sets {
                    image.sort_unstable();
                }
                let to = slots.iter().position(|slot| *slot == (*family, image.clone())).expect("a slot");
                for value in 0..sizes[number].max(1) {
                    let is_named = matches!(family, Family::Pointers | Family::Owner) && value < first;
                    let moved = if is_named { permutation.image(value) } else { value };
                    pairs.push((starts[number] + value, starts[to] + moved));
                }
            }
            SparsePermutation::from_pairs(pairs).expect("a bijection")
        };
        let exchange = |a: u32| SparsePermutation::from_cycles(&[&[a, a + 1]]).expect("an exchange");
        let exchanges = (0..objects - 1).filter(|&a| a + 1 != first).map(exchange);
        let generators = exchanges.map(|exchange| lift(&exchange)).collect();
        let degree = starts[sizes.len()] as usize;
        Case { sizes, group: Group::from_generators(degree, generators).expect("points") }
    }

    fn literals(&self) -> Literals {
        let widths = self.sizes.iter().map(|&size| bits(if size == 0 { WIDE } else { size } - 1)).collect();
        let starts = starts(&self.sizes);
        let wide = self.sizes.iter().map(|&size| size == 0).collect();
        let count = starts[self.sizes.len()] as usize;
        Literals::new(Layout::new(widths), starts[..self.sizes.len()].to_vec(), count, wide)
    }

    fn state(&self, random: &mut RandomSource) -> Vec<u32> {
        let sparse = random.below(2) == 0;
        let value = |&size: &u32| {
            let count = if size == 0 { WIDE } else { size } as usize;
            if sparse && random.below(3) > 0 { 0 } else { u32::try_from(random.below(count)).expect("small") }
        };
        self.sizes.iter().map(value).collect()
    }

    fn image(&self, element: &Permutation, state: &[u32]) -> Vec<u32> {
        let starts = starts(&self.sizes);
        let mut image = state.to_vec();
        for (slot, &value) in state.iter().enumerate() {
            let point = element.image(starts[slot] + if self.sizes[slot] == 0 { 0 } else { value });
            let to = starts.partition_point(|&start| start <= point) - 1;
            image[to] = if self.sizes[to] == 0 { value } else { point - starts[to] };
        }
        image
    }
}

/// The first literal of each slot, and the number of literals.
fn starts(sizes: &[u32]) -> Vec<u32> {
    let mut starts = vec![0];
    for size in sizes {
        starts.push(starts[starts.len() - 1] + (*size).max(1));
    }
    starts
}

fn pack(literals: &Literals, state: &[u32]) -> Vec<u64> {
    let mut words = vec![0; literals.layout().stride()];
    for (slot, &value) in state.iter().enumerate() {
        literals.layout().set(&mut words, slot, value);
    }
    words
}

/// A method under test.
trait Method {
    fn begin(&mut self, literals: &Literals, state: &[u64]);
    fn canonical(&mut self, literals: &Literals, state: &mut [u64]) -> Option<u128>;
    fn successor(&mut self, literals: &Literals, state: &mut [u64]) -> bool;
}

impl Method for Small {
    fn begin(&mut self, literals: &Literals, state: &[u64]) {
        Small::begin(self, literals, state);
    }
    fn canonical(&mut self, literals: &Literals, state: &mut [u64]) -> Option<u128> {
        Some(Small::canonical(self, literals, state))
    }
    fn successor(&mut self, literals: &Literals, state: &mut [u64]) -> bool {
        Small::successor(self, literals, state);
        true
    }
}

impl Method for Objects {
    fn begin(&mut self, _: &Literals, state: &[u64]) {
        Objects::begin(self, state);
    }
    fn canonical(&mut self, literals: &Literals, state: &mut [u64]) -> Option<u128> {
        Objects::canonical(self, literals, state)
    }
    fn successor(&mut self, literals: &Literals, state: &mut [u64]) -> bool {
        Objects::successor(self, literals, state)
    }
}

/// Whether all images of random states have one representative, which is one of them, with the order of the stabiliser; and whether
/// successors have the representatives that they have as states.
fn is_right(case: &Case, method: &mut dyn Method, seed: u64) -> bool {
    let literals = case.literals();
    let elements: Vec<Permutation> = case.group.elements().collect();
    let mut random = RandomSource::new(seed);
    for _ in 0..12 {
        let state = case.state(&mut random);
        let images: Vec<Vec<u32>> = elements.iter().map(|element| case.image(element, &state)).collect();
        let stabiliser = images.iter().filter(|image| **image == state).count() as u128;
        let packed: Vec<Vec<u64>> = images.iter().map(|image| pack(&literals, image)).collect();
        let mut representative = packed[0].clone();
        let is_known = method.canonical(&literals, &mut representative).is_some();
        if is_known && !packed.contains(&representative) {
            return false;
        }
        for image in &packed {
            let mut found = image.clone();
            let weight = method.canonical(&literals, &mut found);
            if weight.is_some() != is_known || is_known && (found != representative || weight != Some(stabiliser)) {
                return false;
            }
        }
        method.begin(&literals, &packed[0]);
        // Exchanges of the same values in several places are images of each other where these are twins.
        for change in 0..24 {
            let mut next = state.clone();
            for _ in 0..1 + change % 3 {
                let slot = random.below(next.len());
                let count = if case.sizes[slot] == 0 { WIDE } else { case.sizes[slot] } as usize;
                next[slot] = u32::try_from(random.below(count)).expect("small");
            }
            let (mut found, mut wanted) = (pack(&literals, &next), pack(&literals, &next));
            let is_found = method.successor(&literals, &mut found);
            if is_found != method.canonical(&literals, &mut wanted).is_some() || found != wanted {
                return false;
            }
        }
    }
    true
}

/// Families and numbers of objects.
fn cases() -> impl Iterator<Item = (u64, Case)> {
    use Family::{Modes, Owner, Pairs, Pointers, Products, Sets, Wide};
    let shapes: [(&[Family], [u32; 2]); 18] = [
        (&[Modes, Pairs], [4, 0]),
        (&[Pairs], [4, 0]),
        (&[Modes, Sets], [5, 0]),
        (&[Sets], [5, 0]),
        (&[Modes, Pointers], [4, 0]),
        (&[Pointers], [5, 0]),
        (&[Modes, Owner], [5, 0]),
        (&[Modes, Products], [3, 2]),
        (&[Products], [3, 3]),
        (&[Modes, Owner, Products], [4, 2]),
        (&[Modes, Wide], [4, 0]),
        (&[Modes, Wide, Pairs, Owner], [3, 0]),
        (&[Modes, Sets, Pointers], [4, 0]),
        (&[Modes, Pairs], [2, 0]),
        // Objects of the second sort are blocks of literals.
        (&[Products], [4, 2]),
        (&[Products, Pairs], [4, 2]),
        (&[Owner, Products, Wide], [3, 3]),
        // States of two words.
        (&[Modes, Wide, Pairs, Sets, Pointers], [5, 0]),
    ];
    (0..).zip(shapes).map(|(seed, (families, sizes))| (seed, Case::of(families, sizes)))
}

fn small(case: &Case, wrong: small::Wrong) -> Small {
    Small::new(&case.literals(), case.group.elements().collect(), wrong).expect("small tables")
}

fn objects(case: &Case, wrong: objects::Wrong) -> Option<Objects> {
    let literals = case.literals();
    Some(Objects::new(&literals, Sorts::new(&case.group, &literals, points::Wrong::default())?, wrong))
}

#[test]
fn packed_images_of_small_groups_are_one_an_orbit() {
    for (seed, case) in cases() {
        for has_few_hashes in [false, true] {
            let wrong = small::Wrong { has_few_hashes, ..Default::default() };
            assert!(is_right(&case, &mut small(&case, wrong), seed), "case {seed}, few hashes: {has_few_hashes}");
        }
    }
}

#[test]
fn wrong_images_of_small_groups_are_caught() {
    let first = small::Wrong { has_few_hashes: true, takes_the_first: true, ..Default::default() };
    let literals = small::Wrong { keeps_old_literals: true, ..Default::default() };
    for wrong in [first, literals, small::Wrong { keeps_old_bits: true, ..Default::default() }] {
        assert!(cases().any(|(seed, case)| !is_right(&case, &mut small(&case, wrong), seed)), "{wrong:?}");
    }
}

#[test]
fn labelled_structures_are_one_an_orbit() {
    let mut labelled = 0;
    for (seed, case) in cases() {
        for has_few_colours in [false, true] {
            let wrong = objects::Wrong { has_few_colours, ..Default::default() };
            let Some(mut method) = objects(&case, wrong) else { continue };
            labelled += 1;
            assert!(is_right(&case, &mut method, seed), "case {seed}, few colours: {has_few_colours}");
        }
    }
    // Two objects whose sort has no orbit of two literals are no sort.
    assert!(labelled >= 16, "{labelled} groups labelled");
}

#[test]
fn wrong_labels_are_caught() {
    let tie = objects::Wrong { follows_one_tie: true, has_few_colours: true, ..Default::default() };
    let twins = objects::Wrong { takes_ties_for_twins: true, ..Default::default() };
    let classes = objects::Wrong { forgets_classes: true, ..Default::default() };
    let all = objects::Wrong { keeps_all_twins: true, ..Default::default() };
    for wrong in [tie, twins, classes, all, objects::Wrong { forgets_zeros: true, ..Default::default() }] {
        let is_caught =
            |(seed, case): (u64, Case)| objects(&case, wrong).is_some_and(|mut own| !is_right(&case, &mut own, seed));
        assert!(cases().any(is_caught), "{wrong:?}");
    }
}

/// Objects that do not determine the elements of the group give one orbit several representatives.
#[test]
fn too_few_objects_are_caught() {
    let is_caught = |(seed, case): (u64, Case)| {
        let literals = case.literals();
        let few = Sorts::new(&case.group, &literals, points::Wrong { takes_some_objects: true });
        few.is_some_and(|few| !is_right(&case, &mut Objects::new(&literals, few, objects::Wrong::default()), seed))
    };
    assert!(cases().any(is_caught));
}

/// A rotation is no sort, and neither is a group that keeps a matching of its objects, though one of its orbits has six points.
#[test]
fn other_groups_have_no_sorts() {
    let rotation = SparsePermutation::from_cycles(&[&[0, 2, 4, 6], &[1, 3, 5, 7]]).expect("a rotation");
    let case = Case { sizes: vec![2; 4], group: Group::from_generators(8, vec![rotation]).expect("points") };
    assert!(Sorts::new(&case.group, &case.literals(), points::Wrong::default()).is_none());
    // A literal that says which of four objects are partners is not determined by objects with roles.
    let exchange = |cycles: &[&[u32]]| SparsePermutation::from_cycles(cycles).expect("an exchange");
    let generators = vec![
        exchange(&[&[0, 2], &[1, 3], &[9, 10]]),
        exchange(&[&[2, 4], &[3, 5], &[8, 9]]),
        exchange(&[&[4, 6], &[5, 7], &[9, 10]]),
    ];
    let case = Case { sizes: vec![2, 2, 2, 2, 3], group: Group::from_generators(11, generators).expect("points") };
    assert_eq!(case.group.order(), 24u32.into());
    assert!(Sorts::new(&case.group, &case.literals(), points::Wrong::default()).is_none());
}

/// The method is chosen by the shape of the group.
#[test]
fn the_shape_chooses_the_packed_method() {
    let of = |case: &Case| {
        let mut chain = Chain::new(&case.group).expect("a small group");
        assert!(chain.add_for(Representative::Auto, &case.group));
        let starts = starts(&case.sizes);
        let elements = chain.elements().to_vec();
        let target = |element: usize, slot: usize| {
            let point = elements[element].image(starts[slot]);
            starts.partition_point(|&start| start <= point) - 1
        };
        let canoniser = Canoniser::new(chain, case.sizes.len(), &target, &SMALL);
        let labelling = Packed::labelling(&case.group, &case.literals());
        let packed = labelling.or_else(|| Packed::new(&case.group, &canoniser, case.literals()));
        packed.map(|packed| packed.name())
    };
    assert_eq!(of(&Case::of(&[Family::Pairs, Family::Modes], [5, 0])), Some(Some(super::LABELLING)));
    assert_eq!(of(&Case::of(&[Family::Pairs, Family::Modes], [4, 0])), Some(Some(super::LEAST_IMAGE)));
    assert_eq!(of(&Case::of(&[Family::Modes], [2, 0])), Some(None));
    assert_eq!(of(&Case::of(&[Family::Products, Family::Modes], [5, 2])), Some(Some(super::LABELLING)));
    assert_eq!(of(&Case::of(&[Family::Products], [5, 2])), Some(Some(super::LABELLING)));
}
