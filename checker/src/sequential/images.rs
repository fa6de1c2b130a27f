//! Images of states under proved symmetries, for invariants that the group of a quotient moves.
//!
//! The image of a state is written into a buffer: only the elements that a symmetry moves, or whose values it exchanges, are looked at. It is
//! that by the literals of the group, with which a test compares it.

use ::symmetry::sequential::ValidatedGroup;
use engine::SparsePermutation;
use explore::reductions::AtImages;
use frontend::sequential::Sequential;

/// The images at which invariants are checked that a group moves.
///
/// # Panics
/// If one of the elements is none of the group.
pub(super) fn of(model: &Sequential, group: &ValidatedGroup, list: &[AtImages]) -> Vec<(String, Vec<Image>)> {
    let image = |element: &SparsePermutation| {
        assert!(group.group().contains_sparse(element), "images are under the proved group");
        Image::new(model, group, element)
    };
    list.iter().map(|at| (at.property.clone(), at.elements.iter().map(image).collect())).collect()
}

/// A symmetry as it acts on states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Image {
    moves: Vec<Move>,
}

/// The element to which the value of an element goes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Move {
    from: usize,
    to: usize,
    low: i32,
    /// The image of each value from the least on; of a wide element, which keeps its value, none.
    values: Box<[i32]>,
}

impl Image {
    /// The action of a permutation of literals.
    fn new(model: &Sequential, group: &ValidatedGroup, permutation: &SparsePermutation) -> Image {
        let literals = group.literals();
        let mut elements: Vec<usize> = permutation.support().map(|point| literals.literal(point).0).collect();
        elements.sort_unstable();
        elements.dedup();
        let sorts = model.element_sorts();
        let image = |element: usize, value: i32| literals.literal(permutation.image(literals.point(element, value)));
        let moved = |from: usize| {
            let (low, high) = model.domain(sorts[from]).bounds();
            let (to, _) = image(from, low);
            let is_wide = literals.is_wide(from);
            let values =
                if is_wide { Box::default() } else { (low..=high).map(|value| image(from, value).1).collect() };
            Move { from, to, low, values }
        };
        let moves: Vec<Move> = elements.iter().map(|&element| moved(element)).collect();
        let mut targets: Vec<usize> = moves.iter().map(|moved| moved.to).collect();
        targets.sort_unstable();
        assert_eq!(targets, elements, "a symmetry permutes elements");
        Image { moves }
    }

    /// Writes the image of a state.
    pub(super) fn write(&self, state: &[i32], image: &mut Vec<i32>) {
        image.clear();
        image.extend_from_slice(state);
        for Move { from, to, low, values } in &self.moves {
            let value = state[*from];
            let at = usize::try_from(i64::from(value) - i64::from(*low)).expect("a value of the sort");
            image[*to] = values.get(at).copied().unwrap_or(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::{Options, parse};

    use super::*;

    #[test]
    fn images_are_those_of_the_literals() {
        let text = "type P : 0..2; type Y : -1..1; proc X(x : P[P], y : Y, z : BOOL[P]) = \
             sum p:P . [true] e { x[p] := p; y := 0; z[p] := !z[p]; } -> X; init X(x = [0, 1, 2], y = 0, z = 0);";
        let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
        let trivial = ValidatedGroup::new(&model, &[], Vec::new());
        let literals = trivial.literals();
        // The second and the third element and their values; the values of the fourth.
        let swap = |one: (usize, i32), two: (usize, i32)| {
            let points = [literals.point(one.0, one.1), literals.point(two.0, two.1)];
            [(points[0], points[1]), (points[1], points[0])]
        };
        let pairs = [swap((1, 0), (2, 0)), swap((1, 1), (2, 2)), swap((1, 2), (2, 1)), swap((3, -1), (3, 1))];
        let permutation = SparsePermutation::from_pairs(pairs.concat()).expect("a permutation");
        let (image, mut written) = (Image::new(&model, &trivial, &permutation), Vec::new());
        for code in 0..81 {
            let state = [code % 3, code / 3 % 3, code / 9 % 3, code / 27 - 1, 0, 1, 1];
            image.write(&state, &mut written);
            assert_eq!(written, literals.apply(&permutation, &state), "{state:?}");
        }
    }
}
