//! Sorts of data against the states of random models with more values: where the least number of values is said to be enough, models with more have
//! equally many states up to exchanging values, and the same verdicts.

use std::collections::{BTreeMap, BTreeSet};

use engine::RandomSource;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{
    State, Step, Watched, evaluate_in_any_order, starts_in_any_order, successors_in_any_order,
};
use frontend::murphi::program::Program;
use frontend::murphi::{Options, parse};

use crate::murphi::ValidatedGroup;
use crate::murphi::data::{DataSort, Wrong, data, moves_as_one};
use crate::tests::more_values::{self, Seen};

fn one<'a>(random: &mut RandomSource, list: &[&'a str]) -> &'a str {
    list[random.below(list.len())]
}

/// A condition over the variables and these parameters. Bound values are of the type `D`.
fn condition(random: &mut RandomSource, parameters: &[&str], depth: usize) -> String {
    let values: Vec<&str> = ["x", "y", "z[0]", "z[1]"].iter().chain(parameters).copied().collect();
    let (left, right) = (one(random, &values), one(random, &values));
    match random.below(8) {
        0 if depth > 0 => {
            let bound = if parameters.contains(&"e") { "f" } else { "e" };
            let inner = condition(random, &[parameters, &[bound]].concat(), depth - 1);
            let word = one(random, &["exists", "forall"]);
            format!("({word} {bound}: D do {inner} end)")
        }
        1 if depth > 0 => {
            let (left, right) = (condition(random, parameters, depth - 1), condition(random, parameters, depth - 1));
            format!("({left} {} {right})", one(random, &["&", "|", "->"]))
        }
        2 => one(random, &["b", "!b"]).to_owned(),
        3 => format!("{left} = {right}"),
        4 => format!("isthird({left}, {right})"),
        5 => format!("isundefined({})", one(random, &["x", "y", "z[0]", "z[1]"])),
        _ => format!("{left} != {right}"),
    }
}

/// A model over two variables, an array and a flag, with rules that choose up to three values, and a function with a quantifier.
fn text(random: &mut RandomSource) -> String {
    let mut rules = String::new();
    for number in 0..2 + random.below(3) {
        let parameters = &["d", "c", "a"][..random.below(4)];
        let sums: Vec<String> = parameters.iter().map(|name| format!("{name}: D")).collect();
        let guard = condition(random, parameters, 2);
        let sources: Vec<&str> = ["x", "y", "z[0]", "l"].iter().chain(parameters).copied().collect();
        let mut body = String::new();
        for _ in 0..1 + random.below(2) {
            let (target, source) = (one(random, &["x", "y", "z[0]", "z[1]", "l"]), one(random, &sources));
            body.push_str(&match random.below(7) {
                0 => "b := !b; ".to_owned(),
                1 => format!("if {} then {target} := {source}; end; ", condition(random, parameters, 1)),
                2 => format!("undefine {target}; "),
                _ => format!("{target} := {source}; "),
            });
        }
        let rule = format!("rule \"r{number}\" {guard} ==> var l: D; begin l := x; {body}end;\n");
        rules.push_str(&match sums.is_empty() {
            true => rule,
            false => format!("ruleset {} do {rule} end;\n", sums.join("; ")),
        });
    }
    let start = match random.below(2) {
        0 => "startstate begin b := false; end;".to_owned(),
        _ => "ruleset s: D do startstate begin x := s; y := s; b := false; end; end;".to_owned(),
    };
    format!(
        "const N: 3; type D: 1 .. N; var x: D; y: D; z: array [0 .. 1] of D; b: boolean;
        function isthird(l: D; r: D): boolean; begin return exists g: D do g != l & g != r end; end;
        {start}\n{rules}invariant \"asked\" {};",
        condition(random, &[], 2)
    )
}

