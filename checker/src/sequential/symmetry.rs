//! The action of symmetries of a process on its states, and the executions of its quotient.
//!
//! A slot is an element of the state, a value the distance from the least value of its sort. Elements of the group permute literals:
//! pairs of a slot and a value. The key of a literal is the orbit of its image. The slot of a wide sort moves as a whole and keeps
//! its value.
//!
//! Executions are found forwards, as for actors: from a start in the orbit of the first representative, repeatedly a
//! successor in the orbit of the next one. Instances that fault are permuted like all others, so the last state of
//! the execution has a fault if the last representative has.
//!
//! Soundness: only states of the reference semantics are taken, and the execution is replayed after that.

use crate::tuning::TUNING;
use engine::{Group, Permutation};
use frontend::sequential::SummandId;
use frontend::sequential::interpret::{SeqStep, State, initial_states, lacks_room, successors};
use frontend::sequential::trace::Faulting;
use indexmap::IndexSet;
use num_bigint::BigUint;
use rustc_hash::FxBuildHasher;
use symmetry::sequential::ValidatedGroup;

use super::packing::Packing;
use super::space::Space;
use explore::memory::{Footprint, Halt};
use explore::quotient::{self, Action, Canoniser, Chain, Literals, Packed, mixed};
use explore::reductions::Representative;
use explore::report::InternalError;
use explore::search::StateSpace;
use explore::states::Layout;

/// The symmetries of a space.
#[derive(Clone, Debug)]
pub(super) struct Symmetry {
    /// The first point of each slot.
    starts: Vec<u32>,
    /// Whether a slot is one point whatever its value, which then stays.
    wide: Vec<bool>,
    /// The group on the points of the literals, and of processes if they are followed.
    acting: Group,
    order: BigUint,
    /// The search along the chain; none until a state needs it.
    along: Option<Along>,
    /// A faster method for packed states, where there is one for the group.
    packed: Option<Packed>,
    method: Representative,
    name: &'static str,
    state: Vec<u32>,
    /// Whether ties may have been cut by an earlier search.
    may_have_cut: bool,
    /// If processes of weak fairness are followed: the first point of them, and their number.
    processes: Option<(u32, usize)>,
    /// The ways that elements took the processes, each once.
    moves: IndexSet<Vec<u32>, FxBuildHasher>,
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
    /// The search under a group that takes slots with these first points to slots; `None` if its chain would be too large.
    fn new(group: &Group, method: Representative, starts: &[u32]) -> Option<Along> {
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
        let canoniser = Canoniser::new(chain, starts.len(), &slot_of, TUNING.search);
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
    starts: &'a [u32],
    wide: &'a [bool],
    targets: &'a [Vec<u32>],
    elements: &'a [Permutation],
}

/// Whether a list of images is a permutation of its places.
fn is_bijection(images: &[u32]) -> bool {
    let mut sorted = images.to_vec();
    sorted.sort_unstable();
    (0..).zip(sorted).all(|(place, image)| place == image)
}

impl Symmetry {
    /// The symmetries of a validated group; `None` if the group is too large to be used, or does not take slots to
    /// slots. With a number of processes their ways are followed; `None` if they are not known.
    pub(super) fn new(
        group: &ValidatedGroup,
        method: Representative,
        packing: &Packing,
        processes: Option<usize>,
    ) -> Option<Symmetry> {
        let lows = &packing.lows;
        let literals = group.literals();
        if !group.generators().iter().all(|generator| literals.respects_elements(generator)) {
            return None;
        }
        let acting = if processes.is_some() { group.with_processes()? } else { group.group() };
        assert!(acting.degree() >= literals.len(), "the group acts on all literals");
        let first = u32::try_from(literals.len()).expect("points have 32 bits");
        let starts: Vec<u32> = lows.iter().enumerate().map(|(slot, &low)| literals.point(slot, low)).collect();
        assert!(starts.is_sorted_by(|one, next| one < next), "the points of slots follow each other");
        let wide: Vec<bool> = (0..lows.len()).map(|slot| literals.is_wide(slot)).collect();
        // It does not follow processes, and the methods of the papers have images of their own.
        let is_packed = method == Representative::Auto && processes.is_none();
        let of = || Literals::new(packing.layout.clone(), starts.clone(), literals.len(), wide.clone());
        // The labelling rarely needs the chain, which takes more time than many a search.
        let mut packed = is_packed.then(|| Packed::labelling(acting, &of())).flatten();
        let mut along = None;
        if packed.is_none() {
            let own = along.insert(Along::new(acting, method, &starts)?);
            packed = is_packed.then(|| Packed::new(acting, &own.canoniser, of())).flatten();
        }
        let own = packed.as_ref().and_then(Packed::name);
        let name = own.or_else(|| along.as_ref().map(|along| quotient::name(method, group.group(), &along.canoniser)));
        Some(Symmetry {
            wide,
            starts,
            acting: acting.clone(),
            order: acting.order(),
            name: name.expect("a method has a name"),
            along,
            packed,
            method,
            state: Vec::new(),
            may_have_cut: false,
            processes: processes.map(|count| (first, count)),
            moves: IndexSet::default(),
        })
    }

