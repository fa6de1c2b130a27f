//! Weak fairness through quotients of sequential processes: threads give the verdicts of the process itself on random symmetric
//! processes, and counting on indices of representatives, which is known to be wrong, is caught.

use engine::SparsePermutation;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, Sequential, parse};
use symmetry::sequential::ValidatedGroup;

use super::Rng;
use crate::sequential::{check, check_reduced, testing};
use crate::{Limits, Question, Quotient, Reductions, Representative, Verdict};

const SMALL: u64 = 3_000;

fn pick<'t>(rng: &mut Rng, list: &[&'t str]) -> &'t str {
    list[rng.below(u32::try_from(list.len()).expect("few")) as usize]
}

/// A formula over some of these conditions.
fn formula(rng: &mut Rng, atoms: &[&str]) -> String {
    let (one, other) = (pick(rng, atoms), pick(rng, atoms));
    match rng.below(6) {
        0 => format!("G(F({one}))"),
        1 => format!("F(G({one}))"),
        2 => format!("G(({one}) => F({other}))"),
        3 => format!("F({one})"),
        4 => format!("G(F({one})) => G(F({other}))"),
        _ => format!("F(({one}) && X({other}))"),
    }
}

/// A process of like agents, with a variable that names one of them, and a formula that treats them alike.
fn random_text(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xfa14);
    let guards =
        ["true", "b[i]", "!b[i]", "u[i] < 2", "t = i", "t != i", "exists j:ID . j != i && b[j]", "u[t] = u[i]"];
    let statements = [
        "b[i] := !b[i];",
        "u[i] := (u[i] + 1) mod 3;",
        "u[i] := 0;",
        "t := i;",
        "if (b[i]) { u[i] := 1; } else { t := i; }",
        "b[t] := true;",
    ];
    let mut summands = Vec::new();
    for at in 0..2 + rng.below(2) {
        let body = [pick(&mut rng, &statements), if rng.below(2) == 0 { pick(&mut rng, &statements) } else { "" }];
        let fault = if rng.below(14) == 0 { "u[i] := u[i] + 1;" } else { "" };
        let guard = pick(&mut rng, &guards);
        summands.push(format!("sum i:ID . [{guard}] e{at} {{ {} {fault} }} -> P", body.join(" ")));
    }
    if rng.below(3) == 0 {
        summands.push("sum i:ID . [t != i] hand(i) { t := i; } -> P".to_owned());
    }
    if rng.below(3) == 0 {
        // No process takes this one.
        summands.push("[forall j:BIT . b[0] || !b[0]] environment { t := t; } -> P".to_owned());
    }
    let atoms = ["(exists j:ID . u[j] = 1)", "(forall j:ID . b[j])", "(exists j:ID . b[j])", "(u[t] = 0)", "!b[t]"];
    let formula = formula(&mut rng, &atoms);
    format!(
        "const N = {}; type ID : 0..N-1; type U : 0..2;\nproc P(b : BOOL[ID], u : U[ID], t : ID) fair ID =\n    {};\n\
         init P(b = {}, u = 0, t = *);\nltl L = {formula};\n",
        2 + rng.below(2),
        summands.join("\n  + "),
        rng.below(2)
    )
}

/// A process of more agents that do not name each other, whose variables come after others, and a formula that treats them alike: its
/// representatives are found by sorting.
fn random_text_of_many(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x50f7);
    let guards =
        ["true", "b[i]", "!b[i]", "k", "!k", "w[0] = w[1]", "exists j:ID . j != i && b[j]", "forall j:ID . !b[j]"];
    let statements = [
        "b[i] := !b[i];",
        "b[i] := true;",
        "b[i] := false;",
        "k := !k;",
        "k := b[i];",
        "w[0] := 1 - w[1];",
        "w[1] := k;",
    ];
    let mut summands = Vec::new();
    for at in 0..2 + rng.below(2) {
        let body = [pick(&mut rng, &statements), if rng.below(2) == 0 { pick(&mut rng, &statements) } else { "" }];
        summands.push(format!("sum i:ID . [{}] e{at} {{ {} }} -> P", pick(&mut rng, &guards), body.join(" ")));
    }
    if rng.below(2) == 0 {
        let pass = "sum i:ID . sum j:ID . [b[i] && !b[j]] pass { b[i] := false; b[j] := true; } -> P";
        summands.push(pass.to_owned());
    }
    let atoms = ["k", "(exists j:ID . b[j])", "(forall j:ID . b[j])", "(w[0] = 1)", "(w[0] = w[1])"];
    let formula = formula(&mut rng, &atoms);
    format!(
        "const N = {}; type ID : 0..N-1; type W : 0..1;\nproc P(k : BOOL, w : BIT[W], b : BOOL[ID]) fair ID =\n    {};\n\
         init P(k = false, w = 0, b = {});\nltl L = {formula};\n",
        4 + rng.below(2),
        summands.join("\n  + "),
        rng.below(2)
    )
}

