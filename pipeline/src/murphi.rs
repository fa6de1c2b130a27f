//! The stages of the line for models of Murphi: reading and the search, which checks the scalar sets that a model declares. No other
//! symmetry is looked for yet.

use checker::murphi::Wanted;
use checker::{Control, GroupNames, InternalError, Question, Reductions, Refusal, Report, ViolatingRuns};
use csp::Automorphisms;
use frontend::model::{Formula, Property};
use frontend::murphi::program::{Claim, Program};
use frontend::murphi::trace::Trace;
use frontend::source::Span;
use slicing::reduce::{Abstracted, Method};
use symmetry::Strategy;

use crate::detection::{ByText, Proof, Proposal, Proved, Undetected};
use crate::explain::{Cycles, NearSymmetry, ProvedBy, Why};
use crate::language::Language;
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{Sliced, Slicing};

/// What a stage of detection would make; there is none.
#[derive(Clone, Copy, Debug)]
pub enum Nothing {}

impl AsRef<engine::Graph> for Nothing {
    fn as_ref(&self) -> &engine::Graph {
        match *self {}
    }
}

impl Language for Program {
    const NAME: &'static str = "murphi";
    const HAS_QUEUES: bool = false;
    const STRATEGIES: &'static [Strategy] = &[];

    type Properties = Vec<Claim>;
    type Condition = ();
    type Trace = Trace;
    type Csp<'m> = Nothing;
    type ColouredGraph = Nothing;
    type Candidates = Nothing;
    type Group = Nothing;

    /// Unlike other languages, the typed program has no syntax: this is text to compare models by.
    fn text(&self) -> String {
        format!("{self:?}")
    }

    fn has_processes(&self) -> bool {
        false
    }

    /// Claims about the whole graph have a run of their own in the checker.
    fn split(claims: &Vec<Claim>) -> (Vec<Claim>, Vec<Vec<Claim>>) {
        (claims.clone(), Vec::new())
    }

    fn declared(claims: &Vec<Claim>) -> Vec<(&str, Span)> {
        claims.iter().map(|claim| (claim.name.as_str(), claim.span)).collect()
    }

    fn retain(claims: &mut Vec<Claim>, wanted: &dyn Fn(&str) -> bool) {
        claims.retain(|claim| wanted(&claim.name));
    }

    fn formulas(_: &Vec<Claim>) -> Vec<(&str, &Formula<()>)> {
        Vec::new()
    }

    fn add(_: &mut Vec<Claim>, _: Property<()>) {
        unreachable!("there are no conditions that a property could be made of");
    }

    fn conditions(&self, _: &str, _: &Reading, _: &Vec<Claim>, wanted: &[&str]) -> Vec<Result<(), String>> {
        wanted.iter().map(|_| Err("models of Murphi are not checked against automata yet".to_owned())).collect()
    }

    fn condition_text(&self, _: &Vec<Claim>, (): &()) -> String {
        String::new()
    }

    fn violating(_: &Formula<()>) -> Option<ViolatingRuns<()>> {
        None
    }

    fn slice(
        &self,
        _: &Question<Vec<Claim>>,
        slicing: Slicing,
        _: &Abstracted,
        _: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        Ok(match slicing {
            Slicing::Off | Slicing::Auto => Sliced::Whole,
            Slicing::By(method) => refused(method),
        })
    }

    fn constraints(&self, _: &Vec<Claim>, _: Strategy) -> Result<Nothing, Undetected> {
        Err(Undetected::NotForLanguage)
    }

    fn coloured_graph(&self, csp: &Nothing) -> Nothing {
        *csp
    }

    fn candidates(&self, _: &Vec<Claim>, csp: &Nothing, _: &Nothing, _: &Automorphisms) -> Proposal<Nothing> {
        match *csp {}
    }

    fn validate(
        &self,
        _: &Vec<Claim>,
        by_text: Option<ByText<Nothing>>,
        by_graph: Option<Proposal<Nothing>>,
    ) -> Proved<Nothing> {
        match by_text.map(|text| text.proposal).or(by_graph).expect("a proposal is given").candidates {}
    }

    fn engine_group(group: &Nothing) -> &engine::Group {
        match *group {}
    }

    fn names(&self, group: &Nothing) -> GroupNames {
        match *group {}
    }

    fn proof(&self, group: &Nothing) -> Proof {
        match *group {}
    }

    fn proofs(&self, _: &Vec<Claim>, group: &Nothing) -> Vec<ProvedBy> {
        match *group {}
    }

    fn near(&self, _: &Vec<Claim>, group: &Nothing) -> Vec<NearSymmetry> {
        match *group {}
    }

    fn why(&self, _: &Vec<Claim>, group: &Nothing, _: &Cycles) -> Result<Why, String> {
        match *group {}
    }

    fn unfair_quotient(&self, _: &Question<Vec<Claim>>, _: Plan) -> Option<Refusal> {
        None
    }

    fn never_overflows(&self) -> bool {
        true
    }

    fn check(
        &self,
        question: &Question<Vec<Claim>>,
        reductions: Reductions<'_, Nothing>,
        control: &mut dyn Control,
    ) -> Result<Report<Trace>, InternalError> {
        // Renumbering of created processes is allowed together with symmetry.
        let wanted = Wanted { symmetry: reductions.heap_symmetry, partial_order: reductions.partial_order };
        checker::murphi::check(self, question, wanted, control)
    }

    fn taken(trace: &Trace) -> usize {
        trace.steps.len()
    }
}

fn refused<'a>(method: Method) -> Sliced<'a, Program> {
    Sliced::Refused(Refusal::NotPreserved(format!("{} slicing is not available for Murphi yet", method.name())))
}
