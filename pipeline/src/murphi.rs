//! The stages of the line for models of Murphi: the text proposes and proves symmetries, and no graph is drawn.

use checker::{
    Control, GroupNames, InternalError, QueryKind, Question, Reductions, Refusal, Report, SliceEffect, ViolatingRuns,
};
use csp::Automorphisms;
use engine::SparsePermutation;
use frontend::diagnostics::{Diagnostic, Diagnostics, codes};
use frontend::model::{Formula, Property};
use frontend::murphi::interpret::{Deadlock, Step};
use frontend::murphi::program::{Claim, ClaimKind, Program, Sort};
use frontend::parts::Parts;
use frontend::source::Span;
use frontend::unread::{self, Unread};
use ltl::Property as _;
use slicing::dead_values::{self, DeadValues, Reason, Requested, Violation, Wrong};
use slicing::murphi::{self, MurphiSlice};
use slicing::reduce::{Abstracted, Alternative, Method, Refused};
use symmetry::Strategy;
use symmetry::murphi::{Candidates, Finding, Obstacle, OnLiterals, ValidatedGroup, on_literals};

use crate::comparison::CommonPoints;
use crate::coverage::Kept;
use crate::detection::{ByText, Coverage, Effort, Proof, Proposal, Proved, Rejected, Undetected, gap};
use crate::explain::{Answer, Cycles, NearSymmetry, Place, ProvedBy, Why};
use crate::forgetting::{Explored, Forgetful};
use crate::images::Keeping;
use crate::language::{Language, Trace};
use crate::line::{Error, Plan};
use crate::read::Reading;
use crate::slice::{Cut, Sliced, Slicing, counts};
use crate::starts::WayBack;

mod images;
mod starts;

/// The result of a stage with a graph; there is none.
#[derive(Clone, Copy, Debug)]
pub enum Nothing {}

impl AsRef<engine::Graph> for Nothing {
    fn as_ref(&self) -> &engine::Graph {
        match *self {}
    }
}

/// The values that may be exchanged.
pub struct Proposed {
    candidates: Candidates,
    /// Whether only declared scalar sets are looked at.
    is_declared: bool,
}

/// The loops and quantifiers whose order each search watches.
fn watched(group: &ValidatedGroup) -> Vec<Span> {
    let mut list: Vec<Span> = group.watched().into_iter().collect();
    list.sort_unstable();
    list
}

fn place(Obstacle { span, reason }: Obstacle) -> Place {
    Place { span, reason: reason.to_string() }
}

impl Language for Program {
    const NAME: &'static str = "murphi";
    const HAS_QUEUES: bool = false;
    const MOVES_STARTS: bool = true;
    const HAS_IMAGES: bool = true;
    const STRATEGIES: &'static [Strategy] = &[Strategy::ScalarSet, Strategy::Constraint];

    type Properties = Vec<Claim>;
    /// The number of a property of the program.
    type Condition = usize;
    type Start = Step;
    type Step = Step;
    type Csp<'m> = Nothing;
    type ColouredGraph = Nothing;
    type Candidates = Proposed;
    type Group = ValidatedGroup;

    /// Unlike other languages, the typed program has no syntax: this is text to compare models by.
    fn text(&self) -> String {
        format!("{self:?}")
    }

    fn has_processes(&self) -> bool {
        false
    }

    fn add(_: &mut Vec<Claim>, _: Property<usize>) {
        unreachable!("there are no conditions that a property could be made of");
    }

    fn conditions(&self, _: &str, _: &Reading, _: &Vec<Claim>, wanted: &[&str]) -> Vec<Result<usize, String>> {
        wanted.iter().map(|_| Err("models of Murphi are not checked against automata yet".to_owned())).collect()
    }

    fn condition_text(&self, _: &Vec<Claim>, condition: &usize) -> String {
        self.properties[*condition].name.clone()
    }

    fn violating(formula: &Formula<usize>) -> Option<ViolatingRuns<usize>> {
        checker::murphi::violating(formula)
    }

