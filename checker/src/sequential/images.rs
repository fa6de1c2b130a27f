//! Images of states under proved symmetries, for invariants that the group of a quotient moves.
//!
//! A quantifier stops at the first value that decides it, so that its order shows where its body faults for another value. Where its body faults for none,
//! fewer images suffice: whether that is so is known by an evaluation for all values ([`for_all_values`]).
//!
//! The image of a state is written into a buffer: only the elements that a symmetry moves, or whose values it exchanges, are looked at. It is
//! that by the literals of the group, with which a test compares it.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use ::symmetry::sequential::{Literals, ValidatedGroup};
use engine::SparsePermutation;
use explore::reductions::AtImages;
use frontend::sequential::{Expr, ExprKind, Quantified, Sequential};

use super::packing::Packing;

/// The images at which invariants are checked that a group moves.
///
/// # Panics
/// If one of the elements is none of the group.
pub(super) fn of(model: &Sequential, group: &ValidatedGroup, list: &[AtImages]) -> Vec<(String, Arc<Images>)> {
    let image = |element: &SparsePermutation| {
        assert!(group.group().contains_sparse(element), "images are under the proved group");
        Image::new(model, group.literals(), element)
    };
    let images = |at: &AtImages| Images {
        all: at.elements.iter().map(image).collect(),
        in_any_order: at.in_any_order.iter().map(image).collect(),
    };
    list.iter().map(|at| (at.property.clone(), Arc::new(images(at)))).collect()
}

/// The images of each state at which an invariant is checked.
#[derive(Clone, Default, Debug)]
pub(super) struct Images {
    pub(super) all: Vec<Image>,
    /// Those that suffice where the order of the values of its quantifiers does not show; none where these are no fewer.
    pub(super) in_any_order: Vec<Image>,
}

/// What conditions read of packed states and of their images. A state is unpacked once; of each image only the moves that the conditions read are made,
/// and taken back.
#[derive(Debug)]
pub(super) struct Unpacked {
    /// The elements that are read, and those whose values go to them, ascending.
    elements: Vec<usize>,
    /// The values of these elements in the state; the others have any value.
    state: Vec<i32>,
    /// The same of the image.
    image: Vec<i32>,
}

impl Unpacked {
    /// For conditions that read such elements, with the parts of the images in each list that they read.
    pub(super) fn new<const N: usize>(
        reads: &BTreeSet<usize>,
        lists: [&[Image]; N],
        len: usize,
    ) -> (Unpacked, [Vec<Image>; N]) {
        let part = |image: &Image| {
            limits::work(image.moves.len() as u64);
            let moves = image.moves.iter().filter(|moved| reads.contains(&moved.to));
            Image { moves: moves.cloned().collect() }
        };
        let lists = lists.map(|list| list.iter().map(part).collect::<Vec<Image>>());
        let from = lists.iter().flatten().flat_map(|image| &image.moves).map(|moved| moved.from);
        let elements: BTreeSet<usize> = reads.iter().copied().chain(from).collect();
        (Unpacked { elements: elements.into_iter().collect(), state: vec![0; len], image: vec![0; len] }, lists)
    }

    /// Reads the elements of a packed state.
    pub(super) fn unpack(&mut self, packing: &Packing, words: &[u64]) {
        for &element in &self.elements {
            self.state[element] = packing.value(words, element);
            self.image[element] = self.state[element];
        }
    }

    /// The result of a condition in an image of the state that was read last.
    pub(super) fn at<T>(&mut self, image: &Image, condition: impl FnOnce(&[i32]) -> T) -> T {
        let Unpacked { state, image: values, .. } = self;
        for moved in &image.moves {
            values[moved.to] = moved.image(state[moved.from]);
        }
        let result = condition(values);
        image.moves.iter().for_each(|moved| values[moved.to] = state[moved.to]);
        result
    }
}

/// A condition that evaluates the bodies of its quantifiers for all of their values: it faults if one of these evaluations does, and otherwise has the value of the given
/// condition. It is made to be compiled: conjunctions are not flattened.
pub(super) fn for_all_values(expr: &Expr) -> Expr {
    let mut whole = expr.clone();
    whole.operands_mut().into_iter().for_each(|operand| *operand = for_all_values(operand));
    let (ExprKind::Forall(quantified) | ExprKind::Exists(quantified)) = whole.kind else { return whole };
    let new = |kind| Expr::new(kind, expr.span);
    let body = new(ExprKind::Or(vec![quantified.body, new(ExprKind::Int(1))]));
    let looks = new(ExprKind::Forall(Box::new(Quantified { body, ..*quantified })));
    new(ExprKind::And(vec![looks, expr.clone()]))
}

/// A symmetry as it acts on states.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Image {
    /// By target, ascending.
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

impl Move {
    /// The value that the target has in the image of a state in which the element has this value.
    fn image(&self, value: i32) -> i32 {
        let at = usize::try_from(i64::from(value) - i64::from(self.low)).expect("a value of the sort");
        self.values.get(at).copied().unwrap_or(value)
    }
}

