//! Graphs and slices beyond random models of actors: realizable paths, refusals, sequential processes.

use super::*;
use crate::processes::generate;

#[test]
fn dependence_follows_realizable_paths() {
    let text = "reactiveclass C(3) {
        knownrebecs { }
        statevars { byte a; byte b; byte c; byte x; byte y; }
        msgsrv initial() { self.one(); self.two(); }
        msgsrv one() {
            a = 5;
            b = 1;
            b = 2;
            x = y;
        }
        msgsrv two() {
            y = x;
            a = b;
            c = a;
            self.two();
        }
    }
    main { C r():(); }";
    let (model, set) = read(text, Some("property { Assertion { C: r.c <= 2; } }"));
    let query = Query { properties: set, ..Query::default() };
    let cut = slice(&model, &query, Method::Static, &BTreeSet::new()).expect("applies");
    let lines = |kind| {
        let of_kind = cut.removed.iter().filter(move |one| one.kind == kind);
        of_kind.map(|one| text[one.span.start as usize..one.span.end as usize].to_owned()).collect::<Vec<_>>()
    };
    let dropped = lines(RemovedKind::Statement);
    let dropped: Vec<&str> = dropped.iter().map(|line| line.trim_end_matches(';')).collect();
    assert_eq!(dropped, ["a = 5", "b = 1", "x = y", "y = x"], "{}", print(&cut.model));
    let printed = print(&cut.model);
    assert!(printed.contains("b = 2;") && printed.contains("a = b;"), "{printed}");
}

/// Questions that no slice preserves are refused, with the reason.
#[test]
fn questions_that_are_not_preserved_are_refused() {
    let fixture = |name: &str| {
        let path = root().join("fixtures/rebeca/soundness").join(name).with_extension("rebeca");
        let properties = std::fs::read_to_string(path.with_extension("property")).ok();
        read(&std::fs::read_to_string(&path).expect("a fixture"), properties.as_deref())
    };
    // A formula of liveness: what is removed may run for ever.
    let (_, set) = fixture("m14_slice_divergence");
    let refused = applicable(&Query { properties: set, ..Query::default() }, None).expect_err("divergence");
    assert!(refused.reason.contains("may run for ever"), "{refused:?}");
    // Deadlock: by its own method only, which finds that there is none.
    let (model, _) = fixture("m15_slice_deadlock");
    let query = Query { deadlock: true, ..Query::default() };
    assert!(applicable(&query, Some(Method::Static)).is_err());
    assert_eq!(applicable(&query, None), Ok(Method::Deadlock));
    let cut = slice(&model, &query, Method::Deadlock, &BTreeSet::new()).expect("applies");
    assert_eq!(check(&cut.model, &query).verdict, Verdict::Holds);
    // All reaching definitions: the slice still fails.
    let (model, set) = fixture("m16_reaching_definitions");
    let query = Query { properties: set, ..Query::default() };
    let wrong = Switches { last_definition_only: true, ..Switches::default() };
    let verdict = |switches| {
        let cut = slice_with(&model, &query, Method::Static, &BTreeSet::new(), switches).expect("applies");
        check(&cut.model, &Query { properties: cut.properties.clone(), ..query.clone() }).verdict
    };
    assert_eq!(verdict(Switches::default()), Verdict::Violated);
    assert_eq!(verdict(wrong), Verdict::Holds, "the wrong variant misses it");
    // Overflow: never.
    let (model, _) = fixture("m17_slice_overflow");
    assert!(applicable(&Query { overflow: true, ..Query::default() }, None).is_err());
    let cut = slice(&model, &Query { deadlock: true, ..Query::default() }, Method::Deadlock, &BTreeSet::new());
    let cut = cut.expect("applies");
    let overflow = Query { overflow: true, ..Query::default() };
    assert_eq!(check(&model, &overflow).verdict, Verdict::Violated);
    assert_eq!(check(&cut.model, &overflow).verdict, Verdict::Holds, "the slice lost it");
    assert!(!slicing::bounds::never_overflows(&model));
}

/// The text of a process, its bodies with locals, loops and `fail`: some rounds do what the body did.
fn with_loops(seed: u64) -> String {
    let text = generate::process(seed);
    if seed.is_multiple_of(2) {
        return text;
    }
    let mut out = String::new();
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let body = line.find(" { ").zip(line.rfind(" } -> X")).filter(|_| line.contains("] e"));
        let Some((start, end)) = body else {
            out.push_str(line);
            continue;
        };
        let (k, q) = (format!("k{at}"), format!("q{at}"));
        let fails = if at % 3 == 0 { format!(" if ({k} = 2) {{ fail \"two\"; }}") } else { String::new() };
        out.push_str(&format!(
            "{} {{ var {k} : P := 0; for {q}:P {{ {k} := ({k} + {q}) mod 3; if ({k} = 1) {{ {} }} }} \
             while ({k} > 0) {{ {k} := {k} - 1; }}{fails}{}",
            &line[..start],
            &line[start + 3..end],
            &line[end..]
        ));
    }
    out
}

