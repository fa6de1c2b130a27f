//! Heap symmetry: created rebecs are numbered as they are reached, and unreachable ones are left out.
//!
//! The number that `new` gives depends on the order of creations, and no expression can distinguish numbers: it can
//! only compare for equality. So states that differ by a renumbering, class by class, behave alike, and so do states
//! that differ in rebecs that have no message and that no remaining rebec can name. The representative of a state
//! numbers the created rebecs of each class by their first visit, breadth first from the rebecs of `main` in order; a
//! rebec names others by its variables, element by element, then by its queue, oldest message first, the sender
//! before the arguments. A created rebec that is not reached but has a message can act: it is a root as well
//! ([`roots`](super::roots)). The other rebecs are left out.
//!
//! Invariants: the created rebecs of a representative have the lowest numbers of their class, so that the reference
//! interpreter, which counts them, gives the next `new` the lowest free number.
//!
//! Soundness: renumbering is a bisimulation that keeps the variables of `main`, which are all that a property can
//! read; a rebec that is left out has no step, receives nothing, and appears in no later state. Errs by storing
//! several states of a class where the order of roots is not found ([`HeapSymmetry::describe`] reports it).
//!
//! Complexity: linear in the names of a state if no roots are needed; images of local states are stored.
//!
//! Source: \[Ios02\] 3 and 4: reachability from an ordered set of roots.

use frontend::interpret::Rebec;
use frontend::model::{Model, RebecId, Value};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::roots;
use super::slot::pair;
use super::tables::Tables;
use explore::memory::{Footprint, Halt, bytes_of};
use explore::reductions::{Outcome, Reduction, ReductionKind};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// No rebec is left out.
        nothing_collected,
        /// Created rebecs keep their order.
        order_of_creation,
        /// A rebec with messages that no rebec names is left out.
        roots_ignored,
        /// The first order of roots is taken.
        first_order,
    }
}

/// The renumbering of created rebecs.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeapSymmetry {
    /// By (slot, local state): the place of the created rebecs that it names, and their number.
    names: HashMap<u64, (usize, u32), FxBuildHasher>,
    named: Vec<u32>,
    /// (slot, local state, new slot, new slots of the rebecs that it names) to the new local state.
    images: HashMap<Box<[u32]>, u32, FxBuildHasher>,
    words: usize,
    /// States whose roots have too many orders.
    pub(super) inexact: u64,
    pub(super) wrong: Wrong,
}

/// New slots of the created rebecs visited so far.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    main: usize,
    /// By slot; [`UNSEEN`] if it was not visited.
    image: Vec<u32>,
    /// Rebecs visited, by class.
    counts: Vec<u32>,
    /// The slots visited, in order.
    pub(super) visited: Vec<u32>,
    /// Those up to here have been followed.
    followed: usize,
}

/// Not visited.
const UNSEEN: u32 = u32::MAX;

impl Numbering {
    fn new(model: &Model, slots: usize) -> Numbering {
        let main = model.instances.len();
        let rebecs = (0..slots).map(|slot| if slot < main { index32(slot) } else { UNSEEN });
        let counts = vec![0; model.creatable.len()];
        Numbering { main, image: rebecs.collect(), counts, visited: Vec::new(), followed: 0 }
    }

    /// Whether a slot was visited.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.image[slot] != UNSEEN
    }

    /// The new slot of a slot that was visited.
    pub(super) fn image(&self, slot: usize) -> u32 {
        self.image[slot]
    }

    /// Gives a created rebec the lowest free number of its class.
    fn visit(&mut self, slot: usize) {
        if self.has(slot) {
            return;
        }
        let column = (slot - self.main) % self.counts.len();
        let number = self.counts[column] as usize;
        self.counts[column] += 1;
        self.image[slot] = index32(self.main + number * self.counts.len() + column);
        self.visited.push(index32(slot));
    }
}

impl HeapSymmetry {
    /// A known-wrong variant.
    #[cfg(test)]
    pub(crate) fn wrong(wrong: Wrong) -> HeapSymmetry {
        HeapSymmetry { wrong, ..HeapSymmetry::default() }
    }

    /// The description in a report.
    pub(super) fn describe(&self) -> Reduction {
        Reduction { kind: ReductionKind::HeapSymmetry, outcome: Outcome::Renumbered { inexact: self.inexact } }
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_table::<(u64, (usize, u32))>(self.names.capacity());
        footprint.add_vec(&self.named);
        footprint.add_table::<(Box<[u32]>, u32)>(self.images.capacity());
        footprint.add(bytes_of::<u32>(self.words));
        footprint
    }

