//! [`Normaliser`]: conditions in the form from which the graph is drawn.
//!
//! A tree that reads little (at most 64 rows) becomes the canonical cover of its function, whatever its syntax. Operands of a larger
//! `and` or `or` are grouped by the elements that they share. A group that reads little becomes a cover; a larger one has its form by
//! primes (`large.rs`). Outside the bounds of that form, each operand represents itself. The cubes among the operands of a conjunction
//! become one cube. A condition that turns out to read little becomes a cover after all.
//!
//! # Soundness
//!
//! Every form means exactly the function of its tree on the states in which each element has one of its live values: only cubes that
//! contain no such state are dropped. So whatever form is chosen, a permutation of the literals that keeps the forms keeps the functions.
//! The reverse holds within the bounds, and outside them as far as the trees agree.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cover::{Covers, MAX_ROWS, full};
use super::implicants::components;
use super::large::Primes;
use super::tabulated::Tabulated;
use super::{Cond, Conditions, Mark, Node, Support, Terms};

frontend::ids! {
    /// Index into the list of normalised conditions.
    ConditionId;
}

impl ConditionId {
    /// The condition that never holds.
    pub const FALSE: ConditionId = ConditionId(0);
    /// The condition that always holds.
    pub const TRUE: ConditionId = ConditionId(1);
}

/// The elementary steps in which a test or an operand of a normalised condition is made.
const WORK_OF_PART: u64 = 32;

/// A normalised condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// It never holds; always the first in the list.
    False,
    /// It always holds; always the second in the list.
    True,
    /// Each of these elements, ascending, has one of these live values, ascending.
    Cube(Vec<(usize, Vec<i32>)>),
    /// The conjunction of these conditions; at least two, at most one of them a cube.
    All(Vec<ConditionId>),
    /// The disjunction of these conditions; at least two.
    Any(Vec<ConditionId>),
    /// The condition that none of these cubes holds.
    NoneOf(Vec<ConditionId>),
}

impl Condition {
    /// The operands of the condition.
    pub fn operands(&self) -> &[ConditionId] {
        match self {
            Condition::All(list) | Condition::Any(list) | Condition::NoneOf(list) => list,
            Condition::False | Condition::True | Condition::Cube(_) => &[],
        }
    }
}

/// Normalises the conditions of one store.
#[derive(Debug)]
pub(crate) struct Normaliser<'a> {
    pub(super) store: Conditions,
    /// For each element the values that occur in the graph.
    pub(super) live: &'a [Rc<[i32]>],
    pub(super) list: Vec<Condition>,
    index: FxHashMap<Condition, ConditionId>,
    done: FxHashMap<Cond, ConditionId>,
    supports: FxHashMap<Cond, Support>,
    covers: Covers,
    pub(super) primes: Primes,
    /// The conditions that have the form of their text.
    pub(super) written: FxHashSet<ConditionId>,
}

impl<'a> Normaliser<'a> {
    /// A normaliser for the conditions of `store`, on states of live values.
    pub(crate) fn new(store: Conditions, live: &'a [Rc<[i32]>], primes: Primes) -> Normaliser<'a> {
        let list = vec![Condition::False, Condition::True];
        let index = list.iter().cloned().zip([ConditionId::FALSE, ConditionId::TRUE]).collect();
        let (done, supports) = (FxHashMap::default(), FxHashMap::default());
        let (covers, written) = (Covers::default(), FxHashSet::default());
        Normaliser { store, live, list, index, done, supports, covers, primes, written }
    }

    /// The store.
    pub(crate) fn store(&mut self) -> &mut Conditions {
        &mut self.store
    }

    /// Returns to a mark of the store; nothing refers to normal forms that were made since.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.store.rewind(mark);
        self.done.retain(|&cond, _| mark.holds(cond));
        self.supports.retain(|&cond, _| mark.holds(cond));
    }

    /// The normalised conditions, with their terms and atoms over wide elements.
    pub(crate) fn into_parts(self) -> (Vec<Condition>, Terms) {
        (self.list, self.store.terms)
    }

