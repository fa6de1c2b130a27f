//! The check by a solver that a permutation maps one function to another: for functions whose image is too large to be built.
//!
//! The clauses have one variable per value of each element, exactly one of which holds, and one per atom; all of these describe the image
//! of the state. One variable per node means that the evaluation reaches the node. The clauses state that both functions are evaluated
//! and never have the same result.
//!
//! # Soundness
//!
//! In each state there is an evaluation of both functions that satisfies all clauses but the last ones. So if there is no model, both
//! functions always have the same result. If the functions test no atoms, a model is a state in which the results differ. Atoms may
//! depend on each other, so a model with atoms proves nothing.
//!
//! # Complexity
//!
//! Clauses: the edges of both diagrams.

use rustc_hash::FxHashMap;
use sat::{Answer, Formula, Literal, Solver};

use super::diagram::{Dd, Diagrams, Leaf, Renaming};

/// The result of the comparison of two functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Compared {
    /// The permutation maps the one to the other.
    Same,
    /// In this state of the image, given as elements with places of values, the functions differ.
    Different(Vec<(usize, usize)>),
    /// The result is unknown.
    NotDecided,
}

/// A question: is the image of `from` equal to `to`?
struct Query<'a> {
    diagrams: &'a mut Diagrams,
    renaming: &'a Renaming,
    formula: Formula,
    /// For each element or atom of the image the variables of its values.
    values: FxHashMap<usize, Vec<Literal>>,
    has_atoms: bool,
}

/// Compares the image of a function with another; values that are written to `element` move with it.
pub(super) fn compare(
    diagrams: &mut Diagrams,
    renaming: &Renaming,
    from: Dd,
    element: Option<usize>,
    to: Dd,
    solver: &dyn Solver,
) -> Compared {
    let mut query =
        Query { diagrams, renaming, formula: Formula::default(), values: FxHashMap::default(), has_atoms: false };
    let image = query.encode(from, true, element);
    let other = query.encode(to, false, None);
    let (Some(image), Some(other)) = (image, other) else { return Compared::NotDecided };
    for (leaf, &here) in &image {
        if let Some(&there) = other.get(leaf) {
            query.formula.add(vec![here.opposite(), there.opposite()]);
        }
    }
    let Query { formula, values, has_atoms, .. } = query;
    match solver.solve(&formula, &[]) {
        Answer::Unsatisfiable => Compared::Same,
        Answer::Model(model) if !has_atoms => {
            let place = |list: &[Literal]| list.iter().position(|literal| model[literal.variable()]);
            let mut state: Vec<(usize, usize)> =
                values.iter().filter_map(|(&element, list)| Some((element, place(list)?))).collect();
            state.sort_unstable();
            Compared::Different(state)
        }
        _ => Compared::NotDecided,
    }
}

impl Query<'_> {
    /// Adds the clauses for the evaluation of a function; returns the variables of its results.
    fn encode(&mut self, root: Dd, moved: bool, written: Option<usize>) -> Option<FxHashMap<Leaf, Literal>> {
        let first = self.formula.variable();
        self.formula.add(vec![first]);
        let mut reached: FxHashMap<Dd, Literal> = FxHashMap::from_iter([(root, first)]);
        let mut ends: FxHashMap<Leaf, Literal> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(dd) = stack.pop() {
            if self.formula.is_too_large() {
                return None;
            }
            let here = reached[&dd];
            if let Some(leaf) = self.diagrams.as_leaf(dd) {
                let leaf = if moved { self.image_of(leaf, written)? } else { leaf };
                let formula = &mut self.formula;
                let end = *ends.entry(leaf).or_insert_with(|| formula.variable());
                self.formula.add(vec![here.opposite(), end]);
                continue;
            }
            let (element, children) = self.diagrams.node_of(dd);
            let (literals, places) = if moved { self.question(element)? } else { (element, None) };
            let answers = self.answers(literals);
            debug_assert_eq!(answers.len(), children.len(), "an element and its image have as many values");
            let are_all = places.as_ref().is_none_or(|places| places.len() == children.len());
            debug_assert!(are_all, "each value has a place in the image");
            for (place, &child) in children.iter().enumerate() {
                let answer = answers[places.as_ref().map_or(place, |places| places[place])];
                let formula = &mut self.formula;
                let next = *reached.entry(child).or_insert_with(|| {
                    stack.push(child);
                    formula.variable()
                });
                self.formula.add(vec![here.opposite(), answer.opposite(), next]);
            }
        }
        Some(ends)
    }

    /// The image of an element or atom, and the places of the images of its values.
    fn question(&mut self, element: usize) -> Option<(usize, Option<std::rc::Rc<[usize]>>)> {
        match self.diagrams.atom_number(element) {
            None => Some((self.renaming.elements[element], self.renaming.places[element].clone())),
            Some(atom) => {
                let image = self.diagrams.terms.rename_atom(atom, &self.renaming.elements)?;
                Some((self.diagrams.atom_element(image), None))
            }
        }
    }

    fn image_of(&mut self, leaf: Leaf, written: Option<usize>) -> Option<Leaf> {
        Some(match (leaf, written) {
            (Leaf::Value(value), Some(element)) => Leaf::Value(self.renaming.image(element, value)),
            (Leaf::Term(term), _) => Leaf::Term(self.diagrams.terms.rename(term, &self.renaming.elements)?),
            (other, _) => other,
        })
    }

    /// The variables of the values of an element or atom.
    fn answers(&mut self, element: usize) -> Vec<Literal> {
        if let Some(known) = self.values.get(&element) {
            return known.clone();
        }
        self.has_atoms |= self.diagrams.atom_number(element).is_some();
        let list: Vec<Literal> = (0..self.diagrams.width(element)).map(|_| self.formula.variable()).collect();
        self.formula.one_of(&list);
        self.values.insert(element, list.clone());
        list
    }
}
