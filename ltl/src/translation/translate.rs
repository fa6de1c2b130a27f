//! A formula in normal form to a generalised Buchi automaton.
//!
//! A very weak alternating automaton has the temporal subformulas as states. Its moves consist of the literals that
//! must hold now and the subformulas that must hold from the next state onwards. A state of the result is a set of
//! subformulas that must all hold; its edges are the products of their moves. For each `U` there is an acceptance set
//! of the edges that do not defer it: the `U` is not among the subformulas of the next state, or the label and the
//! obligations of the edge would satisfy it now.
//!
//! Soundness: Theorem 2 of \[GO01\]; compared with the lasso evaluator on random formulas and words.
//!
//! Complexity: exponential in the formula; bounded by [`MOST_STATES`] and [`MOST_MOVES`].
//!
//! Source: \[GO01\] 3 and 4. Ours: no degeneralisation, reduction afterwards by simulation ([`super::reduce`]).

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::formula::{Formulas, Ltl, Node};
use super::{Automaton, Bits, Cube, Edge, MOST_BITS, TooLarge};

const MOST_STATES: usize = 20_000;
const MOST_MOVES: usize = 1_000_000;
const MOST_IN_ONE_PRODUCT: usize = 10_000;

/// A move: the label that must hold now, and the formulas that must hold from the next state onwards (sorted, without
/// repetition).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Move {
    label: Cube,
    next: Vec<Ltl>,
}

impl Move {
    /// Whether another move allows this one: it reads at least as much and requires no more.
    fn is_allowed_by(&self, other: &Move) -> bool {
        self.label.implies(other.label) && is_subset(&other.next, &self.next)
    }
}

/// An edge with its move.
struct Marked {
    marks: Bits,
    step: Move,
    to: usize,
}

struct Translation<'f> {
    formulas: &'f mut Formulas,
    moves: FxHashMap<Ltl, Rc<[Move]>>,
    /// The moves made so far.
    work: usize,
}

/// The automaton of the words that satisfy a formula.
///
/// # Errors
/// It is too large.
pub(super) fn translate(formulas: &mut Formulas, formula: Ltl) -> Result<Automaton, TooLarge> {
    let mut translation = Translation { formulas, moves: FxHashMap::default(), work: 0 };
    let mut states: IndexSet<Vec<Ltl>, FxBuildHasher> = IndexSet::default();
    let initial: Vec<usize> =
        translation.clauses(formula)?.into_iter().map(|clause| states.insert_full(clause).0).collect();
    let mut raw: Vec<Vec<(Move, usize)>> = Vec::new();
    while raw.len() < states.len() {
        if states.len() > MOST_STATES {
            return Err(TooLarge);
        }
        let clause = states[raw.len()].clone();
        let moves = translation.of_clause(&clause)?;
        let edges = moves.into_iter().map(|step| {
            let to = states.insert_full(step.next.clone()).0;
            (step, to)
        });
        raw.push(edges.collect());
    }
    let untils = translation.untils(&states);
    if untils.len() > MOST_BITS {
        return Err(TooLarge);
    }
    let mut edges = Vec::with_capacity(raw.len());
    for list in raw {
        let marked =
            list.into_iter().map(|(step, to)| Marked { marks: translation.marks(&untils, &step), step, to }).collect();
        edges.push(undominated(marked));
    }
    let automaton = Automaton { sets: untils.len(), initial, edges };
    assert!(automaton.is_closed() && automaton.len() == states.len(), "each set of formulas has its edges");
    Ok(automaton)
}

/// The edges of a state, without those that another one makes needless. The other one reads at least as much, has at
/// least the marks, and requires no more afterwards.
fn undominated(mut list: Vec<Marked>) -> Vec<Edge> {
    list.sort_by_cached_key(|Marked { marks, step, .. }| (step.next.len(), step.label.size(), !marks, step.clone()));
    let mut kept: Vec<Marked> = Vec::with_capacity(list.len());
    for edge in list {
        let dominates = |other: &Marked| edge.marks & !other.marks == 0 && edge.step.is_allowed_by(&other.step);
        if !kept.iter().any(dominates) {
            kept.push(edge);
        }
    }
    kept.into_iter().map(|Marked { marks, step, to }| Edge { to, label: step.label, marks }).collect()
}

