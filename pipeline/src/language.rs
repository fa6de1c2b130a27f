//! The requirements of the line on a language: its model, its properties, its group, and the stages that depend on
//! them.

use checker::{Control, GroupNames, InternalError, Question, Reductions, Refusal, Report};
use frontend::model::{Formula, Property};
use frontend::source::Span;
use ltl::Automaton;
use num_bigint::BigUint;
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::detection::{Detection, Undetected};
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{Sliced, Slicing};

/// A model in some language.
pub trait Language: Clone + Send + Sized + 'static {
    /// The name in reports.
    const NAME: &'static str;
    /// Whether there are queues that could overflow.
    const HAS_QUEUES: bool;

    /// The properties of the question.
    type Properties: Clone + Default + std::fmt::Debug + Send + 'static;
    /// A condition over one state.
    type Condition: Clone;
    /// An execution.
    type Trace;
    /// A group of proved symmetries.
    type Group: Send + 'static;

    /// Canonical text.
    fn text(&self) -> String;

    /// Whether there are processes of which fairness can be assumed.
    fn has_processes(&self) -> bool;

    /// The properties without formulas, and each formula by itself.
    fn split(properties: &Self::Properties) -> (Self::Properties, Vec<Self::Properties>);

    /// The names of properties, and the places of their declarations.
    fn declared(properties: &Self::Properties) -> Vec<(&str, Span)>;

    /// Removes the properties that are not wanted.
    fn retain(properties: &mut Self::Properties, wanted: &dyn Fn(&str) -> bool);

    /// The formulas, with their names.
    fn formulas(properties: &Self::Properties) -> Vec<(&str, &Formula<Self::Condition>)>;

    /// Adds a property.
    fn add(properties: &mut Self::Properties, property: Property<Self::Condition>);

    /// The conditions that texts mean next to the model's own text and its properties; for each text that means none,
    /// the reason.
    fn conditions(
        &self,
        text: &str,
        reading: &Reading,
        properties: &Self::Properties,
        wanted: &[&str],
    ) -> Vec<Result<Self::Condition, String>>;

    /// The text of a condition: its name in the properties or the model, or the condition itself.
    fn condition_text(&self, properties: &Self::Properties, condition: &Self::Condition) -> String;

    /// The automaton of the runs that violate a formula, and the conditions of its propositions.
    fn violating(formula: &Formula<Self::Condition>) -> Option<(Automaton, Vec<Self::Condition>)>;

    /// The part of a model on which a question depends, as a smaller model, by a method with the variables that it
    /// replaces.
    ///
    /// # Errors
    /// A method requested by name that does not preserve the question.
    fn slice(
        &self,
        question: &Question<Self::Properties>,
        slicing: Slicing,
        replace: &Abstracted,
        control: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error>;

    /// A group of proved symmetries that fix these properties.
    ///
    /// # Errors
    /// The reason why the strategy does not apply, in one line.
    fn group(&self, properties: &Self::Properties, strategy: Strategy) -> Result<Self::Group, String>;

    /// The proved symmetries that a strategy finds, in the names of the model.
    ///
    /// # Errors
    /// The reason why it finds none.
    fn detect(&self, properties: &Self::Properties, strategy: Strategy) -> Result<Detection, Undetected>;

    /// The part of a group that a run with partial order, or under weak fairness, may use.
    fn of_instances(group: &Self::Group) -> &Self::Group {
        group
    }

    /// The name of a group, and how many generators it has.
    fn shape(&self, group: &Self::Group) -> (String, usize);

    /// The generators of a group, as a text that distinguishes groups.
    fn generators(group: &Self::Group) -> String;

    /// The number of elements of a group.
    fn order(group: &Self::Group) -> BigUint;

    /// A group in the names of the model.
    fn names(&self, group: &Self::Group) -> GroupNames;

    /// Why a quotient is not used for a formula under weak fairness, whatever the group: then none is looked for.
    fn unfair_quotient(&self, question: &Question<Self::Properties>, plan: Plan) -> Option<Refusal>;

    /// Whether the flow of messages proves that no queue overflows.
    fn never_overflows(&self) -> bool;

    /// Answers a question.
    ///
    /// # Errors
    /// A fault of the tool.
    fn check(
        &self,
        question: &Question<Self::Properties>,
        reductions: Reductions<'_, Self::Group>,
        control: &mut dyn Control,
    ) -> Result<Report<Self::Trace>, InternalError>;

    /// The number of steps of an execution.
    fn taken(trace: &Self::Trace) -> usize;
}
