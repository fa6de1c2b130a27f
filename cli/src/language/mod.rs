//! What the commands need of a language: checking, running, replaying and telling, whatever the model is made of.
//!
//! [`actors`] is Rebeca, [`process`] the sequential language; the commands and the reports know neither.

pub(crate) mod actors;
pub(crate) mod detection;
pub(crate) mod process;

use checker::{Control, GroupNames, InternalError, Limit, Question, Reductions, Report};
use frontend::model::{Formula, Property};
use frontend::source::{Source, Span};
use ltl::Automaton;
use num_bigint::BigUint;
use serde_json::Value as Json;
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::commands::state_space::StateSpace;
use crate::outcome::Failure;
use crate::pipeline::{Plan, Reading};
use crate::render::export::coloured::Coloured;
use crate::render::export::graph::Topology;
use crate::render::paint::Paint;
use crate::sliced::{Sliced, Slicing};
use crate::trace_file::TraceFile;
use detection::{Detection, Undetected};

/// How many starts are chosen from in a menu.
const MOST_STARTS: usize = 10_000;

/// Why a run ends without a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// The last step, or the start, faults.
    Fault,
    /// A bound of the tool.
    Limit,
}

/// Where a told trace leaves the model, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch {
    /// The start, a step, the end.
    pub(crate) place: String,
    /// What is different.
    pub(crate) message: String,
}

/// How traces look, and whose they are.
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

