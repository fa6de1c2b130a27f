//! The part of the graph for wide elements: terms, atoms over them, and the values written to wide elements.
//!
//! A wide element has no literals: its colour consists of its bounds and its initial value. A term is joined to its operands, and through
//! a vertex of its own to the left one where their order matters; its colour consists of its operator and its height. Constants have
//! colours of their own. An atom is joined to its terms in the same way, and has one vertex per truth value.
//!
//! # Soundness
//!
//! By induction on the height, an automorphism maps a term to one that means the image of its function when wide elements keep their
//! values. Hence it maps atoms to atoms over the images.

use frontend::sequential::BinaryOp;
use rustc_hash::FxHashSet;

use super::{Colour, Drawing, Vertex, used_conditions};
use crate::csp::{Atom, Condition, Csp, Datum, Term, TermId};

/// The operation of a term or an atom on its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    Read,
    Bits,
    /// The operator, and whether both operands are the same.
    Binary(BinaryOp, bool),
    Equal,
    Less,
    Fault,
}

/// The atoms and terms that a vertex of the graph tests or writes, ascending.
pub(super) fn needed(csp: &Csp) -> (Vec<usize>, Vec<TermId>) {
    let used_conditions = used_conditions(csp);
    let mut atoms: FxHashSet<usize> = FxHashSet::default();
    for (condition, _) in csp.conditions.iter().zip(&used_conditions).filter(|(_, is_used)| **is_used) {
        if let Condition::Cube(tests) = condition {
            atoms.extend(tests.iter().filter_map(|(element, _)| csp.atom_of(*element)));
        }
    }
    let mut atoms: Vec<usize> = atoms.into_iter().collect();
    atoms.sort_unstable();
    let mut stack: Vec<TermId> = atoms.iter().flat_map(|&atom| csp.atoms[atom].operands()).collect();
    for output in csp.instances.iter().flat_map(|instance| &instance.outputs) {
        if let Datum::Term(term) = output.value {
            stack.push(term);
        }
    }
    stack.extend(csp.instances.iter().flat_map(|instance| instance.label_terms.iter().flatten()).copied());
    let mut terms: FxHashSet<TermId> = FxHashSet::default();
    while let Some(term) = stack.pop() {
        if terms.insert(term) {
            stack.extend(csp.terms[term.index()].operands());
        }
    }
    let mut terms: Vec<TermId> = terms.into_iter().collect();
    terms.sort_unstable();
    (atoms, terms)
}

impl Drawing {
    /// Draws the terms and atoms that a vertex refers to, and the constants that are written to wide elements.
    pub(super) fn terms(&mut self, csp: &Csp) {
        let (atoms, terms) = needed(csp);
        for output in csp.instances.iter().flat_map(|instance| &instance.outputs) {
            if let (Datum::Value(value), Some(_)) = (output.value, csp.elements[output.element].wide) {
                self.constant(value);
            }
        }
        let mut heights = vec![0u32; csp.terms.len()];
        for id in terms {
            let term = csp.terms[id.index()];
            let operands = term.operands();
            assert!(operands.iter().all(|operand| *operand < id), "operands precede the terms that contain them");
            let height = operands.iter().map(|operand| 1 + heights[operand.index()]).max().unwrap_or(0);
            heights[id.index()] = height;
            let shape = match term {
                Term::Value(value) => {
                    self.constant(value);
                    continue;
                }
                Term::Element(_) => Shape::Read,
                Term::Bits(_) => Shape::Bits,
                Term::Binary(op, left, right) => Shape::Binary(op, left == right),
            };
            let vertex = self.add(Vertex::Term(id), Colour::Term(shape, height));
            if let Term::Element(element) = term {
                self.join(vertex, Vertex::Element(element));
            }
            let ordered = operands.len() == 2 && !term.is_commutative();
            self.operands(csp, vertex, &operands, ordered.then_some((Vertex::Left(id), height)));
        }
        for number in atoms {
            let atom = csp.atoms[number];
            let operands = atom.operands();
            let height = 1 + operands.iter().map(|operand| heights[operand.index()]).max().unwrap_or(0);
            let (shape, left) = match atom {
                Atom::Equal(..) => (Shape::Equal, None),
                Atom::Less(..) => (Shape::Less, Some((Vertex::AtomLeft(number), height))),
                Atom::Fault(_) => (Shape::Fault, None),
            };
            let vertex = self.add(Vertex::Atom(number), Colour::Term(shape, height));
            self.operands(csp, vertex, &operands, left);
            for holds in [false, true] {
                let answer = self.add(Vertex::Answer { atom: number, holds }, Colour::Answer(holds));
                self.join(answer, Vertex::Atom(number));
            }
        }
    }

    fn constant(&mut self, value: i32) {
        if self.vertex(Vertex::Constant(value)).is_none() {
            self.add(Vertex::Constant(value), Colour::Constant(value));
        }
    }

    fn operands(&mut self, csp: &Csp, vertex: engine::Vertex, operands: &[TermId], left: Option<(Vertex, u32)>) {
        let of = |id: TermId| match csp.terms[id.index()] {
            Term::Value(value) => Vertex::Constant(value),
            _ => Vertex::Term(id),
        };
        for (place, &operand) in operands.iter().enumerate() {
            match left {
                Some((side, height)) if place == 0 => {
                    let side = self.add(side, Colour::Left(height));
                    self.join(side, of(operand));
                    self.edge(vertex, side);
                }
                _ if place == 1 && operands[0] == operand && left.is_none() => {}
                _ => self.join(vertex, of(operand)),
            }
        }
    }
}
