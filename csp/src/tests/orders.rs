//! Orders of groups and sizes of graphs, as known from the literature and from independent explorers.

use super::{fixture, model};
use crate::{ColouredGraph, Ties, csp, detect_graph, detect_graph_with, forms, ground, ssa};

/// File, constants, order, vertices of the graph at most.
pub(super) type Row = (&'static str, &'static [(&'static str, i64)], &'static str, usize);

/// Each size is the measured one plus a tenth: sizes may fall.
pub(super) const TABLE: &[Row] = &[
    ("protocols/token.lpe", &[], "6", 86),
    ("locks/readers_writers.lpe", &[], "2", 47),
    ("locks/peterson.lpe", &[("N", 9)], "362880", 1430),
    ("locks/peterson.lpe", &[("N", 12)], "479001600", 2540),
    ("locks/resalloc.lpe", &[], "24", 123),
    ("protocols/threetier.lpe", &[], "144", 177),
    ("protocols/hypercube.lpe", &[], "3840", 1945),
    ("protocols/hypercube.lpe", &[("D", 6), ("NN", 64)], "46080", 4510),
    ("locks/philosophers.lpe", &[("N", 10)], "10", 315),
    ("locks/philosophers.lpe", &[("N", 20)], "20", 623),
    ("locks/milner.lpe", &[], "1", 157),
    ("protocols/twohop.lpe", &[("N", 9)], "216", 3590),
    ("protocols/twohop.lpe", &[("N", 12)], "288", 4790),
    ("protocols/quorum.lpe", &[], "40320", 211),
    ("protocols/leader_complete.lpe", &[("N", 12)], "479001600", 1015),
    ("protocols/leader_complete.lpe", &[("N", 15)], "1307674368000", 1590),
    ("protocols/leader_tree.lpe", &[], "16", 161),
    ("protocols/leader_ring.lpe", &[("N", 9)], "9", 293),
    ("protocols/leader_ring.lpe", &[("N", 12)], "12", 388),
    ("puzzles/hanoi.lpe", &[("N", 3)], "2", 97),
    ("puzzles/hanoi.lpe", &[("N", 6)], "2", 193),
    ("puzzles/golfers.lpe", &[], "725760", 1300),
    ("locks/filter.lpe", &[("N", 5)], "120", 500),
    ("locks/filter.lpe", &[("N", 6)], "720", 724),
    ("soundness/csp_p10_property.lpe", &[], "2", 20),
    ("soundness/csp_p1_scalar_link.lpe", &[], "1", 20),
    ("soundness/csp_p1b_value_link.lpe", &[], "1", 20),
    ("soundness/csp_p1c_constant_variable.lpe", &[], "2", 20),
    ("soundness/csp_p1d_counter.lpe", &[], "1", 20),
    ("soundness/csp_p2_copy.lpe", &[], "1", 20),
    ("soundness/csp_p2b_copy_any.lpe", &[], "1", 20),
    ("soundness/csp_p3_recombine.lpe", &[], "2", 25),
    ("soundness/csp_p4_events.lpe", &[], "1", 20),
    ("soundness/csp_p4b_event_arguments.lpe", &[], "3", 30),
    ("soundness/csp_p5_array_write.lpe", &[], "4", 20),
    ("soundness/csp_p6_written_values.lpe", &[], "2", 20),
    ("soundness/csp_p6b_read_values.lpe", &[], "1", 20),
    ("soundness/csp_p7_initial.lpe", &[], "1", 20),
    ("soundness/csp_p8_dead_values.lpe", &[], "1", 20),
    ("soundness/csp_p9_short_circuit.lpe", &[], "2", 20),
];

#[test]
fn known_orders() {
    for &(name, defines, order, vertices) in TABLE {
        let model = model(&fixture(name), defines);
        for (summand, form) in model.summands.iter().zip(forms(&model)) {
            assert_eq!(ssa::verify(&model, summand, &form), Vec::<String>::new(), "{name}");
        }
        let found = detect_graph(&model, &[]).unwrap();
        assert_eq!(csp::verify(&found.csp), Vec::<String>::new(), "{name}");
        assert_eq!(found.graph.verify(), Vec::<String>::new(), "{name}");
        assert_eq!(found.order().to_string(), order, "{name} {defines:?}");
        let size = found.graph.graph.len();
        assert!(size <= vertices, "{name} {defines:?}: {size} vertices");
        assert!(found.generators.iter().all(|generator| found.literals.respects_elements(generator)), "{name}");
    }
}

#[test]
fn known_orders_of_other_topologies() {
    type Topology = (&'static str, &'static [(&'static str, &'static str)], &'static str);
    const TREE: &str = "0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10";
    let rows: [Topology; 4] = [
        ("locks/resalloc.lpe", &[("0..6", "0..9"), ("0, 0, 1, 1, 2, 2, 2", "0, 0, 0, 1, 1, 1, 2, 2, 2, 2")], "864"),
        ("protocols/threetier.lpe", &[("0..7", "0..8"), ("1, 2, 2", "1, 2, 2, 2")], "1296"),
        (
            "protocols/threetier.lpe",
            &[("0..7", "0..10"), ("0, 0, 0, 1, 1, 1, 2", "0, 0, 0, 0, 1, 1, 1, 1, 2, 2")],
            "6912",
        ),
        (
            "protocols/leader_tree.lpe",
            &[("0..14", "0..18"), ("0, 0, 1, 2, 3, 4, 5, 3, 3, 4, 4, 5, 5, 6, 6", TREE)],
            "128",
        ),
    ];
    for (name, changes, order) in rows {
        let text = changes.iter().fold(fixture(name), |text, (from, to)| text.replacen(from, to, 1));
        assert_eq!(detect_graph(&model(&text, &[]), &[]).unwrap().order().to_string(), order, "{name} {changes:?}");
    }
}

#[test]
fn atoms_of_properties_are_kept() {
    let model = model(&fixture("soundness/csp_p10_property.lpe"), &[]);
    let claimed: Vec<_> = model.properties.iter().collect();
    assert_eq!(detect_graph(&model, &claimed).unwrap().order().to_string(), "1");
    let text =
        "proc X(x : BIT, y : BIT) = [x = 0] a { x := 1; } -> X + [y = 0] a { y := 1; } -> X; init X(x = 0, y = 0);
        assert Whole = x = 0 || y = 0;  ltl Parts = G(F(x = 1)) && G(F(y = 1));";
    let model = self::model(text, &[]);
    let order = |list: &[usize]| {
        let claimed: Vec<_> = list.iter().map(|&place| &model.properties[place]).collect();
        detect_graph(&model, &claimed).unwrap().order().to_string()
    };
    assert_eq!([order(&[]), order(&[0]), order(&[1])], ["2", "2", "1"], "a formula is not kept as a whole");
}

#[test]
fn values_that_satisfy_no_guard_stay() {
    // The model of M12 with one event: p=0 and p=1 are exchanged only together with x=0 and x=1.
    let text = "type T : 0..2; proc V(p : BIT, x : T) = [p = 0 && x = 2] e { x := 0; } -> V
        + [p = 1 && x = 2] e { x := 1; } -> V; init V(p = *, x = 2);";
    let found = detect_graph(&model(text, &[]), &[]).unwrap();
    assert_eq!(found.order().to_string(), "2");
    let points = [(0, 0), (1, 0)].map(|(element, value)| found.literals.point(element, value));
    let images = points.map(|point| found.literals.literal(found.generators[0].image(point)));
    assert_eq!(images, [(0, 1), (1, 1)]);
}

#[test]
fn more_is_found_without_names() {
    let order = |name: &str, defines: &[(&str, i64)]| {
        let model = model(&fixture(name), defines);
        detect_graph_with(&model, &[], Ties::None).unwrap().order().to_string()
    };
    // On an even ring the colours of even and odd places are permuted on their own: 24 * 2 * 6 * 6.
    assert_eq!(order("protocols/twohop.lpe", &[("N", 12)]), "1728");
    // Each pair of golfers may exchange the two directions of its meeting: 9! * 2^36.
    assert_eq!(order("puzzles/golfers.lpe", &[]), "24936923717959680");
}

#[test]
fn parts_that_are_too_large_are_named_and_the_rest_keeps_its_symmetry() {
    // Too many instances, and a condition with too many nodes.
    let large = [
        ("2000", "sum a:T . sum b:T . [x = a && w = a] large { x := b; } -> X"),
        ("1000", "[(x + w) * (x + w) mod 7 = (x * w + 3) mod 11 + (x - w) * x] large { x := w; } -> X"),
    ];
    for (most, summand) in large {
        let text = format!(
            "type T : 0..{most}; type P : 0..3; proc X(x : T, w : T, a : BIT[P]) = {summand} \
             + sum i:P . [a[i] = 0] set {{ a[i] := 1; }} -> X; init X(x = *, w = *, a = 0);"
        );
        let model = model(&text, &[]);
        let found = detect_graph(&model, &[]).unwrap();
        let parts: Vec<String> = found.csp.opaque.iter().map(|opaque| opaque.part.name(&model)).collect();
        assert_eq!((found.order().to_string(), parts), ("24".to_owned(), vec!["summand 0 `large`".to_owned()]));
    }
}

#[test]
fn the_syntax_of_large_conditions_does_not_matter() {
    // A sum of all votes is a chain of pairs: the form of its text distinguishes the first two voters from the rest.
    let voting = model(&fixture("protocols/quorum.lpe"), &[]);
    let order = |csp: &csp::Csp| {
        let graph = ColouredGraph::new(&voting, csp, Ties::Names);
        engine::automorphisms(&graph.graph, &mut |_| ()).order.to_string()
    };
    let forms = forms(&voting);
    let solved = ground::constraints(&voting, &forms, &[]).unwrap();
    let written = ground::constraints_as_written(&voting, &forms, &[]).unwrap();
    assert_eq!((order(&solved), order(&written)), ("40320".into(), "720".into()));
    assert!(solved.as_written.is_empty());
    let parts: Vec<String> = written.as_written.iter().map(|part| part.name(&voting)).collect();
    assert_eq!(parts, ["summand 2 `accept`"]);
    // Seven of twelve have 792 prime cubes: this exceeds the bound, and is reported.
    let more: String = (8..12).map(|voter| format!(" + yes[{voter}]")).collect();
    let text = fixture("protocols/quorum.lpe").replace(" + yes[7]", &format!(" + yes[7]{more}"));
    let large = model(&text, &[("N", 12), ("MOST", 7)]);
    let found = detect_graph(&large, &[]).unwrap();
    let parts: Vec<String> = found.csp.as_written.iter().map(|part| part.name(&large)).collect();
    assert_eq!((found.order(), parts), (3_628_800u32.into(), vec!["summand 2 `accept`".to_owned()]));
}

#[test]
fn the_syntax_of_small_conditions_does_not_matter() {
    let order = |guard: &str, update: &str| {
        let text = format!(
            "proc X(x : BIT, y : BIT, z : BIT) = [x = 1] e {{ z := x; }} -> X + [{guard}] e {{ {update} }} -> X; init X(*);"
        );
        detect_graph(&model(&text, &[]), &[]).unwrap().order().to_string()
    };
    assert_eq!(order("y = 1", "z := y;"), "2");
    assert_eq!(order("!(y = 0) && (x = 0 || x = 1)", "if (y = 1) { z := 0; z := 1 - z; } else { x := 0; }"), "2");
    assert_eq!(order("y = 1", "z := 1 - y;"), "2", "with the values of z exchanged");
    assert_eq!(order("y = 1", "z := 1; x := 0;"), "1");
}

#[test]
fn the_stages_are_printed() {
    let text = "type T : 0..1; proc X(a : BIT[T], x : BIT) = sum i:T . [a[i] = 0] e(i) {
        if (x = 0) { a[i] := 1; x := a[i]; } else { x := 0; } } -> X; init X(a = 0, x = *);";
    let model = model(text, &[]);
    let form = ssa::print(&model, &forms(&model));
    let expected = "[a[i] = 0] e\n  decide 0 := x = 0\n    a_1 := a with [i] = 1\n    x_1 := a_1[i]\n    x_2 := 0\n  \
                    a_2 := phi(0, a_1, a)\n  x_3 := phi(0, x_1, x_2)\n  a' = a_2\n  x' = x_3\n";
    assert_eq!(form, expected);
    let forms = forms(&model);
    let print_often = || (0..1 << 16).for_each(|_| drop(ssa::print(&model, &forms)));
    assert!(limits::Watch::unlimited().at_most(1 << 10).run(print_often).is_err(), "printing consults the limits");
    let found = detect_graph(&model, &[]).unwrap();
    let printed = found.csp.print(&model);
    assert!(printed.contains("instance e#0(i=1)") && printed.contains("label e(1)"), "{printed}");
    assert_eq!(found.order().to_string(), "2");
}
