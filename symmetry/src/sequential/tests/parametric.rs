//! Summands in parametric form: what they do against the reference, what is accepted against the states and the ground form.

use csp::{Detected, Ties, detect_graph_within};
use frontend::sequential::{Property, Sequential};

use super::super::ValidatedGroup;
use super::{fixture, model, orders};

/// What the graph shows with all summands in parametric form.
fn detected(model: &Sequential, ties: Ties) -> Detected {
    detect_graph_within(model, &[], ties, 0).expect("the model is small enough")
}

/// The group of what it shows, validated in parametric form.
fn parametric(model: &Sequential, properties: &[Property]) -> ValidatedGroup {
    let found = detected(model, Ties::Names);
    ValidatedGroup::with_moves(model, properties, found.generators, &found.moves)
}

#[test]
fn orders_in_parametric_form() {
    for &(name, defines, order) in orders::TABLE {
        let model = model(&fixture(name), defines);
        let start = std::time::Instant::now();
        let group = parametric(&model, &[]);
        println!("{name} {defines:?}: {} of {order}, in {:?}", group.order(), start.elapsed());
        for rejected in group.rejected().iter().take(2) {
            println!("   {}", rejected.reason);
        }
    }
}
