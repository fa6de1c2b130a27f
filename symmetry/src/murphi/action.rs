//! Permutations of values on states.

use std::collections::BTreeMap;

use frontend::murphi::interpret::{State, sort_multisets};
use frontend::murphi::program::{Program, TypeId, TypeKind};

use super::roles::{Class, Node, NodeId, Roles, TRUTH};

/// The image of each value of some classes; others stay.
pub type Renaming = BTreeMap<Class, BTreeMap<i32, i32>>;

/// The cell that comes to each cell, and the class of the value of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells {
    /// The cell that comes here.
    pub from: Vec<u32>,
    /// The class; that of truth values for the cell that says whether a slot is used.
    pub classes: Vec<Class>,
}

/// The cells of a state under a renaming.
///
/// # Panics
/// If the renaming leads out of an index type.
pub fn cells(program: &Program, roles: &Roles, renaming: &Renaming) -> Cells {
    let count = program.cells();
    assert_eq!(program.variables.len(), roles.variables.len(), "roles of this program");
    let mut found = Cells { from: vec![0; count], classes: vec![TRUTH; count] };
    let walk = Walk { program, roles, renaming };
    for (variable, &node) in program.variables.iter().zip(&roles.variables) {
        walk.part(node, variable.of, variable.offset, variable.offset, &mut found);
    }
    debug_assert!(is_permutation(&found.from), "a renaming takes every cell to one place");
    found
}

/// The classes of the parts of variables, of values and of indices, in the order of the text.
pub(super) fn classes(program: &Program, roles: &Roles) -> Vec<Class> {
    fn add(roles: &Roles, node: NodeId, found: &mut Vec<Class>) {
        match roles.node(node) {
            Node::Simple(class) => found.push(*class),
            Node::Array(class, part) => {
                found.push(*class);
                add(roles, *part, found);
            }
            Node::Record(parts) => parts.iter().for_each(|&part| add(roles, part, found)),
            Node::Multiset(part) => add(roles, *part, found),
            Node::Slot => {}
        }
    }
    let mut found = Vec::new();
    roles.variables.iter().for_each(|&node| add(roles, node, &mut found));
    assert!(roles.variables.len() == program.variables.len(), "roles of this program");
    found
}

/// Whether each number below the length occurs once.
fn is_permutation(list: &[u32]) -> bool {
    let mut seen = vec![false; list.len()];
    list.iter().all(|&at| seen.get_mut(at as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
}

struct Walk<'p> {
    program: &'p Program,
    roles: &'p Roles,
    renaming: &'p Renaming,
}

impl Walk<'_> {
    fn image(&self, class: Class, value: i32) -> i32 {
        self.renaming.get(&class).and_then(|images| images.get(&value)).copied().unwrap_or(value)
    }

    /// The cells from one address on come to those from another on.
    fn part(&self, node: NodeId, of: TypeId, from: usize, to: usize, found: &mut Cells) {
        let types = &self.program.types;
        limits::work(1);
        match (self.roles.node(node), types.kind(of)) {
            (Node::Simple(class), _) => self.cell(from, to, *class, found),
            (Node::Array(class, part), TypeKind::Array { index, element }) => {
                let size = types.cells(*element);
                for (position, value) in types.values(*index).into_iter().flatten().enumerate() {
                    let target = types.position(*index, self.image(*class, value)).expect("an index stays one");
                    self.part(*part, *element, from + position * size, to + target * size, found);
                }
            }
            (Node::Record(parts), TypeKind::Record(fields)) => {
                for (&part, field) in parts.iter().zip(fields) {
                    self.part(part, field.of, from + field.offset, to + field.offset, found);
                }
            }
            (Node::Multiset(part), TypeKind::Multiset { capacity, element }) => {
                let size = types.cells(*element) + 1;
                for slot in 0..*capacity {
                    self.cell(from + slot * size, to + slot * size, TRUTH, found);
                    self.part(*part, *element, from + slot * size + 1, to + slot * size + 1, found);
                }
            }
            _ => unreachable!("parts are made of their types"),
        }
    }

    fn cell(&self, from: usize, to: usize, class: Class, found: &mut Cells) {
        found.from[to] = u32::try_from(from).expect("cells are bounded");
        found.classes[to] = class;
    }
}

/// The image of a state.
pub fn image(program: &Program, cells: &Cells, renaming: &Renaming, state: &State) -> State {
    debug_assert_eq!(state.len(), cells.from.len(), "a state has every cell");
    let value = |(at, &from): (usize, &u32)| {
        let value = state[from as usize]?;
        let images = renaming.get(&cells.classes[at]);
        Some(images.and_then(|images| images.get(&value)).copied().unwrap_or(value))
    };
    let mut image: State = cells.from.iter().enumerate().map(value).collect();
    let defined = |state: &State| state.iter().flatten().count();
    debug_assert_eq!(defined(&image), defined(state), "as many cells are defined");
    sort_multisets(program, &mut image, None);
    image
}
