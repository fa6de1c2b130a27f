//! Actor models under search and watch: the starts, steps, faults and executions of the reference interpreter.

use frontend::execution::ReplayError;
use frontend::interpret::trace::{Trace, replay};
use frontend::interpret::{ExecutionLimit, FaultClass, Start, Starts, State, Stop, describe_fault, starts};
use frontend::model::{Expr, PropertySet, RebecId, Value};
use num_bigint::BigUint;

use super::execution::{ActorFault, Execution};
use super::expand::Expansion;
use super::heap::HeapSymmetry;
use super::invariant::Invariant;
use super::slot::IDLE;
use super::space::{FEATURES, Space};
use super::steps::Context;
use super::symmetry::Symmetry;
use crate::confirmed::unconfirmed;
use explore::executions::Executions;
use explore::memory::{Footprint, Halt};
use explore::reductions::Reduction;
use explore::report::{InternalError, Limit, LimitKind, QueryKind};
use explore::search::{Lookahead, Precomputed, StateSpace, Tally};
use explore::states::{NO_PARENT, Store};
use explore::watch::{FaultText, Replayed, Watched};

/// The bits of the position of an element in the values of its rebec.
const POSITION_BITS: u32 = 24;

/// The number of an element of a rebec of `main`.
pub(crate) fn element(rebec: usize, position: usize) -> usize {
    assert!(position < 1 << POSITION_BITS, "a rebec has few elements");
    rebec << POSITION_BITS | position
}

impl<'m> StateSpace for Space<'m> {
    type Initial = State;
    type FailedStart = (RebecId, Stop);
    type Starts = std::iter::Map<Starts<'m>, fn(Start) -> Result<State, (RebecId, Stop)>>;
    type Expansion = Expansion;

    fn store(&self) -> &Store {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    fn starts(&self) -> Self::Starts {
        starts(self.model(), self.bounds()).map(|start| start.result)
    }

    fn insert_initial(&mut self, state: &State) -> Result<(u32, bool), Halt> {
        let (mut none, mut words) = (Vec::new(), vec![0; self.stride()]);
        let (features, _) = self.features.insert_full(state.features.clone());
        let features = u32::try_from(features).map_err(|_| Halt::Memory)?;
        if !self.layout.fits(FEATURES, features) {
            self.widen(FEATURES, features, [&mut none, &mut words])?;
        }
        self.layout.set(&mut words, FEATURES, features);
        self.tables.grow(state.rebecs.len());
        for (slot, rebec) in state.rebecs.iter().enumerate() {
            if let Some(rebec) = rebec {
                let local = self.tables.intern(slot, &rebec.values, &rebec.queue)?;
                self.set([&mut none, &mut words], 0, slot, local)?;
            }
        }
        self.canonicalise([&mut none, &mut words], 0)?;
        debug_assert_eq!(words.len(), self.stride(), "an initial state has all its words");
        self.store.insert(&words, NO_PARENT)
    }

    fn expand(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Halt> {
        // Events that are counted while steps are computed are counted at the turn of the state.
        if !self.is_reduced() && self.ample.is_none() && self.take_precomputed(number, expansion)? {
            return expansion.store(self, number);
        }
        expansion.expand(self, number)
    }

    fn is_deadlock(&self, number: u32) -> bool {
        let words = self.store.state(number);
        (0..self.slots()).all(|slot| self.tables.step(slot, self.get(&words, slot)) == IDLE)
    }

    fn bound_of_start(&self, (_, stop): &(RebecId, Stop)) -> Option<Limit> {
        self.bound(stop)
    }

    fn bound_of(&self, expansion: &Expansion) -> Option<Limit> {
        expansion.stopped.iter().find_map(|stopped| self.bound(&stopped.stop(self)))
    }

    fn growth(&self) -> u64 {
        self.tables.misses()
    }

    fn footprint(&self) -> Footprint {
        let mut footprint = self.tables.footprint();
        footprint.add_table::<(Vec<bool>, u64)>(self.features.capacity());
        footprint.add_table::<(Context, u64)>(self.contexts.capacity());
        footprint.total += self.lookahead.bytes();
        if let Some(symmetry) = &self.symmetry {
            footprint.merge(symmetry.footprint());
        }
        if let Some(heap) = &self.heap {
            footprint.merge(heap.footprint());
        }
        if let Some(ample) = &self.ample {
            footprint.merge(ample.footprint());
        }
        footprint
    }

    fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    fn has_cut_ties(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Symmetry::has_cut_ties)
    }

    fn executions(&self) -> Option<&Executions> {
        Some(&self.tables.executions)
    }

    fn count_executions(&mut self, expansion: &Expansion) {
        self.tables.executions.add(expansion.executed());
    }

    fn tally(&self) -> Tally {
        let inexact = self.heap.as_ref().map_or(0, |heap| heap.inexact);
        Tally { left_out: self.ample.as_ref().map_or(0, |ample| ample.singletons), inexact }
    }

    fn set_tally(&mut self, tally: Tally) {
        if let Some(ample) = &mut self.ample {
            ample.singletons = tally.left_out;
        }
        if let Some(heap) = &mut self.heap {
            heap.inexact = tally.inexact;
        }
    }

    fn reductions(&self) -> Vec<Reduction> {
        let heap = self.heap.iter().map(HeapSymmetry::describe);
        heap.chain(self.ample.iter().map(|ample| ample.describe())).collect()
    }
}

impl Lookahead for Space<'_> {
    fn lookahead(&mut self) -> &mut Precomputed<Expansion> {
        &mut self.lookahead
    }