impl Translation<'_> {
    /// The ways to satisfy a formula by sets of formulas that are not connectives.
    fn clauses(&mut self, f: Ltl) -> Result<Vec<Vec<Ltl>>, TooLarge> {
        Ok(match self.formulas.node(f).clone() {
            Node::True => vec![Vec::new()],
            Node::False => Vec::new(),
            Node::Or(list) => {
                let parts = list.into_iter().map(|part| self.clauses(part)).collect::<Result<Vec<_>, _>>()?;
                parts.into_iter().flatten().collect()
            }
            Node::And(list) => {
                let mut product = vec![Vec::new()];
                for part in list {
                    let clauses = self.clauses(part)?;
                    self.count(product.len() * clauses.len())?;
                    let pairs = product.iter().flat_map(|left| clauses.iter().map(move |right| union(left, right)));
                    product = pairs.collect();
                }
                product
            }
            _ => vec![vec![f]],
        })
    }

    /// The moves of a formula.
    fn moves(&mut self, f: Ltl) -> Result<Rc<[Move]>, TooLarge> {
        if let Some(known) = self.moves.get(&f) {
            return Ok(Rc::clone(known));
        }
        let later = |f: Ltl| Move { label: Cube::TRUE, next: vec![f] };
        let moves = match self.formulas.node(f).clone() {
            Node::True => vec![Move { label: Cube::TRUE, next: Vec::new() }],
            Node::False => Vec::new(),
            Node::Literal { atom, positive } => {
                let bit = u32::try_from(atom).ok().and_then(|atom| Bits::checked_shl(1, atom)).ok_or(TooLarge)?;
                let label =
                    if positive { Cube { positive: bit, negative: 0 } } else { Cube { positive: 0, negative: bit } };
                vec![Move { label, next: Vec::new() }]
            }
            Node::And(list) => self.all(&list)?,
            Node::Or(list) => {
                let parts = list.into_iter().map(|part| self.moves(part)).collect::<Result<Vec<_>, _>>()?;
                minimal(parts.iter().flat_map(|moves| moves.iter().cloned()).collect())
            }
            Node::Next(g) => {
                let clauses = self.clauses(g)?;
                minimal(clauses.into_iter().map(|next| Move { label: Cube::TRUE, next }).collect())
            }
            Node::Until(a, b) => {
                let (a, b) = (self.moves(a)?, self.moves(b)?);
                let stay = self.product(&a, &[later(f)])?;
                minimal(b.iter().cloned().chain(stay).collect())
            }
            Node::Release(a, b) => {
                let (a, b) = (self.moves(a)?, self.moves(b)?);
                let released: Vec<Move> = a.iter().cloned().chain([later(f)]).collect();
                self.product(&b, &released)?
            }
        };
        let moves: Rc<[Move]> = moves.into();
        self.moves.insert(f, Rc::clone(&moves));
        Ok(moves)
    }

    /// The moves of a conjunction.
    fn all(&mut self, list: &[Ltl]) -> Result<Vec<Move>, TooLarge> {
        Ok(minimal(self.of_clause(list)?))
    }

    /// The moves of a state. No move is dropped: a move that requires more may be the one that satisfies a `U`.
    fn of_clause(&mut self, list: &[Ltl]) -> Result<Vec<Move>, TooLarge> {
        let mut product = vec![Move { label: Cube::TRUE, next: Vec::new() }];
        for &part in list {
            let moves = self.moves(part)?;
            product = self.pairs(&product, &moves)?;
        }
        Ok(product)
    }

    fn product(&mut self, left: &[Move], right: &[Move]) -> Result<Vec<Move>, TooLarge> {
        Ok(minimal(self.pairs(left, right)?))
    }

    fn pairs(&mut self, left: &[Move], right: &[Move]) -> Result<Vec<Move>, TooLarge> {
        self.count(left.len() * right.len())?;
        let mut product = Vec::new();
        for a in left {
            for b in right {
                if let Some(label) = a.label.and(b.label) {
                    product.push(Move { label, next: union(&a.next, &b.next) });
                }
            }
        }
        product.sort_unstable();
        product.dedup();
        Ok(product)
    }

    fn count(&mut self, moves: usize) -> Result<(), TooLarge> {
        self.work = self.work.saturating_add(moves);
        if moves > MOST_IN_ONE_PRODUCT || self.work > MOST_MOVES { Err(TooLarge) } else { Ok(()) }
    }

    /// The `U` formulas of all states, sorted.
    fn untils(&self, states: &IndexSet<Vec<Ltl>, FxBuildHasher>) -> Vec<Ltl> {
        let is_until = |f: &Ltl| matches!(self.formulas.node(*f), Node::Until(..));
        let mut untils: Vec<Ltl> = states.iter().flatten().copied().filter(is_until).collect();
        untils.sort_unstable();
        untils.dedup();
        untils
    }

    /// The acceptance sets of a move.
    fn marks(&mut self, untils: &[Ltl], step: &Move) -> Bits {
        let mut marks = 0;
        for (set, until) in untils.iter().enumerate() {
            let is_deferred = step.next.contains(until) && {
                let satisfied = |other: &Move| {
                    step.label.implies(other.label) && !other.next.contains(until) && is_subset(&other.next, &step.next)
                };
                !self.moves.get(until).is_some_and(|moves| moves.iter().any(satisfied))
            };
            if !is_deferred {
                marks |= 1 << set;
            }
        }
        marks
    }
}

/// Drops each move that another one allows.
fn minimal(mut moves: Vec<Move>) -> Vec<Move> {
    // Moves with a weaker label and fewer obligations come first.
    moves.sort_by_cached_key(|step| (step.next.len(), step.label.size(), step.clone()));
    let mut kept: Vec<Move> = Vec::with_capacity(moves.len());
    for step in moves {
        if !kept.iter().any(|other| step.is_allowed_by(other)) {
            kept.push(step);
        }
    }
    kept
}

/// Whether a sorted list is part of another.
fn is_subset(part: &[Ltl], whole: &[Ltl]) -> bool {
    debug_assert!(whole.is_sorted(), "the formulas that a move requires are sorted");
    part.iter().all(|f| whole.binary_search(f).is_ok())
}

/// The union of two sorted lists.
fn union(a: &[Ltl], b: &[Ltl]) -> Vec<Ltl> {
    let mut union: Vec<Ltl> = a.iter().chain(b).copied().collect();
    union.sort_unstable();
    union.dedup();
    union
}
