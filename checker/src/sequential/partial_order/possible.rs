//! The values that elements have in the states that a search may meet: a least fixed point of the first values and of what instances
//! assign, each element by itself, and the elements of a list together with its length.
//!
//! A *list* is a key and its members: an element of few values by which the members are chosen (`queue[length]`). For each value of the
//! key the members have their own sets of values, so that a slot is known to be free only beyond the length of a queue.
//!
//! Invariant: the sets are closed under the steps of all instances.
//!
//! Soundness: every state that a search stores has its values in the sets, since the first states have and steps keep it. A step of
//! several summands that is blocked inside gives the turn back; the turn has that value at first, and is in no list. So have
//! representatives: a group maps first states to first states and steps to steps, so that an image of a state that is reached is
//! reached. [`Possible::has`] is asked of every state for which an ample set is chosen. Beyond a bound on evaluations nothing
//! is known: every value is possible.
//!
//! Complexity: evaluations at most [`MOST_SPENT`], plus one execution of each instance for each value that is found.

use std::collections::BTreeSet;

use frontend::sequential::Turn;

use super::super::body::Instance;
use super::super::code::{Code, Dimension, Offset};
use super::access::{accesses, each_offset};
use super::effects::{Before, Effects, Scratch};
use super::value_set::ValueSet;
use crate::stubborn::{MOST_VALUES, Wrong, bits};

/// The most evaluations.
const MOST_SPENT: u64 = 1 << 21;

/// The most values that are told apart of an element that has more than [`MOST_VALUES`] of them.
const MOST_OF_MANY: u32 = 16;

/// The most sets of members of lists.
const MOST_MEMBERS: usize = 1 << 16;

/// The values that elements may have.
#[derive(Clone, Debug)]
pub(super) struct Possible {
    /// By element `(least value, number of values)`.
    bounds: Vec<(i32, usize)>,
    /// By element the number of its variable.
    variables: Vec<u32>,
    /// By element its values.
    values: Vec<ValueSet>,
    lists: Vec<List>,
    /// By element the list that it is a member of, and its place among the members.
    member: Vec<Option<(u32, u32)>>,
    /// By element the list whose key it is.
    key: Vec<Option<u32>>,
}

/// The elements of a process.
pub(super) struct Elements {
    /// By element `(least value, number of values)`.
    pub(super) bounds: Vec<(i32, usize)>,
    /// By element the number of its variable.
    pub(super) variables: Vec<u32>,
    /// By element its values in the first states.
    pub(super) first: Vec<ValueSet>,
}

/// A key, and the elements that it chooses from.
#[derive(Clone, Debug)]
struct List {
    key: usize,
    members: Vec<usize>,
    /// By value of the key and by member, its values then.
    given: Vec<Vec<ValueSet>>,
}

/// The values before a step, where the key of a list has one value or no list is looked at.
pub(super) struct Given<'p> {
    possible: &'p Possible,
    /// A list, and the value of its key.
    list: Option<(usize, usize)>,
}

impl Before for Given<'_> {
    fn elements(&self) -> usize {
        self.possible.bounds.len()
    }

    fn values(&self, element: usize) -> ValueSet {
        let Possible { values, lists, member, bounds, .. } = self.possible;
        match self.list {
            Some((list, at)) if lists[list].key == element => ValueSet::from_bits(bounds[element].0, 1 << at),
            Some((list, at)) => match member[element] {
                Some((own, place)) if own as usize == list => lists[list].given[at][place as usize],
                _ => values[element],
            },
            None => values[element],
        }
    }

    fn bounds(&self, element: usize) -> (i32, i32) {
        self.possible.ends(element)
    }
}

impl Possible {
    /// Every value of elements.
    fn all(elements: &Elements) -> Possible {
        let Elements { bounds, variables, first } = elements;
        assert!(bounds.len() == first.len() && bounds.len() == variables.len(), "something is known of every element");
        let mut found = Possible {
            values: Vec::new(),
            lists: Vec::new(),
            member: vec![None; bounds.len()],
            key: vec![None; bounds.len()],
            bounds: bounds.clone(),
            variables: variables.clone(),
        };
        found.values = (0..bounds.len()).map(|element| ValueSet::Any.within(found.ends(element))).collect();
        found
    }

