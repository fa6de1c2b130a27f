//! The leaves of types: a variable of the model becomes one variable of the process for each simple part, an array where
//! arrays are around that part.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Refused;
use super::sorts::Sorts;
use crate::murphi::interpret::Cell;
use crate::murphi::program::{Program, TypeId, TypeKind};
use crate::source::Span;

/// A simple part of a type.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The fields on the way to it, such as `.state`.
    pub(super) suffix: String,
    /// The index types of the arrays around it, from the outside.
    pub(super) dims: Vec<TypeId>,
    /// Its type.
    pub(super) of: TypeId,
}

/// The leaves of types.
#[derive(Default)]
pub(super) struct Leaves {
    known: FxHashMap<TypeId, Rc<Vec<Leaf>>>,
}

impl Leaves {
    /// The leaves of a type, in the order of its parts.
    ///
    /// # Errors
    /// A multiset.
    pub(super) fn of(&mut self, program: &Program, of: TypeId) -> Result<Rc<Vec<Leaf>>, Refused> {
        if let Some(known) = self.known.get(&of) {
            return Ok(known.clone());
        }
        let mut list = Vec::new();
        match program.types.kind(of) {
            TypeKind::Array { index, element } => {
                for leaf in self.of(program, *element)?.iter() {
                    let dims = std::iter::once(*index).chain(leaf.dims.iter().copied()).collect();
                    list.push(Leaf { dims, ..leaf.clone() });
                }
            }
            TypeKind::Record(fields) => {
                for field in fields {
                    for leaf in self.of(program, field.of)?.iter() {
                        list.push(Leaf { suffix: format!(".{}{}", field.name, leaf.suffix), ..leaf.clone() });
                    }
                }
            }
            TypeKind::Multiset { .. } => return Err(Refused::new("a multiset", Span::NONE)),
            _ => list.push(Leaf { suffix: String::new(), dims: Vec::new(), of }),
        }
        debug_assert_eq!(list.len(), leaves(program, of), "every simple part is a leaf");
        let list = Rc::new(list);
        self.known.insert(of, list.clone());
        Ok(list)
    }

    /// The leaf at which a field of a record begins.
    pub(super) fn field(&mut self, program: &Program, record: TypeId, field: usize) -> Result<usize, Refused> {
        let TypeKind::Record(fields) = program.types.kind(record) else { panic!("a field of a record") };
        fields[..field].iter().try_fold(0, |sum, field| Ok(sum + self.of(program, field.of)?.len()))
    }
}

/// Distributes the cells of a value to its leaves, row by row. Indices that are no values of their type have `filler`.
pub(super) fn scatter(
    program: &Program,
    sorts: &Sorts,
    of: TypeId,
    cells: &[Option<Cell>],
    columns: &mut [Vec<Option<Cell>>],
) {
    debug_assert_eq!(cells.len(), program.types.cells(of), "a value has the cells of its type");
    match program.types.kind(of) {
        TypeKind::Array { index, element } => {
            let hull = sorts.hull(program, *index);
            let size = program.types.cells(*element);
            let order: Vec<i32> = sorts.runs(program, *index).into_iter().flat_map(|(low, high)| low..=high).collect();
            debug_assert_eq!(order.len() * size, cells.len(), "an array has an element for each index");
            for code in hull.low..=hull.high {
                match order.iter().position(|&other| other == code) {
                    Some(place) => {
                        scatter(program, sorts, *element, &cells[place * size..(place + 1) * size], columns);
                    }
                    None => scatter(program, sorts, *element, &vec![None; size], columns),
                }
            }
        }
        TypeKind::Record(fields) => {
            let mut rest = columns;
            for field in fields {
                let end = field.offset + program.types.cells(field.of);
                let (own, others) = rest.split_at_mut(leaves(program, field.of));
                scatter(program, sorts, field.of, &cells[field.offset..end], own);
                rest = others;
            }
        }
        _ => columns[0].push(cells[0]),
    }
}

fn leaves(program: &Program, of: TypeId) -> usize {
    match program.types.kind(of) {
        TypeKind::Array { element, .. } => leaves(program, *element),
        TypeKind::Record(fields) => fields.iter().map(|field| leaves(program, field.of)).sum(),
        _ => 1,
    }
}
