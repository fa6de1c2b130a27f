//! The meaning of texts: overriding, names, steps, initial states.

use super::explore::explore;
use super::{Options, model, read};
use crate::diagnostics::Diagnostics;
use crate::sequential::interpret::{SeqFaultKind, initial_count, initial_states, successors};
use crate::sequential::{
    Domain, ExprKind, Formula, Initial, Parsed, PropertyKind, Sequential, ValueKind, parse, print, verify,
};

fn options(constants: &[(&str, i64)]) -> Options {
    Options { constants: constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect() }
}

#[test]
fn constants_are_overridden() {
    let text = "const N = 1 / 0; const M = N * 2; type T : 0..M; proc X(x : T) = [true] e { } -> X; init X(*);";
    let mut sink = Diagnostics::new();
    let Parsed { model, unused, constants } = parse(text, &options(&[("N", 2), ("K", 1), ("N", 5)]), &mut sink);
    let model = model.unwrap();
    assert_eq!(model.sorts[2].domain, Domain::Range { low: 0, high: 10 });
    assert_eq!((unused, constants), (vec!["K".to_owned()], vec!["N".to_owned(), "M".to_owned()]));
    assert_eq!(model.constants[1].kind, ValueKind::Integer);
}

#[test]
fn lists_and_values_are_row_major() {
    let model = model(
        "type A : 1..2; type B : { p, q, r }; const t[A][B] = [1, 2, 3, 4, 5, 6]; const u[a:A][b:A] = 10 * a + b; \
         proc X(m : A[B][A], n : B, o : BIT[A]) = [true] e { } -> X; init X(m = [1, 2, 1, 1, 2, 2], n = q, o = 1);",
    );
    assert_eq!(model.tables[1].values, [11, 12, 21, 22]);
    assert_eq!(model.variables[0].initial, Initial::Values(vec![1, 2, 1, 1, 2, 2]));
    assert_eq!(model.variables[2].initial, Initial::Values(vec![1, 1]));
    let names: Vec<String> = (0..model.state_len()).map(|element| model.element_name(element)).collect();
    assert_eq!(names, ["m[p][1]", "m[p][2]", "m[q][1]", "m[q][2]", "m[r][1]", "m[r][2]", "n", "o[1]", "o[2]"]);
    assert_eq!(model.element_value(6, 1), "q");
    assert_eq!(model.element_value(1, 2), "2");
    let values = model.tables[0].values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    assert!(print::print(&model).contains(&format!("const t[A][B] = [{values}];")));
}

