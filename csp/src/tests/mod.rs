//! Tests of all stages together: known orders and sizes, and every generator against the explicit state space.

mod orders;
mod states;
mod wide;

pub(crate) use states::random_texts;

use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Parsed, Sequential, parse};

/// The text of a fixture of the sequential language.
fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/lpe").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The model of a text with these constants.
pub(crate) fn model(text: &str, defines: &[(&str, i64)]) -> Sequential {
    let constants = defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let mut sink = Diagnostics::new();
    let Parsed { model, .. } = parse(text, &Options { constants }, &mut sink);
    let messages: Vec<&str> = sink.list.iter().map(|found| found.message.as_str()).collect();
    model.unwrap_or_else(|| panic!("{}\n{text}", messages.join("\n")))
}

#[test]
fn bodies_of_all_kinds_are_written_down() {
    for (body, order) in [
        ("var y : BOOL := x[p]; x[p] := y;", 2u32),
        ("for q:P { x[q] := 0; }", 2),
        ("if (x[p] = 0) { fail \"no\"; }", 2),
        ("while (x[p]) { x[p] := 0; }", 2),
        ("while (x[p] = 0 || x[p] = 1) { x[p] := 1; }", 1),
    ] {
        let text = format!(
            "type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ {body} }} -> X \
             + sum p:P . [x[p] = 0] set {{ x[p] := 1; }} -> X; init X(x = 0);"
        );
        let model = model(&text, &[]);
        let found = crate::detect_graph(&model, &[]).unwrap();
        assert_eq!((found.order(), found.csp.opaque.len()), (order.into(), usize::from(order == 1)), "{body}");
    }
    let text = |more: &str| {
        format!("type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ x[p] := 1; }} -> X; init X(x = 0); {more}")
    };
    let order = |text: &str| crate::detect_graph(&model(text, &[]), &[]).unwrap().order();
    assert_eq!(order(&text("")), 2u32.into());
    assert_eq!(order(&text("init X(x = [0, 1]);")), 1u32.into());
    assert_eq!(order(&text("init X(x = [0, 1]); init X(x = [1, 0]);")), 2u32.into());
    let wide = text("").replace("type P", "type int : -2147483648..2147483647; type P").replace("BOOL[P]", "int[P]");
    assert_eq!(order(&wide), 2u32.into());
}

/// The forms of many summands grow with their bodies, however many variables there are, and the limits are consulted accordingly.
#[test]
fn forms_of_many_variables_consult_the_limits() {
    const COUNT: u64 = 10_000;
    let list = |part: &dyn Fn(u64) -> String, between: &str| (0..COUNT).map(part).collect::<Vec<_>>().join(between);
    let text = format!(
        "proc X({}) = {}; init X({});",
        list(&|i| format!("x{i} : BOOL"), ", "),
        list(&|i| format!("[x{i} = 0] e{i} {{ x{i} := 1; }} -> X"), " + "),
        list(&|i| format!("x{i} = 0"), ", "),
    );
    let model = model(&text, &[]);
    let forms = |work: u64| limits::watch().at_most(work).run(|| crate::forms(&model));
    assert!(forms(COUNT / 2).is_err());
    assert!(forms(8 * COUNT).is_ok());
}

/// A counter gets one more live value a round; instances that pair many values wait until it has all of them. In each round they would take 2^30
/// steps.
#[test]
fn counters_do_not_pay_for_comparisons() {
    let text = "type byte : 0..255; proc X(x : byte, y : byte) = [x < 255] up { x := x + 1; } -> X \
        + [true] compare { y := bitand(x >= x, 1); } -> X; init X(x = 0, y = 0);";
    let model = model(text, &[]);
    let found = limits::watch().at_most(1 << 24).run(|| crate::detect_graph(&model, &[]));
    let csp = found.expect("the work is that of a few comparisons").unwrap().csp;
    let sizes: Vec<usize> = csp.elements.iter().map(|element| element.values.len()).collect();
    assert_eq!(sizes, [256, 2]);
}
