//! Variables that grow where a limit ends the search: the same on one thread and on several, from memory and from the disk; nothing
//! of depth-first and complete searches, and of values that stay within bounds.

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Sequential, parse};

use crate::{Growing, Limits, Question, SearchOrder, Threads, Verdict, sequential};

fn model(text: &str) -> Sequential {
    parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model")
}

fn question(most: u64) -> Question<Vec<frontend::sequential::Property>> {
    Question { limits: Limits { max_states: Some(most), ..Limits::default() }, ..Question::default() }
}

/// What grows within so many states, on one thread; compared with two and three threads.
fn grown(model: &Sequential, most: u64) -> Vec<(String, i32, i32)> {
    let run = |threads: Threads| {
        let question = Question { threads, ..question(most) };
        let report = sequential::check(model, &question, &mut ()).expect("confirmed");
        assert_ne!(report.verdict, Verdict::Holds);
        report.growing
    };
    let one = run(Threads { most: 1, from: 1 });
    for (most, from) in [(2, 1), (3, 2), (2, 40)] {
        assert_eq!(run(Threads { most, from }), one, "{most} threads from {from}");
    }
    assert!(one.iter().all(|growing| growing.levels == 1000));
    one.into_iter().map(|Growing { name, from, to, .. }| (name, from, to)).collect()
}

#[test]
fn counters_grow_and_fall() {
    let counter = model(
        "type N : -1000000..1000000; proc P(up : N, down : N, steady : N, b : BOOL) =
           [true] count { up := up + 1; down := down - 2; steady := (steady + 1) mod 7; } -> P
         + [true] flip { b := 1 - b; } -> P;
         init P(up = 0, down = 0, steady = 0, b = 0);",
    );
    let found = grown(&counter, 5_000);
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["up", "down"]);
    assert!(found[0].2 - found[0].1 == 1000 && found[1].1 - found[1].2 == 2000, "{found:?}");
    // Too few levels.
    assert!(grown(&counter, 1_500).is_empty());
    let deep = Question { order: SearchOrder::DepthFirst, ..question(5_000) };
    assert!(sequential::check(&counter, &deep, &mut ()).expect("confirmed").growing.is_empty());
}

#[test]
fn nothing_is_said_of_bounds_and_of_finished_searches() {
    let around = |bound: u32| {
        model(&format!(
            "type N : 0..1000000; proc P(n : N) = [true] count {{ n := (n + 1) mod {bound}; }} -> P; init P(n = 0);"
        ))
    };
    let finished = sequential::check(&around(3_000), &question(5_000), &mut ()).expect("confirmed");
    assert!(finished.complete && finished.growing.is_empty());
    // A pause in the growth: a level in which the greatest value is that of the level before.
    let paused = model(
        "type N : 0..1000000; proc P(n : N, wait : BOOL) = [n != 1500 || wait = 1] count { n := n + 1; } -> P
         + [n = 1500 && wait = 0] pause { wait := 1; } -> P; init P(n = 0, wait = 0);",
    );
    assert!(grown(&paused, 2_000).is_empty());
    assert_eq!(grown(&paused, 1_400).len(), 1);
    assert_eq!(grown(&paused, 3_000).len(), 1);
}