    /// The facts about large conditions.
    pub(crate) fn primes(&mut self) -> &mut Primes {
        &mut self.primes
    }

    /// For each normalised condition whether it, or a condition inside it, has the form of its text.
    pub(crate) fn as_written(&self) -> Vec<bool> {
        let mut written: Vec<bool> = Vec::with_capacity(self.list.len());
        for (place, condition) in self.list.iter().enumerate() {
            let id = ConditionId(u32::try_from(place).expect("the number of conditions is bounded"));
            let operand = condition.operands().iter().any(|operand| written[operand.index()]);
            written.push(operand || self.written.contains(&id));
        }
        written
    }

    /// The elements that a condition reads.
    pub(crate) fn support(&mut self, cond: Cond) -> Support {
        if let Some(known) = self.supports.get(&cond) {
            return Rc::clone(known);
        }
        let support: Support = match self.store.node(cond).clone() {
            Node::False | Node::True => Rc::from([]),
            Node::Test(element, _) => Rc::from([element]),
            Node::And(list) | Node::Or(list) => {
                let mut elements: Vec<usize> =
                    list.iter().flat_map(|&operand| self.support(operand).to_vec()).collect();
                elements.sort_unstable();
                elements.dedup();
                elements.into()
            }
        };
        self.supports.insert(cond, Rc::clone(&support));
        support
    }

    /// Whether a condition reads so little that it is tabulated.
    pub(crate) fn is_small(&mut self, cond: Cond) -> bool {
        let support = self.support(cond);
        self.rows(&support).is_some()
    }

    /// Whether a condition may be true: exact if its function fits a table, which bounds its rows and nodes; otherwise true unless
    /// it is the constant `FALSE`.
    pub(crate) fn is_possible(&mut self, cond: Cond) -> bool {
        if cond == Cond::FALSE || cond == Cond::TRUE {
            return cond == Cond::TRUE;
        }
        if self.store.has_witness(cond) {
            return true;
        }
        let support = self.support(cond);
        if self.rows(&support).is_none() {
            return Tabulated::new(&self.store, cond, &support, usize::MAX).is_none_or(|table| table.holds_somewhere());
        }
        let sizes: Vec<usize> = support.iter().map(|&element| self.store.domain(element).len()).collect();
        self.table(cond, &support, &sizes, &mut FxHashMap::default()) != 0
    }

    /// The normal form of a condition.
    pub(crate) fn normal(&mut self, cond: Cond) -> ConditionId {
        if let Some(&known) = self.done.get(&cond) {
            return known;
        }
        let id = if self.is_small(cond) {
            let support = self.support(cond);
            self.covered(cond, &support)
        } else {
            match self.store.node(cond).clone() {
                Node::False => ConditionId::FALSE,
                Node::True => ConditionId::TRUE,
                Node::Test(element, values) => self.cube(vec![(element, values.to_vec())]),
                Node::And(list) => self.joined(cond, &list, true),
                Node::Or(list) => self.joined(cond, &list, false),
            }
        };
        self.done.insert(cond, id);
        id
    }

    /// The normal form of a large conjunction or disjunction.
    fn joined(&mut self, cond: Cond, operands: &[Cond], conjunction: bool) -> ConditionId {
        let groups = self.groups(operands);
        let mut parts = Vec::new();
        let mut is_written = false;
        if let [group] = &groups[..] {
            if let Some(id) = self.by_primes(cond) {
                return id;
            }
            parts.extend(group.iter().map(|&operand| self.normal(operand)));
            is_written = true;
        } else {
            for group in groups {
                let joined = if conjunction { self.store.and(group) } else { self.store.or(group) };
                parts.extend(self.factors(joined, conjunction));
            }
        }
        let id = if conjunction { self.all(parts) } else { self.any(parts) };
        if is_written && id != ConditionId::FALSE && id != ConditionId::TRUE {
            self.written.insert(id);
            return id;
        }
        self.read_by(id).map_or(id, |support| self.covered(cond, &support))
    }

