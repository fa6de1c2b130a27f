//! The interface of a language to the commands, in addition to the line of `pipeline`: running step by step,
//! replaying and describing.
//!
//! [`actors`] is Rebeca, [`process`] the sequential language, [`murphi`] Murphi; the commands and the reports know neither.

pub(crate) mod actors;
pub(crate) mod murphi;
pub(crate) mod pictures;
pub(crate) mod process;
pub(crate) mod state_space;

use checker::Limit;
use frontend::source::Source;
use pipeline::Language;
use serde_json::Value as Json;

use crate::paint::Paint;
use crate::trace_file::TraceFile;

use pictures::{NamedGraph, Topology};
use state_space::StateSpace;

/// The most starts of a menu.
const MOST_STARTS: usize = 10_000;

/// The reason that a run ends without a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// The last step, or the start, faults.
    Fault,
    /// A bound of the tool.
    Limit,
}

/// The first mismatch of a recorded trace with the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch {
    /// The start, a step, the end.
    pub(crate) place: String,
    /// The difference.
    pub(crate) message: String,
}

/// The first part of a state that has another value.
fn first_difference(found: &Json, recorded: &Json) -> Option<String> {
    let (Some(found), Some(recorded)) = (found.as_object(), recorded.as_object()) else {
        return Some("the state is not an object".to_owned());
    };
    for (name, value) in found {
        match recorded.get(name) {
            None => return Some(format!("the state has no `{name}`")),
            Some(other) if other != value => return Some(format!("`{name}` is {value}, not {other}")),
            Some(_) => {}
        }
    }
    let more = recorded.keys().find(|name| !found.contains_key(*name))?;
    Some(format!("there is no `{more}`"))
}

/// The style of traces, with their model.
pub(crate) struct TraceStyle<'a, M> {
    /// The model.
    pub(crate) model: &'a M,
    /// Its text.
    pub(crate) source: &'a Source,
    /// Whether whole states are printed.
    pub(crate) full: bool,
    /// Colours.
    pub(crate) paint: Paint,
}

impl<M> Clone for TraceStyle<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for TraceStyle<'_, M> {}

/// A model whose executions can be made step by step, run again, and described.
pub(crate) trait Presented: Language {
    /// The built-in checks of every model.
    const BUILT_IN: &'static [&'static str];
    /// The possible propositions of an automaton, in words.
    const PROPOSITIONS: &'static str;
    /// The meaning of a deadlock, in words.
    const DEADLOCK: &'static str;

    /// A way to start.
    type Start: Clone;
    /// A step.
    type Step;

    /// The dialect as `--core` takes it.
    fn dialect(&self) -> Option<&'static str>;

    /// The number of processes and of state variables, arrays counted by element; for a sequential process, processes
    /// only where it names their sort.
    fn size(&self) -> (Option<usize>, usize);

    /// The known processes of each process, if processes know each other by name.
    fn topology(&self) -> Option<Topology>;

    /// The whole state space, or the limit that it passes.
    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>>;

    /// The graph that the constraint detector reads.
    fn coloured(&self, properties: &Self::Properties) -> Option<NamedGraph>;

    /// The ways to start, the first [`MOST_STARTS`] of them.
    fn starts(&self) -> Vec<Self::Start>;

    /// A start chosen by a function that gives a number below its argument.
    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Start;

    /// The execution without steps.
    fn begin(start: Self::Start) -> Self::Trace;

    /// The steps from the last state, faulting ones included; none behind a fault.
    fn steps(&self, trace: &Self::Trace) -> Vec<Self::Step>;

    /// The one of these steps that `choose` chooses by its number and their count; none if there is none.
    fn chosen(&self, trace: &Self::Trace, choose: impl FnOnce(usize) -> usize) -> Option<Self::Step>;

    /// Whether two steps from one state look and end alike.
    fn are_alike(a: &Self::Step, b: &Self::Step) -> bool;

    /// Whether a step faults.
    fn fails(step: &Self::Step) -> bool;

    /// Whether a start has no state.
    fn start_fails(start: &Self::Start) -> bool;

    /// Takes a step.
    fn take(trace: &mut Self::Trace, step: Self::Step);

    /// Undoes the last step; returns whether there was one.
    fn undo(trace: &mut Self::Trace) -> bool;

    /// The reason that the execution ends without a state.
    fn stopped(trace: &Self::Trace) -> Option<Stopped>;

    /// Reruns a recorded trace: as far as it fits, with the mismatch that ends it. `deadlock` requires that the last
    /// state is one.
    fn rerun(&self, recorded: &TraceFile, deadlock: bool) -> (Option<Self::Trace>, Option<Mismatch>);

    /// A trace as JSON.
    fn file(&self, source: &Source, trace: &Self::Trace) -> TraceFile;

    /// The last state as JSON.
    fn last_state(&self, trace: &Self::Trace) -> Option<Json>;

    /// A whole trace for people.
    fn describe(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// The choices in a start, in one line.
    fn describe_choice(style: &TraceStyle<'_, Self>, start: &Self::Start) -> String;

    /// The start of a run, with its state.
    fn describe_start(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// The last state.
    fn describe_state(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// The last step.
    fn describe_last(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// Steps, one line each, in columns.
    fn describe_steps(style: &TraceStyle<'_, Self>, steps: &[&Self::Step]) -> Vec<String>;
}
