//! A search on several threads is the search on one: whole reports are compared, with traces, on random models, under every
//! reduction, and when a violation or a limit ends it. A worker that panics gives no verdict.

use std::fmt::Debug;
use std::time::Duration;

use frontend::diagnostics::Diagnostics;
use frontend::interpret::Bounds;
use frontend::model::{BinaryOp, Model, Property, PropertyKind, PropertySet};
use frontend::sequential::{Options, parse};
use frontend::source::Span;

use super::build::INT;
use super::partial_order::{random_ring, rotations};
use super::signal::{SIGNAL, Signal};
use super::{binary, int, not, philosophers, random_model, remote};
use crate::actors::Space;
use crate::question::Report;
use crate::{
    Limits, Question, Quotient, Reductions, Representative, SearchOrder, Threads, Verdict, check_reduced, sequential,
};
use explore::parallel::{self, Explored, Shared};
use explore::report::LimitKind;
use explore::search::{Clock, FirstPart, begin};
use explore::watch::Watch;

const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 1_000, max_calls: 200, max_work: 100_000 };

/// Everything but the time and the number of threads.
fn comparable<T: Debug + Clone>(report: &Report<T>) -> String {
    format!("{:?}", Report { seconds: 0.0, threads: 1, ..report.clone() })
}

fn threads(most: u32, from: u32) -> Threads {
    Threads { most, from }
}

/// Compares one thread with several; returns whether the search was shared among workers.
fn compare(model: &Model, question: &Question, reductions: Reductions<'_>, name: &str) -> bool {
    let run = |threads| {
        let question = Question { threads, ..question.clone() };
        check_reduced(model, &question, reductions, &mut ()).expect("confirmed")
    };
    let one = run(threads(1, 1));
    let mut shared = false;
    for (most, from) in [(2, 1), (3, 2), (2, 40)] {
        let several = run(threads(most, from));
        assert_eq!(comparable(&several), comparable(&one), "{name}, {most} threads from {from}");
        shared |= several.threads > 1;
    }
    shared
}

fn question(seed: u64, keep_going: bool) -> Question {
    let value = i32::try_from(seed % 3).expect("small");
    let expr = not(binary(BinaryOp::Equal, remote(u32::from(seed.is_multiple_of(2)), 2, INT), int(value)));
    let property = Property { name: "I".to_owned(), kind: PropertyKind::Invariant(expr), span: Span::NONE };
    let properties = PropertySet { definitions: Vec::new(), properties: vec![property] };
    let limits = Limits { max_states: Some(2_000), ..Limits::default() };
    Question { keep_going, properties, limits, bounds: BOUNDS, ..Question::default() }
}

#[test]
fn actors_on_several_threads() {
    let mut shared = 0;
    for seed in 0..150 {
        let model = random_model(seed);
        for keep_going in [true, false] {
            let plain = question(seed, keep_going);
            let reduced = Question { overflow: false, ..plain.clone() };
            let partial_order = Reductions { partial_order: true, ..Reductions::default() };
            shared += u32::from(compare(&model, &plain, Reductions::default(), &format!("seed {seed}")));
            compare(&model, &reduced, partial_order, &format!("seed {seed}, partial order"));
        }
    }
    assert!(shared > 200, "only {shared}");
}

#[test]
fn quotients_on_several_threads() {
    let mut shared = 0;
    for seed in 30_000..30_300 {
        let model = random_ring(seed);
        let keep_going = seed % 3 > 0;
        let mut question = Question { overflow: false, ..question(seed, keep_going) };
        if seed % 5 > 0 {
            question.properties.properties.clear();
        }
        let group = rotations(&model, &question);
        if group.generators().is_empty() {
            continue;
        }
        for (at, representative) in Representative::ALL.into_iter().enumerate() {
            let counts_orbits = (seed + at as u64).is_multiple_of(2);
            let quotient = Some(Quotient { group: &group, representative, counts_orbits });
            let partial_order = (seed / 2) % 2 == 0;
            let reductions = Reductions { quotient, partial_order, ..Reductions::default() };
            shared += u32::from(compare(&model, &question, reductions, &format!("seed {seed}, {representative:?}")));
        }
    }
    assert!(shared > 200, "only {shared}");
}

#[test]
fn every_limit_ends_it_at_the_same_state() {
    for seed in [3, 8, 11, 14, 20] {
        let model = random_model(seed);
        for keep_going in [true, false] {
            let question = question(seed, keep_going);
            for most in 1..60 {
                let limits = Limits { max_states: Some(most), ..Limits::default() };
                compare(
                    &model,
                    &Question { limits, ..question.clone() },
                    Reductions::default(),
                    &format!("seed {seed}, {most} states"),
                );
                let limits = Limits { max_states: Some(2_000), max_depth: Some(most / 5), ..Limits::default() };
                compare(
                    &model,
                    &Question { limits, ..question.clone() },
                    Reductions::default(),
                    &format!("seed {seed}, depth {}", most / 5),
                );
            }
        }
    }
}