/// A model in some language.
pub(crate) trait Language: Clone + Send + Sized + 'static {
    /// The name in reports.
    const NAME: &'static str;
    /// What can be asked of every model.
    const BUILT_IN: &'static [&'static str];
    /// Whether there are queues that could overflow.
    const HAS_QUEUES: bool;
    /// What the propositions of an automaton may be, in words.
    const PROPOSITIONS: &'static str;
    /// What a deadlock is, in words.
    const DEADLOCK: &'static str;

    /// The properties that are asked.
    type Properties: Clone + Default + std::fmt::Debug + Send + 'static;
    /// A condition over one state.
    type Condition: Clone;
    /// A way to start.
    type Start: Clone;
    /// A step.
    type Step;
    /// An execution.
    type Trace;
    /// A group of proved symmetries.
    type Group: Send + 'static;

    /// The dialect as `--core` takes it.
    fn dialect(&self) -> Option<&'static str>;

    /// How many processes and how many state variables there are, arrays counted by element; of a sequential process,
    /// processes only where it names their sort.
    fn size(&self) -> (Option<usize>, usize);

    /// Who knows whom, if processes know each other by name.
    fn topology(&self) -> Option<Topology>;

    /// Why a quotient is not used for a formula under weak fairness, whatever the group: then none is looked for.
    fn unfair_quotient(&self, question: &Question<Self::Properties>, plan: Plan) -> Option<&'static str>;

    /// Whether rebecs are made while the model runs.
    fn makes_rebecs(&self) -> bool {
        false
    }

    /// Whether there are processes of which fairness can be assumed.
    fn has_processes(&self) -> bool;

    /// Canonical text.
    fn text(&self) -> String;

    /// The whole state space, or the limit that it passes.
    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>>;

    /// A group of proved symmetries that fix these properties.
    ///
    /// # Errors
    /// Why the strategy does not apply, in one line.
    fn group(&self, properties: &Self::Properties, strategy: Strategy) -> Result<Self::Group, String>;

    /// What a strategy finds, proved, in the model's names.
    ///
    /// # Errors
    /// Why it finds nothing.
    fn detect(&self, properties: &Self::Properties, strategy: Strategy) -> Result<Detection, Undetected>;

    /// The name of a group, and how many generators it has.
    fn shape(group: &Self::Group) -> (String, usize);

    /// The generators of a group, as a text that tells groups apart.
    fn generators(group: &Self::Group) -> String;

    /// A group in the names of the model.
    fn names(&self, group: &Self::Group) -> GroupNames;

    /// The graph that the constraint detector reads, if it is small enough to be drawn.
    fn coloured(&self, properties: &Self::Properties) -> Option<Coloured>;

    /// The number of elements of a group.
    fn order(group: &Self::Group) -> BigUint;

    /// What a question depends on, as a model of its own, by a method with the variables that it replaces.
    ///
    /// # Errors
    /// A method asked for by name that does not preserve what is asked.
    fn slice(
        &self,
        question: &Question<Self::Properties>,
        by: (Slicing, &Abstracted),
        control: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Failure>;

    /// Whether the flow of messages proves that no queue overflows.
    fn never_overflows(&self) -> bool;

    /// The properties without formulas, and each formula alone.
    fn split(properties: &Self::Properties) -> (Self::Properties, Vec<Self::Properties>);

    /// Answers a question.
    fn check(
        &self,
        question: &Question<Self::Properties>,
        reductions: Reductions<'_, Self::Group>,
        control: &mut dyn Control,
    ) -> Result<Report<Self::Trace>, InternalError>;

    /// The names of properties, and where they are declared.
    fn declared(properties: &Self::Properties) -> Vec<(&str, Span)>;

    /// Leaves out the properties that are not wanted.
    fn retain(properties: &mut Self::Properties, wanted: &dyn Fn(&str) -> bool);

    /// The formulas, with their names.
    fn formulas(properties: &Self::Properties) -> Vec<(&str, &Formula<Self::Condition>)>;

    /// Adds a property.
    fn add(properties: &mut Self::Properties, property: Property<Self::Condition>);

    /// The conditions that texts mean beside the model's own text and its properties; for each that means none, why.
    fn conditions(
        &self,
        text: (&str, &Reading),
        properties: &Self::Properties,
        wanted: &[&str],
    ) -> Vec<Result<Self::Condition, String>>;

    /// A condition as it is named by the properties or the model, or as text.
    fn condition_text(&self, properties: &Self::Properties, condition: &Self::Condition) -> String;

    /// The automaton of the runs that violate a formula, and the conditions that its propositions stand for.
    fn violating(formula: &Formula<Self::Condition>) -> Option<(Automaton, Vec<Self::Condition>)>;

    /// The ways to start, the first [`MOST_STARTS`] of them.
    fn starts(&self) -> Vec<Self::Start>;

    /// A start chosen by a function that gives a number below its argument.
    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Start;

    /// The execution without steps.
    fn begin(start: Self::Start) -> Self::Trace;

    /// The steps from the last state, faulting ones included; none behind a fault.
    fn steps(&self, trace: &Self::Trace) -> Vec<Self::Step>;

    /// Whether two steps from one state look and end alike.
    fn are_alike(a: &Self::Step, b: &Self::Step) -> bool;

    /// Whether a step faults.
    fn fails(step: &Self::Step) -> bool;

    /// Whether a start has no state.
    fn start_fails(start: &Self::Start) -> bool;

    /// Takes a step.
    fn take(trace: &mut Self::Trace, step: Self::Step);

    /// Takes back the last step; whether there was one.
    fn undo(trace: &mut Self::Trace) -> bool;

    /// How many steps there are.
    fn taken(trace: &Self::Trace) -> usize;

    /// Why the execution ends without a state.
    fn stopped(trace: &Self::Trace) -> Option<Stopped>;

    /// Runs a told trace again: as far as it goes, and the mismatch that ends it. `deadlock` asks that the last state is
    /// one.
    fn rerun(&self, told: &TraceFile, deadlock: bool) -> (Option<Self::Trace>, Option<Mismatch>);

    /// A trace as JSON.
    fn file(&self, source: &Source, trace: &Self::Trace) -> TraceFile;

    /// The last state as JSON.
    fn last_state(&self, trace: &Self::Trace) -> Option<Json>;

    /// A whole trace for people.
    fn tell(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// What was chosen in a start, in one line.
    fn tell_choice(style: &TraceStyle<'_, Self>, start: &Self::Start) -> String;

    /// The start of a run, with its state.
    fn tell_start(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// The last state.
    fn tell_state(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// The last step.
    fn tell_last(style: &TraceStyle<'_, Self>, trace: &Self::Trace) -> String;

    /// Steps, one line each, in columns.
    fn tell_steps(style: &TraceStyle<'_, Self>, steps: &[&Self::Step]) -> Vec<String>;
}
