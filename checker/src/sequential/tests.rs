//! Compiled processes against the reference semantics, on texts that reach every form of code.

mod stopped;
mod twins;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use engine::RandomSource;
use explore::memory::Halt;
use explore::plan::Plan;
use explore::question::Emptiness;
use explore::quotient::Representatives;
use explore::reductions::{Outcome, Refusal, Representative};
use explore::search::{Clock, NoObserver, explore};
use explore::temporal::answer;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, initial_states, successors};
use frontend::sequential::{Options, Sequential, parse};
use ltl::Properties as _;
use symmetry::sequential::{ValidatedGroup, proved_by_text};

use super::space::{Expansion, Space};
use super::{check, check_reduced, explore_graph};
use crate::{Limit, LimitKind, Limits, Question, Reductions, SearchOrder, Verdict};
use explore::graph::Edge;

pub(super) fn model(text: &str) -> Sequential {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// The states in breadth-first order, the transitions in the order of the steps, the deadlocks and the faults.
fn naive(model: &Sequential) -> (Vec<State>, Vec<Edge>, u64, u64) {
    let (mut numbers, mut states, mut edges): (HashMap<State, u64>, Vec<State>, Vec<Edge>) = Default::default();
    let (mut deadlocks, mut faults, mut queue) = (0, 0, VecDeque::new());
    let mut number_of = |state: State, queue: &mut VecDeque<u64>, states: &mut Vec<State>| {
        let next = numbers.len() as u64;
        *numbers.entry(state).or_insert_with_key(|state| {
            queue.push_back(next);
            states.push(state.clone());
            next
        })
    };
    for state in initial_states(model) {
        number_of(state, &mut queue, &mut states);
    }
    while let Some(from) = queue.pop_front() {
        let steps = successors(model, &states[usize::try_from(from).expect("small")].clone());
        deadlocks += u64::from(steps.is_empty());
        for step in steps {
            match step.result {
                Ok(state) => edges.push(Edge { from, to: number_of(state, &mut queue, &mut states) }),
                Err(_) => faults += 1,
            }
        }
    }
    (states, edges, deadlocks, faults)
}

/// The steps of the first state, and its faults, where so many bytes are left for them; nothing where they have no room.
fn steps_within(model: &Sequential, bytes: u64, forgets: bool) -> Option<(Vec<u64>, usize)> {
    let mut space = Space::new(model, None, None);
    space.forgets_missing = forgets;
    let words = space.packing.pack(&initial_states(model).next().expect("there is one"));
    space.store.allow(bytes);
    let mut expansion = Expansion::default();
    match expansion.steps(&mut space, &words) {
        Ok(_) => Some((expansion.words.clone(), expansion.faults.len())),
        Err(cause) => {
            assert_eq!(cause, Halt::Memory);
            None
        }
    }
}

/// Whether a visit gives all steps or none, however little memory there is; both occur.
fn is_whole_or_nothing(forgets: bool) -> bool {
    let model = model(
        "type P : 0..199; type Q : 0..9; proc X(on : BOOL[P], y : Q) = sum i:P . [!on[i]] get(i) { on[i] := 1; } -> X
           + sum i:P . [!on[i]] fails(i) { y := i + 10; } -> X;
         init X(on = 0, y = 0);",
    );
    let whole = steps_within(&model, u64::MAX, forgets);
    assert_eq!(whole.as_ref().map(|(words, faults)| (words.len(), *faults)), Some((200 * 4, 200)));
    let some: Vec<_> = (0..60_000).step_by(500).filter_map(|bytes| steps_within(&model, bytes, forgets)).collect();
    assert!(forgets || (10..110).contains(&some.len()), "{} have room", some.len());
    some.into_iter().all(|steps| Some(steps) == whole)
}

#[test]
fn a_visit_without_room_has_no_steps_rather_than_some() {
    assert!(is_whole_or_nothing(false));
}

#[test]
fn a_visit_that_leaves_out_steps_for_want_of_room_is_caught() {
    assert!(!is_whole_or_nothing(true));
}

fn agrees(text: &str) -> (u64, u64) {
    let model = model(text);
    let (states, edges, deadlocks, faults) = naive(&model);
    let explored = explore_graph(&model, &Limits::default());
    assert_eq!(explored.edges, edges, "{text}");
    assert_eq!(explored.states, states, "{text}");
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let question =
            Question { keep_going: true, order, properties: model.properties.clone(), ..Question::default() };
        let report = check(&model, &question, &mut ()).expect("confirmed");
        assert_eq!((report.states, report.transitions), (states.len() as u64, edges.len() as u64), "{text}");
        assert_eq!(report.deadlock_states, Some(deadlocks), "{text}");
        let violated: Vec<bool> =
            report.answers[..2].iter().map(|answer| answer.verdict == Verdict::Violated).collect();
        assert_eq!(violated, [deadlocks > 0, faults > 0], "{text}");
    }
    (deadlocks, faults)
}

