//! The candidates that the text of a process proves, next to those of its graph.
//!
//! A proof by text takes time linear in the text; the graph and the proofs of its candidates grow with the number of instances. So
//! where the text proves some symmetry, or is that of a net, no graph is drawn if instances have more than [`MAX_WEIGHT`] terms together, and
//! otherwise the graph and the proofs take at most so many [`Steps`], whose number does not depend on the machine. Symmetries that only the graph shows may then
//! be missed, and the report says that the group may be too small. A brief detection does so, too, where all symmetries that the text proves move the properties. Candidates of a graph that is not whole are not proved where the group of the text acts on
//! live values as they do. Live values come from the lowering without a proof: they choose between proved groups, and make none.

use csp::csp::Part;
use csp::weight::{weight, weight_of};
use engine::SparsePermutation;
use frontend::sequential::{Origin, Property, Sequential, SummandId};
use symmetry::sequential::{Candidate, Rejection, ValidatedGroup, proved_by_text};

use super::detect::Candidates;
use crate::detection::{ByText, Coverage, Effort, Proposal, Proved};

/// The most terms of all instances for a graph next to a proof by text.
const MAX_WEIGHT: u64 = 1 << 18;

/// The most steps to compare what two groups do to states.
const MOST_COMPARED: u64 = 1 << 26;

/// The most steps next to a proof by text.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// For a graph and its automorphisms.
    graph: u64,
    /// For the proofs of the candidates of the graph.
    proof: u64,
}

impl Default for Steps {
    /// A fifth of a second at most for the graph, and a tenth of one for proofs, on the machines of today: a search is not much slower for a graph that
    /// is not finished.
    fn default() -> Steps {
        Steps { graph: 1 << 26, proof: 1 << 26 }
    }
}

/// The candidates that the text proves; `None` if the graph is to be drawn without a bound. Without a graph, those summands are opaque whose
/// instances have more than their share of the terms.
pub(super) fn candidates(
    model: &Sequential,
    properties: &[Property],
    effort: Effort,
    steps: Steps,
) -> Option<ByText<Candidates>> {
    let candidates = proved_by_text(model, properties);
    // The text of a net shows the exchanges of its places: little is left for the functions of its transitions.
    let is_open = candidates.is_empty() && model.origin != Origin::Pnml;
    let has_others = || !properties.is_empty() && !proved_by_text(model, &[]).is_empty();
    if is_open && (effort == Effort::Whole || !has_others()) {
        return None;
    }
    let count = model.summands.len() as u64;
    let is_large = |id: &SummandId| weight_of(model, model.summand(*id)).saturating_mul(count) > MAX_WEIGHT;
    let large = (0..model.summands.len()).map(SummandId::from_index).filter(is_large);
    let opaque = large.map(|id| Part::Summand(id).name(model)).collect();
    let coverage = Coverage { complete: true, opaque, ..Coverage::default() };
    let proposal = Proposal { candidates: Candidates { list: candidates, live: Vec::new() }, coverage };
    Some(ByText { proposal, graph_steps: (weight(model) <= MAX_WEIGHT).then_some(steps.graph), is_brief: is_open })
}

