//! Random formulas on random models: components, nested search and the twin give the same verdicts, without and with weak
//! fairness; counterexamples replay. The known-wrong notions of fairness give others.

use std::collections::BTreeMap;
use std::path::Path;

use battery::differential::BOUNDS;
use battery::generate::{model, render};
use battery::harness::{messages, read_model, read_properties, replays, root};
use battery::parallel;
use battery::random::Rng;
use battery::twin::{Assumed, Graph, graph, is_violated};
use checker::{Emptiness, Fairness, Question, Reductions, Verdict};
use frontend::lower::LowerOptions;
use frontend::model::{
    Base, BinaryOp, Expr, ExprKind, Formula, Model, Place, Property, PropertyKind, PropertySet, RebecId, Role, Sort,
    VariableId, Width,
};
use frontend::source::Span;
use serde_json::Value as Json;

use crate::binary::quotient;

const COUNT: u64 = 1_000;

/// Models with more states are left out.
const MOST_STATES: usize = 200;

fn expr(kind: ExprKind, sort: Sort) -> Expr {
    Expr { kind, sort, span: Span::NONE }
}

/// A condition on one variable of one rebec of `main`.
fn condition(rng: &mut Rng, model: &Model) -> Option<Expr> {
    let rebec = rng.below(model.instances.len());
    let class = model.class(model.instances[rebec].class);
    let fits = |index: &usize| {
        let variable = &class.variables[*index];
        let is_plain = variable.dimensions.is_empty() && variable.role == Role::State;
        is_plain && matches!(variable.sort, Sort::Bool | Sort::Int(_))
    };
    let fitting: Vec<usize> = (0..class.variables.len()).filter(fits).collect();
    if fitting.is_empty() {
        return None;
    }
    let index = *rng.pick(&fitting);
    let place = Place {
        base: Base::Remote(RebecId::from_index(rebec), VariableId::from_index(index)),
        indices: Vec::new(),
        span: Span::NONE,
    };
    let read = |sort| expr(ExprKind::Read(place), sort);
    Some(match class.variables[index].sort {
        Sort::Bool => read(Sort::Bool),
        sort => {
            let number = expr(ExprKind::Int(i32::try_from(rng.below(3)).expect("small")), Sort::Int(Width::Int));
            let op = *rng.pick(&[BinaryOp::Equal, BinaryOp::LessEqual]);
            expr(ExprKind::Binary(op, Box::new(read(sort)), Box::new(number)), Sort::Bool)
        }
    })
}

fn formula(rng: &mut Rng, model: &Model, depth: usize) -> Option<Formula> {
    if depth == 0 {
        return condition(rng, model).map(Formula::Atom);
    }
    let part = |rng: &mut Rng| formula(rng, model, depth - 1).map(Box::new);
    Some(match rng.below(11) {
        0 => Formula::Not(part(rng)?),
        1 => Formula::And(vec![*part(rng)?, *part(rng)?]),
        2 => Formula::Or(vec![*part(rng)?, *part(rng)?]),
        3 => Formula::Implies(part(rng)?, part(rng)?),
        4 => Formula::Next(part(rng)?),
        5 | 6 => Formula::Finally(part(rng)?),
        7 => Formula::Globally(part(rng)?),
        8 => Formula::Until(part(rng)?, part(rng)?),
        9 => Formula::Release(part(rng)?, part(rng)?),
        _ => Formula::WeakUntil(part(rng)?, part(rng)?),
    })
}

/// Of the usual shapes two in three, else anything.
fn any_formula(rng: &mut Rng, model: &Model) -> Option<Formula> {
    let atom = |rng: &mut Rng| condition(rng, model).map(|condition| Box::new(Formula::Atom(condition)));
    Some(match rng.below(6) {
        0 => Formula::Globally(Box::new(Formula::Finally(atom(rng)?))),
        1 => Formula::Finally(Box::new(Formula::Globally(atom(rng)?))),
        2 => {
            let answered = Formula::Implies(atom(rng)?, Box::new(Formula::Finally(atom(rng)?)));
            Formula::Globally(Box::new(answered))
        }
        3 => Formula::Finally(atom(rng)?),
        _ => formula(rng, model, 3)?,
    })
}

