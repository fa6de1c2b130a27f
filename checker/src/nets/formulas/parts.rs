//! Formulas of branching time over markings, in the operators `EX`, `E U` and `EG`: a graph in which equal parts are one.

use ltl::{Formula, Paths};
use rustc_hash::FxHashMap;

use crate::nets::conditions::Condition;

/// The most places that a hint reads: it is computed for each step.
const MOST_READ: usize = 64;

/// The number of a part.
pub(super) type PartId = u32;

/// A part of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// A condition on the marking.
    Atom(Condition),
    Not(PartId),
    All(Vec<PartId>),
    Any(Vec<PartId>),
    /// It holds after some step.
    Next(PartId),
    /// On some run the first holds until the second does.
    Until(PartId, PartId),
    /// On some run it holds for ever.
    Always(PartId),
}

/// Formulas by their parts. Parts have smaller numbers than what they are part of.
#[derive(Default)]
pub(super) struct Parts {
    list: Vec<Entry>,
    numbers: FxHashMap<Part, PartId>,
}

struct Entry {
    part: Part,
    /// A condition that markings in which the part holds are likely to be near to.
    hint: Option<Condition>,
    /// The places that the condition of an atom reads.
    size: u64,
}

impl Parts {
    pub(super) fn part(&self, id: PartId) -> &Part {
        &self.list[id as usize].part
    }

    pub(super) fn hint(&self, id: PartId) -> Option<&Condition> {
        self.list[id as usize].hint.as_ref()
    }

    pub(super) fn size(&self, id: PartId) -> u64 {
        self.list[id as usize].size
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    fn make(&mut self, part: Part) -> PartId {
        if let Some(&known) = self.numbers.get(&part) {
            return known;
        }
        let id = PartId::try_from(self.list.len()).expect("parts have 32 bits");
        let is_before = |inner: &PartId| *inner < id;
        let are_before = match &part {
            Part::Atom(_) => true,
            Part::Not(inner) | Part::Next(inner) | Part::Always(inner) => is_before(inner),
            Part::All(list) | Part::Any(list) => list.iter().all(is_before),
            Part::Until(stays, goal) => is_before(stays) && is_before(goal),
        };
        assert!(are_before, "parts have smaller numbers than what they are part of");
        let size = if let Part::Atom(condition) = &part { condition.size() as u64 } else { 0 };
        self.list.push(Entry { hint: self.likely(&part), size, part: part.clone() });
        self.numbers.insert(part, id);
        id
    }

    /// The condition that is likely to be near where a part holds: what its parts ask of the marking, or of one that it leads to.
    fn likely(&self, part: &Part) -> Option<Condition> {
        let of = |list: &[PartId]| list.iter().filter_map(|&part| self.hint(part).cloned()).collect::<Vec<_>>();
        let hint = match part {
            Part::Atom(condition) => Some(condition.clone()),
            Part::Not(_) => None,
            Part::All(list) => Some(of(list)).filter(|list| !list.is_empty()).map(Condition::all),
            Part::Any(list) => Some(of(list)).filter(|list| !list.is_empty()).map(Condition::any),
            Part::Next(inner) | Part::Always(inner) | Part::Until(_, inner) => self.hint(*inner).cloned(),
        };
        hint.filter(|condition| condition.size() <= MOST_READ)
    }

    fn not(&mut self, inner: PartId) -> PartId {
        match self.part(inner) {
            Part::Not(inner) => *inner,
            Part::Atom(condition) => {
                let opposite = Part::Atom(condition.negated());
                self.make(opposite)
            }
            _ => self.make(Part::Not(inner)),
        }
    }

    /// All of these, or one of them; conditions come first.
    fn junction(&mut self, parts: Vec<PartId>, is_conjunction: bool) -> PartId {
        let mut conditions = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match self.part(part) {
                Part::Atom(condition) => conditions.push(condition.clone()),
                _ => others.push(part),
            }
        }
        let condition = if is_conjunction { Condition::all(conditions) } else { Condition::any(conditions) };
        if others.is_empty() {
            return self.make(Part::Atom(condition));
        }
        if condition != Condition::Constant(is_conjunction) {
            let first = self.make(Part::Atom(condition));
            others.insert(0, first);
        }
        match others.as_slice() {
            [one] => *one,
            _ => self.make(if is_conjunction { Part::All(others) } else { Part::Any(others) }),
        }
    }

    fn exists(&mut self, stays: PartId, goal: PartId) -> PartId {
        self.make(Part::Until(stays, goal))
    }

    /// A formula of one marking, or its opposite; nothing if it has other operators.
    pub(super) fn state(&mut self, formula: &Formula<Condition>, value: bool) -> Option<PartId> {
        limits::work(1);
        match formula {
            Formula::Atom(condition) => {
                let condition = if value { condition.clone() } else { condition.negated() };
                Some(self.make(Part::Atom(condition)))
            }
            Formula::Not(inner) => self.state(inner, !value),
            Formula::And(list) | Formula::Or(list) => {
                let parts = list.iter().map(|part| self.state(part, value)).collect::<Option<Vec<PartId>>>()?;
                Some(self.junction(parts, matches!(formula, Formula::And(_)) == value))
            }
            Formula::Implies(left, right) => {
                let parts = vec![self.state(left, !value)?, self.state(right, value)?];
                Some(self.junction(parts, !value))
            }
            Formula::Quantified(paths, inner) => {
                // A universal formula is the opposite of an existential one.
                let is_some = *paths == Paths::Some;
                let exists = self.path(inner, is_some)?;
                Some(if is_some == value { exists } else { self.not(exists) })
            }
            _ => None,
        }
    }

    /// The formula that some run has a property, or has it not.
    fn path(&mut self, formula: &Formula<Condition>, value: bool) -> Option<PartId> {
        match formula {
            Formula::Next(inner) => {
                let inner = self.state(inner, value)?;
                Some(self.make(Part::Next(inner)))
            }
            Formula::Finally(inner) | Formula::Globally(inner) => {
                let of = self.state(inner, value)?;
                if matches!(formula, Formula::Globally(_)) == value {
                    return Some(self.make(Part::Always(of)));
                }
                let any = self.make(Part::Atom(Condition::Constant(true)));
                Some(self.exists(any, of))
            }
            Formula::Until(left, right) if value => {
                let (stays, goal) = (self.state(left, true)?, self.state(right, true)?);
                Some(self.exists(stays, goal))
            }
            Formula::Until(left, right) => {
                let (ends, waits) = (self.state(left, false)?, self.state(right, false)?);
                let goal = self.junction(vec![ends, waits], true);
                let (leaves, never) = (self.exists(waits, goal), self.make(Part::Always(waits)));
                Some(self.junction(vec![leaves, never], false))
            }
            _ => None,
        }
    }
}