/// Further initial states, locals and loops of a slice are those of what stays.
#[test]
fn slices_of_processes_with_loops_are_cut() {
    use frontend::sequential::{Options, parse, print::print};
    let text = "type N : 0..3;\nproc P(a : N, b : N, c : N) =\n  [true] e { var t : N := a; var u : N := c; \
                for q:N { t := (t + q) mod 4; u := (u + q) mod 4; } while (u > 0) { u := u - 1; } b := t; c := u; } -> P\n  \
                + [true] f { c := 1; } -> P;\n\
                init P(a = 0, b = 0, c = 0);\ninit P(a = 1, b = 0, c = 3);\ninit P(a = 0, b = 0, c = 3);\n\
                assert Two = b <= 2;\n";
    let mut found = frontend::diagnostics::Diagnostics::new();
    let model = parse(text, &Options::default(), &mut found).model.expect("a process");
    let cut = slicing::sequential::slice(&model, &model.properties, false).expect("an invariant");
    assert_eq!(cut.model.variables.len(), 2);
    assert_eq!(cut.model.locals.len(), 1, "{}", print(&cut.model));
    assert_eq!(cut.model.starts, vec![vec![1, 0]]);
    assert_eq!(cut.model.summands.len(), 1);
}

/// Random processes: the slice for an invariant gives its verdict, and its runs are brought back.
#[test]
fn slices_of_processes_give_their_verdicts() {
    use frontend::sequential::{Options, parse, print::print, spans::without_spans};
    let (mut smaller, mut lifted, mut loops) = (0, 0, 0);
    for seed in 1..=number("COUNT").unwrap_or(COUNT) {
        let mut found = frontend::diagnostics::Diagnostics::new();
        let Some(model) = parse(&with_loops(seed), &Options::default(), &mut found).model else {
            assert!(seed.is_multiple_of(2), "seed {seed} is refused:\n{}", with_loops(seed));
            continue;
        };
        let invariants: Vec<_> =
            model.properties.iter().filter(|property| matches!(property.kind, PropertyKind::Invariant(_))).collect();
        for (property, faults) in invariants.into_iter().flat_map(|property| [(property, false), (property, true)]) {
            let checked = vec![property.clone()];
            let cut = slicing::sequential::slice(&model, &checked, faults).expect("an invariant");
            let printed = print(&cut.model);
            let again = parse(&printed, &Options::default(), &mut found).model;
            let again = again.unwrap_or_else(|| panic!("seed {seed}: the slice is refused:\n{printed}"));
            assert_eq!(without_spans(again), without_spans(cut.model.clone()), "seed {seed}");
            let query = |properties| Question {
                deadlock: false,
                overflow: false,
                assertions: false,
                faults,
                properties,
                limits: Limits { max_states: Some(MAX_STATES as u64), ..Limits::default() },
                ..Question::default()
            };
            let full = checker::sequential::check(&model, &query(checked), &mut ()).expect("confirmed");
            let own = query(cut.model.properties.clone());
            let small = checker::sequential::check(&cut.model, &own, &mut ()).expect("confirmed");
            if full.verdict == Verdict::Inconclusive || small.verdict == Verdict::Inconclusive {
                continue;
            }
            let context = || format!("seed {seed}, {}:\n{}\nslice:\n{printed}", property.name, print(&model));
            assert!(full.verdict == Verdict::Holds || small.verdict == Verdict::Violated, "missed: {}", context());
            smaller += u64::from(full.verdict == Verdict::Holds && small.states < full.states);
            loops += u64::from(!cut.model.locals.is_empty() && !cut.removed.is_empty());
            for answer in small.answers.iter().filter(|answer| answer.verdict == Verdict::Violated) {
                let run = answer.trace.as_ref().and_then(|trace| cut.lift(&model, trace));
                assert!(run.is_none() || full.verdict == Verdict::Violated, "invented: {}", context());
                lifted += u64::from(run.is_some());
            }
        }
    }
    println!("{smaller} smaller, {loops} cut with loops, {lifted} brought back");
    assert!(smaller > 10 && lifted > 10 && loops > 10, "{smaller} smaller, {loops} with loops, {lifted} brought back");
}

#[test]
fn graphs_of_processes_join_reads_and_writes() {
    let text = "type T : 0..2;\nproc P(x : T, y : T) =\n    [x = 0] go(y) { y := x; } -> P\n  + [y < 2] up() { x := y; y := y + 1; } -> P;\ninit P(x = 0, y = 0);\n";
    let mut found = frontend::diagnostics::Diagnostics::new();
    let parsed = frontend::sequential::parse(text, &frontend::sequential::Options::default(), &mut found);
    let model = parsed.model.unwrap_or_else(|| panic!("{:?}", found.list));
    let dot = slicing::graph::process_dot(&model);
    let edges: BTreeSet<&str> = dot.lines().filter(|line| line.contains("->")).map(str::trim).collect();
    let expected = [
        "n0 -> n2 [label=\"data\"];",
        "n0 -> n2 [label=\"guard\"];",
        "n1 -> n2 [label=\"data\"];",
        "n1 -> n3 [label=\"data\"];",
        "n1 -> n3 [label=\"guard\"];",
        "n2 -> n1 [label=\"write\"];",
        "n3 -> n0 [label=\"write\"];",
        "n3 -> n1 [label=\"write\"];",
    ];
    assert_eq!(edges, expected.into_iter().collect(), "{dot}");
    let source = frontend::source::Source::new("p.lpe", text);
    let json: serde_json::Value = serde_json::from_str(&slicing::graph::process_json(&model, &source)).expect("JSON");
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["nodes"][2]["place"], serde_json::json!({ "line": 3, "column": 13 }));
    assert_eq!(json["edges"].as_array().map(Vec::len), Some(expected.len()));
}
