//! All summands of a process as one list of operations, run once for each state.
//!
//! Instances follow each other in the order of the reference semantics. Conjuncts that begin the guards of
//! neighbouring instances are evaluated once for all of them: when one is false, the operations continue behind the
//! last of these instances. Only conjuncts that cannot fault are shared.
//!
//! Where tables pay, [`Selection`] takes the place of the shared conjuncts. A body that only assigns constants to
//! known elements is a patch of the packed state. Other effects of an instance are stored by the projection of the
//! state on the elements that it reads (`steps`). The values of a state are unpacked at the first evaluation.
//!
//! Invariant: an instance is tried if and only if the shared conjuncts of its guard are true; the rest of its guard
//! then has the truth, or the fault, of the whole.

use frontend::sequential::{Sequential, SummandId};

use super::body::{Action, Instance, Parameters};
use super::code::Code;
use super::compile::Compiler;
use super::gather::Gather;
use super::ground::instances;
use super::known::{self, Remembered};
use super::machine::{Machine, Steps, Taken};
use super::packing::Packing;
use super::select::Selection;
use super::split::MOST_TRIES;
use crate::patch::Patch;

/// The parts that are compiled for one process before writing out ends.
const BUDGET: u64 = 1 << 20;
/// Instances that are tried between two consultations of the watch within one state.
const CONSULTED: usize = 1 << 12;

/// The most instances that are added by splitting others: all must be candidates that are looked up in little time.
const MOST_SPLITS: usize = 320;

/// The tables that are used: all; tests leave some out, or evaluate everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    /// The candidates of a state are looked up.
    pub(super) selection: bool,
    /// Steps are stored.
    pub(super) memos: bool,
    /// Instances are split by the values of elements.
    pub(super) splits: bool,
    /// Known to be wrong.
    #[cfg(test)]
    pub(super) wrong: Option<Wrong>,
}

/// Tables that are known to be wrong.
#[cfg(test)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    /// A projection leaves out a part of the elements that are read.
    ForgetsAPart,
    /// One of several alternatives of a guard is never true.
    ForgetsAnAlternative,
    /// What one side of a choice writes counts as written behind both.
    JoinsSides,
    /// An element stays known where a body writes at an index that is not known.
    KeepsKnown,
    /// Behind a choice is known what is known behind its first side.
    KeepsASide,
}

impl Tables {
    /// All of them.
    pub(super) const ALL: Tables = Tables {
        selection: true,
        memos: true,
        splits: true,
        #[cfg(test)]
        wrong: None,
    };
}

/// An operation.
#[derive(Clone, Debug)]
enum Operation<'m> {
    /// Continues at another operation unless a condition is true.
    Require(Code<'m>, usize),
    /// Tries an instance.
    Try(usize),
}

/// The way to try an instance whose shared conjuncts are true.
#[derive(Clone, Debug)]
enum Way {
    /// It has no more of a guard, and its body is always the same patch.
    Patch(Box<[Patch]>),
    /// The rest of its guard is evaluated; its body is always the same patch.
    Guarded(Box<[Patch]>),
    /// Its steps are stored by a projection, in the memo of a number.
    Known(Gather, usize),
    /// It is evaluated.
    Run,
}

/// An alternative that is decided by its selection, with a body that changes one word always alike.
#[derive(Clone, Copy, Debug)]
struct Replacement {
    patch: Patch,
    summand: SummandId,
    instance: u32,
}

/// The summands of a process.
#[derive(Clone, Debug)]
pub(super) struct Program<'m> {
    selection: Option<Selection<'m>>,
    /// Without a selection.
    operations: Vec<Operation<'m>>,
    instances: Vec<Instance<'m>>,
    /// For each instance.
    ways: Vec<Way>,
    /// For each alternative of the selection.
    replacements: Vec<Option<Replacement>>,
    /// The instances with memos.
    remembered: Vec<usize>,
    registers: usize,
    bytes: u64,
}

