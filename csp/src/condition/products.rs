//! Prime cubes of both sides of a condition by products of cubes, without a solver.
//!
//! The text gives cubes whose union is the complement: those of a conjunction are the cubes of its operands together, those of a
//! disjunction are the products of one cube for each operand, and a test has one. The primes of the condition remain when these cubes are
//! removed from the universe, one after the other ([`Layout::without`]); the primes of the complement remain when the primes of the condition are.
//!
//! The lists in between may be longer than both results. Past [`MAX_CUBES`] cubes, [`MAX_TREE`] nodes, or the work that it may take, the
//! search ends with [`TooHard`], and all-SAT (`implicants.rs`) has to find the primes. The result is that of all-SAT: a set of primes does not
//! depend on how it is found.
//!
//! # Complexity
//!
//! Comparisons of two cubes, [`MAX_WORK`] for one condition, all of which count as steps of the watch before they are made.
//!
//! # Source
//!
//! Removing the cubes of a cover one by one is the method of Berge for the minimal transversals of a hypergraph, with sets of values in
//! the place of vertices.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::cover::Cube;
use super::implicants::{MAX_PRIMES, TooHard};
use super::packed::{Layout, Packed};
use super::solved::MAX_TREE;
use super::{Cond, Conditions, Node};

/// The most cubes of a list.
const MAX_CUBES: usize = 1 << 12;
/// The most work for one condition, in comparisons of two cubes.
const MAX_WORK: usize = 1 << 21;

/// The comparisons of cubes that count as much as a node of a tree that a solver examines.
const PER_QUESTION: usize = 8;

/// The primes of a condition that reads these elements, and those of its complement, each ascending; `None` on a side with more than
/// [`MAX_PRIMES`]. The work is taken from `work`.
pub(super) fn both_sides(
    store: &Conditions,
    cond: Cond,
    support: &[usize],
    work: &mut usize,
) -> Result<[Option<Vec<Cube>>; 2], TooHard> {
    let sizes: Vec<usize> = support.iter().map(|&element| store.domain(element).len()).collect();
    let bound = MAX_WORK.min(*work);
    let layout = Layout::new(&sizes);
    let mut products = Products { store, support, layout, lists: FxHashMap::default(), work: bound };
    let sides = products.both_sides(cond);
    *work -= (bound - products.work) / PER_QUESTION;
    sides
}

struct Products<'a> {
    store: &'a Conditions,
    support: &'a [usize],
    layout: Layout,
    /// For a condition and a side the cubes whose union is that side.
    lists: FxHashMap<(Cond, bool), Rc<[Packed]>>,
    /// The work that may still be spent.
    work: usize,
}

impl Products<'_> {
    fn both_sides(&mut self, cond: Cond) -> Result<[Option<Vec<Cube>>; 2], TooHard> {
        let outside = self.cubes(cond, false)?;
        let positive = self.rest(&outside)?;
        let negative = self.rest(&positive)?;
        Ok([self.few(&positive), self.few(&negative)])
    }

    /// A list of primes, ascending, unless it is too long.
    fn few(&self, primes: &[Packed]) -> Option<Vec<Cube>> {
        if primes.len() > MAX_PRIMES {
            return None;
        }
        let mut list: Vec<Cube> = primes.iter().map(|prime| self.layout.unpack(prime)).collect();
        list.sort_unstable();
        Some(list)
    }

    /// Cubes whose union is one side of a condition.
    fn cubes(&mut self, cond: Cond, side: bool) -> Result<Rc<[Packed]>, TooHard> {
        if let Some(known) = self.lists.get(&(cond, side)) {
            return Ok(Rc::clone(known));
        }
        self.spend(1)?;
        if self.lists.len() >= MAX_TREE {
            return Err(TooHard);
        }
        let store = self.store;
        let list = match store.node(cond) {
            Node::False | Node::True if (cond == Cond::TRUE) == side => vec![self.layout.universe()],
            Node::False | Node::True => Vec::new(),
            Node::Test(element, allowed) => {
                let dimension = self.support.binary_search(element).expect("the support holds every element read");
                let values = (0..)
                    .zip(store.domain(*element).iter())
                    .fold(0, |set, (bit, value)| set | u64::from(allowed.binary_search(value).is_ok() == side) << bit);
                if values == 0 {
                    Vec::new()
                } else {
                    vec![self.layout.with(&self.layout.universe(), dimension, values)]
                }
            }
            Node::And(operands) | Node::Or(operands) => {
                let is_product = matches!(store.node(cond), Node::And(_)) == side;
                let mut list = if is_product { vec![self.layout.universe()] } else { Vec::new() };
                for &operand in operands.iter() {
                    let cubes = self.cubes(operand, side)?;
                    list = if is_product { self.product(&list, &cubes)? } else { self.union(list, &cubes)? };
                }
                list
            }
        };
        let list: Rc<[Packed]> = list.into();
        self.lists.insert((cond, side), Rc::clone(&list));
        Ok(list)
    }

    /// The cubes that one of each list have in common.
    fn product(&mut self, one: &[Packed], other: &[Packed]) -> Result<Vec<Packed>, TooHard> {
        let mut list = Vec::new();
        for left in one {
            self.spend(other.len())?;
            for right in other.iter().filter(|right| self.layout.meet(left, right)).collect::<Vec<_>>() {
                list = self.union(list, &[self.layout.common(left, right)])?;
            }
        }
        Ok(list)
    }

    /// The cubes of both lists that lie in no other one.
    fn union(&mut self, mut list: Vec<Packed>, more: &[Packed]) -> Result<Vec<Packed>, TooHard> {
        for cube in more {
            self.spend(1 + list.len())?;
            if !list.iter().any(|other| self.layout.inside(cube, other)) {
                list.retain(|other| !self.layout.inside(other, cube));
                list.push(*cube);
            }
            if list.len() > MAX_CUBES {
                return Err(TooHard);
            }
        }
        Ok(list)
    }

    /// All primes of the complement of a union of cubes.
    fn rest(&mut self, cubes: &[Packed]) -> Result<Vec<Packed>, TooHard> {
        let mut removed = cubes.to_vec();
        // Cubes that restrict few elements go first: they cut the cubes so far into few parts, and meet many of them.
        removed.sort_by_cached_key(|cube| (self.layout.literals(cube), *cube));
        let mut rest = vec![self.layout.universe()];
        for cube in &removed {
            let hit = rest.iter().filter(|other| self.layout.meet(other, cube)).count();
            self.spend(rest.len() * (1 + hit * self.layout.literals(cube)))?;
            rest = self.layout.without(rest, cube);
            if rest.len() > MAX_CUBES {
                return Err(TooHard);
            }
        }
        Ok(rest)
    }

    fn spend(&mut self, work: usize) -> Result<(), TooHard> {
        self.work = self.work.checked_sub(work).ok_or(TooHard)?;
        limits::work(2 * work as u64);
        Ok(())
    }
}
