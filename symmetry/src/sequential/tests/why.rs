//! Answers about single permutations, and near symmetries: the places are those that a reader would name.

use frontend::sequential::Sequential;

use super::super::{Finding, Obstruction, ValidatedGroup, near, why};
use super::writer::Writer;
use super::{model, validated};

/// A process of cells, with parts of the text to be replaced.
fn cells(guard: &str, body: &str, init: &str, rest: &str) -> String {
    format!(
        "type C : 0..2; type K : {{ free, red }}; proc P(holds : K[C], last : C) =
            sum c:C . [{guard}] fill(c) {{ {body} }} -> P; init P(holds = free, last = {init}); {rest}"
    )
}

fn cycles(text: &[&str]) -> Vec<Vec<String>> {
    vec![text.iter().map(|&name| name.to_owned()).collect()]
}

/// The texts of the places, with their reasons.
fn places(text: &str, model: &Sequential) -> Vec<(String, Obstruction)> {
    let found = near(model, &model.properties);
    let obstacles = found.iter().flat_map(|near| &near.obstacles);
    obstacles.map(|place| (text[place.span.range(text.len())].to_owned(), place.reason)).collect()
}

#[test]
fn near_symmetries_name_the_places_that_break_them() {
    use Obstruction::{Computed, Initial, Loop, Named};
    let plain = ("holds[c] = free", "holds[c] := red; last := c;", "*", "");
    for ((guard, body, init, rest), expected) in [
        (plain, vec![]),
        ((plain.0, plain.1, "1", plain.3), vec![("last = 1", Initial)]),
        (("holds[c] = free && c != 2", plain.1, plain.2, plain.3), vec![("c != 2", Named)]),
        (("holds[c] = free && last < c", plain.1, plain.2, plain.3), vec![("last < c", Computed)]),
        (
            (plain.0, "holds[c] := red; for d:C { last := d; }", plain.2, plain.3),
            vec![("for d:C { last := d; }", Loop)],
        ),
        ((plain.0, plain.1, plain.2, "assert A = holds[0] != red;"), vec![("holds[0] != red", Named)]),
        ((plain.0, plain.1, "0", "assert A = last != 2;"), vec![("last = 0", Initial), ("last != 2", Named)]),
    ] {
        let text = cells(guard, body, init, rest);
        let expected: Vec<(String, Obstruction)> =
            expected.into_iter().map(|(text, reason)| (text.to_owned(), reason)).collect();
        assert_eq!(places(&text, &model(&text, &[])), expected, "{text}");
    }
}

/// Arguments of events move with the table that gives them.
#[test]
fn arguments_that_tables_give_are_in_nobodys_way() {
    for next in ["next[c]", "(c + 1) mod 3"] {
        let text = format!(
            "type C : 0..2; const next[c:C] = (c + 1) mod 3; proc P(holds : BOOL[C]) =
                sum c:C . [holds[c]] pass(c, {next}) {{ holds[c] := 0; holds[next[c]] := 1; }} -> P; init P(holds = [1, 0, 0]);"
        );
        let one = model(&text, &[]);
        let expected = [("next[c]", Obstruction::Table), ("holds = [1, 0, 0]", Obstruction::Initial)];
        assert_eq!(places(&text, &one), expected.map(|(place, reason)| (place.to_owned(), reason)), "{text}");
        let text = text.replace("[1, 0, 0]", "*");
        let all = model(&text, &[]);
        let known = ValidatedGroup::new(&all, &[], Vec::new());
        assert!(matches!(why(&all, &[], &known, &cycles(&["C 0", "C 1", "C 2"])), Ok(Finding::ByText)), "{text}");
    }
}

