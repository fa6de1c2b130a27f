//! Summands in parametric form: their behaviour against the reference, and accepted candidates against the states and the ground form.

use csp::csp::{Condition, ConditionId, Csp};
use csp::{
    BoundValue, ColouredGraph, Detected, Literals, Move, Moves, Ties, detect_graph_within, forms, ground, project,
};
use engine::SparsePermutation;
use frontend::sequential::interpret::step;
use frontend::sequential::{Property, Sequential, SummandId};

use super::super::check::Validator;
use super::super::diagram::{Dd, Leaf};
use super::super::instances::Instances;
use super::super::parametric::{Form, WrongCheck};
use super::super::{Rejection, ValidatedGroup};
use super::pairs::Pairs;
use super::soundness::random;
use super::twin::{broken, reachable};
use super::writer::Writer;
use super::{fixture, fixtures, model, orders, validated};

fn all_summands(model: &Sequential) -> Vec<SummandId> {
    (0..model.summands.len()).map(SummandId::from_index).collect()
}

/// The result of the detection with all summands in parametric form.
fn detected(model: &Sequential, ties: Ties) -> Detected {
    detect_graph_within(model, &[], ties, 0).expect("the model is small enough")
}

/// The group of these candidates, validated in parametric form.
fn parametric(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    let found = detected(model, Ties::Names);
    ValidatedGroup::with_moves_only(model, properties, found.generators, &found.moves)
}

/// All combinations of values for the parameters of a summand.
fn combinations(model: &Sequential, id: SummandId) -> Vec<Vec<i32>> {
    let mut list: Vec<Vec<i32>> = vec![Vec::new()];
    for parameter in &model.summand(id).parameters {
        let values = || model.domain(parameter.sort).values();
        list = list.iter().flat_map(|prefix| values().map(|value| [&prefix[..], &[value]].concat())).collect();
    }
    list
}

/// A state with values of parameters, and with the places of named values.
fn extended(instances: &Instances, form: &Form, state: &[i32], parameters: &[i32]) -> Vec<i32> {
    let diagrams = &instances.diagrams;
    let pseudo = state.len()..diagrams.elements();
    let mut values = [state, &pseudo.map(|element| diagrams.live(element)[0]).collect::<Vec<i32>>()].concat();
    values[form.first..form.first + parameters.len()].copy_from_slice(parameters);
    for definition in &instances.definitions.list {
        let leaf = diagrams.at(definition.function, &values);
        let answer = definition.outcomes.binary_search(&leaf).expect("an outcome");
        values[definition.element] = i32::try_from(answer).expect("few");
    }
    values
}

/// Compares a form with the reference on one instance.
fn form_alike(name: &str, model: &Sequential, (instances, form): (&Instances, &Form), state: &[i32], values: &[i32]) {
    let all = extended(instances, form, state, values);
    let at = |dd: Dd| instances.diagrams.at(dd, &all);
    let holds = |dd: &Dd| at(*dd) == Leaf::Value(1);
    let enabled = form.enabled.iter().all(holds);
    let guard = form.guard_faults.iter().any(|(before, fault)| before.iter().all(holds) && holds(fault));
    let faults = guard || enabled && form.faults.iter().any(holds);
    let reference = step(model, &state.to_vec(), form.summand, values);
    let expected = reference.as_ref().map(|step| step.result.is_err());
    assert_eq!((enabled || guard).then_some(faults), expected, "{name} {state:?} {values:?}");
    let Some(reference) = reference else { return };
    let Ok(after) = reference.result else { return };
    for (element, &new) in after.iter().enumerate() {
        let output = form.outputs.iter().find(|output| output.0 == element);
        let output = output.map_or(Leaf::Value(state[element]), |output| at(output.1));
        assert_eq!(output, Leaf::Value(new), "{name} {state:?} {values:?}: element {element}");
        assert!(instances.diagrams.live(element).contains(&new), "{name}: {new} is not live");
    }
    let arguments: Vec<Leaf> = form.arguments.iter().map(|&argument| at(argument)).collect();
    let expected: Vec<Leaf> = reference.arguments.iter().map(|&value| Leaf::Value(value)).collect();
    assert_eq!(arguments, expected, "{name} {state:?} {values:?}");
}