    /// The name of the method that chooses representatives.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Replaces a vector of values by its representative; returns the order of its stabiliser.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonical(&mut self, state: &mut [u32]) -> Result<u128, Halt> {
        let (canoniser, mut acting) = self.chain()?;
        canoniser.canonical(&mut acting, state)
    }

    /// Replaces a vector of values by the one that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    fn represent(&mut self, state: &mut [u32]) -> Result<(), Halt> {
        let method = self.method;
        let (canoniser, mut acting) = self.chain()?;
        canoniser.represent(&mut acting, method, state)
    }

    /// The search along the chain, which is made if it was not needed before, and the action of its elements.
    ///
    /// # Errors
    /// The chain would be too large.
    fn chain(&mut self) -> Result<(&mut Canoniser, Acting<'_>), Halt> {
        let Symmetry { acting, order, method, along, starts, wide, .. } = self;
        let along = match along {
            Some(along) => along,
            None => {
                let made = Along::new(acting, *method, starts).ok_or(Halt::Work)?;
                assert!(made.canoniser.order() == order, "the chain is that of the group");
                along.insert(made)
            }
        };
        let Along { targets, elements, canoniser } = along;
        Ok((canoniser, Acting { starts, wide, targets, elements }))
    }

    /// The number of the way that the last represented state took the processes; nothing where ways are not followed.
    fn last_moves(&mut self) -> Option<u32> {
        let (first, count) = self.processes?;
        let Along { elements, canoniser, .. } = self.along.as_ref()?;
        let last = canoniser.last_targets(&OnProcesses { first, elements }, count);
        debug_assert!(is_bijection(&last), "a way takes processes to processes, one to one");
        Some(u32::try_from(self.moves.insert_full(last).0).expect("fewer than 2^32 permutations"))
    }

    /// The way of the processes, by number.
    pub(super) fn moves_of(&self, number: u32) -> Option<&[u32]> {
        self.moves.get_index(number as usize).map(Vec::as_slice)
    }

    /// Whether ties were cut for some state.
    pub(super) fn has_cut_ties(&self) -> bool {
        self.may_have_cut || self.along.as_ref().is_some_and(|along| along.canoniser.has_cut_ties())
    }

    /// Assumes that ties were cut: the representatives of an earlier search are not known.
    pub(super) fn assume_cut_ties(&mut self) {
        self.may_have_cut = true;
    }

    /// Whether the ways of processes are followed.
    pub(super) fn follows(&self) -> bool {
        self.processes.is_some()
    }

    /// The size of the orbit of a state, if it is known.
    fn orbit_size(&mut self, layout: &Layout, words: &mut [u64]) -> Option<BigUint> {
        let stabiliser = match self.packed.as_mut().and_then(|packed| packed.canonical(words)) {
            Some(stabiliser) => stabiliser,
            None => {
                let mut state: Vec<u32> = (0..layout.len()).map(|slot| layout.get(words, slot)).collect();
                self.canonical(&mut state).ok()?
            }
        };
        quotient::orbit_size(&self.order, stabiliser)
    }

    /// Whether the search along the chain was needed.
    #[cfg(test)]
    pub(super) fn has_chain(&self) -> bool {
        self.along.is_some()
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = self.along.as_ref().map(|along| along.canoniser.footprint()).unwrap_or_default();
        if let Some(packed) = &self.packed {
            footprint.merge(packed.footprint());
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
        if self.wide[slot] {
            return Ok(value);
        }
        let target = self.targets[element][slot] as usize;
        Ok(self.elements[element].image(self.starts[slot] + value) - self.starts[target])
    }

    fn key(&self, permutation: &Permutation, orbits: &[u32], slot: usize, value: u32) -> u64 {
        if self.wide[slot] {
            let orbit = u64::from(orbits[permutation.image(self.starts[slot]) as usize]);
            return mixed(mixed(orbit + 1) ^ u64::from(value));
        }
        mixed(u64::from(orbits[permutation.image(self.starts[slot] + value) as usize]) + 1)
    }
}

/// The fault of an instance of a summand in a state.
#[derive(Clone, Debug)]
pub(crate) struct FaultingStep {
    /// The state.
    pub state: State,
    /// The instance.
    pub instance: Faulting,
}

/// An execution, and the fault that ends it.
pub(super) struct Execution {
    pub(super) states: Vec<State>,
    pub(super) fault: Option<FaultingStep>,
}

