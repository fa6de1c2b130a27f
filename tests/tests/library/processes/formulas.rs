//! Random formulas on random sequential processes: components, nested search and the twin give the same verdicts, without and
//! with weak fairness, and with and without `fair`. Counterexamples are replayed by the checker itself.

use battery::parallel;
use battery::random::Rng;
use battery::twin::{Assumed, Graph, is_violated_where, sequential_graph};
use checker::{Emptiness, Fairness, Question, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, evaluate};
use frontend::sequential::{Expr, Options, Property, PropertyKind, Sequential, parse};

/// The number of processes of a run.
const COUNT: u64 = 1_000;
/// Processes with more states are left out.
const SMALL: usize = 200;
/// Formulas of a process.
const FORMULAS: usize = 3;

fn formula(rng: &mut Rng, atoms: &[&str], depth: usize) -> String {
    if depth == 0 {
        return (*rng.pick(atoms)).to_owned();
    }
    let mut part = || formula(rng, atoms, depth - 1);
    let (one, other) = (part(), part());
    match rng.below(11) {
        0 => format!("!({one})"),
        1 => format!("({one}) && ({other})"),
        2 => format!("({one}) || ({other})"),
        3 => format!("({one}) => ({other})"),
        4 => format!("X({one})"),
        5 | 6 => format!("F({one})"),
        7 => format!("G({one})"),
        8 => format!("({one}) U ({other})"),
        9 => format!("({one}) R ({other})"),
        _ => format!("({one}) W ({other})"),
    }
}

/// A process whose parts step by themselves, some of them, or wait for each other.
fn process(rng: &mut Rng) -> String {
    let ids = rng.between(2, 3);
    let guards = ["true", "b[i]", "!b[i]", "u[i] < 2", "t = i", "t != i", "b[0] || t = i", "u[0] = u[i]"];
    let statements = [
        "b[i] := !b[i];",
        "u[i] := (u[i] + 1) mod 3;",
        "u[i] := 0;",
        "t := (i + 1) mod N;",
        "if (b[i]) { u[i] := 1; } else { t := i; }",
        "b[0] := true;",
        // Faults where it passes its range.
        "u[i] := u[i] + 1;",
    ];
    let mut summand = |at: usize| {
        let body: Vec<&str> = (0..rng.between(1, 2)).map(|_| *rng.pick(&statements[..6])).collect();
        let fault = if rng.below(12) == 0 { statements[6] } else { "" };
        format!("sum i:ID . [{}] e{at}(i) {{ {} {fault} }} -> P", rng.pick(&guards), body.join(" "))
    };
    let mut summands: Vec<String> = (0..ids).map(&mut summand).collect();
    if rng.below(3) == 0 {
        // No process takes this one.
        summands.push("[b[0]] environment() { b[0] := false; } -> P".to_owned());
    }
    let fair = if rng.below(4) > 0 { " fair ID" } else { "" };
    let atoms = ["b[0]", "b[1]", "u[0] = 1", "u[1] = 0", "t = 0", "exists i:ID . u[i] = 2"];
    let mut claims = String::new();
    for at in 0..FORMULAS {
        let (one, other) = (*rng.pick(&atoms), *rng.pick(&atoms));
        let text = match rng.below(6) {
            0 => format!("G(F({one}))"),
            1 => format!("F(G({one}))"),
            2 => format!("G(({one}) => F({other}))"),
            3 => format!("F({one})"),
            _ => formula(rng, &atoms.map(|atom| if atom.contains("exists") { "b[0]" } else { atom }), 3),
        };
        claims.push_str(&format!("ltl L{at} = {text};\n"));
    }
    format!(
        "const N = {ids};\ntype ID : 0..N-1;\ntype U : 0..2;\n\
         proc P(b : BOOL[ID], u : U[ID], t : ID){fair} =\n    {};\ninit P(b = 0, u = 0, t = 0);\n{claims}",
        summands.join("\n  + ")
    )
}

/// A model of Promela whose processes meet, hand over the turn, or step by themselves.
fn promela(rng: &mut Rng) -> String {
    let statement = |rng: &mut Rng| {
        let value = rng.below(2);
        match rng.below(9) {
            0 => "c!x".to_owned(),
            1 => "c?x".to_owned(),
            2 => format!("c!{value}"),
            3 => format!("c?{value}"),
            4 => "d!1".to_owned(),
            5 => "d?_".to_owned(),
            6 => format!("x == {value}"),
            7 => format!("y = {value}"),
            _ => "x = 1 - x".to_owned(),
        }
    };
    let mut text = "bit x, y; chan c = [0] of { bit }; chan d = [0] of { bit };\n".to_owned();
    for (name, copies) in [("P", 1), ("Q", 1 + rng.below(2)), ("R", 1)] {
        text.push_str(&format!("active [{copies}] proctype {name}() {{ do\n"));
        for _ in 0..rng.between(1, 3) {
            let list: Vec<String> = (0..rng.between(1, 3)).map(|_| statement(rng)).collect();
            let (open, close) = if rng.below(2) == 0 { ("atomic {", "}") } else { ("", "") };
            text.push_str(&format!(":: {open} {} {close}\n", list.join("; ")));
        }
        if rng.below(3) == 0 {
            text.push_str(":: break\n");
        }
        text.push_str("od }\n");
    }
    let atoms = ["x == 1", "y == 1", "x == y"];
    for at in 0..FORMULAS {
        let (one, other) = (*rng.pick(&atoms), *rng.pick(&atoms));
        let formula = match rng.below(4) {
            0 => format!("[] <> ({one})"),
            1 => format!("<> [] ({one})"),
            2 => format!("[] (({one}) -> <> ({other}))"),
            _ => format!("<> ({one})"),
        };
        text.push_str(&format!("ltl L{at} {{ {formula} }}\n"));
    }
    text
}

