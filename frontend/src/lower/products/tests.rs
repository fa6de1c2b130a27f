//! Products: each kind of declaration, what is refused, and statements against the products that they describe.

use std::collections::BTreeSet;

use super::{Wrong, choose_with};
use crate::diagnostics::Diagnostics;
use crate::interpret::{Bounds, starts, successors};
use crate::lower::{LowerOptions, lower, lower_properties};
use crate::model::print::print;
use crate::model::{Model, Value};
use crate::syntax::{parse_model, parse_properties};

fn options(values: &[(&str, bool)]) -> LowerOptions {
    let constants = values.iter().map(|&(name, value)| (name.to_owned(), i64::from(value))).collect();
    LowerOptions { dialect: None, constants }
}

fn read(text: &str, values: &[(&str, bool)], wrong: Wrong) -> Result<Model, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    assert_eq!(diagnostics.errors, 0, "{text}: {:?}", diagnostics.list);
    let options = options(values);
    let product =
        if program.is_annotated { choose_with(&program, &options, wrong, &mut diagnostics) } else { Some(program) };
    product.and_then(|product| lower(&product, &options, &mut diagnostics)).ok_or(diagnostics)
}

/// The canonical text of a product.
fn product(text: &str, values: &[(&str, bool)]) -> String {
    print(&read(text, values, Wrong::default()).unwrap_or_else(|found| panic!("{text}: {:?}", found.list)))
}

/// The codes of what is wrong with a text.
fn codes(text: &str, values: &[(&str, bool)]) -> Vec<&'static str> {
    read(text, values, Wrong::default())
        .map_or_else(|found| found.list.iter().map(|d| d.code.as_str()).collect(), |_| vec![])
}

/// The products of a model of one feature variable `F` with annotated declarations: the text of the condition, then
/// the declarations that remain, for `F` and for `!F`.
fn check_products(annotated: &str, with: &str, without: &str) {
    for (value, plain) in [(true, with), (false, without)] {
        let found = product(&format!("featurevar F; {annotated}"), &[("F", value)]);
        assert_eq!(found, product(&format!("env boolean F = {value}; {plain}"), &[]), "{annotated}");
        assert_eq!(product(&found, &[]), found, "the canonical text is read as itself");
    }
    assert!(codes(&format!("featurevar F; {annotated}"), &[]).contains(&"E0133"), "{annotated}");
}

#[test]
fn each_kind_of_declaration_is_kept_or_dropped() {
    let main = "main { A a():(); }";
    check_products(
        &format!("@feature(F) reactiveclass A(2) {{ }} @feature(!F) reactiveclass A(3) {{ msgsrv m() {{ }} }} {main}"),
        &format!("reactiveclass A(2) {{ }} {main}"),
        &format!("reactiveclass A(3) {{ msgsrv m() {{ }} }} {main}"),
    );
    check_products(
        &format!(
            "interface I {{ @feature(F) msgsrv m(); @feature(!F) msgsrv n(); }} \
                  reactiveclass A implements I (2) {{ msgsrv m() {{ }} msgsrv n() {{ }} }} {main}"
        ),
        &format!(
            "interface I {{ msgsrv m(); }} reactiveclass A implements I (2) {{ msgsrv m() {{ }} msgsrv n() {{ }} }} {main}"
        ),
        &format!(
            "interface I {{ msgsrv n(); }} reactiveclass A implements I (2) {{ msgsrv m() {{ }} msgsrv n() {{ }} }} {main}"
        ),
    );
    check_products(
        "reactiveclass A(2) { knownrebecs { @feature(F) A x; @feature(!F) B x; } \
         statevars { @feature(F) int b; @feature(!F) boolean b; } \
         @feature(F) A() { b = 1; } @feature(!F) A() { self.m(); } \
         @feature(F) msgsrv m() { x.m(); } @feature(!F) msgsrv m() { b = f(); } @feature(!F) boolean f() { return F; } } \
         @feature(!F) reactiveclass B(1) { } \
         main { @feature(F) A a(a):(); @feature(!F) A a(b):(); @feature(!F) B b():(); }",
        "reactiveclass A(2) { knownrebecs { A x; } statevars { int b; } A() { b = 1; } msgsrv m() { x.m(); } } \
         main { A a(a):(); }",
        "reactiveclass A(2) { knownrebecs { B x; } statevars { boolean b; } A() { self.m(); } \
         msgsrv m() { b = f(); } boolean f() { return F; } } reactiveclass B(1) { } main { A a(b):(); B b():(); }",
    );
    check_products(
        &format!(
            "reactiveclass A(2) {{ statevars {{ int b; }} A() {{ @feature(F) int x = 1; @feature(!F) boolean x; \
                  @feature(F) @feature(true) {{ b = x; }} }} }} {main}"
        ),
        &format!("reactiveclass A(2) {{ statevars {{ int b; }} A() {{ int x = 1; {{ b = x; }} }} }} {main}"),
        &format!("reactiveclass A(2) {{ statevars {{ int b; }} A() {{ boolean x; }} }} {main}"),
    );
}