/// A small model whose rebecs go on for ever, most of them, by themselves or for each other: here fairness matters.
fn tickers(rng: &mut Rng) -> String {
    let statements =
        ["u = (u + 1) % 3;", "b = !b;", "u = 0;", "b = ?(true, false);", "if (b) u = 1;", "if (u == 2) b = false;"];
    let mut server = |name: &str, sends: &[&str]| {
        let body: Vec<&str> = (0..rng.between(0, 2)).map(|_| *rng.pick(&statements)).collect();
        format!("  msgsrv {name}() {{ {} {} }}\n", body.join(" "), rng.pick(sends))
    };
    let servers = [
        server("initial", &["self.m0();", "next.m0();", "self.m1();"]),
        server("m0", &["self.m1();", "self.m0();", "self.m1();", "if (b) self.m1(); else next.m0();"]),
        server("m1", &["self.m0();", "self.m0();", "next.m0();", ""]),
    ];
    let rebecs = rng.between(2, 3);
    let instances: String = (0..rebecs).map(|at| format!("N a{at}(a{}):(); ", (at + 1) % rebecs)).collect();
    let class = "reactiveclass N(4) {\n  knownrebecs { N next; }\n  statevars { int u; boolean b; }\n";
    format!("{class}{}}}\nmain {{ {instances}}}\n", servers.concat())
}

fn question_with(formula: Formula, fairness: Fairness, emptiness: Emptiness) -> Question {
    let property = Property { name: "L".to_owned(), kind: PropertyKind::Ltl(formula), span: Span::NONE };
    Question {
        deadlock: false,
        overflow: false,
        assertions: false,
        faults: false,
        properties: PropertySet { definitions: Vec::new(), properties: vec![property] },
        fairness,
        emptiness,
        bounds: BOUNDS,
        ..Question::default()
    }
}

/// Whether each way violates, in the order components, nested, weak; nothing if the twin gives no answer.
fn compare(model: &Model, graph: &Graph, formula: &Formula) -> Result<Option<[bool; 3]>, String> {
    let ways = [
        (Fairness::None, Emptiness::Components, Assumed::Nothing),
        (Fairness::None, Emptiness::Nested, Assumed::Nothing),
        (Fairness::Weak, Emptiness::Components, Assumed::Weak),
    ];
    let mut found = [false; 3];
    for (way, (fairness, emptiness, assumed)) in ways.into_iter().enumerate() {
        let Some(expected) = is_violated(model, graph, formula, assumed) else { return Ok(None) };
        let report = checker::check(model, &question_with(formula.clone(), fairness, emptiness), &mut ());
        let report = report.map_err(|error| format!("{fairness:?}, {emptiness:?}: {}", error.0))?;
        let answer = &report.answers[0];
        let verdict = if expected { Verdict::Violated } else { Verdict::Holds };
        if answer.verdict != verdict {
            return Err(format!("{fairness:?}, {emptiness:?}: {:?}, by the twin {verdict:?}", answer.verdict));
        }
        if let Some(trace) = &answer.trace {
            replays(model, &BOUNDS, trace)?;
            if trace.cycle_from.is_none() {
                return Err("a counterexample has no cycle".to_owned());
            }
        }
        found[way] = expected;
        if emptiness == Emptiness::Components && !formula.has_next() {
            let reductions = Reductions { partial_order: true, ..Reductions::default() };
            let report = checker::check_reduced(
                model,
                &question_with(formula.clone(), fairness, emptiness),
                reductions,
                &mut (),
            );
            let report = report.map_err(|error| format!("partial order, {fairness:?}: {}", error.0))?;
            let answer = &report.answers[0];
            if answer.verdict != verdict {
                return Err(format!("partial order, {fairness:?}: {:?}, by the twin {verdict:?}", answer.verdict));
            }
            answer.trace.as_ref().map_or(Ok(()), |trace| replays(model, &BOUNDS, trace))?;
        }
    }
    Ok(Some(found))
}

