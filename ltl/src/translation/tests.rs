//! The translation against the lasso evaluator, on random formulas and words.

use crate::formula::Formula;

use super::{Automaton, Bits, Cube, Edge, Shape, automaton, degeneralise};
use crate::evaluate;
use crate::testing::Rng;

const ATOMS: u32 = 3;

/// A random formula over atoms by number.
fn formula(rng: &mut Rng, size: u32) -> Formula<usize> {
    let boxed = |rng: &mut Rng, size| Box::new(formula(rng, size));
    if size <= 1 {
        return Formula::Atom(rng.below(ATOMS) as usize);
    }
    let rest = size - 1;
    let left = 1 + rng.below(rest.max(2) - 1);
    let right = rest.saturating_sub(left).max(1);
    match rng.below(14) {
        0 | 1 => Formula::Not(boxed(rng, rest)),
        2 => Formula::Next(boxed(rng, rest)),
        3 | 4 => Formula::Finally(boxed(rng, rest)),
        5 | 6 => Formula::Globally(boxed(rng, rest)),
        7 => Formula::And(vec![formula(rng, left), formula(rng, right)]),
        8 => Formula::Or(vec![formula(rng, left), formula(rng, right)]),
        9 => Formula::Implies(boxed(rng, left), boxed(rng, right)),
        10 | 11 => Formula::Until(boxed(rng, left), boxed(rng, right)),
        12 => Formula::Release(boxed(rng, left), boxed(rng, right)),
        _ => Formula::WeakUntil(boxed(rng, left), boxed(rng, right)),
    }
}

/// An ultimately periodic word: its letters, and the position to which the last one returns.
struct Word {
    letters: Vec<Bits>,
    cycle_from: usize,
}

fn word(rng: &mut Rng) -> Word {
    let len = 1 + rng.below(6);
    let letters = (0..len).map(|_| Bits::from(rng.below(1 << ATOMS))).collect();
    Word { letters, cycle_from: rng.below(len) as usize }
}

impl Word {
    fn satisfies(&self, formula: &Formula<usize>) -> bool {
        let mut value = |atom: &usize, at: usize| Some(self.letters[at] >> atom & 1 == 1);
        evaluate::holds(formula, self.letters.len(), self.cycle_from, &mut value).expect("atoms have values")
    }

    /// Whether an automaton accepts it: the product with the word, its edges closed transitively, by the naive
    /// algorithm.
    fn is_accepted(&self, automaton: &Automaton) -> bool {
        let nothing = Shape { accepts: vec![true; automaton.len()], entered: vec![Vec::new(); automaton.len()] };
        self.is_accepted_with(automaton, &nothing)
    }

    /// The same, without the parts that the shape of the automaton allows to leave out.
    fn is_accepted_with(&self, automaton: &Automaton, shape: &Shape) -> bool {
        let len = self.letters.len();
        let nodes = len * automaton.len();
        let next = |at: usize| if at + 1 == len { self.cycle_from } else { at + 1 };
        let mut edges = Vec::new();
        for at in 0..len {
            for (state, list) in automaton.edges.iter().enumerate() {
                let from = at * automaton.len() + state;
                let entered = &shape.entered[state];
                edges.extend(entered.iter().map(|to| (from, at * automaton.len() + to, 0)));
                let taken =
                    list.iter().filter(|edge| edge.label.holds(self.letters[at]) && !entered.contains(&edge.to));
                edges.extend(taken.map(|edge| (from, next(at) * automaton.len() + edge.to, edge.marks)));
            }
        }
        let closed = |from: usize| {
            let mut reached = vec![false; nodes];
            reached[from] = true;
            loop {
                let before = reached.iter().filter(|reached| **reached).count();
                for &(a, b, _) in &edges {
                    reached[b] |= reached[a];
                }
                if reached.iter().filter(|reached| **reached).count() == before {
                    return reached;
                }
            }
        };
        let reaches: Vec<Vec<bool>> = (0..nodes).map(closed).collect();
        (0..nodes).filter(|node| shape.accepts[node % automaton.len()]).any(|node| {
            let inside = edges.iter().filter(|&&(a, b, _)| reaches[node][a] && reaches[b][node]);
            let mut marks = None;
            inside.for_each(|edge| *marks.get_or_insert(0) |= edge.2);
            marks == Some(automaton.all()) && automaton.initial.iter().any(|&start| reaches[start][node])
        })
    }
}

fn of(formula: &Formula<usize>, positive: bool) -> Automaton {
    automaton(formula, positive, &mut |&atom| (atom, true)).expect("a small automaton")
}