/// Whether each way violates, in the order components, nested, weak; nothing if the twin gives no answer.
fn compare(model: &Sequential, graph: &Graph<State>, property: &Property) -> Result<Option<[bool; 3]>, String> {
    let PropertyKind::Ltl(formula) = &property.kind else { return Ok(None) };
    let value = |state: &State, condition: &Expr| evaluate(model, condition, state, &[]).ok().map(|value| value != 0);
    let ways = [
        (Fairness::None, Emptiness::Components, Assumed::Nothing),
        (Fairness::None, Emptiness::Nested, Assumed::Nothing),
        (Fairness::Weak, Emptiness::Components, if model.has_processes() { Assumed::Weak } else { Assumed::Nothing }),
    ];
    let mut found = [false; 3];
    for (way, (fairness, emptiness, assumed)) in ways.into_iter().enumerate() {
        let Some(expected) = is_violated_where(graph, formula, &value, assumed) else { return Ok(None) };
        let question = Question {
            deadlock: false,
            overflow: false,
            assertions: false,
            faults: false,
            properties: vec![property.clone()],
            fairness,
            emptiness,
            ..Question::default()
        };
        let report = checker::sequential::check(model, &question, &mut ());
        let report = report.map_err(|error| format!("{fairness:?}, {emptiness:?}: {}", error.0))?;
        let answer = &report.answers[0];
        let verdict = if expected { Verdict::Violated } else { Verdict::Holds };
        if answer.verdict != verdict {
            return Err(format!("{fairness:?}, {emptiness:?}: {:?}, by the twin {verdict:?}", answer.verdict));
        }
        if answer.trace.as_ref().is_some_and(|trace| trace.cycle_from.is_none()) {
            return Err("a counterexample has no cycle".to_owned());
        }
        found[way] = expected;
    }
    Ok(Some(found))
}

/// The verdicts of all formulas of random models, and whether each has processes.
fn answers(make: impl Fn(&mut Rng) -> String + Sync, read: Read) -> Vec<([bool; 3], bool)> {
    let seeds: Vec<u64> = match std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..COUNT).collect(),
    };
    let results = parallel::map(&seeds, |&seed| {
        let text = make(&mut Rng::new(seed));
        let mut sink = Diagnostics::new();
        let model = read(&text, &mut sink);
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {:#?}\n{text}", sink.list));
        let Some(graph) = sequential_graph(&model, SMALL) else { return Vec::new() };
        let answers = model.properties.iter().filter_map(|property| {
            let found = compare(&model, &graph, property);
            found.unwrap_or_else(|error| panic!("seed {seed}, {}: {error}\n{text}", property.name))
        });
        answers.map(|found| (found, model.has_processes())).collect()
    });
    results.into_iter().flatten().collect()
}

/// The reading of a text.
type Read = fn(&str, &mut Diagnostics) -> Option<Sequential>;

/// The numbers of formulas that are violated, that are only without fairness, and that are of processes without fairness.
fn counts(found: &[([bool; 3], bool)]) -> [usize; 3] {
    let count =
        |wanted: &dyn Fn(&[bool; 3], bool) -> bool| found.iter().filter(|(way, fair)| wanted(way, *fair)).count();
    [count(&|way, _| way[0]), count(&|way, _| way[0] && !way[2]), count(&|_, fair| !fair)]
}

#[test]
fn formulas_on_processes_are_answered_as_by_the_twin() {
    let found = answers(process, |text, sink| parse(text, &Options::default(), sink).model);
    let [violated, only_unfair, without] = counts(&found);
    println!(
        "{} formulas, {violated} violated, {only_unfair} only without fairness, {without} without processes",
        found.len()
    );
    if std::env::var("SEED").is_err() {
        let held = found.len() - violated;
        assert!(held > 300 && violated > 300 && only_unfair > 30 && without > 100, "too few of a kind");
    }
}

/// Both processes of a rendezvous move, and all that share a step through states of a turn.
#[test]
fn formulas_on_models_of_promela_are_answered_as_by_the_twin() {
    let read: Read = |text, sink| frontend::promela::parse(text, &Default::default(), sink).model;
    let found = answers(promela, read);
    let [violated, only_unfair, _] = counts(&found);
    println!("{} formulas, {violated} violated, {only_unfair} only without fairness", found.len());
    if std::env::var("SEED").is_err() {
        assert!(found.len() - violated > 300 && violated > 300 && only_unfair > 30, "too few of a kind");
    }
}