#[test]
fn verdicts_are_those_of_the_twin() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let mut rng = Rng::new(seed);
        let text = if seed % 2 == 0 { render::model(&model(seed)) } else { tickers(&mut rng) };
        let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {}", messages(&found)));
        let mut verdicts = Vec::new();
        let Some(graph) = graph(&model, &BOUNDS, MOST_STATES) else { return Ok(verdicts) };
        for _ in 0..3 {
            let Some(formula) = any_formula(&mut rng, &model) else { break };
            let found = compare(&model, &graph, &formula);
            let found = found.map_err(|error| format!("seed {seed}: {error}\n{formula:?}\n{text}"))?;
            verdicts.extend(found);
        }
        Ok::<_, String>(verdicts)
    });
    let mut verdicts = Vec::new();
    for result in results {
        verdicts.extend(result.unwrap_or_else(|error| panic!("{error}")));
    }
    let violated = verdicts.iter().filter(|way| way[0]).count();
    let only_unfair = verdicts.iter().filter(|way| way[0] && !way[2]).count();
    println!("{} formulas, {violated} violated, {only_unfair} only without fairness", verdicts.len());
    if count == COUNT {
        let held = verdicts.len() - violated;
        assert!(verdicts.len() > 1_500 && violated > 300 && held > 300 && only_unfair > 50, "too few of a kind");
    }
}

/// The report of the binary on a fixture: verdicts by property, and the reductions of each run.
fn answers_of(path: &str, options: &[&str]) -> BTreeMap<String, (String, String)> {
    let path = root().join("fixtures/rebeca").join(path).to_string_lossy().into_owned();
    let run = quotient(&[&["check", path.as_str(), "--json", "--keep-going"], options].concat());
    let report: Json = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}\n{}", run.stderr));
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    let formulas = properties.iter().filter(|property| property["kind"] == "ltl");
    let facts = formulas.map(|property| {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        (text(&property["name"]), (text(&property["verdict"]), property["run"]["reductions"].to_string()))
    });
    facts.collect()
}

#[test]
fn quotients_keep_formulas() {
    let mut reduced = 0;
    for fixture in [
        "soundness/m19_shared_nested_visited.rebeca",
        "soundness/m20_fairness_invented.rebeca",
        "soundness/m21_fairness_missed.rebeca",
        "temporal/ends_in_deadlock.rebeca",
        "temporal/ends_in_fault.rebeca",
        "temporal/distinguished.rebeca",
    ] {
        for fairness in ["none", "weak"] {
            let plain = answers_of(fixture, &["--plain", "--fairness", fairness]);
            assert!(!plain.is_empty(), "{fixture}");
            for symmetry in ["known-rebec", "constraint"] {
                let found = answers_of(fixture, &["--symmetry", symmetry, "--fairness", fairness]);
                for (name, (verdict, reductions)) in &found {
                    assert_eq!(*verdict, plain[name].0, "{fixture}, {name}, {symmetry}, {fairness}");
                    let is_quotient = reductions.contains("symmetry");
                    let is_both = is_quotient && reductions.contains("partial-order");
                    assert!(
                        !is_both || fairness == "none",
                        "{fixture}, {name}: no quotient together with partial order"
                    );
                    assert!(
                        !is_quotient
                            || fixture != "temporal/distinguished.rebeca"
                            || !["Each", "Falls"].contains(&name.as_str())
                    );
                    reduced += usize::from(is_quotient);
                }
            }
        }
    }
    assert!(reduced > 4, "only {reduced} runs in a quotient");
}

/// The formula of a fixture, its model and its graph.
fn fixture(name: &str) -> (Model, Graph, Formula) {
    let path = root().join("fixtures/rebeca/soundness").join(name);
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (model, _) = read_model(&read(&path), &LowerOptions::default());
    let model = model.expect("a model");
    let (set, _) = read_properties(&read(&path.with_extension("property")), &model);
    let PropertyKind::Ltl(formula) = set.expect("properties").properties.remove(0).kind else { panic!("a formula") };
    let graph = graph(&model, &BOUNDS, 10_000).expect("small");
    (model, graph, formula)
}

#[test]
fn wrong_notions_of_fairness_are_caught() {
    let (model, graph, formula) = fixture("m18_last_rebec_disabled.rebeca");
    assert_eq!(is_violated(&model, &graph, &formula, Assumed::Weak), Some(true));
    assert_eq!(
        is_violated(&model, &graph, &formula, Assumed::LastEnabled),
        Some(false),
        "the last rebec has no message"
    );
    assert_eq!(is_violated(&model, &graph, &formula, Assumed::MovesOnly), Some(false), "it need not move, either");
    for name in ["m18_last_rebec_disabled.rebeca", "m19_shared_nested_visited.rebeca", "m21_fairness_missed.rebeca"] {
        let (model, graph, formula) = fixture(name);
        assert_eq!(compare(&model, &graph, &formula), Ok(Some([true; 3])), "{name}");
    }
    for name in ["m14_slice_divergence.rebeca", "m20_fairness_invented.rebeca"] {
        let (model, graph, formula) = fixture(name);
        assert_eq!(compare(&model, &graph, &formula), Ok(Some([true, true, false])), "{name}");
    }
}

