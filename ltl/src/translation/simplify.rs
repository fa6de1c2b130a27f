//! Construction of formulas: a formula that is equivalent to a smaller one is replaced by it.
//!
//! The rules are of three kinds: constants and distribution of `X`; operands of one connective that merge
//! (`G f && G g = G (f && g)` and similar rules); and syntactic implication, which drops operands and whole operators
//! (`f U g = g` if `f` implies `g`). A formula is an eventuality if it holds at every position before one at which it
//! holds (`F f`). It is universal if it holds at every position after one at which it holds (`G f`). It is both if it
//! depends only on the far future (`G F f`): such a formula moves through `X`, `F` and `G`.
//!
//! Soundness: each rule is an equivalence; implication errs towards "not known". The lasso evaluator, which uses none
//! of the rules, is compared with the automata on random formulas.
//!
//! Complexity: implication is memoised, and gives up after [`MOST_IMPLICATIONS`] pairs.
//!
//! Source: \[EH00\]; \[SB00\]. Ours: the order of the rules.

use super::formula::{Formulas, Ltl, Node};

/// The number of pairs that implication examines; after them the answer for every new pair is "not known".
const MOST_IMPLICATIONS: usize = 200_000;

/// The number of operands of a connective above which pairs are not compared.
const MOST_PAIRED: usize = 64;

/// Whether a formula that holds later holds now.
fn is_eventual(formulas: &Formulas, f: Ltl) -> bool {
    match formulas.node(f) {
        Node::True | Node::False => true,
        Node::Literal { .. } => false,
        Node::And(list) | Node::Or(list) => list.iter().all(|&g| is_eventual(formulas, g)),
        Node::Next(g) => is_eventual(formulas, *g),
        Node::Until(a, b) => *a == Ltl::TRUE || is_eventual(formulas, *b),
        Node::Release(a, b) => is_eventual(formulas, *a) && is_eventual(formulas, *b),
    }
}

/// Whether a formula that holds now holds later.
fn is_universal(formulas: &Formulas, f: Ltl) -> bool {
    match formulas.node(f) {
        Node::True | Node::False => true,
        Node::Literal { .. } => false,
        Node::And(list) | Node::Or(list) => list.iter().all(|&g| is_universal(formulas, g)),
        Node::Next(g) => is_universal(formulas, *g),
        Node::Release(a, b) => *a == Ltl::FALSE || is_universal(formulas, *b),
        Node::Until(a, b) => is_universal(formulas, *a) && is_universal(formulas, *b),
    }
}

/// Whether a formula depends only on the far future.
fn is_suspendable(formulas: &Formulas, f: Ltl) -> bool {
    is_eventual(formulas, f) && is_universal(formulas, f)
}

/// Whether one formula implies another, as far as their shapes show it.
pub(super) fn implies(formulas: &mut Formulas, f: Ltl, g: Ltl) -> bool {
    if f == g || f == Ltl::FALSE || g == Ltl::TRUE {
        return true;
    }
    if f == Ltl::TRUE || g == Ltl::FALSE {
        return false;
    }
    if let Some(&known) = formulas.implications.get(&(f, g)) {
        return known;
    }
    if formulas.implications.len() >= MOST_IMPLICATIONS {
        return false;
    }
    let result = by_left(formulas, f, g) || by_right(formulas, f, g);
    formulas.implications.insert((f, g), result);
    result
}

/// Implication by the operator of the left formula.
fn by_left(formulas: &mut Formulas, f: Ltl, g: Ltl) -> bool {
    match (formulas.node(f).clone(), formulas.node(g).clone()) {
        (Node::Or(list), _) => list.into_iter().all(|part| implies(formulas, part, g)),
        (Node::Next(a), Node::Next(b)) => implies(formulas, a, b),
        (Node::Next(a), _) if is_eventual(formulas, g) => implies(formulas, a, g),
        (Node::Until(a, b), other) => {
            let now = implies(formulas, a, g) && implies(formulas, b, g);
            now || matches!(other, Node::Until(c, d) if implies(formulas, a, c) && implies(formulas, b, d))
        }
        (Node::Release(a, b), other) => {
            let now = implies(formulas, b, g);
            now || matches!(other, Node::Release(c, d) if implies(formulas, a, c) && implies(formulas, b, d))
        }
        (Node::And(list), _) => list.into_iter().any(|part| implies(formulas, part, g)),
        _ => false,
    }
}

