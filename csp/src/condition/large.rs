//! Conditions of more than 64 rows: their forms by prime cubes, or the form of their text where there are too many primes.
//!
//! Products of cubes give the primes of the condition and those of its complement (`products.rs`). Where their lists grow too long,
//! all-SAT finds the primes (`implicants.rs`); what it asks about points is looked up in a table (`tabulated.rs`), or decided by a solver
//! where that has too many rows (`solved.rs`). Where the primes of the complement fall into parts that share no element, the condition is
//! the conjunction of the complements of the parts; where its own primes do, it is the disjunction of the parts. Each part has a form of
//! its own, which is the same for all conditions that contain the part. A condition that does not fall apart takes the smaller of both
//! covers. The form therefore depends on the function only, and not on superfluous elements in the text, as long as the function
//!
//! - reads at most [`MAX_VALUES`] values of elements with at most 64 each, and
//! - has, or its complement has, at most [`MAX_PRIMES`](super::implicants::MAX_PRIMES) primes,
//!
//! and no search ends early. Outside these bounds each operand represents itself, in the form of its text.
//!
//! # Invariants
//!
//! The early end of a search depends on more than the function. When it happens, all conditions of the same shape keep the form of their
//! text, and all forms are rebuilt: images under a symmetry have equal shapes, and therefore equal forms.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cover::{Cover, Cube, MAX_ROWS, full, lighter};
use super::implicants::{self, Oracle, TooHard};
use super::normal::{Condition, ConditionId, Normaliser};
use super::products;
use super::solved::Encoded;
use super::tabulated::Tabulated;
use super::{Cond, Node};

/// The most values, over all elements that it reads, of a condition with a form by primes.
const MAX_VALUES: usize = 192;
/// The most work for one condition; one question costs as much as the condition has nodes.
const MAX_WORK: usize = 1 << 24;
/// The elementary steps for a dimension of a cube that becomes tests.
const WORK_OF_DIMENSION: u64 = 16;
/// The most work for all conditions of a model.
const MAX_ALL_WORK: usize = 1 << 26;

/// The part of a condition that permutations of elements and values preserve: sizes of domains, nodes, operands.
type Shape = (Vec<usize>, usize, usize);

/// A tree with its elements numbered from 0.
type Text = (Vec<usize>, Vec<u32>);

/// The primes of a function, and those of its complement; `None` where there are too many.
type Sides = Rc<[Option<Vec<Cube>>; 2]>;

/// The facts about large conditions that remain from one attempt to the next.
#[derive(Debug)]
pub(crate) struct Primes {
    known: FxHashMap<Text, Sides>,
    refused: FxHashSet<Shape>,
    work: usize,
    is_off: bool,
    /// Whether a condition was refused since the attempt began.
    is_stale: bool,
}

impl Default for Primes {
    fn default() -> Primes {
        let (known, refused) = (FxHashMap::default(), FxHashSet::default());
        Primes { known, refused, work: MAX_ALL_WORK, is_off: false, is_stale: false }
    }
}

impl Primes {
    /// Works without a solver: every large condition has the form of its text.
    pub(crate) fn off() -> Primes {
        Primes { is_off: true, ..Primes::default() }
    }

    /// Whether forms have to be rebuilt; the call begins the new attempt.
    pub(crate) fn begin_again(&mut self) -> bool {
        std::mem::take(&mut self.is_stale)
    }

    fn refuse(&mut self, shape: Shape) {
        self.is_off |= self.work < MAX_WORK;
        self.refused.insert(shape);
        self.is_stale = true;
    }
}

