//! The representatives of packed states under a group that permutes literals: pairs of a slot and a value.
//!
//! The points of a slot follow each other in the order of its values, those of all slots in the order of the slots; a wide slot is one point
//! whatever its value, which moves with it and stays. The key of a literal is the orbit of its image. The group may act on further points: the
//! processes of weak fairness, whose ways are then followed.
//!
//! A language may store states in a normal form ([`Normal`]), such as multisets whose elements are sorted: then each image is brought to it along
//! the chain of stabilisers, and no faster method is used.
//!
//! Soundness: that of [`Canoniser`] and [`Packed`], which find an image of the state under the group, the same one for all states of an orbit.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use engine::{Group, Permutation};
use indexmap::IndexSet;
use num_bigint::BigUint;
use rustc_hash::FxBuildHasher;

use super::action::Action;
use super::chain::Chain;
use super::memo::Memo;
use super::packed::{Literals, Packed};
use super::search::{ALONG_THE_CHAIN, Canoniser};
use super::{mixed, name, orbit_size};
use crate::memory::{Footprint, Halt};
use crate::reductions::Representative;
use crate::states::Layout;
use crate::tuning::Tuning;

/// The greatest order of a group whose images cost no more than to remember representatives.
const CHEAP: u32 = 8;

/// The points of the slots of packed states.
#[derive(Clone, Debug)]
pub struct Points {
    /// The places of the slots.
    pub layout: Layout,
    /// The first point of each slot.
    pub starts: Vec<u32>,
    /// Whether a slot is one point whatever its value, which then stays.
    pub wide: Vec<bool>,
    /// The number of points.
    pub count: usize,
    /// The normal form in which states are stored, if they have one.
    pub normal: Option<Normal>,
}

/// Replaces the values of the slots of a state by those of its normal form.
pub type Normalise = dyn Fn(&mut [u32]) + Send + Sync;

/// A normal form of states that does not matter to the group: an equivalence of states that commutes with all elements.
#[derive(Clone)]
pub struct Normal {
    /// For each slot one that stands for all that the normal form may bring to its place; its key is theirs.
    pub alike: Vec<u32>,
    /// Brings a state to its normal form.
    pub normalise: Arc<Normalise>,
}

impl Debug for Normal {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.debug_struct("Normal").field("alike", &self.alike).finish_non_exhaustive()
    }
}

/// The representatives of packed states under one group.
#[derive(Clone, Debug)]
pub struct Representatives {
    points: Points,
    /// The group on the points, and on processes if they are followed.
    acting: Group,
    order: BigUint,
    /// The search along the chain; none until a state needs it.
    along: Option<Along>,
    /// A faster method for packed states, where there is one for the group.
    packed: Option<Packed>,
    method: Representative,
    name: &'static str,
    /// The successors that were met lately; none where a representative costs little.
    memo: Option<Memo>,
    state: Vec<u32>,
    before: Vec<u64>,
    /// Whether ties may have been cut by an earlier search.
    may_have_cut: bool,
    /// If processes of weak fairness are followed, their number: their points are the last ones.
    processes: Option<usize>,
    /// The ways that elements took the processes, each once.
    moves: IndexSet<Vec<u32>, FxBuildHasher>,
    tuning: &'static Tuning,
}

/// The search for representatives along the chain of stabilisers.
#[derive(Clone, Debug)]
struct Along {
    /// By element of the chain, the slot to which each slot is taken.
    targets: Vec<Vec<u32>>,
    elements: Vec<Permutation>,
    canoniser: Canoniser,
}

impl Along {
    /// The search under a group that takes slots to slots; `None` if its chain would be too large.
    fn new(group: &Group, method: Representative, starts: &[u32], tuning: &'static Tuning) -> Option<Along> {
        let mut chain = Chain::new(group)?;
        if !chain.add_for(method, group) {
            return None;
        }
        let target = |element: &Permutation, start: u32| {
            let image = element.image(start);
            u32::try_from(starts.partition_point(|&start| start <= image) - 1).expect("slots have 32 bits")
        };
        let elements = chain.elements().to_vec();
        let targets = elements.iter().map(|element| starts.iter().map(|&start| target(element, start)).collect());
        let targets: Vec<Vec<u32>> = targets.collect();
        debug_assert!(
            targets.iter().all(|targets| is_bijection(targets)),
            "an element takes slots to slots, one to one"
        );
        let slot_of = |element: usize, slot: usize| targets[element][slot] as usize;
        let canoniser = Canoniser::new(chain, starts.len(), &slot_of, tuning);
        Some(Along { targets, elements, canoniser })
    }
}