    /// The normal form of a condition, split into as many operands as share no elements.
    fn factors(&mut self, cond: Cond, conjunction: bool) -> Vec<ConditionId> {
        if matches!(self.store.node(cond), Node::Test(..)) || !self.is_small(cond) {
            return vec![self.normal(cond)];
        }
        let support = self.support(cond);
        let sizes: Vec<usize> = support.iter().map(|&element| self.store.domain(element).len()).collect();
        let table = self.table(cond, &support, &sizes, &mut FxHashMap::default());
        let cubes = &self.covers.sides(&sizes, table)[usize::from(conjunction)];
        let parts = components(&sizes, cubes);
        if parts.len() < 2 {
            return vec![self.normal(cond)];
        }
        parts.iter().map(|part| self.part(&support, &sizes, part, conjunction)).collect()
    }

    /// The elements that a normal form names, ascending, if they have few rows.
    fn read_by(&self, id: ConditionId) -> Option<Vec<usize>> {
        let (mut elements, mut rows) = (BTreeSet::new(), 1usize);
        let (mut seen, mut stack) = (FxHashSet::from_iter([id]), vec![id]);
        while let Some(id) = stack.pop() {
            let condition = &self.list[id.index()];
            stack.extend(condition.operands().iter().filter(|&&operand| seen.insert(operand)));
            let Condition::Cube(tests) = condition else { continue };
            for &(element, _) in tests {
                if elements.insert(element) {
                    rows *= self.store.domain(element).len();
                }
                if rows > MAX_ROWS {
                    return None;
                }
            }
        }
        Some(elements.into_iter().collect())
    }

    /// The number of rows of these elements, if it is small.
    fn rows(&self, support: &[usize]) -> Option<usize> {
        let mut sizes = support.iter().map(|&element| self.store.domain(element).len());
        sizes.try_fold(1usize, |rows, size| rows.checked_mul(size).filter(|&rows| rows <= MAX_ROWS))
    }

    pub(super) fn intern(&mut self, condition: Condition) -> ConditionId {
        if let Some(&known) = self.index.get(&condition) {
            return known;
        }
        let size = match &condition {
            Condition::Cube(tests) => tests.len(),
            other => other.operands().len(),
        };
        limits::work(WORK_OF_PART * (1 + size as u64));
        let id = ConditionId(u32::try_from(self.list.len()).expect("the number of conditions is bounded"));
        assert!(condition.operands().iter().all(|operand| *operand < id), "a condition follows its operands");
        self.list.push(condition.clone());
        self.index.insert(condition, id);
        id
    }

