//! Sorts of data against the states of random processes with more values: where the least number of values is said to be enough, processes with more
//! have equally many states up to exchanging values, and the same verdicts.

use std::collections::{BTreeMap, BTreeSet};

use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{evaluate, initial_states, successors};
use frontend::sequential::{Options, PropertyKind, Sequential, parse};

use crate::sequential::{DataSort, ValidatedGroup, WrongData, data, moves_as_one, proved_by_text};
use crate::tests::more_values::{self, Seen};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A condition over `x`, `y`, `z` and these parameters. Bound values are of the sort `D`.
fn condition(random: &mut Random, parameters: &[&str], depth: usize) -> String {
    let values: Vec<&str> = ["x", "y", "z[0]", "z[1]"].iter().chain(parameters).copied().collect();
    let mut value = || random.one(&values);
    let (one, other) = (value(), value());
    match random.below(6) {
        0 if depth > 0 => {
            let bound = if parameters.contains(&"e") { "f" } else { "e" };
            let inner = condition(random, &[parameters, &[bound]].concat(), depth - 1);
            format!("({} {bound}:D . {inner})", random.one(&["exists", "forall"]))
        }
        1 if depth > 0 => {
            let (left, right) = (condition(random, parameters, depth - 1), condition(random, parameters, depth - 1));
            format!("({left} {} {right})", random.one(&["&&", "||", "=>"]))
        }
        2 => random.one(&["b", "!b", "z[0] = 0", "z[1] != 0"]).to_owned(),
        3 => format!("{one} = {other}"),
        _ => format!("{one} != {other}"),
    }
}

/// A process over two variables, an array and a flag, with steps that choose up to three values.
fn text(random: &mut Random) -> String {
    let mut summands = Vec::new();
    for number in 0..2 + random.below(3) {
        let parameters = &["d", "c", "a"][..random.below(4)];
        let sums: String = parameters.iter().map(|name| format!("sum {name}:D . ")).collect();
        let guard = condition(random, parameters, 2);
        let sources: Vec<&str> = ["x", "y", "z[0]"].iter().chain(parameters).copied().collect();
        let mut body = String::new();
        for _ in 0..1 + random.below(2) {
            let (target, source) = (random.one(&["x", "y", "z[0]", "z[1]"]), random.one(&sources));
            body.push_str(&match random.below(6) {
                0 => "b := !b; ".to_owned(),
                1 => format!("if ({}) {{ {target} := {source}; }} ", condition(random, parameters, 1)),
                _ => format!("{target} := {source}; "),
            });
        }
        summands.push(format!("{sums}[{guard}] s{number} {{ {body}}} -> M"));
    }
    let invariant = condition(random, &[], 2);
    // Either 0 is a value of the array only, or one of all variables.
    let least = random.below(2);
    format!(
        "const N = 3; type U : 0..N; type D : {least}..N; type I : 0..1; proc M(x : D, y : D, z : U[I], b : BOOL) = {}; \
         init M(x = 1, y = 1, z = 0, b = 0); assert asked = {invariant};",
        summands.join(" + ")
    )
}

fn read(text: &str, values: i64) -> Sequential {
    let mut sink = Diagnostics::new();
    let options = Options { constants: vec![("N".to_owned(), values)] };
    parse(text, &options, &mut sink).model.unwrap_or_else(|| panic!("{text}: {:?}", sink.list))
}

/// The state with its data numbered as they come, and how many they are.
fn renamed(state: &[i32], data: &DataSort) -> (Vec<i32>, usize) {
    let mut names = BTreeMap::new();
    let mut state = state.to_vec();
    for &element in data.elements.iter().filter(|&&element| data.values.contains(&state[element])).collect::<Vec<_>>() {
        let next = 1_000 + i32::try_from(names.len()).expect("few");
        state[element] = *names.entry(state[element]).or_insert(next);
    }
    (state, names.len())
}