impl<'m> Program<'m> {
    /// Compiles a process.
    pub(super) fn new(model: &'m Sequential, packing: &Packing, tables: Tables) -> Program<'m> {
        let (mut all, Compiler { budget, registers, .. }) = compiled(model, Some(tables));
        // The approximate size of a part with its boxes.
        let bytes = (BUDGET - budget) * 48;
        let mut guards: Vec<Vec<Code<'m>>> =
            all.iter_mut().map(|instance| std::mem::take(&mut instance.shared)).collect();
        let selection = if tables.selection { Selection::new(&guards, packing) } else { None };
        let (ways, remembered, replacements) = (Vec::new(), Vec::new(), Vec::new());
        let mut program = Program {
            selection,
            operations: Vec::new(),
            instances: all,
            ways,
            replacements,
            remembered,
            registers,
            bytes,
        };
        match &mut program.selection {
            Some(selection) => {
                #[cfg(test)]
                if tables.wrong == Some(Wrong::ForgetsAnAlternative) {
                    selection.forget();
                }
                guards = vec![Vec::new(); program.instances.len()];
                selection.return_rests(&mut guards);
                for (instance, rest) in program.instances.iter_mut().zip(guards) {
                    instance.shared = rest;
                }
            }
            None => program.share(&guards, 0, 0),
        }
        for instance in 0..program.instances.len() {
            let way = program.way(instance, packing, tables);
            program.ways.push(way);
        }
        if let Some(selection) = &program.selection {
            let replacements =
                (0..selection.alternatives()).map(|alternative| program.replacement(selection, alternative));
            program.replacements = replacements.collect();
        }
        assert_eq!(program.ways.len(), program.instances.len(), "every instance has its way");
        assert!(program.remembered.len() <= program.instances.len(), "an instance has one memo at most");
        program
    }

    /// The way to try an instance.
    fn way(&mut self, number: usize, packing: &Packing, tables: Tables) -> Way {
        let instance = &self.instances[number];
        let patch = patch(instance, packing);
        let is_decided = instance.shared.is_empty() && instance.guard == Code::Constant(1);
        match patch {
            Some(patch) if is_decided => return Way::Patch(patch),
            _ => {}
        }
        let projection = known::of_instance(instance, packing, tables);
        #[cfg(test)]
        let projection = match tables.wrong {
            Some(Wrong::ForgetsAPart) => projection.map(Gather::without_a_part),
            _ => projection,
        };
        if let Some(projection) = projection {
            self.remembered.push(number);
            return Way::Known(projection, self.remembered.len() - 1);
        }
        patch.map_or(Way::Run, Way::Guarded)
    }

    /// The replacement that an alternative of the selection is, if it is one.
    fn replacement(&self, selection: &Selection<'_>, alternative: usize) -> Option<Replacement> {
        let number = selection.owner(alternative);
        let instance = &self.instances[number];
        match &self.ways[number] {
            Way::Patch(patch) if selection.rest(alternative).is_empty() && instance.inside.is_empty() => {
                let &[patch] = &**patch else { return None };
                Some(Replacement { patch, summand: instance.summand, instance: u32::try_from(number).ok()? })
            }
            _ => None,
        }
    }

    /// Appends the operations of consecutive instances from `first` on whose first `depth` shared conjuncts are done.
    fn share(&mut self, guards: &[Vec<Code<'m>>], first: usize, depth: usize) {
        let mut at = 0;
        while at < guards.len() {
            let Some(conjunct) = guards[at].get(depth) else {
                self.operations.push(Operation::Try(first + at));
                at += 1;
                continue;
            };
            let same = guards[at..].iter().take_while(|guard| guard.get(depth) == Some(conjunct)).count();
            let place = self.operations.len();
            self.operations.push(Operation::Require(conjunct.clone(), 0));
            self.share(&guards[at..at + same], first + at, depth + 1);
            let behind = self.operations.len();
            if let Operation::Require(_, otherwise) = &mut self.operations[place] {
                *otherwise = behind;
            }
            at += same;
        }
    }

    /// Reports the steps of a packed state, in the order of the reference semantics.
    pub(super) fn run(&self, machine: &mut Machine, packing: &Packing, packed: &[u64], steps: &mut impl Steps) {
        debug_assert_eq!(packed.len(), packing.layout.stride(), "a packed state has all its words");
        machine.begin(self.registers);
        if machine.memos.len() < self.remembered.len() {
            machine.memos = self.memos();
        }
        if let Some(selection) = &self.selection {
            let mut keys = std::mem::take(&mut machine.keys);
            let (mut last, mut tried) = (usize::MAX, 0_usize);
            let replacements = if steps.needs_no_parameters() { &self.replacements[..] } else { &[] };
            selection.candidates(packed, &mut keys, |alternative| {
                if let Some(&Some(Replacement { patch, summand, instance })) = replacements.get(alternative) {
                    if last != instance as usize {
                        last = instance as usize;
                        steps.replaced(patch, summand);
                    }
                    return;
                }
                let (instance, rest) = (selection.owner(alternative), selection.rest(alternative));
                if instance == last {
                    return;
                }
                debug_assert!(last == usize::MAX || last < instance, "instances are tried in their order");
                tried += 1;
                if tried.is_multiple_of(CONSULTED) {
                    limits::work(CONSULTED as u64);
                }
                if !rest.is_empty() {
                    let (values, registers) = machine.values(packing, packed);
                    if rest.iter().any(|conjunct| conjunct.value(values, registers) == Some(0)) {
                        return;
                    }
                }
                last = instance;
                self.attempt(instance, machine, packing, packed, steps);
            });
            machine.keys = keys;
            return;
        }
        let mut at = 0;
        let mut due = CONSULTED;
        while let Some(operation) = self.operations.get(at) {
            at += 1;
            if at >= due {
                limits::work(CONSULTED as u64);
                due = at + CONSULTED;
            }
            match operation {
                Operation::Require(condition, otherwise) => {
                    let (values, registers) = machine.values(packing, packed);
                    if condition.value(values, registers) == Some(0) {
                        at = *otherwise;
                    }
                }
                Operation::Try(instance) => self.attempt(*instance, machine, packing, packed, steps),
            }
        }
    }

    /// Tries an instance, or all of them in turn.
    #[inline]
    fn attempt(&self, number: usize, machine: &mut Machine, packing: &Packing, packed: &[u64], steps: &mut impl Steps) {
        let instance = &self.instances[number];
        let patch = match &self.ways[number] {
            Way::Patch(patch) => patch,
            Way::Guarded(patch) => {
                let (values, registers) = machine.values(packing, packed);
                if !instance.shared.iter().all(|conjunct| conjunct.value(values, registers) != Some(0)) {
                    return;
                }
                match instance.guard.value(values, registers) {
                    Some(0) => return,
                    Some(_) => patch,
                    None => return steps.fault(Taken { inside: &[], ..taken(instance) }),
                }
            }
            Way::Known(projection, memo) => {
                return known::attempt(
                    Remembered { instance, projection, memo: *memo },
                    machine,
                    packing,
                    packed,
                    steps,
                );
            }
            Way::Run => return instance.attempt(machine, packing, packed, steps),
        };
        steps.patched(patch, taken(instance));
    }

    /// The memos of a new machine.
    #[cold]
    fn memos(&self) -> Vec<known::InstanceMemo> {
        let projections = self.remembered.iter().filter_map(|&instance| match &self.ways[instance] {
            Way::Known(projection, _) => Some(known::memo(projection, self.remembered.len())),
            _ => None,
        });
        let memos: Vec<known::InstanceMemo> = projections.collect();
        assert_eq!(memos.len(), self.remembered.len(), "every remembered instance has its own memo");
        memos
    }

    /// Bytes held, approximately.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
            + self.selection.as_ref().map_or(0, Selection::bytes)
            + explore::memory::bytes_of::<Option<Replacement>>(self.replacements.capacity())
    }
}

/// The instances of all summands, in the order of the reference semantics, and their compiler. With tables they may be split.
pub(super) fn compiled(model: &Sequential, tables: Option<Tables>) -> (Vec<Instance<'_>>, Compiler<'_>) {
    let mut compiler = Compiler::new(model, BUDGET);
    if tables.is_some_and(|tables| tables.splits) {
        (compiler.splits, compiler.tries) = (MOST_SPLITS, MOST_TRIES);
    }
    #[cfg(test)]
    {
        compiler.wrong = tables.and_then(|tables| tables.wrong);
    }
    let mut all = Vec::new();
    for index in 0..model.summands.len() {
        all.extend(instances(&mut compiler, SummandId::from_index(index)));
    }
    (all, compiler)
}

/// The step of a single instance whose body has one way.
fn taken<'i>(instance: &'i Instance<'_>) -> Taken<'i> {
    let Instance { summand, inside, .. } = instance;
    let Parameters::Values(parameters) = &instance.parameters else { unreachable!("patches are of single instances") };
    Taken { summand: *summand, parameters, inside }
}

/// The element that an action writes, if there is one, and the value; nothing where they are not always the same, or it may fault. Locals are
/// written to be read in the body, where their values are known.
pub(super) fn constant_write(action: &Action<'_>) -> Option<(Option<usize>, i32)> {
    let (element, value, low, high) = match action {
        Action::Note(_) => return Some((None, 0)),
        Action::Assign { target, value: Code::Constant(value), low, high } if target.dimensions.is_empty() => {
            (Some(target.base), value, low, high)
        }
        Action::Fill { value: Code::Constant(value), low, high, .. } => (None, value, low, high),
        _ => return None,
    };
    (low..=high).contains(&value).then_some((element, *value))
}

/// The patch of a packed state by the body of an instance, if it is always the same and cannot fault.
fn patch(instance: &Instance<'_>, packing: &Packing) -> Option<Box<[Patch]>> {
    if !matches!(instance.parameters, Parameters::Values(_)) || !instance.arguments.is_empty() {
        return None;
    }
    let mut patches: Vec<Patch> = Vec::new();
    for action in &*instance.body {
        let (element, value) = constant_write(action)?;
        if let Some(element) = element.filter(|&element| element < packing.lows.len()) {
            known::write(&mut patches, packing, element, value);
        }
    }
    Some(patches.into())
}
