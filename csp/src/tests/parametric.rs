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
        assert_eq!(found.order, factorial);
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
        assert_eq!(found.order.to_string(), *order, "{name} {defines:?}");
        assert!(found.csp.instances.iter().all(|instance| instance.free.is_some()), "{name}");
    }
}
