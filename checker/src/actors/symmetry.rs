//! The action of symmetries of a Rebeca model on numbered local states, and the packed states of its quotient.
//!
//! A slot is a rebec, a value the number of a local state in that slot. Elements of the group are point permutations;
//! each is lifted to the model once and applied to local states by [`ModelPermutation::apply_local`]; the search
//! stores the results. The key of a local state replaces each rebec and each scalar by the orbit of its point, but
//! still distinguishes equal names in the queue and in plain variables; elements of grouped variables are summed up,
//! by the orbit of their position. An absent rebec has the key 0, as have the slots that a state does not have yet.
//!
//! Soundness: keys commute with `apply_local`: it moves points of the group, and positions of grouped variables,
//! whose points it moves alike. Known rebecs of rebecs of `main` never change and are left out.

use crate::tuning::TUNING;
use std::cmp::Ordering;
use std::hash::Hasher;

use engine::Permutation;
use frontend::interpret::Rebec;
use frontend::model::{Dimension, Model, PropertySet, RebecId, Role, ScalarSetId, Sort, Value, Variable};
use indexmap::IndexSet;
use num_bigint::BigUint;
use rustc_hash::{FxBuildHasher, FxHasher};
use symmetry::{ModelPermutation, Points, ValidatedGroup};

use super::heap::HeapSymmetry;
use super::on_the_fly::OnTheFly;
use super::tables::Tables;
use super::trial::Trial;
use explore::memory::{Footprint, Halt};
#[cfg(test)]
use explore::quotient::WrongTwins;
use explore::quotient::{self, ALONG_THE_CHAIN, Action, Canoniser, Chain, mixed};
use explore::reductions::Representative;

/// The symmetries of a space.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    points: Points,
    /// By element of the chain.
    permutations: Vec<ModelPermutation>,
    canoniser: Canoniser,
    method: Representative,
    name: &'static str,
    heuristic: Option<OnTheFly>,
    pub(super) trial: Trial,
    /// The ways that elements took the rebecs, each once; nothing if they are not followed.
    moves: Option<IndexSet<Vec<u32>, FxBuildHasher>>,
    /// The rebecs that are treated as twins.
    #[cfg(test)]
    twins: Twins,
}

/// The rebecs that repeat the steps of others; for tests.
#[cfg(test)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Twins {
    /// Those that are twins.
    #[default]
    Real,
    /// None: every rebec is expanded.
    None,
    /// Known to be wrong.
    Wrong(WrongTwins),
}

#[cfg(test)]
thread_local! {
    /// The twins of the symmetries made on this thread.
    pub(crate) static TWINS: std::cell::Cell<Twins> = const { std::cell::Cell::new(Twins::Real) };
}

/// The action on the local states of a space.
struct Acting<'a, 'm> {
    tables: &'a mut Tables<'m>,
    points: &'a Points,
    permutations: &'a [ModelPermutation],
    /// With heap symmetry: the renumbering of created rebecs.
    heap: Option<&'a mut HeapSymmetry>,
}

impl Symmetry {
    /// The symmetries of a group that was validated with these properties; `None` if it is too large to be used.
    pub(crate) fn new(
        model: &Model,
        group: &ValidatedGroup,
        properties: &PropertySet,
        method: Representative,
    ) -> Option<Symmetry> {
        let mut chain = Chain::new(group.group())?;
        if !chain.add_for(method, group.group()) {
            return None;
        }
        let lift = |element: &Permutation| group.points().lift(model, element).expect("an element of the group");
        let permutations: Vec<ModelPermutation> = chain.elements().iter().map(lift).collect();
        let target = |element: usize, slot: usize| permutations[element].image(RebecId::from_index(slot)).index();
        let canoniser = Canoniser::new(chain, model.instances.len(), &target, TUNING.search);
        let name = quotient::name(method, group.group(), &canoniser);
        let heuristic = (method == Representative::OnTheFly).then(|| OnTheFly::new(model, group));
        let points = group.points().clone();
        #[cfg(test)]
        let mut canoniser = canoniser;
        #[cfg(test)]
        if let Twins::Wrong(wrong) = TWINS.get() {
            canoniser.mistake_twins(wrong);
        }
        Some(Symmetry {
            points,
            permutations,
            canoniser,
            method,
            name,
            heuristic,
            trial: Trial::new(group, properties),
            moves: None,
            #[cfg(test)]
            twins: TWINS.get(),
        })
    }

