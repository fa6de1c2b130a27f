//! The stages of the line for Rebeca models.

mod explain;
mod names;

use checker::{Control, FaultText, GroupNames, InternalError, Question, Reductions, Refusal, Report, ViolatingRuns};
use csp::Automorphisms;
use frontend::interpret::trace::{Start, Step};
use frontend::interpret::{Stop, describe_fault};
use frontend::lower::lower_condition;
use frontend::model::print::{print, print_condition};
use frontend::model::spans::expression_without_spans;
use frontend::model::{Expr, Formula, Model, Property, PropertySet, RebecId, ScalarSetId};
use frontend::parts::Parts;
use frontend::unread::{self, Unread};
use slicing::reduce::Abstracted;
use symmetry::detect::{ColouredGraph, Constraints};
use symmetry::{ModelPermutation, Points, Strategy, ValidatedGroup};

use crate::comparison::CommonPoints;
use crate::coverage::Kept;
use crate::detection::{ByText, Coverage, GraphSize, Proof, Proposal, Proved, Undetected};
use crate::explain::{Cycles, NearSymmetry, ProvedBy, Why};
use crate::language::{Language, Trace};
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{self, Sliced, Slicing};

impl Language for Model {
    const NAME: &'static str = "rebeca";
    const HAS_QUEUES: bool = true;
    const STRATEGIES: &'static [Strategy] = &Strategy::ALL;

    type Properties = PropertySet;
    type Condition = Expr;
    type Start = Start;
    type Step = Step;
    type Csp<'m> = Constraints<'m>;
    type ColouredGraph = ColouredGraph;
    type Candidates = Vec<ModelPermutation>;
    type Group = ValidatedGroup;

    fn last_fault(&self, run: &Trace<Self>) -> Option<FaultText> {
        match run.stop()? {
            (rebec, Stop::Fault(fault)) => {
                Some(FaultText { text: describe_fault(self, &fault.kind), process: self.rebec_name(rebec) })
            }
            (_, Stop::Limit(_)) => None,
        }
    }

    fn has_processes(&self) -> bool {
        true
    }

    fn text(&self) -> String {
        print(self)
    }

    fn constraints(
        &self,
        properties: &PropertySet,
        strategy: Strategy,
        _: Option<&Vec<ModelPermutation>>,
    ) -> Result<Constraints<'_>, Undetected> {
        Ok(Constraints::new(self, properties, strategy))
    }

    fn coloured_graph(&self, csp: &Constraints<'_>) -> ColouredGraph {
        ColouredGraph::new(self, csp)
    }

    fn candidates(
        &self,
        properties: &PropertySet,
        csp: &Constraints<'_>,
        graph: &ColouredGraph,
        found: &Automorphisms,
    ) -> Proposal<Vec<ModelPermutation>> {
        let proposal = symmetry::detect::candidates(self, properties, csp, graph, found);
        let coverage = Coverage {
            graph: Some(GraphSize::new(graph.as_ref(), &proposal.order)),
            complete: proposal.complete,
            opaque: csp.opaque(),
            watched: Vec::new(),
            as_written: csp.as_written(),
            undecided: false,
        };
        Proposal { candidates: proposal.candidates, coverage }
    }

    fn validate(
        &self,
        properties: &PropertySet,
        _: Option<ByText<Vec<ModelPermutation>>>,
        by_graph: Option<Proposal<Vec<ModelPermutation>>>,
    ) -> Proved<ValidatedGroup> {
        let Proposal { candidates, coverage } = by_graph.expect("the text proposes nothing");
        Proved { group: ValidatedGroup::new(self, properties, candidates), coverage }
    }

    fn unread(&self, _: &str, _: &Reading, properties: &PropertySet) -> Vec<Unread> {
        unread::of_actors(self, properties)
    }

    fn parts(&self) -> Parts {
        Parts::of_actors(self)
    }

    /// A local map of a rebec may exchange its servers. Where rebecs alone are exchanged, which no text names, the image of a step runs the same
    /// statements; a rotation may take the rounds of a loop to other places, and what runs there depends on their order.
    fn kept_parts(&self, group: &ValidatedGroup, _: &[u64]) -> Kept {
        if group.has_local_maps() {
            return Kept::Nothing;
        }
        let rebecs = (0..self.instances.len()).map(RebecId::from_index);
        let is_rotated =
            rebecs.flat_map(|rebec| (0..self.scalar_sets.len()).map(move |set| (rebec, ScalarSetId::from_index(set))));
        let mut is_rotated = is_rotated
            .filter(|&(rebec, set)| group.generators().iter().any(|generator| generator.rotation(rebec, set) != 0));
        if is_rotated.next().is_some() { Kept::Outer } else { Kept::All }
    }

    fn engine_group(group: &ValidatedGroup) -> &engine::Group {
        group.group()
    }

    /// The points of rebecs, and of what any of the groups moves within rebecs.
    fn on_common_points(&self, groups: &[&ValidatedGroup]) -> Option<CommonPoints> {
        let all: Vec<ModelPermutation> = groups.iter().flat_map(|group| group.generators()).cloned().collect();
        let points = Points::covering(self, &all);
        let embedded = |group: &&ValidatedGroup| -> Option<Vec<_>> {
            group.generators().iter().map(|generator| points.embedded(generator)).collect()
        };
        let generators = groups.iter().map(embedded).collect::<Option<Vec<_>>>()?;
        Some(CommonPoints { degree: points.degree(), generators })
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        names::names(self, group)
    }

    fn proof(&self, group: &ValidatedGroup) -> Proof {
        names::proof(self, group)
    }

    fn proofs(&self, _: &PropertySet, group: &ValidatedGroup) -> Vec<ProvedBy> {
        explain::proofs(self, group)
    }

    fn near(&self, properties: &PropertySet, group: &ValidatedGroup) -> Vec<NearSymmetry> {
        explain::near(self, properties, group)
    }

    fn why(&self, properties: &PropertySet, group: &ValidatedGroup, cycles: &Cycles) -> Result<Why, String> {
        explain::why(self, properties, group, cycles)
    }

    fn slice(
        &self,
        question: &Question<PropertySet>,
        slicing: Slicing,
        replace: &Abstracted,
        control: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        slice::of_actors(self, question, slicing, replace, control)
    }

    fn never_overflows(&self) -> bool {
        slicing::bounds::never_overflows(self)
    }

    fn unfair_quotient(&self, question: &Question, plan: Plan) -> Option<Refusal> {
        let Plan { partial_order, overflow_excluded, .. } = plan;
        let combination = Reductions::<ValidatedGroup> { partial_order, overflow_excluded, ..Reductions::default() };
        checker::unfair_quotient(self, question, plan.representative, &combination)
    }

    fn check(
        &self,
        question: &Question,
        reductions: Reductions<'_>,
        control: &mut dyn Control,
    ) -> Result<Report, InternalError> {
        checker::check_reduced(self, question, reductions, control)
    }

    fn add(properties: &mut PropertySet, property: Property) {
        properties.properties.push(property);
    }

    fn conditions(&self, _: &str, _: &Reading, properties: &PropertySet, wanted: &[&str]) -> Vec<Result<Expr, String>> {
        wanted.iter().map(|text| lower_condition(text, self, &properties.definitions)).collect()
    }

    fn condition_text(&self, properties: &PropertySet, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut definitions = properties.definitions.iter();
        let known = definitions.find(|definition| expression_without_spans(&definition.value) == condition);
        known.map_or_else(|| print_condition(self, &condition), |definition| definition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<ViolatingRuns<Expr>> {
        checker::violating(formula)
    }
}