impl Normaliser<'_> {
    /// The form by primes of a condition that is not small; `None` if it has none.
    pub(super) fn by_primes(&mut self, cond: Cond) -> Option<ConditionId> {
        let support = self.support(cond);
        let sizes: Vec<usize> = support.iter().map(|&element| self.store.domain(element).len()).collect();
        let sides = self.sides(cond, &support, &sizes)?;
        let [positive, negative] = &*sides;
        let cubes = positive.as_ref().or(negative.as_ref())?;
        let used: Vec<usize> =
            (0..sizes.len()).filter(|&at| cubes.iter().any(|cube| cube[at] != full(sizes[at]))).collect();
        let rows = used.iter().try_fold(1usize, |rows, &at| rows.checked_mul(sizes[at]).filter(|&n| n <= MAX_ROWS));
        if rows.is_some() {
            let support: Vec<usize> = used.iter().map(|&at| support[at]).collect();
            return Some(self.covered(cond, &support));
        }
        for (cubes, conjunction) in [(negative, true), (positive, false)] {
            let Some(cubes) = cubes else { continue };
            let parts = implicants::components(&sizes, cubes);
            if parts.len() > 1 {
                let parts: Vec<ConditionId> =
                    parts.iter().map(|part| self.part(&support, &sizes, part, conjunction)).collect();
                return Some(if conjunction { self.all(parts) } else { self.any(parts) });
            }
        }
        Some(self.cover(&support, &lighter(&sizes, positive.as_ref(), negative.as_ref())?))
    }

    /// The form of a union of cubes, or of its complement.
    pub(super) fn part(
        &mut self,
        support: &[usize],
        sizes: &[usize],
        cubes: &[Cube],
        is_complement: bool,
    ) -> ConditionId {
        let is_within = |(&set, &size): (&u64, &usize)| set & !full(size) == 0;
        let fits = |cube: &Cube| cube.len() == sizes.len() && cube.iter().zip(sizes).all(is_within);
        debug_assert!(support.len() == sizes.len() && cubes.iter().all(fits), "a cube has values of each element");
        let mut union = Vec::new();
        for cube in cubes {
            let mut tests = Vec::new();
            limits::work(WORK_OF_DIMENSION * cube.len() as u64);
            for (at, &set) in cube.iter().enumerate().filter(|&(at, &set)| set != full(sizes[at])) {
                let domain = self.store.domain(support[at]);
                let values = (0..).zip(domain.iter()).filter(|&(bit, _)| set >> bit & 1 == 1).map(|(_, &value)| value);
                tests.push(self.store.test(support[at], &values.collect::<Vec<i32>>()));
            }
            union.push(self.store.and(tests));
        }
        let union = self.store.or(union);
        let cond = if is_complement { self.store.not(union) } else { union };
        self.normal(cond)
    }

    /// The form of a cover.
    pub(super) fn cover(&mut self, support: &[usize], cover: &Cover) -> ConditionId {
        let mut parts = Vec::new();
        for cube in &cover.cubes {
            let mut tests = Vec::new();
            limits::work(WORK_OF_DIMENSION * cube.len() as u64);
            for (&element, &set) in support.iter().zip(cube) {
                let domain = self.store.domain(element);
                if set != full(domain.len()) {
                    let values = (0..).zip(domain.iter()).filter(|&(bit, _)| set >> bit & 1 == 1);
                    tests.push((element, values.map(|(_, &value)| value).collect()));
                }
            }
            parts.push(self.cube(tests));
        }
        if !cover.complemented {
            return self.any(parts);
        }
        if parts.contains(&ConditionId::TRUE) {
            return ConditionId::FALSE;
        }
        parts.retain(|&part| part != ConditionId::FALSE);
        parts.sort_unstable();
        parts.dedup();
        if parts.is_empty() { ConditionId::TRUE } else { self.intern(Condition::NoneOf(parts)) }
    }

    /// The primes of both sides; `None` if the condition exceeds a bound.
    fn sides(&mut self, cond: Cond, support: &[usize], sizes: &[usize]) -> Option<Sides> {
        let too_wide = sizes.iter().sum::<usize>() > MAX_VALUES || sizes.iter().any(|&size| size > 64);
        if too_wide || self.primes.is_off {
            return None;
        }
        let text = self.text(cond, support);
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        let shape = (sorted, text.0[0], text.1.len());
        if self.primes.refused.contains(&shape) {
            return None;
        }
        let key = (sizes.to_vec(), text.1);
        let sides = match self.primes.known.get(&key) {
            Some(known) => Rc::clone(known),
            None => {
                let Ok(sides) = self.solve(cond, support) else {
                    self.primes.refuse(shape);
                    return None;
                };
                self.primes.known.insert(key, Rc::clone(&sides));
                sides
            }
        };
        sides.iter().any(Option::is_some).then_some(sides)
    }

    /// The primes of both sides, by products of cubes if these are few enough, else by all-SAT.
    fn solve(&mut self, cond: Cond, support: &[usize]) -> Result<Sides, TooHard> {
        if let Ok(sides) = products::both_sides(&self.store, cond, support, &mut self.primes.work) {
            return Ok(Rc::new(sides));
        }
        let work = self.primes.work.min(MAX_WORK);
        let mut oracle: Box<dyn Oracle> = match Tabulated::new(&self.store, cond, support, work) {
            Some(tabulated) => Box::new(tabulated),
            None => Box::new(Encoded::new(&self.store, cond, support, work)?),
        };
        let sides = implicants::both_sides(&mut *oracle);
        assert!(oracle.left() <= work, "a search takes no more work than it was given");
        self.primes.work -= work - oracle.left();
        sides.map(Rc::new)
    }

    /// The tree as text: the number of its nodes, then the nodes, with elements as places in the support and values as places in the
    /// domain.
    fn text(&self, cond: Cond, support: &[usize]) -> (Vec<usize>, Vec<u32>) {
        let mut numbers: FxHashMap<Cond, u32> = FxHashMap::default();
        let mut text = Vec::new();
        self.write(cond, support, &mut numbers, &mut text);
        (vec![numbers.len()], text)
    }

    fn write(&self, cond: Cond, support: &[usize], numbers: &mut FxHashMap<Cond, u32>, text: &mut Vec<u32>) -> u32 {
        if let Some(&known) = numbers.get(&cond) {
            return known;
        }
        let short = |n: usize| u32::try_from(n).expect("trees are bounded");
        let mut line = match self.store.node(cond) {
            Node::False => vec![0],
            Node::True => vec![1],
            Node::Test(element, values) => {
                let at = support.binary_search(element).expect("the support holds every element read");
                let domain = self.store.domain(*element);
                let places = values.iter().map(|value| domain.binary_search(value).expect("tests are of values"));
                [2, short(at)].into_iter().chain(places.map(short)).collect()
            }
            Node::And(list) | Node::Or(list) => {
                let kind = if matches!(self.store.node(cond), Node::And(_)) { 3 } else { 4 };
                let mut operands: Vec<u32> =
                    list.iter().map(|&operand| self.write(operand, support, numbers, text)).collect();
                operands.insert(0, kind);
                operands
            }
        };
        text.push(short(line.len()));
        text.append(&mut line);
        let number = short(numbers.len());
        numbers.insert(cond, number);
        number
    }
}
