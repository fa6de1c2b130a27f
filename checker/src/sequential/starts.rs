//! [`Starts`]: the initial states of a process, without most of those that are images of others under the group of a quotient.
//!
//! A state is left out if a generator of the group takes it to one that is less in lexicographic order.
//!
//! # Soundness
//!
//! The group takes the set of initial states to itself, and keeps steps and what is asked. A state that is left out has a lesser initial state in its orbit; the least one of the
//! orbit stays, and answers for all of them. That the generators keep the product of initial values is checked here again: where one does not, or initial states are
//! listed apart from the product, none is left out.
//!
//! The states of the product come in lexicographic order, so the least one is the first of its orbit, whose representative is stored without this, too. Where
//! representatives are those of whole orbits, the same states are stored.
//!
//! # Complexity
//!
//! For each state and generator the elements that the generator moves, up to the first that differs. States that are left out are made all the same.

use std::sync::Arc;

use ::symmetry::sequential::Literals;
use engine::SparsePermutation;
use frontend::sequential::interpret::{InitialStates, State, initial_states};
use frontend::sequential::{Initial, Sequential};

use super::images::Image;

/// The action of generators on states.
#[derive(Clone, Default, Debug)]
pub(super) struct Generators(Arc<[Image]>);

impl Generators {
    /// Those of a group that takes elements to elements; none if there is one initial state, if they do not keep the product of initial values, or if states are
    /// listed next to it.
    pub(super) fn new(model: &Sequential, literals: &Literals, generators: &[SparsePermutation]) -> Generators {
        let has_choice = model.variables.iter().any(|variable| matches!(variable.initial, Initial::Any));
        if !has_choice || !model.starts.is_empty() {
            return Generators::default();
        }
        let generators = generators.iter().map(|generator| Image::new(model, literals, generator));
        let (generators, initial) = (generators.collect::<Arc<[Image]>>(), model.initial_values());
        if !generators.iter().all(|generator| generator.keeps_product(&initial)) {
            return Generators::default();
        }
        Generators(generators)
    }

    /// Whether one of them takes a state to a lesser one.
    fn lessen(&self, state: &[i32]) -> bool {
        self.0.iter().any(|generator| generator.is_less(state))
    }
}

/// The initial states.
pub(super) struct Starts<'m> {
    states: InitialStates<'m>,
    generators: Generators,
}

impl<'m> Starts<'m> {
    /// Those of a process.
    pub(super) fn new(model: &'m Sequential, generators: &Generators) -> Starts<'m> {
        Starts { states: initial_states(model), generators: generators.clone() }
    }
}

impl Iterator for Starts<'_> {
    type Item = Result<State, std::convert::Infallible>;

    fn next(&mut self) -> Option<Self::Item> {
        self.states.find(|state| !self.generators.lessen(state)).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ::symmetry::sequential::{Literals, ValidatedGroup, proved_by_text};
    use engine::SparsePermutation;
    use frontend::sequential::Sequential;
    use frontend::sequential::interpret::{State, initial_states};

    use super::{Generators, Starts};
    use crate::sequential::tests::model;

    /// The states of the orbits of some states.
    fn closed(literals: &Literals, group: &ValidatedGroup, states: &BTreeSet<State>) -> BTreeSet<State> {
        let (mut all, mut waiting) = (states.clone(), states.iter().cloned().collect::<Vec<State>>());
        while let Some(state) = waiting.pop() {
            for generator in group.generators() {
                let image = literals.apply(generator, &state);
                if all.insert(image.clone()) {
                    waiting.push(image);
                }
            }
        }
        all
    }

    fn started(model: &Sequential, generators: &Generators) -> BTreeSet<State> {
        Starts::new(model, generators).map(|state| state.expect("a start has a state")).collect()
    }

    #[test]
    fn an_initial_state_of_each_orbit_is_kept() {
        let texts = [
            "type I : 0..3; proc P(x : BOOL[I]) = sum i:I . [!x[i]] up(i) { x[i] := 1; } -> P; init P(x = *);",
            "type I : 0..2; type N : 0..4; proc P(x : I[I], last : I, n : N) = sum i:I . [x[i] = i] go(i) { last := i; } -> P; init P(*);",
            "type I : 0..2; proc P(x : BOOL[I], y : BOOL[I], z : I) = sum i:I . [x[i] && !y[i]] go(i) { y[i] := 1; z := i; } -> P; init P(x = 1, y = *, z = *);",
            "type N : 0..3; proc P(a : N, b : N, c : N) = [a < 3] one { a := a + 1; } -> P + [b < 3] one { b := b + 1; } -> P + [c = 0] two { c := 1; } -> P; init P(*);",
        ];
        for text in texts {
            let model = model(text);
            let group = ValidatedGroup::of_candidates(&model, &[], proved_by_text(&model, &[]));
            let literals = group.literals();
            assert!(!group.generators().is_empty(), "{text}");
            let all: BTreeSet<State> = initial_states(&model).collect();
            let kept = started(&model, &Generators::new(&model, literals, group.generators()));
            assert!(kept.len() < all.len() && closed(literals, &group, &kept) == all, "{text}");
            // The first state of each orbit is the one that is kept.
            let firsts = all
                .iter()
                .filter(|state| closed(literals, &group, &BTreeSet::from([(*state).clone()])).first() == Some(state));
            assert!(firsts.into_iter().all(|first| kept.contains(first)), "{text}");
            // Where further states are listed, all are taken.
            let mut listed = model.clone();
            listed.starts.push(all.first().expect("an initial state").clone());
            assert_eq!(started(&listed, &Generators::new(&listed, literals, group.generators())), all, "{text}");
        }
    }

    /// An exchange that is no symmetry, because it takes the initial states to others, leaves none out; taken at its word it would leave out all.
    #[test]
    fn an_exchange_that_moves_the_initial_states_leaves_none_out() {
        let text = "type I : 0..1; proc P(x : BOOL[I], y : BOOL[I]) = sum i:I . [!y[i]] up(i) { y[i] := 1; } -> P; init P(x = [1, 0], y = *);";
        let model = model(text);
        let literals = Literals::new(&model);
        let pairs = [0, 1].map(|value| (literals.point(0, value), literals.point(1, value)));
        let pairs = pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect();
        let exchange = [SparsePermutation::from_pairs(pairs).expect("an exchange")];
        let start = initial_states(&model).next().expect("an initial state");
        assert!(literals.apply(&exchange[0], &start) < start, "it would be left out");
        assert_eq!(started(&model, &Generators::new(&model, &literals, &exchange)), initial_states(&model).collect());
        assert!(ValidatedGroup::new(&model, &[], exchange.to_vec()).generators().is_empty());
    }
}
