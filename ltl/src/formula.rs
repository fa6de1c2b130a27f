//! Formulas of linear and branching temporal logic over conditions of any type.

use crate::automaton::Automaton;

/// The runs from a state that a formula speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Paths {
    /// `A`: all of them.
    All,
    /// `E`: at least one.
    Some,
}

impl Paths {
    /// The letter in formulas.
    pub fn letter(self) -> &'static str {
        if self == Paths::All { "A" } else { "E" }
    }
}

/// A formula of linear temporal logic, or of CTL. Atoms are maximal boolean expressions without temporal operators.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula<A> {
    /// A boolean expression over one state.
    Atom(A),
    /// `!f`
    Not(Box<Formula<A>>),
    /// `f && g && ..`
    And(Vec<Formula<A>>),
    /// `f || g || ..`
    Or(Vec<Formula<A>>),
    /// `f -> g`
    Implies(Box<Formula<A>>, Box<Formula<A>>),
    /// `X f`
    Next(Box<Formula<A>>),
    /// `F f`
    Finally(Box<Formula<A>>),
    /// `G f`
    Globally(Box<Formula<A>>),
    /// `f U g`
    Until(Box<Formula<A>>, Box<Formula<A>>),
    /// `f W g`: `(f U g) || G f`
    WeakUntil(Box<Formula<A>>, Box<Formula<A>>),
    /// `f R g`: `!(!f U !g)`
    Release(Box<Formula<A>>, Box<Formula<A>>),
    /// A quantifier over runs in front of a temporal operator.
    Quantified(Paths, Box<Formula<A>>),
    /// An automaton over these propositions, all of them atoms, accepts the run. Languages have no text for it; a
    /// property is such a formula or its negation, as a whole.
    Accepted(Box<Automaton>, Vec<Formula<A>>),
}

macro_rules! operands {
    ($(#[$doc:meta])* $name:ident, $iter:ident $(, $mutable:tt)?) => {
        impl<A> Formula<A> {
            $(#[$doc])*
            pub fn $name(&$($mutable)? self) -> Vec<&$($mutable)? Formula<A>> {
                match self {
                    Formula::Atom(_) => Vec::new(),
                    Formula::Not(f)
                    | Formula::Next(f)
                    | Formula::Finally(f)
                    | Formula::Globally(f)
                    | Formula::Quantified(_, f) => vec![f],
                    Formula::And(list) | Formula::Or(list) | Formula::Accepted(_, list) => list.$iter().collect(),
                    Formula::Implies(f, g)
                    | Formula::Until(f, g)
                    | Formula::WeakUntil(f, g)
                    | Formula::Release(f, g) => vec![f, g],
                }
            }
        }
    };
}

operands! {
    /// The direct operands; none for an atom.
    operands, iter
}
operands! {
    /// The direct operands, to be changed.
    operands_mut, iter_mut, mut
}

impl<A> Formula<A> {
    /// The part at a place: the numbers of operands, from the whole formula inwards.
    ///
    /// # Panics
    /// If there is no such operand.
    #[must_use]
    pub fn part(&self, place: &[usize]) -> &Formula<A> {
        place.iter().fold(self, |whole, &at| whole.operands()[at])
    }

    /// The atoms, from left to right.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Formula::Atom(atom) => vec![atom],
            _ => self.operands().into_iter().flat_map(Formula::atoms).collect(),
        }
    }

    /// The atoms, from left to right, to be changed.
    pub fn atoms_mut(&mut self) -> Vec<&mut A> {
        match self {
            Formula::Atom(atom) => vec![atom],
            _ => self.operands_mut().into_iter().flat_map(Formula::atoms_mut).collect(),
        }
    }

    /// The atoms, by their number from left to right, that are antecedents of implications which the formula asks for: where none is ever
    /// true, the formula asks nothing behind them.
    pub fn antecedents(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.antecedents_from(0, true, &mut found);
        found
    }

    /// The number of the first atom behind this formula, whose first atom has a number.
    fn antecedents_from(&self, first: usize, is_asked: bool, found: &mut Vec<usize>) -> usize {
        match self {
            Formula::Atom(_) => first + 1,
            Formula::Implies(left, right) => {
                if is_asked && matches!(**left, Formula::Atom(_)) {
                    found.push(first);
                }
                let next = left.antecedents_from(first, false, found);
                right.antecedents_from(next, is_asked, found)
            }
            Formula::Not(inner) => inner.antecedents_from(first, false, found),
            _ => {
                let operands = self.operands().into_iter();
                operands.fold(first, |next, operand| operand.antecedents_from(next, is_asked, found))
            }
        }
    }

    /// The formula with other atoms.
    pub fn map<B>(&self, atom: &mut dyn FnMut(&A) -> B) -> Formula<B> {
        let list = |list: &[Formula<A>], atom: &mut dyn FnMut(&A) -> B| list.iter().map(|f| f.map(atom)).collect();
        match self {
            Formula::Atom(own) => Formula::Atom(atom(own)),
            Formula::Not(f) => Formula::Not(f.map(atom).into()),
            Formula::And(parts) => Formula::And(list(parts, atom)),
            Formula::Or(parts) => Formula::Or(list(parts, atom)),
            Formula::Implies(f, g) => Formula::Implies(f.map(atom).into(), g.map(atom).into()),
            Formula::Next(f) => Formula::Next(f.map(atom).into()),
            Formula::Finally(f) => Formula::Finally(f.map(atom).into()),
            Formula::Globally(f) => Formula::Globally(f.map(atom).into()),
            Formula::Until(f, g) => Formula::Until(f.map(atom).into(), g.map(atom).into()),
            Formula::WeakUntil(f, g) => Formula::WeakUntil(f.map(atom).into(), g.map(atom).into()),
            Formula::Release(f, g) => Formula::Release(f.map(atom).into(), g.map(atom).into()),
            Formula::Quantified(paths, f) => Formula::Quantified(*paths, f.map(atom).into()),
            Formula::Accepted(automaton, parts) => Formula::Accepted(automaton.clone(), list(parts, atom)),
        }
    }

    /// Whether it contains an automaton.
    pub fn has_automaton(&self) -> bool {
        matches!(self, Formula::Accepted(..)) || self.operands().into_iter().any(Formula::has_automaton)
    }

    /// Whether it quantifies over runs.
    pub fn is_branching(&self) -> bool {
        matches!(self, Formula::Quantified(..)) || self.operands().into_iter().any(Formula::is_branching)
    }

    /// Whether it is a formula of CTL: each quantifier stands in front of `X F G U`, and each of these behind a quantifier.
    pub fn is_ctl(&self) -> bool {
        match self {
            Formula::Atom(_) => true,
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) => {
                self.operands().into_iter().all(Formula::is_ctl)
            }
            Formula::Quantified(_, path) => {
                let is_path = matches!(
                    **path,
                    Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) | Formula::Until(..)
                );
                is_path && path.operands().into_iter().all(Formula::is_ctl)
            }
            _ => false,
        }
    }

    /// Whether the truth of the formula may depend on the very next state: it contains `X` or an automaton.
    pub fn has_next(&self) -> bool {
        matches!(self, Formula::Next(_)) || self.has_automaton() || self.operands().into_iter().any(Formula::has_next)
    }
}