#[test]
fn guards_share_conjuncts_and_faults_stay_where_they_are() {
    agrees(
        "type I : 0..2; type V : 0..3; const t[i:I] = i + 1;
         proc P(x : V[I], y : V) =
             sum i:I . sum k:V . [x[i] = k && k < 3] up(i) { x[i] := k + 1; } -> P
           + sum i:I . sum j:I . [i < j && x[i] = 3 && x[j] = 3] meet(i, j) { y := y + t[i]; x[i] := 0; } -> P
           + sum i:I . [x[i] = 3 && y > 0 && 6 / (y - 1) >= 2] divide { y := 0; } -> P
           + sum i:I . [x[x[i]] = 1] look { y := x[i]; } -> P;
         init P(x = 0, y = 0);",
    );
}

#[test]
fn every_form_is_compiled() {
    let (_, faults) = agrees(
        "type I : -1..1; type E : { red, green, blue }; type W : 0..7; const next[E] = [green, blue, red];
         proc P(e : E, w : W, a : BOOL[I][E]) =
             sum c:E . [e = c] turn(next[c]) { e := next[e]; if (e = red) { w := (w * 3 - 1) mod 8; } else { } } -> P
           + sum i:I . [a[i][e] => w xor 1 = 4] set { a[-i][next[e]] := 1 - a[i][e]; } -> P
           + [!(popcount(w) = 2) && ite(w > 3, exists i:I . a[i][red], forall i:I . a[i][blue])] count { w := w / 2; } -> P
           + [-w < -5] wrap(8 / (w - 6)) { w := w + 1; } -> P;
         init P(e = green, w = 5, a = 0);",
    );
    assert!(faults > 0);
}

#[test]
fn many_values_are_not_written_out() {
    agrees(
        "type B : 0..399; type C : 0..39; type V : 0..9; const big[b:B] = b mod 7;
         proc P(x : B, y : V) =
             [exists b:B . big[b] = 3 && b > x && forall c:B . (c != b + 1 || big[c] = 4)] find { x := x + 100; } -> P
           + sum b:C . sum c:C . sum v:V . [b = x mod 40 && c + v = 39 && v = y && v < 9] third { y := y + 1; } -> P;
         init P(x = 5, y = 7);",
    );
}

#[test]
fn edges_of_a_graph_are_found_without_all_pairs() {
    agrees(
        "const N = 40; type A : 0..N-1; type S : 0..1; const edge[u:A][v:A] = v = u + 1;
         proc P(at : A, s : S) = sum u:A . sum v:A . sum w:A . [edge[u][v] && edge[v][w] && at = u] go(w) { at := w; } -> P;
         init P(at = 0, s = 0);",
    );
}

#[test]
fn initial_states_are_counted_before_they_are_stored() {
    let model = model("type V : 0..3; type I : 1..30; proc P(x : V[I]) = [true] e { } -> P; init P(*);");
    let limits = Limits { max_states: Some(1_000), ..Limits::default() };
    let report = check(&model, &Question { limits, ..Question::default() }, &mut ()).expect("no trace");
    assert_eq!((report.verdict, report.states), (Verdict::Inconclusive, 1_000));
    assert_eq!(report.limit, Some(Limit { kind: LimitKind::States, value: 1_000 }));
}