/// The action on the processes of weak fairness: a slot is a process.
struct OnProcesses<'a> {
    first: u32,
    elements: &'a [Permutation],
}

/// The action on literals.
struct Acting<'a> {
    points: &'a Points,
    targets: &'a [Vec<u32>],
    elements: &'a [Permutation],
}

/// Whether a list of images is a permutation of its places.
fn is_bijection(images: &[u32]) -> bool {
    let mut sorted = images.to_vec();
    sorted.sort_unstable();
    (0..).zip(sorted).all(|(place, image)| place == image)
}

impl Representatives {
    /// The representatives under a group on the points of literals, and on those of processes behind them if so many are followed; `None` if the
    /// group is too large to be used. `group` is the same group as it is named.
    pub fn new(
        group: &Group,
        acting: &Group,
        points: Points,
        method: Representative,
        processes: Option<usize>,
        tuning: &'static Tuning,
    ) -> Option<Representatives> {
        let Points { starts, wide, count, normal, layout } = &points;
        assert!(acting.degree() == count + processes.unwrap_or(0), "the group acts on all literals");
        assert!(starts.len() == layout.len() && wide.len() == layout.len(), "each slot has its points");
        assert!(starts.is_sorted_by(|one, next| one < next), "the points of slots follow each other");
        // It does not follow processes, has no normal form, and the methods of the papers have images of their own.
        let is_packed = method == Representative::Auto && processes.is_none() && normal.is_none();
        let of = || Literals::new(layout.clone(), starts.clone(), *count, wide.clone());
        // The labelling rarely needs the chain, which takes more time than many a search.
        let mut packed = is_packed.then(|| Packed::labelling(acting, &of())).flatten();
        let mut along = None;
        if packed.is_none() {
            let own = along.insert(Along::new(acting, method, starts, tuning)?);
            packed = is_packed.then(|| Packed::new(acting, &own.canoniser, of())).flatten();
        }
        let own = packed.as_ref().and_then(Packed::name).or(normal.as_ref().map(|_| ALONG_THE_CHAIN));
        let name = own.or_else(|| along.as_ref().map(|along| name(method, group, &along.canoniser)));
        let order = acting.order();
        Some(Representatives {
            acting: acting.clone(),
            memo: (order > BigUint::from(CHEAP)).then(Memo::default),
            order,
            name: name.expect("a method has a name"),
            points,
            along,
            packed,
            method,
            state: Vec::new(),
            before: Vec::new(),
            may_have_cut: false,
            processes,
            moves: IndexSet::default(),
            tuning,
        })
    }