/// Compares all forms of a model in some states of live values; returns the number of compared instances.
fn forms_alike(name: &str, model: &Sequential, most: usize) -> usize {
    let instances = Instances::new(model, &all_summands(model));
    let live: Vec<&[i32]> = (0..model.state_len()).map(|element| instances.diagrams.live(element)).collect();
    let count = live.iter().fold(1usize, |count, values| count.saturating_mul(values.len()));
    let mut compared = 0;
    for number in (0..count.min(1 << 40)).step_by((count.min(1 << 40) / most).max(1)) {
        let mut rest = number;
        let state: Vec<i32> = live
            .iter()
            .map(|values| {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            })
            .collect();
        for form in &instances.forms {
            let all = combinations(model, form.summand);
            for values in all.iter().step_by(all.len() / 16 + 1) {
                form_alike(name, model, (&instances, form), &state, values);
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn forms_agree_with_the_reference() {
    let mut compared = 0;
    for (name, constants) in fixtures() {
        let constants: Vec<(&str, i64)> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        compared += forms_alike(&name, &model(&fixture(&name), &constants), 12);
    }
    let (mut writer, mut rich, mut pairs) = (Writer::new(3), Writer::rich(4), Pairs::new(5));
    for _ in 0..100 {
        for text in [writer.text(), rich.text(), pairs.text()] {
            compared += forms_alike(&text, &model(&text, &[]), 30);
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// The orders that are smaller in parametric form: none.
const SMALLER: &[(&str, &str)] = &[];

#[test]
fn orders_in_parametric_form() {
    for &(name, defines, order) in orders::TABLE {
        let model = model(&fixture(name), defines);
        let group = parametric(&model, &[]);
        let smaller = SMALLER.iter().find(|row| row.0 == name);
        assert_eq!(group.order().to_string(), smaller.map_or(order, |row| row.1), "{name} {defines:?}");
        assert!(smaller.is_some() || group.rejected().is_empty(), "{name}: {}", group.rejected()[0].reason);
    }
}

#[test]
fn generators_in_parametric_form_keep_every_step() {
    let (mut models, mut generators, mut same) = (0, 0, 0);
    for (name, constants) in fixtures() {
        let constants: Vec<(&str, i64)> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let model = model(&fixture(&name), &constants);
        let Some(states) = reachable(&model, 3_000) else { continue };
        models += 1;
        for properties in [&[], &model.properties[..]] {
            let group = parametric(&model, properties);
            for generator in group.generators() {
                assert_eq!(broken(&model, properties, &states, generator), None, "{name}");
                generators += 1;
            }
            let ground = validated(&model, properties);
            same += usize::from(group.order() == ground.order());
        }
    }
    println!("{same} groups of {models} models are the same, {generators} generators");
    assert!(models >= 25 && generators >= 40 && same == 2 * models, "{models} {generators} {same}");
}

/// A fault, with its effect on the constraints.
type Plant = fn(&mut Csp);

/// Writes without their frame families: they omit the value of an element where the parameter is another one.
fn no_frames(csp: &mut Csp) {
    let is_frame = |id: &ConditionId| match csp.condition(*id) {
        Condition::Cube(tests) => tests.iter().any(|(element, values)| {
            csp.parameter_of(*element).is_some_and(|at| values.len() * 2 > csp.parameters[at].values.len())
        }),
        _ => false,
    };
    let is_write = |id: &&ConditionId| match csp.condition(**id) {
        Condition::Cube(tests) => tests.iter().all(|(element, _)| csp.parameter_of(*element).is_some()),
        _ => false,
    };
    let mut instances = csp.instances.clone();
    for instance in &mut instances {
        instance.outputs.retain(|output| !is_frame(&output.when));
        for output in &mut instance.outputs {
            if let Condition::Any(operands) = csp.condition(output.when) {
                output.when = operands.iter().find(is_write).copied().unwrap_or(output.when);
            }
        }
    }
    csp.instances = instances;
}

/// One summand keeps all elements except the one that it writes, the other overwrites the rest.
const FRAMES: &str = "type P : 0..2; proc X(a : BIT[P], c : BIT[P], b : BIT[P]) = \
    sum u:P . [true] e { a[u] := 1; } -> X \
    + sum u:P . [true] e { for k:P { if (k = u) { c[k] := 1; } else { c[k] := b[k]; } } } -> X \
    + sum u:P . [true] f { b[u] := 1 - b[u]; } -> X; init X(a = 0, c = 0, b = 0);";

fn no_updates(csp: &mut Csp) {
    csp.instances.iter_mut().for_each(|instance| instance.outputs.clear());
}

/// Candidates of the graph with a fault, and random ones, with their claimed action on parameters.
fn candidates(
    model: &Sequential,
    writer: &mut Writer,
    (ties, plant): (Ties, Plant),
) -> (Vec<SparsePermutation>, Moves) {
    let mut csp = ground::constraints_within(model, &forms(model), &[], 0).expect("small");
    plant(&mut csp);
    let graph = ColouredGraph::new(model, &csp, ties);
    let literals = Literals::new(model);
    let (mut candidates, mut moves) = (Vec::new(), detected(model, ties).moves);
    moves.list.clear();
    engine::automorphisms(&graph.graph, &mut |automorphism| {
        candidates.push(project(&literals, &csp, &graph, automorphism));
        moves.list.push(Move::new(&csp, &graph, automorphism));
    });
    for _ in 0..8 {
        candidates.push(random(model, writer));
        let claimed = moves.list.len().min(candidates.len());
        let known = if claimed > 0 { moves.list[writer.below(claimed)].clone() } else { Move::default() };
        moves.list.push(match writer.below(3) {
            0 => known,
            1 => Move::default(),
            _ => at_random(model, writer),
        });
    }
    (candidates, moves)
}

/// A map of parameters that need not be one to one.
fn at_random(model: &Sequential, writer: &mut Writer) -> Move {
    let mut moved = Move::default();
    for id in all_summands(model) {
        let target = SummandId::from_index(writer.below(model.summands.len()));
        moved.summands.push((id, target));
        let (own, other) = (&model.summand(id).parameters, &model.summand(target).parameters);
        for (place, parameter) in own.iter().enumerate().filter(|_| !other.is_empty()) {
            let at = if place < other.len() && writer.below(2) > 0 { place } else { writer.below(other.len()) };
            let values: Vec<i32> = model.domain(other[at].sort).values().collect();
            for (value, number) in model.domain(parameter.sort).values().zip(writer.below(2)..) {
                let result = if writer.below(6) == 0 { writer.below(values.len()) } else { number % values.len() };
                let image = BoundValue { summand: target, parameter: at, value: values[result] };
                moved.parameters.push((BoundValue { summand: id, parameter: place, value }, image));
            }
        }
    }
    moved
}

/// The number of accepted candidates, and of those where the ground form accepts more or does not decide.
#[derive(Default, Debug)]
struct Tally {
    accepted: usize,
    missed: usize,
    refused: usize,
    wrong: usize,
}

/// Checks candidates in parametric form against the states and against the ground form.
fn tally(text: &str, (wrong_check, plant): (WrongCheck, Plant), writer: &mut Writer, tally: &mut Tally) {
    let model = model(text, &[]);
    let Some(states) = reachable(&model, 2_000) else { return };
    let ties = if writer.below(2) == 0 { Ties::Names } else { Ties::None };
    let (candidates, moves) = candidates(&model, writer, (ties, plant));
    let mut ground = Validator::new(&model, &[]);
    let mut validator = Validator::with_forms(&model, &[], &moves.summands).lax(wrong_check);
    for (candidate, moved) in candidates.iter().zip(&moves.list).filter(|(candidate, _)| !candidate.is_identity()) {
        let refuted = match ground.check(candidate) {
            Ok(_) => false,
            Err(Rejection::NotDecided(_)) => broken(&model, &[], &states, candidate).is_some(),
            Err(_) => true,
        };
        match (validator.check_with(candidate, moved), refuted) {
            (Ok(_), true) => tally.wrong += 1,
            (Ok(_), false) => {
                tally.accepted += 1;
                assert!(wrong_check != WrongCheck::None || broken(&model, &[], &states, candidate).is_none(), "{text}");
            }
            (Err(_), false) => tally.missed += 1,
            (Err(_), true) => tally.refused += 1,
        }
    }
}

#[test]
fn candidates_accepted_in_parametric_form_are_accepted_in_ground_form() {
    let (mut writer, mut rich, mut pairs) = (Writer::new(7), Writer::rich(8), Pairs::new(9));
    for (name, texts) in [
        ("one parameter", (0..120).map(|_| writer.text()).collect::<Vec<String>>()),
        ("loops", (0..60).map(|_| rich.text()).collect()),
        ("two parameters", (0..160).map(|_| pairs.text()).collect()),
    ] {
        let mut found = Tally::default();
        for text in &texts {
            tally(text, (WrongCheck::None, |_| ()), &mut writer, &mut found);
        }
        println!("{name}: {found:?}");
        assert_eq!(found.wrong, 0, "{name}: {found:?}");
        assert!(found.accepted > 40 && found.refused > 100, "{name}: {found:?}");
    }
}

/// The group of planted symmetries, in both forms.
#[test]
fn planted_symmetries_are_found() {
    let mut pairs = Pairs::planted(11);
    let (mut whole, mut models, mut undecided) = (0, 0, 0);
    for _ in 0..80 {
        let model = model(&pairs.text(), &[]);
        let (group, ground) = (parametric(&model, &[]), validated(&model, &[]));
        models += usize::from(ground.order() > 1u32.into());
        whole += usize::from(ground.order() > 1u32.into() && group.order() >= ground.order());
        undecided += usize::from(!group.rejected().is_empty());
    }
    println!("{whole} of {models} groups are whole in parametric form, {undecided} not decided in a part");
    assert!(models >= 60 && whole * 10 >= models * 8, "{whole} of {models}");
}

/// A process with a candidate that a known-wrong check accepts.
struct Wrong {
    text: &'static str,
    wrong_check: WrongCheck,
    /// The claimed move, which exchanges two variables.
    moved: Move,
}

fn wrong() -> Vec<Wrong> {
    let ids = [0, 1].map(SummandId::from_index);
    let swapped = vec![(ids[0], ids[1]), (ids[1], ids[0])];
    let of = |at: usize, value: i32| BoundValue { summand: ids[at], parameter: 0, value };
    let bound = |from: usize, value: i32, result: i32| (of(from, value), of(1 - from, result));
    let plain = Move {
        summands: swapped.clone(),
        parameters: vec![bound(0, 0, 0), bound(0, 1, 1), bound(1, 0, 0), bound(1, 1, 1)],
        arguments: Vec::new(),
    };
    let mut folded = plain.clone();
    folded.parameters.push(bound(1, 2, 1));
    vec![
        // Three instances are mapped to two.
        Wrong {
            text: "type P : 0..1; type T : 0..2; proc X(x : BIT, y : BIT) = sum i:P . [x = 0] e { x := 1; } -> X \
                   + sum i:T . [y = 0] e { y := 1; } -> X; init X(x = 0, y = 0);",
            wrong_check: WrongCheck::AnyMap,
            moved: folded,
        },
        // One summand keeps the elements that the other loses.
        Wrong {
            text: "type P : 0..1; proc X(x : BIT, y : BIT) = sum i:P . [x = 0] e { x := i; } -> X \
                   + sum i:P . [y = 0] e { y := 1; } -> X; init X(x = 0, y = 0);",
            wrong_check: WrongCheck::Outputs,
            moved: plain.clone(),
        },
        Wrong {
            text: "type P : 0..1; proc X(x : BIT, y : BIT) = sum i:P . [x = 0] e(i) { x := 1; } -> X \
                   + sum i:P . [y = 0] e(0) { y := 1; } -> X; init X(x = 0, y = 0);",
            wrong_check: WrongCheck::Arguments,
            moved: plain,
        },
    ]
}

#[test]
fn known_wrong_checks_are_caught() {
    for Wrong { text, wrong_check, moved } in wrong() {
        let model = model(text, &[]);
        let literals = Literals::new(&model);
        let pairs = [0, 1].map(|value| (literals.point(0, value), literals.point(1, value)));
        let pairs = pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect();
        let swap = SparsePermutation::from_pairs(pairs).expect("two variables change places");
        let check = |wrong_check| {
            Validator::with_forms(&model, &[], &all_summands(&model)).lax(wrong_check).check_with(&swap, &moved).is_ok()
        };
        assert!(check(wrong_check), "{wrong_check:?}: the fault does not show on {text}");
        assert!(!check(WrongCheck::None), "{text}");
        assert!(Validator::new(&model, &[]).check(&swap).is_err(), "{text}");
    }
    // Graphs with faults have candidates that a check without updates accepts.
    let mut pairs = Pairs::new(14);
    let texts: Vec<String> = (0..60).map(|_| pairs.text()).collect();
    let plants: [(WrongCheck, Plant, &[String]); 2] =
        [(WrongCheck::Outputs, no_updates, &texts), (WrongCheck::Outputs, no_frames, &[FRAMES.to_owned()])];
    for (wrong_check, plant, texts) in plants {
        let mut writer = Writer::new(13);
        let (mut lax, mut strict) = (Tally::default(), Tally::default());
        for text in texts {
            tally(text, (wrong_check, plant), &mut writer, &mut lax);
            tally(text, (WrongCheck::None, plant), &mut writer, &mut strict);
        }
        println!("{wrong_check:?}: {lax:?}, checked {strict:?}");
        assert!(lax.wrong > 0 && strict.wrong == 0 && strict.accepted > 0, "{wrong_check:?}: {lax:?} {strict:?}");
    }
}

#[test]
fn candidates_without_a_claimed_action_are_not_decided() {
    // The order keeps the text from being a proof.
    let text = "type P : 0..2; proc X(a : BIT[P]) = sum i:P . sum j:P . [(i < j || j < i) && a[i] = 0 && a[j] = 0] e(i) \
                { a[i] := 1; } -> X; init X(a = 0);";
    let model = model(text, &[]);
    let found = detected(&model, Ties::Names);
    let claimed = ValidatedGroup::with_moves(&model, &[], found.generators.clone(), &found.moves);
    assert_eq!(claimed.order().to_string(), "6");
    let moves = Moves { summands: found.moves.summands.clone(), list: Vec::new() };
    let group = ValidatedGroup::with_moves_only(&model, &[], found.generators.clone(), &moves);
    assert_eq!(group.order().to_string(), "1");
    assert!(group.rejected().iter().all(|rejected| matches!(rejected.reason, Rejection::NotDecided(_))));
    // The instances are few enough to be checked one by one.
    assert_eq!(ValidatedGroup::with_moves(&model, &[], found.generators, &moves).order().to_string(), "6");
}

#[test]
fn many_instances_are_one_summand() {
    let text = "type P : 0..119; type ROLE : { free, chair, scribe, guest }; proc X(role : ROLE[P], open : BOOL) = \
        sum u:P . sum v:P . sum w:P . \
          [u != v && v != w && u != w && role[u] = free && role[v] = free && role[w] = free && !open] \
          meet(u, v, w) { role[u] := chair; role[v] := scribe; role[w] := guest; open := 1; } -> X \
        + [open] part { for p:P { role[p] := free; } open := 0; } -> X; init X(role = free, open = 0);";
    let model = model(text, &[]);
    let found = csp::detect_graph(&model, &[]).expect("small in parametric form");
    assert_eq!(found.moves.summands, [SummandId::from_index(0)]);
    let group = ValidatedGroup::with_moves(&model, &[], found.generators, &found.moves);
    assert!(group.rejected().is_empty(), "{}", group.rejected()[0].reason);
    assert_eq!(group.order(), (1..=120u32).product::<num_bigint::BigUint>());
    // The summand is opaque without the parametric form.
    let found = detect_graph_within(&model, &[], Ties::Names, usize::MAX).expect("small");
    assert_eq!((found.csp.opaque.len(), found.order().to_string()), (1, "1".to_owned()));
}

/// Two arrays: a summand in parametric form changes one, its instances change the other.
fn mixed(event: &str) -> String {
    format!(
        "type P : 0..16; proc X(a : BIT[P], b : BIT[P]) = \
         sum u:P . sum v:P . sum w:P . [u != v && v != w && a[u] = 0 && a[v] = a[w]] e(u) {{ a[u] := 1; }} -> X \
         + sum u:P . [b[u] = 0] {event}(u) {{ b[u] := 1; }} -> X; init X(a = 0, b = 0);"
    )
}

#[test]
fn ground_and_parametric_summands_share_labels() {
    for (event, apart) in [("e", false), ("f", true)] {
        let model = model(&mixed(event), &[]);
        let literals = Literals::new(&model);
        let found = csp::detect_graph_with(&model, &[], Ties::None).expect("small");
        assert_eq!(found.moves.summands, [SummandId::from_index(0)]);
        let group = ValidatedGroup::with_moves(&model, &[], found.generators, &found.moves);
        assert!(group.rejected().is_empty(), "{}", group.rejected()[0].reason);
        let factorial = (1..=17u32).product::<num_bigint::BigUint>();
        let order = if apart { &factorial * &factorial } else { factorial };
        assert_eq!(group.order(), order);
        // The permutation of the ground array by itself.
        let pairs = [0, 1].map(|value| (literals.point(17, value), literals.point(18, value)));
        let pairs = pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect();
        let swap = SparsePermutation::from_pairs(pairs).expect("two elements change places");
        let mut validator = Validator::with_forms(&model, &[], &found.moves.summands);
        assert_eq!(validator.check_with(&swap, &Move::default()).is_ok(), apart);
    }
}

#[test]
fn values_that_one_branch_keeps_are_read() {
    // The first summand writes a value to `x` that depends on `a`, whose values grow after the summand was evaluated.
    let text = "type T : 0..2; proc X(a : T, x : T, c : BIT) = [true] e { if (c = 1) { c := 1; } else { a := 1; } x := a; } -> X \
                + [true] f { a := 2; } -> X; init X(a = 0, x = 0, c = *);";
    let model = model(text, &[]);
    let instances = Instances::new(&model, &all_summands(&model));
    let live: Vec<&[i32]> = (0..3).map(|element| instances.diagrams.live(element)).collect();
    assert_eq!(live, [&[0, 1, 2][..], &[0, 1, 2], &[0, 1]]);
    assert!(forms_alike(text, &model, 100) > 0);
}
