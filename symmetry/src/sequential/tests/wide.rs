//! Wide elements: groups of counters, and functions of terms against the reference semantics on random states.

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::Sequential;
use frontend::sequential::interpret::{is_initial, step};

use super::super::ValidatedGroup;
use super::super::check::Validator;
use super::super::diagram::Leaf;
use super::super::instances::Instances;
use super::twin::steps;
use super::writer::Writer;
use super::{model, validated};

/// Counters over a range that is too large to be listed: the whole symmetric group, proved.
#[test]
fn counters_keep_their_symmetric_group() {
    let text = "type P : 0..4; type N : 0..2000000000; proc X(c : N[P]) = \
                sum i:P . [c[i] < 1000] up(i) { c[i] := c[i] + 1; } -> X; init X(c = 0);";
    let group = validated(&model(text, &[]), &[]);
    assert!(group.rejected().is_empty() && group.is_exact());
    assert_eq!(group.order(), 120u32.into());
    let different = text.replace("init X(c = 0)", "init X(c = [0, 0, 1, 1, 1])");
    assert_eq!(validated(&model(&different, &[]), &[]).order(), 12u32.into());
    let machine = "type P : 0..3; type N : -2147483648..2147483647; proc X(c : N[P], t : N, b : BIT[P]) = \
        sum i:P . [c[i] < t && b[i] = 0] up(i) { c[i] := c[i] * 2 + t; b[i] := 1; if (c[i] > t) { t := c[i]; } } -> X \
        + sum i:P . [b[i] = 1] down(i) { b[i] := c[i] mod 2; } -> X; init X(c = 1, t = 7, b = 0); \
        assert A = forall i:P . c[i] < 1000000; assert B = c[0] < 5;";
    let machine = model(machine, &[]);
    let properties = &machine.properties;
    assert_eq!(validated(&machine, &[]).order(), 24u32.into());
    assert_eq!(validated(&machine, &properties[..1]).order(), 24u32.into());
    assert_eq!(validated(&machine, properties).order(), 6u32.into());
}

/// Arguments of events that are computed from wide elements keep their values: terms are mapped to their images, constants to themselves.
#[test]
fn wide_arguments_of_events_are_kept() {
    let text = |arguments: &str, more: &str| {
        format!(
            "type P : 0..2; type N : 0..100000; proc X(c : N[P]) =              sum i:P . [c[i] < 1000] up({arguments}) {{ c[i] := c[i] + 1; }} -> X {more}; init X(c = 0);"
        )
    };
    let both = "+ [c[0] = 7] up(0, 7) { } -> X + [c[1] = 7] up(1, 7) { } -> X";
    for (arguments, more, order) in [
        ("i, c[i]", "", 6u32),
        ("i, c[i] * 2", "", 6),
        ("i, c[i] * (i + 1)", "", 1),
        ("i, c[0]", "", 2),
        ("i, c[i]", "+ [c[0] = 7] up(0, 7) { } -> X", 2),
        ("i, c[i]", both, 2),
        ("i, c[i]", "+ [c[0] = 7] up(1, 7) { } -> X + [c[1] = 7] up(0, 7) { } -> X", 2),
        ("i, c[i]", "+ [c[0] = 7] up(0, 7) { } -> X + [c[1] = 7] up(1, 8) { } -> X", 1),
        ("c[i]", "+ [c[0] = 7] up(c[1]) { } -> X", 1),
        ("c[0] + c[1]", "", 2),
    ] {
        let model = model(&text(arguments, more), &[]);
        let group = validated(&model, &[]);
        assert_eq!(group.order(), order.into(), "{arguments} {more}");
        // All permutations of the counters, not only those that the graph proposes: only the validator decides.
        let literals = Literals::new(&model);
        let swap = |one: usize, other: usize| {
            let (one, other) = (literals.point(one, 0), literals.point(other, 0));
            SparsePermutation::from_pairs(vec![(one, other), (other, one)]).expect("a permutation")
        };
        let all = vec![swap(0, 1), swap(1, 2), swap(0, 2)];
        assert_eq!(ValidatedGroup::new(&model, &[], all).order(), order.into(), "{arguments} {more}");
    }
}

#[test]
fn values_computed_from_wide_elements_are_compared_with_each_value_of_a_narrow_one() {
    let model = model(&super::fixture("language/remainder_of_wide_values.lpe"), &[]);
    let group = validated(&model, &[]);
    assert!(group.rejected().is_empty(), "{}", group.rejected()[0].reason);
    assert_eq!(group.order(), 2u32.into());
}