#[test]
fn automata_accept_the_models_of_the_formula() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let size = 1 + rng.below(12);
        let formula = formula(&mut rng, size);
        let (yes, no) = (of(&formula, true), of(&formula, false));
        for _ in 0..12 {
            let word = word(&mut rng);
            let satisfies = word.satisfies(&formula);
            let description = || format!("seed {seed}: {formula:?}\n{:?} from {}", word.letters, word.cycle_from);
            assert_eq!(word.is_accepted(&yes), satisfies, "{}\n{yes:#?}", description());
            assert_eq!(word.is_accepted(&no), !satisfies, "negation, {}\n{no:#?}", description());
            (accepted, refused) = (accepted + u32::from(satisfies), refused + u32::from(!satisfies));
        }
    }
    assert!(accepted > 5_000 && refused > 5_000, "{accepted} accepted, {refused} refused");
}

/// A random automaton over as many propositions as there are atoms; states that wait are frequent.
fn given(rng: &mut Rng) -> Automaton {
    let (states, sets) = (1 + rng.below(4), rng.below(3));
    let mut edges = Vec::new();
    for state in 0..states {
        let waits = Edge { to: state as usize, label: Cube::TRUE, marks: 0 };
        let mut list: Vec<Edge> = (0..rng.below(2)).map(|_| waits).collect();
        for _ in 0..1 + rng.below(3) {
            let mut label = Cube::TRUE;
            for atom in 0..ATOMS as usize {
                match rng.below(5) {
                    0 => label.positive |= 1 << atom,
                    1 => label.negative |= 1 << atom,
                    _ => {}
                }
            }
            list.push(Edge { to: rng.below(states) as usize, label, marks: Bits::from(rng.below(1 << sets)) });
        }
        edges.push(list);
    }
    Automaton { sets: sets as usize, initial: vec![rng.below(states) as usize], edges }
}

/// Automata that no formula gives: reduced, with conditions that are one or opposite, and with what their shape leaves out.
#[test]
fn given_automata_keep_their_words() {
    let (mut accepted, mut refused, mut entries) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let own = given(&mut rng);
        let shape = Shape::of(&own);
        entries += shape.entered.iter().map(Vec::len).sum::<usize>();
        // The third proposition is the first one negated.
        let turned = |&atom: &usize| [(0, true), (1, true), (0, false)][atom];
        let atoms = (0..ATOMS as usize).map(Formula::Atom).collect();
        let formula = Formula::Accepted(Box::new(own.clone()), atoms);
        let used = automaton(&formula, true, &mut |atom| turned(atom)).expect("a small automaton");
        for _ in 0..12 {
            let word = word(&mut rng);
            let accepts = own.accepts(&word.letters, word.cycle_from)[0];
            let description = || format!("seed {seed}: {:?} from {}\n{own:#?}", word.letters, word.cycle_from);
            assert_eq!(word.is_accepted(&own), accepts, "{}", description());
            assert_eq!(word.is_accepted_with(&own, &shape), accepts, "{}\n{shape:?}", description());
            let letter = |&bits: &Bits| bits & 3 | (!bits & 1) << 2;
            let accepts = own.accepts(&word.letters.iter().map(letter).collect::<Vec<_>>(), word.cycle_from)[0];
            assert_eq!(word.is_accepted(&used), accepts, "{}\n{used:#?}", description());
            (accepted, refused) = (accepted + u32::from(accepts), refused + u32::from(!accepts));
        }
    }
    assert!(accepted > 5_000 && refused > 5_000 && entries > 150, "{accepted}, {refused}, {entries}");
}

/// One set instead of several: the same words, and marked edges are those that leave accepting states.
#[test]
fn one_acceptance_set_accepts_the_same_words() {
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed);
        let own = given(&mut rng);
        let (single, accepting) = degeneralise(&own);
        assert_eq!((single.sets, accepting.len()), (1, single.len()), "seed {seed}");
        for (edges, &accepts) in single.edges.iter().zip(&accepting) {
            assert!(edges.iter().all(|edge| edge.marks == Bits::from(accepts)), "seed {seed}: {single:#?}");
        }
        for _ in 0..12 {
            let word = word(&mut rng);
            assert_eq!(word.is_accepted(&single), word.is_accepted(&own), "seed {seed}: {own:#?}\n{single:#?}");
        }
    }
}