    /// The name of the method that chooses representatives.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Replaces each packed state of a buffer, successors of `parent` if there is one, by the state that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    pub fn replace(&mut self, parent: Option<&[u64]>, words: &mut [u64]) -> Result<(), Halt> {
        match (parent, self.memo.take()) {
            (Some(parent), Some(mut memo)) => {
                let found = self.replace_remembering(&mut memo, parent, words);
                self.memo = Some(memo);
                found
            }
            (_, memo) => {
                self.memo = memo;
                self.each(parent, words, Representatives::represent)
            }
        }
    }

    fn replace_remembering(&mut self, memo: &mut Memo, parent: &[u64], words: &mut [u64]) -> Result<(), Halt> {
        let (stride, mut is_begun) = (self.points.layout.stride(), false);
        for words in words.chunks_exact_mut(stride) {
            if let Some(known) = memo.get(words) {
                words.copy_from_slice(known);
                continue;
            }
            if !std::mem::replace(&mut is_begun, true) {
                self.begin(parent);
            }
            self.before.clear();
            self.before.extend_from_slice(words);
            self.one(true, words, &mut Representatives::represent)?;
            memo.put(&self.before, words);
        }
        Ok(())
    }

    /// Begins with the successors of a state.
    fn begin(&mut self, parent: &[u64]) {
        if let Some(packed) = &mut self.packed {
            packed.begin(parent);
        }
    }

    /// Replaces one packed state, a successor of the state that was begun with or any.
    fn one(
        &mut self,
        is_successor: bool,
        words: &mut [u64],
        by: &mut impl FnMut(&mut Representatives, &mut [u32]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let is_done = match &mut self.packed {
            None => false,
            Some(packed) if is_successor => packed.successor(words),
            Some(packed) => packed.canonical(words).is_some(),
        };
        if is_done {
            return Ok(());
        }
        let mut state = std::mem::take(&mut self.state);
        state.clear();
        state.extend((0..self.points.layout.len()).map(|slot| self.points.layout.get(words, slot)));
        let found = by(self, &mut state);
        if found.is_ok() {
            for (slot, &value) in state.iter().enumerate() {
                self.points.layout.set(words, slot, value);
            }
        }
        self.state = state;
        found
    }

    /// As [`Representatives::replace`], with the way of the processes of each state, if ways are followed.
    ///
    /// # Errors
    /// No room, or too much work.
    pub fn replace_following(&mut self, parent: &[u64], words: &mut [u64], moves: &mut Vec<u32>) -> Result<(), Halt> {
        moves.clear();
        self.each(Some(parent), words, |own, state| {
            own.represent(state)?;
            moves.extend(own.last_moves());
            Ok(())
        })
    }

    /// Replaces each packed state of a buffer by the one representative of its orbit, whatever the method stores.
    ///
    /// # Errors
    /// No room, or too much work.
    pub fn canonicalise(&mut self, words: &mut [u64]) -> Result<(), Halt> {
        self.each(None, words, |own, state| own.canonical(state).map(|_| ()))
    }

    /// Replaces each packed state of a buffer, successors of `parent` if there is one.
    fn each(
        &mut self,
        parent: Option<&[u64]>,
        words: &mut [u64],
        mut by: impl FnMut(&mut Representatives, &mut [u32]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if let (Some(parent), false) = (parent, words.is_empty()) {
            self.begin(parent);
        }
        let mut states = words.chunks_exact_mut(self.points.layout.stride());
        states.try_for_each(|words| self.one(parent.is_some(), words, &mut by))
    }

    /// Replaces a vector of values by its representative; returns the order of its stabiliser.
    ///
    /// # Errors
    /// No room, or too much work.
    pub fn canonical(&mut self, state: &mut [u32]) -> Result<u128, Halt> {
        let has_normal = self.points.normal.is_some();
        let (canoniser, mut acting) = self.chain()?;
        if has_normal { canoniser.searched(&mut acting, state) } else { canoniser.canonical(&mut acting, state) }
    }

    /// Replaces a vector of values by the one that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    fn represent(&mut self, state: &mut [u32]) -> Result<(), Halt> {
        if self.points.normal.is_some() {
            return self.canonical(state).map(|_| ());
        }
        let method = self.method;
        let (canoniser, mut acting) = self.chain()?;
        canoniser.represent(&mut acting, method, state)
    }

    /// The search along the chain, which is made if it was not needed before, and the action of its elements.
    ///
    /// # Errors
    /// The chain would be too large.
    fn chain(&mut self) -> Result<(&mut Canoniser, Acting<'_>), Halt> {
        let Representatives { acting, order, method, along, points, tuning, .. } = self;
        let along = match along {
            Some(along) => along,
            None => {
                let made = Along::new(acting, *method, &points.starts, tuning).ok_or(Halt::Work)?;
                assert!(made.canoniser.order() == order, "the chain is that of the group");
                along.insert(made)
            }
        };
        let Along { targets, elements, canoniser } = along;
        Ok((canoniser, Acting { points, targets, elements }))
    }

    /// The number of the way that the last represented state took the processes; nothing where ways are not followed.
    fn last_moves(&mut self) -> Option<u32> {
        let count = self.processes?;
        let Along { elements, canoniser, .. } = self.along.as_ref()?;
        let first = u32::try_from(self.points.count).expect("points have 32 bits");
        let last = canoniser.last_targets(&OnProcesses { first, elements }, count);
        debug_assert!(is_bijection(&last), "a way takes processes to processes, one to one");
        Some(u32::try_from(self.moves.insert_full(last).0).expect("fewer than 2^32 permutations"))
    }

    /// The way of the processes, by number.
    pub fn moves_of(&self, number: u32) -> Option<&[u32]> {
        self.moves.get_index(number as usize).map(Vec::as_slice)
    }

    /// Whether ties were cut for some state.
    pub fn has_cut_ties(&self) -> bool {
        self.may_have_cut || self.along.as_ref().is_some_and(|along| along.canoniser.has_cut_ties())
    }

    /// Assumes that ties were cut: the representatives of an earlier search are not known.
    pub fn assume_cut_ties(&mut self) {
        self.may_have_cut = true;
    }

    /// Whether the ways of processes are followed.
    pub fn follows(&self) -> bool {
        self.processes.is_some()
    }

    /// The size of the orbit of a packed state, if it is known; `words` is then any state of it.
    pub fn orbit_size(&mut self, words: &mut [u64]) -> Option<BigUint> {
        let stabiliser = match self.packed.as_mut().and_then(|packed| packed.canonical(words)) {
            Some(stabiliser) => stabiliser,
            None => {
                let layout = &self.points.layout;
                let mut state: Vec<u32> = (0..layout.len()).map(|slot| layout.get(words, slot)).collect();
                self.canonical(&mut state).ok()?
            }
        };
        orbit_size(&self.order, stabiliser)
    }

    /// Whether the search along the chain was needed.
    pub fn has_chain(&self) -> bool {
        self.along.is_some()
    }

    /// Bytes held.
    pub fn footprint(&self) -> Footprint {
        let mut footprint = self.along.as_ref().map(|along| along.canoniser.footprint()).unwrap_or_default();
        if let Some(packed) = &self.packed {
            footprint.merge(packed.footprint());
        }
        if let Some(memo) = &self.memo {
            footprint.merge(memo.footprint());
        }
        footprint
    }
}