    /// The least and the greatest value of an element.
    fn ends(&self, element: usize) -> (i32, i32) {
        let (low, count) = self.bounds[element];
        (low, i32::try_from(i64::from(low) + i64::try_from(count).unwrap_or(i64::MAX) - 1).unwrap_or(i32::MAX))
    }

    /// The values of elements, from those of the first states on, under the steps of instances.
    pub(super) fn new(
        elements: &Elements,
        instances: &[Instance<'_>],
        turn: Option<Turn>,
        scratch: &mut Scratch,
        wrong: Wrong,
    ) -> Possible {
        let mut found = Possible::all(elements);
        for (element, &first) in elements.first.iter().enumerate() {
            found.values[element] = found.bounded(element, first);
        }
        found.find_lists(instances, turn);
        for list in &mut found.lists {
            let (low, count) = found.bounds[list.key];
            for at in bits(found.values[list.key].bits_from(low, count)) {
                list.given[at] = list.members.iter().map(|&member| found.values[member]).collect();
            }
        }
        if found.close(instances, scratch, wrong) { found } else { Possible::all(elements) }
    }

    /// Whether an element has few values.
    pub(super) fn is_followed(&self, element: usize) -> bool {
        self.bounds[element].1 <= MOST_VALUES
    }

    /// The number of elements.
    pub(super) fn elements(&self) -> usize {
        self.bounds.len()
    }

    /// The least value of an element, and the number of its values.
    pub(super) fn bounds(&self, element: usize) -> (i32, usize) {
        self.bounds[element]
    }

    /// The values of an element.
    pub(super) fn values(&self, element: usize) -> ValueSet {
        self.values[element]
    }

    /// The values of an element of few values, as distances from the least one.
    pub(super) fn distances(&self, element: usize) -> u64 {
        let (low, count) = self.bounds[element];
        self.values[element].bits_from(low, count)
    }

    /// A set, or every value if it is too large for an element of many values.
    fn bounded(&self, element: usize, set: ValueSet) -> ValueSet {
        if self.is_followed(element) || set.count().is_some_and(|count| count <= MOST_OF_MANY) {
            set
        } else {
            ValueSet::Any
        }
    }

    /// Whether an element chooses from a list.
    pub(super) fn is_key(&self, element: usize) -> bool {
        self.key[element].is_some()
    }

    /// Whether an element is a member of a list.
    pub(super) fn is_member(&self, element: usize) -> bool {
        self.member[element].is_some()
    }

    /// The members of the list of an element that belong to its variable, and itself.
    pub(super) fn alike(&self, element: usize) -> Vec<usize> {
        let Some((list, _)) = self.member[element] else { return vec![element] };
        let members = self.lists[list as usize].members.iter().copied();
        members.filter(|&member| self.variables[member] == self.variables[element]).collect()
    }

    /// The values before a step.
    pub(super) fn before(&self) -> Given<'_> {
        Given { possible: self, list: None }
    }

