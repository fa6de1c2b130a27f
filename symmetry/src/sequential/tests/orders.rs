//! Orders of validated groups, as known from the literature and from independent explorers.

use super::{fixture, model, validated};

/// File, constants, order.
pub(super) type Row = (&'static str, &'static [(&'static str, i64)], &'static str);

pub(super) const TABLE: &[Row] = &[
    ("protocols/token.lpe", &[], "6"),
    ("locks/readers_writers.lpe", &[], "2"),
    ("locks/peterson.lpe", &[("N", 9)], "362880"),
    ("locks/peterson.lpe", &[("N", 12)], "479001600"),
    ("locks/resalloc.lpe", &[], "24"),
    ("protocols/threetier.lpe", &[], "144"),
    ("protocols/hypercube.lpe", &[], "3840"),
    ("protocols/hypercube.lpe", &[("D", 6), ("NN", 64)], "46080"),
    ("locks/philosophers.lpe", &[("N", 10)], "10"),
    ("locks/philosophers.lpe", &[("N", 20)], "20"),
    ("locks/milner.lpe", &[], "1"),
    ("protocols/twohop.lpe", &[("N", 9)], "216"),
    ("protocols/twohop.lpe", &[("N", 12)], "288"),
    ("protocols/leader_complete.lpe", &[("N", 12)], "479001600"),
    ("protocols/leader_complete.lpe", &[("N", 15)], "1307674368000"),
    ("protocols/leader_tree.lpe", &[], "16"),
    ("protocols/leader_ring.lpe", &[("N", 9)], "9"),
    ("protocols/leader_ring.lpe", &[("N", 12)], "12"),
    ("puzzles/hanoi.lpe", &[("N", 3)], "2"),
    ("puzzles/hanoi.lpe", &[("N", 6)], "2"),
    ("puzzles/golfers.lpe", &[], "725760"),
    ("locks/filter.lpe", &[("N", 5)], "120"),
    ("locks/filter.lpe", &[("N", 6)], "720"),
    ("soundness/csp_p10_property.lpe", &[], "2"),
    ("soundness/csp_p1_scalar_link.lpe", &[], "1"),
    ("soundness/csp_p1b_value_link.lpe", &[], "1"),
    ("soundness/csp_p1c_constant_variable.lpe", &[], "2"),
    ("soundness/csp_p1d_counter.lpe", &[], "1"),
    ("soundness/csp_p2_copy.lpe", &[], "1"),
    ("soundness/csp_p2b_copy_any.lpe", &[], "1"),
    ("soundness/csp_p3_recombine.lpe", &[], "2"),
    ("soundness/csp_p4_events.lpe", &[], "1"),
    ("soundness/csp_p4b_event_arguments.lpe", &[], "3"),
    ("soundness/csp_p5_array_write.lpe", &[], "4"),
    ("soundness/csp_p6_written_values.lpe", &[], "2"),
    ("soundness/csp_p6b_read_values.lpe", &[], "1"),
    ("soundness/csp_p7_initial.lpe", &[], "1"),
    ("soundness/csp_p8_dead_values.lpe", &[], "1"),
    ("soundness/csp_p9_short_circuit.lpe", &[], "2"),
];

#[test]
fn known_orders() {
    for &(name, defines, order) in TABLE {
        let model = model(&fixture(name), defines);
        let group = validated(&model, &[]);
        assert!(group.rejected().is_empty(), "{name} {defines:?}: {}", group.rejected()[0].reason);
        assert_eq!(group.order().to_string(), order, "{name} {defines:?}");
        assert!(group.is_for(&model, &[]) && group.is_exact(), "{name}");
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
        let group = validated(&model(&text, &[]), &[]);
        assert_eq!(group.order().to_string(), order, "{name} {changes:?}");
    }
}

#[test]
fn groups_are_cut_to_properties() {
    let model = model(&fixture("locks/peterson.lpe"), &[("N", 4)]);
    assert_eq!(validated(&model, &model.properties).order().to_string(), "24", "the invariant as a whole");
    let text = fixture("locks/peterson.lpe")
        + "ltl First = G(F(pc[1] = inside)); assert Two = pc[1] != inside || pc[2] != inside;";
    let model = self::model(&text, &[("N", 4)]);
    let [first, two] = ["First", "Two"].map(|name| {
        let requested: Vec<_> = model.properties.iter().filter(|property| property.name == name).cloned().collect();
        validated(&model, &requested)
    });
    assert_eq!([first.order().to_string(), two.order().to_string()], ["6", "4"]);
    assert_eq!(first.model_order().to_string(), "24");
    assert!(first.is_exact() && two.is_exact());
    assert!(!first.is_for(&model, &[]));
}