#[test]
fn parts_that_no_choice_changes_need_no_choice() {
    let text = "env int N = 3; featurevar F; featurevar G; @feature(!F && F) reactiveclass A(2) { int f() { } } \
        @feature(F || !F || G) reactiveclass A(2) { @feature(N > 3) msgsrv m() { } @feature(N == 3) msgsrv m() { } } \
        main { @feature(false) B b():(); @feature(F == F) A a():(); }";
    let plain = "featurevar F; featurevar G; reactiveclass A(2) { msgsrv m() { } } main { A a():(); }";
    assert_eq!(product(text, &[]), product(plain, &[]));
    let nested = "featurevar F; reactiveclass A(2) { statevars { int b; } msgsrv m() { @feature(F) { int x; \
        @feature(!F) boolean x; @feature(F) b = x; } } } main { A a():(); }";
    let plain = "featurevar F; reactiveclass A(2) { statevars { int b; } msgsrv m() { if (F) { int x; b = x; } } } main { A a():(); }";
    assert_eq!(product(nested, &[]), product(plain, &[]));
}

#[test]
fn wrong_conditions_are_reported() {
    let class = |condition: &str| format!("featurevar F; @feature({condition}) reactiveclass A(2) {{ }} main {{ }}");
    assert_eq!(codes(&class("F"), &[]), ["E0133"]);
    assert_eq!(codes(&class("G"), &[]), codes("env boolean x = G; main { }", &[]));
    assert_eq!(codes(&class("false && G"), &[]), codes("env boolean x = G; main { }", &[]));
    assert_eq!(codes(&class("10"), &[]).len(), 1);
    assert_eq!(codes(&class("F && 1 / 0 == 1"), &[]).len(), 1);
    assert_eq!(codes(&class("f()"), &[]).len(), 1);
    let shadowed = "featurevar F; reactiveclass A(2) { statevars { int x; } msgsrv m(boolean F) { @feature(F) x = 1; } } main { A a():(); }";
    assert_eq!(codes(shadowed, &[]), ["E0133"]);
    assert!(product(shadowed, &[("F", true)]).contains("x = 1"));
    let many: String = (0..11).map(|number| format!("featurevar F{number}; ")).collect();
    let all = (0..11).map(|number| format!("F{number}")).collect::<Vec<_>>().join(" && ");
    assert_eq!(codes(&format!("{many} @feature(false && {all}) reactiveclass A(2) {{ }} main {{ }}"), &[]), ["E0133"]);
}

#[test]
fn the_diagnostic_names_the_open_variables() {
    let text = "featurevar F; featurevar G; featurevar H; @feature(F && !H || G) reactiveclass A(2) { } main { }";
    let found = read(text, &[("H", false)], Wrong::default()).expect_err("G and F are open");
    let diagnostic = &found.list[0];
    assert_eq!(diagnostic.message, "this class depends on the feature variables `F`, `G`");
    assert_eq!(diagnostic.help.as_deref(), Some("choose a product: -D F=true -D G=true"));
}