    /// The values before a step where an element of few values has one of them: one case for each value of the key of its list.
    pub(super) fn before_with(&self, element: usize, at: usize) -> Vec<Given<'_>> {
        let given = |list| Given { possible: self, list };
        match (self.key[element], self.member[element]) {
            (Some(list), _) => vec![given(Some((list as usize, at)))],
            (None, Some((list, place))) => {
                let sets = self.lists[list as usize].given.iter().enumerate();
                let value = self.bounds[element].0 + i32::try_from(at).expect("few values");
                let with =
                    |&(_, sets): &(usize, &Vec<ValueSet>)| sets.get(place as usize).is_some_and(|set| set.has(value));
                sets.filter(with).map(|(key, _)| given(Some((list as usize, key)))).collect()
            }
            (None, None) => vec![given(None)],
        }
    }

    /// Whether some state has values of two sets, of an element and of another one.
    pub(super) fn meet(&self, one: (usize, ValueSet), other: (usize, ValueSet)) -> bool {
        let of_list = |(key, keys): (usize, ValueSet), (member, values): (usize, ValueSet)| {
            let list = self.key[key].filter(|&list| self.member[member].is_some_and(|(own, _)| own == list))?;
            let place = self.member[member].map_or(0, |(_, place)| place as usize);
            let given = &self.lists[list as usize].given;
            let (low, count) = self.bounds[key];
            let mut sets = bits(keys.bits_from(low, count)).filter_map(|at| given.get(at)?.get(place));
            Some(sets.any(|set| !set.intersection(values).is_empty()))
        };
        of_list(one, other).or_else(|| of_list(other, one)).unwrap_or(true)
    }

    /// Whether a state has its values in the sets.
    pub(super) fn has(&self, state: &[i32]) -> bool {
        let is_in = |(&value, set): (&i32, &ValueSet)| set.has(value);
        state.iter().zip(&self.values).all(is_in)
            && self.lists.iter().all(|list| {
                let at = usize::try_from(i64::from(state[list.key]) - i64::from(self.bounds[list.key].0)).ok();
                let given = at.and_then(|at| list.given.get(at)).filter(|sets| !sets.is_empty());
                given.is_some_and(|sets| list.members.iter().zip(sets).all(|(&at, set)| set.has(state[at])))
            })
    }

    /// Bytes held, approximately.
    pub(super) fn bytes(&self) -> u64 {
        let sets = |list: &List| list.given.iter().map(|sets| sets.len() as u64 * 16 + 24).sum::<u64>();
        self.bounds.len() as u64 * 64 + self.lists.iter().map(sets).sum::<u64>()
    }

    /// Finds the lists of a process. The turn is in none: a step that is blocked inside gives it back without an instance.
    fn find_lists(&mut self, instances: &[Instance<'_>], turn: Option<Turn>) {
        let mut members: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.bounds.len()];
        for instance in instances {
            each_offset(instance, &mut |offset| chosen(offset, self.bounds.len(), &mut members));
        }
        let mut keys: Vec<usize> = (0..self.bounds.len()).filter(|&at| !members[at].is_empty()).collect();
        let is_turn = |at: usize| turn.is_some_and(|turn| turn.element == at);
        keys.retain(|&key| self.is_followed(key) && !is_turn(key));
        let mut owners: Vec<Option<usize>> = vec![None; self.bounds.len()];
        for &key in &keys {
            let is_key = |member: &usize| keys.binary_search(member).is_ok();
            members[key].retain(|&member| !is_key(&member) && !is_turn(member) && owners[member].is_none());
            members[key].iter().for_each(|&member| owners[member] = Some(key));
        }
        keys.retain(|&key| !members[key].is_empty());
        let sets = |&key: &usize| self.bounds[key].1 * members[key].len();
        if keys.iter().map(sets).sum::<usize>() > MOST_MEMBERS {
            return;
        }
        for key in keys {
            let number = u32::try_from(self.lists.len()).expect("bounded");
            let members: Vec<usize> = members[key].iter().copied().collect();
            self.key[key] = Some(number);
            (0..).zip(&members).for_each(|(place, &member)| self.member[member] = Some((number, place)));
            self.lists.push(List { key, members, given: vec![Vec::new(); self.bounds[key].1] });
        }
    }

    /// Adds what steps add, until that is nothing; false beyond the bound.
    fn close(&mut self, instances: &[Instance<'_>], scratch: &mut Scratch, wrong: Wrong) -> bool {
        let elements = self.bounds.len();
        let uses: Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> = instances
            .iter()
            .map(|instance| {
                let (read, written) = accesses(instance, elements);
                let written: Vec<usize> = written.into_iter().collect();
                let list_of = |&at: &usize| self.key[at].or(self.member[at].map(|(list, _)| list));
                let lists: BTreeSet<usize> = written.iter().filter_map(list_of).map(|list| list as usize).collect();
                let mut used: BTreeSet<usize> = read.into_iter().chain(written.iter().copied()).collect();
                for &list in &lists {
                    used.insert(self.lists[list].key);
                    used.extend(&self.lists[list].members);
                }
                limits::work(used.len() as u64);
                (used.into_iter().collect(), written, lists.into_iter().collect())
            })
            .collect();
        let mut spent = 0;
        let mut changed = vec![true; elements];
        loop {
            let mut next = vec![false; elements];
            for (instance, (used, written, lists)) in instances.iter().zip(&uses) {
                if written.is_empty() || !used.iter().any(|&at| changed[at] || next[at]) {
                    continue;
                }
                let more = self.add_step(instance, written, lists, &mut next, scratch);
                limits::work(used.len() as u64 + more);
                spent += more;
                if spent > MOST_SPENT {
                    return false;
                }
            }
            if !next.contains(&true) || wrong.values_of_one_round() {
                return true;
            }
            changed = next;
        }
    }

    /// Adds the values behind the steps of an instance; returns the evaluations.
    fn add_step(
        &mut self,
        instance: &Instance<'_>,
        written: &[usize],
        lists: &[usize],
        next: &mut [bool],
        scratch: &mut Scratch,
    ) -> u64 {
        let mut spent = 0;
        let mut add = Vec::new();
        for &number in lists {
            let list = &self.lists[number];
            for at in bits(self.distances(list.key)) {
                let given = Given { possible: self, list: Some((number, at)) };
                let mut effects = Effects::new(&given, scratch);
                let ends = effects.step(instance);
                spent += effects.spent;
                if !ends {
                    continue;
                }
                let (low, count) = self.bounds[list.key];
                let keys = effects.values(list.key).bits_from(low, count);
                let members: Vec<ValueSet> = list.members.iter().map(|&member| effects.values(member)).collect();
                add.push((number, keys, members));
            }
        }
        for (number, keys, members) in add {
            for at in bits(keys) {
                self.add_to_list(number, at, &members, next);
            }
        }
        let others = written.iter().filter(|&&at| self.key[at].is_none() && self.member[at].is_none());
        let others: Vec<usize> = others.copied().collect();
        if others.is_empty() {
            return spent;
        }
        let given = self.before();
        let mut effects = Effects::new(&given, scratch);
        let ends = effects.step(instance);
        spent += effects.spent;
        let add: Vec<(usize, ValueSet)> =
            others.into_iter().filter(|_| ends).map(|at| (at, effects.values(at))).collect();
        drop(effects);
        for (element, set) in add {
            self.add(element, set, next);
        }
        spent
    }

    fn add(&mut self, element: usize, set: ValueSet, next: &mut [bool]) {
        let all = self.bounded(element, self.values[element].union(set));
        next[element] |= all != self.values[element];
        self.values[element] = all;
    }

    /// Adds values of the members of a list where its key has a value.
    fn add_to_list(&mut self, list: usize, at: usize, members: &[ValueSet], next: &mut [bool]) {
        let List { key, members: elements, given } = &self.lists[list];
        let sets = &given[at];
        let before = |place: usize| sets.get(place).copied().unwrap_or(ValueSet::Empty);
        let all = elements.iter().zip(members).enumerate();
        let all: Vec<ValueSet> =
            all.map(|(place, (&element, &more))| self.bounded(element, before(place).union(more))).collect();
        assert_eq!(all.len(), elements.len(), "every member of a list has its values");
        let key = *key;
        for (place, &set) in all.iter().enumerate() {
            let List { members, given, .. } = &self.lists[list];
            let element = members[place];
            next[element] |= given[at].get(place) != Some(&set);
            self.add(element, set, next);
        }
        self.lists[list].given[at] = all;
        self.add(key, ValueSet::from_bits(self.bounds[key].0, 1 << at), next);
    }
}

