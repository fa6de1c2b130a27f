//! Canonical forms: equal for isomorphic graphs, different for others.

use std::collections::{BTreeMap, BTreeSet};

use quotient_engine::{Graph, canonical_labelling, write_dimacs};

use crate::support::combinatorial as families;
use crate::support::gadgets;
use crate::support::{Random, graph};

/// The form as text, after checking that the labelling produces it.
fn form(graph: &Graph) -> String {
    let form = canonical_labelling(graph);
    assert_eq!(graph.relabelled(&form.labelling), form.graph);
    write_dimacs(&form.graph)
}

#[test]
fn forms_count_the_graphs_on_few_vertices() {
    // Numbers of unlabelled graphs on n vertices.
    for (n, classes) in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 11), (5, 34)] {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        let mut forms = BTreeSet::new();
        for mask in 0..1_u32 << pairs.len() {
            let chosen = pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, &pair)| pair);
            forms.insert(form(&graph(&vec![0; n as usize], &chosen.collect::<Vec<_>>())));
        }
        assert_eq!(forms.len(), classes, "graphs on {n} vertices");
    }
}

#[test]
fn relabelling_keeps_the_form() {
    let cubic = families::random_regular(40, 3, 2);
    let graphs = [
        ("Frucht", families::frucht()),
        ("Petersen", families::petersen()),
        ("Shrikhande", families::shrikhande()),
        ("rook", families::rook()),
        ("Paley", families::paley(37)),
        ("hypercube", families::hypercube(5)),
        ("plane", families::projective_plane(3)),
        ("Johnson", families::subsets(7, 3, 2)),
        ("complete", families::complete(25)),
        ("cyclic square", families::latin_square(&families::cyclic_square(6))),
        ("random square", families::latin_square(&families::random_square(8, 3))),
        ("cubic", graph(&[0; 40], &cubic)),
        ("CFI", gadgets::cfi(&families::random_regular(10, 3, 2), false)),
        ("twisted CFI", gadgets::cfi(&families::random_regular(10, 3, 2), true)),
        ("Miyazaki", gadgets::cfi(&gadgets::miyazaki_base(3), false)),
        ("pentagons", gadgets::pentagons(4)),
        ("tiers", gadgets::tiers(&[3, 3, 2], 3)),
        ("ring", gadgets::leader_ring(4, 2)),
    ];
    let mut random = Random::new(5);
    let mut forms: BTreeMap<String, &str> = BTreeMap::new();
    for (name, graph) in &graphs {
        let original = form(graph);
        for _ in 0..3 {
            let copy = graph.relabelled(&random.permutation(graph.len()));
            assert_eq!(form(&copy), original, "{name}");
        }
        assert_eq!(forms.insert(original, name), None, "{name} looks like another graph");
    }
}

#[test]
fn colours_count() {
    let edges = [(0, 1), (1, 2)];
    let forms: BTreeSet<String> =
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]].iter().map(|colours| form(&graph(colours, &edges))).collect();
    assert_eq!(forms.len(), 3, "the two ends are alike");
}
