//! Conjunctions and disjunctions of any number of conditions.
//!
//! Operands of the same kind are taken apart, tests of one element become one test, and an operand of the dual kind that follows from another
//! one is left out. Both connectives are the same up to duality.
//!
//! Complexity: O(n log n) for n operands, those of operands of the same kind and of the dual kind included.

use super::{Cond, Conditions, Node, Shape};

/// The choice between the two dual connectives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Connective {
    And,
    Or,
}

impl Connective {
    /// The neutral operand of the connective.
    fn neutral(self) -> Cond {
        if self == Connective::And { Cond::TRUE } else { Cond::FALSE }
    }

    /// The operand that decides the result by itself.
    fn dominant(self) -> Cond {
        if self == Connective::And { Cond::FALSE } else { Cond::TRUE }
    }
}

/// The operands of a conjunction or disjunction; none has the same kind.
#[derive(Default, Debug)]
pub(super) struct Operands {
    /// Those that are no tests; ascending once all are known.
    others: Vec<Cond>,
    /// The tests by their elements; ascending, and one for each element, once all are known.
    tests: Vec<(usize, Cond)>,
}

impl Operands {
    fn clear(&mut self) {
        self.others.clear();
        self.tests.clear();
    }

    /// The test of an element.
    fn test(&self, element: usize) -> Option<Cond> {
        self.tests.binary_search_by_key(&element, |&(tested, _)| tested).ok().map(|place| self.tests[place].1)
    }
}

impl Conditions {
    /// The conjunction or disjunction of the operands.
    pub(super) fn join(&mut self, connective: Connective, operands: impl IntoIterator<Item = Cond>) -> Cond {
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        let is_decided = self.gather(connective, operands, &mut joined) || self.unite(connective, &mut joined);
        let result = if is_decided { connective.dominant() } else { self.joined(connective, &joined) };
        self.joined = joined;
        result
    }

    /// Takes the operands apart; returns whether one of them decides the result.
    fn gather(
        &mut self,
        connective: Connective,
        operands: impl IntoIterator<Item = Cond>,
        joined: &mut Operands,
    ) -> bool {
        for operand in operands {
            self.look(1);
            if operand == connective.dominant() {
                return true;
            }
            match (self.node(operand), connective) {
                (Node::And(list), Connective::And) | (Node::Or(list), Connective::Or) => {
                    for &inner in list.iter() {
                        self.add(inner, joined);
                    }
                    self.look(list.len());
                }
                _ if operand == connective.neutral() => {}
                _ => self.add(operand, joined),
            }
        }
        joined.others.sort_unstable();
        joined.others.dedup();
        joined.tests.sort_unstable();
        joined.tests.dedup();
        false
    }

    /// Adds an operand that has another kind than the connective.
    fn add(&self, cond: Cond, joined: &mut Operands) {
        match self.node(cond) {
            &Node::Test(element, _) => joined.tests.push((element, cond)),
            _ => joined.others.push(cond),
        }
    }

    /// Makes one test of those of one element; returns whether one of these decides the result.
    fn unite(&mut self, connective: Connective, joined: &mut Operands) -> bool {
        let (mut kept, mut at) = (0, 0);
        while let Some(&(element, first)) = joined.tests.get(at) {
            let same = joined.tests[at..].iter().take_while(|&&(tested, _)| tested == element).count();
            let test = match same {
                1 => first,
                _ => self.united(connective, element, &joined.tests[at..at + same]),
            };
            if test == connective.dominant() {
                return true;
            }
            joined.tests[kept] = (element, test);
            (kept, at) = (kept + 1, at + same);
        }
        joined.tests.truncate(kept);
        false
    }

    /// The conjunction or disjunction of tests of one element.
    fn united(&mut self, connective: Connective, element: usize, tests: &[(usize, Cond)]) -> Cond {
        let values_of = |&(_, test): &(usize, Cond)| match self.node(test) {
            Node::Test(_, values) => values,
            _ => unreachable!("tests are nodes of tests"),
        };
        let mut values = values_of(&tests[0]).to_vec();
        for own in tests[1..].iter().map(values_of) {
            limits::work(own.len() as u64);
            match connective {
                Connective::And => values.retain(|value| own.binary_search(value).is_ok()),
                Connective::Or => values.extend(own.iter()),
            }
        }
        values.sort_unstable();
        values.dedup();
        self.test(element, &values)
    }

    /// The conjunction or disjunction of operands of which no two are tests of one element.
    fn joined(&mut self, connective: Connective, joined: &Operands) -> Cond {
        let compared = |cond: &Cond| match self.node(*cond) {
            Node::And(list) | Node::Or(list) => list.len(),
            _ => 0,
        };
        self.look(joined.others.iter().map(compared).sum());
        if self.exhausted {
            return Cond::FALSE;
        }
        let is_operand = |cond: Cond| joined.others.binary_search(&cond).is_ok();
        if joined.others.iter().any(|cond| self.negations[cond.place()].is_some_and(is_operand)) {
            return connective.dominant();
        }
        let kept = joined.others.iter().copied().filter(|&cond| !self.is_absorbed(connective, cond, joined));
        let mut list: Vec<Cond> = joined.tests.iter().map(|&(_, test)| test).chain(kept).collect();
        list.sort_unstable();
        match list[..] {
            [] => connective.neutral(),
            [only] => only,
            _ if connective == Connective::And => self.intern(Shape::And(&list)),
            _ => self.intern(Shape::Or(&list)),
        }
    }

    /// Whether an operand of the dual kind follows from the others (for `and`; dually for `or`).
    fn is_absorbed(&self, connective: Connective, cond: Cond, joined: &Operands) -> bool {
        let (Node::And(list) | Node::Or(list)) = self.node(cond) else { return false };
        list.iter().any(|&operand| match self.node(operand) {
            Node::Test(element, values) => {
                joined.test(*element).is_some_and(|own| match (self.node(own), connective) {
                    (Node::Test(_, own), Connective::And) => {
                        own.iter().all(|value| values.binary_search(value).is_ok())
                    }
                    (Node::Test(_, own), Connective::Or) => values.iter().all(|value| own.binary_search(value).is_ok()),
                    _ => unreachable!("tests are nodes of tests"),
                })
            }
            _ => joined.others.binary_search(&operand).is_ok(),
        })
    }
}
