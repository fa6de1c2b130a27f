//! Rebecs that repeat the steps of their twins: whole reports are those of a search that expands every rebec, on
//! random stars of clients, for every question, in every order, on several threads. The tests catch false twins that
//! only look alike.

use std::fmt::Debug;

use frontend::interpret::Bounds;
use frontend::model::Model;
use symmetry::{
    Strategy::{self, Constraint, KnownRebec},
    ValidatedGroup,
};

use super::Rng;
use super::fair_threads::read;
use crate::actors::{TWINS, Twins};
use crate::question::Report;
use crate::{
    Fairness, Limits, Question, Quotient, Reductions, Representative, SearchOrder, Threads, Verdict, check,
    check_reduced,
};
use explore::quotient::WrongTwins;

const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 1_000, max_calls: 200, max_work: 100_000 };

fn statement(rng: &mut Rng, own: &[&str], depth: u32) -> String {
    if depth > 0 && rng.below(3) == 0 {
        let conditions = ["flag", "n == 1", "sender == self", "sender != self", "seen != null", "seen == null"];
        let condition = conditions[rng.below(6) as usize];
        return format!("if ({condition}) {{ {} }}", statement(rng, own, depth - 1));
    }
    let all =
        ["flag = !flag;", "n = (n + 1) % 3;", "flag = ?(true, false);", "seen = null;", "assertion(n < 2, \"small\");"];
    let at = rng.below(u32::try_from(2 * own.len() + all.len()).expect("few")) as usize;
    own.get(at / 2).copied().unwrap_or_else(|| all[at - 2 * own.len()]).to_owned()
}

fn block(rng: &mut Rng, own: &[&str], most: u32) -> String {
    (0..=rng.below(most)).map(|_| statement(rng, own, 1)).collect::<Vec<_>>().join(" ")
}

/// Four or five clients of a hub, some of them with a helper each.
fn random_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let count = 4 + rng.below(2);
    let has_helpers = rng.below(4) == 0;
    let hub = ["sender.answer();", "seen = (Client)sender;", "if (seen != null) { seen.answer(); }", "self.tick();"];
    let client = ["hub.ask();", "hub.tick();", "self.work();", "helper.answer();", "seen = helper;", "hub.hand(self);"];
    let (ask, tick, hand) = (block(&mut rng, &hub, 2), block(&mut rng, &hub, 2), block(&mut rng, &hub, 2));
    let (initial, answer, work) =
        (block(&mut rng, &client, 2), block(&mut rng, &client, 2), block(&mut rng, &client, 1));
    let (long, short) = (2 + rng.below(4), 1 + rng.below(2));
    let variables = "statevars { boolean flag; byte n; Client seen; }";
    let mut text = format!(
        "reactiveclass Hub({long}) {{ {variables} msgsrv initial() {{ }}
             msgsrv ask() {{ {ask} }} msgsrv tick() {{ {tick} }} msgsrv hand(Client given) {{ seen = given; {hand} }} }}
         reactiveclass Client({short}) {{ knownrebecs {{ Hub hub; Client helper; }} {variables}
             msgsrv initial() {{ {initial} }} msgsrv answer() {{ {answer} }} msgsrv work() {{ {work} }} }}
         main {{ "
    );
    for at in 0..count {
        let helper = if has_helpers { format!("h{at}") } else { format!("c{at}") };
        text.push_str(&format!("Client c{at}(hub, {helper}):(); "));
        if has_helpers {
            text.push_str(&format!("Client h{at}(hub, c{at}):(); "));
        }
    }
    text.push_str("Hub hub():(); }");
    text
}

fn of(twins: Twins, model: &Model, question: &Question, reductions: Reductions<'_>) -> Result<Report, String> {
    TWINS.set(twins);
    let report = check_reduced(model, question, reductions, &mut ()).map_err(|error| format!("{error:?}"));
    TWINS.set(Twins::Real);
    report
}

/// Everything but the time and the number of threads.
fn comparable<T: Debug + Clone>(report: &Report<T>) -> String {
    let mut report = Report { seconds: 0.0, threads: 1, ..report.clone() };
    for run in report.answers.iter_mut().filter_map(|answer| answer.run.as_mut()) {
        run.seconds = 0.0;
    }
    format!("{report:?}")
}

const PROPERTIES: [&str; 6] = [
    "property { define { p = hub.flag; } }",
    "property { define { p = hub.flag; } Assertion { A: !(p && hub.n == 2); } }",
    "property { define { p = c0.n == 2; } Assertion { A: !p; } }",
    "property { define { p = hub.flag; } LTL { L: G(F(p)); } }",
    "property { define { p = hub.n == 1; q = c1.flag; } LTL { L: F(G(p || q)); } }",
    "property { define { p = hub.n == 1; } LTL { L: G(p -> F(!p)); } }",
];

/// The question about the model of a seed.
fn case(seed: u64) -> (Model, Question) {
    let (model, question) = read(&random_text(seed), PROPERTIES[(seed % 6) as usize]);
    let order = if seed.is_multiple_of(5) { SearchOrder::DepthFirst } else { SearchOrder::BreadthFirst };
    let fairness = if seed.is_multiple_of(4) { Fairness::Weak } else { Fairness::None };
    let limits = Limits { max_states: Some(if seed.is_multiple_of(7) { 40 } else { 600 }), ..Limits::default() };
    let keep_going = !seed.is_multiple_of(3);
    let question = Question {
        deadlock: true,
        overflow: true,
        assertions: true,
        faults: true,
        keep_going,
        order,
        fairness,
        limits,
        bounds: BOUNDS,
        ..question
    };
    (model, question)
}

