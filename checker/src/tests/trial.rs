//! A group that was proved for another model is noticed by the search that uses it, however far from the starts the difference lies.

use explore::question::SearchOrder::BreadthFirst;
use explore::search::{Clock, NoObserver, StateSpace, explore};
use frontend::diagnostics::Diagnostics;
use frontend::interpret::Bounds;
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::{Model, PropertySet};
use frontend::syntax::{parse_model, parse_properties};
use symmetry::Strategy::Constraint;
use symmetry::ValidatedGroup;

use crate::actors::{Space, Symmetry};
use crate::{Limits, Representative};

/// Two nodes that count to 90; a judge may look at which of them gets there.
fn read(odd: bool, property: &str) -> (Model, PropertySet) {
    let looks = if odd { "if (sender == a) { met = true; }" } else { "met = true;" };
    let text = format!(
        "reactiveclass Node(3) {{ knownrebecs {{ Judge judge; }} statevars {{ int n; }}
           msgsrv initial() {{ n = 0; self.step(); }}
           msgsrv step() {{ if (n < 90) {{ n = n + 1; self.step(); }} else {{ judge.done(); }} }} }}
         reactiveclass Judge(3) {{ knownrebecs {{ Node a; Node b; }} statevars {{ boolean met; }}
           msgsrv initial() {{ met = false; }} msgsrv done() {{ {looks} }} }}
         main {{ Node a(judge):(); Node b(judge):(); Judge judge(a, b):(); }}"
    );
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(&text, &mut diagnostics);
    let model = lower(&program, &LowerOptions::default(), &mut diagnostics);
    let model = model.unwrap_or_else(|| panic!("{:?}\n{text}", diagnostics.list));
    let file = parse_properties(property, &mut diagnostics);
    let set = lower_properties(&file, &model, &mut diagnostics);
    (model, set.unwrap_or_else(|| panic!("{:?}\n{property}", diagnostics.list)))
}

/// Searches one model with the group of the other.
fn searched(odd: bool, property: &str) {
    let ((model, properties), (other, _)) = (read(odd, property), read(false, "property { Assertion { } }"));
    let group = ValidatedGroup::new(&other, &PropertySet::default(), Constraint.candidates(&other));
    assert_eq!(group.order(), 2_u32.into());
    let mut space = Space::new(&model, &Bounds::default(), None, None);
    space.reduce(Symmetry::new(&model, &group, &properties, Representative::Auto).expect("a small group"));
    let summary = explore(&mut space, &mut NoObserver, Clock::new(&mut ()), &Limits::default(), BreadthFirst);
    assert!(summary.expect("no checkpoint").complete && space.store().len() > 90);
}

#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_actor_model_is_noticed_in_the_search() {
    searched(true, "property { Assertion { } }");
}

#[test]
#[should_panic(expected = "contradicts it in a state of the search")]
fn a_group_of_another_property_of_actors_is_noticed_in_the_search() {
    searched(false, "property { Assertion { One : a.n < 80; } }");
}

#[test]
fn the_group_of_an_actor_model_is_not_contradicted() {
    searched(false, "property { Assertion { Both : a.n < 80 && b.n < 80; } }");
}