#[test]
fn every_form_of_a_permutation_is_answered() {
    let text = cells("holds[c] = free", "holds[c] := red; last := c;", "1", "assert A = holds[0] != red;");
    let model = model(&text, &[]);
    let answer = |properties: &[_], names: &[&str]| {
        let known = ValidatedGroup::new(&model, properties, Vec::new());
        why(&model, properties, &known, &cycles(names))
    };
    assert!(matches!(answer(&[], &["C 0", "C 2"]), Ok(Finding::ByText)));
    let Ok(Finding::Not { obstacles, .. }) = answer(&model.properties, &["C 0", "C 2"]) else { panic!("A names C 0") };
    assert_eq!(obstacles.len(), 1);
    let Ok(Finding::Not { obstacles, .. }) = answer(&[], &["C 0", "C 1"]) else { panic!("last = 1") };
    assert_eq!(obstacles[0].reason, Obstruction::Initial);
    // Elements and literals, of which the values of `last` are another part.
    assert!(matches!(answer(&[], &["holds[0]", "holds[2]"]), Ok(Finding::Not { rejection: Some(_), .. })));
    assert!(matches!(answer(&[], &["last=0", "last=2"]), Ok(Finding::Not { rejection: Some(_), .. })));
    for wrong in [&["C 0", "C 3"][..], &["C 0", "K free"], &["D 0", "D 1"], &["C 0", "C 0"], &["last=0", "last=7"]] {
        assert!(answer(&[], wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn variables_with_other_values_are_of_another_kind() {
    let text = "type A : 0..2; type B : 1..3; type C : 0..2; proc M(x : A, y : B, z : C) =
        [x = 0] e { x := 1; } -> M + [y = 1] f { y := 2; } -> M + [z = 0] g { z := 1; } -> M; init M(x = 0, y = 1, z = 0);";
    let model = model(text, &[]);
    let known = ValidatedGroup::new(&model, &[], Vec::new());
    let answer = |names: &[&str]| why(&model, &[], &known, &cycles(names));
    assert!(answer(&["x", "y"]).is_err_and(|error| error.contains("names of different kinds")));
    assert!(answer(&["x", "z"]).is_ok() && answer(&["x=0", "y=1"]).is_ok());
}

/// A symmetry by an answer is one by the validator, and no near symmetry is in the group of its process.
#[test]
fn answers_agree_with_the_validator() {
    let mut writer = Writer::rich(21);
    let (mut symmetries, mut others) = (0, 0);
    for _ in 0..100 {
        let text = writer.text();
        let model = model(&text, &[]);
        let known = validated(&model, &[]);
        for near in near(&model, &[]) {
            assert!(!near.obstacles.is_empty() && near.values.len() > 1, "{text}");
        }
        for sort in model.sorts.iter().skip(2).filter(|sort| sort.domain.size() > 1) {
            let (low, _) = sort.domain.bounds();
            let names = [low, low + 1].map(|value| format!("{} {value}", sort.name));
            match why(&model, &[], &known, &[names.to_vec()]).expect("names of the process") {
                Finding::ByText | Finding::ByInstances => symmetries += 1,
                Finding::Not { .. } => others += 1,
            }
        }
    }
    assert!(symmetries > 0 && others > 0, "{symmetries} {others}");
}

/// A permutation that takes a constant to a variable, or to a constant of another value, is none of the group whatever it does to the rest.
#[test]
fn constants_that_move_are_not_left_out() {
    let is_symmetry = |text: &str, names: &[&str]| {
        let model = model(text, &[]);
        let known = validated(&model, &[]);
        assert!(known.order() > 1_u32.into(), "{text}");
        !matches!(why(&model, &[], &known, &cycles(names)), Ok(Finding::Not { .. }))
    };
    // `b[1]` is set, and the others are always 0.
    let set = "type P : 1..3; proc M(b : BOOL[P], c : BOOL[P]) = [b[1] = 0] set { b[1] := 1; } -> M
        + sum p:P . [c[p] = 0] put(p) { c[p] := 1; } -> M; init M(b = 0, c = 0);";
    // All of `b` is constant, and only its last element is 1.
    let read = "type P : 1..3; proc M(b : BOOL[P], c : BOOL[P]) =
        sum p:P . [c[p] = 0 && b[3] = 1] put(p) { c[p] := 1; } -> M; init M(b = [0, 0, 1], c = 0);";
    // As `read`, with elements of a wide type, which have one point each.
    let wide = "type P : 1..3; type W : 0..5000; proc M(b : W[P], c : BOOL[P]) =
        sum p:P . [c[p] = 0 && b[3] = 1] put(p) { c[p] := 1; } -> M; init M(b = [0, 0, 1], c = 0);";
    for (text, names, expected) in [
        (set, ["b[1]", "b[2]"], false),
        (set, ["P 1", "P 2"], false),
        (set, ["b[2]", "b[3]"], true),
        (read, ["b[2]", "b[3]"], false),
        (read, ["b[1]", "b[2]"], true),
        (wide, ["b[2]", "b[3]"], false),
        (wide, ["b[1]", "b[2]"], true),
    ] {
        assert_eq!(is_symmetry(text, &names), expected, "{names:?}\n{text}");
    }
    let model = model(set, &[]);
    let near = near(&model, &[]);
    let named: Vec<Obstruction> = near.iter().flat_map(|near| &near.obstacles).map(|place| place.reason).collect();
    assert!(!named.is_empty() && named.iter().all(|reason| *reason == Obstruction::Named), "{named:?}");
    assert!(near.iter().all(|near| !validated(&model, &[]).contains_on_states(&near.generators)));
}

/// Values move in variables, too, and not only where they are indices and parameters.
#[test]
fn values_move_wherever_they_stand() {
    use Obstruction::{Initial, Named};
    let broken_by = |text: &str, names: &[&str]| {
        let model = model(text, &[]);
        let known = validated(&model, &[]);
        match why(&model, &[], &known, &cycles(names)) {
            Ok(Finding::Not { obstacles, .. }) => obstacles.iter().map(|place| place.reason).collect(),
            other => panic!("{other:?} of {names:?}\n{text}"),
        }
    };
    let places = "type F : 0..2; type K : { free, red }; proc M(at : K[F], full : BOOL) =
        sum f:F . [!full && at[f] = free] take(f) { at[f] := red; full := true; } -> M
        + sum f:F . [at[f] = red] give(f) { at[f] := free; full := false; } -> M; init M(at = free, full = 0);";
    for names in [["K free", "K red"], ["BOOL 0", "BOOL 1"]] {
        let found: Vec<Obstruction> = broken_by(places, &names);
        assert!(found.contains(&Named) && found.contains(&Initial), "{found:?}");
    }
    let at = "type P : 1..3; proc M(b : BOOL[P], at : P) =
        sum p:P . [!b[p]] e(p) { b[p] := 1; } -> M + [at = 1] f { at := 2; } -> M; init M(b = 0, at = 1);";
    assert_eq!(broken_by(at, &["P 1", "P 2"]), [Named, Named, Initial]);
    // No state has the value 3 of `at`.
    assert_eq!(broken_by(at, &["P 2", "P 3"]), [Named]);
    // Elements of wide types have one point each, whatever their values.
    let wide = "type W : 0..5000; type P : 1..3; proc M(z : W, b : BOOL[P]) =
        [z = 1] e { z := 3; } -> M + sum p:P . [!b[p]] f(p) { b[p] := 1; } -> M; init M(z = 1, b = 0);";
    assert_eq!(broken_by(wide, &["W 1", "W 2"]), [Obstruction::Wide]);
    let model = model(wide, &[]);
    assert!(matches!(why(&model, &[], &validated(&model, &[]), &cycles(&["P 1", "P 2"])), Ok(Finding::ByText)));
}