impl Action for OnProcesses<'_> {
    fn target(&self, element: usize, slot: usize) -> usize {
        let process = u32::try_from(slot).expect("points have 32 bits");
        (self.elements[element].image(self.first + process) - self.first) as usize
    }

    fn image(&mut self, _: usize, _: usize, _: u32) -> Result<u32, Halt> {
        unreachable!("processes have no values")
    }

    fn key(&self, _: &Permutation, _: &[u32], _: usize, _: u32) -> u64 {
        unreachable!("processes have no values")
    }
}

impl Action for Acting<'_> {
    #[inline]
    fn target(&self, element: usize, slot: usize) -> usize {
        self.targets[element][slot] as usize
    }

    fn image(&mut self, element: usize, slot: usize, value: u32) -> Result<u32, Halt> {
        let Points { starts, wide, .. } = self.points;
        if wide[slot] {
            return Ok(value);
        }
        let target = self.targets[element][slot] as usize;
        Ok(self.elements[element].image(starts[slot] + value) - starts[target])
    }

    fn key(&self, permutation: &Permutation, orbits: &[u32], slot: usize, value: u32) -> u64 {
        let Points { starts, wide, normal, .. } = self.points;
        let slot = normal.as_ref().map_or(slot, |normal| normal.alike[slot] as usize);
        if wide[slot] {
            let orbit = u64::from(orbits[permutation.image(starts[slot]) as usize]);
            return mixed(mixed(orbit + 1) ^ u64::from(value));
        }
        mixed(u64::from(orbits[permutation.image(starts[slot] + value) as usize]) + 1)
    }

    fn normalise(&mut self, state: &mut [u32]) -> Result<(), Halt> {
        if let Some(normal) = &self.points.normal {
            (normal.normalise)(state);
        }
        Ok(())
    }
}
