//! A model of Murphi under watch: its invariants, and executions of the reference semantics.

use crate::confirmed::unconfirmed;
use explore::memory::Halt;
use explore::report::{InternalError, QueryKind};
use explore::watch::{FaultText, Replayed, Watched};
use frontend::murphi::interpret::{State, Step, Truth, evaluate, evaluate_in_any_order, starts, successors};
use frontend::murphi::program::{Claim, Property};
use frontend::murphi::trace::{Faulting, Trace, replay};
use num_bigint::BigUint;

use super::expansion::{Expansion, kind_of};
use super::images::Image;
use super::machine::Machine;
use super::packing::value;
use super::space::Space;
use super::steps::{Steps, TruthKnowledge};

/// A start or a step that faults: the state before it, unless it is a start.
pub(super) type Fault = (Option<State>, Faulting);

impl Space<'_> {
    /// The faulting step.
    fn faulting(&self, (state, last): &Fault) -> Step {
        let steps = match state {
            Some(state) => successors(self.program, state),
            None => starts(self.program),
        };
        let mut steps = steps.into_iter();
        let found = steps.find(|step| step.result.is_err() && step.rule == last.rule && step.values == last.values);
        found.expect("a stored fault is one of the reference semantics")
    }

    /// The truth of a property in a state, while the order of values is watched.
    pub(super) fn truths(&self, property: &Property, state: &State) -> Vec<Truth> {
        match self.symmetry.as_ref().filter(|symmetry| !symmetry.watched.is_empty()) {
            None => evaluate(self.program, property, state),
            Some(symmetry) => {
                let (truths, broken) = evaluate_in_any_order(self.program, property, state, &symmetry.watched);
                symmetry.note(broken);
                truths
            }
        }
    }

    fn kind(&self, fault: &Fault) -> QueryKind {
        kind_of(&self.faulting(fault).result.expect_err("a faulting step"))
    }

    /// The execution along stored states that ends in a fault if one is given.
    /// In a quotient it goes through the orbits of the stored states.
    pub(super) fn execution(
        &self,
        path: &[u32],
        last: Option<&Fault>,
    ) -> Result<Replayed<Trace, Fault>, InternalError> {
        let mut states: Vec<State> = Vec::with_capacity(path.len());
        let from = |state: Option<&State>| {
            let steps = state.map_or_else(|| starts(self.program), |state| successors(self.program, state));
            steps.into_iter()
        };
        let mut representatives = self.representatives.clone();
        for &number in path {
            let Some(representatives) = &mut representatives else {
                states.push(self.state(number));
                continue;
            };
            // Several representatives of an orbit may be stored: those of the one are compared.
            let mut wanted = self.store.state(number).to_vec();
            let no_room = |_| InternalError("no room to find an execution along representatives".to_owned());
            representatives.canonicalise(&mut wanted).map_err(no_room)?;
            let mut is_next = |state: &State| -> Result<bool, Halt> {
                let mut words = self.packing.packed(state);
                representatives.canonicalise(&mut words)?;
                Ok(words[..] == wanted[..])
            };
            let mut next = None;
            for state in from(states.last()).filter_map(|step| step.result.ok()) {
                if is_next(&state).map_err(no_room)? {
                    next = Some(state);
                    break;
                }
            }
            states.push(next.ok_or_else(|| InternalError("the orbits of a counterexample have no run".to_owned()))?);
        }
        let last = match (last, &self.symmetry) {
            (Some(last), Some(symmetry)) => {
                let kind = self.kind(last);
                let fits = |step: &Step| {
                    // Exchanges of names take rules to other rules.
                    let is_rule = symmetry.moves_names || step.rule == last.1.rule;
                    is_rule && step.result.as_ref().is_err_and(|fault| kind_of(fault) == kind)
                };
                let found = from(states.last()).find(fits);
                let found =
                    found.ok_or_else(|| InternalError("the fault of an orbit is not that of a state".to_owned()))?;
                Some((states.last().cloned(), Faulting { rule: found.rule, values: found.values }))
            }
            (last, _) => last.cloned(),
        };
        let trace = replay(self.program, &states, last.as_ref().map(|(_, last)| last)).map_err(unconfirmed)?;
        Ok(Replayed { trace, fault: last })
    }
}

/// A property, with a machine to evaluate it.
pub(super) struct Invariant<'m> {
    pub(super) property: &'m Property,
    index: usize,
    machine: Machine,
    knowledge: TruthKnowledge,
    words: Vec<u64>,
    /// The images of a state at which it is checked, in place of the state.
    images: Vec<Image>,
    /// The truths of the last state.
    truths: Vec<Instance>,
}

impl<'m> Invariant<'m> {
    /// The property of a number.
    pub(super) fn new(space: &Space<'m>, index: usize) -> Invariant<'m> {
        let program = space.program;
        Invariant {
            property: &program.properties[index],
            index,
            machine: Machine::default(),
            knowledge: space
                .code
                .as_ref()
                .map_or_else(TruthKnowledge::default, |code| TruthKnowledge::new(code, index)),
            words: Vec::new(),
            images: Vec::new(),
            truths: Vec::new(),
        }
    }
}

/// The truth of an instance of a property; nothing where it faults.
type Instance = Option<bool>;

impl Space<'_> {
    /// Visits the truths of the instances of a property in a stored state.
    pub(super) fn each_truth(&self, invariant: &mut Invariant<'_>, number: u32, visit: &mut dyn FnMut(Instance)) {
        invariant.words.clear();
        self.store.read(number, &mut invariant.words);
        self.each_truth_in_words(invariant, visit);
    }