/// A ring of counters rotates, and no operand may be exchanged with another: `-` distinguishes left from right, `+` does not.
#[test]
fn operators_distinguish_their_operands() {
    let text = |value: &str| {
        format!(
            "type P : 0..1; type N : -100000..100000; proc X(c : N[P], d : N) = \
             [true] e {{ d := {value}; }} -> X; init X(c = 0, d = 1);"
        )
    };
    for (value, order) in [
        ("c[0] - c[1]", 1u32),
        ("c[0] + c[1]", 2),
        ("c[0] * c[1]", 2),
        ("c[0] / (c[1] * c[1] + 1)", 1),
        ("ite(c[0] < c[1], 0, 1)", 1),
        ("ite(c[0] = c[1], 0, 1)", 2),
        ("popcount(c[0] xor c[1])", 2),
        ("shl(c[0], 1)", 1),
        ("c[0]", 1),
    ] {
        let model = model(&text(value), &[]);
        let group = validated(&model, &[]);
        assert_eq!(group.order(), order.into(), "{value}");
        // Only the validator rejects candidates that the graph does not propose.
        let literals = Literals::new(&model);
        let pairs = vec![(literals.point(0, 0), literals.point(1, 0)), (literals.point(1, 0), literals.point(0, 0))];
        let swap = SparsePermutation::from_pairs(pairs).expect("a permutation");
        assert_eq!(ValidatedGroup::new(&model, &[], vec![swap]).order(), order.into(), "{value}");
    }
}

/// A text with wide variables from one with narrow ones.
fn widened(writer: &mut Writer) -> String {
    let text = writer.text().replace("type T : 0..2;", "type T : 0..2; type W : -1500..1500;");
    let text = text.replace("y : BIT,", "y : W,").replace("b : T[P]", "b : W[P]");
    if writer.below(2) == 0 { text.replace("a : BIT[P]", "a : W[P]") } else { text }
}

/// A state with values that the text intends, and some that it does not.
fn random_state(model: &Sequential, live: &[Vec<i32>], writer: &mut Writer) -> Vec<i32> {
    let sorts = model.element_sorts();
    let mut state = Vec::new();
    for (element, values) in live.iter().enumerate() {
        let (low, high) = model.domain(sorts[element]).bounds();
        state.push(match values.is_empty() {
            false => values[writer.below(values.len())],
            true => [low, -2, -1, 0, 1, 1, 2, high][writer.below(8)],
        });
    }
    state
}

/// Compares the diagrams of a text with the reference on random states; returns the number of steps that fault.
fn faults_that_agree(
    text: &str,
    writer: &mut Writer,
    state: impl Fn(&Sequential, &[Vec<i32>], &mut Writer) -> Vec<i32>,
) -> usize {
    let model = model(text, &[]);
    let instances = Instances::new(&model);
    let live: Vec<Vec<i32>> = (0..model.state_len()).map(|element| instances.diagrams.live(element).to_vec()).collect();
    let mut faults = 0;
    for _ in 0..60 {
        let state = state(&model, &live, writer);
        for instance in &instances.list {
            let behaviour = instance.behaviour.as_ref().expect("small");
            let parameters = instance.parameters.as_ref().expect("small");
            let reference = step(&model, &state, instance.summand, parameters);
            let expected = match &reference {
                None => Leaf::Value(0),
                Some(step) if step.result.is_ok() => Leaf::Value(1),
                Some(_) => Leaf::Fault,
            };
            faults += usize::from(expected == Leaf::Fault);
            let value = |dd| instances.diagrams.at(dd, &state);
            assert_eq!(value(behaviour.status), expected, "{text} {state:?} {parameters:?}");
            let Some(Ok(after)) = reference.map(|step| step.result) else { continue };
            for (element, (&new, &old)) in after.iter().zip(&state).enumerate() {
                let output = behaviour.outputs.iter().find(|output| output.0 == element);
                let output = output.map_or(Leaf::Value(old), |output| value(output.1));
                assert_eq!(output, Leaf::Value(new), "{text} {state:?} {parameters:?}: element {element}");
                assert!(live[element].is_empty() || live[element].contains(&new), "{text}: {new} is not live");
            }
        }
    }
    faults
}

#[test]
fn terms_agree_with_the_reference() {
    let mut writer = Writer::new(77);
    let faults: usize = (0..200)
        .map(|_| {
            let text = widened(&mut writer);
            faults_that_agree(&text, &mut writer, random_state)
        })
        .sum();
    assert!(faults > 1000, "{faults}");
}

/// An expression over wide elements with constants: quotients and remainders of both conventions, bits, shifts.
fn by_constants(writer: &mut Writer, depth: usize) -> String {
    if depth == 0 {
        return ["c[0]", "c[1]", "c[i]", "(c[i] - 3)"][writer.below(4)].into();
    }
    let inner = by_constants(writer, depth - 1);
    let constant = ["-7", "-2", "-1", "1", "2", "7", "8", "300000000", "i"][writer.below(9)];
    let count = ["0", "1", "26", "29", "31", "-1"][writer.below(6)];
    match writer.below(11) {
        0 => format!("({inner} / {constant})"),
        1 => format!("({inner} mod {constant})"),
        2 => format!("div({inner}, {constant})"),
        3 => format!("rem({inner}, {constant})"),
        4 => format!("bitand({inner}, {constant})"),
        5 => format!("bitor({inner}, {constant})"),
        6 => format!("({inner} xor {constant})"),
        7 => format!("shr({inner}, {count})"),
        8 => format!("ushr({inner}, {count})"),
        9 => format!("shl({inner}, {count})"),
        _ => format!("popcount({inner})"),
    }
}

