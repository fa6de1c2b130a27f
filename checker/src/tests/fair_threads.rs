//! Weak fairness through quotients: threads give the verdicts of the model itself on random symmetric rings, and counting on
//! indices of representatives, which is known to be wrong, is caught.

use std::time::Duration;

use frontend::diagnostics::Diagnostics;
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::{Model, PropertyKind, PropertySet};
use frontend::syntax::{parse_model, parse_properties};
use symmetry::{
    Strategy::{KnownRebec, ScalarSet},
    ValidatedGroup,
};

use super::Rng;
use crate::actors::{Space, Symmetry};
use crate::{Fairness, Limits, Question, Quotient, Reductions, Representative, Verdict, check, check_reduced};
use explore::plan::Plan;
use explore::temporal;

const SMALL: u64 = 3_000;

/// A model and the question of its properties.
pub(crate) fn read(text: &str, properties: &str) -> (Model, Question) {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    let model = lower(&program, &LowerOptions::default(), &mut diagnostics);
    let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", diagnostics.list));
    let file = parse_properties(properties, &mut diagnostics);
    let set = lower_properties(&file, &model, &mut diagnostics);
    let properties = set.unwrap_or_else(|| panic!("{:?}\n{properties}", diagnostics.list));
    let limits = Limits { max_states: Some(SMALL), ..Limits::default() };
    let requested =
        Question { deadlock: false, overflow: false, assertions: false, faults: false, ..Question::default() };
    (model, Question { properties, limits, ..requested })
}

/// The verdict in a quotient, with threads or with indices; nothing if a counterexample is not confirmed.
fn verdict(model: &Model, question: &Question, group: &ValidatedGroup, follows: bool) -> Option<Verdict> {
    let mut space = Space::new(model, &question.bounds, question.limits.max_states, None);
    let mut symmetry =
        Symmetry::new(model, group, &PropertySet::default(), Representative::Auto).expect("a small group");
    if !follows {
        symmetry.search_along_the_chain();
    }
    space.reduce(symmetry);
    if follows {
        space.follow();
    }
    let property = &question.properties.properties[0];
    let PropertyKind::Ltl(formula) = &property.kind else { panic!("a formula") };
    let answer = temporal::answer(space, Plan::default(), &property.name, formula, question, Duration::ZERO, &mut ());
    answer.ok().map(|answer| answer.settled().map_or(Verdict::Violated, |answer| answer.verdict))
}

/// A ring whose rebecs run for ever, most of them, by themselves or for each other.
pub(crate) fn ring(rng: &mut Rng) -> (String, String) {
    let pick =
        |rng: &mut Rng, list: &[&str]| list[rng.below(u32::try_from(list.len()).expect("few")) as usize].to_owned();
    let statements =
        ["u = (u + 1) % 3;", "b = !b;", "u = 0;", "b = ?(true, false);", "if (b) u = 1;", "if (u == 2) b = false;"];
    let mut server = |name: &str, sends: &[&str]| {
        let body: String = (0..rng.below(3)).map(|_| pick(rng, &statements)).collect();
        format!("  msgsrv {name}() {{ {body} {} }}\n", pick(rng, sends))
    };
    let servers = [
        server("initial", &["self.m0();", "next.m0();", "self.m1();"]),
        server("m0", &["self.m1();", "self.m0();", "self.m1();", "if (b) self.m1(); else next.m0();"]),
        server("m1", &["self.m0();", "self.m0();", "next.m0();", ""]),
    ];
    let rebecs = 2 + rng.below(2);
    // A ring, or rebecs that know only themselves: then all permutations are symmetries.
    let step = rng.below(3).min(1);
    let instances: String = (0..rebecs).map(|at| format!("N a{at}(a{}):(); ", (at + step) % rebecs)).collect();
    let all = |part: &str, sign: &str| {
        let parts: Vec<String> = (0..rebecs).map(|at| part.replace('*', &format!("a{at}"))).collect();
        format!("({})", parts.join(sign))
    };
    let atoms = ["*.u == 1", "*.b", "*.u == 0", "*.u <= 1", "!*.b"];
    let mut atom = || {
        let sign = pick(rng, &[" && ", " || "]);
        all(&pick(rng, &atoms), &sign)
    };
    let (one, other) = (atom(), atom());
    let formula = match rng.below(6) {
        0 => format!("G(F({one}))"),
        1 => format!("F(G({one}))"),
        2 => format!("G({one} -> F({other}))"),
        3 => format!("F({one})"),
        4 => format!("G(F({one})) -> G(F({other}))"),
        _ => format!("F({one} && X({other}))"),
    };
    let class = "reactiveclass N(4) {\n  knownrebecs { N next; }\n  statevars { int u; boolean b; }\n";
    let text = format!("{class}{}}}\nmain {{ {instances}}}\n", servers.concat());
    (text, format!("property {{ LTL {{ L: {formula}; }} }}"))
}

