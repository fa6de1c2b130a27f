//! Accepted candidates against the explicit state space, and the behaviour of instances against the reference semantics.

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::interpret::{evaluate, step};
use frontend::sequential::{Domain, PropertyKind, Sequential};

use super::super::ValidatedGroup;
use super::super::check::Validator;
use super::super::diagram::Leaf;
use super::super::instances::Instances;
use super::super::relation::Wrong;
use super::pairs::Pairs;
use super::twin::{all, broken, reachable};
use super::writer::Writer;
use super::{fixture, fixtures, model, validated};

/// The live values of each element.
pub(super) fn live(model: &Sequential) -> Vec<Vec<i32>> {
    let instances = Instances::new(model);
    (0..model.state_len()).map(|element| instances.diagrams.live(element).to_vec()).collect()
}

/// Compares the behaviour of instances with the reference, in states of live values: all, or every `stride`th.
pub(super) fn evaluated_alike(name: &str, model: &Sequential, stride: usize) {
    let mut instances = Instances::new(model);
    let live = live(model);
    let count: usize = live.iter().map(Vec::len).product();
    let state = |mut number: usize| -> Vec<i32> {
        let values = live.iter().map(|values| {
            let value = values[number % values.len()];
            number /= values.len();
            value
        });
        values.collect()
    };
    for state in (0..count).step_by(stride).map(state) {
        for instance in &instances.list {
            let behaviour = instance.behaviour.as_ref().expect("small");
            let parameters = instance.parameters.as_ref().expect("small");
            let reference = step(model, &state, instance.summand, parameters);
            let value = |dd| instances.diagrams.at(dd, &state);
            let status = match &reference {
                None => Leaf::Value(0),
                Some(step) if step.result.is_ok() => Leaf::Value(1),
                Some(_) => Leaf::Fault,
            };
            assert_eq!(value(behaviour.status), status, "{name} {state:?} {parameters:?}");
            let Some(Ok(after)) = reference.as_ref().map(|step| step.result.clone()) else { continue };
            for (element, (&new, &old)) in after.iter().zip(&state).enumerate() {
                let output = behaviour.outputs.iter().find(|output| output.0 == element);
                let output = output.map_or(Leaf::Value(old), |output| value(output.1));
                assert_eq!(output, Leaf::Value(new), "{name} {state:?} {parameters:?}: element {element}");
                assert!(live[element].contains(&new), "{name}: {new} is not live");
            }
            let labels: Vec<&Vec<Leaf>> = behaviour
                .labels
                .iter()
                .filter(|label| value(label.1) == Leaf::Value(1))
                .map(|label| &label.0)
                .collect();
            let expected: Vec<Leaf> =
                reference.expect("it runs").arguments.iter().map(|&value| Leaf::Value(value)).collect();
            assert_eq!(labels, [&expected], "{name} {state:?} {parameters:?}");
        }
        for property in &model.properties {
            let PropertyKind::Invariant(expr) = &property.kind else { continue };
            let truth = instances.truth(model, expr).expect("small");
            let reference = evaluate(model, expr, &state, &[]);
            let expected = reference.map_or(Leaf::Fault, |value| Leaf::Value(i32::from(value != 0)));
            assert_eq!(instances.diagrams.at(truth, &state), expected, "{name} {}", property.name);
        }
    }
}

#[test]
fn instances_agree_with_the_reference() {
    for (name, constants) in fixtures() {
        let constants: Vec<(&str, i64)> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let model = model(&fixture(&name), &constants);
        let count = live(&model).iter().fold(1usize, |count, values| count.saturating_mul(values.len()));
        if count < 1 << 40 {
            evaluated_alike(&name, &model, count / 40 + 1);
        }
    }
    let mut writer = Writer::new(1);
    for _ in 0..300 {
        let text = writer.text();
        let model = model(&text, &[]);
        let count: usize = live(&model).iter().map(Vec::len).product();
        evaluated_alike(&text, &model, count / 60 + 1);
    }
}

