//! Tests of groups of sequential models.

mod orders;
mod planted;
mod soundness;
mod twin;
mod wide;
mod writer;

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Property, Sequential, parse};

use super::ValidatedGroup;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe")
}

/// The text of a fixture.
fn fixture(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("the fixture exists")
}

/// All fixtures that are looked into, with the constants of their heads.
fn fixtures() -> Vec<(String, Vec<(String, i64)>)> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder exists") {
        let entry = entry.expect("readable").path();
        for file in std::fs::read_dir(&entry).expect("a folder of models") {
            let file = file.expect("readable").path();
            let name =
                file.strip_prefix(folder()).expect("below the folder").to_str().expect("a plain name").to_owned();
            let text = fixture(&name);
            let defines = text.lines().filter_map(|line| line.strip_prefix("//@ define: ")?.split_once('='));
            let defines: Vec<(String, i64)> =
                defines.map(|(name, value)| (name.to_owned(), value.parse().expect("a number"))).collect();
            let constants: Vec<(&str, i64)> = defines.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            if model(&text, &constants).is_plain() {
                list.push((name, defines));
            }
        }
    }
    list.sort();
    list
}

/// The process of a text.
fn model(text: &str, constants: &[(&str, i64)]) -> Sequential {
    let constants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let mut sink = Diagnostics::new();
    let model = parse(text, &Options { constants }, &mut sink).model;
    assert!(!sink.has_errors(), "{:?}\n{text}", sink.list);
    model.expect("a text without errors has a model")
}

/// The group of what the graph of a model shows.
fn validated(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    let found = csp::detect_graph(model, &[]).expect("the model is small enough");
    ValidatedGroup::new(model, properties, found.generators)
}

/// The locals, loops and several starts that nothing here looks into: no candidate passes, a symmetry neither.
#[test]
fn what_is_not_plain_has_no_group() {
    let text = |body: &str, more: &str| {
        format!("type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ {body} }} -> X; init X(x = 0); {more}")
    };
    let plain = model(&text("x[p] := 1;", ""), &[]);
    let literals = csp::Literals::new(&plain);
    let pairs = [(0, 0), (0, 1)].map(|(element, value)| (literals.point(element, value), literals.point(1, value)));
    let swap = pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect::<Vec<(u32, u32)>>();
    let swap = engine::SparsePermutation::from_pairs(swap).expect("a permutation");
    let order = |model: &Sequential| ValidatedGroup::new(model, &[], vec![swap.clone()]).order();
    assert_eq!(order(&plain), 2u32.into());
    for (body, more) in [
        ("var y : BOOL := 1; x[p] := y;", ""),
        ("for q:P { x[q] := 1; }", ""),
        ("while (x[p] = 0) { x[p] := 1; }", ""),
        ("fail \"no\";", ""),
        ("x[p] := 1;", "init X(x = [0, 1]);"),
    ] {
        let group = ValidatedGroup::new(&model(&text(body, more), &[]), &[], vec![swap.clone()]);
        assert_eq!((group.order(), group.rejected().len()), (1u32.into(), 1), "{body} {more}");
    }
}