/// The proved group of the candidates. Those that the text proves join the group of the graph if the latter left something open.
pub(super) fn group(
    model: &Sequential,
    properties: &[Property],
    by_text: Option<ByText<Candidates>>,
    by_graph: Option<Proposal<Candidates>>,
    steps: Steps,
) -> Proved<ValidatedGroup> {
    let of = |candidates: Vec<Candidate>| ValidatedGroup::of_candidates(model, properties, candidates);
    let (text, Proposal { candidates, mut coverage }) = match (by_text, by_graph) {
        (None, Some(Proposal { candidates, coverage })) => return Proved { group: of(candidates.list), coverage },
        (Some(text), Some(graph)) => (text.proposal.candidates.list, graph),
        (text, None) => {
            let Proposal { candidates, coverage } = text.expect("there is a proposal").proposal;
            return Proved { group: of(candidates.list), coverage };
        }
    };
    let Candidates { list, live } = candidates;
    let permutations = |list: &[Candidate]| -> Vec<SparsePermutation> {
        list.iter().map(|candidate| candidate.permutation().clone()).collect()
    };
    // With weak fairness every candidate is proved: two that move the same variables may move other processes.
    let of_text = (is_partial(&coverage) && model.fair.is_none()).then(|| of(text.clone()));
    if let Some(group) = of_text.as_ref().filter(|group| acts_alike(group, &permutations(&list), &live)) {
        return Proved { group: group.clone(), coverage };
    }
    let group = limits::at_most(steps.proof, || of(list));
    let is_decided = |group: &ValidatedGroup| !group.stopped().as_ref().is_some_and(limits::Stopped::is_of_steps);
    coverage.undecided = !group.as_ref().is_some_and(is_decided);
    let has_text = |group: &ValidatedGroup| compared(|| group.contains_on_live(&permutations(&text), &live));
    let group = match group {
        Some(group) if !coverage.undecided && (!is_open(&coverage, &group) || has_text(&group)) => {
            return Proved { group, coverage };
        }
        group => group,
    };
    let (of_text, more) = (of_text.unwrap_or_else(|| of(text.clone())), group.as_ref().map(ValidatedGroup::generators));
    let (more, open) = (more.unwrap_or_default(), group.as_ref().map(not_decided).unwrap_or_default());
    let group = if of_text.contains_on_states(more) {
        of_text
    } else {
        let candidates = text.into_iter().chain(more.iter().cloned().map(Candidate::from)).collect();
        let joined = limits::at_most(steps.proof, || of(candidates));
        coverage.undecided |= joined.is_none();
        joined.unwrap_or(of_text)
    };
    coverage.undecided |= !open.is_empty() && !compared(|| group.contains_on_live(&open, &live));
    Proved { group, coverage }
}

/// Whether the candidates act on reachable states as elements of the group of the text, and no element of that group but the identity leaves all of
/// these states as they are. No other group could then come of proofs of the candidates.
fn acts_alike(of_text: &ValidatedGroup, candidates: &[SparsePermutation], live: &[Vec<i32>]) -> bool {
    compared(|| of_text.order_on_live(live) == of_text.order() && of_text.contains_on_live(candidates, live))
}

/// A comparison of groups, which is not known to hold if it takes too many steps.
fn compared(holds: impl FnOnce() -> bool) -> bool {
    limits::at_most(MOST_COMPARED, holds).unwrap_or(false)
}

/// The candidates of a group that are neither proved nor refuted.
fn not_decided(group: &ValidatedGroup) -> Vec<SparsePermutation> {
    let open = group.rejected().iter().filter(|rejected| matches!(rejected.reason, Rejection::NotDecided(_)));
    open.map(|rejected| rejected.permutation.clone()).collect()
}

/// Whether the graph or the proofs of its candidates may have missed a symmetry that the text proves.
fn is_open(coverage: &Coverage, group: &ValidatedGroup) -> bool {
    !not_decided(group).is_empty() || is_partial(coverage)
}