    /// The name of the method that chooses representatives.
    pub(crate) fn name(&self, has_heap: bool) -> &'static str {
        if has_heap && self.method == Representative::Auto { ALONG_THE_CHAIN } else { self.name }
    }

    /// Finds representatives along the chain whatever the shape of the group.
    #[cfg(test)]
    pub(crate) fn search_along_the_chain(&mut self) {
        self.canoniser.search_along_the_chain();
    }

    /// Follows the ways of rebecs from now on, if the method allows it.
    pub(crate) fn follow(&mut self) {
        self.moves = (self.method == Representative::Auto).then(IndexSet::default);
    }

    /// The number of the way that the last represented state took the rebecs.
    pub(super) fn last_moves(&mut self, tables: &mut Tables<'_>) -> u32 {
        let Symmetry { points, permutations, canoniser, moves, .. } = self;
        let Some(moves) = moves else { return 0 };
        let slots = tables.model.instances.len();
        let last = canoniser.last_targets(&Acting { tables, points, permutations, heap: None }, slots);
        u32::try_from(moves.insert_full(last).0).expect("fewer than 2^32 permutations")
    }

    /// Whether ties were cut for some state.
    pub(super) fn has_cut_ties(&self) -> bool {
        self.canoniser.has_cut_ties()
    }

    /// Assumes that ties were cut: the representatives of an earlier search are not known.
    pub(super) fn assume_cut_ties(&mut self) {
        self.canoniser.assume_cut_ties();
    }

    /// Whether the ways of rebecs are followed.
    pub(super) fn follows(&self) -> bool {
        self.moves.is_some()
    }

    /// The way of the rebecs, by number.
    pub(super) fn moves_of(&self, number: u32) -> Option<&[u32]> {
        self.moves.as_ref()?.get_index(number as usize).map(Vec::as_slice)
    }

    /// Replaces a vector of local states by its representative; returns the order of its stabiliser.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(crate) fn canonical(&mut self, tables: &mut Tables<'_>, state: &mut [u32]) -> Result<u128, Halt> {
        let Symmetry { points, permutations, canoniser, .. } = self;
        canoniser.canonical(&mut Acting { tables, points, permutations, heap: None }, state)
    }

    /// Replaces a vector of local states by the one that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn represent(&mut self, tables: &mut Tables<'_>, state: &mut [u32]) -> Result<(), Halt> {
        let Symmetry { points, permutations, canoniser, method, heuristic, .. } = self;
        let Some(heuristic) = heuristic else {
            return canoniser.represent(&mut Acting { tables, points, permutations, heap: None }, *method, state);
        };
        let index = heuristic.choose(tables.model, state, &|slot, local| tables.decode(slot, local));
        let permutation = heuristic.permutation(index);
        if permutation.is_identity() {
            return Ok(());
        }
        let before = state.to_vec();
        for (slot, &local) in before.iter().enumerate() {
            let owner = RebecId::from_index(slot);
            let target = permutation.image(owner).index();
            let Some(rebec) = tables.decode(slot, local) else {
                state[target] = local;
                continue;
            };
            let moved = permutation.apply_local(tables.model, owner, &rebec);
            state[target] = tables.intern(target, &moved.values, &moved.queue)?;
        }
        Ok(())
    }

    /// For each slot of a vector of local states the least one that it is a twin of. Empty if there are none, and
    /// where they are of no use: with several representatives per orbit, or with rebecs that are followed.
    ///
    /// # Errors
    /// No room.
    pub(super) fn twins(&mut self, tables: &mut Tables<'_>, state: &[u32], twins: &mut Vec<u32>) -> Result<(), Halt> {
        twins.clear();
        if self.method != Representative::Auto || self.follows() {
            return Ok(());
        }
        #[cfg(test)]
        match self.twins {
            Twins::None => return Ok(()),
            Twins::Wrong(WrongTwins::SameLocalState) => return same_local_states(tables, state, twins),
            Twins::Real | Twins::Wrong(_) => {}
        }
        let Symmetry { points, permutations, canoniser, .. } = self;
        canoniser.twins(&mut Acting { tables, points, permutations, heap: None }, state, twins)
    }

    /// Replaces a vector of local states by the representative of its class under the group and renumbering; returns
    /// the number of elements that lead to it.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonical_with_heap(
        &mut self,
        heap: &mut HeapSymmetry,
        tables: &mut Tables<'_>,
        state: &mut [u32],
    ) -> Result<u128, Halt> {
        if self.method == Representative::Enumerate {
            return self.least_with_heap(heap, tables, state);
        }
        let Symmetry { points, permutations, canoniser, .. } = self;
        canoniser.searched(&mut Acting { tables, points, permutations, heap: Some(heap) }, state)
    }

    /// As [`Symmetry::canonical_with_heap`]: the least of the images under all elements, each with its created rebecs renumbered.
    fn least_with_heap(
        &mut self,
        heap: &mut HeapSymmetry,
        tables: &mut Tables<'_>,
        state: &mut [u32],
    ) -> Result<u128, Halt> {
        let Symmetry { points, permutations, canoniser, .. } = self;
        heap.canonical(tables, state)?;
        let (original, mut image) = (state.to_vec(), vec![0; state.len()]);
        let mut weight = 0;
        for element in canoniser.wanted() {
            let mut action = Acting { tables: &mut *tables, points, permutations, heap: None };
            canoniser.image(&mut action, element, &original, &mut image)?;
            heap.canonical(tables, &mut image)?;
            match image[..].cmp(state) {
                Ordering::Less => {
                    state.copy_from_slice(&image);
                    weight = 1;
                }
                Ordering::Equal => weight += 1,
                Ordering::Greater => {}
            }
        }
        assert!(weight > 0, "a state is one of its images");
        Ok(weight)
    }

    /// The size of the orbit of a state, if it is known; with heap symmetry, of its class.
    pub(super) fn orbit_size(
        &mut self,
        heap: Option<&mut HeapSymmetry>,
        tables: &mut Tables<'_>,
        state: &mut [u32],
    ) -> Option<BigUint> {
        let stabiliser = match heap {
            Some(heap) => self.canonical_with_heap(heap, tables, state).ok()?,
            None => self.canonical(tables, state).ok()?,
        };
        quotient::orbit_size(self.canoniser.order(), stabiliser)
    }

    /// Bytes held.
    pub(crate) fn footprint(&self) -> Footprint {
        self.canoniser.footprint()
    }
}

