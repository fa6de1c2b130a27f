//! Symmetry by declared scalar sets: members are exchanged in every value and index, and the least image stands for its orbit.
//!
//! A declaration is a claim. It is checked in every evaluation of the search: the reference interpreter notes where the
//! order of members may show (`independence`), and then the search is repeated without the quotient. What an evaluation does
//! not show commutes with every exchange, so that the steps of an image are the images of the steps.
//!
//! Soundness: by induction along a run every state has its orbit in the store, provided that no evaluation at a stored state
//! was noted. Models with multisets are left alone, since their slots have an order.

use std::sync::atomic::{AtomicBool, Ordering};

use explore::memory::bytes_of;
use explore::plan::Plan;
use explore::reductions::{GeneratorNames, GroupNames, GroupUsed, Outcome, Reduction, ReductionKind};
use frontend::murphi::interpret::State;
use frontend::murphi::program::{Program, SortId, TypeId, TypeKind};

use super::packing::{cell, value};

/// The most elements of a group that are tried on each state.
const MOST_ELEMENTS: usize = 40_320;

/// The most cells of all images of a state.
const MOST_CELLS: usize = 1 << 24;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// The quotient is used although the order of members shows.
        ignores_order,
    }
}

/// The group of the scalar sets of a model.
#[derive(Debug)]
pub(super) struct Symmetry {
    /// The scalar sets of more than one member.
    pub(super) sorts: Vec<SortId>,
    /// Its elements but the identity.
    elements: Vec<Element>,
    /// Whether a cell holds names.
    holds_names: Vec<bool>,
    /// Whether the order of members showed.
    is_broken: AtomicBool,
    pub(super) wrong: Wrong,
}

/// An exchange of members.
#[derive(Debug)]
struct Element {
    /// The member that each member becomes.
    members: Vec<i32>,
    /// The cell that moves to each cell.
    from: Vec<u32>,
}

impl Symmetry {
    /// The symmetries that a model declares; `None` if there are none, or too many, or multisets.
    pub(super) fn new(program: &Program) -> Option<Symmetry> {
        let types = &program.types;
        if types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. })) {
            return None;
        }
        let is_declared = |&id: &SortId| types.sort(id).members.is_none() && types.sort(id).size > 1;
        let mut sorts: Vec<SortId> = (0..types.sorts.len()).map(SortId::from_index).filter(is_declared).collect();
        let most = MOST_ELEMENTS.min(MOST_CELLS / program.cells().max(1));
        sorts.sort_by_key(|&id| types.sort(id).size);
        while order(program, &sorts).is_none_or(|order| order > most) {
            // A part of the scalar sets gives a smaller group.
            sorts.pop();
        }
        if sorts.is_empty() {
            return None;
        }
        let mut holds_names = Vec::with_capacity(program.cells());
        for variable in &program.variables {
            names(program, variable.of, &sorts, &mut holds_names);
        }
        let elements = exchanges(program, &sorts).into_iter().map(|members| Element::new(program, members));
        let elements = elements.skip(1).collect();
        Some(Symmetry { sorts, elements, holds_names, is_broken: AtomicBool::new(false), wrong: Wrong::default() })
    }

    /// Notes that the order of members may have shown.
    pub(super) fn note(&self, is_broken: bool) {
        if is_broken {
            self.is_broken.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the order of members may have shown.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed) && !self.wrong.ignores_order()
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        self.elements.iter().map(|element| bytes_of::<u32>(element.from.len() + element.members.len())).sum()
    }

    /// The least image of a state.
    pub(super) fn least(&self, state: &[i64], least: &mut Vec<i64>) {
        least.clear();
        least.extend_from_slice(state);
        for element in &self.elements {
            let image = |at: usize| self.image(element, state, at);
            let differing = (0..state.len()).find(|&at| image(at) != least[at]);
            if let Some(first) = differing.filter(|&at| image(at) < least[at]) {
                (first..state.len()).for_each(|at| least[at] = image(at));
            }
        }
    }

    /// As [`Symmetry::least`], of a state of the reference semantics.
    pub(super) fn least_state(&self, state: &State) -> State {
        let (state, mut least): (Vec<i64>, _) = (state.iter().copied().map(value).collect(), Vec::new());
        self.least(&state, &mut least);
        least.into_iter().map(cell).collect()
    }

    /// A slot of an image.
    #[inline]
    fn image(&self, element: &Element, state: &[i64], at: usize) -> i64 {
        let value = state[element.from[at] as usize];
        match usize::try_from(value) {
            Ok(member) if self.holds_names[at] => element.members[member].into(),
            _ => value,
        }
    }

    /// The plan of a search with this group.
    pub(super) fn plan(&self, program: &Program) -> Plan {
        let order = (self.elements.len() + 1).to_string();
        let representative = "least image".to_owned();
        let outcome = Outcome::Quotient {
            order: order.clone(),
            model_order: order.clone(),
            representative: representative.clone(),
            is_exact: true,
        };
        let group = GroupUsed {
            order: order.clone(),
            model_order: order,
            detector: "scalar-set".to_owned(),
            representative,
            exact: true,
            orbits: None,
            names: self.names(program),
        };
        Plan {
            group: Some(group),
            reductions: vec![Reduction { kind: ReductionKind::Symmetry, outcome }],
            // The first of several faults may differ between the images of a step.
            keeps_fault_classes: false,
            counts_orbits: false,
        }
    }

    fn names(&self, program: &Program) -> GroupNames {
        let members = |&id: &SortId| -> Vec<String> {
            let of = TypeId::from_index(
                program
                    .types
                    .list
                    .iter()
                    .position(|of| of.kind == TypeKind::Names(vec![id]))
                    .expect("a sort has a type"),
            );
            let values = program.types.values(of).into_iter().flatten();
            values.map(|value| program.types.value_text(of, value)).collect()
        };
        let orbits: Vec<Vec<String>> = self.sorts.iter().map(members).collect();
        let generators = orbits.iter().flat_map(|members| members.windows(2)).map(|pair| GeneratorNames {
            cycles: vec![pair.to_vec()],
            kind: "data",
            rules: vec!["scalar-set"],
        });
        let factors: Vec<String> = orbits.iter().map(|members| format!("S{}", members.len())).collect();
        GroupNames { structure: factors.join(" x "), generators: generators.collect(), orbits }
    }
}