/// The decisions by intervals are true, for operands of both signs.
#[test]
fn terms_of_constants_agree_with_the_reference() {
    let mut writer = Writer::new(80);
    let mut faults = 0;
    for _ in 0..100 {
        let [guard, narrow, wide] = [1, 2, 2].map(|depth| by_constants(&mut writer, depth));
        let text = format!(
            "type P : 0..1; type N : -2147483648..2147483647; type S : -8..7; proc X(c : N[P], d : S[P]) = \
             sum i:P . [{guard} <= 6] e {{ d[i] := {narrow}; c[1 - i] := {wide}; }} -> X; init X(c = 0, d = 0);"
        );
        faults += faults_that_agree(&text, &mut writer, |_, _, writer| {
            let ends = [i32::MIN, i32::MIN + 1, -100, -8, -3, -1, 0, 1, 2, 7, 8, 255, 1 << 27, i32::MAX - 1, i32::MAX];
            let mut value = || ends[writer.below(ends.len())];
            vec![value(), value(), 0, 0]
        });
    }
    assert!(faults > 1000, "{faults}");
}

/// A random permutation of elements of the same bounds, sometimes of narrow values too.
fn random(model: &Sequential, writer: &mut Writer) -> SparsePermutation {
    let (literals, sorts) = (Literals::new(model), model.element_sorts());
    let mut images: Vec<usize> = (0..sorts.len()).collect();
    for _ in 0..=writer.below(3) {
        let (one, other) = (writer.below(images.len()), writer.below(images.len()));
        if literals.fit(images[one], images[other]) {
            images.swap(one, other);
        }
    }
    let mut pairs = Vec::new();
    for (element, &target) in images.iter().enumerate() {
        let low = model.domain(sorts[element]).bounds().0;
        if literals.is_wide(element) {
            pairs.push((literals.point(element, low), literals.point(target, low)));
            continue;
        }
        let values = model.domain(sorts[element]).values();
        pairs.extend(values.map(|value| (literals.point(element, value), literals.point(target, value))));
    }
    SparsePermutation::from_pairs(pairs).expect("elements are permuted")
}

/// Accepted candidates keep the steps of random states.
#[test]
fn accepted_candidates_keep_steps_of_random_states() {
    let mut writer = Writer::new(78);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..250 {
        let text = widened(&mut writer);
        let model = model(&text, &[]);
        let literals = Literals::new(&model);
        let mut candidates = csp::detect_graph_with(&model, &[], csp::Ties::None).expect("small").generators;
        candidates.extend((0..6).map(|_| random(&model, &mut writer)));
        candidates.retain(|candidate| !candidate.is_identity());
        let mut validator = Validator::new(&model, &[]);
        let live = validator.live();
        let sorts = model.element_sorts();
        let live: Vec<Vec<i32>> = (live.into_iter().enumerate())
            .map(|(at, list)| if csp::is_wide(model.domain(sorts[at])) { Vec::new() } else { list })
            .collect();
        for candidate in &candidates {
            if validator.check(candidate).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            for _ in 0..60 {
                let state = random_state(&model, &live, &mut writer);
                let image = literals.apply(candidate, &state);
                assert_eq!(is_initial(&model, &state), is_initial(&model, &image), "{text} {state:?}");
                let mut moved = super::twin::Steps::new();
                for ((event, after), count) in steps(&model, &state) {
                    let after = after.map(|after| literals.apply(candidate, &after));
                    *moved.entry((event, after)).or_default() += count;
                }
                assert_eq!(steps(&model, &image), moved, "{text} {state:?}");
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted >= 100 && refused >= 300, "{accepted} accepted, {refused} refused");
}

/// A proof by text costs what the candidate moves, not what the process has: the exchanges of all neighbours among many elements are proved in
/// fewer steps than there are pairs of elements.
#[test]
fn exchanges_among_many_elements_are_proved_one_by_one() {
    let count = 1 << 14;
    let own = "sum i:P . [!on[i]] get(i) { on[i] := 1; } -> X; init X(on = 0);";
    let text = format!("type P : 0..{}; proc X(on : BOOL[P]) = {own}", count - 1);
    let model = model(&text, &[]);
    let literals = Literals::new(&model);
    let exchange = |one: usize| {
        let pair = |value: i32| (literals.point(one, value), literals.point(one + 1, value));
        let pairs = [pair(0), pair(1)].into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
        SparsePermutation::from_pairs(pairs.collect()).expect("two elements are exchanged")
    };
    let proved = || ValidatedGroup::new(&model, &[], (0..count - 1).map(exchange).collect());
    let group = limits::Watch::unlimited().at_most(1 << 27).run(proved).expect("few steps");
    assert_eq!((group.generators().len(), group.is_exact()), (count - 1, true));
}
