//! Names of values and of the parts of a state, in the words of the model.

use super::Cell;
use crate::murphi::program::{Program, SortId, TypeId, TypeKind, Types};

/// A simple part of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name: `net[1].count`; an element of a multiset is `net{0}.count`.
    pub name: String,
    /// Its type; `None` for the cell that says whether a slot of a multiset is used.
    pub of: Option<TypeId>,
}

/// A part of a state that a step changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The name of the part.
    pub name: String,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

impl Types {
    /// A value of a simple type.
    pub fn value_text(&self, of: TypeId, value: i32) -> String {
        match self.kind(of) {
            TypeKind::Boolean => {
                if value == 0 {
                    "false".into()
                } else {
                    "true".into()
                }
            }
            TypeKind::Names(_) => self.name_text(value),
            _ => value.to_string(),
        }
    }

    /// A member of an enumeration or scalar set.
    fn name_text(&self, value: i32) -> String {
        debug_assert!(self.sorts.is_sorted_by_key(|sort| sort.first), "members are ascending, for the search in them");
        let sort = SortId::from_index(self.sorts.partition_point(|sort| sort.first <= value).max(1) - 1);
        let sort = self.sort(sort);
        debug_assert!(sort.contains(value), "{value} is a member of an enumeration or of a scalar set");
        let number = value - sort.first;
        let member = sort.members.as_ref().and_then(|members| members.get(usize::try_from(number).ok()?));
        let name = if sort.name.is_empty() { "scalarset" } else { &sort.name };
        member.cloned().unwrap_or_else(|| format!("{name}_{}", number + 1))
    }
}

/// The parts of a state, one for each cell.
pub fn parts(program: &Program) -> Vec<Part> {
    let mut list = Vec::with_capacity(program.cells());
    for variable in &program.variables {
        collect(program, &variable.name, variable.of, &mut list);
    }
    debug_assert_eq!(list.len(), program.cells(), "every cell has a name");
    list
}

fn collect(program: &Program, name: &str, of: TypeId, list: &mut Vec<Part>) {
    limits::work(1);
    let types = &program.types;
    match types.kind(of) {
        TypeKind::Array { index, element } => {
            for value in types.values(*index).into_iter().flatten() {
                collect(program, &format!("{name}[{}]", types.value_text(*index, value)), *element, list);
            }
        }
        TypeKind::Record(fields) => {
            for field in fields {
                collect(program, &format!("{name}.{}", field.name), field.of, list);
            }
        }
        TypeKind::Multiset { capacity, element } => {
            for slot in 0..*capacity {
                let name = format!("{name}{{{slot}}}");
                list.push(Part { name: name.clone(), of: None });
                collect(program, &name, *element, list);
            }
        }
        _ => list.push(Part { name: name.into(), of: Some(of) }),
    }
}

/// The content of a part.
pub fn cell_text(program: &Program, part: &Part, cell: Cell) -> String {
    match (part.of, cell) {
        (None, None) => "unused".into(),
        (None, Some(_)) => "used".into(),
        (Some(_), None) => "undefined".into(),
        (Some(of), Some(value)) => program.types.value_text(of, value),
    }
}

/// The changes from one state to another.
pub fn changes(program: &Program, before: &[Cell], after: &[Cell]) -> Vec<Change> {
    let parts = parts(program);
    debug_assert_eq!([before.len(), after.len()], [parts.len(); 2], "both states have all cells");
    let pairs = before.iter().zip(after).zip(&parts).filter(|((before, after), _)| before != after);
    pairs
        .map(|((&before, &after), part)| Change {
            name: part.name.clone(),
            before: cell_text(program, part, before),
            after: cell_text(program, part, after),
        })
        .collect()
}
