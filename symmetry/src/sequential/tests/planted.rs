//! Known-wrong ways to draw the graph: each gives a generator that is no symmetry, and the validator rejects it.

use csp::csp::{Condition, ConditionId, Csp, Datum};
use csp::{ColouredGraph, Literals, Ties, Vertex, forms, ground, project};
use engine::{GraphBuilder, SparsePermutation};
use frontend::sequential::{Property, Sequential};

use super::super::ValidatedGroup;
use super::twin::{broken, reachable};
use super::{fixture, model};

/// The part that is left out of an otherwise correct graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Omission {
    Nothing,
    /// Outputs name versions of elements, which are not tied to the elements.
    Elements,
    /// As `Elements`, with versions tied to elements, but not their values.
    Values,
    /// Outputs are not tied to their instance.
    Instances,
    /// Instances and labels have one colour each.
    Events,
    /// The initial states.
    Initial,
}

/// The generators of a graph with an omission.
fn found(model: &Sequential, csp: &Csp, omission: Omission) -> Vec<SparsePermutation> {
    let right = ColouredGraph::new(model, csp, Ties::None);
    let (graph, vertices) = (&right.graph, &right.vertices);
    let mut builder = GraphBuilder::new();
    let merged = graph.colours().iter().max().map_or(0, |most| most + 1);
    for (&colour, vertex) in graph.colours().iter().zip(vertices) {
        builder.add_vertex(match (omission, vertex) {
            (Omission::Events, Vertex::Instance(_)) => merged,
            (Omission::Events, Vertex::Label(_)) => merged + 1,
            _ => colour,
        });
    }
    let versions = matches!(omission, Omission::Elements | Omission::Values);
    let mut version_of = vec![engine::Vertex::new(u32::MAX); vertices.len()];
    if versions {
        for (at, vertex) in vertices.iter().enumerate() {
            match vertex {
                Vertex::Element(_) => version_of[at] = builder.add_vertex(merged),
                Vertex::Literal { .. } => version_of[at] = builder.add_vertex(merged + 1),
                _ => {}
            }
        }
    }
    for (one, other) in graph.edges() {
        let pair = [one, other].map(|at| vertices[at as usize]);
        let (mut first, mut second) = (engine::Vertex::new(one), engine::Vertex::new(other));
        let is = |place: usize, what: fn(&Vertex) -> bool| what(&pair[place]) || what(&pair[1 - place]);
        let output = is(0, |vertex| matches!(vertex, Vertex::Output { .. }));
        let literal = is(0, |vertex| matches!(vertex, Vertex::Literal { .. }));
        let element = is(0, |vertex| matches!(vertex, Vertex::Element(_)));
        match omission {
            Omission::Instances if output && is(0, |vertex| matches!(vertex, Vertex::Instance(_))) => continue,
            Omission::Initial if is(0, |vertex| matches!(vertex, Vertex::Initial)) => continue,
            _ => {}
        }
        if versions && literal && element {
            builder.add_edge(version_of[one as usize], version_of[other as usize]);
        }
        if versions && literal && output {
            match pair[0] {
                Vertex::Literal { .. } => first = version_of[one as usize],
                _ => second = version_of[other as usize],
            }
        }
        builder.add_edge(first, second);
    }
    if omission == Omission::Values {
        for (at, vertex) in (0..).zip(vertices) {
            if matches!(vertex, Vertex::Element(_)) {
                builder.add_edge(engine::Vertex::new(at), version_of[at as usize]);
            }
        }
    }
    let literals = Literals::new(model);
    let wrong = builder.build().expect("edges join vertices that exist");
    let mut generators = Vec::new();
    engine::automorphisms(&wrong, &mut |automorphism| {
        let count = u32::try_from(vertices.len()).expect("small");
        let pairs = automorphism.pairs().iter().copied().filter(|pair| pair.0 < count).collect();
        let own = SparsePermutation::from_pairs(pairs).expect("versions move among themselves");
        generators.push(project(&literals, csp, &right, &own));
    });
    generators.retain(|generator| !generator.is_identity());
    generators
}

/// A fault, with its effect on the constraints.
type Plant = fn(&mut Csp);

fn nothing(_: &mut Csp) {}

/// Updates that only copy an element are deleted.
fn copies(csp: &mut Csp) {
    let conditions = csp.conditions.clone();
    for instance in &mut csp.instances {
        instance.outputs.retain(|output| match &conditions[output.when.index()] {
            Condition::Cube(tests) => {
                !(tests.len() == 1 && tests[0].1.iter().map(|&value| Datum::Value(value)).eq([output.value]))
            }
            _ => true,
        });
    }
}

