//! Every generator against the explicit state space, with the reference semantics only.

use engine::{RandomSource, SparsePermutation};
use frontend::sequential::interpret::{State, evaluate, initial_states, successors};
use frontend::sequential::{Expr, Property, Sequential};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{fixture, model};
use crate::csp::{ConditionId, Csp};
use crate::{ColouredGraph, Literals, Ties, detect_graph_with, forms, ground, project};

/// The most states that are explored.
const MAX_STATES: usize = 3000;

/// Steps with their event and the state afterwards (`None` for a fault), and the number of their occurrences.
type Steps = FxHashMap<(String, Option<State>), usize>;

/// The reachable states with their steps; `None` if there are too many.
fn explore(model: &Sequential) -> Option<FxHashMap<State, Steps>> {
    let mut found: FxHashMap<State, Steps> = FxHashMap::default();
    let mut stack: Vec<State> = initial_states(model).take(MAX_STATES + 1).collect();
    while let Some(state) = stack.pop() {
        if found.contains_key(&state) {
            continue;
        }
        let mut steps = Steps::default();
        for step in successors(model, &state) {
            let after = step.result.ok();
            stack.extend(after.clone());
            *steps.entry((model.summand(step.summand).event.clone(), after)).or_default() += 1;
        }
        found.insert(state, steps);
        if found.len() > MAX_STATES {
            return None;
        }
    }
    Some(found)
}

fn atoms<'a>(properties: &[&'a Property]) -> Vec<&'a Expr> {
    properties.iter().flat_map(|property| property.atoms()).collect()
}

/// The errors of the generators, if the model is small enough for the comparison.
fn broken(
    model: &Sequential,
    properties: &[&Property],
    literals: &Literals,
    generators: &[SparsePermutation],
) -> Option<String> {
    if generators.is_empty() {
        return None;
    }
    let states = explore(model)?;
    let initial: FxHashSet<State> = initial_states(model).collect();
    for generator in generators {
        let image = |state: &State| literals.apply(generator, state);
        if let Some(state) = initial.iter().find(|state| !initial.contains(&image(state))) {
            return Some(format!("initial {state:?} goes to {:?}", image(state)));
        }
        for (state, steps) in &states {
            let target = image(state);
            let moved: Steps =
                steps.iter().map(|((event, after), &n)| ((event.clone(), after.as_ref().map(image)), n)).collect();
            if states.get(&target) != Some(&moved) {
                return Some(format!("{state:?} goes to {target:?}, its steps do not"));
            }
            for expr in atoms(properties) {
                let values = [state, &target].map(|state| evaluate(model, expr, state, &[]).ok());
                if values[0] != values[1] {
                    return Some(format!("an atom differs on {state:?} and {target:?}"));
                }
            }
        }
    }
    None
}

/// Checks a model with and without ties, with and without its properties; returns the number of generators.
fn check(name: &str, model: &Sequential) -> usize {
    let all: Vec<&Property> = model.properties.iter().collect();
    let mut generators = 0;
    let ways = [(Ties::Names, &[][..]), (Ties::None, &[]), (Ties::None, &all[..])];
    for (ties, claimed) in ways {
        let found = detect_graph_with(model, claimed, ties).unwrap();
        assert!(found.generators.iter().all(|generator| found.literals.respects_elements(generator)), "{name}");
        let problem = broken(model, claimed, &found.literals, &found.generators);
        assert_eq!(problem, None, "{name} {ties:?}\n{}", found.csp.print(model));
        generators += found.generators.len();
    }
    generators
}

#[test]
fn generators_of_fixtures_are_automorphisms() {
    let files: &[(&str, &[(&str, i64)])] = &[
        ("protocols/token.lpe", &[]),
        ("locks/readers_writers.lpe", &[]),
        ("locks/peterson.lpe", &[("N", 3)]),
        ("locks/resalloc.lpe", &[]),
        ("protocols/hypercube.lpe", &[("D", 3), ("NN", 8)]),
        ("locks/philosophers.lpe", &[("N", 4)]),
        ("protocols/leader_complete.lpe", &[("N", 5)]),
        ("protocols/leader_ring.lpe", &[("N", 3)]),
        ("puzzles/hanoi.lpe", &[("N", 4)]),
        ("puzzles/golfers.lpe", &[("W", 1), ("G", 1)]),
        ("locks/filter.lpe", &[("N", 3)]),
        ("language/shadowing.lpe", &[]),
        ("language/enumerations.lpe", &[]),
        ("language/fault_division.lpe", &[]),
        ("language/fairness.lpe", &[]),
    ];
    for (name, defines) in files {
        check(name, &model(&fixture(name), defines));
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe/soundness");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        check(&name, &model(&fixture(&format!("soundness/{name}")), &[]));
    }
}

/// Writes random texts over the scalars `x`, `y`, the arrays `a`, `b` and the parameter `i`, all over 0..1 or 0..2.
struct Writer {
    random: RandomSource,
}