impl Action for Acting<'_, '_> {
    #[inline]
    fn target(&self, element: usize, slot: usize) -> usize {
        self.permutations[element].image(RebecId::from_index(slot)).index()
    }

    fn image(&mut self, element: usize, slot: usize, value: u32) -> Result<u32, Halt> {
        let Some(rebec) = self.tables.decode(slot, value) else { return Ok(value) };
        let moved = self.permutations[element].apply_local(self.tables.model, RebecId::from_index(slot), &rebec);
        self.tables.intern(self.target(element, slot), &moved.values, &moved.queue)
    }

    fn carry(&mut self, word: &[usize], slot: usize, value: u32) -> Result<u32, Halt> {
        let Some(mut rebec) = self.tables.decode(slot, value) else { return Ok(value) };
        // Intermediate values are not numbered.
        let mut at = slot;
        for &element in word {
            rebec = self.permutations[element].apply_local(self.tables.model, RebecId::from_index(at), &rebec);
            at = self.target(element, at);
        }
        self.tables.intern(at, &rebec.values, &rebec.queue)
    }

    fn keeps(&mut self, word: &[usize], slot: usize, value: u32) -> Result<bool, Halt> {
        let Some(rebec) = self.tables.decode(slot, value) else { return Ok(true) };
        let (mut moved, mut at) = (rebec.clone(), slot);
        for &element in word {
            moved = self.permutations[element].apply_local(self.tables.model, RebecId::from_index(at), &moved);
            at = self.target(element, at);
        }
        Ok(at == slot && moved == rebec)
    }