/// Implication by the operator of the right formula.
fn by_right(formulas: &mut Formulas, f: Ltl, g: Ltl) -> bool {
    match formulas.node(g).clone() {
        Node::And(list) => list.into_iter().all(|part| implies(formulas, f, part)),
        Node::Or(list) => list.into_iter().any(|part| implies(formulas, f, part)),
        Node::Next(b) => is_universal(formulas, f) && implies(formulas, f, b),
        Node::Until(_, d) => implies(formulas, f, d),
        Node::Release(c, d) => implies(formulas, f, c) && implies(formulas, f, d),
        _ => false,
    }
}

/// `X f`
pub(super) fn next(formulas: &mut Formulas, f: Ltl) -> Ltl {
    if is_suspendable(formulas, f) { f } else { formulas.intern(Node::Next(f)) }
}

/// `a U b`
pub(super) fn until(formulas: &mut Formulas, a: Ltl, b: Ltl) -> Ltl {
    if a == Ltl::FALSE || is_eventual(formulas, b) || implies(formulas, a, b) {
        return b;
    }
    let not_b = formulas.not(b);
    if a != Ltl::TRUE && implies(formulas, not_b, a) {
        return until(formulas, Ltl::TRUE, b);
    }
    match (formulas.node(a).clone(), formulas.node(b).clone()) {
        (Node::True, Node::Until(_, d)) => until(formulas, Ltl::TRUE, d),
        (_, Node::Until(c, _)) if implies(formulas, a, c) => b,
        (Node::True, Node::Next(d)) => {
            let inner = until(formulas, Ltl::TRUE, d);
            next(formulas, inner)
        }
        (Node::Next(c), Node::Next(d)) => {
            let inner = until(formulas, c, d);
            next(formulas, inner)
        }
        // F (f && g) = F f && g if g depends only on the far future.
        (Node::True, Node::And(list)) if list.iter().any(|&g| is_suspendable(formulas, g)) => {
            let (far, near): (Vec<Ltl>, Vec<Ltl>) = list.into_iter().partition(|&g| is_suspendable(formulas, g));
            let near = and(formulas, near);
            let near = until(formulas, Ltl::TRUE, near);
            and(formulas, far.into_iter().chain([near]).collect())
        }
        _ => formulas.intern(Node::Until(a, b)),
    }
}

/// `a R b`
pub(super) fn release(formulas: &mut Formulas, a: Ltl, b: Ltl) -> Ltl {
    if a == Ltl::TRUE || is_universal(formulas, b) || implies(formulas, b, a) {
        return b;
    }
    let not_a = formulas.not(a);
    if a != Ltl::FALSE && implies(formulas, b, not_a) {
        return release(formulas, Ltl::FALSE, b);
    }
    match (formulas.node(a).clone(), formulas.node(b).clone()) {
        (Node::False, Node::Release(_, d)) => release(formulas, Ltl::FALSE, d),
        (_, Node::Release(c, _)) if implies(formulas, c, a) => b,
        (Node::False, Node::Next(d)) => {
            let inner = release(formulas, Ltl::FALSE, d);
            next(formulas, inner)
        }
        (Node::Next(c), Node::Next(d)) => {
            let inner = release(formulas, c, d);
            next(formulas, inner)
        }
        // G (f || g) = G f || g if g depends only on the far future.
        (Node::False, Node::Or(list)) if list.iter().any(|&g| is_suspendable(formulas, g)) => {
            let (far, near): (Vec<Ltl>, Vec<Ltl>) = list.into_iter().partition(|&g| is_suspendable(formulas, g));
            let near = or(formulas, near);
            let near = release(formulas, Ltl::FALSE, near);
            or(formulas, far.into_iter().chain([near]).collect())
        }
        _ => formulas.intern(Node::Release(a, b)),
    }
}

/// A conjunction.
pub(super) fn and(formulas: &mut Formulas, list: Vec<Ltl>) -> Ltl {
    connect(formulas, list, true)
}

/// A disjunction.
pub(super) fn or(formulas: &mut Formulas, list: Vec<Ltl>) -> Ltl {
    connect(formulas, list, false)
}

