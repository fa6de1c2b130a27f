//! The requirements of the line on a language: its model, its properties, its group, and the stages that depend on
//! them.

use checker::{Control, FaultText, GroupNames, InternalError, Question, Reductions, Refusal, Report, ViolatingRuns};
use csp::Automorphisms;
use frontend::diagnostics::Diagnostics;
use frontend::execution::{self, Outcome};
use frontend::model::{Formula, Property};
use frontend::parts::Parts;
use frontend::source::Span;
use frontend::unread::Unread;
use ltl::{Properties, Property as _};
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::comparison::CommonPoints;
use crate::coverage::Kept;
use crate::detection::{ByText, Effort, Proof, Proposal, Proved, Undetected};
use crate::explain::{Cycles, Family, NearSymmetry, ProvedBy, Why};
use crate::forgetting::Explored;
use crate::images::Keeping;
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{Sliced, Slicing};
use crate::starts::WayBack;
use crate::structural::Smaller;

/// An execution of a model.
pub type Trace<L> = execution::Trace<<L as Language>::Start, <L as Language>::Step>;

/// A state of the models of a language.
pub type State<L> = <<L as Language>::Start as Outcome>::State;

/// A model in some language.
pub trait Language: Clone + Send + Sized + 'static {
    /// The name in reports.
    const NAME: &'static str;
    /// Whether there are queues that could overflow.
    const HAS_QUEUES: bool;
    /// Whether the starts of its models are joined by their images where that makes groups larger.
    const MOVES_STARTS: bool = false;
    /// Whether invariants that a group moves may be checked at images.
    const HAS_IMAGES: bool = false;
    /// The strategies that apply to its models.
    const STRATEGIES: &'static [Strategy];

    /// The properties of the question.
    type Properties: Properties<Condition = Self::Condition, Property: ltl::Property<Place = Span>>;
    /// A condition over one state.
    type Condition: Clone;
    /// A way to start.
    type Start: Outcome + Clone;
    /// A step.
    type Step: Outcome<State = <Self::Start as Outcome>::State>;
    /// A model as constraints.
    type Csp<'m>;
    /// A coloured graph with the meanings of its vertices.
    type ColouredGraph: AsRef<engine::Graph>;
    /// Permutations of the model that are to be proved.
    type Candidates;
    /// A group of proved symmetries.
    type Group: Send + 'static;

    /// The name of the language of this model's text in reports.
    fn language(&self) -> &'static str {
        Self::NAME
    }

    /// Canonical text.
    fn text(&self) -> String;

    /// Whether there are processes of which fairness can be assumed.
    fn has_processes(&self) -> bool;

    /// Whether it is assumed unless the user says otherwise.
    fn assumes_fairness(&self) -> bool {
        self.has_processes()
    }

    /// Whether some property, or the model itself, says which states may end.
    fn has_ends(&self, properties: &Self::Properties) -> bool {
        !properties.ends().is_empty()
    }

    /// The names of properties that have an answer, and the places of their declarations.
    fn declared(properties: &Self::Properties) -> Vec<(&str, Span)> {
        properties.answered().map(|one| (one.name(), one.place())).collect()
    }

    /// Adds a property.
    fn add(properties: &mut Self::Properties, property: Property<Self::Condition>);

    /// The conditions that texts mean next to the model's own text and its properties, those of [`condition_text`](Self::condition_text) among
    /// them; for each text that means none, the reason.
    fn conditions(
        &self,
        text: &str,
        reading: &Reading,
        properties: &Self::Properties,
        wanted: &[&str],
    ) -> Vec<Result<Self::Condition, String>>;

    /// The text of a condition: its name in the properties or the model, or the condition itself.
    fn condition_text(&self, properties: &Self::Properties, condition: &Self::Condition) -> String;

    /// The text of a formula, or of a part of one.
    fn formula_text(&self, properties: &Self::Properties, formula: &Formula<Self::Condition>) -> String {
        formula.text(&mut |condition| self.condition_text(properties, condition))
    }

    /// The automaton of the runs that violate a formula, and the conditions of its propositions.
    fn violating(formula: &Formula<Self::Condition>) -> Option<ViolatingRuns<Self::Condition>>;

    /// A smaller net that keeps what a question is about, or the reason why there is none; `None` where the model is no net.
    fn smaller(&self, _: &Question<Self::Properties>) -> Option<Result<Smaller<'_, Self>, Refusal>> {
        None
    }

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

    /// The fault that ends a run, where a run that shows a violation of a smaller model may end in another fault.
    fn last_fault(&self, _: &Trace<Self>) -> Option<FaultText> {
        None
    }

    /// Whether values of dead variables may be forgotten for a question, or the reason why not; `None` for a language without that.
    fn dead_values(_: &Question<Self::Properties>) -> Option<Result<(), Refusal>> {
        None
    }

    /// A part of the states, from which models that forget values are made.
    fn explored(&self) -> Option<Box<dyn Explored<Self> + '_>> {
        None
    }

    /// The model with the images of its starts under symmetries of its steps that keep the properties; `None` if there are no others, or too
    /// many. Nothing relies on the choice of starts.
    fn with_images_of_starts(&self, _: &Self::Properties) -> Option<Self> {
        None
    }

    /// The way back from a model with further starts; `None` unless each of them is the image of a start of this model under the group.
    fn way_back<'m>(&'m self, _wider: &Self, _group: &Self::Group) -> Option<WayBack<'m, Self>> {
        None
    }

    /// For each of these invariants symmetries in a group of the model that keep it; `None` where the language does not check
    /// invariants at images, or not under this group.
    fn keeping(
        &self,
        _group: &Self::Group,
        _properties: &Self::Properties,
        _invariants: &[String],
        _: Strategy,
    ) -> Option<Vec<Keeping>> {
        None
    }

    /// The first image of a run, under elements of a group of the model, whose last state violates an invariant, by the reference semantics.
    fn violating_image(
        &self,
        _group: &Self::Group,
        _elements: &[engine::SparsePermutation],
        _properties: &Self::Properties,
        _invariant: &str,
        _: &Trace<Self>,
    ) -> Option<Trace<Self>> {
        None
    }

    /// Candidates that the text suggests and proves.
    fn candidates_by_text(&self, _: &Self::Properties, _: Strategy, _: Effort) -> Option<ByText<Self::Candidates>> {
        None
    }

    /// The model as constraints, or the part of it that the strategy reads. Parts that proved symmetries map to each other may be evaluated once.
    ///
    /// # Errors
    /// When the model is too large.
    fn constraints(
        &self,
        properties: &Self::Properties,
        strategy: Strategy,
        proved: Option<&Self::Candidates>,
    ) -> Result<Self::Csp<'_>, Undetected>;

    /// The graph whose automorphisms are symmetries of the constraints.
    fn coloured_graph(&self, csp: &Self::Csp<'_>) -> Self::ColouredGraph;

    /// The automorphisms of the graph as permutations of the model.
    fn candidates(
        &self,
        properties: &Self::Properties,
        csp: &Self::Csp<'_>,
        graph: &Self::ColouredGraph,
        found: &Automorphisms,
    ) -> Proposal<Self::Candidates>;

    /// The parts whose executions a search counts.
    fn parts(&self) -> Parts;

    /// The variables that neither the model, whose text is given, nor these properties read.
    fn unread(&self, text: &str, reading: &Reading, properties: &Self::Properties) -> Vec<Unread>;

    /// The parts of which it is known that no state executes them if no representative does, by these counts in the quotient by a group.
    fn kept_parts(&self, group: &Self::Group, counts: &[u64]) -> Kept;

    /// The group of the candidates that are proved on the model, cut to those that fix the properties. At least one proposal is given.
    fn validate(
        &self,
        properties: &Self::Properties,
        by_text: Option<ByText<Self::Candidates>>,
        by_graph: Option<Proposal<Self::Candidates>>,
    ) -> Proved<Self::Group>;

    /// A group together with the proved symmetries that only the steps show; marks the coverage if not all of them were looked for.
    fn extended(&self, _: &Self::Properties, proved: Proved<Self::Group>) -> Proved<Self::Group> {
        proved
    }

    /// The part of a group that a run with partial order, or under weak fairness, may use.
    fn of_instances(group: &Self::Group) -> &Self::Group {
        group
    }

    /// A group as the engine has it.
    fn engine_group(group: &Self::Group) -> &engine::Group;

    /// The generators of some groups of this model on common points, each group's in the order of its names; `None` where there are no points
    /// for all of them.
    fn on_common_points(&self, groups: &[&Self::Group]) -> Option<CommonPoints>;

    /// A group in the names of the model.
    fn names(&self, group: &Self::Group) -> GroupNames;

    /// The proof of a group, in the names of the model.
    fn proof(&self, group: &Self::Group) -> Proof;

    /// The proof of each generator of a group.
    fn proofs(&self, properties: &Self::Properties, group: &Self::Group) -> Vec<ProvedBy>;

    /// Permutations that would be in the group but for few places of the text.
    fn near(&self, properties: &Self::Properties, group: &Self::Group) -> Vec<NearSymmetry>;

    /// The permutations that are symmetries whatever the values of the constants of the model, and fix the properties; `None` where the
    /// language does not answer this.
    fn family(&self, _: &Self::Properties) -> Option<Family> {
        None
    }

    /// Whether a permutation with these cycles is a symmetry that fixes the properties; a group of such symmetries is known.
    ///
    /// # Errors
    /// A message about a name in the cycles.
    fn why(&self, properties: &Self::Properties, group: &Self::Group, cycles: &Cycles) -> Result<Why, String>;

    /// Why a quotient is not used for a formula under weak fairness, whatever the group: then none is looked for.
    fn unfair_quotient(&self, question: &Question<Self::Properties>, plan: Plan) -> Option<Refusal>;

    /// Remarks on declared symmetries that do not hold, for these properties.
    fn remarks(&self, _: &Self::Properties) -> Diagnostics {
        Diagnostics::new()
    }

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
    ) -> Result<Report<Trace<Self>>, InternalError>;
}

/// The properties without formulas, and the formulas of each run: each by itself, or those of branching time together.
pub(crate) fn split<P: Properties>(properties: &P, branching_together: bool) -> (P, Vec<P>) {
    let all = properties.list().iter().cloned();
    let (formulas, others): (Vec<_>, Vec<_>) = all.partition(|one| one.formula().is_some());
    let is_branching = |one: &P::Property| one.formula().is_some_and(Formula::is_branching);
    let (joined, single): (Vec<_>, Vec<_>) =
        formulas.into_iter().partition(|one| branching_together && is_branching(one));
    let joined = (!joined.is_empty()).then_some(joined);
    let runs = joined.into_iter().chain(single.into_iter().map(|formula| vec![formula]));
    (properties.with(others), runs.map(|list| properties.with(list)).collect())
}
