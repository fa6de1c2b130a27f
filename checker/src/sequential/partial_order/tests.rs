//! Reduced searches of random processes against plain ones; known-wrong variants that the comparison has to catch.

mod claims;
mod directed;
mod random;

use explore::reductions::{Outcome, Refusal};

use engine::SparsePermutation;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Sequential, parse};
use symmetry::sequential::ValidatedGroup;

use self::random::{random_queues, random_text};
use super::super::body::Instance;
use super::super::space::Space;
use super::super::{check, check_reduced};
use super::ample::elements;
use super::effects::Scratch;
use super::possible::Possible;
use super::{Ample, Query, Wrong};
use crate::Reductions;
use crate::stubborn::sets::{Rows, has, set};
use crate::tests::{ENOUGH, Rng};
use crate::{Fairness, Limits, QueryKind, Question, Report, Representative, SearchOrder, Verdict};
use explore::plan::Plan;

const SMALL: u64 = 4_000;

fn model(text: &str) -> Sequential {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// A random process of each kind.
fn any_text(seed: u64) -> String {
    // The question depends on the seed, too.
    match seed / 12 % 4 {
        0 | 1 => random_text(seed, false),
        2 => random_queues(seed, false),
        _ => random_queues(seed, true),
    }
}

/// The values that the elements of a process may have.
fn possible(model: &Sequential, instances: &[Instance<'_>], wrong: Wrong) -> Possible {
    Possible::new(&elements(model), instances, model.turn(), &mut Scratch::new(model.working_len()), wrong)
}

/// A question: some of the properties of the process, and at times no faults, or only deadlock.
fn question(seed: u64, model: &Sequential) -> Question<Vec<frontend::sequential::Property>> {
    let kept = |&(at, _): &(usize, &frontend::sequential::Property)| (seed + at as u64).is_multiple_of(3);
    let order = if seed.is_multiple_of(3) { SearchOrder::DepthFirst } else { SearchOrder::BreadthFirst };
    Question {
        properties: model.properties.iter().enumerate().filter(kept).map(|(_, property)| property.clone()).collect(),
        order,
        fairness: Fairness::None,
        keep_going: true,
        faults: !seed.is_multiple_of(4),
        limits: Limits { max_states: Some(SMALL), ..Limits::default() },
        ..Question::default()
    }
}

/// The group that a rotation of the agents generates, if it is a symmetry.
fn rotations(model: &Sequential, properties: &[frontend::sequential::Property]) -> Option<ValidatedGroup> {
    let agents = model.domain(model.variables[0].indices[0]).size();
    let none = ValidatedGroup::new(model, properties, Vec::new());
    let (literals, mut pairs) = (none.literals(), Vec::new());
    for variable in model.variables.iter().filter(|variable| !variable.indices.is_empty()) {
        for (agent, value) in
            (0..agents).flat_map(|agent| model.domain(variable.sort).values().map(move |v| (agent, v)))
        {
            let point = |agent: usize| literals.point(variable.offset + agent % agents, value);
            pairs.push((point(agent), point(agent + 1)));
        }
    }
    let rotation = SparsePermutation::from_pairs(pairs).expect("a permutation");
    let group = ValidatedGroup::new(model, properties, vec![rotation]);
    (!group.generators().is_empty()).then_some(group)
}

/// A run, reduced by partial order as a variant has it and by a group; nothing where a counterexample is not confirmed.
fn run(
    model: &Sequential,
    question: &Question<Vec<frontend::sequential::Property>>,
    plan: Option<Wrong>,
    group: Option<&ValidatedGroup>,
) -> Option<Report<frontend::sequential::trace::Trace>> {
    let of = |properties: &[frontend::sequential::Property], faults, more_than_deadlock| {
        let mut space = Space::new(model, question.limits.max_states, None);
        if let Some(group) = group {
            assert!(space.reduce(group, &[], Representative::Auto, false).is_some());
        }
        let query = |wrong| Query { properties, at_images: None, faults, more_than_deadlock, wrong };
        space.ample = plan.map(|wrong| Ample::new(model, query(wrong), group).expect("a small process"));
        space
    };
    let is_formula = |property: &&frontend::sequential::Property| {
        matches!(property.kind, frontend::sequential::PropertyKind::Ltl(_))
    };
    let split = |formulas| {
        let all = question.properties.iter().filter(|property| is_formula(property) == formulas);
        all.cloned().collect::<Vec<_>>()
    };
    let (invariants, formulas) = (split(false), split(true));
    let more_than_deadlock = question.faults || !invariants.is_empty();
    let of_formula = || (of(&formulas, true, true), Plan::default());
    let of_states = || (of(&invariants, question.faults, more_than_deadlock), Plan::default());
    let plain = || Space::new(model, None, None);
    explore::run::run(of_states, of_formula, plain, question, &mut ()).ok()
}

type Verdicts = Vec<(String, Verdict)>;

/// The verdicts, and the number of deadlocks where there is no quotient.
fn verdicts(report: &Report<frontend::sequential::trace::Trace>, group: bool) -> (Verdicts, Option<u64>) {
    let verdicts = report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect();
    (verdicts, report.deadlock_states.filter(|_| !group))
}

#[test]
fn reduced_searches_agree_with_plain_ones() {
    let (mut checked, mut whole, mut reduced, mut violated) = (0, 0, 0, 0);
    for seed in 0..1_000 {
        let text = any_text(seed);
        let model = model(&text);
        let question = question(seed, &model);
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        let found = run(&model, &question, Some(Wrong::default()), None).expect("confirmed");
        assert_eq!(verdicts(&found, false), verdicts(&plain, false), "seed {seed}\n{text}");
        assert!(found.states <= plain.states);
        for keep_going in [false, true] {
            let question = Question { keep_going, ..question.clone() };
            let found = run(&model, &question, Some(Wrong::default()), None).expect("confirmed");
            assert_eq!(found.verdict, plain.verdict, "seed {seed}");
        }
        (checked, whole, reduced) = (checked + 1, whole + plain.states, reduced + found.states);
        violated += plain.answers.iter().filter(|answer| answer.verdict == Verdict::Violated).count();
    }
    println!("{checked} processes, {violated} violations: {whole} states, reduced {reduced}");
    assert!(checked > 400 && violated > 400 && reduced * 10 < whole * 9, "{checked} {violated} {whole} {reduced}");
}

#[test]
fn reduced_quotients_agree_with_plain_searches() {
    let (mut checked, mut counts) = (0, [0; 4]);
    for seed in 10_000..10_600 {
        let model = model(&random_text(seed, true));
        let question = question(seed, &model);
        let Some(group) = rotations(&model, &question.properties) else { continue };
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        let runs = [(None, Some(&group)), (Some(Wrong::default()), None), (Some(Wrong::default()), Some(&group))];
        counts[0] += plain.states;
        for ((plan, group), count) in runs.into_iter().zip(&mut counts[1..]) {
            let found = run(&model, &question, plan, group).expect("confirmed");
            assert_eq!(verdicts(&found, true), verdicts(&plain, true), "seed {seed}\n{}", random_text(seed, true));
            *count += found.states;
        }
        checked += 1;
    }
    println!("{checked} processes; states none, symmetry, partial order, both: {counts:?}");
    assert!(checked > 200, "{checked}");
    assert!(counts[3] < counts[1] && counts[3] < counts[2], "{counts:?}");
}

#[test]
fn known_wrong_variants_are_caught() {
    let wrong = Wrong::default();
    let variants = [
        ("nothing is visible", Wrong { nothing_is_visible: true, ..wrong }),
        ("no proviso", Wrong { no_proviso: true, ..wrong }),
        ("reads forgotten", Wrong { reads_forgotten: true, ..wrong }),
        ("enabling forgotten", Wrong { enabling_forgotten: true, ..wrong }),
        ("faults vanish", Wrong { faults_vanish: true, ..wrong }),
        ("second steps forgotten", Wrong { second_steps_forgotten: true, ..wrong }),
        ("nothing leaves a value", Wrong { leaving_empty: true, ..wrong }),
        ("values come from nowhere", Wrong { sources_empty: true, ..wrong }),
        ("statements are left out", Wrong { statements_left_out: true, ..wrong }),
    ];
    let mut caught = [0; 9];
    for seed in 0..600 {
        if caught.iter().all(|&times| times == ENOUGH) {
            break;
        }
        let model = model(&any_text(seed));
        let question = question(seed, &model);
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        for (times, (_, wrong)) in caught.iter_mut().zip(variants).filter(|(times, _)| **times < ENOUGH) {
            let found = run(&model, &question, Some(wrong), None).map(|found| verdicts(&found, false));
            *times += u32::from(found != Some(verdicts(&plain, false)));
        }
    }
    variants.iter().zip(caught).for_each(|((name, _), times)| println!("{times:>4}  {name}"));
    assert!(caught.iter().all(|&times| times > 0), "not caught: {caught:?}");
}

#[test]
fn compressed_rows_are_the_same_rows() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let instances = 1 + rng.below(300);
        let mut words = Rows::new(instances as usize);
        let mut random = |most: u32| -> Vec<u32> { (0..rng.below(most)).map(|_| rng.below(instances)).collect() };
        for _ in 0..10 {
            words.push(random(40).into_iter().collect());
        }
        let compressed = words.compressed();
        let start = random(40);
        let among = [random(40), random(40)].map(|members| {
            let mut set_of = vec![0; instances.div_ceil(64) as usize];
            members.into_iter().for_each(|at| set(&mut set_of, at as usize));
            set_of
        });
        for row in 0..10 {
            let grow = |rows: &Rows| {
                let mut set_of = vec![0; instances.div_ceil(64) as usize];
                start.iter().for_each(|&at| set(&mut set_of, at as usize));
                let missing = rows.missing(row, &set_of, [&among[0], &among[1]]);
                let mut new = Vec::new();
                rows.add(row, &mut set_of, &mut new);
                let is_in = |set: &[u64]| new.iter().filter(|&&at| has(set, at as usize)).count();
                assert_eq!(missing.map(|count| count as usize), [is_in(&among[0]), is_in(&among[1]), new.len()]);
                (rows.count(row), set_of, new)
            };
            assert_eq!(grow(&words), grow(&compressed));
        }
    }
}