    /// Replaces a vector of local states by the representative of its class.
    ///
    /// # Errors
    /// No room.
    pub(super) fn canonical(&mut self, tables: &mut Tables<'_>, state: &mut [u32]) -> Result<(), Halt> {
        let main = tables.model.instances.len();
        if state.iter().skip(main).all(|&local| local == 0) {
            return Ok(());
        }
        let mut numbering = Numbering::new(tables.model, state.len());
        for (slot, &local) in state.iter().enumerate().take(main) {
            self.visit_named(tables, slot, local, &mut numbering);
        }
        self.follow(tables, state, &mut numbering);
        let waits = |slot: &usize| !numbering.has(*slot) && tables.has_messages(*slot, state[*slot]);
        let waiting: Vec<usize> = (main..state.len()).filter(waits).collect();
        if !waiting.is_empty() && !self.wrong.roots_ignored() {
            numbering = roots::ordered(self, tables, state, numbering, waiting)?;
        }
        if self.wrong.nothing_collected() {
            (main..state.len()).filter(|&slot| state[slot] != 0).for_each(|slot| numbering.visit(slot));
        }
        if self.wrong.order_of_creation() {
            let kept = numbering.visited.iter().collect::<std::collections::BTreeSet<_>>();
            let mut again = Numbering::new(tables.model, state.len());
            kept.into_iter().for_each(|&slot| again.visit(slot as usize));
            numbering = again;
        }
        self.renumber(tables, state, &numbering)
    }

    /// Visits a root and the rebecs that can be reached from it.
    pub(super) fn reach(&mut self, tables: &Tables<'_>, state: &[u32], root: usize, numbering: &mut Numbering) {
        numbering.visit(root);
        self.follow(tables, state, numbering);
    }

    fn follow(&mut self, tables: &Tables<'_>, state: &[u32], numbering: &mut Numbering) {
        while let Some(&slot) = numbering.visited.get(numbering.followed) {
            numbering.followed += 1;
            self.visit_named(tables, slot as usize, state[slot as usize], numbering);
        }
    }

    fn visit_named(&mut self, tables: &Tables<'_>, slot: usize, local: u32, numbering: &mut Numbering) {
        for at in self.names(tables, slot, local) {
            numbering.visit(self.named[at] as usize);
        }
    }

    /// The created rebecs that a local state names, in order, each once.
    pub(super) fn named(&mut self, tables: &Tables<'_>, slot: usize, local: u32) -> &[u32] {
        let range = self.names(tables, slot, local);
        &self.named[range]
    }

    fn names(&mut self, tables: &Tables<'_>, slot: usize, local: u32) -> std::ops::Range<usize> {
        let key = pair(index32(slot), local);
        if let Some(&(first, len)) = self.names.get(&key) {
            return first..first + len as usize;
        }
        let first = self.named.len();
        if let Some(rebec) = tables.decode(slot, local) {
            for id in mentioned(&rebec) {
                if tables.model.ordinal(id).is_some() && !self.named[first..].contains(&id.0) {
                    self.named.push(id.0);
                }
            }
        }
        self.names.insert(key, (first, index32(self.named.len() - first)));
        first..self.named.len()
    }

    /// Moves every visited rebec to its new slot and empties the others.
    fn renumber(&mut self, tables: &mut Tables<'_>, state: &mut [u32], numbering: &Numbering) -> Result<(), Halt> {
        let main = numbering.main;
        let before = state.to_vec();
        state[main..].fill(0);
        let visited = numbering.visited.iter().map(|&slot| slot as usize);
        for slot in (0..main).chain(visited) {
            state[numbering.image(slot) as usize] = self.image(tables, slot, before[slot], numbering)?;
        }
        let left = state[main..].iter().filter(|&&local| local != 0).count();
        assert_eq!(left, numbering.visited.len(), "every created rebec that is reached has a slot of its own");
        Ok(())
    }

    /// A local state in the new slot of its rebec; every rebec that it names was visited.
    pub(super) fn image(
        &mut self,
        tables: &mut Tables<'_>,
        slot: usize,
        local: u32,
        numbering: &Numbering,
    ) -> Result<u32, Halt> {
        let target = numbering.image(slot);
        let range = self.names(tables, slot, local);
        let mut key = vec![index32(slot), local, target];
        key.extend(self.named[range.clone()].iter().map(|&named| numbering.image[named as usize]));
        if target as usize == slot && self.named[range] == key[3..] {
            return Ok(local);
        }
        if let Some(&known) = self.images.get(&key[..]) {
            return Ok(known);
        }
        let Some(mut rebec) = tables.decode(slot, local) else { return Ok(local) };
        let map = |id: RebecId| RebecId(numbering.image[id.index()]);
        rebec.values.iter_mut().for_each(|value| rename(value, &map));
        for message in &mut rebec.queue {
            message.sender = map(message.sender);
            message.arguments.iter_mut().for_each(|value| rename(value, &map));
        }
        let number = tables.intern(target as usize, &rebec.values, &rebec.queue)?;
        self.words += key.len();
        self.images.insert(key.into_boxed_slice(), number);
        Ok(number)
    }
}

fn rename(value: &mut Value, map: &impl Fn(RebecId) -> RebecId) {
    if let Value::Rebec(id) = value {
        *id = map(*id);
    }
}

/// The rebecs that a rebec names, in order.
pub(super) fn mentioned(rebec: &Rebec) -> impl Iterator<Item = RebecId> + '_ {
    let of = |value: &Value| match value {
        Value::Rebec(id) => Some(*id),
        _ => None,
    };
    let queued = rebec.queue.iter();
    let queued =
        queued.flat_map(move |message| std::iter::once(message.sender).chain(message.arguments.iter().filter_map(of)));
    rebec.values.iter().filter_map(of).chain(queued)
}

pub(super) fn index32(index: usize) -> u32 {
    u32::try_from(index).expect("identities have 32 bits")
}