/// The formulas of the fixtures as automata in a file: the same verdicts, without partial order, and with the group cut.
#[test]
fn automata_of_formulas_have_their_verdicts() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("automaton.hoa").to_string_lossy().into_owned();
    let fixtures = [
        "rebeca/soundness/m14_slice_divergence.rebeca",
        "rebeca/soundness/m20_fairness_invented.rebeca",
        "rebeca/soundness/m21_fairness_missed.rebeca",
        "rebeca/temporal/ends_in_deadlock.rebeca",
        "rebeca/temporal/ends_in_fault.rebeca",
        "rebeca/temporal/distinguished.rebeca",
        "lpe/language/fairness.lpe",
        "lpe/language/formulas.lpe",
    ];
    let mut count = 0;
    for fixture in fixtures {
        let path = root().join("fixtures").join(fixture).to_string_lossy().into_owned();
        for fairness in ["none", "weak"] {
            let check = |options: &[&str]| {
                let run = quotient(&[&["check", &path, "--json", "--keep-going"], options].concat());
                serde_json::from_str::<Json>(&run.stdout).ok()
            };
            let Some(report) = check(&["--fairness", fairness]) else { continue };
            let formulas = report["properties"].as_array().cloned().unwrap_or_default();
            for formula in formulas.iter().filter(|property| property["kind"] == "ltl") {
                let name = formula["name"].as_str().expect("a name");
                let run = quotient(&["convert", &path, "--to", "hoa", "--name", name, "-o", &file]);
                assert_eq!(run.code, Some(0), "{fixture}, {name}: {}", run.stderr);
                let own = format!("!({name})");
                let found = check(&["--fairness", fairness, "--buchi", &file, "--name", &own]).expect("a report");
                let found = &found["properties"][0];
                assert_eq!(found["name"], own.as_str(), "{fixture}");
                assert_eq!(found["verdict"], formula["verdict"], "{fixture}, {name}, {fairness}");
                assert!(!found["run"]["reductions"].to_string().contains("partial-order"), "{fixture}, {name}");
                let both = [&found["run"]["group"]["order"], &formula["run"]["group"]["order"]];
                // Without partial order there may be a quotient under fairness, too.
                assert!(fairness == "weak" || both[0] == both[1], "{fixture}, {name}: {both:?}");
                count += 1;
            }
        }
    }
    assert!(count > 20, "only {count} formulas");
}

/// A model that makes rebecs for ever and forgets them, next to a lamp that blinks.
const MAKER: &str = "
reactiveclass Lamp(3) {
  statevars { boolean on; }
  Lamp() { self.press(); }
  msgsrv press() { on = !on; self.press(); }
}
reactiveclass Maker(3) {
  statevars { Job job; byte made; }
  Maker() { self.again(); }
  msgsrv again() { job = new Job():(); if (made < 1) { made = 1; } self.again(); }
}
reactiveclass Job(2) { msgsrv run() { } }
main { Lamp lamp():(); Maker maker():(); }
";

fn answer_to(formula: &str) -> Json {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, property) = (folder.path().join("maker.rebeca"), folder.path().join("maker.property"));
    std::fs::write(&model, MAKER).expect("a file");
    std::fs::write(&property, format!("property {{ LTL {{ L: {formula}; }} }}")).expect("a file");
    let path = model.to_str().expect("a path of text");
    let run = quotient(&["check", path, "--name", "L", "--max-states", "3000", "--max-rebecs", "4", "--json"]);
    serde_json::from_str(&run.stdout).expect("a report")
}

#[test]
fn formulas_that_hold_on_all_runs_hold_on_the_fair_ones() {
    let report = answer_to("G(maker.made == 1 -> X(maker.made == 1))");
    assert_eq!(report["verdict"], "holds", "{report}");
    assert!(report.to_string().contains("all-runs"), "{report}");
}

#[test]
fn a_formula_that_needs_fairness_is_not_answered_without() {
    for (formula, wrong) in [("F(lamp.on)", "violated"), ("G(!lamp.on)", "holds")] {
        let report = answer_to(formula);
        assert_ne!(report["verdict"], wrong, "{report}");
        assert!(!report.to_string().contains("all-runs"), "{report}");
    }
}
