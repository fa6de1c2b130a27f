//! [`Tabulated`]: the table of a condition of moderate size, which finds points on either side of its function.
//!
//! The table has one bit per row; the last element of the support varies fastest. Each node of the tree gives one table, and a cube is the
//! intersection over the elements of the rows with one of its values, so that a question is answered word by word.
//!
//! # Complexity
//!
//! At most [`MAX_TABLE`] rows. The table costs a pass over the words per node and operand, a question one per element that the cube
//! restricts, until a point is found. All of them count as steps of the watch. [`Encoded`](super::solved::Encoded) answers the same
//! questions by a solver, where there are more rows.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::cover::{Cube, full, point};
use super::implicants::{Oracle, TooHard};
use super::solved::MAX_TREE;
use super::{Cond, Conditions, Node};

/// The most rows of a table.
const MAX_TABLE: usize = 1 << 15;
/// The words that count as much work as a node of a tree that a solver examines.
const WORDS: usize = 8;

/// A set of rows.
type Rows = Vec<u64>;

/// A condition as a table.
#[derive(Debug)]
pub(super) struct Tabulated {
    sizes: Vec<usize>,
    /// The rows where the function does not hold, and those where it does.
    sides: [Rows; 2],
    /// For each element and value the rows with it.
    values: Vec<Vec<Rows>>,
    /// The work that may still be spent.
    work: usize,
}

impl Tabulated {
    /// The table of a condition that reads these elements; `None` if it has too many rows or nodes.
    pub(super) fn new(store: &Conditions, cond: Cond, support: &[usize], work: usize) -> Option<Tabulated> {
        let sizes: Vec<usize> = support.iter().map(|&element| store.domain(element).len()).collect();
        let rows = sizes.iter().try_fold(1usize, |rows, &size| rows.checked_mul(size).filter(|&n| n <= MAX_TABLE))?;
        let all = ranges(rows, 0, rows, rows);
        let mut stride = rows;
        let values: Vec<Vec<Rows>> = sizes
            .iter()
            .map(|&size| {
                let period = stride;
                stride /= size;
                (0..size).map(|value| ranges(rows, value * stride, stride, period)).collect()
            })
            .collect();
        assert_eq!(stride, 1, "the last element varies fastest");
        let mut tree = Tree { store, support, values: &values, all: &all, nodes: FxHashMap::default(), size: 0 };
        let holds = tree.node(cond)?.to_vec();
        let cost = tree.size * all.len() / WORDS;
        let fails = holds.iter().zip(&all).map(|(holds, all)| all & !holds).collect();
        Some(Tabulated { sizes, sides: [fails, holds], values, work: work.saturating_sub(cost) })
    }

    /// Whether the condition holds in some row.
    pub(super) fn holds_somewhere(&self) -> bool {
        self.sides[1].iter().any(|&word| word != 0)
    }
}

/// The rows below `rows` that lie in a range of a length at the start `from`, and in those after each period.
fn ranges(rows: usize, from: usize, length: usize, period: usize) -> Rows {
    let mut set = vec![0; rows.div_ceil(64)];
    for start in (from..rows).step_by(period) {
        let end = start + length;
        let (first, last) = (start / 64, (end - 1) / 64);
        let (head, tail) = (u64::MAX << (start % 64), u64::MAX >> (63 - (end - 1) % 64));
        if first == last {
            set[first] |= head & tail;
        } else {
            set[first] |= head;
            set[first + 1..last].fill(u64::MAX);
            set[last] |= tail;
        }
    }
    set
}

struct Tree<'a> {
    store: &'a Conditions,
    support: &'a [usize],
    values: &'a [Vec<Rows>],
    all: &'a Rows,
    nodes: FxHashMap<Cond, Rc<[u64]>>,
    /// The nodes and operands so far.
    size: usize,
}

impl Tree<'_> {
    /// The rows where a node holds; `None` if there are too many nodes.
    fn node(&mut self, cond: Cond) -> Option<Rc<[u64]>> {
        if let Some(known) = self.nodes.get(&cond) {
            return Some(Rc::clone(known));
        }
        let store = self.store;
        let mut rows = vec![0; self.all.len()];
        limits::work(rows.len() as u64);
        self.size += 1;
        match store.node(cond) {
            Node::False => {}
            Node::True => rows.clone_from(self.all),
            Node::Test(element, allowed) => {
                let dimension = self.support.binary_search(element).expect("the support holds every element read");
                let domain = store.domain(*element);
                let values = domain.iter().zip(&self.values[dimension]);
                for (_, with) in values.filter(|(value, _)| allowed.binary_search(value).is_ok()) {
                    unite(&mut rows, with);
                }
            }
            Node::Or(list) => {
                self.size += list.len();
                limits::work((rows.len() * list.len()) as u64);
                for &operand in list.iter() {
                    unite(&mut rows, &self.node(operand)?);
                }
            }
            Node::And(list) => {
                self.size += list.len();
                limits::work((rows.len() * list.len()) as u64);
                rows.clone_from(self.all);
                for &operand in list.iter() {
                    rows.iter_mut().zip(&*self.node(operand)?).for_each(|(word, more)| *word &= more);
                }
            }
        }
        if self.size > MAX_TREE {
            return None;
        }
        let rows: Rc<[u64]> = rows.into();
        self.nodes.insert(cond, Rc::clone(&rows));
        Some(rows)
    }
}

fn unite(rows: &mut Rows, more: &[u64]) {
    rows.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
}

impl Oracle for Tabulated {
    fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    fn point(&mut self, cube: &Cube, side: bool) -> Result<Option<Cube>, TooHard> {
        let restricted: Vec<(usize, u64)> =
            (0..).zip(cube.iter().copied()).filter(|&(at, set)| set != full(self.sizes[at])).collect();
        let words = self.sides[0].len() * restricted.len();
        limits::work(1 + words as u64);
        self.spend(1 + words / WORDS)?;
        let side = &self.sides[usize::from(side)];
        let found = side.iter().enumerate().find_map(|(at, &word)| {
            let inside = restricted.iter().try_fold(word, |word, &(dimension, set)| {
                let values = self.values[dimension].iter().enumerate().filter(|(value, _)| set >> value & 1 == 1);
                let inside = word & values.fold(0, |union, (_, rows)| union | rows[at]);
                (inside != 0).then_some(inside)
            })?;
            (inside != 0).then(|| at * 64 + inside.trailing_zeros() as usize)
        });
        let point = found.map(|row| point(&self.sizes, row));
        debug_assert!(point.iter().flatten().zip(cube).all(|(one, set)| one & set != 0), "the point lies in the cube");
        Ok(point)
    }

    fn spend(&mut self, work: usize) -> Result<(), TooHard> {
        self.work = self.work.checked_sub(work).ok_or(TooHard)?;
        Ok(())
    }

    fn left(&self) -> usize {
        self.work
    }
}