/// Whether the graph may lack a symmetry.
fn is_partial(coverage: &Coverage) -> bool {
    !coverage.opaque.is_empty() || !coverage.as_written.is_empty()
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::{Property, Sequential};

    use symmetry::Strategy;

    use super::{
        ByText, Candidates, Coverage, Effort, Proposal, SparsePermutation, Steps, ValidatedGroup, candidates, group,
    };
    use crate::detection::Seconds;
    use crate::line::proposed_by_graph;
    use crate::read::{AnyModel, Reading, read};

    /// Cells pass on what they hold; the text proves S3.
    const CELLS: &str = "
        type CELL : 1..3;
        type KIND : { free, red, blue };
        proc P(holds : KIND[CELL], last : CELL) =
            sum c:CELL . [holds[c] = free] fill(c) { holds[c] := red; } -> P
          + sum c:CELL . [holds[c] = free] paint(c) { holds[c] := blue; } -> P
          + sum c:CELL . sum d:CELL . [holds[c] != free && holds[d] = free] pass(c, d) { holds[d] := holds[c]; holds[c] := free; last := d; } -> P;
        init P(holds = free, last = *);";

    fn model(text: &str) -> Sequential {
        match read("cells.lpe", text, &Reading::default(), &mut Diagnostics::default()) {
            Ok(AnyModel::Process(model)) => model,
            _ => unreachable!("a valid process"),
        }
    }

    /// What the graph of a process proposes, next to its text.
    fn graph_of(model: &Sequential, by_text: &ByText<Candidates>) -> Option<Proposal<Candidates>> {
        let (strategy, proved) = (Strategy::Constraint, Some(&by_text.proposal.candidates));
        proposed_by_graph(model, &Vec::new(), strategy, proved, &mut Seconds::default()).ok()
    }

    /// The group of a process, and whether it is said to be undecided; of a graph that may lack symmetries or not.
    fn proved(model: &Sequential, is_partial: bool, steps: Steps) -> (u32, bool) {
        let none = Vec::new();
        let by_text = candidates(model, &none, Effort::Whole, steps).expect("the text proves some");
        let mut by_graph = graph_of(model, &by_text);
        if let Some(graph) = by_graph.as_mut().filter(|_| is_partial) {
            graph.coverage.as_written.push("a condition".to_owned());
        }
        let proved = group(model, &none, Some(by_text), by_graph, steps);
        (proved.group.order().try_into().expect("a small group"), proved.coverage.undecided)
    }

    #[test]
    fn candidates_of_a_partial_graph_need_no_proof_where_the_text_has_them() {
        // The text does not look at guards: by it `kept` moves with the cells. By the graph it is always 0.
        let keeping = CELLS
            .replace("proc P(", "type KEPT : 0..3; proc P(kept : KEPT, is_kept : BOOL, ")
            .replace("init P(", "init P(kept = 0, is_kept = 0, ")
            .replace("{ holds[c] := red;", "{ holds[c] := red; if (is_kept = 1) { kept := c; }");
        let model = model(&keeping);
        let without_proofs = Steps { proof: 0, ..Steps::default() };
        assert_eq!(proved(&model, true, without_proofs), (6, false));
        assert_eq!(proved(&model, false, without_proofs), (6, true));
    }

    /// The text proves S3 on the cells, but not that a quantifier whose body may fault is the same for all orders of values.
    #[test]
    fn a_property_without_a_proof_by_text_does_not_lift_the_bound_of_a_brief_detection() {
        let with = |body: &str| {
            let property = format!("assert A = exists c:CELL . {body};");
            let model = model(&format!(
                "{}\n{property}",
                CELLS
                    .replace("type CELL : 1..3;", "type CELL : 1..3; type LAST : 0..3;")
                    .replace("last : CELL", "last : LAST")
            ));
            let of = |properties: &[Property], effort| candidates(&model, properties, effort, Steps::default());
            let count = |text: ByText<Candidates>| {
                (text.proposal.candidates.list.len(), text.graph_steps.is_some(), text.is_brief)
            };
            let of_properties = [Effort::Brief, Effort::Whole].map(|effort| of(&model.properties, effort).map(count));
            (of(&[], Effort::Brief).map(count), of_properties)
        };
        let whole = Some((2, true, false));
        assert_eq!(with("holds[c] = free"), (whole, [whole; 2]));
        assert_eq!(with("last != c && holds[last] = free"), (whole, [Some((0, true, true)), None]));
    }

    /// The graph of a brief detection is finished, but not the proofs: the group is not passed off as one of a whole detection.
    #[test]
    fn proofs_of_a_brief_detection_that_are_cut_off_leave_the_group_open() {
        let cells = CELLS
            .replace("type CELL : 1..3;", "type CELL : 1..3; type LAST : 0..3;")
            .replace("last : CELL", "last : LAST");
        let model = model(&format!("{cells}\nassert A = exists c:CELL . last != c && holds[last] = free;"));
        let by_graph = |by_text: &ByText<Candidates>| {
            let proved = Some(&by_text.proposal.candidates);
            proposed_by_graph(&model, &model.properties, Strategy::Constraint, proved, &mut Seconds::default()).ok()
        };
        for (proof, undecided) in [(0, true), (u64::MAX >> 1, false)] {
            let steps = Steps { proof, ..Steps::default() };
            let by_text = candidates(&model, &model.properties, Effort::Brief, steps).expect("the text proves others");
            assert!(by_text.is_brief);
            let by_graph = by_graph(&by_text);
            let proved = group(&model, &model.properties, Some(by_text), by_graph, steps);
            assert_eq!(proved.coverage.undecided, undecided);
        }
    }

    #[test]
    fn values_that_never_occur_make_no_group_larger() {
        // The text does not look at guards: it proves S3 on marks, none of which is ever set.
        let marked = CELLS
            .replace("proc P(", "type MARK : 0..3; proc P(mark : MARK, is_marked : BOOL, ")
            .replace("init P(", "init P(mark = 0, is_marked = 0, ")
            .replace("sum c:CELL . [holds[c] = free] fill", "sum m:MARK . [is_marked = 1 && m != 0] set(m) { mark := m; } -> P\n + sum c:CELL . [holds[c] = free] fill");
        let model = model(&marked);
        assert_eq!(
            candidates(&model, &[], Effort::Whole, Steps::default()).map(|text| text.proposal.candidates.list.len()),
            Some(4)
        );
        for is_partial in [false, true] {
            assert_eq!(proved(&model, is_partial, Steps::default()), (6, false), "{is_partial}");
        }
    }

    #[test]
    fn a_candidate_that_is_not_decided_stays_open_where_the_text_has_the_group() {
        // The body is a function of 64 bits that is too large to look into.
        let large = CELLS
            .replace("proc P(", "type I : 0..63; type T : 0..2000000000; proc P(bits : BIT[I], is_even : BIT, ")
            .replace("init P(", "init P(bits = *, is_even = 0, ")
            .replace("{ holds[c] := blue;", "{ holds[c] := blue; var t : T := 0; for i:I { t := (t * 3 + bits[i]) mod 500000003; } is_even := t mod 2;");
        let (model, none) = (model(&large), Vec::new());
        let by_text = candidates(&model, &none, Effort::Whole, Steps::default()).expect("the text proves some");
        let literals = csp::Literals::new(&model);
        let pairs = [0, 1].map(|value| (literals.point(0, value), literals.point(1, value)));
        let exchange = pairs.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]).collect();
        let list = vec![SparsePermutation::from_pairs(exchange).expect("an exchange").into()];
        let candidates = Candidates { list, live: Vec::new() };
        let by_graph = Proposal { candidates, coverage: Coverage { complete: true, ..Coverage::default() } };
        let steps = Steps { proof: u64::MAX >> 1, ..Steps::default() };
        let proved = group(&model, &none, Some(by_text), Some(by_graph), steps);
        assert_eq!((proved.group.order(), proved.coverage.undecided), (6_u32.into(), true));
    }

    #[test]
    fn groups_are_compared_by_what_they_do_to_live_values() {
        let model = model(CELLS);
        let text = candidates(&model, &[], Effort::Whole, Steps::default())
            .expect("the text proves some")
            .proposal
            .candidates
            .list;
        let [one, other] = [&text[0], &text[1]].map(|candidate| candidate.permutation().clone());
        let group = ValidatedGroup::of_candidates(&model, &[], vec![text[0].clone()]);
        let mut live: Vec<Vec<i32>> = (0..group.literals().elements()).map(|_| vec![0, 1, 2, 3]).collect();
        let contains =
            |live: &[Vec<i32>]| [&one, &other].map(|one| group.contains_on_live(std::slice::from_ref(one), live));
        assert_eq!((contains(&live), contains(&[])), ([true, false], [true, false]));
        // Where one of two elements that change places has no value but another one, a live literal goes to one that is not.
        live[0] = vec![0];
        live[1] = vec![0];
        assert_eq!(contains(&live), [true, false]);
        // Nothing moves where each element has one value.
        live.fill(vec![0]);
        assert_eq!(contains(&live), [true, true]);
    }

    #[test]
    fn proofs_by_text_do_not_depend_on_the_steps_of_the_graph() {
        let model = model(CELLS);
        let most = Steps::default();
        for (steps, has_graph) in
            [(most, true), (Steps { graph: 1, ..most }, false), (Steps { proof: 0, ..most }, true)]
        {
            let none = Vec::new();
            let by_text = candidates(&model, &none, Effort::Whole, steps).expect("the text proves some");
            let draw = || graph_of(&model, &by_text);
            let by_graph = limits::at_most(by_text.graph_steps.expect("a small process"), draw).flatten();
            assert_eq!(by_graph.is_some(), has_graph);
            let proved = group(&model, &none, Some(by_text), by_graph, steps);
            assert_eq!(proved.group.order(), 6_u32.into());
        }
    }
}
