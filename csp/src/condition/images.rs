//! [`Images`]: normalised conditions, and terms, under a permutation of the literals that is a symmetry of the model.
//!
//! # Soundness
//!
//! The image of a condition holds in the image of a state exactly where the condition holds in the state, whatever form it has: elements and
//! values are replaced, and the rest stays. The image of a canonical form is the canonical form of the image; a form that follows a text goes to one that
//! does. A value that is not live, and a wide element that goes to one with other bounds, have no image.
//!
//! # Complexity
//!
//! Linear in the forms and terms; each has its image once.

use rustc_hash::FxHashMap;

use super::normal::{Condition, ConditionId, Normaliser};
use super::{Atom, Term, TermId};

/// The images under one permutation, as far as they were requested.
#[derive(Debug, Default)]
pub(crate) struct Images {
    /// The literals that move. A wide element that moves has one, whose value has no meaning.
    literals: FxHashMap<(usize, i32), (usize, i32)>,
    /// The elements that move.
    elements: FxHashMap<usize, usize>,
    conditions: FxHashMap<ConditionId, Option<ConditionId>>,
    terms: FxHashMap<TermId, Option<TermId>>,
}

impl Images {
    /// Those under the permutation that moves these literals.
    pub(crate) fn of(literals: impl Iterator<Item = ((usize, i32), (usize, i32))>) -> Images {
        let literals: FxHashMap<_, _> = literals.collect();
        let moved = literals.iter().map(|(&(element, _), &(target, _))| (element, target));
        let elements = moved.filter(|(element, target)| element != target).collect();
        Images { literals, elements, ..Images::default() }
    }

    /// The image of a literal.
    pub(crate) fn literal(&self, element: usize, value: i32) -> (usize, i32) {
        self.literals.get(&(element, value)).copied().unwrap_or((element, value))
    }

    /// The element to which an element goes.
    pub(crate) fn element(&self, element: usize) -> usize {
        self.elements.get(&element).copied().unwrap_or(element)
    }
}

impl Normaliser<'_> {
    /// The image of a condition; `None` if it has none.
    pub(crate) fn image(&mut self, id: ConditionId, images: &mut Images) -> Option<ConditionId> {
        if let Some(&known) = images.conditions.get(&id) {
            return known;
        }
        limits::work(1);
        let image = self.image_of(id, images);
        if let Some(image) = image.filter(|_| self.written.contains(&id)) {
            self.written.insert(image);
        }
        images.conditions.insert(id, image);
        image
    }

    fn image_of(&mut self, id: ConditionId, images: &mut Images) -> Option<ConditionId> {
        let image = match self.list[id.index()].clone() {
            Condition::False | Condition::True => return Some(id),
            Condition::Cube(tests) => {
                let tests = tests.iter().map(|(element, values)| self.image_of_test(*element, values, images));
                let mut tests = tests.collect::<Option<Vec<_>>>()?;
                tests.sort_unstable();
                Condition::Cube(tests)
            }
            Condition::All(list) => Condition::All(self.images_of(list, images)?),
            Condition::Any(list) => Condition::Any(self.images_of(list, images)?),
            Condition::NoneOf(list) => Condition::NoneOf(self.images_of(list, images)?),
        };
        Some(self.intern(image))
    }

    fn images_of(&mut self, list: Vec<ConditionId>, images: &mut Images) -> Option<Vec<ConditionId>> {
        let mut list = list.into_iter().map(|id| self.image(id, images)).collect::<Option<Vec<_>>>()?;
        list.sort_unstable();
        Some(list)
    }

    fn image_of_test(&mut self, element: usize, values: &[i32], images: &mut Images) -> Option<(usize, Vec<i32>)> {
        if let Some(atom) = element.checked_sub(self.live.len()) {
            return self.image_of_atom(atom, images).map(|image| (self.live.len() + image, values.to_vec()));
        }
        let target = images.element(element);
        let mut results = Vec::with_capacity(values.len());
        for &value in values {
            let (own, result) = images.literal(element, value);
            let is_live = self.live[target].binary_search(&result).is_ok();
            results.push(Some(result).filter(|_| own == target && is_live)?);
        }
        results.sort_unstable();
        Some((target, results))
    }

    fn image_of_atom(&mut self, atom: usize, images: &mut Images) -> Option<usize> {
        let atom = match self.store.terms.atoms[atom] {
            Atom::Equal(left, right) => Atom::Equal(self.term(left, images)?, self.term(right, images)?),
            Atom::Less(left, right) => Atom::Less(self.term(left, images)?, self.term(right, images)?),
            Atom::Fault(term) => Atom::Fault(self.term(term, images)?),
        };
        Some(self.store.terms.number(atom))
    }

    /// The image of a term; `None` if it has none.
    pub(crate) fn term(&mut self, id: TermId, images: &mut Images) -> Option<TermId> {
        if let Some(&known) = images.terms.get(&id) {
            return known;
        }
        let image = match self.store.terms.list[id.index()] {
            Term::Value(_) => Some(id),
            Term::Element(element) => self.wide(images.element(element)),
            Term::Bits(inner) => self.term(inner, images).and_then(|inner| self.store.terms.intern(Term::Bits(inner))),
            Term::Binary(op, left, right) => match (self.term(left, images), self.term(right, images)) {
                (Some(left), Some(right)) => self.store.terms.intern(Term::Binary(op, left, right)),
                _ => None,
            },
        };
        let image = image.filter(|&image| self.store.terms.interval(image) == self.store.terms.interval(id));
        images.terms.insert(id, image);
        image
    }

    /// The value of a wide element as a term.
    fn wide(&mut self, element: usize) -> Option<TermId> {
        let is_wide = self.live.get(element).is_some_and(|live| live.is_empty());
        is_wide.then(|| self.store.terms.intern(Term::Element(element))).flatten()
    }
}