    fn key(&self, permutation: &Permutation, orbits: &[u32], slot: usize, value: u32) -> u64 {
        let owner = RebecId::from_index(slot);
        let created = match self.heap {
            Some(_) => Created::Alike,
            None => Created::Numbered,
        };
        let (model, points) = (self.tables.model, self.points);
        let key = Key { model, points, permutation, orbits, owner, created, seen: Vec::new() };
        key.of(self.tables.decode(slot, value).as_ref())
    }

    fn normalise(&mut self, state: &mut [u32]) -> Result<(), Halt> {
        match &mut self.heap {
            Some(heap) => heap.canonical(self.tables, state),
            None => Ok(()),
        }
    }
}

/// Known to be wrong: rebecs of one class in the same local state.
#[cfg(test)]
fn same_local_states(tables: &Tables<'_>, state: &[u32], twins: &mut Vec<u32>) -> Result<(), Halt> {
    let class = |slot: usize| tables.model.class_of(RebecId::from_index(slot));
    let local = |slot: usize| {
        let rebec = tables.decode(slot, state[slot])?;
        let variables =
            tables.model.class(class(slot)).variables.iter().filter(|variable| variable.role == Role::State);
        let values: Vec<Value> = variables.flat_map(Variable::elements).map(|element| rebec.values[element]).collect();
        Some((values, rebec.queue))
    };
    let same = |one: usize, other: usize| class(one) == class(other) && local(one) == local(other);
    let least = |slot: usize| (0..slot).find(|&other| same(other, slot)).unwrap_or(slot);
    twins.extend((0..state.len()).map(|slot| u32::try_from(least(slot)).expect("few")));
    Ok(())
}

/// The way that keys distinguish created rebecs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Created {
    /// By their numbers.
    Numbered,
    /// By their classes.
    Alike,
}

/// The key of one local state.
struct Key<'a> {
    model: &'a Model,
    points: &'a Points,
    permutation: &'a Permutation,
    orbits: &'a [u32],
    owner: RebecId,
    created: Created,
    /// The points in plain variables and the queue so far.
    seen: Vec<u32>,
}

/// Tags that keep words of different meaning apart.
const ORBIT: u64 = 1 << 40;
const FIXED: u64 = 2 << 40;
const AGAIN: u64 = 3 << 40;

