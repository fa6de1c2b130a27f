//! Refinement: where it goes further than the static slice, who decides about its runs, and when it ends.

use super::*;

/// Step-wise slicing ends where the static slice passes the limit on states.
#[test]
fn refinement_goes_where_the_static_slice_does_not() {
    let path = root().join("fixtures/slicing/furnace.rebeca");
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let properties = std::fs::read_to_string(path.with_extension("property")).expect("its properties");
    let (model, mut set) = read(&text, Some(&properties));
    set.properties.retain(|property| property.name == "Interlock");
    let query = Query { properties: set, ..Query::default() };
    let cut = slice(&model, &query, Method::Static, &BTreeSet::new()).expect("applies");
    assert_eq!(
        check(&cut.model, &Query { properties: cut.properties.clone(), ..query.clone() }).verdict,
        Verdict::Inconclusive
    );
    let mut seen = BTreeSet::new();
    refined(&model, &query, check(&model, &query).verdict, &mut seen).expect("agrees");
    assert!(seen.contains(&Seen::Abstracted), "step-wise slicing gives an answer");
}

/// A lock of five dials: a run of it is one of 10^5 combinations and of many orders.
fn lock(weights: [i32; 5], sum: i32) -> (Model, Query) {
    let [a, b, c, d, e] = weights;
    let text = format!(
        "reactiveclass Dial(2) {{
            knownrebecs {{ Lock lock; }}
            statevars {{ }}
            msgsrv initial() {{ self.turn(); }}
            msgsrv turn() {{ int digit = ?(0, 1, 2, 3, 4, 5, 6, 7, 8, 9); lock.dialled(digit); }}
        }}
        reactiveclass Lock(6) {{
            knownrebecs {{ }}
            statevars {{ byte count; byte a; byte b; byte c; byte d; byte e; boolean fits; boolean isOpen; }}
            msgsrv initial() {{ isOpen = false; }}
            msgsrv dialled(byte digit) {{
                e = d; d = c; c = b; b = a; a = digit;
                count = (count + 1) % 6;
                if (count == 5) {{
                    fits = {a} * a + {b} * b + {c} * c + {d} * d + {e} * e == {sum}
                        && a * c == 6 && b * d == 10;
                    if (fits) {{ isOpen = true; }}
                }}
            }}
        }}
        main {{
            Dial one(lock):(); Dial two(lock):(); Dial three(lock):(); Dial four(lock):(); Dial five(lock):();
            Lock lock():();
        }}"
    );
    let (model, set) = read(&text, Some("property { Assertion { Shut: !lock.isOpen; } }"));
    (model, Query { properties: set, ..Query::default() })
}

/// Where 10,000 states do not decide about the run of a slice, the solver does: both ways.
#[test]
fn the_solver_decides_where_the_search_does_not() {
    let refine = |model: &Model, query: &Query| {
        let mut checked = |slice: &Slice| {
            let report = check(&slice.model, &Query { properties: slice.properties.clone(), ..query.clone() });
            match report.verdict {
                Verdict::Holds => Checked::Holds,
                Verdict::Violated => {
                    let answer = report.answers.into_iter().find(|answer| answer.verdict == Verdict::Violated);
                    let answer = answer.expect("something is violated");
                    Checked::Violated(Violation::Property(answer.name), Box::new(answer.trace.expect("with a run")))
                }
                Verdict::Inconclusive => Checked::Unknown,
            }
        };
        step_wise(&Original { budget: 10_000, ..original(model, query) }, &mut checked)
            .unwrap_or_else(|refused| panic!("{}", refused.reason))
    };
    // One of few combinations: 2 5 3 2 7.
    let (model, query) = lock([2, 3, 5, 7, 11], 4 + 15 + 15 + 14 + 77);
    let refined = refine(&model, &query);
    let last = refined.rounds.last().expect("a round");
    assert_eq!(last.decided, Some(Decided::Solver));
    let Ended::Violated(_, run) = &refined.ended else { panic!("the lock opens") };
    let isopen = |state: &State| state.rebecs[5].as_ref().is_some_and(|lock| lock.values[7] == Value::Bool(true));
    assert!(run.states().last().is_some_and(isopen) && !run.states().next().is_some_and(isopen));
    let states: Vec<State> = run.states().cloned().collect();
    assert!(frontend::interpret::trace::replay(&model, &BOUNDS, &states, None).is_ok());
    // The search without refinement gives up.
    let violation = Violation::Property("Shut".to_owned());
    let report = check(&refined.slice.model, &Query { properties: refined.slice.properties.clone(), ..query.clone() });
    let answer = report.answers.into_iter().find(|answer| answer.name == "Shut").expect("an answer per property");
    let trace = answer.trace.expect("with a run");
    let found = search(&Original { budget: 10_000, ..original(&model, &query) }, &refined.slice, &violation, &trace);
    assert!(matches!(found, Lifted::Unknown), "{found:?}");
    // Even weights never give an odd sum: the run is spurious, and only what is compared is at fault.
    let (model, query) = lock([2, 4, 6, 8, 10], 151);
    let refined = refine(&model, &query);
    let spurious = refined.rounds.iter().filter(|round| !round.cores.is_empty());
    let spurious: Vec<_> = spurious.map(|round| (round.decided, names(&model, &round.core))).collect();
    assert!(spurious.iter().any(|one| one.0 == Some(Decided::Solver)), "{spurious:?}");
    assert!(!matches!(refined.ended, Ended::Violated(..)));
}

/// Realizable paths (Figure 4 of \[Sab10\]): an assignment that no other server sees, and one that the reader overwrites before
/// it reads, are not in the slice; the last one before the end of a server is.
/// When it is time to end, whenever that is, refinement ends with the slice of its last round and without an answer; what it
/// answers before is what it answers with all the time that it takes.
#[test]
fn refinement_ends_when_it_is_time() {
    let (model, query) = lock([2, 4, 6, 8, 10], 151);
    let refine = |most: usize| {
        let calls = std::cell::Cell::new(0);
        let is_over = || {
            calls.set(calls.get() + 1);
            calls.get() > most
        };
        let mut checked = |slice: &Slice| {
            let report = check(&slice.model, &Query { properties: slice.properties.clone(), ..query.clone() });
            match report.answers.into_iter().find(|answer| answer.verdict == Verdict::Violated) {
                Some(answer) => {
                    Checked::Violated(Violation::Property(answer.name), Box::new(answer.trace.expect("a run")))
                }
                None => Checked::Holds,
            }
        };
        let original = Original { budget: 500, is_over: &is_over, ..original(&model, &query) };
        let refined = step_wise(&original, &mut checked).unwrap_or_else(|refused| panic!("{}", refused.reason));
        let context: Vec<_> = refined.rounds.iter().map(|round| round.kept.clone()).collect();
        (matches!(refined.ended, Ended::Unknown), context, calls.get())
    };
    let (is_open, rounds, calls) = refine(usize::MAX);
    assert!(!is_open && rounds.len() > 1, "{} rounds", rounds.len());
    let mut ended = 0;
    for most in [0, 1, 100, 499, 501, 505, calls / 2, calls - 1] {
        let (is_open, some, again) = refine(most);
        assert!(rounds.starts_with(&some), "after {most}");
        // Once over, it is queried a few times more and nothing else is done.
        assert!(again <= most + 20, "{again} times after {most}");
        ended += usize::from(is_open);
    }
    assert!(ended >= 5, "only {ended} ended early");
}