fn group_of(model: &Model, question: &Question, seed: u64) -> ValidatedGroup {
    let strategy: Strategy = if seed.is_multiple_of(3) { Constraint } else { KnownRebec };
    ValidatedGroup::new(model, &question.properties, strategy.candidates(model))
}

#[test]
fn rebecs_that_repeat_their_twins_change_nothing() {
    let (mut compared, mut violated, mut whole, mut shared) = (0, 0, 0, 0);
    for seed in 0..180 {
        let (model, question) = case(seed);
        let group = group_of(&model, &question, seed);
        if group.order() < 24u32.into() {
            continue;
        }
        let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: seed % 2 == 0 };
        let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
        let without_overflow = Question { overflow: false, ..question.clone() };
        let reduced = Reductions {
            quotient: Some(Quotient { counts_orbits: false, ..quotient }),
            partial_order: true,
            ..Reductions::default()
        };
        for (question, reductions) in [(&question, reductions), (&without_overflow, reduced)] {
            let slow = of(Twins::None, &model, question, reductions).expect("confirmed");
            let fast = of(Twins::Real, &model, question, reductions).expect("confirmed");
            assert_eq!(comparable(&fast), comparable(&slow), "seed {seed}\n{}", random_text(seed));
            let threads = Threads { most: 2, from: 1 };
            let several = of(Twins::Real, &model, &Question { threads, ..question.clone() }, reductions);
            let several = several.expect("confirmed");
            assert_eq!(comparable(&several), comparable(&slow), "seed {seed}, two threads\n{}", random_text(seed));
            (compared, shared) = (compared + 1, shared + u32::from(several.threads > 1));
            violated += u32::from(slow.verdict == Verdict::Violated);
            whole += u32::from(slow.complete);
        }
    }
    println!("{compared} runs, {shared} on two threads, {violated} violated, {whole} complete");
    assert!(compared > 200 && shared > 80 && violated > 60 && whole > 60, "{compared} {shared} {violated} {whole}");
}

#[test]
fn slots_that_only_look_alike_are_caught() {
    const LEAST: u32 = 5;
    for wrong in [WrongTwins::Lookalikes, WrongTwins::SameLocalState] {
        let (mut counted, mut wrongly_held) = (0, 0);
        for seed in 0..240 {
            if counted > LEAST {
                break;
            }
            let (model, question) = case(seed);
            let question = Question { keep_going: true, ..question };
            let group = group_of(&model, &question, seed);
            if group.order() < 24u32.into() {
                continue;
            }
            let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
            let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
            let slow = of(Twins::None, &model, &question, reductions).expect("confirmed");
            let Ok(fast) = of(Twins::Wrong(wrong), &model, &question, reductions) else {
                counted += 1;
                continue;
            };
            counted += u32::from(comparable(&fast) != comparable(&slow));
            let held = |(one, other): (&explore::report::Answer<_>, &explore::report::Answer<_>)| {
                one.verdict == Verdict::Holds && other.verdict == Verdict::Violated
            };
            wrongly_held += u32::from(fast.answers.iter().zip(&slow.answers).any(held));
        }
        println!("{wrong:?}: {counted} reports differ, {wrongly_held} hold wrongly");
        assert!(counted > LEAST, "{wrong:?}: {counted}");
    }
}

/// Six clients of one hub: the sum of the orbits is the number of states, and transitions are those of all clients.
#[test]
fn twins_are_counted_with_their_multiplicity() {
    let clients: String = (0..6).map(|at| format!("Client c{at}(hub):(); ")).collect();
    let text = format!(
        "reactiveclass Hub(7) {{ msgsrv initial() {{ }} msgsrv ask() {{ sender.answer(); }} }}
         reactiveclass Client(2) {{ knownrebecs {{ Hub hub; }} statevars {{ boolean done; }}
             msgsrv initial() {{ hub.ask(); }} msgsrv answer() {{ done = true; }} }}
         main {{ {clients} Hub hub():(); }}"
    );
    let (model, question) = read(&text, "property { define { p = c0.done; } }");
    let question = Question { deadlock: true, overflow: true, keep_going: true, limits: Limits::default(), ..question };
    let group = ValidatedGroup::new(&model, &question.properties, KnownRebec.candidates(&model));
    let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: true };
    let reductions = Reductions { quotient: Some(quotient), ..Reductions::default() };
    let slow = of(Twins::None, &model, &question, reductions).expect("confirmed");
    let fast = of(Twins::Real, &model, &question, reductions).expect("confirmed");
    assert_eq!(comparable(&fast), comparable(&slow));
    let plain = check(&model, &question, &mut ()).expect("confirmed");
    let orbits = fast.group.as_ref().and_then(|group| group.orbits.as_ref()).expect("counted");
    assert_eq!(orbits.sum, plain.states.to_string());
    assert_eq!(orbits.transitions, Some(plain.transitions.to_string()));
}