/// The omissions that the shape of an automaton allows change no answer; entering without looking at the edges does, and so does looking
/// for cycles in the wrong places.
#[test]
fn parts_that_the_shape_leaves_out_change_no_answer() {
    let (mut entries, mut rejecting, mut too_many, mut too_few) = (0, 0, 0, 0);
    for seed in 0..1_500 {
        let mut rng = Rng::new(seed);
        let size = 1 + rng.below(12);
        let formula = formula(&mut rng, size);
        let automaton = of(&formula, false);
        let shape = Shape::of(&automaton);
        entries += shape.entered.iter().map(Vec::len).sum::<usize>();
        rejecting += shape.accepts.iter().filter(|accepts| !**accepts).count();
        let mut entered = vec![Vec::new(); automaton.len()];
        for (state, edges) in automaton.edges.iter().enumerate() {
            if edges.iter().any(|edge| edge.to == state && edge.label == Cube::TRUE) {
                entered[state].extend(edges.iter().map(|edge| edge.to).filter(|&to| to != state));
            }
        }
        let everywhere = Shape { entered, ..shape.clone() };
        let nowhere = Shape { accepts: shape.accepts.iter().map(|accepts| !accepts).collect(), ..shape.clone() };
        for _ in 0..12 {
            let word = word(&mut rng);
            let accepted = word.is_accepted(&automaton);
            let description = || format!("seed {seed}: {formula:?}\n{:?} from {}", word.letters, word.cycle_from);
            assert_eq!(word.is_accepted_with(&automaton, &shape), accepted, "{}\n{automaton:#?}", description());
            too_many += usize::from(word.is_accepted_with(&automaton, &everywhere) != accepted);
            too_few += usize::from(word.is_accepted_with(&automaton, &nowhere) != accepted);
        }
    }
    assert!(entries > 100 && rejecting > 300, "{entries} entries, {rejecting} states");
    assert!(too_many > 20 && too_few > 20, "the wrong ones are caught {too_many} and {too_few} times");
}

/// States of the automata of the usual patterns and of their negations: a change that makes one larger is noticed.
#[test]
fn the_usual_patterns_have_small_automata() {
    let atom = |number| Box::new(Formula::Atom(number));
    let not = |formula| Box::new(Formula::Not(formula));
    let finally = |formula| Box::new(Formula::Finally(formula));
    let globally = |formula| Box::new(Formula::Globally(formula));
    let next = |formula| Box::new(Formula::Next(formula));
    let until = |a, b| Box::new(Formula::Until(a, b));
    let implies = |a, b| Box::new(Formula::Implies(a, b));
    let and = |a: Box<Formula<usize>>, b: Box<Formula<usize>>| Box::new(Formula::And(vec![*a, *b]));
    let recurrence = |number| globally(finally(atom(number)));
    let cases = [
        ("absence", globally(not(atom(0))), 1, 2),
        ("absence before", implies(finally(atom(1)), until(not(atom(0)), atom(1))), 3, 3),
        ("absence after", globally(implies(atom(1), globally(not(atom(0))))), 2, 3),
        ("existence", finally(atom(0)), 2, 1),
        ("until", until(atom(0), atom(1)), 2, 2),
        ("response", globally(implies(atom(0), finally(atom(1)))), 2, 2),
        ("recurrence", recurrence(0), 1, 2),
        ("two recurrences", and(recurrence(0), recurrence(1)), 1, 3),
        ("persistence", finally(globally(atom(0))), 2, 1),
        ("strong fairness", implies(recurrence(0), recurrence(1)), 3, 2),
        ("next", globally(implies(atom(0), next(atom(1)))), 2, 3),
        ("nested", until(atom(0), until(atom(1), atom(2))), 3, 3),
    ];
    for (name, formula, positive, negative) in cases {
        let sizes = (of(&formula, true).len(), of(&formula, false).len());
        assert_eq!(sizes, (positive, negative), "{name}: {formula:?}");
    }
}

/// Writing and reading again gives the same words for the naive evaluation and for the automaton that the search uses.
#[test]
fn automata_survive_their_text() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let size = 1 + rng.below(12);
        let formula = formula(&mut rng, size);
        let own = of(&formula, true);
        let names: Vec<String> = (0..ATOMS).map(|atom| format!("p{atom}")).collect();
        let text = crate::hoa::print(&own, &names, "a formula");
        let read = crate::hoa::parse(&text).expect("what is written can be read");
        assert_eq!(read.automaton, own, "seed {seed}\n{text}");
        // The first two propositions are exchanged, and the third is read negated.
        let turned = |&atom: &usize| [(1, true), (0, true), (2, false)][atom];
        let atoms = (0..ATOMS as usize).map(Formula::Atom).collect();
        let given = Formula::Accepted(Box::new(read.automaton.clone()), atoms);
        let used = automaton(&given, true, &mut |atom| turned(atom)).expect("a small automaton");
        let violating = automaton(&Formula::Not(Box::new(given)), false, &mut |atom| turned(atom));
        assert_eq!(violating.as_ref(), Ok(&used));
        for _ in 0..12 {
            let word = word(&mut rng);
            let satisfies = word.satisfies(&formula);
            assert_eq!(read.automaton.accepts(&word.letters, word.cycle_from)[0], satisfies, "seed {seed}\n{text}");
            let letter = |&bits: &Bits| bits >> 1 & 1 | (bits & 1) << 1 | (!bits & 4);
            let letters = word.letters.iter().map(letter).collect();
            let word = Word { letters, cycle_from: word.cycle_from };
            assert_eq!(word.is_accepted(&used), satisfies, "seed {seed}\n{used:#?}");
            (accepted, refused) = (accepted + u32::from(satisfies), refused + u32::from(!satisfies));
        }
    }
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} accepted, {refused} refused");
}