#[test]
fn time_memory_and_signals_never_hold() {
    let model = philosophers(3);
    let question_with = |limits| Question { limits, threads: threads(3, 1), keep_going: true, ..Question::default() };
    let whole =
        check_reduced(&model, &question_with(Limits::default()), Reductions::default(), &mut ()).expect("no trace");
    assert_eq!((whole.verdict, whole.threads), (Verdict::Holds, 3));
    for memory in [10_000, 100_000, 200_000, 300_000, 400_000] {
        let limits = Limits { max_memory: Some(memory), ..Limits::default() };
        let report = check_reduced(&model, &question_with(limits), Reductions::default(), &mut ()).expect("no trace");
        let kind = report.limit.map(|limit| (limit.kind, limit.value));
        assert_eq!((report.verdict, kind), (Verdict::Inconclusive, Some((LimitKind::Memory, memory))));
        assert!(report.states < whole.states && report.transitions < whole.transitions);
    }
    let watch = limits::Watch::new(std::sync::Arc::new(limits::System::default()), Some(Duration::ZERO), None);
    let run = || check_reduced(&model, &question_with(Limits::default()), Reductions::default(), &mut ());
    let report = watch.enter(run).expect("a report").expect("no trace");
    assert_eq!(report.limit.map(|limit| limit.kind), Some(LimitKind::Time));
    assert_eq!(report.verdict, Verdict::Inconclusive);
    for looks in [1, 2, 3, 5, 8, 13, 40] {
        let run = || check_reduced(&model, &question_with(Limits::default()), Reductions::default(), &mut ());
        let report = Signal::at_look(looks).watching(run).expect("no trace");
        assert_eq!(report.verdict, Verdict::Inconclusive, "{looks} looks");
        assert_eq!(
            report.limit.map(|limit| (limit.kind, limit.value)),
            Some((LimitKind::Interrupt, SIGNAL.unsigned_abs().into()))
        );
        assert!(report.states <= whole.states && report.transitions < whole.transitions);
    }
}

#[test]
fn a_worker_that_panics_gives_no_verdict() {
    let (model, question) = (philosophers(2), Question { keep_going: true, ..Question::default() });
    let mut before = 0;
    for panics_at in [0, 1, 17, 200, 284] {
        let mut space = Space::new(&model, &BOUNDS, None, None);
        let mut watch = Watch::new(&space, &question);
        let begun = begin(&mut space, &mut watch, Clock::new(&mut ()), &question.limits, 1);
        let FirstPart::Wide(handover) = begun else { panic!("it is wide") };
        let shared = Shared {
            workers: 3,
            from: 1,
            max_depth: None,
            watch: &|space: &Space<'_>| Watch::new(space, &question),
            panics_at: Some(panics_at),
            short_at: None,
        };
        let ended = parallel::explore(&mut space, &mut watch, handover, Clock::new(&mut ()), &shared);
        let Explored { summary, fault, .. } = ended.expect("a report of what was done");
        let fault = fault.expect("a worker panics");
        assert!(fault.0.contains("a worker that is to panic"), "{}", fault.0);
        assert!(!summary.complete && summary.states <= 285 && summary.states >= before, "{summary:?}");
        before = summary.states;
        let answers = watch.answers(&mut space, &summary, true).expect("no trace");
        assert!(answers.iter().all(|answer| answer.verdict == Verdict::Inconclusive));
    }
    assert!(before > 100, "{before} states were stored before the last panic");
}

#[test]
fn processes_on_several_threads() {
    let text = "type I : 0..4; type V : 0..4;
         proc P(x : V[I], y : V) =
             sum i:I . [x[i] < 4] up(i) { x[i] := x[i] + 1; } -> P
           + sum i:I . [x[i] = 4 && y < 4] next(i) { y := y + 1; x[i] := 0; } -> P
           + [y = 3 && x[0] = 2] divide { y := 1 / (x[1] - 4); } -> P;
         init P(x = 0, y = 0); assert A = !(y = 2 && x[3] = 1);";
    let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
    for (keep_going, most) in [(true, None), (false, None), (true, Some(1_000)), (false, Some(2_345))] {
        let limits = Limits { max_states: most, ..Limits::default() };
        let question = |threads| Question {
            keep_going,
            threads,
            limits,
            properties: model.properties.clone(),
            ..Question::default()
        };
        let run = |threads| sequential::check(&model, &question(threads), &mut ()).expect("confirmed");
        let one = run(threads(1, 1));
        for (most, from) in [(2, 1), (3, 2), (5, 100)] {
            let several = run(threads(most, from));
            assert_eq!(several.threads, most);
            assert_eq!(comparable(&several), comparable(&one));
        }
    }
}

