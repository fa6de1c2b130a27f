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
use frontend::sequential::{Initial, Sequential, SortId, Variable};

/// An element that has another value in the image of some state.
#[derive(Debug)]
struct Moved {
    /// The element.
    target: usize,
    /// The element from which its value comes.
    source: usize,
    /// The images of values, counted from the least one; none where values stay.
    values: Option<(i32, Box<[i32]>)>,
}

impl Moved {
    /// The value of the target in the image of a state in which the source has this value.
    fn image(&self, value: i32) -> i32 {
        match &self.values {
            Some((low, values)) => values[usize::try_from(value - low).expect("a value of the sort")],
            None => value,
        }
    }
}

/// The initial value of each element; `None` for any.
fn initial_values(model: &Sequential) -> Vec<Option<i32>> {
    let of = |variable: &Variable| match &variable.initial {
        Initial::Values(values) => values.iter().copied().map(Some).collect(),
        Initial::Any => vec![None; model.len_of(variable)],
    };
    model.variables.iter().flat_map(of).collect()
}

/// The action of generators on states, the moved elements of each ascending.
#[derive(Clone, Default, Debug)]
pub(super) struct Generators(Arc<[Box<[Moved]>]>);

impl Generators {
    /// Those of a group that takes elements to elements; none if there is one initial state, if they do not keep the product of initial values, or if states are
    /// listed next to it.
    pub(super) fn new(model: &Sequential, literals: &Literals, generators: &[SparsePermutation]) -> Generators {
        let has_choice = model.variables.iter().any(|variable| matches!(variable.initial, Initial::Any));
        if !has_choice || !model.starts.is_empty() {
            return Generators::default();
        }
        let sorts = model.element_sorts();
        let moved = |generator: &SparsePermutation| {
            let mut sources: Vec<usize> = generator.support().map(|point| literals.literal(point).0).collect();
            sources.dedup();
            let mut list: Vec<Moved> =
                sources.into_iter().map(|source| of(model, literals, generator, &sorts, source)).collect();
            list.sort_by_key(|moved| moved.target);
            list.into_boxed_slice()
        };
        let generators: Arc<[Box<[Moved]>]> = generators.iter().map(moved).collect();
        let initial = initial_values(model);
        let is_kept = |moved: &Moved| initial[moved.target] == initial[moved.source].map(|value| moved.image(value));
        if !generators.iter().flatten().all(is_kept) {
            return Generators::default();
        }
        Generators(generators)
    }

    /// Whether the image of a state under one of them is less.
    fn lessen(&self, state: &[i32]) -> bool {
        let is_less = |generator: &[Moved]| {
            limits::work(1);
            let mut compared = generator.iter().map(|moved| moved.image(state[moved.source]).cmp(&state[moved.target]));
            compared.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
        };
        self.0.iter().any(|generator| is_less(generator))
    }
}

/// The element to which an element goes under a generator.
fn of(
    model: &Sequential,
    literals: &Literals,
    generator: &SparsePermutation,
    sorts: &[SortId],
    source: usize,
) -> Moved {
    let domain = model.domain(sorts[source]);
    let low = domain.bounds().0;
    let image = |value: i32| literals.literal(generator.image(literals.point(source, value)));
    let target = image(low).0;
    if literals.is_wide(source) {
        return Moved { target, source, values: None };
    }
    limits::work(domain.size() as u64);
    let values: Box<[i32]> = domain.values().map(|value| image(value).1).collect();
    let stay = domain.values().zip(&values).all(|(value, image)| value == *image);
    Moved { target, source, values: (!stay).then_some((low, values)) }
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
