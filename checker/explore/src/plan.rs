//! The plan of a run: the reductions that were considered, and their consequences for the answers.

use std::collections::BTreeMap;

use engine::Group;
use num_bigint::BigUint;

use crate::quotient;
use crate::reductions::{GroupNames, GroupUsed, HEAP_SYMMETRY, Orbits, Reduction, Representative};
use crate::watch::Watched;

/// The part of an orbit that is stored.
const ONE: &str = "one state";
const SEVERAL: &str = "one state or several";

/// The reductions of one run, and their consequences for its answers.
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
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { group: None, reductions: Vec::new(), keeps_fault_classes: true, counts_orbits: false }
    }
}

impl Plan {
    /// No quotient, with the reason.
    pub fn refused(reason: &str) -> Plan {
        let reduction = Reduction { name: "symmetry", applied: false, detail: reason.to_owned() };
        Plan { reductions: vec![reduction], ..Plan::default() }
    }

    /// The quotient by a group, if representatives can be found, with the name of the method.
    pub fn quotient(
        (group, model_order): (&Group, &BigUint),
        method: Representative,
        name: Option<&'static str>,
    ) -> Plan {
        let order = group.order();
        let Some(name) = name else {
            return Plan::refused(match method {
                Representative::Enumerate => "the group has too many elements to look at all of them for each state",
                _ => "the group acts on too many points, or not element by element",
            });
        };
        let representative = name.to_owned();
        let cut = if *model_order == order {
            String::new()
        } else {
            format!(", of {model_order} before it was cut to what is asked")
        };
        let stored = if quotient::is_exact(method) { ONE } else { SEVERAL };
        let detail = format!("{stored} an orbit of a group of order {order}{cut}; representatives by {representative}");
        let group = GroupUsed {
            order: order.to_string(),
            model_order: model_order.to_string(),
            detector: String::new(),
            representative,
            exact: quotient::is_exact(method),
            orbits: None,
            names: GroupNames::default(),
        };
        Plan {
            group: Some(group),
            reductions: vec![Reduction { name: "symmetry", applied: true, detail }],
            ..Plan::default()
        }
    }
}

/// Notes that an orbit has one representative where a bound on the work for a state was never met.
pub fn settle(group: Option<&mut GroupUsed>, reductions: &mut [Reduction], has_cut_ties: bool) {
    let Some(group) = group.filter(|group| group.representative == quotient::TIES_CUT && !has_cut_ties) else { return };
    group.exact = true;
    group.representative = quotient::NO_TIES_CUT.to_owned();
    for reduction in reductions.iter_mut().filter(|reduction| reduction.name == "symmetry") {
        reduction.detail =
            reduction.detail.replacen(SEVERAL, ONE, 1).replace(quotient::TIES_CUT, quotient::NO_TIES_CUT);
    }
}

/// The orbits of all states stored in some spaces, by size; nothing if the size of one is unknown.
pub fn orbits<S: Watched>(spaces: &mut [S]) -> Option<Orbits> {
    let mut by_size: BTreeMap<BigUint, u64> = BTreeMap::new();
    for space in spaces.iter_mut() {
        for number in 0..space.store().len() {
            *by_size.entry(space.orbit_size(number)?).or_default() += 1;
        }
    }
    let sum: BigUint = by_size.iter().map(|(size, &count)| size * count).sum();
    Some(Orbits {
        by_size: by_size.into_iter().map(|(size, count)| (size.to_string(), count)).collect(),
        sum: sum.to_string(),
        up_to_renumbering: spaces
            .iter()
            .any(|space| space.reductions().iter().any(|reduction| reduction.name == HEAP_SYMMETRY)),
    })
}