fn seen(model: &Sequential, data: &DataSort) -> Seen {
    let invariant = model.properties.iter().find_map(|property| match &property.kind {
        PropertyKind::Invariant(expr) => Some(expr),
        _ => None,
    });
    let mut found = Seen::default();
    let mut classes = BTreeSet::new();
    let mut waiting: Vec<Vec<i32>> = initial_states(model).collect();
    while let Some(state) = waiting.pop() {
        let (class, used) = renamed(&state, data);
        if !classes.insert(class) {
            continue;
        }
        found.used = found.used.max(used);
        let holds = evaluate(model, invariant.expect("is asked"), &state, &[]).expect("has a value");
        found.is_violated |= holds == 0;
        let steps = successors(model, &state);
        let may_rest = model.ends.as_ref().is_some_and(|ends| evaluate(model, ends, &state, &[]) == Ok(1));
        found.has_deadlock |= steps.is_empty() && !may_rest;
        for step in steps {
            match step.result {
                Ok(next) => waiting.push(next),
                Err(_) => found.has_fault = true,
            }
        }
    }
    found.classes = classes.len();
    found
}

/// Whether a process with more values differs from one with enough of them; nothing where 5 are not known to be enough.
fn differs(text: &str, wrong: WrongData) -> Option<bool> {
    let of = |values: usize| {
        let model = read(text, i64::try_from(values).expect("few"));
        // Data of two kinds would grow together.
        let [found] = &data(&model, &model.properties, wrong)[..] else { return None };
        Some((seen(&model, found), found.needed))
    };
    more_values::differs(of)
}

#[test]
fn more_values_add_nothing_where_enough_are_unused() {
    let mut enough = 0;
    for seed in 0..300 {
        let text = text(&mut Random(seed));
        let found = differs(&text, WrongData::default());
        assert_ne!(found, Some(true), "{text}");
        enough += usize::from(found.is_some());
    }
    assert!(enough > 60, "{enough}");
}

#[test]
fn wrong_numbers_of_values_are_noticed() {
    let with = |guard: &str| {
        format!(
            "const N = 3; type D : 1..N; proc M(x : D, b : BOOL) = {guard} s {{ b := !b; }} -> M; init M(x = 1, b = 0); assert asked = x = x;"
        )
    };
    let choices = WrongData { choices_are_free: true, ..WrongData::default() };
    let quantifiers = WrongData { quantifiers_are_free: true, ..WrongData::default() };
    for (wrong, guard) in [
        (choices, "sum d:D . sum c:D . [d != c && d != x && c != x]"),
        (quantifiers, "[exists e:D . exists f:D . (e != f && e != x && f != x)]"),
    ] {
        assert_eq!(differs(&with(guard), WrongData::default()), Some(false), "{guard}");
        assert_eq!(differs(&with(guard), wrong), Some(true), "{guard}");
    }
    // All of five values are named: a sixth one is the first without a name.
    let named = WrongData { named_values_are_data: true, ..WrongData::default() };
    let guard = "sum d:D . [d != 1 && d != 2 && d != 3 && d != 4 && d != 5]";
    assert_eq!(differs(&with(guard), WrongData::default()), None);
    assert_eq!(differs(&with(guard), named), Some(true));
}

/// The condition under which processes may rest names values, needs some for its quantifiers, and is kept by every number of them otherwise.
#[test]
fn conditions_to_rest_say_how_many_values_are_needed() {
    let with = |rests: &str| {
        format!(
            "const N = 3; type D : 1..N; type C : 0..2; proc M(x : D, c : C) = sum d:D . [c < 2] s {{ x := d; c := c + 1; }} -> M; \
             init M(x = 1, c = 0); ends {rests}; assert asked = x = x;"
        )
    };
    let free = WrongData { rests_are_free: true, ..WrongData::default() };
    let all_are_named = "x = 1 || x = 2 || x = 3 || x = 4 || x = 5";
    let all_differ = "exists e:D . exists f:D . exists g:D . exists h:D . \
                      (x != e && x != f && x != g && x != h && e != f && e != g && e != h && f != g && f != h && g != h)";
    for (rests, found) in [(all_are_named, None), (&format!("!({all_differ})"), Some(false)), ("c = 2", Some(false))] {
        assert_eq!(differs(&with(rests), WrongData::default()), found, "{rests}");
    }
    for rests in [all_are_named, &format!("!({all_differ})")] {
        assert_eq!(differs(&with(rests), free), Some(true), "{rests}");
    }
}

