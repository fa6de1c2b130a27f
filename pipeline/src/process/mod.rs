//! The stages of the line for sequential processes.

mod by_text;
mod detect;
mod explain;
mod images;
pub(crate) mod nets;
mod starts;

use std::collections::BTreeSet;

use checker::{Control, GroupNames, InternalError, Question, Reductions, Refusal, Report, ViolatingRuns};
use csp::{Automorphisms, ColouredGraph, Csp, Ties};
use engine::SparsePermutation;
use frontend::dve;
use frontend::parts::Parts;
use frontend::pnml;
use frontend::promela;
use frontend::sequential::interpret::{SeqStep, State};
use frontend::sequential::print::{print, print_expression};
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::{Expr, Formula, Options, Origin, Property, Sequential, conditions};
use frontend::unread::{self, Unread};
use ltl::Properties as _;
use slicing::reduce::Abstracted;
use symmetry::Strategy;
use symmetry::sequential::ValidatedGroup;

use crate::comparison::CommonPoints;
use crate::coverage::Kept;
use crate::detection::{ByText, Effort, Proof, Proposal, Proved, Undetected};
use crate::explain::{Cycles, Family, NearSymmetry, ProvedBy, Why};
use crate::images::Keeping;
use crate::language::{Language, Trace};
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{self, Sliced, Slicing};
use crate::starts::WayBack;
use crate::structural::Smaller;

use by_text::Steps;
use nets::Wrong;

/// The name of DVE in reports.
pub const DVE: &str = "dve";
/// The name of Petri nets in reports.
pub const PNML: &str = "pnml";
/// The name of Promela in reports.
pub const PROMELA: &str = "promela";

impl Language for Sequential {
    const NAME: &'static str = "lpe";
    const HAS_QUEUES: bool = false;
    const MOVES_STARTS: bool = true;
    const HAS_IMAGES: bool = true;
    const STRATEGIES: &'static [Strategy] = &[Strategy::Constraint];

    type Properties = Vec<Property>;
    type Condition = Expr;
    type Start = State;
    type Step = SeqStep;
    type Csp<'m> = Csp;
    type ColouredGraph = ColouredGraph;
    type Candidates = detect::Candidates;
    type Group = ValidatedGroup;

