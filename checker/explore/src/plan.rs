//! The plan of a run: the reductions that were considered, and their consequences for the answers.

use std::collections::BTreeMap;

use engine::Group;
use num_bigint::BigUint;

use crate::growth::Measure;
use crate::quotient;
use crate::reductions::{GroupNames, GroupUsed, Orbits, Outcome, Reduction, ReductionKind, Refusal, Representative};
use crate::report::DataUse;
use crate::search::Sharded;
use crate::watch::Watched;

/// The reductions of one run, and what they mean for its answers.
#[derive(Debug)]
pub struct Plan {
    /// The group of the quotient.
    pub group: Option<GroupUsed>,
    /// All reductions that were considered.
    pub reductions: Vec<Reduction>,
    /// Whether a fault of one class in a state implies one of the same class in every state of its orbit.
    pub keeps_fault_classes: bool,
    /// Whether orbits are counted after the search.
    pub counts_orbits: bool,
    /// Whether a state has as many transitions as every state of its orbit.
    pub keeps_transitions: bool,
    /// The sorts of data whose values are counted after the search.
    pub data: Vec<DataValues>,
    /// The variables that are measured where a limit ends the search.
    pub measures: Vec<Measure>,
}

/// A sort of data, whose values a complete search counts in each state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataValues {
    /// What is said of the sort; the values in use are counted.
    pub data: DataUse,
    /// The data, ascending.
    pub values: Vec<i32>,
    /// The elements of the state that may hold some.
    pub elements: Vec<usize>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            group: None,
            reductions: Vec::new(),
            keeps_fault_classes: true,
            counts_orbits: false,
            keeps_transitions: true,
            data: Vec::new(),
            measures: Vec::new(),
        }
    }
}

impl Plan {
    /// No quotient, and why.
    pub fn refused(refusal: Refusal) -> Plan {
        Plan { reductions: vec![Reduction::refused(ReductionKind::Symmetry, refusal)], ..Plan::default() }
    }

    /// The quotient by a group, if representatives can be found, with the name of the method.
    pub fn quotient(group: &Group, model_order: &BigUint, method: Representative, name: Option<&'static str>) -> Plan {
        let order = group.order();
        assert!(order <= *model_order, "the group that is used is a part of that of the model");
        let Some(name) = name else {
            return Plan::refused(match method {
                Representative::Enumerate => Refusal::TooManyElements,
                _ => Refusal::TooManyPoints,
            });
        };
        Plan::of_group(GroupUsed {
            order: order.to_string(),
            model_order: model_order.to_string(),
            detector: String::new(),
            representative: name.to_owned(),
            exact: quotient::is_exact(method),
            orbits: None,
            names: GroupNames::default(),
        })
    }

    /// The quotient by this group.
    pub fn of_group(group: GroupUsed) -> Plan {
        let outcome = Outcome::Quotient {
            order: group.order.clone(),
            model_order: group.model_order.clone(),
            representative: group.representative.clone(),
            is_exact: group.exact,
        };
        Plan {
            group: Some(group),
            reductions: vec![Reduction { kind: ReductionKind::Symmetry, outcome }],
            ..Plan::default()
        }
    }
}

/// Notes that an orbit has one representative where a bound on the work for a state was never met.
pub fn settle(group: Option<&mut GroupUsed>, reductions: &mut [Reduction], has_cut_ties: bool) {
    let Some(group) = group.filter(|group| group.representative == quotient::TIES_CUT && !has_cut_ties) else { return };
    group.exact = true;
    group.representative = quotient::NO_TIES_CUT.to_owned();
    for reduction in reductions.iter_mut() {
        if let Outcome::Quotient { representative, is_exact, .. } = &mut reduction.outcome {
            (*representative, *is_exact) = (group.representative.clone(), true);
        }
    }
}

/// The orbits of all states stored in some spaces, by size; nothing if the size of one is unknown. The transitions are
/// those of the stored states, once more, each state with the size of its orbit.
pub fn orbits<S: Watched + Sharded>(spaces: &mut [S], keeps_transitions: bool) -> Option<Orbits> {
    let mut by_size: BTreeMap<BigUint, u64> = BTreeMap::new();
    let mut transitions = keeps_transitions.then(BigUint::default);
    for space in spaces.iter_mut() {
        let (mut words, mut expansion) = (Vec::new(), S::Expansion::default());
        for number in 0..space.store().len() {
            let size = space.orbit_size(number)?;
            words.clear();
            space.store().read(number, &mut words);
            let own = transitions.as_ref().and_then(|_| space.steps(&words, &mut expansion).ok());
            transitions = transitions.zip(own).map(|(sum, own)| sum + &size * own);
            *by_size.entry(size).or_default() += 1;
        }
    }
    let sum: BigUint = by_size.iter().map(|(size, &count)| size * count).sum();
    Some(Orbits {
        by_size: by_size.into_iter().map(|(size, count)| (size.to_string(), count)).collect(),
        sum: sum.to_string(),
        transitions: transitions.map(|sum| sum.to_string()),
        up_to_renumbering: spaces
            .iter()
            .any(|space| space.reductions().iter().any(|reduction| reduction.kind == ReductionKind::HeapSymmetry)),
    })
}

/// The most values of each sort of data that a stored state holds.
pub fn data_in_use<S: Watched + Sharded>(spaces: &mut [S], list: &[DataValues]) -> Vec<DataUse> {
    let mut found: Vec<DataUse> = list.iter().map(|one| one.data.clone()).collect();
    let mut values = Vec::new();
    for space in spaces.iter_mut() {
        for number in 0..space.store().len() {
            for (DataValues { values: own, elements, .. }, data) in list.iter().zip(&mut found) {
                limits::work(elements.len() as u64);
                values.clear();
                space.values_of(number, elements, &mut values);
                values.retain(|value| own.binary_search(value).is_ok());
                values.sort_unstable();
                values.dedup();
                data.used = data.used.max(values.len() as u64);
            }
        }
    }
    found
}