impl Key<'_> {
    fn of(mut self, rebec: Option<&Rebec>) -> u64 {
        // An absent rebec adds nothing: the key of a state must not depend on its present number of slots.
        let Some(rebec) = rebec else { return 0 };
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.rebec(self.owner));
        let model = self.model;
        // Separate points distinguish the parts that move within rebecs.
        if self.created == Created::Alike && self.points.is_detailed(self.owner) {
            return mixed(hasher.finish());
        }
        if let Some(key) = self.points.key(model, self.owner, rebec, &|point| self.orbit(point)) {
            return mixed(key);
        }
        let class = model.class(model.class_of(self.owner));
        let is_created = self.owner.index() >= model.instances.len();
        for variable in class.variables.iter().filter(|variable| is_created || variable.role == Role::State) {
            self.variable(variable, rebec, &mut hasher);
        }
        for message in &rebec.queue {
            hasher.write_u32(message.server.0);
            self.named(Value::Rebec(message.sender), Sort::Bool, &mut hasher);
            let parameters = class.servers[message.server.index()].body.parameters();
            for (parameter, &argument) in parameters.iter().zip(&message.arguments) {
                self.named(argument, parameter.sort, &mut hasher);
            }
        }
        hasher.write_usize(rebec.queue.len());
        mixed(hasher.finish())
    }

    fn variable(&mut self, variable: &Variable, rebec: &Rebec, hasher: &mut FxHasher) {
        let is_grouped = variable.dimensions.iter().any(|dimension| matches!(dimension, Dimension::Scalar(_)));
        if !is_grouped {
            for element in variable.elements() {
                self.named(rebec.values[element], variable.sort, hasher);
            }
            return;
        }
        let mut sum = 0u64;
        for (position, element) in variable.elements().enumerate() {
            let mut inner = FxHasher::default();
            self.position(variable, position, &mut inner);
            inner.write_u64(self.word(rebec.values[element], variable.sort));
            sum = sum.wrapping_add(mixed(inner.finish()));
        }
        hasher.write_u64(sum);
    }

    /// The place of a position on each axis.
    fn position(&self, variable: &Variable, mut position: usize, hasher: &mut FxHasher) {
        for &dimension in variable.dimensions.iter().rev() {
            let len = self.model.extent(dimension) as usize;
            let index = position % len;
            position /= len;
            hasher.write_u64(match dimension {
                Dimension::Array(_) => index as u64,
                Dimension::Scalar(set) => self.place(set, u32::try_from(index).expect("sets are bounded")),
            });
        }
    }

    /// A value of a plain variable or a message: its orbit, and whether the same name was met before.
    fn named(&mut self, value: Value, sort: Sort, hasher: &mut FxHasher) {
        hasher.write_u64(self.word(value, sort));
        let Some(point) = self.point(value, sort) else { return };
        let before = self.seen.iter().position(|&seen| seen == point);
        hasher.write_u64(AGAIN | before.unwrap_or(self.seen.len()) as u64);
        if before.is_none() {
            self.seen.push(point);
        }
    }

    fn word(&self, value: Value, sort: Sort) -> u64 {
        match (value, sort) {
            (Value::Rebec(rebec), _) => self.rebec(rebec),
            (Value::Scalar(number), Sort::Scalar(set)) => {
                self.place(set, number.abs_diff(self.model.scalar_set(set).low))
            }
            (Value::Bool(value), _) => 4 << 40 | u64::from(value),
            (Value::Int(value), _) => 5 << 40 | u64::from(value.cast_unsigned()),
            (Value::Scalar(value), _) => 6 << 40 | u64::from(value.cast_unsigned()),
            (Value::Null, _) => 7 << 40,
            (Value::Undefined, _) => 8 << 40,
        }
    }

    /// The point of a value, if it has one.
    fn point(&self, value: Value, sort: Sort) -> Option<u32> {
        match (value, sort) {
            (Value::Rebec(rebec), _) => Some(rebec.0).filter(|&rebec| (rebec as usize) < self.model.instances.len()),
            (Value::Scalar(number), Sort::Scalar(set)) => {
                self.points.scalar(self.owner, set, number.abs_diff(self.model.scalar_set(set).low))
            }
            _ => None,
        }
    }

    fn rebec(&self, rebec: RebecId) -> u64 {
        match self.created {
            _ if rebec.index() < self.model.instances.len() => self.orbit(rebec.0),
            Created::Numbered => FIXED | u64::from(rebec.0),
            Created::Alike => FIXED | self.model.class_of(rebec).index() as u64,
        }
    }

    /// A place in a scalar set of the owner.
    fn place(&self, set: ScalarSetId, place: u32) -> u64 {
        match self.points.scalar(self.owner, set, place) {
            Some(point) => self.orbit(point),
            None if self.owner.index() >= self.model.instances.len() => FIXED | u64::from(place),
            None => FIXED,
        }
    }

    fn orbit(&self, point: u32) -> u64 {
        ORBIT | u64::from(self.orbits[self.permutation.image(point) as usize])
    }
}