/// A range that grows gets the values that the text names above it.
#[test]
fn values_named_above_a_range_are_no_data_of_it() {
    let text = "const N = 3; type D : 1..N; proc M(x : D) = sum d:D . [x != 6] s { x := d; } -> M; init M(x = 1); assert asked = x = x;";
    let beyond = WrongData { named_values_stay_beyond: true, ..WrongData::default() };
    assert_eq!(differs(text, WrongData::default()), None);
    assert_eq!(differs(text, beyond), Some(true));
}

/// A group under which a state and its image hold equally many data moves the data of all elements in one way.
#[test]
fn groups_that_move_data_apart_are_noticed() {
    let text = |guard: &str| {
        format!(
            "type D : 0..3; proc M(x : D, y : D) = sum d:D . [true] s {{ x := d; }} -> M + sum d:D . [{guard}] t {{ y := d; }} -> M; \
             init M(x = *, y = *);"
        )
    };
    for (guard, is_apart) in [("true", true), ("d != x", false)] {
        let model = read_plain(&text(guard));
        let group = ValidatedGroup::of_candidates(&model, &[], proved_by_text(&model, &[]));
        let found = &data(&model, &[], WrongData::default())[0];
        let literals = group.literals();
        let keeps_their_number = |state: &[i32]| {
            let of = |generator| renamed(&literals.apply(generator, state), found).1;
            group.generators().iter().all(|generator| of(generator) == renamed(state, found).1)
        };
        assert!(group.generators().len() > 1, "{guard}");
        assert_eq!(!(0..4).all(|x| (0..4).all(|y| keeps_their_number(&[x, y]))), is_apart, "{guard}");
        assert_eq!(moves_as_one(&group, found, WrongData::default()), !is_apart, "{guard}");
        let wrong = WrongData { elements_move_apart: true, ..WrongData::default() };
        assert!(moves_as_one(&group, found, wrong), "{guard}");
    }
}

/// Indices, loops, orders and computations make values more than data; values that are named are set apart.
#[test]
fn values_that_are_more_than_data() {
    let with = |summand: &str| {
        let text = format!(
            "type D : 0..3; proc M(x : D, y : D) = sum d:D . [true] s(d) {{ x := d; }} -> M {summand}; init M(x = 0, y = 0);"
        );
        data(&read_plain(&text), &[], WrongData::default()).into_iter().map(|found| found.values).next()
    };
    assert_eq!(with(""), Some(vec![0, 1, 2, 3]));
    assert_eq!(with("+ [x = 0] t { y := x; } -> M"), Some(vec![1, 2, 3]));
    assert_eq!(with("+ [x = y] t { y := 1; } -> M"), Some(vec![0, 2, 3]));
    for summand in [
        "+ [x < y] t { y := x; } -> M",
        "+ [true] t { y := (x + 1) mod 4; } -> M",
        "+ [true] t { for e:D { if (e = x) { y := e; } } } -> M",
    ] {
        assert_eq!(with(summand), None, "{summand}");
    }
    let text = "type D : 0..3; proc M(x : D, b : BOOL[D]) = sum d:D . [b[d]] s { x := d; } -> M; init M(x = 0, b = 0);";
    assert!(data(&read_plain(text), &[], WrongData::default()).is_empty(), "it is an index");
    let wrong = WrongData { indices_are_data: true, ..WrongData::default() };
    assert_eq!(data(&read_plain(text), &[], wrong).len(), 1, "the variant takes it");
}

fn read_plain(text: &str) -> Sequential {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).model.unwrap_or_else(|| panic!("{text}: {:?}", sink.list))
}