    fn slice(
        &self,
        question: &Question<Vec<Claim>>,
        slicing: Slicing,
        _: &Abstracted,
        _: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Error> {
        let by_name = match slicing {
            Slicing::Off => return Ok(Sliced::Whole),
            Slicing::Auto if question.keep_going => return Ok(Sliced::Whole),
            Slicing::Auto => false,
            Slicing::By(Method::Static) => true,
            Slicing::By(method) => return Ok(refused(format!("{} slicing is for actors", method.name()))),
        };
        let made = if question.deadlock || question.faults || question.assertions {
            let reason = "deadlock, faults or assertions are checked, which statements that are removed decide";
            Err(Refused::new(reason, Alternative::Unsliced))
        } else {
            murphi::slice(self, &question.properties, murphi::Wrong::default())
        };
        match made {
            Ok(slice) if question.properties.is_empty() || !by_name && slice.removed.is_empty() => Ok(Sliced::Whole),
            Ok(slice) => Ok(Sliced::Cut(cut(self, question, slice))),
            Err(_) if !by_name => Ok(Sliced::Whole),
            Err(reason) => Ok(refused(reason.reason)),
        }
    }

    fn dead_values(question: &Question<Vec<Claim>>) -> Option<Result<(), Refusal>> {
        let deadlock = if question.stuck { Deadlock::Stuck } else { Deadlock::Stuttering };
        let is_branching = |claim: &Claim| claim.formula().is_some_and(Formula::is_branching);
        let needs_all = |claim: &Claim| claim.kind.is_of_graph() || claim.is_end() || is_branching(claim);
        let requested = Requested {
            deadlock: question.deadlock.then_some(deadlock),
            faults: question.faults,
            of_all_states: question.properties.iter().any(needs_all),
        };
        Some(dead_values::allows(requested, Wrong::default()).map_err(|reason| match reason {
            Reason::StepsThatStay => Refusal::StepsThatStay,
            Reason::FaultsExcluded => Refusal::FaultsExcluded,
            Reason::AllStates => Refusal::AllStates,
        }))
    }

    fn explored(&self) -> Option<Box<dyn Explored<Program> + '_>> {
        let explored = DeadValues::new(self, Wrong::default());
        Some(Box::new(ExploredProgram { program: self, explored, claims: self.claims() }))
    }

    fn keeping(
        &self,
        group: &ValidatedGroup,
        claims: &Vec<Claim>,
        invariants: &[String],
        _: Strategy,
    ) -> Option<Vec<Keeping>> {
        images::keeping(self, group, claims, invariants)
    }

    fn violating_image(
        &self,
        group: &ValidatedGroup,
        elements: &[SparsePermutation],
        claims: &Vec<Claim>,
        invariant: &str,
        trace: &Trace<Self>,
    ) -> Option<Trace<Self>> {
        images::violating(self, group, elements, (claims, invariant), trace)
    }

    fn with_images_of_starts(&self, claims: &Vec<Claim>) -> Option<Program> {
        starts::with_images_of(self, claims)
    }

    fn way_back<'m>(&'m self, wider: &Program, group: &ValidatedGroup) -> Option<WayBack<'m, Program>> {
        starts::way_back(self, wider, group)
    }

    fn candidates_by_text(&self, claims: &Vec<Claim>, strategy: Strategy, _: Effort) -> Option<ByText<Proposed>> {
        let is_declared = strategy == Strategy::ScalarSet;
        let candidates = Candidates::new(self, claims, is_declared);
        let coverage = Coverage { complete: true, ..Coverage::default() };
        let proposal = Proposal { candidates: Proposed { candidates, is_declared }, coverage };
        Some(ByText { proposal, graph_steps: None, is_brief: false })
    }

    fn constraints(&self, _: &Vec<Claim>, _: Strategy, _: Option<&Proposed>) -> Result<Nothing, Undetected> {
        unreachable!("no graph is drawn");
    }

    fn coloured_graph(&self, csp: &Nothing) -> Nothing {
        *csp
    }

    fn candidates(&self, _: &Vec<Claim>, csp: &Nothing, _: &Nothing, _: &Automorphisms) -> Proposal<Proposed> {
        match *csp {}
    }

    fn validate(
        &self,
        claims: &Vec<Claim>,
        by_text: Option<ByText<Proposed>>,
        _: Option<Proposal<Proposed>>,
    ) -> Proved<ValidatedGroup> {
        let Proposal { candidates, mut coverage } = by_text.expect("the text proposes").proposal;
        let group = ValidatedGroup::new(self, claims, candidates.candidates, candidates.is_declared);
        coverage.watched = watched(&group);
        Proved { group, coverage }
    }

    fn unread(&self, _: &str, _: &Reading, _: &Vec<Claim>) -> Vec<Unread> {
        unread::of_murphi(self)
    }

    fn parts(&self) -> Parts {
        Parts::of_murphi(self)
    }

    /// An exchange of names may exchange rules. Otherwise the text proves the group: the image of a step runs the same statements, but for the order of
    /// rounds and of quantified values.
    fn kept_parts(&self, group: &ValidatedGroup, _: &[u64]) -> Kept {
        if group.exchanges().is_empty() { Kept::OutsideRounds } else { Kept::Nothing }
    }

    fn engine_group(group: &ValidatedGroup) -> &engine::Group {
        group.group()
    }

    /// The cells of states and the values in them that move.
    fn on_common_points(&self, groups: &[&ValidatedGroup]) -> Option<CommonPoints> {
        let OnLiterals { degree, generators } = on_literals(self, groups)?;
        Some(CommonPoints { degree, generators })
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        let blocks: Vec<_> = group.blocks().iter().map(|proved| proved.block.clone()).collect();
        checker::murphi::names_of(self, group, &blocks, true)
    }

    fn proof(&self, group: &ValidatedGroup) -> Proof {
        let rejected = group.refused().iter().map(|(block, obstacle)| Rejected {
            cycles: vec![block.values.iter().map(|&value| group.names().value(block.class, value)).collect()],
            witness: obstacle.reason.to_string(),
            is_open: obstacle.is_order(),
        });
        Proof {
            model_order: group.model_order().to_string(),
            exact: true,
            keeps_instances: true,
            rejected: rejected.collect(),
            gap: gap(group.group().generators(), &|point| group.point(self, point)),
            stopped: None,
        }
    }

    fn proofs(&self, _: &Vec<Claim>, group: &ValidatedGroup) -> Vec<ProvedBy> {
        vec![ProvedBy::Text; group.group().generators().len()]
    }

    fn near(&self, _: &Vec<Claim>, group: &ValidatedGroup) -> Vec<NearSymmetry> {
        let found = symmetry::murphi::near(self, group).into_iter();
        let described = found.map(|near| NearSymmetry {
            permutations: near.permutations,
            broken_by: near.obstacles.into_iter().map(place).collect(),
        });
        described.collect()
    }

    fn why(&self, claims: &Vec<Claim>, group: &ValidatedGroup, cycles: &Cycles) -> Result<Why, String> {
        let answer = match symmetry::murphi::why(self, claims, group, cycles)? {
            Finding::Symmetry => Answer::Symmetry(ProvedBy::Text),
            Finding::Broken(places) => {
                let is_open = places.iter().all(Obstacle::is_order);
                Answer::Not { is_open, broken_by: places.into_iter().map(place).collect(), witness: None }
            }
            Finding::Open => {
                let witness = Some("the text does not prove it".to_owned());
                Answer::Not { is_open: true, broken_by: Vec::new(), witness }
            }
        };
        Ok(Why { cycles: cycles.clone(), answer })
    }

    fn unfair_quotient(&self, _: &Question<Vec<Claim>>, _: Plan) -> Option<Refusal> {
        None
    }

    fn remarks(&self, claims: &Vec<Claim>) -> Diagnostics {
        let sorts = &self.types.sorts;
        let mut remarks = Diagnostics::new();
        if sorts.iter().all(|sort| sort.members.is_some()) {
            return remarks;
        }
        // The places of formulas are in another text.
        let claims: Vec<Claim> =
            claims.iter().filter(|claim| !matches!(claim.kind, ClaimKind::Ltl(_))).cloned().collect();
        let group = ValidatedGroup::of(self, &claims, true);
        let mut known = Vec::new();
        for (block, obstacle) in group.refused() {
            let is_own = |sort: &&Sort| sort.members.is_none() && sort.contains(block.values[0]);
            let Some(sort) = sorts.iter().find(is_own).filter(|sort| !known.contains(&sort.first)) else { continue };
            known.push(sort.first);
            let name = if sort.name.is_empty() { "a scalar set".to_owned() } else { format!("`{}`", sort.name) };
            let message = format!("the values of {name} are not all exchanged: {}", obstacle.reason);
            remarks.push(Diagnostic::notice(codes::MURPHI_SCALARSET, obstacle.span, message));
        }
        remarks
    }

    fn never_overflows(&self) -> bool {
        true
    }

    fn check(
        &self,
        question: &Question<Vec<Claim>>,
        reductions: Reductions<'_, ValidatedGroup>,
        control: &mut dyn Control,
    ) -> Result<Report<Trace<Self>>, InternalError> {
        checker::murphi::check(self, question, &reductions, control)
    }
}