#[test]
fn threads_give_the_verdicts_of_the_model() {
    let (mut held, mut violated, mut invented, mut lost) = (0, 0, 0, 0);
    for seed in 0..1_200 {
        let mut rng = Rng::new(seed);
        let (text, properties) = ring(&mut rng);
        let (model, question) = read(&text, &properties);
        let group = ValidatedGroup::new(&model, &question.properties, ScalarSet.candidates(&model));
        if group.order() <= 1u32.into() {
            continue;
        }
        let plain = check_reduced(&model, &question, Reductions::default(), &mut ()).expect("confirmed");
        if plain.verdict == Verdict::Inconclusive {
            continue;
        }
        let found = verdict(&model, &question, &group, true);
        assert_eq!(found, Some(plain.verdict), "seed {seed}\n{text}{properties}");
        let quotient = Some(Quotient { group: &group, representative: Representative::Auto, counts_orbits: false });
        let reductions = Reductions { quotient, ..Reductions::default() };
        let whole = check_reduced(&model, &question, reductions, &mut ()).expect("confirmed");
        assert_eq!(whole.verdict, plain.verdict, "seed {seed}\n{text}{properties}");
        let trace = whole.answers[0].trace.as_ref();
        assert_eq!(trace.is_some(), plain.verdict == Verdict::Violated, "seed {seed}");
        held += u32::from(plain.verdict == Verdict::Holds);
        violated += u32::from(plain.verdict == Verdict::Violated);
        let wrong = verdict(&model, &question, &group, false);
        invented += u32::from(plain.verdict == Verdict::Holds && wrong != found);
        // The run that indices show is not fair in the model, or there is no such run.
        lost += u32::from(plain.verdict == Verdict::Violated && wrong != found);
    }
    println!("{held} hold, {violated} are violated; indices invent {invented} runs and lose {lost}");
    assert!(held > 100 && violated > 100 && invented > 0 && lost > 0, "{held} {violated} {invented} {lost}");
}

#[test]
fn fixtures_of_fairness_keep_their_verdicts_in_the_quotient() {
    let fixtures = [
        (
            include_str!("../../../fixtures/rebeca/soundness/m20_fairness_invented.rebeca"),
            include_str!("../../../fixtures/rebeca/soundness/m20_fairness_invented.property"),
            Verdict::Holds,
        ),
        (
            include_str!("../../../fixtures/rebeca/soundness/m21_fairness_missed.rebeca"),
            include_str!("../../../fixtures/rebeca/soundness/m21_fairness_missed.property"),
            Verdict::Violated,
        ),
    ];
    for (text, properties, expected) in fixtures {
        let (model, mut question) = read(text, properties);
        question.limits = Limits::default();
        let group = ValidatedGroup::new(&model, &question.properties, KnownRebec.candidates(&model));
        assert!(group.order() > 1u32.into());
        assert_eq!(verdict(&model, &question, &group, true), Some(expected), "{text}");
        // The runs that indices invent and miss depend on the choice of representatives.
        let by_indices = verdict(&model, &question, &group, false);
        assert!(expected == Verdict::Violated || by_indices != Some(expected), "{text}");
    }
}

/// Processes are bits of words: the second word is needed only once the search has found a component that starves a process.
#[test]
fn starved_processes_are_kept_where_more_processes_come() {
    let idle: String = (0..66).map(|rebec| format!("D d{rebec}():(); ")).collect();
    let text = format!(
        "reactiveclass A(3) {{ knownrebecs {{ B b; }} A() {{ self.go(); }} msgsrv go() {{ b.go(); }} }}
        reactiveclass B(3) {{ knownrebecs {{ A a; }} B() {{ }} msgsrv go() {{ a.go(); }} }}
        reactiveclass W(3) {{ statevars {{ boolean y; }} W() {{ self.k(); }} msgsrv k() {{ y = true; }} }}
        reactiveclass D(1) {{ D() {{ }} }}
        main {{ A a(b):(); W w():(); {idle} B b(a):(); }}"
    );
    let (model, question) = read(&text, "property { define { y = w.y; } LTL { P: F(y); } }");
    for (fairness, expected) in [(Fairness::Weak, Verdict::Holds), (Fairness::None, Verdict::Violated)] {
        let question = Question { fairness, ..question.clone() };
        let report = check(&model, &question, &mut ()).expect("confirmed");
        assert_eq!(report.verdict, expected, "{fairness:?}");
    }
}