#[test]
fn initial_states_come_in_order_and_lazily() {
    let model = model(
        "type T : 5..6; type P : 0..3000; \
         proc X(a : T, b : BIT, c : T) = [true] e { } -> X; init X(a = *, b = 1, c = *);",
    );
    assert_eq!(initial_count(&model), Some(4));
    let states: Vec<_> = initial_states(&model).collect();
    assert_eq!(states, [[5, 1, 5], [5, 1, 6], [6, 1, 5], [6, 1, 6]]);
    let wide = self::model("type P : 0..3000; proc X(a : BIT[P]) = [true] e { } -> X; init X(*);");
    assert_eq!(initial_count(&wide), None);
    assert_eq!(initial_states(&wide).take(3).map(|state| state[2999] * 2 + state[3000]).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn steps_have_labels_in_names_of_the_model() {
    let model = model(
        "type P : 1..2; type C : { red, green }; const N = 7; \
         proc X(x : C[P]) = sum i:P . sum c:C . [c != x[i]] paint { x[i] := c; } -> X \
         + sum i:P . [i = 2] get(i, x[1], N) { } -> X + [true] idle { } -> X + [true] bad(1 / 0) { } -> X; \
         init X(x = red);",
    );
    let steps = successors(&model, &vec![0, 0]);
    let labels: Vec<String> = steps.iter().map(|step| model.step_label(step)).collect();
    assert_eq!(labels, ["paint(i=1, c=green)", "paint(i=2, c=green)", "get(2, red, 7)", "idle", "bad"]);
    assert_eq!(steps[1].result, Ok(vec![0, 1]));
    assert_eq!(steps[4].result.as_ref().unwrap_err().kind, SeqFaultKind::DivisionByZero);
    assert!(!steps[4].result.as_ref().unwrap_err().span.is_none());
}

#[test]
fn faults_end_the_step() {
    let text = |body: &str| {
        format!(
            "type T : 0..3; type P : 0..1; proc X(n : T, a : T[P]) = [n = 0] e {{ {body} }} -> X; init X(n = 0, a = 0);"
        )
    };
    let fault = |body: &str| {
        let model = model(&text(body));
        let kind = successors(&model, &vec![0, 0, 0])[0].result.clone().map_err(|fault| fault.kind);
        kind.map_err(|kind| model.fault_text(&kind))
    };
    assert_eq!(fault("n := 3; n := n + 1;"), Err("the value 4 for `n` is outside of `T` (0 to 3)".into()));
    assert_eq!(fault("a[n + 2] := 1;"), Err("the index 2 is outside of `P` (0 to 1)".into()));
    assert_eq!(fault("a[1] := 2147483647 + 1 - 2147483647;"), Err("a result does not fit into 32 bits".into()));
    assert_eq!(fault("if (a[0] = 0) { n := 1 mod n; }"), Err("division by zero".into()));
    assert_eq!(fault("if (a[0] = 0) { a[0] := 2; } else { n := 1 / n; } n := a[0];"), Ok(vec![2, 2, 0]));
    // The indices come first, then the value, then the domain.
    assert_eq!(fault("a[1 / n] := 9;"), Err("division by zero".into()));
}

#[test]
fn operators_short_circuit() {
    let text = |condition: &str| {
        format!("type T : 0..3; proc X(n : T) = [true] e {{ }} -> X; init X(n = 0); assert A = {condition};")
    };
    for (condition, violated) in [
        ("n = 0 || 1 / n = 1", false),
        ("n = 1 && 1 / n = 1", true),
        ("n = 1 => 1 / n = 1", false),
        ("ite(n = 0, 1, 1 / n) = 1", false),
        ("forall t:T . t = 0 => exists u:T . u * t = 0", false),
        ("exists t:T . t + 1 = 1 || 1 / 0 = 1", false),
        ("popcount(-1) = 32 && popcount(5 xor 2) = 3", false),
        ("-n = 0 && !(n != 0)", false),
    ] {
        assert_eq!(!explore(&model(&text(condition))).violated.is_empty(), violated, "{condition}");
    }
}

#[test]
fn binders_never_hide_a_name_of_the_result() {
    let model = model(
        "type T : 0..1; proc P(x : T[T]) = sum x:T . [exists x:T . x = 0] e { } -> P; init P(x = 0); \
         prop p = exists t:T . x[t] = 1; assert A = forall t:T . forall x:T . p;",
    );
    assert_eq!(verify::verify(&model), []);
    assert_eq!(model.summands[0].parameters[0].name, "x_1");
    let PropertyKind::Invariant(condition) = &model.properties[0].kind else { panic!() };
    let shown = print::print_expression(&model, condition, &[]);
    assert_eq!(shown, "forall t:T . forall x_1:T . exists t_1:T . x[t_1] = 1");
}

#[test]
fn formulas_have_maximal_atoms() {
    let text = |formula: &str| format!("proc P(x : BIT, y : BIT) = [true] e {{ }} -> P; init P(*); ltl L = {formula};");
    let formula = |source: &str| {
        let model = model(&text(source));
        let PropertyKind::Ltl(formula) = model.properties[0].kind.clone() else { panic!() };
        let shown = print::print_formula(&model, &formula);
        (formula, shown)
    };
    assert!(matches!(formula("x && !y || x = y").0, Formula::Atom(_)));
    assert_eq!(formula("G x && y -> F y U x").1, "(G(x) && (y)) => (F(y) U (x))");
    assert_eq!(formula("x U y W x").1, "(x) U ((y) W (x))");
    assert_eq!(formula("x && (y R U(x, y))").1, "(x) && ((y) R ((x) U (y)))");
    assert_eq!(formula("x = y U y = 1 => []<>x").1, "((x = y) U (y = 1)) => G(F(x))");
    assert_eq!(formula("[] x U <> !y").1, "G(x) U F(!y)");
    assert_eq!(formula("G [] F<>x").1, "G(G(F(F(x))))");
    assert_eq!(formula("!G !X x").1, "!(G(!(X(x))))");
    let (nested, _) = formula("G((x => y) => X F(x || y))");
    assert_eq!((nested.atoms().len(), nested.has_next()), (2, true));
}

#[test]
fn until_binds_tighter_than_chains_and_says_so() {
    let shown = |formula: &str| {
        let text = format!("proc P(x : BIT, y : BIT) = [true] e {{ }} -> P; init P(*); ltl L = {formula};");
        let mut found = Diagnostics::new();
        let model = parse(&text, &Options::default(), &mut found).model.unwrap();
        let PropertyKind::Ltl(formula) = &model.properties[0].kind else { panic!() };
        let codes: Vec<&str> = found.list.iter().map(|one| one.code.as_str()).collect();
        (print::print_formula(&model, formula), codes)
    };
    for (loose, tight, remarks) in [
        ("x && y U x", "x && (y U x)", 1),
        ("x U y || y", "(x U y) || y", 1),
        ("x U y && y W x", "(x U y) && (y W x)", 2),
        ("x || x && y R x R y", "x || (x && (y R (x R y)))", 1),
        ("!x U y => x U y", "(!x U y) => (x U y)", 0),
    ] {
        let (text, codes) = shown(loose);
        assert_eq!((&text, codes), (&shown(tight).0, vec!["W0401"; remarks]), "{loose}");
        assert!(shown(tight).1.is_empty(), "{tight}");
        assert_eq!(shown(&text), (text.clone(), Vec::new()), "printed text is read as it was");
    }
}

#[test]
fn chains_are_flat() {
    let model = model("proc P(x : BIT) = [(x = 0 && x = 1) && (x && (x && x))] e { } -> P; init P(*);");
    let ExprKind::And(list) = &model.summands[0].guard.kind else { panic!() };
    assert_eq!(list.len(), 5);
}

#[test]
fn broken_rules_are_listed() {
    let sound = model("type E : { a, b }; proc P(x : E, y : BIT) = sum e:E . [x = e] f { x := e; } -> P; init P(*);");
    let rule = |break_it: &dyn Fn(&mut Sequential)| {
        let mut model = sound.clone();
        break_it(&mut model);
        verify::verify(&model).first().map(|violation| violation.rule)
    };
    assert_eq!(rule(&|_| {}), None);
    assert_eq!(rule(&|model| model.sorts[0].name = "B".into()), Some("predefined"));
    assert_eq!(rule(&|model| model.sorts[2].domain = Domain::Members(Vec::new())), Some("domain"));
    assert_eq!(rule(&|model| model.variables[1].name = "x".into()), Some("unique"));
    assert_eq!(rule(&|model| model.variables[1].name = "x y".into()), Some("name"));
    assert_eq!(rule(&|model| model.variables[1].offset = 2), Some("layout"));
    assert_eq!(rule(&|model| model.variables[1].initial = Initial::Values(vec![2])), Some("initial"));
    assert_eq!(rule(&|model| model.summands.clear()), Some("summands"));
    assert_eq!(rule(&|model| model.summands[0].parameters.clear()), Some("reference"));
    assert_eq!(rule(&|model| model.summands[0].parameters[0].name = "a".into()), Some("hiding"));
    assert_eq!(rule(&|model| model.summands[0].guard.kind = ExprKind::Int(2)), Some("type"));
    assert_eq!(rule(&|model| model.summands[0].guard.kind = ExprKind::And(Vec::new())), Some("flat"));
    assert_eq!(rule(&|model| model.fair = Some(Sequential::BOOL)), Some("fair"));
}

#[test]
fn messages_suggest_names() {
    let text = "type PC : { idle, busy }; proc P(pc : PC) = [pc = idel] e { } -> P; init P(*);";
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink);
    assert_eq!(sink.list[0].help.as_deref(), Some("did you mean `idle`?"));
    assert!(read(&text.replace("idel", "idle"), &Options::default()).is_ok());
}

#[test]
fn locals_and_loops_leave_nothing_behind() {
    let model = model(
        "type I : 0..2; type N : 0..9;
         proc P(n : N, a : N[I]) = [n = 0] e {
             var m : N[I] := 1;
             for i:I { var k : N := i; if (i > 0) { m[i] := m[i - 1] + k; } }
             while (n < 2) { var k : N := 3; n := n + 1; a[n] := m[n] + k; }
         } -> P
         + [n = 2] f { while (true) { } } -> P;
         init P(n = 0, a = 0); init P(n = 2, a = [1, 2, 3]); init P(n = 0, a = 0);",
    );
    assert_eq!(model.starts, [[2, 1, 2, 3]]);
    assert_eq!((model.state_len(), model.locals.len()), (4, 3));
    let starts: Vec<_> = initial_states(&model).collect();
    assert_eq!((starts.len(), initial_count(&model)), (2, Some(2)));
    assert_eq!(successors(&model, &starts[0])[0].result, Ok(vec![2, 0, 5, 7]));
    let fault = successors(&model, &starts[1])[0].result.clone().unwrap_err();
    assert_eq!(fault.kind, SeqFaultKind::Endless);
    let again = super::model(&print::print(&model));
    assert_eq!(print::print(&again), print::print(&model));
}

#[test]
fn words_of_statements_are_names_elsewhere() {
    let model = model(
        "type T : 0..3; proc P(var : T, for : T[T], while : T, fail : T) =
             [while = 0] e { var := 1; for[2] := fail; while := div(3, 2); fail := rem(-3, 2) + 1; } -> P;
         init P(var = 0, for = 0, while = 0, fail = 3);",
    );
    let start = initial_states(&model).next().unwrap();
    assert_eq!(successors(&model, &start)[0].result, Ok(vec![1, 0, 0, 3, 0, 1, 0]));
}

#[test]
fn locals_keep_to_their_block_and_their_name() {
    let text = |body: &str| format!("type T : 0..3; proc P(x : T) = sum i:T . [true] e {{ {body} }} -> P; init P(*);");
    for (body, expected) in [
        ("var x : T := 0;", "E0612"),
        ("var i : T := 0;", "E0612"),
        ("var y : T := 0; var y : T := 0;", "E0612"),
        ("if (x = 0) { var y : T := 0; } y := 1;", "E0611"),
        ("var y : T := y;", "E0611"),
        ("for k:T { k := 1; }", "E0615"),
        ("for k:T { for l:T { for m:T { for n:T { for o:T { for p:T { for q:T { } } } } } } }", "E0624"),
        ("while (x) { }", "E0621"),
        ("fail x;", "E0603"),
        ("var sum : T := 0;", "E0603"),
    ] {
        let found = read(&text(body), &Options::default()).unwrap_err();
        assert!(found.starts_with(expected), "{body}: {found}");
    }
    // A binder with the name of a local is renamed; after it the name means the local again.
    let model = model(&text("var y : T := 2; for y:T { x := y; } if (exists y:T . y = 3) { x := y; }"));
    let printed = print::print(&model);
    assert!(printed.contains("for y_1:T"), "{printed}");
    assert_eq!(successors(&model, &vec![0])[0].result, Ok(vec![2]));
}

#[test]
fn parts_of_enumerations_are_members_of_the_whole() {
    let model = model(
        "type All : { null, a, b, c }; type Two : b..c; const next[Two] = [c, b];
         proc P(at : All, x : BOOL[Two]) = sum p:Two . [at != p] go(p) { at := next[p]; x[at] := true; } -> P
             + [true] fall { x[at] := false; } -> P;
         init P(at = null, x = 0);",
    );
    let start = initial_states(&model).next().unwrap();
    let steps = successors(&model, &start);
    assert_eq!(model.step_label(&steps[0]), "go(b)");
    assert_eq!(steps[0].result, Ok(vec![3, 0, 1]));
    let fault = &steps[2].result.clone().unwrap_err().kind;
    assert_eq!(model.fault_text(fault), "the index null is outside of `Two` (b to c)");
    assert_eq!(model.element_name(2), "x[c]");
    for (text, expected) in [("type Two : c..b;", "E0623"), ("type Two : b..1;", "E0620")] {
        let text = format!("type All : {{ a, b, c }}; {text} proc P(x : BIT) = [true] e {{ }} -> P; init P(*);");
        assert!(read(&text, &Options::default()).unwrap_err().starts_with(expected));
    }
}