    /// Operands grouped by the elements they share.
    fn groups(&mut self, operands: &[Cond]) -> Vec<Vec<Cond>> {
        let mut parent: Vec<usize> = (0..operands.len()).collect();
        let mut owner: FxHashMap<usize, usize> = FxHashMap::default();
        for (place, &operand) in operands.iter().enumerate() {
            for &element in self.support(operand).iter() {
                let other = *owner.entry(element).or_insert(place);
                let (a, b) = (root(&mut parent, place), root(&mut parent, other));
                parent[a.max(b)] = a.min(b);
            }
        }
        let mut groups: Vec<Vec<Cond>> = vec![Vec::new(); operands.len()];
        for (place, &operand) in operands.iter().enumerate() {
            groups[root(&mut parent, place)].push(operand);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// A cube, without values that are not live; `FALSE` if no value of an element is live.
    pub(super) fn cube(&mut self, mut tests: Vec<(usize, Vec<i32>)>) -> ConditionId {
        for (element, values) in &mut tests {
            // Every value of an atom counts as live.
            let Some(live) = self.live.get(*element) else { continue };
            values.retain(|value| live.binary_search(value).is_ok());
        }
        if tests.iter().any(|(_, values)| values.is_empty()) {
            return ConditionId::FALSE;
        }
        if tests.is_empty() {
            return ConditionId::TRUE;
        }
        tests.sort_unstable();
        debug_assert!(tests.is_sorted_by(|one, next| one.0 < next.0), "a cube names an element once");
        debug_assert!(tests.iter().all(|(_, values)| values.is_sorted()), "the values of a cube ascend");
        self.intern(Condition::Cube(tests))
    }

    pub(super) fn all(&mut self, parts: Vec<ConditionId>) -> ConditionId {
        let mut others = Vec::new();
        let mut tests: FxHashMap<usize, Vec<i32>> = FxHashMap::default();
        let mut stack = parts;
        while let Some(part) = stack.pop() {
            match &self.list[part.index()] {
                Condition::False => return ConditionId::FALSE,
                Condition::True => {}
                Condition::All(list) => stack.extend(list),
                Condition::Cube(cube) => {
                    for (element, values) in cube {
                        let known = tests.entry(*element).or_insert_with(|| values.clone());
                        known.retain(|value| values.binary_search(value).is_ok());
                    }
                }
                Condition::Any(_) | Condition::NoneOf(_) => others.push(part),
            }
        }
        match self.cube(tests.into_iter().collect()) {
            ConditionId::FALSE => return ConditionId::FALSE,
            ConditionId::TRUE => {}
            cube => others.push(cube),
        }
        others.sort_unstable();
        others.dedup();
        match others[..] {
            [] => ConditionId::TRUE,
            [only] => only,
            _ => self.intern(Condition::All(others)),
        }
    }

    pub(super) fn any(&mut self, parts: Vec<ConditionId>) -> ConditionId {
        let mut list = Vec::new();
        let mut stack = parts;
        while let Some(part) = stack.pop() {
            match &self.list[part.index()] {
                Condition::True => return ConditionId::TRUE,
                Condition::False => {}
                Condition::Any(inner) => stack.extend(inner),
                _ => list.push(part),
            }
        }
        list.sort_unstable();
        list.dedup();
        match list[..] {
            [] => ConditionId::FALSE,
            [only] => only,
            _ => self.intern(Condition::Any(list)),
        }
    }

    /// The canonical cover of a condition whose function reads at most these few elements.
    pub(super) fn covered(&mut self, cond: Cond, support: &[usize]) -> ConditionId {
        let sizes: Vec<usize> = support.iter().map(|&element| self.store.domain(element).len()).collect();
        let table = self.table(cond, support, &sizes, &mut FxHashMap::default());
        let cover = self.covers.cover(&sizes, table);
        self.cover(support, &cover)
    }

    /// The rows for which a condition is true, as bits; the last element varies fastest. Elements without a dimension have a live value:
    /// the function does not depend on them, as far as values are live.
    fn table(&self, cond: Cond, support: &[usize], sizes: &[usize], memo: &mut FxHashMap<Cond, u64>) -> u64 {
        let rows: usize = sizes.iter().product();
        debug_assert!(rows <= MAX_ROWS && sizes.len() == support.len(), "a table has a bit for each row");
        if let Some(&known) = memo.get(&cond) {
            return known;
        }
        let table = match self.store.node(cond) {
            Node::False => 0,
            Node::True => full(rows),
            Node::Test(element, values) => {
                let domain = self.store.domain(*element);
                let place = support.binary_search(element).ok();
                let Some(at) = place else {
                    let value = self.live.get(*element).and_then(|live| live.first()).unwrap_or(&domain[0]);
                    return if values.binary_search(value).is_ok() { full(rows) } else { 0 };
                };
                let stride: usize = sizes[at + 1..].iter().product();
                let holds = |row: usize| values.binary_search(&domain[row / stride % sizes[at]]).is_ok();
                (0..rows).filter(|&row| holds(row)).fold(0, |bits, row| bits | 1 << row)
            }
            Node::And(list) => list.iter().fold(full(rows), |bits, &c| bits & self.table(c, support, sizes, memo)),
            Node::Or(list) => list.iter().fold(0, |bits, &c| bits | self.table(c, support, sizes, memo)),
        };
        memo.insert(cond, table);
        table
    }
}

fn root(parent: &mut [usize], mut place: usize) -> usize {
    while parent[place] != place {
        parent[place] = parent[parent[place]];
        place = parent[place];
    }
    place
}
