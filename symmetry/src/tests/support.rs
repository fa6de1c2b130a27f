//! Models of the fixtures, generated texts, and the check of a permutation against the explicit state space.

use std::collections::BTreeSet;
use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, FaultClass, State, Step, Stop, starts, successors};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::verify;
use frontend::model::{Model, PropertySet};
use frontend::syntax::{parse_model, parse_properties};
use rustc_hash::FxHashSet;

use crate::{
    ModelPermutation,
    Strategy::{self},
    ValidatedGroup,
};

/// The model of a text without errors.
pub(super) fn model(text: &str) -> Model {
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(text, &mut diagnostics);
    let model = lower(&program, &LowerOptions::default(), &mut diagnostics);
    let messages: Vec<&String> = diagnostics.list.iter().map(|found| &found.message).collect();
    let model = model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
    assert!(!diagnostics.has_errors(), "{messages:?}\n{text}");
    assert!(verify(&model).is_empty());
    model
}

/// The properties of a text without errors.
pub(super) fn properties(model: &Model, text: &str) -> PropertySet {
    let mut diagnostics = Diagnostics::new();
    let file = parse_properties(text, &mut diagnostics);
    let set = lower_properties(&file, model, &mut diagnostics);
    let messages: Vec<&String> = diagnostics.list.iter().map(|found| &found.message).collect();
    set.unwrap_or_else(|| panic!("{messages:?}\n{text}"))
}

/// A fixture of the Rebeca folder.
pub(super) fn fixture(path: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rebeca").join(path);
    model(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The group of the candidates of a strategy, without properties.
pub(super) fn group(model: &Model, strategy: Strategy) -> ValidatedGroup {
    ValidatedGroup::new(model, &PropertySet::default(), strategy.candidates(model))
}

/// The order of a group, as a number.
pub(super) fn order(group: &ValidatedGroup) -> u64 {
    u64::try_from(&group.order()).unwrap()
}

/// The load balancer of \[Jag10\] Fig. 12, with clients divided evenly between two balancers.
pub(super) fn load_balancer(clients: usize, servers: usize) -> Model {
    let range: Vec<String> = (1..=servers).map(|server| server.to_string()).collect();
    let names: Vec<String> = (1..=servers).map(|server| format!("s{server}")).collect();
    let mut main = String::new();
    for client in 1..=clients {
        main += &format!("Client c{client}(lb{}):(); ", if client <= clients / 2 { 1 } else { 2 });
    }
    main += &names.iter().map(|name| format!("Server {name}():(); ")).collect::<String>();
    let known = names.join(", ");
    main += &format!("LoadBalancer lb1({known}):(); LoadBalancer lb2({known}):();");
    model(&format!(
        "reactiveclass LoadBalancer(4) {{
            knownrebecs {{ Server srv[scs:1..{servers}]; }}
            statevars {{ scs srvNo; }}
            msgsrv initial() {{ srvNo = ?({}); }}
            msgsrv request() {{ srv[srvNo].service(sender); srvNo = srvNo +% 1; }}
        }}
        reactiveclass Client(2) {{
            knownrebecs {{ LoadBalancer lb; }}
            msgsrv initial() {{ self.requestService(); }}
            msgsrv requestService() {{ lb.request(); }}
            msgsrv serviceComplete() {{ self.requestService(); }}
        }}
        reactiveclass Server(5) {{
            msgsrv initial() {{ }}
            msgsrv service(Client rec) {{ rec.serviceComplete(); }}
        }}
        main {{ {main} }}",
        range.join(", ")
    ))
}

/// The behaviour in a state: its successors, and the classes of its faults.
#[derive(PartialEq, Eq, Debug)]
struct Behaviour {
    successors: BTreeSet<State>,
    faults: BTreeSet<FaultClass>,
}

fn behaviour(model: &Model, state: &State) -> Behaviour {
    let mut found = Behaviour { successors: BTreeSet::new(), faults: BTreeSet::new() };
    for Step { result, .. } in successors(model, &Bounds::default(), state) {
        match result {
            Ok(state) => {
                found.successors.insert(state);
            }
            Err(Stop::Fault(fault)) => {
                found.faults.insert(fault.kind.class());
            }
            Err(Stop::Limit(limit)) => panic!("{limit:?}"),
        }
    }
    found
}

/// Every reachable state, up to a bound.
pub(super) fn reachable(model: &Model, max: usize) -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    let mut seen = FxHashSet::default();
    for start in starts(model, &Bounds::default()) {
        if let Ok(state) = start.result
            && seen.insert(state.clone())
        {
            states.push(state);
        }
    }
    let mut next = 0;
    while next < states.len() && states.len() < max {
        for state in behaviour(model, &states[next]).successors {
            if seen.insert(state.clone()) {
                states.push(state);
            }
        }
        next += 1;
    }
    states
}

/// Whether a permutation is an automorphism of the transition system, as far as these states show.
pub(super) fn commutes(model: &Model, permutation: &ModelPermutation, states: &[State], classes: bool) -> bool {
    let initial: FxHashSet<State> = starts(model, &Bounds::default()).filter_map(|start| start.result.ok()).collect();
    let undone = permutation.inverse();
    initial.iter().all(|state| initial.contains(&permutation.apply(model, state)))
        && states.iter().all(|state| {
            let here = behaviour(model, state);
            let image = permutation.apply(model, state);
            let there = behaviour(model, &image);
            let moved: BTreeSet<State> = here.successors.iter().map(|state| permutation.apply(model, state)).collect();
            let faults =
                if classes { here.faults == there.faults } else { here.faults.is_empty() == there.faults.is_empty() };
            undone.apply(model, &image) == *state && moved == there.successors && faults
        })
}

/// Checks every generator of a group against the states of the model.
pub(super) fn confirm(model: &Model, group: &ValidatedGroup, max: usize) {
    let states = reachable(model, max);
    for generator in group.generators() {
        let classes = group.certificate().keeps_fault_classes;
        assert!(commutes(model, generator, &states, classes), "{}", generator.text(model));
    }
}