#[test]
fn limits_are_never_answers() {
    let model = model("type V : 0..99; proc P(x : V) = [x < 99] e { x := x + 1; } -> P; init P(x = 0);");
    let run = |limits| {
        let question = Question { limits, deadlock: false, ..Question::default() };
        let report = check(&model, &question, &mut ()).expect("no trace");
        (report.verdict, report.limit.map(|limit| limit.kind), report.states)
    };
    let depth = |most| Limits { max_depth: Some(most), ..Limits::default() };
    assert_eq!(run(depth(98)), (Verdict::Inconclusive, Some(LimitKind::Depth), 99));
    assert_eq!(run(depth(99)), (Verdict::Holds, None, 100));
    let memory = Limits { max_memory: Some(1), ..Limits::default() };
    assert_eq!(run(memory).1, Some(LimitKind::Memory));
}

/// Every fair run of a rendezvous that goes on for ever has it as a step of both processes.
#[test]
fn both_processes_of_a_rendezvous_move() {
    let text = "chan c = [0] of { bit }; bit x; active proctype P() { do :: c!1 od } active proctype Q() { do :: c?1 od } ltl L { <> x }";
    let model = frontend::promela::parse(text, &Default::default(), &mut Diagnostics::new()).model.expect("a model");
    let verdict = |forgets_receivers: bool| {
        let mut space = Space::new(&model, None, None);
        space.note_processes();
        space.forgets_receivers = forgets_receivers;
        let (name, formula) = model.properties.formulas()[0];
        let question = Question { properties: model.properties.clone(), ..Question::default() };
        let answer = answer(space, Plan::default(), name, formula, &question, Duration::ZERO, &mut ());
        answer.expect("a confirmed answer").settled().map(|answer| answer.verdict)
    };
    assert_eq!(verdict(false), Some(Verdict::Violated));
    assert_eq!(verdict(true), Some(Verdict::Holds), "the wrong one finds no fair run");
}

/// The label is passed in the first state inside of the sequence, and the sequence goes on: the step is one that passes it.
#[test]
fn what_holds_on_the_way_through_a_step_counts() {
    let text = "byte x; active [2] proctype P() { do :: atomic { x = 1; accept: x = 2; x = 0 } od }";
    let model = frontend::promela::parse(text, &Default::default(), &mut Diagnostics::new()).model.expect("a model");
    let verdict = |forgets_ways: bool, emptiness: Emptiness| {
        let mut space = Space::new(&model, None, None);
        space.forgets_ways = forgets_ways;
        let (name, formula) = model.properties.formulas()[0];
        let fairness = explore::question::Fairness::None;
        let question = Question { properties: model.properties.clone(), emptiness, fairness, ..Question::default() };
        let answer = answer(space, Plan::default(), name, formula, &question, Duration::ZERO, &mut ());
        answer.expect("a confirmed answer").settled().map(|answer| answer.verdict)
    };
    for emptiness in [Emptiness::Components, Emptiness::Nested] {
        assert_eq!(verdict(false, emptiness), Some(Verdict::Violated));
        assert_eq!(verdict(true, emptiness), Some(Verdict::Holds), "the wrong one does not see the label");
    }
    let question = Question { properties: model.properties.clone(), ..Question::default() };
    let reductions = Reductions { partial_order: true, ..Reductions::default() };
    let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
    let run = report.answers.iter().find_map(|answer| answer.run.as_ref()).expect("the run of the formula");
    assert_eq!(run.reductions[0].outcome, Outcome::Refused(Refusal::LongSteps("accept".to_owned())));
}

/// Objects are linked to each other, two at a time.
const LINKS: &str = "
    type P : 0..8;
    proc Links(link : BOOL[P][P]) =
        sum p:P . sum q:P . [p != q && !link[p][q]] join { link[p][q] := 1; } -> Links
      + sum p:P . sum q:P . [p != q && link[p][q]] part { link[p][q] := 0; } -> Links;
    init Links(link = 0);";

