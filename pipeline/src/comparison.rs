//! Groups that several detectors find for one model, compared as groups.
//!
//! The generators of all groups are written on common points ([`Language::on_common_points`]). Which group contains which is decided by
//! sifting generators. Two groups of which neither contains the other are searched for an element that conjugates one to the other. The
//! *ambient group* of that search is the group that all detectors together generate: each of its elements is a proved symmetry of the
//! model, so that conjugate groups have isomorphic quotients, with the same number of states.
//!
//! # Soundness
//!
//! Nothing here enters a verdict. A relation that a limit leaves open is said to be open.

use engine::{Budget, Conjugacy, Containment, Group, SparsePermutation};

use crate::language::Language;

/// The most conjugates that a search keeps.
const MOST_CONJUGATES: usize = 4096;

/// The most steps of a search for a conjugating element: about half a second.
const CONJUGACY_STEPS: u64 = 1 << 27;

/// The generators of some groups on common points.
pub struct CommonPoints {
    /// The number of points.
    pub degree: usize,
    /// For each group its generators.
    pub generators: Vec<Vec<SparsePermutation>>,
}

/// How the groups of two detectors stand to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They have the same elements.
    Equal,
    /// The first is a proper subgroup of the second, of this index, decimal.
    Subgroup(String),
    /// The second is a proper subgroup of the first, of this index, decimal.
    Supergroup(String),
    /// They differ, and a symmetry of the model conjugates one to the other.
    Conjugate,
    /// Neither contains the other, and no symmetry in the ambient group conjugates one to the other.
    Incomparable,
    /// Neither contains the other; whether they are conjugate was not decided within the bounds.
    Undecided,
    /// A limit came first, or there are no common points.
    Unknown,
}

/// Two groups, by their places in the list, and how they stand to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The places.
    pub of: [usize; 2],
    /// The relation of the first to the second.
    pub relation: Relation,
    /// For each of the two the places of its generators that are not in the other group.
    pub outside: [Vec<usize>; 2],
}

/// The comparison of the groups of one model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Comparison {
    /// All pairs.
    pub pairs: Vec<Pair>,
    /// For each group and each of its generators the places of all groups that contain it; empty where a limit came first.
    pub found_by: Vec<Vec<Vec<usize>>>,
    /// The order of the ambient group, decimal, where it is known.
    pub ambient_order: Option<String>,
}

/// Compares groups of one model.
pub fn compare<L: Language>(model: &L, groups: &[&L::Group]) -> Comparison {
    let watch = limits::watch();
    let common = watch.share(1, 2).run(|| {
        limits::phase("comparing groups");
        let common = model.on_common_points(groups)?;
        assert_eq!(common.generators.len(), groups.len(), "each group has its generators on the common points");
        let group = |list: &Vec<SparsePermutation>| Group::from_generators(common.degree, list.clone()).ok();
        let groups: Vec<Group> = common.generators.iter().map(group).collect::<Option<_>>()?;
        let ambient = Group::from_generators(common.degree, smallest(&groups)).ok()?;
        Some((common, groups, ambient))
    });
    let Ok(Some((common, groups, ambient))) = common else {
        return Comparison { pairs: unknown(groups.len()), ..Comparison::default() };
    };
    let ambient_order = watch.share(1, 2).run(|| ambient.order().to_string()).ok();
    let mut pairs = unknown(groups.len());
    for pair in &mut pairs {
        let [one, other] = pair.of.map(|place| Member { group: &groups[place], generators: &common.generators[place] });
        if let Ok((relation, outside)) = watch.share(1, 2).run(|| related(&one, &other, &ambient)) {
            (pair.relation, pair.outside) = (relation, outside);
        }
    }
    let holders = |generator: &SparsePermutation| -> Vec<usize> {
        (0..).zip(&groups).filter(|(_, group)| group.contains_sparse(generator)).map(|(place, _)| place).collect()
    };
    let found_by = || common.generators.iter().map(|list| list.iter().map(holders).collect()).collect();
    let found_by: Vec<Vec<Vec<usize>>> = watch.share(1, 2).run(found_by).unwrap_or_default();
    let has_own = |(own, list): (usize, &Vec<Vec<usize>>)| list.iter().all(|holders| holders.contains(&own));
    assert!(found_by.iter().enumerate().all(has_own), "a group has its generators");
    Comparison { pairs, found_by, ambient_order }
}

/// Generators of the group that all groups generate together: those of the largest, and of the others those that are not in it.
fn smallest(groups: &[Group]) -> Vec<SparsePermutation> {
    let largest = groups.iter().max_by_key(|group| group.order());
    let mut list = largest.map_or_else(Vec::new, |group| group.generators().to_vec());
    let others = groups.iter().flat_map(Group::generators);
    let more: Vec<SparsePermutation> =
        others.filter(|one| largest.is_some_and(|group| !group.contains_sparse(one))).cloned().collect();
    list.extend(more);
    list
}

/// All pairs, not compared.
fn unknown(many: usize) -> Vec<Pair> {
    let pairs = (0..many).flat_map(|one| (one + 1..many).map(move |other| [one, other]));
    pairs.map(|of| Pair { of, relation: Relation::Unknown, outside: [Vec::new(), Vec::new()] }).collect()
}

/// A group with its generators as the detector lists them.
struct Member<'g> {
    group: &'g Group,
    generators: &'g [SparsePermutation],
}

impl Member<'_> {
    /// The places of the generators that are not in another group.
    fn outside(&self, other: &Group) -> Vec<usize> {
        let numbered = self.generators.iter().enumerate();
        numbered.filter(|(_, generator)| !other.contains_sparse(generator)).map(|(place, _)| place).collect()
    }
}

fn related(one: &Member<'_>, other: &Member<'_>, ambient: &Group) -> (Relation, [Vec<usize>; 2]) {
    let outside = [one.outside(other.group), other.outside(one.group)];
    let index = |small: &Member<'_>, large: &Member<'_>| {
        let (small, large) = (small.group.order(), large.group.order());
        assert_eq!(&large % &small, 0u32.into(), "the order of a subgroup divides that of the group");
        (large / small).to_string()
    };
    let contained = one.group.containment_within(other.group, &mut Budget::unlimited());
    let relation = match contained.expect("no limit") {
        Containment::Equal => Relation::Equal,
        Containment::Subgroup => Relation::Subgroup(index(one, other)),
        Containment::Supergroup => Relation::Supergroup(index(other, one)),
        Containment::Incomparable => {
            let mut budget = Budget::unlimited().with_max_steps(CONJUGACY_STEPS);
            match one.group.conjugacy_within(other.group, ambient, MOST_CONJUGATES, &mut budget) {
                Conjugacy::Conjugate(_) => Relation::Conjugate,
                Conjugacy::NotConjugate => Relation::Incomparable,
                Conjugacy::Undecided => Relation::Undecided,
            }
        }
    };
    let is_equal = outside.iter().all(Vec::is_empty);
    assert_eq!(relation == Relation::Equal, is_equal, "equal groups have each other's generators");
    (relation, outside)
}