/// Writes the frame equations of array writes as a conjunction, which no state satisfies.
fn conjunctions(csp: &mut Csp) {
    csp.instances.retain(|instance| instance.outputs.is_empty());
}

/// Values that satisfy no guard and are not initial are dropped.
fn values(csp: &mut Csp) {
    let guards: Vec<ConditionId> = csp.instances.iter().map(|instance| instance.guard).collect();
    let requested = |element: usize, value: i32| {
        guards.iter().any(|guard| match &csp.conditions[guard.index()] {
            Condition::Cube(tests) => tests.iter().any(|(other, values)| *other == element && values.contains(&value)),
            _ => true,
        })
    };
    let mut elements = csp.elements.clone();
    for (place, element) in elements.iter_mut().enumerate() {
        let initial = element.initial;
        element.values.retain(|&value| initial.is_none_or(|initial| initial == value) || requested(place, value));
    }
    for instance in &mut csp.instances {
        instance
            .outputs
            .retain(|output| elements[output.element].values.iter().any(|&value| Datum::Value(value) == output.value));
    }
    csp.elements = elements;
}

/// Name, fixture, omission, plant, and whether the properties are kept.
type Row = (&'static str, &'static str, Omission, Plant, bool);

const VARIANTS: &[Row] = &[
    ("versions float", "csp_p1_scalar_link", Omission::Elements, nothing, false),
    ("values of versions float", "csp_p1b_value_link", Omission::Values, nothing, false),
    ("constant variables float", "csp_p1c_constant_variable", Omission::Elements, nothing, false),
    ("values of counters float", "csp_p1d_counter", Omission::Values, nothing, false),
    ("copies are propagated", "csp_p2_copy", Omission::Nothing, copies, false),
    ("copies are propagated, any start", "csp_p2b_copy_any", Omission::Nothing, copies, false),
    ("constraints are shared", "csp_p3_recombine", Omission::Instances, nothing, false),
    ("no events", "csp_p4_events", Omission::Events, nothing, false),
    ("array writes are conjunctions", "csp_p5_array_write", Omission::Nothing, conjunctions, false),
    ("values are pruned by guards", "csp_p6_written_values", Omission::Nothing, values, false),
    ("values are pruned by guards, and a property", "M12_value_pruning", Omission::Nothing, values, false),
    ("no initial states", "csp_p7_initial", Omission::Initial, nothing, false),
    ("no property", "csp_p10_property", Omission::Nothing, |csp| csp.claims.clear(), true),
];

/// Changes of the texts, so that the graph keeps all values that an omission could confuse with another.
const REACHING: &[(&str, &str)] = &[
    ("init X(x = 0, y = 0)", "init X(*)"),
    ("act { y := 0; }", "act { x := 1; y := 0; }"),
    ("act { x := 0; }", "act { x := 0; y := 1; }"),
];

#[test]
fn known_wrong_graphs_are_caught() {
    for &(variant, name, omission, plant, has_properties) in VARIANTS {
        let text = fixture(&format!("soundness/{name}.lpe"));
        // Any state is initial, so that the graph keeps all values that an omission could confuse with another.
        let text = REACHING.iter().fold(text, |text, (from, to)| text.replace(from, to));
        let model = model(&text, &[]);
        let properties = if has_properties { model.properties.clone() } else { Vec::new() };
        let requested: Vec<&Property> = properties.iter().collect();
        let mut csp = ground::constraints(&model, &forms(&model), &requested).expect("small");
        let right = ColouredGraph::new(&model, &csp, Ties::None);
        plant(&mut csp);
        let candidates = found(&model, &csp, omission);
        let states = reachable(&model, 1000).expect("small");
        let wrong = candidates.iter().filter(|generator| broken(&model, &properties, &states, generator).is_some());
        let wrong = wrong.count();
        assert!(wrong > 0, "{variant}: the fault does not show on {name}, {} vertices", right.vertices.len());
        let group = ValidatedGroup::new(&model, &properties, candidates);
        assert!(group.rejected().len() >= wrong, "{variant}: {} of {wrong} rejected", group.rejected().len());
        for generator in group.generators() {
            assert_eq!(broken(&model, &properties, &states, generator), None, "{variant}");
        }
        println!("{variant}: {}", group.rejected()[0].reason);
    }
}
