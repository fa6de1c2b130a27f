//! The normal form of multisets: used slots first, in the order of their elements.

use crate::murphi::program::{Program, TypeId, TypeKind};

/// Sorts every multiset of a state, those inside of others first, where `undefined` is the least content of a cell.
///
/// # Panics
/// If the state is not one of the program.
pub fn sort<C: Copy + Ord>(program: &Program, state: &mut [C], undefined: C) {
    assert_eq!(state.len(), program.cells(), "a state has all cells");
    let any = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
    for variable in program.variables.iter().filter(|_| any) {
        let end = variable.offset + program.types.cells(variable.of);
        sort_within(program, variable.of, &mut state[variable.offset..end], undefined);
    }
}

fn sort_within<C: Copy + Ord>(program: &Program, of: TypeId, cells: &mut [C], undefined: C) {
    match program.types.kind(of) {
        TypeKind::Array { element, .. } => {
            for part in cells.chunks_mut(program.types.cells(*element).max(1)) {
                sort_within(program, *element, part, undefined);
            }
        }
        TypeKind::Record(fields) => {
            for field in fields {
                let end = field.offset + program.types.cells(field.of);
                sort_within(program, field.of, &mut cells[field.offset..end], undefined);
            }
        }
        TypeKind::Multiset { element, .. } => {
            let size = program.types.cells(*element) + 1;
            let mut used: Vec<Vec<C>> = Vec::new();
            for slot in cells.chunks_mut(size).filter(|slot| slot[0] != undefined) {
                sort_within(program, *element, &mut slot[1..], undefined);
                used.push(slot.to_vec());
            }
            used.sort_unstable();
            let sorted = used.concat();
            let (front, back) = cells.split_at_mut(sorted.len());
            front.copy_from_slice(&sorted);
            back.fill(undefined);
        }
        _ => {}
    }
}