#[test]
fn generators_of_fixtures_keep_every_step() {
    let (mut models, mut generators) = (0, 0);
    for (name, constants) in fixtures() {
        let constants: Vec<(&str, i64)> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let model = model(&fixture(&name), &constants);
        let Some(states) = reachable(&model, 10_000) else { continue };
        models += 1;
        for properties in [&[], &model.properties[..]] {
            let group = validated(&model, properties);
            for generator in group.generators() {
                assert_eq!(broken(&model, properties, &states, generator), None, "{name}");
                generators += 1;
            }
        }
    }
    assert!(models >= 25 && generators >= 40, "{models} models, {generators} generators");
}

/// A random permutation of the literals that maps those of each element to those of one other.
pub(super) fn random(model: &Sequential, writer: &mut Writer) -> SparsePermutation {
    let literals = Literals::new(model);
    let sorts = model.element_sorts();
    let domain = |element: usize| -> &Domain { model.domain(sorts[element]) };
    let mut images: Vec<usize> = (0..sorts.len()).collect();
    for _ in 0..writer.below(3) {
        let (one, other) = (writer.below(images.len()), writer.below(images.len()));
        if domain(images[one]).size() == domain(images[other]).size() {
            images.swap(one, other);
        }
    }
    let mut pairs = Vec::new();
    let turned = writer.below(2) * writer.below(8);
    for (element, &target) in images.iter().enumerate() {
        let mut values: Vec<i32> = domain(target).values().collect();
        if turned > 0 && writer.below(turned) == 0 {
            let (one, other) = (writer.below(values.len()), writer.below(values.len()));
            values.swap(one, other);
        }
        for (value, result) in domain(element).values().zip(values) {
            pairs.push((literals.point(element, value), literals.point(target, result)));
        }
    }
    SparsePermutation::from_pairs(pairs).expect("elements and values are permuted")
}

#[test]
fn accepted_candidates_are_symmetries_of_the_states() {
    let mut writer = Writer::new(5);
    let (mut accepted, mut refused, mut missed, mut moved, mut unmoved, mut as_written) = (0, 0, 0, 0, 0, 0);
    for _ in 0..250 {
        let text = writer.text();
        let model = model(&text, &[]);
        let states = all(&model, &live(&model), 4000).expect("small");
        let found = csp::detect_graph_with(&model, &[], csp::Ties::None).expect("small");
        let mut candidates = found.generators;
        candidates.extend((0..12).map(|_| random(&model, &mut writer)));
        candidates.retain(|candidate| !candidate.is_identity());
        let mut validator = Validator::new(&model, &[]);
        let mut written = Validator::as_written(&model, &[], Wrong::default());
        for candidate in &candidates {
            if written.check(candidate).is_ok() {
                assert_eq!(broken(&model, &[], &states, candidate), None, "as written: {text}");
                as_written += 1;
            }
            if let Ok(renaming) = validator.renaming(candidate) {
                unmoved += validator.unmoved_kinds(&renaming).expect("kinds without moved elements are kept");
            }
            match (validator.check(candidate), broken(&model, &[], &states, candidate)) {
                (Ok(_), None) => accepted += 1,
                (Ok(_), Some(problem)) => panic!("{problem}: {text}"),
                (Err(_), Some(_)) => refused += 1,
                // Instances that change roles from state to state.
                (Err(_), None) => missed += 1,
            }
        }
        let group = ValidatedGroup::new(&model, &model.properties, candidates);
        for generator in group.generators() {
            assert_eq!(broken(&model, &model.properties, &states, generator), None, "{text}");
        }
        moved += usize::from(group.order() < *group.model_order());
    }
    println!(
        "{accepted} sound candidates accepted, {missed} refused; {refused} unsound ones refused; {moved} groups cut"
    );
    assert!(accepted >= 300 && refused >= 1000 && moved >= 30 && missed * 10 < accepted && unmoved > 100);
    assert!(as_written >= 100, "{as_written} accepted as they are written");
}