    /// Visits the truths of the instances of a property in the state of its words.
    fn each_truth_in_words(&self, invariant: &mut Invariant<'_>, visit: &mut dyn FnMut(Instance)) {
        let Invariant { property, index, machine, knowledge, words, truths, .. } = invariant;
        if let Some(code) = &self.code {
            let steps = Steps { program: self.program, code, packing: &self.packing };
            if knowledge.is_in_use() {
                return steps.known_truths(words, knowledge, machine, visit);
            }
            truths.clear();
            machine.begin(code, &self.packing, words);
            let evaluated = steps.truths(machine, *index, &mut |_, holds| truths.push(holds.ok()));
            // Where the order shows, the interpreter tells the binders.
            if evaluated.is_ok() && !machine.order.is_broken {
                return truths.iter().copied().for_each(visit);
            }
        }
        self.truths(property, &self.packing.unpack(words)).into_iter().for_each(|truth| visit(truth.holds.ok()));
    }

    /// Whether all instances of a property hold in a stored state, or in all its images; nothing where one of them faults.
    pub(super) fn truth(&self, invariant: &mut Invariant<'_>, number: u32) -> Option<bool> {
        let mut all = Some(true);
        let mut visit = |truth: Instance| all = all.zip(truth).map(|(all, one)| all & one);
        if invariant.images.is_empty() {
            self.each_truth(invariant, number, &mut visit);
            return all;
        }
        let state: Vec<i64> = self.state(number).into_iter().map(value).collect();
        let (images, mut image) = (std::mem::take(&mut invariant.images), Vec::new());
        for one in &images {
            one.write(self.program, &state, &mut image);
            invariant.words.clear();
            self.packing.pack(image.iter().copied(), &mut invariant.words);
            self.each_truth_in_words(invariant, &mut visit);
        }
        invariant.images = images;
        all
    }
}

impl<'m> Watched for Space<'m> {
    /// The number of a property of the program.
    type Condition = usize;
    type Properties = Vec<Claim>;
    type Invariant = Invariant<'m>;
    type Fault = Fault;
    type Trace = Trace;

    const BUILT_IN: &'static [QueryKind] = &[QueryKind::Deadlock, QueryKind::Assertion, QueryKind::Error];
    const DEADLOCK: &'static str = "no step leads to another state";

    fn prepared(&self, &condition: &usize) -> Invariant<'m> {
        Invariant::new(self, condition)
    }

    /// Checked at its images, or where there are none at the stored state.
    fn invariant(&self, name: &str, condition: &usize) -> Invariant<'m> {
        let own = self.images.iter().find(|(own, _)| own == name);
        let images = own.map(|(_, images)| images.clone()).unwrap_or_default();
        Invariant { images, ..self.prepared(condition) }
    }

    fn holds(&self, invariant: &mut Invariant<'m>, number: u32) -> bool {
        self.truth(invariant, number) == Some(true)
    }

    fn fault_of_invariant(&self, invariant: &Invariant<'m>, number: u32) -> Option<String> {
        // The first instance that does not hold decides whether the answer is a fault.
        let first = |state: &State| {
            let truths = evaluate(self.program, invariant.property, state);
            truths.into_iter().find(|truth| truth.holds != Ok(true))
        };
        let state = self.state(number);
        let found = if invariant.images.is_empty() {
            first(&state)
        } else {
            invariant.images.iter().find_map(|image| first(&image.of_state(self.program, &state)))
        };
        found?.holds.err().map(|fault| fault.kind.text(&self.program.types))
    }

    fn fault_of_start(&self, failed: &Faulting) -> Option<(QueryKind, Fault)> {
        let fault = (None, failed.clone());
        Some((self.kind(&fault), fault))
    }

    fn stopped(&self, expansion: &Expansion) -> usize {
        expansion.faults.len()
    }

    fn kind_of_fault(&self, expansion: &Expansion, at: usize) -> Option<QueryKind> {
        Some(expansion.kinds[at])
    }

    fn fault(&self, number: u32, expansion: &Expansion, at: usize) -> Fault {
        (Some(self.state(number)), expansion.faults[at].clone())
    }

    fn describe(&self, fault: &Fault) -> FaultText {
        let step = self.faulting(fault);
        let found = step.result.expect_err("a faulting step");
        let rules = if fault.0.is_some() { &self.program.rules } else { &self.program.starts };
        let process = self.program.label(&rules[step.rule.index()], &step.values);
        FaultText { text: found.kind.text(&self.program.types), process }
    }

    fn values_of(&self, number: u32, elements: &[usize], values: &mut Vec<i32>) {
        let mut words = Vec::new();
        self.store.read(number, &mut words);
        values.extend(elements.iter().filter_map(|&at| self.packing.cell_of(&words, at)));
    }

    fn orbit_size(&mut self, number: u32) -> Option<BigUint> {
        let mut words = self.store.state(number).to_vec();
        self.representatives.as_mut()?.orbit_size(&mut words)
    }

    fn replayed(&mut self, path: &[u32], last: Option<&Fault>) -> Result<Replayed<Trace, Fault>, InternalError> {
        self.execution(path, last)
    }
}