impl Space<'_> {
    /// Replaces each packed state of a buffer, successors of `parent` if there is one, by the state that is stored for it.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonicalise(&mut self, parent: Option<&[u64]>, words: &mut [u64]) -> Result<(), Halt> {
        self.replace(parent, words, Symmetry::represent)
    }

    /// The same, with the way of the processes of each state, if ways are followed.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonicalise_following(
        &mut self,
        parent: &[u64],
        words: &mut [u64],
        moves: &mut Vec<u32>,
    ) -> Result<(), Halt> {
        moves.clear();
        self.replace(Some(parent), words, |symmetry, state| {
            symmetry.represent(state)?;
            moves.extend(symmetry.last_moves());
            Ok(())
        })
    }

    /// The size of the orbit of a stored state, if it is known.
    pub(super) fn orbit_size(&mut self, number: u32) -> Option<BigUint> {
        let mut words = self.store().state(number).to_vec();
        self.symmetry.as_mut()?.orbit_size(&self.packing.layout, &mut words)
    }

    fn replace(
        &mut self,
        parent: Option<&[u64]>,
        words: &mut [u64],
        mut by: impl FnMut(&mut Symmetry, &mut [u32]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let Some(symmetry) = &mut self.symmetry else { return Ok(()) };
        let layout = &self.packing.layout;
        if let (Some(packed), Some(parent), false) = (&mut symmetry.packed, parent, words.is_empty()) {
            packed.begin(parent);
        }
        let mut state = std::mem::take(&mut symmetry.state);
        let mut found = Ok(());
        for words in words.chunks_exact_mut(layout.stride()) {
            let is_done = match (&mut symmetry.packed, parent) {
                (None, _) => false,
                (Some(packed), Some(_)) => packed.successor(words),
                (Some(packed), None) => packed.canonical(words).is_some(),
            };
            if is_done {
                continue;
            }
            state.clear();
            state.extend((0..layout.len()).map(|slot| layout.get(words, slot)));
            found = by(symmetry, &mut state);
            if found.is_err() {
                break;
            }
            for (slot, &value) in state.iter().enumerate() {
                layout.set(words, slot, value);
            }
        }
        symmetry.state = state;
        found
    }

    /// The execution through the orbits of stored states that ends in a fault if one is given.
    ///
    /// # Errors
    /// There is no such execution: the quotient is wrong.
    pub(super) fn execution(&mut self, path: &[u32], last: Option<&FaultingStep>) -> Result<Execution, InternalError> {
        let mut states: Vec<State> = path.iter().map(|&number| self.state(number)).collect();
        if self.symmetry.is_none() {
            return Ok(Execution { states, fault: last.cloned() });
        }
        for at in 0..states.len() {
            let wanted = self.representative(&states[at])?;
            let found = match at.checked_sub(1) {
                None => self.first_in(&wanted, initial_states(self.model))?,
                Some(before) => {
                    let next = successors(self.model, &states[before]).into_iter();
                    self.first_in(&wanted, next.filter_map(|step| step.result.ok()))?
                }
            };
            states[at] = found.ok_or_else(|| {
                InternalError(format!("entry {at} of a line of representatives is no step of the process"))
            })?;
        }
        let (Some(last), Some(state)) = (last, states.last()) else {
            return Ok(Execution { states, fault: None });
        };
        // The group keeps events, and bounds of the tool are no faults of the model.
        let event = |summand: SummandId| self.model.summand(summand).event.as_str();
        let is_like = |step: &SeqStep| {
            let is_fault = step.result.as_ref().is_err_and(|fault| !lacks_room(self.model, fault));
            is_fault && event(step.summand) == event(last.instance.summand)
        };
        let faulting = successors(self.model, state).into_iter().find(is_like);
        let last = faulting.map(|step| FaultingStep {
            state: state.clone(),
            instance: Faulting { summand: step.summand, parameters: step.parameters },
        });
        match last {
            Some(_) => Ok(Execution { states, fault: last }),
            None => Err(InternalError("a state of an orbit with a fault has none".to_owned())),
        }
    }

    /// The first state with this representative.
    fn first_in(
        &mut self,
        wanted: &[u64],
        states: impl Iterator<Item = State>,
    ) -> Result<Option<State>, InternalError> {
        for state in states {
            if self.representative(&state)? == wanted {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    fn representative(&mut self, state: &[i32]) -> Result<Vec<u64>, InternalError> {
        let mut words = self.packing.pack(state);
        self.replace(None, &mut words, |symmetry, state| symmetry.canonical(state).map(|_| ()))
            .map_err(|_| InternalError("no room to find an execution along representatives".to_owned()))?;
        Ok(words)
    }
}