/// Exchanges of two elements, or of two values of one element, of instances that are compared as they are written.
#[test]
fn texts_of_large_instances_are_compared() {
    let exchange = |model: &Sequential, pairs: &[[(usize, i32); 2]]| {
        let literals = Literals::new(model);
        let point = |(element, value): (usize, i32)| literals.point(element, value);
        let both = pairs.iter().flat_map(|&[one, other]| [(point(one), point(other)), (point(other), point(one))]);
        SparsePermutation::from_pairs(both.collect()).expect("an exchange")
    };
    let elements = |one: usize, other: usize| [0, 1].map(|value| [(one, value), (other, value)]);
    let is_kept = |text: &str, pairs: &[[(usize, i32); 2]], wrong: Wrong| {
        let model = model(text, &[]);
        let permutation = exchange(&model, pairs);
        let states = reachable(&model, 100).expect("small");
        let is_accepted = Validator::as_written(&model, &[], wrong).check(&permutation).is_ok();
        (is_accepted, broken(&model, &[], &states, &permutation).is_none())
    };
    let right = Wrong::default();
    // Two processes of one text, with operands of a guard in another order.
    let processes = "type A : { a0, a1 }; type B : { b0, b1 }; proc P(x : A, y : B) = [x = a0 && y = b0] e { x := a1; } -> P \
        + [x = a0 && y = b0] e { y := b1; } -> P + [x = a1] f { x := a0; } -> P + [b1 = y] f { y := b0; } -> P; init P(x = a0, y = b0);";
    assert_eq!(is_kept(&processes.replace("b1 = y", "y = b1"), &elements(0, 1), right), (true, true));
    // The text of one step is another one: nothing is decided.
    assert_eq!(is_kept(processes, &elements(0, 1), right), (false, true));
    let more = processes.replace("init", "+ [x = a1] f { x := a0; } -> P; init").replace("; + ", " + ");
    assert_eq!(is_kept(&more.replace("b1 = y", "y = b1"), &elements(0, 1), right), (false, false));
    // Labels are those of one permutation.
    let labels = "proc P(x : BIT, y : BIT) = [x = 0] e(0) { x := 1; } -> P + [y = 0] e(1) { y := 1; } -> P \
        + [x = 1] e(0) { x := 0; } -> P + [y = 1] e(2) { y := 0; } -> P; init P(x = 0, y = 0);";
    assert!(!is_kept(labels, &elements(0, 1), right).0);
    assert!(is_kept(&labels.replace("e(2)", "e(1)"), &elements(0, 1), right).0);
    // An index that is in the one array and not in the other.
    let arrays = "type I : 0..1; type J : 1..2; type N : 0..2; proc P(a : BIT[I], b : BIT[J], n : N) = [a[n] = 0] e { n := 1; } -> P \
        + [b[n] = 0] e { n := 1; } -> P; init P(a = *, b = *, n = 0);";
    let whole: Vec<_> = [(0, 2), (1, 3)].into_iter().flat_map(|(one, other)| elements(one, other)).collect();
    assert_eq!(is_kept(arrays, &whole, right), (false, false));
    assert_eq!(is_kept(arrays, &whole, Wrong { forgets_domains: true, ..right }), (true, false));
    // An operand that may fault, before the other one and behind it.
    let faults = "type I : 0..1; type N : 0..2; proc P(x : BIT, y : BIT, a : BIT[I], n : N) = [x = 0 && a[n] = 0] e { x := 1; } -> P \
        + [a[n] = 0 && y = 0] e { y := 1; } -> P; init P(x = *, y = *, a = 0, n = *);";
    assert_eq!(is_kept(faults, &elements(0, 1), right), (false, false));
    assert_eq!(is_kept(faults, &elements(0, 1), Wrong { forgets_faults: true, ..right }), (true, false));
    // Values of an element that is written.
    let values = "proc P(x : BIT, y : BIT) = [x = 0] e { y := 1; } -> P; init P(x = *, y = 0);";
    let exchanged = [[(0, 0), (0, 1)]];
    assert_eq!(is_kept(values, &exchanged, right), (false, false));
    assert_eq!(is_kept(values, &exchanged, Wrong { forgets_values: true, ..right }), (true, false));
}