/// A part of the states of a program.
struct ExploredProgram<'p> {
    program: &'p Program,
    explored: DeadValues<'p>,
    claims: Vec<Claim>,
}

impl Explored<Program> for ExploredProgram<'_> {
    fn forgetful(&self) -> Option<Forgetful<Program>> {
        let forgetful = self.explored.forgetful()?;
        Some(Forgetful { model: forgetful.program, values: forgetful.rows })
    }

    fn lift(&self, answer: &checker::Answer<Trace<Program>>) -> Option<Trace<Program>> {
        let property = || match self.claims.iter().find(|claim| claim.name == answer.name)?.kind {
            ClaimKind::Invariant(number) => Some(Violation::Property(number)),
            _ => None,
        };
        let violation = match answer.kind {
            QueryKind::Deadlock => Violation::Deadlock(Deadlock::Stuck),
            QueryKind::Assertion => Violation::Assertion,
            QueryKind::Error => Violation::Fault,
            _ => property()?,
        };
        dead_values::lift(self.program, answer.trace.as_ref()?, violation, Wrong::default())
    }

    fn learn_from(&mut self, trace: &Trace<Program>) {
        self.explored.learn_from(trace);
    }
}

/// A slice with the way back of its violations.
fn cut<'p>(program: &'p Program, question: &Question<Vec<Claim>>, slice: MurphiSlice) -> Cut<'p, Program> {
    let claims = question.properties.clone();
    Cut {
        model: slice.model.clone(),
        properties: claims.clone(),
        effect: SliceEffect {
            method: Method::Static.name(),
            removed: counts(&slice.removed),
            ..SliceEffect::default()
        },
        lift: Box::new(move |answer, _| match claims.iter().find(|claim| claim.name == answer.name)?.kind {
            ClaimKind::Invariant(number) => slice.lift(program, answer.trace.as_ref()?, number),
            _ => None,
        }),
    }
}

fn refused<'a>(reason: String) -> Sliced<'a, Program> {
    Sliced::Refused(Refusal::NotPreserved(reason))
}
