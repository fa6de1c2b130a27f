//! Which simple parts of the state may be undefined: those that a start leaves so, that a statement makes so, or to which
//! a value is copied as a whole.
//!
//! Soundness: errs towards "may". Where a local stands for the place, all parts of such a type count.

use rustc_hash::FxHashSet;

use super::Refused;
use super::layout::Leaves;
use crate::murphi::interpret::State;
use crate::murphi::program::{Base, Child, ExprKind, Place, Program, Step, Stmt, StmtKind, TypeId, TypeKind};

/// For each simple part of the variables, in order, whether it may be undefined; `starts` are the starts.
pub(super) fn undefined(program: &Program, leaves: &mut Leaves, starts: &[State]) -> Result<Vec<bool>, Refused> {
    let mut first = Vec::new();
    let mut types = Vec::new();
    for variable in &program.variables {
        first.push(types.len());
        let own = leaves.of(program, variable.of)?;
        types.extend(own.iter().map(|leaf| leaf.of));
    }
    let mut search =
        Search { program, leaves, first, found: vec![false; types.len()], kinds: FxHashSet::default(), types };
    for state in starts {
        for (number, variable) in program.variables.iter().enumerate() {
            let mut at = search.first[number];
            search.cells(variable.of, &state[variable.offset..], &mut at);
            let end = search.first.get(number + 1).copied().unwrap_or(search.types.len());
            debug_assert_eq!(at, end, "a variable has the leaves of its type");
        }
    }
    let bodies = program.rules.iter().map(|rule| &rule.body);
    for body in bodies.chain(program.procedures.iter().map(|procedure| &procedure.body)) {
        search.body(body)?;
    }
    let Search { mut found, kinds, types, .. } = search;
    for (found, of) in found.iter_mut().zip(&types) {
        *found |= kinds.contains(of);
    }
    Ok(found)
}

struct Search<'p> {
    program: &'p Program,
    leaves: &'p mut Leaves,
    /// The number of the first leaf of each variable.
    first: Vec<usize>,
    /// Whether each leaf may be undefined.
    found: Vec<bool>,
    /// The types of leaves all of which may be.
    kinds: FxHashSet<TypeId>,
    types: Vec<TypeId>,
}

impl Search<'_> {
    /// Notes what is undefined in the cells of a value.
    fn cells(&mut self, of: TypeId, cells: &[Option<i32>], at: &mut usize) {
        let begin = *at;
        match self.program.types.kind(of) {
            TypeKind::Array { element, .. } => {
                let size = self.program.types.cells(*element).max(1);
                for part in cells[..self.program.types.cells(of)].chunks(size) {
                    *at = begin;
                    self.cells(*element, part, at);
                }
            }
            TypeKind::Record(fields) => {
                for field in fields {
                    self.cells(field.of, &cells[field.offset..], at);
                }
            }
            _ => {
                self.found[*at] |= cells[0].is_none();
                *at += 1;
            }
        }
    }

    fn body(&mut self, body: &[Stmt]) -> Result<(), Refused> {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Undefine(place) => self.place(place)?,
                StmtKind::Assign(place, value) if !self.program.types.is_simple(place.of) => {
                    // What is copied from the same part of the same variable brings nothing new.
                    let same = matches!(&value.kind, ExprKind::Read(from) if from.base == place.base
                        && matches!(place.base, Base::Variable(_)) && fields(from) == fields(place));
                    if !same {
                        self.place(place)?;
                    }
                }
                _ => {}
            }
            for child in stmt.children() {
                if let Child::Body(inner) = child {
                    self.body(inner)?;
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, place: &Place) -> Result<(), Refused> {
        let own = self.leaves.of(self.program, place.of)?;
        let Base::Variable(id) = place.base else {
            self.kinds.extend(own.iter().map(|leaf| leaf.of));
            return Ok(());
        };
        let (mut at, mut of) = (self.first[id.index()], self.program.variable(id).of);
        for step in &place.steps {
            match (step, self.program.types.kind(of)) {
                (Step::Field(field), TypeKind::Record(fields)) => {
                    at += self.leaves.field(self.program, of, *field)?;
                    of = fields[*field].of;
                }
                (_, TypeKind::Array { element, .. }) => of = *element,
                _ => panic!("a step that does not fit its type"),
            }
        }
        self.found[at..at + own.len()].fill(true);
        Ok(())
    }
}

/// The fields on the way to a part, without indices.
fn fields(place: &Place) -> Vec<Option<usize>> {
    place.steps.iter().map(|step| if let Step::Field(field) = step { Some(*field) } else { None }).collect()
}
