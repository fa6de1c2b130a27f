//! Random formulas on random models: components, nested search and the twin give the same verdicts, without and with weak
//! fairness; counterexamples replay. The known-wrong notions of fairness give others.

use std::path::Path;

use battery::differential::BOUNDS;
use battery::generate::{model, render};
use battery::harness::{messages, read_model, read_properties, replays, root};
use battery::parallel;
use battery::random::Rng;
use battery::twin::{Assumed, Graph, graph, is_violated};
use checker::{Emptiness, Fairness, Question, Verdict};
use frontend::lower::LowerOptions;
use frontend::model::{
    Base, BinaryOp, Expr, ExprKind, Formula, Model, Place, Property, PropertyKind, PropertySet, RebecId, Role, Sort,
    VariableId, Width,
};
use frontend::source::Span;

const COUNT: u64 = 1_000;

/// Models with more states are left out.
const MOST_STATES: usize = 400;

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
    let mut part = |rng: &mut Rng| formula(rng, model, depth - 1).map(Box::new);
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

fn asks(formula: Formula, fairness: Fairness, emptiness: Emptiness) -> Question {
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
        let report = checker::check(model, &asks(formula.clone(), fairness, emptiness), &mut ());
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
    }
    Ok(Some(found))
}

#[test]
fn verdicts_are_those_of_the_twin() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let text = render::model(&model(seed));
        let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {}", messages(&found)));
        let mut verdicts = Vec::new();
        let Some(graph) = graph(&model, &BOUNDS, MOST_STATES) else { return Ok(verdicts) };
        let mut rng = Rng::new(seed);
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
        assert!(verdicts.len() > 800 && violated > 200 && held > 200 && only_unfair > 20, "too few of a kind");
    }
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