impl Image {
    /// The action of a permutation of literals that takes elements to elements.
    pub(super) fn new(model: &Sequential, literals: &Literals, permutation: &SparsePermutation) -> Image {
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
        let mut moves: Vec<Move> = elements.iter().map(|&element| moved(element)).collect();
        moves.sort_by_key(|moved| moved.to);
        assert!(moves.iter().map(|moved| moved.to).eq(elements), "a symmetry permutes elements");
        Image { moves }
    }

    /// Writes the image of a state.
    pub(super) fn write(&self, state: &[i32], image: &mut Vec<i32>) {
        image.clear();
        image.extend_from_slice(state);
        for moved in &self.moves {
            image[moved.to] = moved.image(state[moved.from]);
        }
    }

    /// Whether the image of a state is less than the state, in lexicographic order.
    pub(super) fn is_less(&self, state: &[i32]) -> bool {
        limits::work(1);
        let mut compared = self.moves.iter().map(|moved| moved.image(state[moved.from]).cmp(&state[moved.to]));
        compared.find(|order| order.is_ne()).is_some_and(Ordering::is_lt)
    }

    /// Whether the image of each initial state is one, if these are the products of such values of elements, `None` for any.
    pub(super) fn keeps_product(&self, initial: &[Option<i32>]) -> bool {
        self.moves.iter().all(|moved| initial[moved.to] == initial[moved.from].map(|value| moved.image(value)))
    }
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::interpret::evaluate;
    use frontend::sequential::{Options, PropertyKind, parse};

    use super::super::compile::Compiler;
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
        let (image, mut written) = (Image::new(&model, trivial.literals(), &permutation), Vec::new());
        for code in 0..81 {
            let state = [code % 3, code / 3 % 3, code / 9 % 3, code / 27 - 1, 0, 1, 1];
            image.write(&state, &mut written);
            assert_eq!(written, literals.apply(&permutation, &state), "{state:?}");
            let (packing, read) = (Packing::new(&model), BTreeSet::from([0, 2, 3, 5]));
            let (mut unpacked, [list]) = Unpacked::new(&read, [&[image.clone(), Image::default()]], state.len());
            unpacked.unpack(&packing, &packing.pack(&state));
            for (image, whole) in [(&list[0], &written[..]), (&list[1], &state[..]), (&list[0], &written[..])] {
                unpacked.at(image, |values| assert!(read.iter().all(|&at| values[at] == whole[at]), "{state:?}"));
            }
        }
    }

    /// For all values, a condition commutes with an exchange of values whatever faults, and is the condition where nothing does.
    #[test]
    fn conditions_for_all_values_have_no_order() {
        let properties = [
            "exists i:P . at = i || on[next[i]]",
            "forall i:P . (exists j:P . next[j] = i && on[next[i]]) || at != i",
            "(at = -1 => exists i:P . on[next[i]]) && !(forall i:P . next[i] != at && !on[next[i]])",
        ];
        for property in properties {
            let text = format!(
                "type P : 0..2; type N : -1..2; proc X(at : N, next : N[P], on : BOOL[P]) = [true] e {{ }} -> X; init X(at = -1, next = -1, on = 0); assert A = {property};"
            );
            let mut diagnostics = Diagnostics::new();
            let model = parse(&text, &Options::default(), &mut diagnostics).model;
            let model = model.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
            let PropertyKind::Invariant(condition) = &model.properties[0].kind else { unreachable!("an invariant") };
            let whole = for_all_values(condition);
            // Quantifiers that are written out, and that run over their values.
            let mut codes = [1 << 14, 0].map(|budget| {
                let mut compiler = Compiler::new(&model, budget);
                let (code, _) = compiler.expression(&whole);
                (code, vec![0; compiler.registers])
            });
            let swap = |value: i32| if value > 0 { 3 - value } else { value };
            let (mut shown, mut defined) = (0, 0);
            for code in 0..4 * 64 * 8 {
                let next = |at: u32| code / 4_i32.pow(at) % 4 - 1;
                let on = |at: u32| (code / 256) >> at & 1;
                let state = [next(0), next(1), next(2), next(3), on(0), on(1), on(2)];
                let image =
                    [swap(state[0]), swap(state[1]), swap(state[3]), swap(state[2]), state[4], state[6], state[5]];
                let of = |expr: &Expr, state: &[i32]| evaluate(&model, expr, state, &[]).ok();
                assert_eq!(of(&whole, &state), of(&whole, &image), "{property} {state:?}");
                for (code, registers) in &mut codes {
                    assert_eq!(code.value(&state, registers), of(&whole, &state), "{property} {state:?}");
                }
                assert!(
                    of(&whole, &state).is_none_or(|value| of(condition, &state) == Some(value)),
                    "{property} {state:?}"
                );
                shown += usize::from(of(condition, &state) != of(condition, &image));
                defined += usize::from(of(&whole, &state).is_some());
            }
            assert!(shown > 0 && defined > 0, "{property}: the order shows in {shown} states, {defined} are defined");
        }
    }
}