/// A conjunction or a disjunction.
fn connect(formulas: &mut Formulas, list: Vec<Ltl>, conjunction: bool) -> Ltl {
    let (neutral, absorbing) = if conjunction { (Ltl::TRUE, Ltl::FALSE) } else { (Ltl::FALSE, Ltl::TRUE) };
    let mut flat = Vec::with_capacity(list.len());
    for f in list {
        match (formulas.node(f), conjunction) {
            (Node::And(parts), true) | (Node::Or(parts), false) => flat.extend_from_slice(parts),
            _ => flat.push(f),
        }
    }
    flat.sort_unstable();
    flat.dedup();
    flat.retain(|&f| f != neutral);
    if flat.contains(&absorbing) {
        return absorbing;
    }
    if flat.len() <= MOST_PAIRED {
        for at in 0..flat.len() {
            for other in at + 1..flat.len() {
                if let Some(merged) = merge(formulas, flat[at], flat[other], conjunction) {
                    flat.swap_remove(other);
                    flat[at] = merged;
                    return connect(formulas, flat, conjunction);
                }
            }
        }
    }
    match flat[..] {
        [] => neutral,
        [only] => only,
        _ => formulas.intern(if conjunction { Node::And(flat) } else { Node::Or(flat) }),
    }
}

/// One formula for two operands, if there is a smaller one.
fn merge(formulas: &mut Formulas, f: Ltl, g: Ltl, conjunction: bool) -> Option<Ltl> {
    let (first, second) = if conjunction { (f, g) } else { (g, f) };
    if implies(formulas, first, second) {
        return Some(f);
    }
    if implies(formulas, second, first) {
        return Some(g);
    }
    let is_opposite = match (formulas.node(f), formulas.node(g)) {
        (Node::Literal { atom: a, .. }, Node::Literal { atom: b, .. }) => a == b,
        _ => {
            let (not_f, not_g) = (formulas.not(f), formulas.not(g));
            if conjunction {
                implies(formulas, f, not_g)
            } else {
                implies(formulas, not_g, f) || implies(formulas, not_f, g)
            }
        }
    };
    if is_opposite {
        return Some(if conjunction { Ltl::FALSE } else { Ltl::TRUE });
    }
    let both = |formulas: &mut Formulas, a, b| connect(formulas, vec![a, b], conjunction);
    match (formulas.node(f).clone(), formulas.node(g).clone()) {
        (Node::Next(a), Node::Next(b)) => {
            let inner = both(formulas, a, b);
            Some(next(formulas, inner))
        }
        (Node::Until(a, b), Node::Until(c, d)) => {
            let far = |formulas: &Formulas, f: Ltl| match formulas.node(f) {
                Node::Release(Ltl::FALSE, inner) => Some(*inner),
                _ => None,
            };
            match (conjunction, far(formulas, b), far(formulas, d)) {
                (true, ..) if b == d => {
                    let left = both(formulas, a, c);
                    Some(until(formulas, left, b))
                }
                (false, ..) if a == c => {
                    let right = both(formulas, b, d);
                    Some(until(formulas, a, right))
                }
                // F G f && F G g = F G (f && g)
                (true, Some(inner), Some(other)) if a == Ltl::TRUE && c == Ltl::TRUE => {
                    let inner = both(formulas, inner, other);
                    let always = release(formulas, Ltl::FALSE, inner);
                    Some(until(formulas, Ltl::TRUE, always))
                }
                _ => None,
            }
        }
        (Node::Release(a, b), Node::Release(c, d)) => {
            let far = |formulas: &Formulas, f: Ltl| match formulas.node(f) {
                Node::Until(Ltl::TRUE, inner) => Some(*inner),
                _ => None,
            };
            match (conjunction, far(formulas, b), far(formulas, d)) {
                (true, ..) if a == c => {
                    let right = both(formulas, b, d);
                    // G F f && G F g remains two formulas: their conjunction under one G is no simpler.
                    let is_far = a == Ltl::FALSE && (is_eventual(formulas, b) || is_eventual(formulas, d));
                    if is_far { None } else { Some(release(formulas, a, right)) }
                }
                (false, ..) if b == d => {
                    let left = both(formulas, a, c);
                    Some(release(formulas, left, b))
                }
                // G F f || G F g = G F (f || g)
                (false, Some(inner), Some(other)) if a == Ltl::FALSE && c == Ltl::FALSE => {
                    let inner = both(formulas, inner, other);
                    let later = until(formulas, Ltl::TRUE, inner);
                    Some(release(formulas, Ltl::FALSE, later))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