    #[inline]
    fn compute(&mut self, number: u32, own: &mut Expansion, _: &mut Expansion) -> Result<Option<usize>, Halt> {
        let widened = self.widened;
        let found = own.compute_of(self, number);
        if self.widened != widened {
            return Ok(None);
        }
        found.map(|()| Some(own.movers.len()))
    }

    #[inline]
    fn touch(&self, own: &mut Expansion) {
        self.store.touch(&mut own.probes);
    }

    #[inline]
    fn exchange(last: &mut Expansion, own: &mut Expansion) {
        std::mem::swap(last, own);
    }
}

impl Space<'_> {
    /// The bound of the tool that ended a step, if it was one.
    fn bound(&self, stop: &Stop) -> Option<Limit> {
        let Stop::Limit(limit) = stop else { return None };
        let bounds = self.bounds();
        Some(match limit {
            ExecutionLimit::Rebecs(_) => Limit { kind: LimitKind::Rebecs, value: u64::from(bounds.max_rebecs) },
            ExecutionLimit::Work => Limit { kind: LimitKind::Work, value: bounds.max_work },
        })
    }
}

/// The check that a fault violates.
fn kind_of(stop: &Stop) -> Option<QueryKind> {
    let Stop::Fault(fault) = stop else { return None };
    Some(match fault.kind.class() {
        FaultClass::Overflow => QueryKind::Overflow,
        FaultClass::Assertion => QueryKind::Assertion,
        FaultClass::Error => QueryKind::Error,
    })
}

impl Watched for Space<'_> {
    type Condition = Expr;
    type Properties = PropertySet;
    type Invariant = Invariant;
    type Fault = ActorFault;
    type Trace = Trace;

    const BUILT_IN: &'static [QueryKind] =
        &[QueryKind::Deadlock, QueryKind::Overflow, QueryKind::Assertion, QueryKind::Error];
    const DEADLOCK: &'static str = "no rebec has a message";

    fn prepared(&self, condition: &Expr) -> Invariant {
        Invariant::new(condition)
    }

    fn holds(&self, invariant: &mut Invariant, number: u32) -> bool {
        invariant.holds(self, number)
    }

    fn fault_of_invariant(&self, invariant: &Invariant, number: u32) -> Option<String> {
        invariant.fault(self, number).map(|fault| describe_fault(self.model(), &fault.kind))
    }

    fn fault_of_start(&self, (rebec, stop): &(RebecId, Stop)) -> Option<(QueryKind, ActorFault)> {
        let Stop::Fault(fault) = stop else { return None };
        Some((kind_of(stop)?, ActorFault { rebec: *rebec, fault: fault.clone() }))
    }

    fn stopped(&self, expansion: &Expansion) -> usize {
        expansion.stopped.len()
    }

    fn kind_of_fault(&self, expansion: &Expansion, at: usize) -> Option<QueryKind> {
        kind_of(&expansion.stopped[at].stop(self))
    }

    fn fault(&self, _: u32, expansion: &Expansion, at: usize) -> ActorFault {
        let stopped = &expansion.stopped[at];
        match stopped.stop(self) {
            Stop::Fault(fault) => ActorFault { rebec: RebecId(stopped.slot), fault },
            Stop::Limit(limit) => unreachable!("a fault is expected where a bound ends the step: {limit:?}"),
        }
    }

    fn describe(&self, ActorFault { rebec, fault }: &ActorFault) -> FaultText {
        let text = describe_fault(self.model(), &fault.kind);
        FaultText { text, process: self.model().rebec_name(*rebec) }
    }

    fn values_of(&self, number: u32, elements: &[usize], values: &mut Vec<i32>) {
        let words = self.store.state(number);
        for &element in elements {
            let (rebec, at) = (element >> POSITION_BITS, element % (1 << POSITION_BITS));
            if let Some(Value::Int(value)) = self.tables.value(rebec, self.get(&words, rebec), at) {
                values.push(value);
            }
        }
    }

    /// With heap symmetry, the number of states that renumbering by itself stores for it.
    fn orbit_size(&mut self, number: u32) -> Option<BigUint> {
        if self.heap.as_ref().is_some_and(|heap| heap.inexact > 0) {
            return None;
        }
        let mut state = Vec::new();
        self.unpack(&self.store.state(number), &mut state);
        self.symmetry.as_mut()?.orbit_size(self.heap.as_mut(), &mut self.tables, &mut state)
    }

    fn replayed(
        &mut self,
        path: &[u32],
        last: Option<&ActorFault>,
    ) -> Result<Replayed<Trace, ActorFault>, InternalError> {
        let Execution { states, fault: last } = self.execution(path, last)?;
        let fault = last.as_ref().map(|last| (last.rebec, &last.fault));
        let mut replayed = Err(ReplayError { index: 0 });
        for bounds in self.bounds_at(states.last()) {
            replayed = replayed.or_else(|_| replay(self.model(), &bounds, &states, fault));
        }
        replayed.map(|trace| Replayed { trace, fault: last }).map_err(unconfirmed)
    }
}