/// The group that rotations and exchanges of neighbours generate, as far as they are symmetries.
fn group(model: &Sequential) -> ValidatedGroup {
    let none = ValidatedGroup::new(model, &model.properties, Vec::new());
    let count = model.domain(model.fair.expect("processes")).size();
    let value = |at: usize| i32::try_from(at).expect("few");
    let candidate = |image: &dyn Fn(usize) -> usize| {
        let mut pairs = Vec::new();
        for variable in &model.variables {
            let point = |element: usize, value: i32| none.literals().point(element, value);
            let is_indexed = variable.indices.first() == model.fair.as_ref();
            let names = variable.indices.is_empty() && Some(variable.sort) == model.fair;
            for at in (0..count).filter(|_| is_indexed || names) {
                if names {
                    pairs.push((point(variable.offset, value(at)), point(variable.offset, value(image(at)))));
                    continue;
                }
                for own in model.domain(variable.sort).values() {
                    pairs.push((point(variable.offset + at, own), point(variable.offset + image(at), own)));
                }
            }
        }
        SparsePermutation::from_pairs(pairs).expect("a permutation")
    };
    let swap = |at: usize| if at < 2 { 1 - at } else { at };
    let candidates = vec![candidate(&|at| (at + 1) % count), candidate(&swap)];
    ValidatedGroup::new(model, &model.properties, candidates)
}

#[test]
fn threads_give_the_verdicts_of_the_process() {
    let (mut held, mut violated, mut invented, mut lost, mut fewer) = (0, 0, 0, 0, 0);
    let many = (0..300).map(|seed| (seed, random_text_of_many(seed)));
    for (seed, text) in (0..900).map(|seed| (seed, random_text(seed))).chain(many) {
        let mut sink = Diagnostics::new();
        let model = parse(&text, &Options::default(), &mut sink).model;
        let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list));
        let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
        let question: Question<Vec<Property>> = Question {
            deadlock: false,
            faults: false,
            properties: model.properties.clone(),
            limits,
            ..Question::default()
        };
        let group = group(&model);
        if group.order() <= 1u32.into() {
            continue;
        }
        let plain = check(&model, &question, &mut ()).expect("confirmed");
        if plain.verdict == Verdict::Inconclusive {
            continue;
        }
        let quotient = Some(Quotient { group: &group, representative: Representative::Auto, counts_orbits: false });
        let reductions = Reductions { quotient, partial_order: true, ..Reductions::default() };
        let found = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        assert_eq!(found.verdict, plain.verdict, "seed {seed}\n{text}");
        let run = found.answers[0].run.as_ref().expect("a run of its own");
        assert!(plain.verdict == Verdict::Violated || run.group.is_some(), "{:?}\n{text}", run.reductions);
        fewer += u32::from(found.states < plain.states);
        let verdict = |follows| testing::verdict(&model, &question, &group, follows);
        assert_eq!(verdict(true), Some(plain.verdict), "seed {seed}\n{text}");
        held += u32::from(plain.verdict == Verdict::Holds);
        violated += u32::from(plain.verdict == Verdict::Violated);
        let wrong = verdict(false) != Some(plain.verdict);
        invented += u32::from(plain.verdict == Verdict::Holds && wrong);
        lost += u32::from(plain.verdict == Verdict::Violated && wrong);
    }
    println!(
        "{held} hold, {violated} are violated, {fewer} with fewer states; indices invent {invented} and lose {lost}"
    );
    assert!(held > 100 && violated > 100 && invented > 0 && lost > 0, "{held} {violated} {invented} {lost}");
}