/// Adds to the members of each key those that an offset chooses by it.
fn chosen(offset: &Offset<'_>, elements: usize, members: &mut [BTreeSet<usize>]) {
    let places = |base: usize, dimension: &Dimension<'_>| -> Vec<usize> {
        let count = usize::try_from(i64::from(dimension.high) - i64::from(dimension.low) + 1).unwrap_or(0);
        let all = (0..count.min(MOST_VALUES)).map(|step| base + step * dimension.stride);
        all.filter(|&at| at < elements).collect()
    };
    match &*offset.dimensions {
        [dimension] => match key_of(&dimension.index) {
            Some(key) if key < elements => members[key].extend(places(offset.base, dimension)),
            _ => {}
        },
        // `queue[r][length[r]]`: a list for each `r`.
        [outer, inner] => {
            let Code::Read(length) = &inner.index else { return };
            let [by] = &*length.dimensions else { return };
            if by.index != outer.index || (by.low, by.high) != (outer.low, outer.high) {
                return;
            }
            for (key, base) in places(length.base, by).into_iter().zip(places(offset.base, outer)) {
                members[key].extend(places(base, inner));
            }
        }
        _ => {}
    }
}

/// The element that an index is, or is a constant apart from.
fn key_of(index: &Code<'_>) -> Option<usize> {
    match index {
        Code::Element(element) => Some(*element),
        Code::Binary(op, operands) if !op.is_comparison() => match &**operands {
            [Code::Element(element), Code::Constant(_)] | [Code::Constant(_), Code::Element(element)] => Some(*element),
            _ => None,
        },
        _ => None,
    }
}