/// An exchange of two variables that no guard reads and different steps change.
#[test]
fn an_exchange_of_what_instances_change_is_compared() {
    let text = "proc P(x : BOOL, y : BOOL, z : BOOL) = [x = 0] one { y := 1; } -> P + [x = 1] one { z := 1; } -> P
        + [true] flip { x := !x; } -> P; init P(x = 0, y = 0, z = 0);";
    let model = model(text, &[]);
    let states = all(&model, &live(&model), 100).expect("small");
    let literals = Literals::new(&model);
    let point = |element: usize, value: i32| literals.point(element, value);
    let exchange = (0..2).flat_map(|value| [(point(1, value), point(2, value)), (point(2, value), point(1, value))]);
    let exchange = SparsePermutation::from_pairs(exchange.collect()).expect("an exchange");
    assert!(broken(&model, &[], &states, &exchange).is_some());
    assert!(Validator::new(&model, &[]).check(&exchange).is_err());
    let wrong = Wrong { forgets_changes: true, ..Wrong::default() };
    assert!(Validator::new(&model, &[]).mistaken(wrong).check(&exchange).is_ok());
}

#[test]
fn accepted_candidates_of_summands_with_several_parameters_are_symmetries_of_the_states() {
    let (mut writer, mut pairs) = (Writer::new(7), Pairs::new(9));
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..160 {
        let text = pairs.text();
        let model = model(&text, &[]);
        let Some(states) = reachable(&model, 2_000) else { continue };
        let ties = if writer.below(2) == 0 { csp::Ties::Names } else { csp::Ties::None };
        let mut candidates = csp::detect_graph_with(&model, &[], ties).expect("small").generators;
        candidates.extend((0..8).map(|_| random(&model, &mut writer)));
        candidates.retain(|candidate| !candidate.is_identity());
        let mut validator = Validator::new(&model, &[]);
        for candidate in &candidates {
            match validator.check(candidate) {
                Ok(_) => {
                    assert_eq!(broken(&model, &[], &states, candidate), None, "{text}");
                    accepted += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 40 && refused > 100, "{accepted} accepted, {refused} refused");
}

/// Processes that may all be exchanged, and are: the text of each is planted so.
#[test]
fn planted_symmetries_are_found() {
    let mut pairs = Pairs::planted(11);
    let groups = (0..80).filter(|_| validated(&model(&pairs.text(), &[]), &[]).order() > 1u32.into());
    let found = groups.count();
    assert!(found >= 60, "{found} of 80");
}

#[test]
fn values_that_one_branch_keeps_are_read() {
    // The first summand writes a value to `x` that depends on `a`, whose values grow after the summand was evaluated.
    let text = "type T : 0..2; proc X(a : T, x : T, c : BIT) = [true] e { if (c = 1) { c := 1; } else { a := 1; } x := a; } -> X \
                + [true] f { a := 2; } -> X; init X(a = 0, x = 0, c = *);";
    let model = model(text, &[]);
    assert_eq!(live(&model), [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1]]);
    evaluated_alike(text, &model, 1);
}

#[test]
fn summands_share_the_labels_of_an_event() {
    for (event, apart) in [("e", false), ("f", true)] {
        // One summand changes an array, the other one another.
        let text = format!(
            "type P : 0..16; proc X(a : BIT[P], b : BIT[P]) = \
             sum u:P . sum v:P . sum w:P . [u != v && v != w && a[u] = 0 && a[v] = a[w]] e(u) {{ a[u] := 1; }} -> X \
             + sum u:P . [b[u] = 0] {event}(u) {{ b[u] := 1; }} -> X; init X(a = 0, b = 0);"
        );
        let model = model(&text, &[]);
        let literals = Literals::new(&model);
        // The permutation of the second array by itself.
        let pairs = [0, 1].map(|value| (literals.point(17, value), literals.point(18, value)));
        let pairs = pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect();
        let swap = SparsePermutation::from_pairs(pairs).expect("two elements change places");
        assert_eq!(Validator::new(&model, &[]).check(&swap).is_ok(), apart);
    }
}
