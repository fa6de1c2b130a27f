//! The normal form of multisets: used slots first, in the order of their elements.

use super::Cell;
use crate::murphi::program::{Program, TypeId, TypeKind};

/// Sorts every multiset of a state, those inside of others first.
pub fn sort(program: &Program, state: &mut [Cell]) {
    let any = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
    for variable in program.variables.iter().filter(|_| any) {
        let end = variable.offset + program.types.cells(variable.of);
        sort_within(program, variable.of, &mut state[variable.offset..end]);
    }
}

fn sort_within(program: &Program, of: TypeId, cells: &mut [Cell]) {
    match program.types.kind(of) {
        TypeKind::Array { element, .. } => {
            for part in cells.chunks_mut(program.types.cells(*element).max(1)) {
                sort_within(program, *element, part);
            }
        }
        TypeKind::Record(fields) => {
            for field in fields {
                let end = field.offset + program.types.cells(field.of);
                sort_within(program, field.of, &mut cells[field.offset..end]);
            }
        }
        TypeKind::Multiset { element, .. } => {
            let size = program.types.cells(*element) + 1;
            let mut used: Vec<Vec<Cell>> = Vec::new();
            for slot in cells.chunks_mut(size).filter(|slot| slot[0].is_some()) {
                sort_within(program, *element, &mut slot[1..]);
                used.push(slot.to_vec());
            }
            used.sort_unstable();
            let sorted = used.concat();
            let (front, back) = cells.split_at_mut(sorted.len());
            front.copy_from_slice(&sorted);
            back.fill(None);
        }
        _ => {}
    }
}