impl Element {
    fn new(program: &Program, members: Vec<i32>) -> Element {
        let mut from = vec![0; program.cells()];
        for variable in &program.variables {
            moved(program, variable.of, (variable.offset, variable.offset), &members, &mut from);
        }
        Element { members, from }
    }
}

/// The order of the group, if it is no larger than numbers.
fn order(program: &Program, sorts: &[SortId]) -> Option<usize> {
    sorts.iter().try_fold(1usize, |order, &id| {
        (2..=program.types.sort(id).size).try_fold(order, |order, n| order.checked_mul(usize::try_from(n).ok()?))
    })
}

/// Whether each cell of a type holds members of some sorts.
fn names(program: &Program, of: TypeId, sorts: &[SortId], list: &mut Vec<bool>) {
    match program.types.kind(of) {
        TypeKind::Array { index, element } => {
            (0..program.types.count(*index)).for_each(|_| names(program, *element, sorts, list));
        }
        TypeKind::Record(fields) => fields.iter().for_each(|field| names(program, field.of, sorts, list)),
        TypeKind::Names(own) => list.push(own.iter().any(|sort| sorts.contains(sort))),
        _ => list.push(false),
    }
}

/// All exchanges of the members of some sorts, the identity first: the member that each member of all sorts becomes.
fn exchanges(program: &Program, sorts: &[SortId]) -> Vec<Vec<i32>> {
    let count = program.types.sorts.last().map_or(0, |sort| sort.first + sort.size);
    let mut list: Vec<Vec<i32>> = vec![(0..count).collect()];
    for &id in sorts {
        let sort = program.types.sort(id);
        for last in sort.first + 1..sort.first + sort.size {
            let shorter = std::mem::take(&mut list);
            let swapped = |other: i32| {
                shorter.iter().map(move |members| {
                    let mut members = members.clone();
                    members.swap(last.cast_unsigned() as usize, other.cast_unsigned() as usize);
                    members
                })
            };
            list = (sort.first..=last).rev().flat_map(swapped).collect();
        }
    }
    list
}

/// Notes for each cell of a place which cell moves there: those of `from` to those of `to`.
fn moved(program: &Program, of: TypeId, (from, to): (usize, usize), members: &[i32], list: &mut [u32]) {
    let types = &program.types;
    match types.kind(of) {
        TypeKind::Array { index, element } => {
            let is_named = matches!(types.kind(*index), TypeKind::Names(_));
            let size = types.cells(*element);
            for (position, value) in types.values(*index).into_iter().flatten().enumerate() {
                let image = if is_named { members[value.cast_unsigned() as usize] } else { value };
                let target = types.position(*index, image).expect("members stay in their sort");
                moved(program, *element, (from + position * size, to + target * size), members, list);
            }
        }
        TypeKind::Record(fields) => {
            for field in fields {
                moved(program, field.of, (from + field.offset, to + field.offset), members, list);
            }
        }
        _ => list[to] = u32::try_from(from).expect("cells are bounded"),
    }
}