#[test]
fn a_process_of_thousands_of_instances_is_reduced() {
    // Milner's scheduler: the token makes two steps per cell, whatever waits in other cells.
    let ring = |cells: u32| {
        let rest = ", 0".repeat(cells as usize - 1);
        let text = format!(
            "const N = {cells}; type CELL : 0..N-1;\nproc P(token : BOOL[CELL], busy : BOOL[CELL]) =\n  \
             sum i:CELL . [token[i] && !busy[i]] start {{ busy[i] := 1; token[i] := 0; token[(i + 1) mod N] := 1; }} -> P\n  \
             + sum i:CELL . [busy[i]] finish {{ busy[i] := 0; }} -> P;\ninit P(token = [1{rest}], busy = 0);"
        );
        let model = model(&text);
        let question = Question::default();
        let reductions = Reductions { partial_order: true, ..Reductions::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("counterexamples are confirmed");
        (report.states, report.transitions, report.complete)
    };
    for cells in [5, 1_100] {
        assert_eq!(ring(cells), (2 * u64::from(cells), 2 * u64::from(cells), true));
    }
}

#[test]
fn formulas_of_runs_are_refused_where_they_are_not_kept() {
    let text = |more: &str| {
        format!(
            "type AG : 0..1; proc P(x : BIT[AG], y : BIT) {more} = sum u:AG . [x[u] = 0] a(u) {{ x[u] := 1; }} -> P
             + [y = 0] b {{ y := 1; }} -> P; init P(x = 0, y = 0);"
        )
    };
    let run_of = |text: &str, fairness| {
        let model = model(text);
        let reductions = Reductions { partial_order: true, ..Reductions::default() };
        let question =
            Question { keep_going: true, fairness, properties: model.properties.clone(), ..Question::default() };
        let report = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        let formula = report.answers.iter().find(|answer| answer.kind == QueryKind::Ltl);
        let run = formula.and_then(|answer| answer.run.clone()).map(|run| run.reductions[0].clone());
        (report.states, report.reductions[0].clone(), run)
    };
    let (states, reduction, _) = run_of(&text(""), Fairness::Weak);
    assert_eq!((states, reduction.is_applied()), (4, true), "{reduction:?}");
    let kept = run_of(&format!("{} ltl L = F(y = 1);", text("")), Fairness::Weak).2.expect("a run");
    assert!(kept.is_applied(), "{kept:?}");
    let next = run_of(&format!("{} ltl L = X(y = 1);", text("")), Fairness::Weak).2.expect("a run");
    assert_eq!(next.outcome, Outcome::Refused(Refusal::Next("L".to_owned())));
    let fair = format!("{} ltl L = F(y = 1);", text("fair AG"));
    let refused = run_of(&fair, Fairness::Weak).2.expect("a run");
    assert_eq!(refused.outcome, Outcome::Refused(Refusal::FairProcesses));
    assert!(run_of(&fair, Fairness::None).2.expect("a run").is_applied());
}

/// A fixture, with a value for its constant `N` where one is given.
fn fixture(text: &str, size: Option<i64>) -> Sequential {
    let mut sink = Diagnostics::new();
    let constants = size.map(|size| ("N".to_owned(), size)).into_iter().collect();
    parse(text, &Options { constants }, &mut sink).model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// States without and with partial order, without properties.
fn counts(model: &Sequential) -> (u64, u64) {
    let question = Question { keep_going: true, ..Question::default() };
    let plain = check(model, &question, &mut ()).expect("confirmed");
    let reduced = run(model, &question, Some(Wrong::default()), None).expect("confirmed");
    assert_eq!(verdicts(&reduced, false), verdicts(&plain, false));
    (plain.states, reduced.states)
}

macro_rules! lpe {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/lpe/", $name, ".lpe"))
    };
}

#[test]
fn fixtures_are_cut() {
    let fixtures = [
        ("partial_order/workers", lpe!("partial_order/workers"), None, 2),
        ("partial_order/assembly", lpe!("partial_order/assembly"), None, 2),
        ("partial_order/votes", lpe!("partial_order/votes"), None, 2),
        ("locks/milner", lpe!("locks/milner"), None, 1),
        ("locks/philosophers, N=7", lpe!("locks/philosophers"), Some(7), 1),
        ("locks/readers_writers", lpe!("locks/readers_writers"), None, 1),
        ("locks/resalloc", lpe!("locks/resalloc"), None, 1),
        ("protocols/leader_ring, N=4", lpe!("protocols/leader_ring"), Some(4), 1),
        ("protocols/token", lpe!("protocols/token"), None, 1),
        ("protocols/threetier", lpe!("protocols/threetier"), None, 1),
    ];
    for (name, text, size, least) in fixtures {
        let (none, reduced) = counts(&fixture(text, size));
        println!("{name}: {none}, reduced {reduced}");
        assert!(reduced * least <= none, "{name}: {none}, reduced {reduced}");
    }
}

/// Processes that Rebeca models become.
#[test]
fn converted_models_keep_their_verdicts() {
    let (mut checked, mut none, mut reduced) = (0, 0, 0);
    for seed in 40_000..40_120 {
        let actors = crate::tests::random_model(seed);
        let mut sink = Diagnostics::new();
        let no_properties = frontend::model::PropertySet::default();
        let Some(model) = frontend::sequential::from_actors(&actors, &no_properties, &mut sink) else { continue };
        let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
        let question = Question { keep_going: true, limits, ..Question::default() };
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        let found = run(&model, &question, Some(Wrong::default()), None).expect("confirmed");
        assert_eq!(verdicts(&found, false), verdicts(&plain, false), "seed {seed}");
        (checked, none, reduced) = (checked + 1, none + plain.states, reduced + found.states);
    }
    println!("{checked} converted models: {none} states, reduced {reduced}");
    assert!(checked > 20, "{checked}");
}