    fn language(&self) -> &'static str {
        match self.origin {
            Origin::Lpe => Self::NAME,
            Origin::Dve => DVE,
            Origin::Pnml => PNML,
            Origin::Promela => PROMELA,
        }
    }

    fn has_processes(&self) -> bool {
        Sequential::has_processes(self)
    }

    fn assumes_fairness(&self) -> bool {
        self.fair.is_some()
    }

    fn text(&self) -> String {
        print(self)
    }

    fn with_images_of_starts(&self, properties: &Vec<Property>) -> Option<Sequential> {
        starts::with_images(self, &self.kept(properties))
    }

    fn way_back<'m>(&'m self, wider: &Sequential, group: &ValidatedGroup) -> Option<WayBack<'m, Sequential>> {
        starts::way_back(self, wider, group)
    }

    fn candidates_by_text(
        &self,
        properties: &Vec<Property>,
        _: Strategy,
        effort: Effort,
    ) -> Option<ByText<detect::Candidates>> {
        by_text::candidates(self, &self.kept(properties), effort, Steps::default())
    }

    fn constraints(
        &self,
        properties: &Vec<Property>,
        _: Strategy,
        proved: Option<&detect::Candidates>,
    ) -> Result<Csp, Undetected> {
        let kept = self.kept(properties);
        let requested: Vec<&Property> = kept.iter().collect();
        let proved = proved.map_or(&[][..], |proved| &proved.list);
        symmetry::sequential::constraints(self, &requested, proved).map_err(Undetected::TooLarge)
    }

    fn coloured_graph(&self, csp: &Csp) -> ColouredGraph {
        ColouredGraph::verified(self, csp, Ties::default())
    }

    fn candidates(
        &self,
        _: &Vec<Property>,
        csp: &Csp,
        graph: &ColouredGraph,
        found: &Automorphisms,
    ) -> Proposal<detect::Candidates> {
        detect::candidates(self, csp, graph, found)
    }

    fn validate(
        &self,
        properties: &Vec<Property>,
        by_text: Option<ByText<detect::Candidates>>,
        by_graph: Option<Proposal<detect::Candidates>>,
    ) -> Proved<ValidatedGroup> {
        by_text::group(self, &self.kept(properties), by_text, by_graph, Steps::default())
    }

    fn extended(&self, properties: &Vec<Property>, proved: Proved<ValidatedGroup>) -> Proved<ValidatedGroup> {
        detect::extended(self, &self.kept(properties), proved)
    }

    fn of_instances(group: &ValidatedGroup) -> &ValidatedGroup {
        group.of_instances()
    }

    fn unread(&self, text: &str, reading: &Reading, properties: &Vec<Property>) -> Vec<Unread> {
        let options = Options { constants: reading.constants.clone() };
        match self.origin {
            Origin::Promela => promela::unread(text, &options, self, properties),
            _ => unread::of_process(self, properties),
        }
    }

    fn parts(&self) -> Parts {
        Parts::of_process(self)
    }

    /// The image of a step is a step of the same event; where the text of the model proves the symmetry, it is one of the same summand and runs the
    /// same statements, but for the order of rounds.
    fn kept_parts(&self, group: &ValidatedGroup, counts: &[u64]) -> Kept {
        let of = |wanted: &dyn Fn(u64) -> bool| {
            let counted = self.summands.iter().zip(counts).filter(|&(_, &count)| wanted(count));
            counted.map(|(summand, _)| summand.event.as_str()).collect::<BTreeSet<&str>>()
        };
        let keeps_events = of(&|count| count == 0).is_disjoint(&of(&|count| count > 0));
        if keeps_events && !counts[self.summands.len()..].contains(&0) {
            return Kept::Outer;
        }
        let generators = group.generators();
        let proved = || symmetry::sequential::text_keeps_summands(self, generators);
        match limits::share(1, 10, proved).unwrap_or(false) {
            true => Kept::OutsideRounds,
            false if keeps_events => Kept::Outer,
            false => Kept::Nothing,
        }
    }

    fn engine_group(group: &ValidatedGroup) -> &engine::Group {
        group.group()
    }

    /// The literals, which are the points of every group of the process.
    fn on_common_points(&self, groups: &[&ValidatedGroup]) -> Option<CommonPoints> {
        let degree = groups.first().map_or(0, |group| group.literals().len());
        let generators = groups.iter().map(|group| group.generators().to_vec()).collect();
        Some(CommonPoints { degree, generators })
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        detect::names(self, group)
    }

    fn proof(&self, group: &ValidatedGroup) -> Proof {
        detect::proof(self, group)
    }

    fn proofs(&self, properties: &Vec<Property>, group: &ValidatedGroup) -> Vec<ProvedBy> {
        explain::proofs(self, &self.kept(properties), group)
    }

    fn near(&self, properties: &Vec<Property>, group: &ValidatedGroup) -> Vec<NearSymmetry> {
        explain::near(self, &self.kept(properties), group)
    }

    fn family(&self, properties: &Vec<Property>) -> Option<Family> {
        Some(explain::family(self, &self.kept(properties)))
    }

    fn why(&self, properties: &Vec<Property>, group: &ValidatedGroup, cycles: &Cycles) -> Result<Why, String> {
        explain::why(self, &self.kept(properties), group, cycles)
    }

    fn smaller(&self, question: &Question<Vec<Property>>) -> Option<Result<Smaller<'_, Self>, Refusal>> {
        nets::smaller(self, question, Wrong::default())
    }

    fn slice(
        &self,
        question: &Question<Vec<Property>>,
        slicing: Slicing,
        _: &Abstracted,
        _: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        slice::of_process(self, question, slicing)
    }

    fn never_overflows(&self) -> bool {
        true
    }

    fn unfair_quotient(&self, question: &Question<Vec<Property>>, plan: Plan) -> Option<Refusal> {
        checker::unfair_quotient_of_process(self, question, plan.representative)
    }

    fn check(
        &self,
        question: &Question<Vec<Property>>,
        reductions: Reductions<'_, ValidatedGroup>,
        control: &mut dyn Control,
    ) -> Result<Report<Trace<Self>>, InternalError> {
        checker::sequential::check_reduced(self, question, reductions, control)
    }

    fn has_ends(&self, properties: &Vec<Property>) -> bool {
        self.ends.is_some() || !properties.ends().is_empty()
    }

    fn keeping(
        &self,
        group: &ValidatedGroup,
        properties: &Vec<Property>,
        invariants: &[String],
        strategy: Strategy,
    ) -> Option<Vec<Keeping>> {
        images::keeping(self, group, properties, invariants, strategy)
    }

    fn violating_image(
        &self,
        group: &ValidatedGroup,
        elements: &[SparsePermutation],
        properties: &Vec<Property>,
        invariant: &str,
        trace: &Trace<Self>,
    ) -> Option<Trace<Self>> {
        images::violating(self, group, elements, (properties, invariant), trace)
    }

    fn add(properties: &mut Vec<Property>, property: Property) {
        properties.push(property);
    }

    fn conditions(
        &self,
        text: &str,
        reading: &Reading,
        _: &Vec<Property>,
        wanted: &[&str],
    ) -> Vec<Result<Expr, String>> {
        let options = Options { constants: reading.constants.clone() };
        let own = match self.origin {
            Origin::Lpe => return conditions(text, &options, wanted),
            Origin::Pnml => return pnml::conditions(self, wanted),
            Origin::Dve => dve::conditions(text, &options, wanted),
            Origin::Promela => promela::conditions(text, &options, wanted),
        };
        if own.iter().all(Result::is_ok) {
            return own;
        }
        // Conditions are written in terms of the process that the model is.
        let written = conditions(&print(self), &Options::default(), wanted);
        own.into_iter().zip(written).map(|(own, written)| own.or_else(|reason| written.map_err(|_| reason))).collect()
    }

    fn condition_text(&self, _: &Vec<Property>, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut propositions = self.propositions.iter();
        let known = propositions.find(|proposition| expression_without_spans(&proposition.value) == condition);
        known.map_or_else(|| print_expression(self, &condition, &[]), |proposition| proposition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<ViolatingRuns<Expr>> {
        checker::sequential::violating(formula)
    }
}
