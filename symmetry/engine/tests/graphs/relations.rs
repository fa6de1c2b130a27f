//! Containment and conjugacy of groups against lists of all elements.

use std::collections::BTreeSet;

use quotient_engine::{Budget, Conjugacy, Containment, Group, Permutation, SparsePermutation};

use crate::support::Random;

/// All elements of a group, by multiplying until nothing is new.
fn elements(group: &Group) -> BTreeSet<Vec<u32>> {
    let dense: Vec<Permutation> =
        group.generators().iter().map(|one| one.to_dense(group.degree()).expect("in range")).collect();
    let identity = Permutation::identity(group.degree());
    let mut found = BTreeSet::from([identity.images().to_vec()]);
    let mut queue = vec![identity];
    while let Some(element) = queue.pop() {
        for generator in &dense {
            let next = element.then(generator);
            if found.insert(next.images().to_vec()) {
                queue.push(next);
            }
        }
    }
    found
}

fn permutation(images: &[u32]) -> Permutation {
    Permutation::from_images(images.to_vec()).expect("a bijection")
}

/// The slow twin of the search: all elements of the ambient group, one after the other.
fn conjugates(one: &BTreeSet<Vec<u32>>, other: &BTreeSet<Vec<u32>>, ambient: &BTreeSet<Vec<u32>>) -> bool {
    ambient.iter().any(|by| {
        let (by, back) = (permutation(by), permutation(by).inverse());
        let image = |own: &Vec<u32>| back.then(&permutation(own)).then(&by).images().to_vec();
        one.iter().map(image).collect::<BTreeSet<_>>() == *other
    })
}

fn containment(one: &BTreeSet<Vec<u32>>, other: &BTreeSet<Vec<u32>>) -> Containment {
    match (one.is_subset(other), other.is_subset(one)) {
        (true, true) => Containment::Equal,
        (true, false) => Containment::Subgroup,
        (false, true) => Containment::Supergroup,
        (false, false) => Containment::Incomparable,
    }
}

fn generated(degree: usize, list: &[Vec<u32>]) -> Group {
    let list = list.iter().map(|images| permutation(images).to_sparse());
    Group::from_generators(degree, list.collect()).expect("in range")
}

#[test]
fn random_groups_against_all_elements() {
    let mut random = Random::new(11);
    let (mut yes, mut no, mut kinds) = (0, 0, BTreeSet::new());
    for round in 0..600 {
        let degree = 3 + random.below(3);
        let ambient: Vec<Vec<u32>> = (0..1 + random.below(3)).map(|_| random.permutation(degree)).collect();
        let ambient = generated(degree, &ambient);
        let all: Vec<Vec<u32>> = elements(&ambient).into_iter().collect();
        let mut some = |most: usize| -> Vec<Vec<u32>> {
            (0..1 + random.below(most)).map(|_| all[random.below(all.len())].clone()).collect()
        };
        let one = some(2);
        let other = if round % 2 == 0 {
            some(2)
        } else {
            let by = permutation(&some(1)[0]);
            one.iter().map(|own| by.inverse().then(&permutation(own)).then(&by).images().to_vec()).collect()
        };
        let (one, other) = (generated(degree, &one), generated(degree, &other));
        let (own, others, all) = (elements(&one), elements(&other), all.into_iter().collect());
        let found = one.containment_within(&other, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(found, containment(&own, &others), "{one:?} {other:?}");
        kinds.insert(format!("{found:?}"));
        let outside = one.outside_within(&other, &mut Budget::unlimited()).expect("no limit");
        for (place, generator) in one.generators().iter().enumerate() {
            let images = generator.to_dense(degree).expect("in range").images().to_vec();
            assert_eq!(outside.contains(&place), !others.contains(&images));
        }
        let is_conjugate = conjugates(&own, &others, &all);
        match one.conjugacy_within(&other, &ambient, usize::MAX, &mut Budget::unlimited()) {
            Conjugacy::Conjugate(_) => {
                assert!(is_conjugate, "{one:?} {other:?} {ambient:?}");
                yes += 1;
            }
            Conjugacy::NotConjugate => {
                assert!(!is_conjugate, "{one:?} {other:?} {ambient:?}");
                no += 1;
            }
            Conjugacy::Undecided => panic!("no bound is met"),
        }
        // A bound may leave the question open, and never changes an answer.
        match one.conjugacy_within(&other, &ambient, 1, &mut Budget::unlimited()) {
            Conjugacy::Conjugate(_) => assert!(is_conjugate),
            Conjugacy::NotConjugate => assert!(!is_conjugate),
            Conjugacy::Undecided => {}
        }
    }
    assert!(yes > 100 && no > 100 && kinds.len() == 4, "{yes} {no} {kinds:?}");
}

fn cycles(degree: usize, list: &[&[&[u32]]]) -> Group {
    let list = list.iter().map(|cycles| SparsePermutation::from_cycles(cycles).expect("disjoint"));
    Group::from_generators(degree, list.collect()).expect("in range")
}

#[test]
fn groups_of_one_order_and_shape_are_told_apart() {
    let all = cycles(6, &[&[&[0, 1]], &[&[0, 1, 2, 3, 4, 5]]]);
    let one = cycles(6, &[&[&[0, 1], &[2, 3]], &[&[0, 2], &[1, 3]]]);
    // Order 4 and one orbit of four points, as the first, but cyclic.
    let other = cycles(6, &[&[&[0, 1, 2, 3]]]);
    let far = cycles(6, &[&[&[2, 3], &[4, 5]], &[&[2, 4], &[3, 5]]]);
    let within = |one: &Group, other: &Group, ambient: &Group, most| {
        one.conjugacy_within(other, ambient, most, &mut Budget::unlimited())
    };
    assert_eq!(within(&one, &other, &all, 1000), Conjugacy::NotConjugate);
    assert!(matches!(within(&one, &far, &all, 1000), Conjugacy::Conjugate(_)));
    // The question is about the ambient group: this one takes no group to another.
    assert_eq!(within(&one, &far, &one, 1000), Conjugacy::NotConjugate);
}

#[test]
fn bounds_leave_the_question_open() {
    let degree = 24;
    let turn: Vec<u32> = (0..degree).collect();
    let all = cycles(24, &[&[&[0, 1]], &[&turn]]);
    let one = cycles(24, &[&[&turn]]);
    let mixed: Vec<u32> = (0..degree).map(|point| point * 5 % 24).map(|point| point ^ 1).collect();
    let other = cycles(24, &[&[&mixed]]);
    assert_eq!(one.conjugacy_within(&other, &all, 50, &mut Budget::unlimited()), Conjugacy::Undecided);
    let mut short = Budget::unlimited().with_max_steps(100_000);
    assert_eq!(one.conjugacy_within(&other, &all, usize::MAX, &mut short), Conjugacy::Undecided);
}