fn read(text: &str, values: i32) -> Program {
    let mut sink = Diagnostics::new();
    let options = Options { constants: vec![("N".to_owned(), values)] };
    parse(text, &options, &mut sink).program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// The state with its data numbered as they come, and how many they are.
fn renamed(state: &State, data: &DataSort) -> (State, usize) {
    let mut names = BTreeMap::new();
    let mut state = state.clone();
    for &cell in data.cells.iter().flatten() {
        let Some(value) = state[cell].filter(|value| data.values.contains(value)) else { continue };
        let next = 1_000 + i32::try_from(names.len()).expect("few");
        state[cell] = Some(*names.entry(value).or_insert(next));
    }
    (state, names.len())
}

/// Nothing where the order of values shows.
fn seen(program: &Program, data: &DataSort) -> Option<Seen> {
    let watched: Watched = data.watched.iter().copied().collect();
    let mut found = Seen::default();
    let mut classes = BTreeSet::new();
    let mut waiting: Vec<State> = Vec::new();
    let add = |steps: Vec<Step>, found: &mut Seen, waiting: &mut Vec<State>| {
        for step in steps {
            match step.result {
                Ok(next) => waiting.push(next),
                Err(_) => found.has_fault = true,
            }
        }
    };
    let (steps, mut broken) = starts_in_any_order(program, &watched);
    add(steps, &mut found, &mut waiting);
    while let Some(state) = waiting.pop() {
        let (class, used) = renamed(&state, data);
        if !classes.insert(class) {
            continue;
        }
        found.used = found.used.max(used);
        for property in &program.properties {
            let (truths, shown) = evaluate_in_any_order(program, property, &state, &watched);
            broken.extend(shown);
            for truth in truths {
                found.is_violated |= truth.holds == Ok(false);
                found.has_fault |= truth.holds.is_err();
            }
        }
        let (steps, shown) = successors_in_any_order(program, &state, &watched);
        broken.extend(shown);
        found.has_deadlock |= steps.iter().all(|step| step.result.as_ref() == Ok(&state));
        add(steps, &mut found, &mut waiting);
    }
    found.classes = classes.len();
    broken.is_empty().then_some(found)
}

/// Whether a model with more values differs from one with enough of them; nothing where 5 are not known to be enough.
fn differs(text: &str, wrong: Wrong) -> Option<bool> {
    let of = |values: usize| {
        let program = read(text, i32::try_from(values).expect("few"));
        let [found] = &data(&program, &program.claims(), wrong)[..] else { return None };
        Some((seen(&program, found)?, found.needed))
    };
    more_values::differs(of)
}

#[test]
fn more_values_add_nothing_where_enough_are_unused() {
    let mut enough = 0;
    for seed in 0..300 {
        let text = text(&mut RandomSource::new(seed));
        let found = differs(&text, Wrong::default());
        assert_ne!(found, Some(true), "{text}");
        enough += usize::from(found.is_some());
    }
    assert!(enough > 60, "{enough}");
}

#[test]
fn wrong_numbers_of_values_are_noticed() {
    let with = |rule: &str, body: &str| {
        format!(
            "const N: 3; type D: 1 .. N; var x: D; b: boolean;
            function others(l: D): boolean; begin return exists g: D do exists h: D do g != h & g != l & h != l end end; end;
            ruleset s: D do startstate begin x := s; b := false; end; end;
            {rule} ==> begin b := !b; {body} end; end;
            ruleset d: D do rule x = d ==> begin x := d; end; end;"
        )
    };
    let choices = Wrong { choices_are_free: true, ..Wrong::default() };
    let quantifiers = Wrong { quantifiers_are_free: true, ..Wrong::default() };
    let calls = Wrong { calls_are_free: true, ..Wrong::default() };
    for (wrong, rule) in [
        (choices, "ruleset d: D; c: D do rule d != c & d != x & c != x"),
        (quantifiers, "ruleset d: 0 .. 0 do rule exists e: D do exists f: D do e != f & e != x & f != x end end"),
        (calls, "ruleset d: 0 .. 0 do rule others(x)"),
    ] {
        let text = with(rule, "");
        assert_eq!(differs(&text, Wrong::default()), Some(false), "{rule}");
        assert_eq!(differs(&text, wrong), Some(true), "{rule}");
    }
    // Loops see values that are not in use, as quantifiers do.
    let body = "for e: D do for f: D do if e != x & f != x & e != f then error \"three\"; end; end; end;";
    let text = with("ruleset d: 0 .. 0 do rule true", body);
    assert_eq!(differs(&text, Wrong::default()), None);
    let loops = Wrong { loops_are_data: true, ..Wrong::default() };
    assert_eq!(differs(&text, loops), Some(true));
    // A union has more values where a sort in it has.
    let text = "const N: 3; type D: scalarset(N); U: union { D, enum { none } }; var x: D; n: 0 .. 9;
        startstate begin undefine x; n := 0; end; ruleset d: D do rule isundefined(x) ==> begin x := d; end; rule x = d ==> begin x := d; end; end;
        rule !isundefined(x) ==> begin n := 0; for u: U do n := n + 1; end; if n > 4 then error \"many\"; end; end;";
    let apart = Wrong { unions_are_apart: true, ..Wrong::default() };
    assert_eq!(differs(text, Wrong::default()), None);
    assert_eq!(differs(text, apart), Some(true));
    // A larger range has the value that the text names above it.
    let text = "const N: 3; type D: 1 .. N; var x: D; startstate begin x := 1; end;
        ruleset d: D do rule x != 6 ==> begin x := d; end; end; rule x != 6 ==> begin x := x; end;";
    let beyond = Wrong { named_values_stay_beyond: true, ..Wrong::default() };
    assert_eq!(differs(text, Wrong::default()), None);
    assert_eq!(differs(text, beyond), Some(true));
}

/// Indices, orders and computations make values more than data; values that are named are set apart, and so are elements of multisets.
#[test]
fn values_that_are_more_than_data() {
    let with = |more: &str, rule: &str| {
        let text = format!(
            "type D: 0 .. 3; var x: D; y: D; {more} startstate begin b := true; end; ruleset d: D do rule \"s\" true ==> begin x := d; end; {rule} end;"
        );
        let program = read_plain(&text);
        data(&program, &[], Wrong::default()).into_iter().map(|found| found.values).next()
    };
    let flag = "b: boolean;";
    assert_eq!(with(flag, ""), Some(vec![0, 1, 2, 3]));
    assert_eq!(with(flag, "rule x = 0 ==> begin y := x; end;"), Some(vec![1, 2, 3]));
    assert_eq!(with(flag, "rule b ==> begin y := d; end;"), Some(vec![0, 1, 2, 3]));
    assert_eq!(with(flag, "rule x < y ==> begin y := d; end;"), None);
    assert_eq!(with(flag, "rule b ==> begin y := (x + 1) % 4; end;"), None);
    assert_eq!(with(flag, "rule b ==> begin clear y; end;"), Some(vec![1, 2, 3]));
    assert_eq!(with("b: boolean; a: array [D] of boolean;", "rule a[d] ==> begin y := x; end;"), None);
    assert_eq!(with("b: boolean; m: multiset [2] of D;", "rule b ==> begin multisetadd(d, m); end;"), None);
}

/// A group under which a state and its image hold equally many data moves the data of all cells in one way.
#[test]
fn groups_that_move_data_apart_are_noticed() {
    let text = |guard: &str| {
        format!(
            "type D: 0 .. 3; var x: D; y: D; startstate begin clear x; clear y; end; ruleset d: D do rule \"s\" true ==> begin x := d; end; end;
            ruleset d: D do rule \"t\" {guard} ==> begin y := d; end; end;"
        )
    };
    let apart = read_plain(&text("true"));
    let whole = read_plain(&text("d != x"));
    // Where nothing compares the two variables their values move apart.
    let group = |program: &Program| ValidatedGroup::of(program, &[], false);
    let sort = &data(&whole, &[], Wrong::default())[0];
    assert!(group(&apart).blocks().len() > 1 && group(&whole).blocks().len() == 1);
    assert!(moves_as_one(&whole, &group(&whole), sort, Wrong::default()));
    assert!(!moves_as_one(&apart, &group(&apart), sort, Wrong::default()));
    let wrong = Wrong { cells_move_apart: true, ..Wrong::default() };
    assert!(moves_as_one(&apart, &group(&apart), sort, wrong));
}

fn read_plain(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{text}: {:?}", sink.list))
}