/// A search that ends when each question is violated ends in the midst of a round, with the figures of that state.
#[test]
fn several_threads_end_where_everything_is_decided() {
    let model = |questions: &str| {
        let text = format!(
            "type V : 0..6; type K : 0..3; proc P(v : V[K], w : V) = sum k:K . [v[k] < 6] inc(k) {{ v[k] := v[k] + 1; }} -> P
               + [v[0] = 2 && v[3] = 1] divide {{ w := 1 / (v[1] - 4); }} -> P; init P(v = 0, w = 0); {questions}"
        );
        parse(&text, &Options::default(), &mut Diagnostics::new()).model.expect("a model")
    };
    let questions = [
        "assert A = !(v[0] = 3 && v[1] = 4); assert B = !(v[0] = 4 && v[1] = 3 && v[2] = 4 && v[3] = 2);",
        "assert A = !(v[0] = 3 && v[1] = 4); assert B = !(v[0] = 4 && v[1] = 4);",
        "assert A = v[0] < 4; assert B = v[0] < 4 || v[1] < 1;",
        "assert A = v[0] < 2; assert B = true;",
        "assert A = v[1] < 1;",
    ];
    for (own, faults) in questions.into_iter().flat_map(|own| [(own, false), (own, true)]) {
        let model = model(own);
        let question = |threads| Question {
            keep_going: true,
            until_decided: true,
            deadlock: false,
            faults,
            threads,
            properties: model.properties.clone(),
            ..Question::default()
        };
        let run = |threads| sequential::check(&model, &question(threads), &mut ()).expect("confirmed");
        let one = run(threads(1, 1));
        assert_eq!(one.complete, own.contains("B = true"), "{own}");
        for (most, from) in [(2, 2), (3, 2), (4, 1), (2, 20)] {
            assert_eq!(comparable(&run(threads(most, from))), comparable(&one), "{own}, {most} threads from {from}");
        }
    }
}

/// A signal that comes while the run of a violation is made leaves that question open, and no other.
#[test]
fn a_signal_behind_a_complete_search_leaves_one_question_open() {
    let text = "type V : 0..9; proc P(v : V) = [v < 9] inc { v := v + 1; } -> P; init P(v = 0);
         assert A = v < 7; assert B = v < 10; assert C = v < 8;";
    let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
    let question = Question { keep_going: true, properties: model.properties.clone(), ..Question::default() };
    let run = || sequential::check(&model, &question, &mut ()).expect("confirmed");
    let whole = run();
    let mut left_open = 0;
    for looks in 1..100 {
        let report = Signal::at_look(looks).watching(run);
        let pairs = || whole.answers.iter().zip(&report.answers).map(|(whole, own)| (whole.verdict, own.verdict));
        let open = pairs().filter(|&(_, own)| own == Verdict::Inconclusive).count();
        if report.complete && open > 0 {
            assert!(open == 1 && pairs().all(|(whole, own)| own == Verdict::Inconclusive || own == whole));
            assert!(pairs().all(|(whole, own)| whole == Verdict::Violated || own == Verdict::Holds));
            assert_eq!(report.limit.map(|limit| limit.kind), Some(LimitKind::Interrupt));
            assert_eq!((report.states, report.transitions), (whole.states, whole.transitions));
            left_open += 1;
        }
    }
    assert!(left_open >= 3, "the signal came {left_open} times while a run was made");
}

#[test]
fn depth_first_search_stays_on_one_thread() {
    let question = Question { order: SearchOrder::DepthFirst, threads: threads(3, 1), ..Question::default() };
    let report = check_reduced(&philosophers(2), &question, Reductions::default(), &mut ()).expect("no trace");
    assert_eq!((report.threads, report.states), (1, 285));
}

/// An orbit is stored once, whether its states come before or behind the first rebec of a slot.
#[test]
fn representatives_do_not_depend_on_the_slots_so_far() {
    let mut created = 0;
    for seed in 30_000..30_120 {
        let model = random_ring(seed);
        let mut question = Question { overflow: false, ..question(seed, true) };
        question.properties.properties.clear();
        let group = rotations(&model, &question);
        if group.generators().is_empty() || model.creatable.is_empty() {
            continue;
        }
        let quotient = Some(Quotient { group: &group, representative: Representative::Auto, counts_orbits: true });
        let run = |reductions| check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        let whole = run(Reductions::default());
        let reduced = run(Reductions { quotient, ..Reductions::default() });
        if whole.complete && reduced.complete {
            let orbits = reduced.group.expect("used").orbits.expect("counted");
            assert_eq!(orbits.sum, whole.states.to_string(), "seed {seed}");
            assert_eq!(orbits.transitions, Some(whole.transitions.to_string()), "seed {seed}");
            created += u32::from(whole.states > 50);
        }
    }
    println!("{created} models that create");
}