#[test]
fn properties_name_chosen_features() {
    let model = read("featurevar F; reactiveclass A(1) { } main { A a():(); }", &[("F", false)], Wrong::default())
        .expect("a model");
    assert!(model.features.is_empty());
    let mut diagnostics = Diagnostics::new();
    let file = parse_properties("property { Assertion { P: F || !F; } }", &mut diagnostics);
    assert!(lower_properties(&file, &model, &mut diagnostics).is_some(), "{:?}", diagnostics.list);
}

/// A random condition over `F`, `G`, `H`.
fn condition(seed: &mut u64, depth: u32) -> String {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let pick = *seed >> 33;
    match if depth == 0 { pick % 4 } else { pick % 8 } {
        0 => "F".to_owned(),
        1 => "G".to_owned(),
        2 => "H".to_owned(),
        3 => if pick & 8 == 0 { "true" } else { "false" }.to_owned(),
        4 => format!("!{}", condition(seed, depth - 1)),
        5 => format!("({} && {})", condition(seed, depth - 1), condition(seed, depth - 1)),
        6 => format!("({} || {})", condition(seed, depth - 1), condition(seed, depth - 1)),
        _ => format!("({} == {})", condition(seed, depth - 1), condition(seed, depth - 1)),
    }
}

/// The variables of the only rebec in each reachable state.
fn reachable(model: &Model) -> BTreeSet<Vec<Value>> {
    let bounds = Bounds { max_rebecs: 4, max_statements: 1_000, max_calls: 200, max_work: 20_000 };
    let mut states: Vec<_> = starts(model, &bounds).map(|start| start.result.expect("no fault")).collect();
    let mut found = BTreeSet::new();
    while let Some(state) = states.pop() {
        found.insert(state.rebecs[0].as_ref().expect("a rebec").values.clone());
        states.extend(successors(model, &bounds, &state).into_iter().map(|step| step.result.expect("no fault")));
    }
    found
}

/// A random model with annotated statements, which counts in `n` the statements that ran, and remembers its product.
fn annotated_statements(mut seed: u64) -> String {
    let seed = &mut seed;
    let mut next = || format!("@feature({})", condition(seed, 2));
    format!(
        "featurevar F; featurevar G; featurevar H; reactiveclass A(2) {{ statevars {{ boolean f, g, h; int n; }} \
         A() {{ self.go(); }} msgsrv go() {{ f = F; g = G; h = H; {} n += 1; {} {{ int x = 2; n += x; {} n += 4; \
         {} {} if (n > 4) n += 8; else {} n += 16; }} while (n < 0) {} n += 1; {} switch (n) {{ case 1: {} n += 32; \
         default: n += 64; }} }} }} main {{ A a():(); }}",
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next(),
        next()
    )
}

/// Whether a model with annotated statements reaches what its products reach, each chosen before it is read.
fn agrees(text: &str, wrong: Wrong) -> bool {
    let Ok(family) = read(text, &[], wrong) else { return false };
    let mut products = BTreeSet::new();
    for choice in 0..8 {
        let values = [("F", choice & 1 != 0), ("G", choice & 2 != 0), ("H", choice & 4 != 0)];
        products.extend(reachable(&read(text, &values, Wrong::default()).expect("a product")));
    }
    reachable(&family) == products
}

#[test]
fn a_family_reaches_the_states_of_its_products() {
    for seed in 0..200 {
        let text = annotated_statements(seed);
        assert!(agrees(&text, Wrong::default()), "{text}");
    }
}

#[test]
fn wrong_choices_are_noticed() {
    for wrong in
        [Wrong { one_choice_decides: true, ..Wrong::default() }, Wrong { some_is_all: true, ..Wrong::default() }]
    {
        assert!((0..20).any(|seed| !agrees(&annotated_statements(seed), wrong)), "{wrong:?}");
    }
    let captured = "featurevar F; featurevar G; featurevar H; reactiveclass A(2) { statevars { int n; } \
        A() { boolean F = false; @feature(F) n = 1; } } main { A a():(); }";
    let wrong = Wrong { names_are_captured: true, ..Wrong::default() };
    assert!(read(captured, &[], wrong).is_ok() && !agrees(captured, wrong));
}
