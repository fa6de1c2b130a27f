//! The interface of a language to the commands, in addition to the line of `pipeline`: running step by step,
//! replaying and describing.
//!
//! [`actors`] is Rebeca, [`process`] the sequential language, [`murphi`] Murphi; the commands and the reports know neither.

pub(crate) mod actors;
pub(crate) mod describe;
pub(crate) mod json;
pub(crate) mod murphi;
pub(crate) mod pictures;
pub(crate) mod process;
pub(crate) mod rerun;
pub(crate) mod state_space;

use checker::Limit;
use frontend::source::Source;
use pipeline::{Language, State, Trace};
use serde_json::Value as Json;

use crate::paint::Paint;
use crate::trace_file::{FaultFile, StartFile, StepFile, TraceFile};

use pictures::{NamedGraph, Topology};
use state_space::StateSpace;

/// The most starts of a menu.
const MOST_STARTS: usize = 10_000;

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

/// The properties of a question as text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Asked {
    /// The names of properties and their conditions or formulas.
    pub(crate) properties: Vec<(String, String)>,
    /// The names of definitions and their conditions.
    pub(crate) definitions: Vec<(String, String)>,
}

/// A model whose executions can be made step by step, run again, and described. The parts that all languages share are built on this in [`rerun`], [`describe`]
/// and [`json`].
pub(crate) trait Presented: Language {
    /// The built-in checks of every model.
    const BUILT_IN: &'static [&'static str];
    /// The possible propositions of an automaton, in words.
    const PROPOSITIONS: &'static str;
    /// The meaning of a deadlock, in words.
    const DEADLOCK: &'static str;
    /// The reason that a state has no step, in words.
    const NO_STEP: &'static str = Self::DEADLOCK;

    /// The text that says which states may end, and its place, if the language has one.
    fn ends(&self) -> Option<&'static str>;

    /// The dialect as `--core` takes it.
    fn dialect(&self) -> Option<&'static str> {
        None
    }

    /// The number of processes and of state variables, arrays counted by element; for a sequential process, processes
    /// only where it names their sort.
    fn size(&self) -> (Option<usize>, usize);

    /// The known processes of each process, if processes know each other by name.
    fn topology(&self) -> Option<Topology> {
        None
    }

    /// The whole state space, or the limit that it passes.
    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>>;

    /// The graph that the constraint detector reads.
    fn coloured(&self, properties: &Self::Properties) -> Option<NamedGraph>;

    /// The ways to start, the first [`MOST_STARTS`] of them.
    fn starts(&self) -> Vec<Self::Start>;

    /// A start chosen by a function that gives a number below its argument.
    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Start {
        let mut starts = self.starts();
        let chosen = below(starts.len());
        starts.swap_remove(chosen)
    }

    /// The steps from a state, faulting ones included.
    fn steps(&self, state: &State<Self>) -> Vec<Self::Step>;

    /// The one of these steps that `choose` chooses by its number and their count; none if there is none.
    fn chosen(&self, state: &State<Self>, choose: impl FnOnce(usize) -> usize) -> Option<Self::Step>;

    /// Whether two steps from one state look and end alike.
    fn are_alike(a: &Self::Step, b: &Self::Step) -> bool;

    /// Whether the last state of a run is a deadlock.
    fn is_deadlock(&self, state: &State<Self>) -> bool {
        self.steps(state).is_empty()
    }

    /// Whether a bound of the tool is the reason that a run ends.
    fn is_limited(_: &Trace<Self>) -> bool {
        false
    }

    /// The start that a file describes.
    ///
    /// # Errors
    /// The difference.
    fn recorded_start(&self, recorded: &TraceFile) -> Result<Self::Start, String>;

    /// The steps of a state that have the names, arguments and choices of a recorded one, whatever their ends.
    ///
    /// # Errors
    /// The reason that there is none.
    fn recorded_steps(&self, state: &State<Self>, recorded: &StepFile) -> Result<Vec<Self::Step>, String>;

    /// The fault of a step, in words; none for a bound of the tool.
    fn fault(&self, step: &Self::Step) -> Option<String>;

    /// The properties in the words of the model, and the definitions that they may use. `text` is where the model's own properties stand,
    /// `other` the file of questions or formulas, if there is one.
    fn asked(&self, text: &Source, other: Option<&Source>, properties: &Self::Properties) -> Asked;

    /// A start as JSON.
    fn start_json(&self, source: &Source, start: &Self::Start) -> StartFile;

    /// A step as JSON, without its state.
    fn step_json(&self, source: &Source, before: &State<Self>, step: &Self::Step) -> StepFile;

    /// A state as JSON: an object with a field for each part.
    fn state_json(&self, state: &State<Self>) -> Json;

    /// The reason that a trace ends without a state, as JSON.
    fn fault_json(&self, source: &Source, trace: &Trace<Self>) -> Option<FaultFile>;

    /// The choices in a start, in one line.
    fn choices_text(style: &TraceStyle<'_, Self>, start: &Self::Start) -> String;

    /// The text after the word `start`.
    fn start_text(style: &TraceStyle<'_, Self>, start: &Self::Start) -> String {
        let choices = Self::choices_text(style, start);
        if choices.is_empty() { choices } else { format!("   {choices}") }
    }

    /// The description of an initial state, or of its absence, in lines.
    fn start_lines(style: &TraceStyle<'_, Self>, start: &Self::Start) -> Vec<String>;

    /// The width of the first column of a step's line.
    fn name_width(&self, _: &Self::Step) -> usize {
        0
    }

    /// A step in one line, its first column padded to `width`.
    fn step_text(style: &TraceStyle<'_, Self>, step: &Self::Step, width: usize) -> String;

    /// The changes of a step, or the reason that it has no state, one per line.
    fn step_lines(style: &TraceStyle<'_, Self>, before: &State<Self>, step: &Self::Step) -> Vec<String>;

    /// A state, a line for each part.
    fn state_lines(style: &TraceStyle<'_, Self>, state: &State<Self>) -> Vec<String>;
}