impl Writer {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len())]
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return self
                .pick(&["x", "y", "a[i]", "a[1 - i]", "b[i]", "0", "1", "2", "i", "a[x]", "m[i][0]", "m[0][i]"])
                .into();
        }
        let (left, right) = (self.number(depth - 1), self.number(depth - 1));
        match self.random.below(5) {
            0 => format!("(1 - {left})"),
            1 => format!("({left} + {right}) mod 2"),
            2 => format!("({left} * {right})"),
            3 => format!("ite({}, {left}, {right})", self.condition(depth - 1)),
            _ => left,
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (left, right) = (self.number(1), self.number(1));
        if depth == 0 {
            return format!("({left} {} {right})", self.pick(&["=", "!=", "<", "<="]));
        }
        let (p, q) = (self.condition(depth - 1), self.condition(depth - 1));
        match self.random.below(6) {
            0 => format!("({p} && {q})"),
            1 => format!("({p} || {q})"),
            2 => format!("({p} => {q})"),
            3 => format!("!{p}"),
            4 => "(forall j:P . a[j] = 0)".into(),
            _ => p,
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.below(3) == 0 {
            let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
            return format!("if {} {{ {then} }} else {{ {otherwise} }}", self.condition(0));
        }
        let place = self.pick(&["x", "y", "a[i]", "a[1 - i]", "b[i]", "a[x]", "m[i][1 - i]", "m[0][i]"]);
        format!("{place} := {};", self.number(1))
    }

    fn text(&mut self) -> String {
        let mut summands = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let depth = self.random.below(3);
            let guard = self.condition(depth);
            let body: String = (0..self.random.below(3)).map(|_| self.statement(1)).collect();
            let event = self.pick(&["e", "e", "f", "g(i)"]);
            summands.push(format!("sum i:P . [{guard}] {event} {{ {body} }} -> X"));
        }
        let initial: Vec<String> = ["x", "y", "a", "b", "m"]
            .map(|name| format!("{name} = {}", self.pick(&["0", "1", "*"])))
            .into_iter()
            .collect();
        let claim = self.pick(&["x = 0", "a[0] = a[1]", "exists j:P . b[j] = 1", "x = y"]);
        format!(
            "type P : 0..1; type T : 0..2; proc X(x : BIT, y : BIT, a : BIT[P], b : T[P], m : BIT[P][P]) = {}; init X({}); \
             assert A = {claim};",
            summands.join(" + "),
            initial.join(", ")
        )
    }
}

/// Random models, the same ones every time.
pub(crate) fn random_texts(count: usize) -> impl Iterator<Item = String> {
    let mut writer = Writer { random: RandomSource::new(7) };
    (0..count).map(move |_| writer.text())
}

#[test]
fn generators_of_random_models_are_automorphisms() {
    let mut generators = 0;
    for text in random_texts(400) {
        generators += check(&text, &model(&text, &[]));
    }
    assert!(generators > 400, "only {generators} generators were tried");
}

/// A fault, with its effect on the constraints.
type Planted = (&'static str, fn(&mut Csp));

/// Ways to draw the graph wrongly, each of them from the literature or an easy slip.
const PLANTED: &[Planted] = &[
    ("no initial states", |csp| csp.elements.iter_mut().for_each(|element| element.initial = None)),
    ("no guards", |csp| csp.instances.iter_mut().for_each(|instance| instance.guard = ConditionId::TRUE)),
    ("no faults", |csp| csp.instances.iter_mut().for_each(|instance| instance.fault = ConditionId::FALSE)),
    ("no updates", |csp| csp.instances.iter_mut().for_each(|instance| instance.outputs.clear())),
    ("updates without conditions", |csp| {
        let outputs = csp.instances.iter_mut().flat_map(|instance| &mut instance.outputs);
        outputs.for_each(|output| output.when = ConditionId::TRUE);
    }),
    ("no properties", |csp| csp.claims.clear()),
    ("missing instances", |csp| drop(csp.instances.pop())),
];

#[test]
fn planted_faults_are_found() {
    for (name, plant) in PLANTED {
        let mut writer = Writer { random: RandomSource::new(11) };
        let caught = (0..400).any(|_| {
            let model = model(&writer.text(), &[]);
            let claimed: Vec<&Property> = model.properties.iter().collect();
            let mut csp = ground::constraints(&model, &forms(&model), &claimed).unwrap();
            plant(&mut csp);
            let graph = ColouredGraph::new(&model, &csp, Ties::None);
            let literals = Literals::new(&model);
            let mut generators = Vec::new();
            engine::automorphisms(&graph.graph, &mut |found| {
                generators.push(project(&literals, &csp, &graph, found));
            });
            broken(&model, &claimed, &literals, &generators).is_some()
        });
        assert!(caught, "a graph with {name} passes");
    }
}