#[test]
fn the_chain_is_made_for_states_that_the_labelling_leaves() {
    let model = model(LINKS);
    let group = ValidatedGroup::of_candidates(&model, &[], proved_by_text(&model, &[]));
    assert_eq!(group.order(), 362_880_u32.into());
    let mut space = Space::new(&model, None, None);
    assert_eq!(space.reduce(&group, &[], Representative::Auto, false), Some("labelling by refinement of objects"));
    let mut random = RandomSource::new(1);
    let mut represented = |space: &mut Space<'_>, links: &[(usize, usize)]| {
        let mut places: Vec<usize> = (0..9).collect();
        for at in 1..9 {
            places.swap(at, random.below(at + 1));
        }
        let mut state = vec![0; 81];
        links.iter().for_each(|&(from, to)| state[9 * places[from] + places[to]] = 1);
        let mut words = space.packing.pack(&state);
        space.canonicalise(None, &mut words).expect("there is room");
        words
    };
    // All objects of a path look different; three cycles of three objects have 162 permutations, and no twins.
    let path: Vec<(usize, usize)> = (0..8).map(|at| (at, at + 1)).collect();
    let cycles: Vec<(usize, usize)> = (0..9).map(|at| (at, at / 3 * 3 + (at + 1) % 3)).collect();
    for (links, has_chain) in [(&path, false), (&cycles, true), (&path, true)] {
        let first = represented(&mut space, links);
        assert!((0..20).all(|_| represented(&mut space, links) == first), "one representative per orbit");
        assert_eq!(space.symmetry.as_ref().map(Representatives::has_chain), Some(has_chain));
    }
}

/// Searches a process that counts to 90 with the group of one that does nothing behind it.
fn searched_with_the_group_of_another(behind: &str, property: &str) {
    let text = |behind: &str, property: &str| {
        model(&format!(
            "type P : 0..2; type N : 0..90;
             proc C(n : N, last : P) =
                 sum p:P . [n = 0 && p != 0] first {{ n := 1; last := p; }} -> C
               + [n > 0 && n < 90] count {{ n := n + 1; }} -> C
               {behind};
             init C(n = 0, last = 0);
             {property}"
        ))
    };
    let (model, other) = (text(behind, property), text("", ""));
    let group = ValidatedGroup::of_candidates(&other, &[], proved_by_text(&other, &[]));
    let mut space = Space::new(&model, None, None);
    assert!(space.reduce(&group, &model.properties, Representative::Auto, false).is_some());
    let (limits, order) = (Limits::default(), SearchOrder::BreadthFirst);
    let summary = explore(&mut space, &mut NoObserver, Clock::new(&mut ()), &limits, order);
    assert!(summary.expect("no checkpoint").complete && space.store.len() > 90);
}

#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_process_is_noticed_in_the_search() {
    searched_with_the_group_of_another("+ [n = 90 && last = 1] again { n := 0; } -> C", "");
}

#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_property_of_a_process_is_noticed_in_the_search() {
    searched_with_the_group_of_another("", "assert One = n < 80 || last = 1;");
}

#[test]
fn the_group_of_a_process_is_not_contradicted() {
    searched_with_the_group_of_another("", "assert All = n < 91;");
}

/// Searches a process whose counters are set in turn with the group of one whose movers are others, and follows the processes.
fn searched_with_the_movers_of_another(mover: &str) {
    let text = |mover: &str| {
        model(&format!(
            "type P : 0..2; type N : 0..90;
             proc C(n : N, set : BIT[P]) fair P =
                 [n < 90] count {{ n := n + 1; }} -> C
               + sum q:P . sum p:P . [n = 90 && !set[p] && q = {mover}] set {{ set[p] := 1; }} -> C;
             init C(n = 0, set = 0);"
        ))
    };
    let (model, other) = (text(mover), text("p"));
    let group = ValidatedGroup::of_candidates(&other, &[], proved_by_text(&other, &[]));
    let mut space = Space::new(&model, None, None);
    space.note_processes();
    assert!(space.reduce(&group, &model.properties, Representative::Auto, true).is_some());
    let (limits, order) = (Limits::default(), SearchOrder::BreadthFirst);
    let summary = explore(&mut space, &mut NoObserver, Clock::new(&mut ()), &limits, order);
    assert!(summary.expect("no checkpoint").complete && space.store.len() > 90);
}

#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_whose_processes_are_those_of_another_is_noticed_in_the_search() {
    searched_with_the_movers_of_another("0");
}

#[test]
fn the_processes_of_a_group_are_not_contradicted() {
    searched_with_the_movers_of_another("p");
}
