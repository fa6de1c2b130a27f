//! The parametric form of summands: sizes, orders, and every generator against the explicit state space.

use super::{fixture, model};
use crate::{Ties, csp, detect_graph, detect_graph_within};

/// A process that three of its members change at once, none of them twice.
fn meeting(members: usize) -> String {
    format!(
        "type P : 0..{}; type ROLE : {{ free, chair, scribe, guest }}; proc X(role : ROLE[P], open : BOOL) = \
         sum u:P . sum v:P . sum w:P . \
           [u != v && v != w && u != w && role[u] = free && role[v] = free && role[w] = free && !open] \
           meet(u, v, w) {{ role[u] := chair; role[v] := scribe; role[w] := guest; open := 1; }} -> X \
         + [open] part {{ for p:P {{ role[p] := free; }} open := 0; }} -> X; init X(role = free, open = 0);",
        members - 1
    )
}

#[test]
fn graphs_grow_with_domains_and_not_with_their_product() {
    let found = [20, 40, 120].map(|members| {
        let model = model(&meeting(members), &[]);
        let found = detect_graph(&model, &[]).unwrap();
        let instances: usize = found.csp.instances.iter().filter(|instance| instance.free.is_some()).count();
        assert_eq!((instances, found.csp.opaque.len()), (1, 0));
        let factorial: num_bigint::BigUint = (1..=members).product::<num_bigint::BigUint>();
        assert_eq!(found.order(), factorial);
        found.graph.graph.len()
    });
    assert!(2 * found[1] < 5 * found[0], "{found:?}");
}

#[test]
fn orders_are_those_of_the_ground_form() {
    for (name, defines, order, _) in super::orders::TABLE {
        let model = model(&fixture(name), defines);
        let found = detect_graph_within(&model, &[], Ties::Names, 0).unwrap();
        assert_eq!(csp::verify(&found.csp), Vec::<String>::new(), "{name}");
        assert_eq!(found.graph.verify(), Vec::<String>::new(), "{name}");
        assert_eq!(found.order().to_string(), *order, "{name} {defines:?}");
        assert!(found.csp.instances.iter().all(|instance| instance.free.is_some()), "{name}");
    }
}

#[test]
fn summands_too_large_in_parametric_form_have_their_instances() {
    // An argument that is computed from a wide variable has no values to name.
    let text = "type int : 0..9999; type P : 0..2; proc X(n : int, a : BOOL[P]) = \
        sum p:P . [!a[p]] told(n) { a[p] := 1; } -> X + sum p:P . [a[p]] back(p) { a[p] := 0; } -> X; init X(n = 5, a = 0);";
    let model = model(text, &[]);
    let found = detect_graph_within(&model, &[], Ties::Names, 0).unwrap();
    let forms: Vec<bool> = found.csp.instances.iter().map(|instance| instance.free.is_some()).collect();
    assert_eq!(forms, [false, false, false, true]);
    assert_eq!((found.order().to_string(), found.csp.opaque.len()), ("6".to_owned(), 0));
}

#[test]
fn parameters_are_printed_by_name() {
    let model = model(&meeting(20), &[]);
    let found = detect_graph(&model, &[]).unwrap();
    let printed = found.csp.print(&model);
    let expected = [
        "parameter meet#0 v of 0 1",
        "instance meet#0(u, v, w)",
        "meet#0 u=3",
        "meet#0 u!=3",
        "argument 2 of meet = 7",
    ];
    assert!(expected.iter().all(|text| printed.contains(text)), "{printed}");
    let names: Vec<String> = found.graph.vertices.iter().map(|vertex| vertex.name(&model, &found.csp)).collect();
    let expected = ["meet#0 w", "meet#0 w=3", "meet#0 w!=3", "argument 2 of meet", "argument 2 of meet = 7"];
    assert!(expected.iter().all(|name| names.iter().any(|own| own == name)), "{names:?}");
}
